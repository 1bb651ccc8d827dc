"""Computes the Denavit-Hartenberg rows of a chain in a model, in either convention."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from limbik.errors import ModelError
from limbik.model.canonical import LOCKED, CanonicalChain, canonical, euler_zxz
from limbik.model.chain import Chain, chain_to
from limbik.model.denavit_hartenberg import Convention, Row
from limbik.model.joints import JointKind
from limbik.model.model import Model
from limbik.spatial import Matrix4


def rows_of_chain(model: Model, frame: str | None, convention: Convention) -> list[Row]:
    """Rows from the world to a frame (default: the end effector); the last is fixed and has the frame's name,
    where no joint has it.

    Raises ModelError for ball and floating joints, for joints that follow others, and for a chain without
    joints.
    """
    name = model.end_effector if frame is None else frame
    _refuse_followers(model, name)
    chain = chain_to(model, name)
    if not chain.joints:
        raise ModelError(
            f"no joint moves the frame {name!r} of model {model.name!r}: there is no table of it"
        )
    form = canonical(chain).with_tool_in_rows()
    rows = _merged([*_rows_of_pose(form.base), *_rows(form, chain)])
    if convention == "modified":
        rows = _modified(rows)
    is_taken = any(row.name == name for row in rows[:-1])  # a link may be called as the joint that moves it
    return [*rows[:-1], replace(rows[-1], name=None if is_taken else name)]


def _refuse_followers(model: Model, frame: str) -> None:
    for joint in model.path(frame):
        if joint.mimic:
            raise ModelError(f"joint {joint.name!r} follows {joint.mimic.joint!r}, which no table can say")


def _rows(form: CanonicalChain, chain: Chain) -> list[Row]:
    """One row for each of the canonical form; locked ones are fixed."""
    rows = []
    for k, index in enumerate(form.joints):
        is_locked = index == LOCKED
        joint = None if is_locked else chain.joints[index]
        x = float(form.offset[k])
        rows.append(
            Row(
                name=joint.name if joint else None,
                kind=joint.kind if joint else JointKind.FIXED,
                theta=float(form.theta[k]) if form.is_prismatic[k] else x,
                d=x if form.is_prismatic[k] else float(form.d[k]),
                a=float(form.a[k]),
                alpha=math.atan2(form.sin_alpha[k], form.cos_alpha[k]),
                lower=joint.lower if joint else -math.inf,
                upper=joint.upper if joint else math.inf,
            )
        )
    return rows


def _rows_of_pose(pose: Matrix4) -> list[Row]:
    """Fixed rows, in the standard convention, that lead to a pose: first to its origin, then three
    rotations.
    """
    x, y, z = (float(number) for number in pose[:3, 3])
    toward = math.atan2(y, x)
    first, across, last = euler_zxz(pose[:3, :3])
    return [
        _fixed(theta=toward, d=z, a=math.hypot(x, y)),
        _fixed(theta=first - toward, alpha=across),
        _fixed(theta=last),
    ]


def _fixed(**geometry: float) -> Row:
    return Row(name=None, kind=JointKind.FIXED, **geometry)


def _merged(rows: Sequence[Row]) -> list[Row]:
    """The rows without those that only turn about and move along z: the next row does so too."""
    out: list[Row] = []
    for row in rows:
        while out and out[-1].kind is JointKind.FIXED and out[-1].a == 0.0 and out[-1].alpha == 0.0:
            before = out.pop()
            row = replace(row, theta=_within_turn(before.theta + row.theta), d=before.d + row.d)
        out.append(row)
    return out


def _within_turn(angle: float) -> float:
    return angle if abs(angle) <= math.pi else math.remainder(angle, 2.0 * math.pi)


def _modified(rows: Sequence[Row]) -> list[Row]:
    """The same chain in the modified convention: a and alpha move to the next row, at the end a fixed one."""
    ends = [(0.0, 0.0), *((row.a, row.alpha) for row in rows)]
    shifted = [replace(row, a=a, alpha=alpha) for row, (a, alpha) in zip(rows, ends, strict=False)]
    a, alpha = ends[-1]
    return shifted if a == 0.0 and alpha == 0.0 else [*shifted, _fixed(a=a, alpha=alpha)]
