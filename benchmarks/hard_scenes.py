"""Hard problems free of collision: of many distinct solutions of the goals, few are free.

    python benchmarks/hard_scenes.py                                   all kinds, 20 problems of each
    python benchmarks/hard_scenes.py --problems 5 --robots iiwa14 --scenes box

A configuration is drawn, and the poses that it gives are the goals. A scene is built about it that it is
free in, with at least 5 mm to everything: a `box` around the hand, open behind it; `clutter`, balls that
stand where other solutions of the goals would pass; or both arms of a pair, with clutter about them. A
problem is kept where under 5 % of the distinct solutions that 512 random starts lead to are free (for those
of several goals: 64 starts, which are solved one by one), and at least one of those that up to 100,000
starts lead to is (several goals: the configuration itself is the proof). Distinct are configurations that
differ by 0.2 rad. Arms of six joints are asked for the point and the axis of the tool, else there are but
eight solutions. Each is solved once from the middle of the limits, with the fingers as they are in the
configuration that is known. What is answered is judged by coal.
"""

# ruff: noqa: E402  (the number of threads is read when NumPy is imported)

from __future__ import annotations

import os

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_name, "1")
os.environ.setdefault("LIMBIK_COMPILE", "first")

import argparse
import sys
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from time import perf_counter
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path.append(str(HERE.parent / "src"))

import numpy as np

import limbik
from limbik.collision import Box, Sphere, World
from limbik.collision.capsules import shapes_or_capsules
from limbik.spatial import pose_from
from machine import progress, surroundings

ARMS = ("example-robot-data:panda", "iiwa14", "gen3", "xarm7", "ur5e", "ur10")
PAIR = "two pandas"
MIN_APART = 0.005  # [m] of the configuration that is known to be free
MAX_FREE = 0.05  # share of the distinct solutions
STARTS, SLOW_STARTS, MAX_STARTS = 512, 64, 100_000
STEP = 0.2  # [rad] by which distinct solutions differ
THICK = 0.02  # [m] of the boards of a box
MAX_BALLS = 60
TRIES = 200  # for each problem
TIME_LIMIT = 10.0  # [s] of a solve


@dataclass(frozen=True, kw_only=True)
class Robot:
    """An arm or two, with a tool on each."""

    name: str
    model: limbik.Model
    frames: tuple[str, ...]  # that goals are about
    is_short: bool  # of six joints: the tool may turn about its axis


@dataclass(frozen=True, kw_only=True)
class Problem:
    """Goals in a world."""

    robot: Robot
    scene: str
    goals: Any
    world: World
    q: np.ndarray  # [nq] that is free
    share: float  # of the distinct solutions
    distinct: int
    draws: int  # until one was free


def robot_of(name: str) -> Robot:
    """By its name among `ARMS`, or `PAIR`."""
    if name == PAIR:
        model = two_of(limbik.load(ARMS[0]), 0.4)
        return Robot(name=name, model=model, frames=("left_panda_hand", "right_panda_hand"), is_short=False)
    model = limbik.load(name)
    is_short = model.nv < 7
    model = model.with_shapes(shapes_or_capsules(model)[0])
    if not any("hand" in shape.name for shape in model.shapes):
        wrist = {shape.name for shape in model.shapes[-2:]}
        place = pose_from(None, (0.0, 0.0, 0.07))
        model = model.attach("tool", Box((0.06, 0.06, 0.14)), pose=place, touch=wrist)
    return Robot(name=name, model=model, frames=(model.end_effector,), is_short=is_short)


def two_of(arm: limbik.Model, apart: float) -> limbik.Model:
    """Two of an arm, their bases apart [m] along y, facing the same way."""
    joints, shapes, rules, frames = [], [], [], []
    for side, y in (("left", 0.5 * apart), ("right", -0.5 * apart)):

        def named(link: str, side: str = side) -> str:
            return f"{side}_{link}"

        place = pose_from(None, (0.0, y, 0.0))
        joints.append(
            limbik.Joint(
                name=named("base"),
                kind=limbik.JointKind.FIXED,
                parent="torso",
                child=named(arm.root),
                origin=place,
            )
        )
        for joint in arm.joints:
            follows = None if joint.mimic is None else replace(joint.mimic, joint=named(joint.mimic.joint))
            joints.append(
                replace(
                    joint,
                    name=named(joint.name),
                    parent=named(joint.parent),
                    child=named(joint.child),
                    mimic=follows,
                )
            )
        shapes += [replace(shape, link=named(shape.link), name=named(shape.name)) for shape in arm.shapes]
        rules += [
            replace(rule, first=named(rule.first), second=named(rule.second)) for rule in arm.pair_rules
        ]
    return limbik.Model("two arms", joints, frames, shapes=shapes, pair_rules=rules)


