"""What a roboticist calls the branches of an arm: shoulder left or right, elbow up or down, wrist flipped."""

from __future__ import annotations

import numpy as np

from limbik.analytic.geometry import ClosedForm, Family
from limbik.spatial import Array, rotation_exp

_POSITION_WORDS = {
    Family.PARALLEL_2_3: "axes {1} and {2} parallel",
    Family.PARALLEL_1_2: "axes {0} and {1} parallel",
    Family.MEETING_1_2: "axes {0} and {1} intersecting",
    Family.MEETING_2_3: "axes {1} and {2} intersecting",
}


def in_words(form: ClosedForm) -> str:
    """What is special about the axes: "spherical wrist (axes 4, 5 and 6 meet), axes 2 and 3 parallel"."""
    numbers = [6, 5, 4, 3, 2, 1] if form.is_backwards else [1, 2, 3, 4, 5, 6]
    if form.family is Family.THREE_PARALLEL:
        three, two = sorted(numbers[1:4]), sorted(numbers[4:])
        return "axes {}, {} and {} parallel, axes {} and {} intersecting".format(*three, *two)
    part = "shoulder" if form.is_backwards else "wrist"
    three = sorted(numbers[3:])
    rest = _POSITION_WORDS[form.family].format(*(sorted(numbers[:3], reverse=form.is_backwards)))
    return "spherical {} (axes {}, {} and {} meet), {}".format(part, *three, rest)


def branch_name(form: ClosedForm, q: Array) -> str:
    """The branch of a configuration q [6], in the order in which the arm is solved."""
    points, axes = _placed(form, q)
    first, last = ("wrist", "shoulder") if form.is_backwards else ("shoulder", "wrist")
    to_wrist = points[3] - points[1]
    raises = float(np.cross(axes[1], to_wrist) @ axes[0])
    left = "left" if raises > 0.0 else "right"
    bend = points[2] - points[1]
    square = float(to_wrist @ to_wrist)
    if square > 0.0:
        bend = bend - to_wrist * float(bend @ to_wrist) / square
    up = "up" if float(bend @ axes[0]) > 0.0 else "down"
    before = axes[1] if form.family is Family.THREE_PARALLEL else axes[3]
    flipped = "flipped" if float(np.cross(before, axes[5]) @ axes[4]) < 0.0 else "not flipped"
    parts = [f"{first} {left}", f"elbow {up}", f"{last} {flipped}"]
    return ", ".join(parts[::-1] if form.is_backwards else parts)


def _placed(form: ClosedForm, q: Array) -> tuple[Array, Array]:
    """The points on the axes and their directions at q."""
    rotation, point = np.eye(3), np.zeros(3)
    points, axes = [], []
    for h, step, value in zip(form.axes.directions, form.axes.steps, q, strict=False):
        point = point + rotation @ step
        points.append(point)
        axes.append(rotation @ h)
        rotation = rotation @ rotation_exp(value * h)
    return np.array(points), np.array(axes)
