"""Arms of up to six joints, revolute or prismatic, by standard Denavit-Hartenberg tables.

A letter is a joint, what stands behind it how its axis leads to the next:

    R P   a revolute or a prismatic joint
    |     to a parallel axis
    =     to an axis in the same line
    +     at right angles, with an offset along the axis before and between the two
    x     at right angles, intersecting
    /     at any angle, with any offsets
    o     the same, without an offset along the axis before
    v     at any angle, intersecting
"""

from __future__ import annotations

import math

import numpy as np

from limbik import JointKind, Model
from limbik.model.denavit_hartenberg import Row, chain_of_rows

QUARTER = 0.5 * math.pi
FAR = 0.8  # [m] of a prismatic joint to either side

# Those that are built, by name.
BUILT = {
    "SCARA": "R|R|P|R",
    "SCARA, slide first": "P|R|R|R",
    "SCARA, slide last": "R|R|R|P",
    "SCARA, slide second": "R|P|R|R",
    "gantry": "P+P+P",
    "gantry with a turning tool": "P+P+P|R",
    "gantry with two turns": "P+P+P|RoR",
    "gantry with a spherical wrist": "P+P+P|RoRoR",
    "cylindrical": "R|P+P",
    "cylindrical, slide first, with a wrist": "P|R+P|RoRoR",
    "cylindrical with a wrist": "R|P+P|RoRoR",
    "Stanford arm": "R+R+P|RoRoR",
    "spherical arm, turning tool": "RxR+P|R",
    "boom": "R+R+P+RoR",
    "rail and arm": "P+R+R+R",
    "palletiser": "R+R|R|R",
    "tool that turns": "R+R|R+R",
    "five joints": "R+R|R|RoR",
    "five joints, nothing intersects": "R+R|R|R+R",
    "five joints, shoulder intersects": "RxR|R|R+R",
    "wrist on two joints": "R+RoRoR",
    "wrist alone": "RoRoR",
    "two parallel": "R|R",
    "three parallel": "R|R|R",
    "four, two of them a wrist": "R|RoR",
    "one turn": "R",
    "one slide": "P",
    "slide and turn": "P|R",
}

# Three joints of the arm part, with a spherical wrist behind them.
WRISTED = [
    "R|R/P", "R/R+P", "RvR/P", "P/R|R", "P+R/R", "P/RvR", "R/P/P", "P/R/P", "P/P/R", "P/P/P",
    "R/P+R", "R+P/R", "R=PvR", "RvP=R", "R/R|R", "R|R/R", "RvR/R", "R/RvR",
]  # fmt: skip


def table(text: str, seed: int, limits: float = math.pi) -> Model:
    """The arm of such a text, with figures that a seed chooses."""
    rng = np.random.default_rng(seed)
    rows = []
    for k, letter in enumerate(text[::2]):
        to = text[2 * k + 1] if 2 * k + 1 < len(text) else "/"
        a, d = rng.uniform(0.2, 0.6) * rng.choice([-1, 1]), rng.uniform(0.1, 0.5) * rng.choice([-1, 1])
        alpha = float(rng.choice([-1, 1])) * rng.uniform(0.4, 1.2)
        if to in "|=":
            alpha = float(rng.choice([0.0, math.pi]))
        elif to in "+xo":
            alpha = float(rng.choice([-QUARTER, QUARTER]))
        slides = letter == "P"
        far = FAR if slides else limits
        rows.append(
            Row(
                name=f"joint{k + 1}",
                kind=JointKind.PRISMATIC if slides else JointKind.REVOLUTE,
                a=0.0 if to in "=xov" else a,
                alpha=alpha,
                d=0.0 if to == "o" else d,
                theta=float(rng.uniform(-3.0, 3.0)),
                lower=-far,
                upper=far,
            )
        )
    at = rng.uniform(-0.3, 0.3, 4).tolist()
    rows.append(Row(name="tool", kind=JointKind.FIXED, theta=at[0], d=at[1], a=at[2], alpha=at[3]))
    return chain_of_rows(text, rows, "standard")


def wristed(text: str, seed: int) -> Model:
    """Such an arm part and a spherical wrist, which is behind its third joint at any angle and offset."""
    return table(f"{text}/RoRoR", seed)


def change(model: Model, q0: np.ndarray, q1: np.ndarray) -> float:
    """The largest difference of a joint [rad or m], whole turns not counted."""
    slides = np.array([joint.kind is JointKind.PRISMATIC for joint in model.joints if joint.nq])
    return float(np.abs(np.where(slides, q0 - q1, np.angle(np.exp(1j * (q0 - q1))))).max())
