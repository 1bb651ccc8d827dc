"""Hands and bodies that follow trackers: how far they are off, and the time of an update.

    python benchmarks/avatars.py hands --poses relaxed.js pinch.js point.js   # poses of Meta's IWER
    python benchmarks/avatars.py bodies walk.bvh --unit 0.05644 --up y

Files are given by their paths. Of a motion, the joints of head, hands, hips and feet are the trackers,
calibrated in the first frame, and the body that follows is held against the motion. Times are of the
processor, of every update, with all that comes before the solve, in the fastest of ten rounds.
"""

# ruff: noqa: E402  (the number of threads is read when NumPy is imported)

from __future__ import annotations

import os

os.environ.setdefault("LIMBIK_COMPILE", "first")  # nothing is timed while the compiler is at work
os.environ.setdefault("OMP_NUM_THREADS", "1")

import argparse
import itertools
import re
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.append(str(HERE.parent / "src"))  # for a checkout that is not installed

import numpy as np

import limbik
from limbik.motion import Avatar, Hand, HandRetargeter
from limbik.motion.body.roles import ARM, CENTRE, LEG, SIDES
from limbik.motion.hands.follower import APART, Follower
from limbik.motion.hands.human_hand import human_hand
from limbik.motion.hands.layouts import JOINTS
from machine import surroundings

FRAMES = 50  # from one posture to the next
POSTURES = 11
ROUNDS = 10
HANDS = ("itself", "another person", "allegro", "shadow_hand")
HAND_HEAD = (
    "| on | updates | tips mm: median | most | joints deg: median | pinches | pinch mm: median | most "
    "| beyond limits | ms an update: median | p99 |"
)


SIX = ("head", "leftHand", "rightHand", "hips", "leftFoot", "rightFoot")
JOINTS_OF_BODIES = (
    *(role for role in CENTRE if role != "jaw"),
    *(side + part for side in SIDES for part in ("Shoulder", *ARM, *LEG)),
)
BODY_HEAD = (
    "| file | points | frames | trackers mm: most | within 1 mm % | joints cm: mean | of the upper body "
    "| jitter beside the motion's | ms an update: median | p99 |"
)


