"""Names of arms' geometries and of their branches: shoulder left, elbow up, wrist flipped."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np

from limbik.analytic.added_joints import JOINTS, WRIST
from limbik.analytic.axes import Axes
from limbik.analytic.closed_form import ClosedForm, Family
from limbik.analytic.points import PointForm
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

OPPOSITE = -0.1  # cosine below which an axis points down, or against another: never decided by rounding

Side: TypeAlias = Callable[[Array, Array], float]  # of the points on the axes and their directions, placed


@dataclass(frozen=True)
class _Choice:
    """Two solutions of one equation of a closed form. `side` has the sign of the equation's derivative by the
    joint that it is solved for: it is a factor of the Jacobian's determinant, so that it changes in singular
    configurations alone.
    """

    part: str
    words: tuple[str, str]  # where `side` is positive, and negative
    side: Side
    joints: tuple[int, ...] = (0, 1, 2)  # those that differ


def _before(first: int, second: int, wrist: int = WRIST) -> Side:
    """Side of the plane through axis `first`, parallel to axis `second`, on which the wrist center lies."""
    return lambda P, a: float(np.cross(a[first], a[second]) @ (P[wrist] - P[first]))


def _bend(first: int, second: int, about: int) -> Side:
    """Direction in which two links are bent: between two axes, and from `second` to the wrist center."""
    return lambda P, a: float((P[second] - P[first]) @ np.cross(a[about], P[WRIST] - P[second]))


def _rise(along: int, about: int) -> Side:
    """Velocity of the wrist center along an axis as it rotates about another one."""
    return lambda P, a: float(a[along] @ np.cross(a[about], P[WRIST] - P[about]))


def _reach(along: int, start: int) -> Side:
    """Distance of the wrist center from the point `start`, along an axis."""
    return lambda P, a: float(a[along] @ (P[WRIST] - P[start]))


def _across_slides(axis: int, slides: tuple[int, int]) -> Side:
    """Side of an axis, as seen across both slides, on which the wrist center lies."""
    i, j = slides
    return lambda P, a: float(np.cross(a[axis], np.cross(a[i], a[j])) @ (P[WRIST] - P[axis]))


def _between_slides(P: Array, a: Array) -> float:
    """Component of the wrist center's velocity by the middle joint that no slide has."""
    return float(np.cross(a[0], np.cross(a[1], P[WRIST] - P[1])) @ a[2])


def _flip(first: int) -> Side:
    """Side of axis `first` to which the last axis is rotated."""
    return lambda P, a: float(np.cross(a[first], a[5]) @ a[4])


_SHOULDER, _ELBOW, _SLIDE, _WRIST = "shoulder", "elbow", "slide", "wrist"
_LEFT, _UP, _OUT, _FLIPPED = ("left", "right"), ("up", "down"), ("out", "in"), ("not flipped", "flipped")


def _shoulder_and_elbow(wrist: int = WRIST) -> tuple[_Choice, ...]:
    """The elbow is up where it is above the line from the shoulder to a wrist before the first axis,
    whichever ends of the axes a description calls positive.
    """
    side, bend = _before(0, 1, wrist), _bend(1, 2, about=2)

    def up(P: Array, a: Array) -> float:
        is_opposite = (a[0][2] < OPPOSITE) != (a[1] @ a[2] < OPPOSITE)  # the same for all configurations
        return -side(P, a) * bend(P, a) if is_opposite else side(P, a) * bend(P, a)

    return _Choice(_SHOULDER, _LEFT, side), _Choice(_ELBOW, _UP, up, (1, 2))


def _with_slide(part: str, side: Side, out: Side) -> tuple[_Choice, ...]:
    return _Choice(part, _LEFT, side), _Choice(_SLIDE, _OUT, out)


def _one(side: Side, joints: tuple[int, ...] = (0, 1, 2)) -> tuple[_Choice, ...]:
    return (_Choice(_ELBOW, _LEFT, side, joints),)


# What `families` and `slides` choose of the first three joints.
_CHOICES: dict[Family, tuple[_Choice, ...]] = {
    Family.PARALLEL_2_3: _shoulder_and_elbow(),
    Family.MEETING_1_2: _shoulder_and_elbow(),
    Family.THREE_PARALLEL: _shoulder_and_elbow(wrist=4),
    Family.PARALLEL_1_2: (
        _Choice(_SHOULDER, _LEFT, _bend(0, 1, about=1), (0, 1)),
        _Choice(_ELBOW, _UP, _rise(0, 2)),
    ),
    Family.MEETING_2_3: (
        _Choice(_SHOULDER, _LEFT, _bend(0, 1, about=0)),
        _Choice(_ELBOW, _UP, _rise(1, 2), (1, 2)),
    ),
    Family.RRP_PARALLEL: _one(_bend(0, 1, about=1), (0, 1)),
    Family.RRP_ACROSS: _with_slide(_SHOULDER, _before(0, 1), _reach(2, 1)),
    Family.RRP_MEETING: _with_slide(_SHOULDER, _before(0, 1), _reach(2, 1)),
    Family.RPR_PARALLEL: _one(_bend(0, 2, about=2), (0, 2)),
    Family.RPR_ACROSS: _with_slide(_SHOULDER, _before(0, 2), _reach(1, 2)),
    Family.ACROSS_RPR: _with_slide(_ELBOW, _before(2, 0), _reach(1, 0)),
    Family.RPR_ALONG: (
        _Choice(_SHOULDER, _LEFT, _rise(0, 2)),
        _Choice(_ELBOW, _UP, _reach(0, 2)),
    ),
    Family.ALONG_RPR: (
        _Choice(_SHOULDER, _LEFT, _rise(2, 0)),
        _Choice(_ELBOW, _UP, _reach(2, 0)),
    ),
    Family.PRR_PARALLEL: _one(_bend(1, 2, about=2), (1, 2)),
    Family.PRR_ACROSS: _with_slide(_ELBOW, _before(2, 1), _reach(0, 1)),
    Family.PRR_MEETING: _with_slide(_ELBOW, _before(2, 1), _reach(0, 1)),
    Family.RPP: (_Choice(_SHOULDER, _LEFT, _across_slides(0, (1, 2))),),
    Family.PRP: _one(_between_slides),
    Family.PPR: _one(_across_slides(2, (0, 1))),
    Family.PPP: (),
}