def problems(robot: Robot, scene: str, count: int, rng: np.random.Generator) -> list[Problem]:
    """Hard ones of one kind; fewer where they are not found in many tries."""
    found = []
    for _ in range(TRIES * count):
        problem = problem_of(robot, scene, rng)
        if problem is not None:
            found.append(problem)
        if len(found) == count:
            break
    return found


def problem_of(robot: Robot, scene: str, rng: np.random.Generator) -> Problem | None:
    """One, where what is drawn is hard."""
    model = robot.model
    q = model.random(rng)
    if not model.check(q, clearance=MIN_APART).is_free:
        return None
    goals = goals_at(robot, q)
    drawn = distinct(drawn_solutions(robot, goals, q, SLOW_STARTS if is_slow(robot) else STARTS, rng))
    if not len(drawn):
        return None
    world = SCENES[scene](robot, q, drawn, rng)
    if world is None:
        return None
    is_free = model.check_batch(drawn, world).is_free
    if is_free.mean() >= MAX_FREE:
        return None
    draws = len(drawn) if is_slow(robot) or is_free.any() else draws_until_free(robot, goals, q, world, rng)
    if draws is None:
        return None
    return Problem(
        robot=robot,
        scene=scene,
        goals=goals,
        world=world,
        q=q,
        share=float(is_free.mean()),
        distinct=len(drawn),
        draws=draws,
    )


def is_slow(robot: Robot) -> bool:
    """Whether starts are solved one by one."""
    return robot.is_short or len(robot.frames) > 1


def goals_at(robot: Robot, q: np.ndarray) -> Any:
    """What a configuration meets."""
    poses = [robot.model.pose(q, frame) for frame in robot.frames]
    if robot.is_short:
        (frame,), (pose,) = robot.frames, poses
        return [
            limbik.Position(frame=frame, target=pose[:3, 3]),
            limbik.Direction(frame=frame, axis=[0, 0, 1], target=pose[:3, 2]),
        ]
    goals = [limbik.Pose(frame=frame, target=pose) for frame, pose in zip(robot.frames, poses, strict=True)]
    return goals[0] if len(goals) == 1 else goals


def drawn_solutions(
    robot: Robot, goals: Any, q: np.ndarray, count: int, rng: np.random.Generator
) -> np.ndarray:
    """[k, nq] those that so many random starts lead to."""
    starts = with_fingers_of(q, robot, robot.model.random(rng, count))
    if is_slow(robot):
        found = [robot.model.solve(goals, start=start, restarts=0) for start in starts]
        return np.array([each.q for each in found if each.success]).reshape(-1, robot.model.nq)
    poses = np.tile(np.asarray(goals.target), (count, 1, 1))
    found = robot.model.solve_batch(poses, frame=goals.frame, start=starts, restarts=0, threads=1)
    return found.q[found.success]


def with_fingers_of(q: np.ndarray, robot: Robot, starts: np.ndarray) -> np.ndarray:
    """Starts [..., nq] in which all that moves none of the frames is as in q [nq]."""
    moves = np.zeros(robot.model.nv, dtype=bool)
    for frame in robot.frames:
        moves |= (np.abs(robot.model.jacobian(q, frame)) > 1e-12).any(axis=0)
    return np.where(moves, starts, q)


def distinct(q: np.ndarray) -> np.ndarray:
    """Of configurations [n, nq] one of each cell of the grid of `STEP`, whole turns apart being the same."""
    cells = np.round(np.mod(q, 2.0 * np.pi) / STEP).astype(int)
    return q[np.sort(np.unique(cells, axis=0, return_index=True)[1])]


def draws_until_free(
    robot: Robot, goals: Any, q: np.ndarray, world: World, rng: np.random.Generator
) -> int | None:
    """How many starts it took, in batches; None where none of them leads to a free solution."""
    for count in range(STARTS, MAX_STARTS, 8 * STARTS):
        drawn = drawn_solutions(robot, goals, q, 8 * STARTS, rng)
        if robot.model.check_batch(drawn, world).is_free.any():
            return count + 8 * STARTS
    return None


