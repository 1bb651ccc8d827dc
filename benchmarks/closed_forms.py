"""All solutions of arms that have a closed form: are they right, and how long do they take, beside peers.

    python benchmarks/closed_forms.py [--poses 2000] [--many 100000] [--write]

Peers are used where they are installed: EAIK (pip install eaik) and ik-geo, which have closed forms for the
same arms of six revolute joints, ur-analytic-ik for Universal Robots, py-opw-kinematics for arms of the
ortho-parallel kind with a spherical wrist, and frankik for the Franka Panda. All get the same axes or, where
they have arms of their own, poses of these. Peers and limbik take turns on ten poses at a time; of each ten
the least time counts.
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
from limbik.analytic.closed_form import Family, closed_form
from limbik.model.chain import chain_to
from limbik.model.denavit_hartenberg import Row, chain_of_rows
from limbik.spatial import pose_from, rotation_exp
from machine import progress, surroundings

SCRIPT = "benchmarks/closed_forms.py"
DOCUMENT = Path(__file__).parents[1] / "docs" / "all-solutions.md"
ROUNDS = 15  # of each timing in batches; the best counts
TURNS = 40  # of the ways that are compared, on each
GROUP = 10  # poses
REACH = 0.5  # [m] of a prismatic joint to either side
SAMPLES = 64  # of the Panda's last joint
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
FEWER = ("so100", "so101")

# theta, d, a, alpha [m, rad] of standard Denavit-Hartenberg rows, from the makers' drawings; P: prismatic.
QUARTER = 0.5 * np.pi
TABLES = {
    "KUKA youBot": (
        "RRRRR",
        [
            (0.0, 0.147, 0.033, QUARTER),
            (QUARTER, 0.0, 0.155, 0.0),
            (0.0, 0.0, 0.135, 0.0),
            (QUARTER, 0.0, 0.0, QUARTER),
            (0.0, 0.2175, 0.0, 0.0),
        ],
    ),
    "Adept Cobra s600 (SCARA)": (
        "RRPR",
        [(0.0, 0.387, 0.325, 0.0), (0.0, 0.0, 0.275, np.pi), (0.0, 0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 0.0)],
    ),
    "Stanford arm": (
        "RRPRRR",
        [
            (0.0, 0.412, 0.0, -QUARTER),
            (0.0, 0.154, 0.0, QUARTER),
            (-QUARTER, 0.7, 0.0, 0.0),
            (0.0, 0.0, 0.0, -QUARTER),
            (0.0, 0.0, 0.0, QUARTER),
            (0.0, 0.263, 0.0, 0.0),
        ],
    ),
    "gantry with a spherical wrist": (
        "PPPRRR",
        [
            (QUARTER, 0.5, 0.0, QUARTER),
            (QUARTER, 0.5, 0.0, QUARTER),
            (0.0, 0.3, 0.0, 0.0),
            (0.0, 0.0, 0.0, -QUARTER),
            (0.0, 0.0, 0.0, QUARTER),
            (0.0, 0.1, 0.0, 0.0),
        ],
    ),
}
IK_GEO = {
    Family.PARALLEL_2_3: "spherical_two_parallel",
    Family.MEETING_1_2: "spherical_two_intersecting",
    Family.THREE_PARALLEL: "three_parallel_two_intersecting",
}


class Arm(NamedTuple):
    """An arm, and its axes as the peers take them."""

    name: str
    model: Model
    axes: Axes
    ortho_parallel: tuple[float, ...] | None


def arms(seed: int) -> list[Arm]:
    """Known ones, and three nobody has built: a bent shoulder, a spherical one, three parallel axes; then
    arms of fewer joints, or with prismatic ones.
    """
    known = [limbik.load(name) for name in NAMED]
    found = [Arm(model.name, model, axes_at(model), None) for model in known]
    for name, lengths in ORTHO_PARALLEL.items():
        axes = ortho_parallel(*lengths)
        found.append(Arm(name, as_model(name, axes), axes, lengths))
    rng = np.random.default_rng(seed)
    for name in ("axes 1 and 2 intersecting", "spherical shoulder", "three parallel"):
        axes = invented(name, rng)
        found.append(Arm(f"invented: {name}", as_model("invented", axes), axes, None))
    found += [Arm(name, model, axes_at(model), None) for name in FEWER if (model := limbik.load(name))]
    for name, (kinds, rows) in TABLES.items():
        model = from_table(name, kinds, rows)
        found.append(Arm(name, model, axes_at(model), None))
    return found


def from_table(name: str, kinds: str, rows: Sequence[tuple[float, float, float, float]]) -> Model:
    return chain_of_rows(
        name,
        [
            Row(
                name=f"joint{k + 1}",
                kind=JointKind.PRISMATIC if kind == "P" else JointKind.REVOLUTE,
                theta=theta,
                d=d,
                a=a,
                alpha=alpha,
                lower=-REACH if kind == "P" else -np.pi,
                upper=REACH if kind == "P" else np.pi,
            )
            for k, (kind, (theta, d, a, alpha)) in enumerate(zip(kinds, rows, strict=True))
        ],
        "standard",
    )


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
    """Random configurations [count, n], some with a joint at 0, where many arms are singular."""
    q = model.random(rng, count)
    singular = np.arange(0, count, SINGULAR_EVERY)
    q[singular, rng.choice([2, model.nq - 2], len(singular))] = 0.0
    return model.clip(q)


def turned(q0: np.ndarray, q1: np.ndarray) -> np.ndarray:
    """The largest change of a joint, whole turns not counted; slides move by less than one."""
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


Way = Callable[[np.ndarray], Any]  # of a pose [4, 4], in what the way itself takes


def in_turns(ways: dict[str, tuple[Way, list[np.ndarray]]]) -> dict[str, float]:
    """[us] for a pose, of each way, with the poses as it takes them."""
    count = min(len(poses) for _, poses in ways.values())
    best = {name: np.full(-(-count // GROUP), np.inf) for name in ways}
    for _ in range(TURNS):
        for group in range(-(-count // GROUP)):
            for name, (way, poses) in ways.items():
                some = poses[GROUP * group : min(GROUP * (group + 1), count)]
                began = perf_counter()
                for pose in some:
                    way(pose)
                best[name][group] = min(best[name][group], perf_counter() - began)
    return {name: 1e6 * each.sum() / count for name, each in best.items()}


def per_call(arm: Arm, poses: np.ndarray) -> list[str]:
    """[us] of limbik and of the peers, for a call."""
    for pose in poses[:2]:
        arm.model.solve_all(pose)
    sleep(2.0)  # until there is machine code
    ways = {"limbik": (arm.model.solve_all, list(poses)), **peers(arm, poses)}
    times = in_turns(ways)
    line = [arm.name, tables.number(times["limbik"])]
    for name in PEERS:
        if name in times:
            line += [tables.number(times[name]), tables.times(times[name] / times["limbik"])]
        else:
            line += [tables.NOTHING] * 2
    return line


PEERS = ("eaik", "ik-geo", "ur-analytic-ik", "opw")


def peers(arm: Arm, poses: np.ndarray) -> dict[str, tuple[Way, list[np.ndarray]]]:
    """Those that know the arm, with the poses as they take them."""
    found: dict[str, tuple[Way, list[np.ndarray]]] = {}
    if arm.axes.size < 6 or arm.axes.is_prismatic.any():
        return found
    back = pose_from(arm.axes.home[:3, :3].T, np.zeros(3))
    bare = [pose @ back for pose in poses]  # of the last joint instead of the tool
    if eaik := peer("eaik.IK_HP"):
        found["eaik"] = eaik.HPRobot(arm.axes.directions, arm.axes.steps).IK, bare
    form = closed_form(arm.axes)
    if (ik_geo := peer("ik_geo")) and form is not None and not form.is_backwards and form.family in IK_GEO:
        make = getattr(ik_geo.Robot, IK_GEO[form.family])
        solve = make(form.axes.directions.tolist(), form.axes.steps.tolist()).get_ik
        found["ik-geo"] = (
            lambda given: solve(*given),
            [(pose[:3, :3].T.tolist(), pose[:3, 3].tolist()) for pose in bare],
        )
    if (ur := peer(f"ur_analytic_ik.{arm.name}")) and arm.name.startswith("ur"):
        found["ur-analytic-ik"] = ur.inverse_kinematics, list(poses)
    if (opw := peer("py_opw_kinematics")) and arm.ortho_parallel is not None:
        names = ("a1", "a2", "b", "c1", "c2", "c3", "c4")
        model = opw.KinematicModel(**dict(zip(names, arm.ortho_parallel, strict=True)))
        inner = opw.Robot(model, degrees=False)._robot  # without converting the pose, which takes longer
        found["opw"] = lambda pose: inner.inverse(pose, None, None), list(poses)
    return found


def in_batches(arm: Arm, many: np.ndarray) -> list[str]:
    """[us] for a pose of a batch, of limbik and EAIK."""
    arm.model.solve_all_batch(many[:4])
    sleep(2.0)
    own = best_of(lambda: arm.model.solve_all_batch(many), len(many))
    eaik = peer("eaik.IK_HP")
    if eaik is None or arm.axes.size < 6 or arm.axes.is_prismatic.any():
        return [arm.name, tables.number(own), *[tables.NOTHING] * 2]
    robot = eaik.HPRobot(arm.axes.directions, arm.axes.steps)
    back = pose_from(arm.axes.home[:3, :3].T, np.zeros(3))
    theirs = [pose @ back for pose in many[:20000]]
    batch = best_of(lambda: robot.IK_batched(theirs, 1), len(theirs))
    return [arm.name, tables.number(own), tables.number(batch), tables.times(batch / own)]


def panda(count: int, seed: int) -> list[list[str]]:
    """[us] for each solution of the Franka Panda, its last joint at so many values."""
    model = limbik.load("panda")
    q = model.random(np.random.default_rng(seed), count)
    poses = list(model.pose(q))
    for pose in poses[:2]:
        model.solve_all(pose, samples=SAMPLES)
    sleep(2.0)
    ways: dict[str, tuple[Way, list[np.ndarray]]] = {
        "limbik": (lambda pose: model.solve_all(pose, samples=SAMPLES).q, poses)
    }
    if frankik := peer("frankik"):
        degrees = float(np.degrees(model.upper[6] - model.lower[6]))
        theirs = [np.asfortranarray(frankik.fk(each)) for each in q]
        middle = 0.5 * (model.lower + model.upper)
        ways["frankik"] = (
            lambda pose: frankik.ik_sample_q7(pose, middle, False, SAMPLES, degrees, True),
            theirs,
        )
    times = in_turns(ways)
    rows = []
    for name, (way, given) in ways.items():
        solutions = np.mean([len(way(pose)) for pose in given])
        rows.append(
            [name, f"{solutions:.1f}", tables.number(times[name]), tables.number(times[name] / solutions)]
        )
    return rows


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
    for name in ("eaik", "ik-geo", "ur-analytic-ik", "py-opw-kinematics", "frankik"):
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
    checked, timed, batches, compared = [], [], [], []
    for arm in arms(options.seed):
        progress(arm.name)
        rng = np.random.default_rng(options.seed)
        poses = arm.model.pose(arm.model.random(rng, options.poses))
        many = arm.model.pose(arm.model.random(rng, options.many))
        timed.append(per_call(arm, poses))
        batches.append(in_batches(arm, many))
        checked.append(check(arm, options.many, options.seed))
        if arm.axes.size == 6 and not arm.axes.is_prismatic.any():
            compared.append(same_sets(arm, options.poses, options.seed))
    over = [title for name in PEERS for title in (name, "over limbik")]
    found = {
        "times": report.table(["arm", "limbik, us", *over], timed),
        "batches": report.table(["arm", "limbik, us", "eaik", "over limbik"], batches),
        "panda": report.table(["Franka Panda", "solutions", "us", "us each"], panda(200, options.seed)),
        "right": report.table(["arm", "poses", "solutions", "wrong", "twice", "maker missed"], checked),
        "sets": report.table(
            ["arm", "poses", "same as eaik's", "limbik has more", "eaik has more"], compared
        ),
        "machine": machine(),
    }
    report.publish(DOCUMENT, SCRIPT, found, options.write)


if __name__ == "__main__":
    main()