def in_words(form: ClosedForm) -> str:
    """What is special about the axes: "spherical wrist (axes 4, 5 and 6 meet), axes 2 and 3 parallel"."""
    numbers = [index + 1 for index in form.indices]
    if form.family is Family.THREE_PARALLEL:
        three = "axes {}, {} and {} parallel".format(*sorted(numbers[1:4]))
        return three if form.count < JOINTS else f"{three}, {_INTERSECTING.format(*sorted(numbers[4:]))}"
    arm_part = _arm_part_in_words(form, numbers)
    parts = [_wrist_in_words(form), arm_part, "" if "sliding" in arm_part else _slides_in_words(form)]
    return ", ".join(part for part in parts if part) or _COUNTS[form.count - 1]


def _wrist_in_words(form: ClosedForm) -> str:
    numbers = sorted(index + 1 for index in form.indices[-WRIST:] if index < form.count)
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
    own = [index for index, is_slide in zip(form.indices, slides, strict=True) if is_slide]
    numbers = [str(index + 1) for index in sorted(own) if index < form.count]
    if not numbers:
        return ""
    if len(numbers) == 1:
        return f"joint {numbers[0]} prismatic"
    return f"joints {', '.join(numbers[:-1])} and {numbers[-1]} prismatic"


def branch_names(form: ClosedForm | PointForm, q: Array) -> tuple[str, ...]:
    """The branches of configurations q [k, n]; numbers where the form has one branch.

    No two regular configurations for one pose have the same name, and a path of an arm of six joints (of
    three, for a point) keeps its name until it meets a singular configuration.
    """
    choices = [choice for choice in _choices(form) if _is_open(form, choice)]
    if not choices:
        return tuple(f"solution {k + 1}" for k in range(len(q)))
    return tuple(_branch_name(form, choices, each) for each in q)


def _is_open(form: ClosedForm | PointForm, choice: _Choice) -> bool:
    """Whether both solutions of a choice may be configurations of the arm.

    Added joints of its form stand still: two joints of its own may make up for those that would move.
    """
    own = sum(form.indices[k] < form.count for k in choice.joints)
    return own == len(choice.joints) or (own > 1 and isinstance(form, ClosedForm))


def _choices(form: ClosedForm | PointForm) -> tuple[_Choice, ...]:
    """Those of a closed form, from the base of the arm."""
    if isinstance(form, PointForm):
        return _CHOICES[form.family]
    if form.family is Family.THREE_PARALLEL:
        wrist = _Choice(_WRIST, _FLIPPED, _flip(1), (0, 1, 2, 3, 4, 5))
    else:
        wrist = _Choice(_WRIST, _FLIPPED, _flip(3), (3, 4, 5))
    choices = (*_CHOICES[form.family], wrist)
    if not form.is_backwards:
        return choices
    swapped = {_SHOULDER: _WRIST, _WRIST: _SHOULDER}
    return tuple(replace(each, part=swapped.get(each.part, each.part)) for each in choices[::-1])


def _branch_name(form: ClosedForm | PointForm, choices: list[_Choice], q: Array) -> str:
    still = np.zeros(len(form.indices) - form.count)
    points, axes = _placed(form.axes, np.append(q, still)[list(form.indices)])
    words = (choice.words[0] if choice.side(points, axes) > 0.0 else choice.words[1] for choice in choices)
    return ", ".join(f"{choice.part} {word}" for choice, word in zip(choices, words, strict=True))


def _placed(arm: Axes, q: Array) -> tuple[Array, Array]:
    """The points on the axes [n + 1, 3], with the tool's, and their directions [n, 3] at q [n]."""
    rotation, point = np.eye(3), np.zeros(3)
    points, axes = [], []
    for h, step, value, slides in zip(arm.directions, arm.steps, q, arm.is_prismatic, strict=False):
        point = point + rotation @ step
        points.append(point)
        axes.append(rotation @ h)
        if slides:
            point = point + value * axes[-1]
        else:
            rotation = rotation @ rotation_exp(value * h)
    return np.array([*points, point + rotation @ arm.steps[-1]]), np.array(axes)
