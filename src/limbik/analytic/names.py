"""What a roboticist calls an arm's geometry and its branches: shoulder left, elbow up, wrist flipped."""

from __future__ import annotations

import numpy as np

from limbik.analytic.added_joints import JOINTS, WRIST
from limbik.analytic.closed_form import ClosedForm, Family
from limbik.spatial import Array, rotation_exp

_PARALLEL, _INTERSECTING = "axes {} and {} parallel", "axes {} and {} intersecting"
_ACROSS, _ALONG = "joint {} sliding across axis {}", "joint {} sliding along axis {}"
# What is special about the first three joints, and of which it is said.
_ARM_PART: dict[Family, tuple[str, tuple[int, ...]]] = {
    Family.PARALLEL_2_3: (_PARALLEL, (1, 2)),
    Family.PARALLEL_1_2: (_PARALLEL, (0, 1)),
    Family.MEETING_1_2: (_INTERSECTING, (0, 1)),
    Family.MEETING_2_3: (_INTERSECTING, (1, 2)),
    Family.RRP_PARALLEL: (_PARALLEL, (0, 1)),
    Family.RRP_ACROSS: (_ACROSS, (2, 1)),
    Family.RRP_MEETING: (_INTERSECTING, (0, 1)),
    Family.RPR_PARALLEL: (_PARALLEL, (0, 2)),
    Family.RPR_ACROSS: (_ACROSS, (1, 2)),
    Family.ACROSS_RPR: (_ACROSS, (1, 0)),
    Family.RPR_ALONG: (_ALONG, (1, 0)),
    Family.ALONG_RPR: (_ALONG, (1, 2)),
    Family.PRR_PARALLEL: (_PARALLEL, (1, 2)),
    Family.PRR_ACROSS: (_ACROSS, (0, 1)),
    Family.PRR_MEETING: (_INTERSECTING, (1, 2)),
}
_COUNTS = ("one joint", "two joints", "three joints", "four joints", "five joints", "six joints")
_WITH_SHOULDER = (Family.RRP_ACROSS, Family.RRP_MEETING)
_TWO_LINKS = {  # the two parallel axes, of families whose only choice is their elbow
    Family.RRP_PARALLEL: (0, 1),
    Family.RPR_PARALLEL: (0, 2),
    Family.PRR_PARALLEL: (1, 2),
}


def in_words(form: ClosedForm) -> str:
    """What is special about the axes: "spherical wrist (axes 4, 5 and 6 meet), axes 2 and 3 parallel"."""
    numbers = [place + 1 for place in form.places]
    if form.family is Family.THREE_PARALLEL:
        three = "axes {}, {} and {} parallel".format(*sorted(numbers[1:4]))
        return three if form.count < JOINTS else f"{three}, {_INTERSECTING.format(*sorted(numbers[4:]))}"
    arm_part = _arm_part_in_words(form, numbers)
    parts = [_wrist_in_words(form), arm_part, "" if "sliding" in arm_part else _slides_in_words(form)]
    return ", ".join(part for part in parts if part) or _COUNTS[form.count - 1]


def _wrist_in_words(form: ClosedForm) -> str:
    numbers = sorted(place + 1 for place in form.places[-WRIST:] if place < form.count)
    if len(numbers) == WRIST:
        return "spherical {} (axes {}, {} and {} meet)".format(
            "shoulder" if form.is_backwards else "wrist", *numbers
        )
    return _INTERSECTING.format(*numbers) if len(numbers) == WRIST - 1 else ""


def _arm_part_in_words(form: ClosedForm, numbers: list[int]) -> str:
    text, chosen = _ARM_PART.get(form.family, ("", ()))
    said = [numbers[k] for k in chosen]
    if any(number > form.count for number in said):
        return ""
    return text.format(*(said if text in (_ACROSS, _ALONG) else sorted(said)))


def _slides_in_words(form: ClosedForm) -> str:
    slides = form.axes.is_prismatic
    own = [place for place, is_slide in zip(form.places, slides, strict=True) if is_slide]
    numbers = [str(place + 1) for place in sorted(own) if place < form.count]
    if not numbers:
        return ""
    if len(numbers) == 1:
        return f"joint {numbers[0]} prismatic"
    return f"joints {', '.join(numbers[:-1])} and {numbers[-1]} prismatic"


def branch_names(form: ClosedForm, q: Array) -> tuple[str, ...]:
    """The branches of configurations q [k, n]; numbers where the family has no words for them."""
    names = [_branch_name(form, each) for each in q]
    return tuple(name if name else f"solution {k + 1}" for k, name in enumerate(names))


def _branch_name(form: ClosedForm, q: Array) -> str:
    places = np.array(form.places)
    points, axes = _placed(form, np.append(q, np.zeros(JOINTS - form.count))[places])
    first, last = ("wrist", "shoulder") if form.is_backwards else ("shoulder", "wrist")
    to_wrist, bend = points[3] - points[1], points[2] - points[1]
    left = "left" if float(np.cross(axes[1], to_wrist) @ axes[0]) > 0.0 else "right"
    parts = []
    if not form.axes.is_prismatic.any():
        square = float(to_wrist @ to_wrist)
        if square > 0.0:
            bend = bend - to_wrist * float(bend @ to_wrist) / square
        parts = [f"{first} {left}", f"elbow {'up' if float(bend @ axes[0]) > 0.0 else 'down'}"]
    elif form.family in _WITH_SHOULDER:
        out = float(axes[2] @ (points[3] - points[2]))
        parts = [f"{first} {left}", f"slide {'out' if out > 0.0 else 'in'}"]
    elif form.family in _TWO_LINKS and _are_own(form, _TWO_LINKS[form.family]):
        i, j = _TWO_LINKS[form.family]
        side = float(np.cross(points[j] - points[i], points[3] - points[j]) @ axes[i])
        parts = [f"elbow {'left' if side > 0.0 else 'right'}"]
    if form.family is Family.THREE_PARALLEL and form.count == JOINTS:
        parts.append(f"{last} {_flip(axes[1], axes)}")
    elif form.family is not Family.THREE_PARALLEL and _are_own(form, (3, 4, 5)):
        parts.append(f"{last} {_flip(axes[3], axes)}")
    return ", ".join(parts[::-1] if form.is_backwards else parts)


def _are_own(form: ClosedForm, joints: tuple[int, ...]) -> bool:
    """Whether joints are the arm's own."""
    return all(form.places[k] < form.count for k in joints)


def _flip(before: Array, axes: Array) -> str:
    return "flipped" if float(np.cross(before, axes[5]) @ axes[4]) < 0.0 else "not flipped"


def _placed(form: ClosedForm, q: Array) -> tuple[Array, Array]:
    """The points on the axes and their directions at q [6]."""
    rotation, point = np.eye(3), np.zeros(3)
    points, axes = [], []
    for h, step, value, slides in zip(
        form.axes.directions, form.axes.steps, q, form.axes.is_prismatic, strict=False
    ):
        point = point + rotation @ step
        points.append(point)
        axes.append(rotation @ h)
        if slides:
            point = point + value * axes[-1]
        else:
            rotation = rotation @ rotation_exp(value * h)
    return np.array(points), np.array(axes)
