"""Characters: limbs in closed form, contacts of feet, and feet that are planted on the ground.

    python benchmarks/characters.py [--write]

Walks and runs are those of tests/walker.py: their feet stand by construction, so contacts are known, and
defects are planted in them. Times are those of the processor, the least of several passes.
"""

# ruff: noqa: E402  (the number of threads is read when NumPy is imported)

from __future__ import annotations

import os

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_name, "1")
os.environ.setdefault("LIMBIK_COMPILE", "first")

import math
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from time import process_time

HERE = Path(__file__).resolve().parent
sys.path += [str(HERE.parent / "src"), str(HERE.parent / "tests")]

import numpy as np

import limbik
from limbik.motion import ContactRule, Ground, Limb, measure, plant_feet, sole_contacts, soles_of, two_bone
from limbik.motion.batches import hinge_angles, two_bone_rotations, two_bone_settings
from limbik.spatial import (
    norm,
    perpendicular,
    quat_conjugate,
    quat_exp,
    quat_multiply,
    quat_rotate,
    unit,
)
from machine import progress, surroundings
from report import publish, study_parser, table
from walker import RUN, SHANK, THIGH, Gait, Kind, Walk, moved, noisy, stairs, stretched, walk

DOCUMENT = HERE.parent / "docs" / "benchmarks.md"
SCRIPT = "benchmarks/characters.py"
MANY, PASSES = 1_000_000, 5
NEXT = 1e-4  # [rad] from one pole to the next
RATES = (30, 60, 120)  # [1/s]
SLOPE = math.radians(20.0)
SIZES = (0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 20.0)  # times that of a person
GAITS = {
    "walk": Gait(),
    "slow walk": Gait(cycle=1.5, stride=0.9, duty=0.68),
    "fast walk": Gait(cycle=0.9, stride=1.6, duty=0.58),
    "jog": replace(RUN, cycle=0.8, stride=1.7, duty=0.42),
    "run": RUN,
    "sprint": replace(RUN, cycle=0.6, stride=2.6, duty=0.3),
}
DEFECTS: dict[str, Callable[[limbik.Motion], limbik.Motion]] = {
    "none": lambda motion: motion,
    "slides 8 %": lambda motion: stretched(motion, 1.08),
    "floats 3 cm": lambda motion: moved(motion, np.array([0.0, 0.03, 0.0])),
    "sinks 3 cm": lambda motion: moved(motion, np.array([0.0, -0.03, 0.0])),
    "noise": lambda motion: noisy(motion, 0.004, 0.001),
    "much noise": lambda motion: noisy(motion, 0.01, 0.003),
}


def main(argv: Sequence[str] | None = None) -> None:
    options = study_parser(__doc__, DOCUMENT).parse_args(argv)
    warm()
    tables = {
        "limb": limb_table(options.seed),
        "contacts": contact_table(),
        "sizes": size_table(),
        "feet": feet_table(),
    }
    facts = {**surroundings(), "limbik": limbik.__version__}
    machine = "\n".join(f"- {name}: {value}" for name, value in facts.items())
    publish(DOCUMENT, SCRIPT, {"machine": machine, **tables}, options.write)


def warm() -> None:
    """Have the programs compiled."""
    plant_feet(walk(Gait(duration=1.0), "euler").motion)


def least_time(call: Callable[[], object]) -> float:
    """Of the processor [s]."""
    times = []
    for _ in range(PASSES):
        began = process_time()
        call()
        times.append(process_time() - began)
    return min(times)


# --- limbs --------------------------------------------------------------------------------------------------


def limb_table(seed: int) -> str:
    progress("limbs")
    rows = [*core_rows(seed), *pole_rows(seed), *knee_rows(), *hinge_rows(seed), *call_rows()]
    return table(["figure", "measured"], rows)


