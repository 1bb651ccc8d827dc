"""All solutions of arms of six revolute joints: are they right, and how long do they take, beside peers.

    python benchmarks/closed_forms.py [--poses 2000] [--many 100000] [--write]

Peers are used where they are installed: EAIK (pip install eaik), which has closed forms for the same arms,
and py-opw-kinematics for arms of the ortho-parallel kind with a spherical wrist. All are given the same axes.
Poses are those of random configurations, one of fifty at a singular wrist or elbow. A solution is wrong
where forward kinematics in NumPy is off by 1e-9, as twice where another one is within 1e-6 rad, and the
configuration that made the pose has to be among them, within 1e-4 rad where it is not singular.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.metadata
import platform
from collections.abc import Callable, Sequence
from pathlib import Path
from time import perf_counter, sleep
from typing import Any, NamedTuple

import numpy as np

import limbik
import report
import tables
from limbik import Frame, Joint, JointKind, Model
from limbik.analytic.axes import Axes, axes_of
from limbik.model.chain import chain_to
from limbik.spatial import pose_from, rotation_exp
from machine import progress, surroundings

SCRIPT = "benchmarks/closed_forms.py"
DOCUMENT = Path(__file__).parents[1] / "docs" / "all-solutions.md"
ROUNDS = 15  # of each timing; the best counts
SINGULAR_EVERY = 50
NEAR_SINGULAR = 1e-3  # smallest singular value of the Jacobian under which the maker need not be met again

# a1, a2, b, c1, c2, c3, c4 [m] (Brandstoetter, Angerer, Hofbaur 2014), from the makers' drawings.
ORTHO_PARALLEL = {
    "ABB IRB 2400/10": (0.100, -0.135, 0.0, 0.615, 0.705, 0.755, 0.085),
    "KUKA KR 6 R700": (0.025, -0.035, 0.0, 0.400, 0.315, 0.365, 0.080),
    "Staubli TX40": (0.0, 0.0, 0.035, 0.320, 0.225, 0.225, 0.065),
    "FANUC R-2000iB/200R": (0.720, -0.225, 0.0, 0.600, 1.075, 1.280, 0.235),
}
NAMED = ("ur3e", "ur5e", "ur10e", "ur20", "z1", "puma560")


class Arm(NamedTuple):
    """An arm, and its axes as the peers take them."""

    name: str
    model: Model
    axes: Axes
    ortho_parallel: tuple[float, ...] | None


def arms(seed: int) -> list[Arm]:
    """Known ones, and three that nobody has built: a bent shoulder, a spherical one, three parallel axes."""
    known = [limbik.load(name) for name in NAMED]
    found = [Arm(model.name, model, axes_at(model), None) for model in known]
    for name, lengths in ORTHO_PARALLEL.items():
        axes = ortho_parallel(*lengths)
        found.append(Arm(name, as_model(name, axes), axes, lengths))
    rng = np.random.default_rng(seed)
    for name in ("axes 1 and 2 intersecting", "spherical shoulder", "three parallel"):
        axes = invented(name, rng)
        found.append(Arm(f"invented: {name}", as_model("invented", axes), axes, None))
    return found


def axes_at(model: Model) -> Axes:
    axes = axes_of(chain_to(model))
    assert axes is not None
    return axes


def ortho_parallel(a1: float, a2: float, b: float, c1: float, c2: float, c3: float, c4: float) -> Axes:
    """The axes of an arm that stands upright at zero."""
    z, y = np.array([0.0, 0.0, 1.0]), np.array([0.0, 1.0, 0.0])
    elbow, wrist = np.array([a1, b, c1 + c2]), np.array([a1 + a2, b, c1 + c2 + c3])
    points = np.array([np.zeros(3), [a1, 0.0, c1], elbow, wrist, wrist, wrist])
    return Axes(np.array([z, y, y, z, y, z]), points, np.zeros(6, bool), pose_from(None, wrist + c4 * z))


def invented(name: str, rng: np.random.Generator) -> Axes:
    """Axes in any direction, but for what the name says."""
    h = rng.normal(size=(6, 3))
    h /= np.linalg.norm(h, axis=1, keepdims=True)
    points = rng.uniform(-0.5, 0.5, (6, 3))
    home = pose_from(rotation_exp(rng.normal(size=3)), rng.uniform(-1.0, 1.0, 3))
    if name == "three parallel":
        h[2] = h[3] = h[1]
        points[5] = points[4] + 0.2 * h[4] - 0.1 * h[5]
        return Axes(h, points, np.zeros(6, bool), home)
    points[4] = points[5] = points[3]
    if name == "spherical shoulder":
        h[2] = h[1]
        return Axes(h, points, np.zeros(6, bool), home).reversed()
    points[1] = points[0] + 0.2 * h[0] + 0.3 * h[1]
    return Axes(h, points, np.zeros(6, bool), home)


def as_model(name: str, axes: Axes) -> Model:
    """A model with these axes, whose joints turn once."""
    joints, before = [], np.zeros(3)
    for k, (h, point) in enumerate(zip(axes.directions, axes.points, strict=True)):
        names = {"name": f"joint{k + 1}", "parent": f"link{k}", "child": f"link{k + 1}"}
        origin = pose_from(None, point - before)
        limits = {"lower": -np.pi, "upper": np.pi}
        joints.append(Joint(kind=JointKind.REVOLUTE, origin=origin, axis=h, **names, **limits))
        before = point
    tool = pose_from(axes.home[:3, :3], axes.home[:3, 3] - before)
    return Model(name, joints, [Frame(name="tool", link="link6", pose_link_frame=tool)], end_effector="tool")


def configurations(model: Model, rng: np.random.Generator, count: int) -> np.ndarray:
    """Random configurations [count, 6], some with a joint at 0, where many arms are singular."""
    q = model.random(rng, count)
    singular = np.arange(0, count, SINGULAR_EVERY)
    q[singular, rng.choice([2, 4], len(singular))] = 0.0
    return model.clip(q)


def turned(q0: np.ndarray, q1: np.ndarray) -> np.ndarray:
    """The largest change of a joint, whole turns not counted."""
    return np.abs(np.angle(np.exp(1j * (q0 - q1)))).max(axis=-1)


def check(arm: Arm, count: int, seed: int) -> list[str]:
    """How many solutions are wrong, come twice, or are missing."""
    model = arm.model
    q = configurations(model, np.random.default_rng(seed), count)
    poses = model.pose(q)
    batch = model.solve_all_batch(poses)
    wrong = twice = missed = 0
    for k in range(count):
        found = batch.of(k)
        wrong += (
            int((np.abs(model.pose(found) - poses[k]).max(axis=(1, 2)) > 1e-9).sum()) if len(found) else 0
        )
        wrong += int((~model.is_within_limits(found)).sum()) if len(found) else 0
        apart = turned(found[:, None], found[None]) if len(found) > 1 else np.ones((1, 1))
        twice += int((apart < 1e-6).sum() - len(found)) // 2 if len(found) > 1 else 0
        near = turned(found, q[k]).min() if len(found) else np.inf
        if near > 1e-4 and np.linalg.svd(model.jacobian(q[k]), compute_uv=False)[-1] > NEAR_SINGULAR:
            missed += 1
    counts = f"{batch.count.mean():.2f}"
    return [arm.name, f"{count:,}", counts, f"{wrong:,}", f"{twice:,}", f"{missed:,}"]


def best_of(run: Callable[[], Any], count: int) -> float:
    """[us] for each of `count`."""
    times = []
    for _ in range(ROUNDS):
        began = perf_counter()
        run()
        times.append(perf_counter() - began)
    return 1e6 * min(times) / count


def per_call(arm: Arm, poses: np.ndarray, many: np.ndarray) -> list[str]:
    """[us] of limbik and of the peers, for a call and for a pose of a batch."""
    model, each = arm.model, list(poses)
    for pose in each[:2]:
        model.solve_all(pose)
    model.solve_all_batch(poses[:4])
    sleep(2.0)  # until there is machine code
    own = best_of(lambda: [model.solve_all(pose) for pose in each], len(each))
    own_many = best_of(lambda: model.solve_all_batch(many), len(many))
    line = [arm.name, tables.number(own), tables.number(own_many)]
    eaik = peer("eaik.IK_HP")
    if eaik is None:
        line += [tables.NOTHING] * 4
    else:
        robot = eaik.HPRobot(arm.axes.directions, arm.axes.steps)
        back = pose_from(arm.axes.home[:3, :3].T, np.zeros(3))
        theirs, theirs_many = [pose @ back for pose in each], [pose @ back for pose in many[:20000]]
        one = best_of(lambda: [robot.IK(pose) for pose in theirs], len(theirs))
        batch = best_of(lambda: robot.IK_batched(theirs_many, 1), len(theirs_many))
        line += [
            tables.number(one),
            tables.times(one / own),
            tables.number(batch),
            tables.times(batch / own_many),
        ]
    return [*line, *opw_call(arm, each, own)]


def opw_call(arm: Arm, poses: list[np.ndarray], own: float) -> list[str]:
    """[us] for a call of py-opw-kinematics, and how many times limbik's."""
    opw = peer("py_opw_kinematics")
    if opw is None or arm.ortho_parallel is None:
        return [tables.NOTHING] * 2
    names = ("a1", "a2", "b", "c1", "c2", "c3", "c4")
    robot = opw.Robot(opw.KinematicModel(**dict(zip(names, arm.ortho_parallel, strict=True))), degrees=False)
    inner = robot._robot  # without the conversion of each pose, which takes longer than the solve
    one = best_of(lambda: [inner.inverse(pose, None, None) for pose in poses], len(poses))
    return [tables.number(one), tables.times(one / own)]


