"""Draws `examples/walk.bvh`: three seconds of a walk, with the faults of motion capture.

    python tools/example_walk.py

The legs are two links whose ankle is led along a path; in stance a foot slides by a hand's breadth, both sink
a little into the ground, and one wrist jumps for a frame.
"""

from __future__ import annotations

import math
from pathlib import Path

FILE = Path(__file__).parent.parent / "examples" / "walk.bvh"
FRAMES, DT = 91, 1.0 / 30.0  # [s]
STEP, CYCLE = 1.3, 1.1  # [m] and [s] of both feet's steps
STANCE = 0.62  # of a cycle
LINK, HIPS, ANKLE = 42.0, 88.0, 8.0  # [cm] of thigh and shin, height of the hips, and of an ankle
LIFT, SLIDE, SINK = 11.0, 9.0, 1.5  # [cm]
JUMP = 50  # frame

# Name, parent and offset [cm] from it: x to the left, y up, z forward.
BONES = [
    ("Hips", "", (0.0, 0.0, 0.0)),
    ("Spine", "Hips", (0.0, 12.0, 0.0)),
    ("Chest", "Spine", (0.0, 20.0, 0.0)),
    ("Neck", "Chest", (0.0, 22.0, 0.0)),
    ("Head", "Neck", (0.0, 9.0, 2.0)),
    *(
        (f"{side}{part}", parent.format(side), (sign * x, y, z))
        for side, sign in (("Left", 1.0), ("Right", -1.0))
        for part, parent, (x, y, z) in (
            ("Shoulder", "Chest", (4.0, 17.0, 0.0)),
            ("Arm", "{}Shoulder", (14.0, 0.0, 0.0)),
            ("ForeArm", "{}Arm", (27.0, 0.0, 0.0)),
            ("Hand", "{}ForeArm", (25.0, 0.0, 0.0)),
            ("UpLeg", "Hips", (10.0, -4.0, 0.0)),
            ("Leg", "{}UpLeg", (0.0, -LINK, 0.0)),
            ("Foot", "{}Leg", (0.0, -LINK, 0.0)),
            ("Toe", "{}Foot", (0.0, -ANKLE, 13.0)),
        )
    ),
]
ENDS = {"Head": (0.0, 18.0, 0.0), "Hand": (8.0, 0.0, 0.0), "Toe": (0.0, 0.0, 6.0)}


def hierarchy() -> list[str]:
    """The lines of the skeleton."""

    def joint(name: str, offset: tuple[float, ...], pad: str) -> list[str]:
        channels = "Zrotation Xrotation Yrotation"
        kind = "JOINT" if pad else "ROOT"
        moved = "3" if pad else "6 Xposition Yposition Zposition"
        lines = [f"{pad}{kind} {name}", f"{pad}{{", f"{pad}  OFFSET " + " ".join(f"{x:g}" for x in offset)]
        lines.append(f"{pad}  CHANNELS {moved} {channels}")
        below = [(other, place) for other, parent, place in BONES if parent == name]
        for other, place in below:
            lines += joint(other, place, pad + "  ")
        if not below:
            end = next(place for part, place in ENDS.items() if name.endswith(part))
            x = -end[0] if name.startswith("Right") else end[0]
            lines += [
                f"{pad}  End Site",
                f"{pad}  {{",
                f"{pad}    OFFSET {x:g} {end[1]:g} {end[2]:g}",
                f"{pad}  }}",
            ]
        return [*lines, f"{pad}}}"]

    return ["HIERARCHY", *joint("Hips", BONES[0][2], "")]


def order() -> list[str]:
    """The joints as the hierarchy has them."""

    def below(name: str) -> list[str]:
        return [name, *(each for other, parent, _ in BONES if parent == name for each in below(other))]

    return below("Hips")


def frame(k: int) -> list[float]:
    """The values of a frame [cm and degrees]."""
    time = k * DT
    speed = 100.0 * STEP / CYCLE
    hips = (
        1.5 * math.sin(2.0 * math.pi * time / CYCLE),
        HIPS + 1.2 * math.cos(4.0 * math.pi * time / CYCLE),
        speed * time,
    )
    turns: dict[str, tuple[float, float, float]] = {}  # about z, x and y [degrees]
    for side, sign, phase in (("Left", 1.0, 0.0), ("Right", -1.0, 0.5)):
        thigh, knee, foot = leg(time / CYCLE + phase, hips, speed, time)
        turns |= {
            f"{side}UpLeg": (0.0, thigh, 0.0),
            f"{side}Leg": (0.0, knee, 0.0),
            f"{side}Foot": (0.0, foot, 0.0),
        }
        swing = 22.0 * math.sin(2.0 * math.pi * (time / CYCLE + phase) + math.pi)
        turns[f"{side}Arm"] = (-sign * 72.0, 0.0, -sign * swing)
        turns[f"{side}ForeArm"] = (0.0, 0.0, -sign * (18.0 + 0.3 * swing))
    if k == JUMP:
        turns["RightForeArm"] = (35.0, 0.0, 40.0)
    values = list(hips)
    for name in order():
        values += turns.get(name, (0.0, 0.0, 0.0))
    return values


def leg(
    cycle: float, hips: tuple[float, float, float], speed: float, time: float
) -> tuple[float, float, float]:
    """Angles of thigh, knee and foot about the axis to the left [degrees]; a thigh turns forward below 0."""
    part = cycle % 1.0
    begin = time - part * CYCLE  # of this stance
    stands = speed * (begin + 0.5 * STANCE * CYCLE)  # under the hips in the middle of it
    ankle, pitch = ANKLE - SINK, 0.0
    if part < STANCE:
        way = stands + SLIDE * (part / STANCE - 0.5)
    else:
        swing = (part - STANCE) / (1.0 - STANCE)
        eased = swing * swing * (3.0 - 2.0 * swing)
        way = stands + 0.5 * SLIDE + eased * (100.0 * STEP - SLIDE)
        ankle += LIFT * math.sin(math.pi * swing)
        pitch = 25.0 * math.sin(math.pi * swing)
    ahead, down = way - hips[2], hips[1] - 4.0 - ankle
    length = min(math.hypot(ahead, down), 1.999 * LINK)
    inner = math.acos(length / (2.0 * LINK))
    thigh = -math.degrees(math.atan2(ahead, down) + inner)
    knee = math.degrees(2.0 * inner)
    return thigh, knee, pitch - thigh - knee


def text() -> str:
    """The whole file."""
    lines = [*hierarchy(), "MOTION", f"Frames: {FRAMES}", f"Frame Time: {DT:.6f}"]
    lines += [" ".join(f"{value:.2f}".rstrip("0").rstrip(".") for value in frame(k)) for k in range(FRAMES)]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    FILE.write_text(text(), encoding="utf-8")