def main(argv: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parts = parser.add_subparsers(dest="part", required=True)
    hands = parts.add_parser("hands")
    hands.add_argument("--poses", nargs="*", default=[], help="files with 25 matrices of a WebXR hand each")
    hands.add_argument("--side", default="left", choices=["left", "right"], help="of the hand in the files")
    bodies = parts.add_parser("bodies")
    bodies.add_argument("files", nargs="+")
    bodies.add_argument("--unit", default="cm")
    bodies.add_argument("--up", default=None)
    options = parser.parse_args(argv)
    if options.part == "hands":
        of_hands(options.poses, options.side)
    else:
        of_bodies(options.files, options.unit, options.up)
    print(", ".join(f"{name}: {value}" for name, value in surroundings().items()))
    print(f"limbik {limbik.__version__}, numpy {np.__version__}, Python {sys.version.split()[0]}")


# --- hands ----------------------------------------------------------------------------------------------


def of_hands(files: Sequence[str], side: str) -> None:
    person = a_person()
    hand = Hand.from_model(person, gestures(person))
    print(HAND_HEAD)
    print("|---|" + "---:|" * 10)
    for name in HANDS:
        try:
            model = {"itself": person, "another person": a_person(1.12, 0.85)}.get(name) or limbik.load(name)
        except limbik.errors.ModelError as error:
            print(f"| {name} | {error} |" + " |" * 9)
            continue
        print(hand_row(name, model, hand, gestures(person) if model is person else None), flush=True)
    if files:
        print("\n| pose | tips mm | pinch mm | on the bones of all poses: tips mm | pinch mm |")
        print("|---|---:|---:|---:|---:|")
        seen = np.array([matrices(file) for file in files])
        together = Hand.from_webxr(seen, side=side)
        for file, poses in zip(files, seen, strict=True):
            one = Hand.from_webxr(poses, side=side)
            cells = [cell for whole in (one, together) for cell in pose_cells(one, whole)]
            print(f"| {Path(file).stem} | " + " | ".join(cells) + " |")


def a_person(size: float = 1.0, thumb: float = 1.0) -> limbik.Model:
    """A right hand with round figures [m]."""
    places = {name: np.full(3, np.nan) for name in JOINTS}
    knuckles = {"Index": (96, 24), "Middle": (96, 0), "Ring": (89, -18), "Little": (78, -35)}
    places.update({f"{name}Proximal": 1e-3 * size * np.array([*xy, 0.0]) for name, xy in knuckles.items()})
    places["ThumbMetacarpal"] = 1e-3 * size * np.array([34.0, 30.0, -16.0])
    bones = {
        "Thumb": (33, 34, 25), "Index": (38, 24, 22), "Middle": (43, 28, 25), "Ring": (39, 26, 24),
        "Little": (31, 21, 21),
    }  # fmt: skip
    lengths = {name: tuple(1e-3 * size * x for x in each) for name, each in bones.items()}
    lengths["Thumb"] = tuple(thumb * x for x in lengths["Thumb"])
    return human_hand(places, lengths, "right")


def gestures(model: limbik.Model) -> np.ndarray:
    """[T, nq] random postures, every second one a pinch of the thumb and one of three fingers."""
    random = np.random.default_rng(0)
    ends = [model.lower + random.uniform(0.1, 0.9, model.nq) * (model.upper - model.lower)]
    for k in range(1, POSTURES):
        q = model.lower + random.uniform(0.1, 0.9, model.nq) * (model.upper - model.lower)
        if k % 2:
            tip = f"right{('Index', 'Middle', 'Ring')[k // 2 % 3]}Tip"
            meet = limbik.DistanceBetween(frame="rightThumbTip", other=tip, value=0.012)
            q = model.solve(meet, start=model.clip(model.neutral), mode="best").q
        ends.append(q)
    shares = np.linspace(0.0, 1.0, FRAMES, endpoint=False)[:, None]
    return np.concatenate([(1.0 - shares) * a + shares * b for a, b in itertools.pairwise(ends)])


def hand_row(name: str, model: limbik.Model, hand: Hand, truth: np.ndarray | None) -> str:
    seconds = fastest(lambda: hand_seconds(HandRetargeter(model, hand), hand))
    tips: list[float] = []
    pinches: list[float] = []
    beyond, angles = 0, []
    retargeter = HandRetargeter(model, hand)
    for k, points in enumerate(hand.positions):
        one = Hand(points, hand.side)
        q = retargeter.update(one)
        beyond += not model.is_within_limits(q)
        pinches += held_apart(retargeter._follower, model, q, one)
        fingers = [finger for finger in retargeter.tips if finger != "Thumb"]
        if min(np.linalg.norm(one[finger + "Tip"] - one["ThumbTip"]) for finger in fingers) > APART:
            tips += retargeter.distances.values()
        if truth is not None:
            angles.append(np.degrees(np.abs(q - truth[k])))
    return (
        f"| {name} | {len(seconds)} | {1e3 * np.median(tips):.2f} | {1e3 * np.max(tips):.1f} "
        f"| {f'{np.median(angles):.2f}' if angles else ''} | {len(pinches)} | {1e3 * np.median(pinches):.2f} "
        f"| {1e3 * np.max(pinches):.1f} | {beyond} | {1e3 * np.median(seconds):.2f} "
        f"| {1e3 * np.percentile(seconds, 99):.2f} |"
    )


def hand_seconds(retargeter: HandRetargeter, hand: Hand) -> list[float]:
    found = []
    for points in hand.positions:
        began = time.process_time()
        retargeter.update(Hand(points, hand.side))
        found.append(time.process_time() - began)
    return found


def fastest(timed: Callable[[], list[float]]) -> list[float]:
    """The times of the round whose median is the least."""
    return min((timed() for _ in range(ROUNDS)), key=np.median)


def held_apart(follower: Follower, model: limbik.Model, q: np.ndarray, hand: Hand) -> list[float]:
    """[m] of each pinch how far the vector between the tips is off."""
    found = []
    tips, palm = follower.tips, follower._palm
    thumb = model.pose(q, tips["Thumb"])[:3, 3]
    for finger in tips:
        wanted = hand.palm[:3, :3].T @ (hand[finger + "Tip"] - hand["ThumbTip"])
        if finger != "Thumb" and np.linalg.norm(wanted) < 0.02:
            found.append(
                float(np.linalg.norm(palm.T @ (model.pose(q, tips[finger])[:3, 3] - thumb) - wanted))
            )
    return found


def pose_cells(hand: Hand, measured: Hand) -> tuple[str, str]:
    """How far tips, and thumb and index beside each other, are off [mm], with the bones of `measured`."""
    model = measured.model()
    retargeter = HandRetargeter(model, measured)
    made = Hand.from_model(model, retargeter.update(hand))
    held = made["IndexTip"] - made["ThumbTip"] - hand.palm[:3, :3].T @ (hand["IndexTip"] - hand["ThumbTip"])
    off = 1e3 * max(retargeter.distances.values())
    return f"{off:.2f}", f"{1e3 * np.linalg.norm(held):.2f}"


def matrices(file: str) -> np.ndarray:
    """[25, 4, 4] of a file with 25 lists of 16 numbers, column by column, such as those of IWER."""
    rows = re.findall(r"\[([-+\d.eE,\s]+)\]", Path(file).read_text())
    found = [np.array([float(x) for x in row.replace("\n", " ").split(",") if x.strip()]) for row in rows]
    found = [each.reshape(4, 4).T for each in found if each.size == 16]
    if len(found) < 25:
        raise SystemExit(f"{file}: needs 25 matrices of 16 numbers, found {len(found)}")
    return np.array(found[:25])  # what follows is the grip


# --- bodies ---------------------------------------------------------------------------------------------


def of_bodies(files: Sequence[str], unit: str, up: str | None) -> None:
    print(BODY_HEAD)
    print("|---|" + "---:|" * 9)
    for file in files:
        size = float(unit) if unit[0].isdigit() else unit
        motion = limbik.load_motion(file, unit=size, up=up)
        for roles in (SIX, SIX[:3]):
            print(body_row(Path(file).stem, motion, roles), flush=True)


def body_row(name: str, motion: limbik.Motion, roles: Sequence[str]) -> str:
    frames = {r: f for r, f in limbik.humanoid(motion).frames.items() if r in JOINTS_OF_BODIES}
    truth = {role: motion.model.pose(motion.q, frame) for role, frame in frames.items()}
    ground = ground_of(motion, [frames[side + "Foot"] for side in SIDES])
    q = np.empty((0, motion.model.nq))

    def timed() -> list[float]:
        nonlocal q
        avatar = Avatar(motion, ground=ground)
        avatar.calibrate({role: truth[role][0] for role in roles}, motion.q[0], scale=1.0)
        seconds, found = [], []
        for k in range(len(motion)):
            seen = {role: truth[role][k] for role in roles}
            began = time.process_time()
            found.append(avatar.update(seen, motion.dt))
            seconds.append(time.process_time() - began)
        q = np.array(found)
        return seconds

    seconds = fastest(timed)
    there = np.stack([truth[role][:, :3, 3] for role in frames], axis=1)
    here = np.stack([motion.model.pose(q, frame)[:, :3, 3] for frame in frames.values()], axis=1)
    off = np.linalg.norm(here - there, axis=-1)
    tracked = off[:, [list(frames).index(role) for role in roles]]
    upper = [k for k, role in enumerate(frames) if role != "hips" and not role.endswith(LEG)]
    return (
        f"| {name} | {len(roles)} | {len(motion)} | {1e3 * tracked.max():.2f} "
        f"| {100 * (tracked < 1e-3).mean():.1f} | {100 * off.mean():.1f} "
        f"| {100 * off[:, upper].mean():.1f} | {jitter(here) / jitter(there):.2f} "
        f"| {1e3 * np.median(seconds):.2f} | {1e3 * np.percentile(seconds, 99):.2f} |"
    )


def ground_of(motion: limbik.Motion, feet: Sequence[str]) -> float:
    """[m] the height of the lowest point of the feet in the first frame."""
    model = motion.model
    links = set(feet) | {
        joint.child for joint in model.joints if any(each.child in feet for each in model.path(joint.child))
    }
    names = [frame.name for frame in model.frames if frame.link in links]
    return float(model.poses(motion.q[0], names)[:, "xyz".index(motion.up), 3].min())


def jitter(places: np.ndarray) -> float:
    """Root mean square of the fourth differences of places [T, joints, 3]."""
    return float(np.sqrt(np.mean(np.diff(places, 4, axis=0) ** 2)))


if __name__ == "__main__":
    main()