def box_about_hand(robot: Robot, q: np.ndarray, drawn: np.ndarray, rng: np.random.Generator) -> World | None:
    """Walls, a floor, a roof and an end about the hand, along the way in which it points."""
    world = World()
    pose = robot.model.pose(q, robot.frames[0])
    inner = rng.uniform((0.12, 0.12, 0.2), (0.4, 0.3, 0.45))  # [m] across, across, along
    end = rng.uniform(0.16, 0.22)  # [m] from the frame to the end of the box
    middle, deep = end - 0.5 * inner[2], inner[2]
    a, b = 0.5 * inner[:2] + 0.5 * THICK
    walls = {
        "left": ((THICK, inner[1] + 2 * THICK, deep), (a, 0, middle)),
        "right": ((THICK, inner[1] + 2 * THICK, deep), (-a, 0, middle)),
        "floor": ((inner[0], THICK, deep), (0, b, middle)),
        "roof": ((inner[0], THICK, deep), (0, -b, middle)),
        "end": ((inner[0], inner[1], THICK), (0, 0, end)),
    }
    for name, (size, place) in walls.items():
        world.add(name, Box(size), pose @ pose_from(None, place))
    if not robot.model.check(q, world, clearance=MIN_APART).is_free:
        return None
    return with_balls(robot, world, q, drawn, rng)


def clutter(robot: Robot, q: np.ndarray, drawn: np.ndarray, rng: np.random.Generator) -> World:
    """Balls where other solutions would pass."""
    return with_balls(robot, World(), q, drawn, rng)


def with_balls(
    robot: Robot, world: World, q: np.ndarray, drawn: np.ndarray, rng: np.random.Generator
) -> World:
    """Balls on solutions that are free, until few are, or there are too many balls."""
    model, links = robot.model, [shape.link for shape in robot.model.shapes]
    enough = MAX_FREE * rng.random()
    for k in range(MAX_BALLS):
        is_free = model.check_batch(drawn, world).is_free
        if is_free.mean() <= enough:
            break
        other = drawn[rng.choice(np.flatnonzero(is_free))]
        place = model.pose(other, str(rng.choice(links)))[:3, 3] + 0.05 * rng.standard_normal(3)
        world.add(f"ball {k}", Sphere(rng.uniform(0.03, 0.1)), place)
        if not model.check(q, world, clearance=MIN_APART).is_free:
            world.remove(f"ball {k}")
    return world


SCENES: dict[str, Callable[..., World | None]] = {"box": box_about_hand, "clutter": clutter}


def judged(problem: Problem) -> tuple[str, float, bool]:
    """The status of a solve, its time [s], and whether coal finds the answer free and the goals met."""
    from coal_judge import Judge

    model = problem.robot.model
    start = with_fingers_of(problem.q, problem.robot, model.neutral)
    model.check(model.neutral, problem.world)  # the checker of a scene is made once
    began = perf_counter()
    solution = model.solve(problem.goals, start=start, world=problem.world, time_limit=TIME_LIMIT)
    seconds = perf_counter() - began
    is_met = all(error.position < 1e-5 and error.rotation < 1e-4 for error in solution.goal_errors)
    return solution.status.value, seconds, is_met and Judge(model, problem.world).is_free(solution.q)


def main(argv: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--problems", type=int, default=20, help="of each kind")
    parser.add_argument("--robots", default=",".join((*ARMS, PAIR)))
    parser.add_argument("--scenes", default=",".join(SCENES))
    options = parser.parse_args(argv)
    warnings.simplefilter("ignore")
    print("| robot | scene | problems | free of the distinct solutions | draws until one was free, most "
          "| solved, free for coal | false claims | mean ms | median | p99 |")  # fmt: skip
    print("|---|---|---:|---:|---:|---:|---:|---:|---:|---:|")
    every = []
    for name in options.robots.split(","):
        robot = robot_of(name)
        for scene in options.scenes.split(","):
            progress(f"{robot.name}, {scene}")
            rng = np.random.default_rng([7, list(SCENES).index(scene)])
            found = problems(robot, scene, options.problems, rng)
            results = [(problem, *judged(problem)) for problem in found]
            every += results
            print(row(name, scene, results), flush=True)
    print(row("all", "", every))
    for problem, status, _, is_right in every:
        if not is_right:
            print(f"not solved: {problem.robot.name}, {problem.scene}: {status}, {problem.share:.1%} free")
    print(", ".join(f"{name}: {value}" for name, value in surroundings().items()))


def row(robot: str, scene: str, results: Sequence[tuple[Problem, str, float, bool]]) -> str:
    """Of a table."""
    if not results:
        return f"| {robot} | {scene} | 0 | | | | | | | |"
    solved = sum(status == "solved" and is_right for _, status, _, is_right in results)
    false = sum(status == "solved" and not is_right for _, status, _, is_right in results)
    times = 1e3 * np.array([seconds for _, _, seconds, _ in results])
    share = np.mean([problem.share for problem, *_ in results])
    draws = max(problem.draws for problem, *_ in results)
    return (
        f"| {robot} | {scene} | {len(results)} | {100 * share:.1f} % | {draws:,} | {solved} | {false} | "
        f"{times.mean():.1f} | {np.median(times):.1f} | {np.percentile(times, 99):.1f} |"
    )


if __name__ == "__main__":
    main()