def same_sets(arm: Arm, count: int, seed: int) -> list[str]:
    """How often EAIK finds the same set of solutions, and who has more where they differ."""
    eaik = peer("eaik.IK_HP")
    if eaik is None:
        return [arm.name, tables.NOTHING, tables.NOTHING, tables.NOTHING, tables.NOTHING]
    robot = eaik.HPRobot(arm.axes.directions, arm.axes.steps)
    back = pose_from(arm.axes.home[:3, :3].T, np.zeros(3))
    poses = arm.model.pose(arm.model.random(seed, count))
    same = more = fewer = 0
    for pose in poses:
        own = arm.model.solve_all(pose, limits=False).q
        answer = robot.IK(pose @ back)
        theirs = np.array([q for q, least in zip(answer.Q, answer.is_LS, strict=True) if not least])
        theirs = distinct([q for q in theirs if np.abs(arm.model.pose(q) - pose).max() < 1e-6])
        missing = sum(turned(own, q).min(initial=np.inf) > 1e-3 for q in theirs)
        surplus = sum(turned(theirs, q).min(initial=np.inf) > 1e-3 if len(theirs) else True for q in own)
        same += int(missing == 0 and surplus == 0)
        fewer += int(missing > 0)
        more += int(surplus > 0)
    return [arm.name, f"{count:,}", f"{same:,}", f"{more:,}", f"{fewer:,}"]