def problems(count: int, seed: int) -> np.ndarray:
    """Random limbs at the origin, with targets in reach and poles anywhere."""
    rng = np.random.default_rng(seed)
    found = np.zeros((count, two_bone.ROW))
    found[:, 3:6] = THIGH * unit(rng.normal(size=(count, 3)))
    lower = SHANK * unit(rng.normal(size=(count, 3)))
    found[:, 6:9] = found[:, 3:6] + lower
    reach = rng.uniform(THIGH - SHANK, THIGH + SHANK, (count, 1))
    found[:, 9:12] = unit(rng.normal(size=(count, 3))) * reach
    found[:, 12:15] = perpendicular(lower)
    found[:, 15:18] = unit(rng.normal(size=(count, 3)))
    found[:, two_bone.MIN], found[:, two_bone.MAX] = -math.inf, math.inf
    return found


def settings(*, hinge: bool = False, pole: bool = False, soften: float = 0.0) -> np.ndarray:
    return two_bone_settings(is_hinge=hinge, has_pole=pole, soften=soften)


def places(limbs: np.ndarray, answers: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Middle and tip [T, 3]."""
    turn_root, turn_mid = answers[:, :4], answers[:, 4:8]
    upper, lower = limbs[:, 3:6] - limbs[:, :3], limbs[:, 6:9] - limbs[:, 3:6]
    middle = quat_rotate(turn_root, upper)
    return middle, middle + quat_rotate(turn_root, quat_rotate(turn_mid, lower))


def core_rows(seed: int) -> Iterator[list[str]]:
    limbs = problems(MANY, seed)
    _, tip = places(limbs, two_bone_rotations(limbs, settings(pole=True)))
    yield [f"greatest error of {MANY:,} targets in reach", f"{norm(tip - limbs[:, 9:12]).max():.1e} m"]
    for name, choice in (
        ("keeping its plane", settings()),
        ("with a pole", settings(pole=True)),
        ("with a pole, soften", settings(pole=True, soften=0.032)),
        ("a hinge for a knee, with a pole", settings(hinge=True, pole=True)),
    ):
        part = limbs[: MANY // 10]
        seconds = least_time(lambda part=part, choice=choice: two_bone_rotations(part, choice)) / len(part)
        yield [f"time of a limb in the kernel, {name}", f"{1e9 * seconds:.0f} ns"]


def pole_rows(seed: int) -> Iterator[list[str]]:
    limbs = problems(MANY, seed + 1)
    rng = np.random.default_rng(seed + 2)
    first = two_bone_rotations(limbs, settings(pole=True))
    beside = limbs.copy()
    away = np.cross(limbs[:, 15:18], rng.normal(size=(MANY, 3)))
    beside[:, 15:18] = unit(limbs[:, 15:18] + NEXT * unit(away))
    second = two_bone_rotations(beside, settings(pole=True))
    wrong = int((~np.isfinite(first)).any(axis=1).sum() + (~np.isfinite(second)).any(axis=1).sum())
    yield [f"answers with NaN, of {2 * MANY:,} poles", str(wrong)]
    turn = 2.0 * np.abs(quat_multiply(quat_conjugate(first[:, :4]), second[:, :4])[:, :3]).max(axis=1)
    yield [f"of {MANY:,} poles, where the next one 0.0001 rad away turns the limb by more than 0.1 rad",
           str(int((turn > 0.1).sum()))]  # fmt: skip
    yield [
        "greatest turn per turn of the pole, 10 degrees or more from the limb",
        f"{far_poles(limbs, turn):.1f}",
    ]


def far_poles(limbs: np.ndarray, turn: np.ndarray) -> float:
    line, pole = unit(limbs[:, 9:12]), limbs[:, 15:18]
    sine = norm(pole - line * (pole * line).sum(axis=1, keepdims=True))
    return float(turn[sine > math.sin(math.radians(10.1))].max() / NEXT)


def knee_rows() -> Iterator[list[str]]:
    far = np.linspace(0.8, 1.2, 100_001) * (THIGH + SHANK)
    limbs = np.zeros((len(far), two_bone.ROW))
    limbs[:, 3:6] = THIGH * unit(np.array([1.0, 0.5, 0.0]))
    limbs[:, 6:9] = limbs[:, 3:6] + SHANK * unit(np.array([1.0, -0.8, 0.0]))
    limbs[:, 9], limbs[:, 14] = far, 1.0
    for soften in (0.0, 0.032):
        middle, tip = places(limbs, two_bone_rotations(limbs, settings(soften=soften)))
        step = float((norm(np.diff(middle, axis=0)) / np.diff(far)).max())
        inside = far < THIGH + SHANK
        missed = 1e3 * float((far - norm(tip))[inside].max())
        yield [f"knee step per step of the target, soften {soften:g}", f"{step:.2f}"]
        yield [f"distance to a target in reach at most, soften {soften:g}", f"{missed:.1f} mm"]


def hinge_rows(seed: int) -> Iterator[list[str]]:
    rng = np.random.default_rng(seed)
    count = MANY // 10
    axes = np.eye(3)[[2, 0, 1]]
    angles = rng.uniform(-3.0, 3.0, (count, 3))
    lock = rng.choice([-0.5, 0.5], count) * math.pi
    angles[:, 1] = lock + rng.choice([-1.0, 1.0], count) * 10.0 ** rng.uniform(-17.0, -1.0, count)
    turn = quat_exp(axes[0] * angles[:, :1])
    for k in (1, 2):
        turn = quat_multiply(turn, quat_exp(axes[k] * angles[:, k : k + 1]))
    free = np.full(3, math.inf)
    found = hinge_angles(axes, turn, angles + 0.1, -free, free)
    again = quat_exp(axes[0] * found[:, :1])
    for k in (1, 2):
        again = quat_multiply(again, quat_exp(axes[k] * found[:, k : k + 1]))
    error = 2.0 * np.abs(quat_multiply(quat_conjugate(turn), again)[:, :3]).max()
    yield [f"greatest error of Euler angles, {count:,} rotations near gimbal lock", f"{error:.1e} rad"]
    seconds = least_time(lambda: hinge_angles(axes, turn, angles, -free, free)) / count
    yield ["time of three Euler angles in the kernel", f"{1e9 * seconds:.0f} ns"]


def call_rows() -> Iterator[list[str]]:
    leg = Limb("LeftUpLeg", "LeftLeg", "LeftFoot")
    kinds: tuple[tuple[Kind, str], ...] = (("euler", "BVH channels"), ("ball", "ball joints"))
    for kind, name in kinds:
        motion = walk(Gait(duration=20.0), kind).motion
        model, q = motion.model, motion.q
        target = model.pose(q, "LeftFoot")[:, :3, 3] + np.array([0.02, 0.03, 0.0])
        seconds = least_time(lambda leg=leg, model=model, q=q, target=target: leg.solve(model, q, target))
        yield [
            f"time of a leg in `Limb.solve`, {len(q):,} frames, {name}",
            f"{1e6 * seconds / len(q):.1f} us",
        ]


# --- contacts -----------------------------------------------------------------------------------------------


def contact_table() -> str:
    progress("contacts")
    rows = []
    for name, gait in GAITS.items():
        row = [name]
        for spoil in DEFECTS.values():
            scores = [contact_score(replace(gait, dt=1.0 / rate), spoil) for rate in RATES]
            row.append(f"{np.mean(scores):.3f}")
        rows.append(row)
    return table(["gait", *DEFECTS], rows)


def contact_score(gait: Gait, spoil: Callable[[limbik.Motion], limbik.Motion]) -> float:
    """F1 of the frames in which a foot stands."""
    known = walk(gait, "ball")
    found = sole_contacts(spoil(known.motion)).any(axis=-1)
    return f1(found, known.stands)


def f1(found: np.ndarray, known: np.ndarray) -> float:
    return float(2.0 * (found & known).sum() / (found.sum() + known.sum()))


def size_table() -> str:
    """Bodies of other sizes, by the unit of the same file."""
    progress("sizes")
    return table(["leg m", "gait", "rule of a person", "default"], list(size_rows()))


def size_rows() -> Iterator[list[str]]:
    with tempfile.TemporaryDirectory() as folder:
        for name in ("walk", "run"):
            known, file = walk(GAITS[name], "euler"), Path(folder) / f"{name}.bvh"
            known.motion.save(file)
            for size in SIZES:
                motion = limbik.load_motion(file, unit=known.motion.metres * size)
                found = [sole_contacts(motion, rule=rule).any(axis=-1) for rule in (ContactRule(), None)]
                yield [
                    f"{size * (THIGH + SHANK):.3g}",
                    name,
                    *(f"{f1(each, known.stands):.3f}" for each in found),
                ]


# --- feet ---------------------------------------------------------------------------------------------------


def feet_table() -> str:
    slide = ["slide before", "after", "at most", "of known contacts"]
    header = ["motion, ground", *slide, "depth before", "after", "jerk", "us"]
    return table(header, list(feet_rows()))


def feet_rows() -> Iterator[list[str]]:
    for name in ("walk", "run"):
        progress(f"feet: {name}")
        gait = replace(GAITS[name], heading=0.0, duration=20.0)
        known = walk(gait, "euler")
        for defect in ("none", "slides 8 %", "floats 3 cm", "sinks 3 cm", "noise"):
            title = name if defect == "none" else f"{name}, {defect}"
            yield feet_row(f"{title}, plane", known, DEFECTS[defect](known.motion), Ground.plane())
        for title, ground in grounds(gait):
            yield feet_row(f"{name}, {title}", known, known.motion, ground)


def grounds(gait: Gait) -> Iterator[tuple[str, Ground]]:
    for degrees in (10, 20):
        angle = math.radians(degrees)
        yield f"{degrees} degrees up", Ground.plane(normal=[0.0, math.cos(angle), -math.sin(angle)])
    yield "stairs of 15 cm", Ground.mesh(stairs(rise=0.15, run=0.5 * gait.stride, count=8))
    yield "a box of 20 cm", Ground.mesh(stairs(rise=0.2, run=3.0, count=1))


def feet_row(title: str, known: Walk, motion: limbik.Motion, ground: Ground) -> list[str]:
    planted = plant_feet(motion, ground=ground)
    seconds = least_time(lambda: plant_feet(motion, ground=ground)) / len(motion)
    locked = sole_contacts(motion)
    certain = np.stack([known.heels, known.balls], axis=-1)
    before, after = slides(motion, motion, locked), slides(motion, planted, locked)
    jerk = measure(planted).jerk / measure(motion).jerk
    return [
        title,
        f"{before.mean():.2f}",
        f"{after.mean():.3f}",
        f"{after.max():.3f}",
        f"{slides(motion, planted, certain).mean():.2f}",
        f"{max(depth(motion, motion, ground), 0.0):.1f}" if title.endswith("plane") else "-",
        f"{max(depth(motion, planted, ground), 0.0):.1f}",
        f"{jerk:.2f}",
        f"{1e6 * seconds:.0f}",
    ]


def slides(motion: limbik.Motion, planted: limbik.Motion, stands: np.ndarray) -> np.ndarray:
    """Speeds [cm/s] of heels and balls while they stand [T, feet, 2]."""
    found = []
    for k, sole in enumerate(soles_of(motion)):
        poses = planted.model.poses(planted.q, sole.links)
        steps = norm(np.diff(sole.points(poses[:, 0], poses[:, 1]), axis=0))[:, :2] / motion.dt
        found.append(1e2 * steps[stands[1:, k] & stands[:-1, k]])
    return np.concatenate(found)


def depth(motion: limbik.Motion, planted: limbik.Motion, ground: Ground) -> float:
    """How deep a heel, ball or toe is in the ground at most [mm]."""
    deepest = []
    for sole in soles_of(motion):
        poses = planted.model.poses(planted.q, sole.links)
        at = sole.points(poses[:, 0], poses[:, 1])
        deepest.append(float((ground.under(at)[0] + sole.heights - at[..., 1]).max()))
    return 1e3 * max(deepest)


if __name__ == "__main__":
    main()