def distinct(found: list[np.ndarray]) -> np.ndarray:
    """Those that are no other's equal."""
    kept: list[np.ndarray] = []
    for q in found:
        if all(turned(q, other) > 1e-4 for other in kept):
            kept.append(q)
    return np.array(kept).reshape(-1, 6)


def peer(module: str) -> Any:
    """A module of a peer; None where it is not installed."""
    try:
        return importlib.import_module(module)
    except ImportError:
        return None


def machine() -> str:
    """When and on what it ran, with versions."""
    versions = [
        f"limbik {limbik.__version__}",
        f"Python {platform.python_version()}",
        f"numpy {np.__version__}",
    ]
    for name in ("eaik", "py-opw-kinematics"):
        try:
            versions.append(f"{name} {importlib.metadata.version(name)}")
        except importlib.metadata.PackageNotFoundError:
            versions.append(f"{name} not installed")
    return tables.facts({**surroundings(), "versions": ", ".join(versions)})


def main(argv: Sequence[str] | None = None) -> None:
    """Print the tables; with --write store them."""
    parser = report.study_parser(__doc__, DOCUMENT)
    parser.add_argument("--poses", type=int, default=2000, help="of each arm for calls (default 2000)")
    parser.add_argument("--many", type=int, default=100_000, help="of each arm in batches (default 100000)")
    options: argparse.Namespace = parser.parse_args(argv)
    checked, timed, compared = [], [], []
    for arm in arms(options.seed):
        progress(arm.name)
        rng = np.random.default_rng(options.seed)
        poses = arm.model.pose(arm.model.random(rng, options.poses))
        many = arm.model.pose(arm.model.random(rng, options.many))
        timed.append(per_call(arm, poses, many))
        checked.append(check(arm, options.many, options.seed))
        compared.append(same_sets(arm, options.poses, options.seed))
    found = {
        "times": report.table(
            [
                "arm",
                "us per call",
                "us in a batch",
                "eaik per call",
                "over limbik",
                "eaik in a batch",
                "over limbik",
                "opw per call",
                "over limbik",
            ],
            timed,
        ),
        "right": report.table(["arm", "poses", "solutions", "wrong", "twice", "maker missed"], checked),
        "sets": report.table(
            ["arm", "poses", "same as eaik's", "limbik has more", "eaik has more"], compared
        ),
        "machine": machine(),
    }
    report.publish(DOCUMENT, SCRIPT, found, options.write)


if __name__ == "__main__":
    main()
