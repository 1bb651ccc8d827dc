"""Describes an opened scene for the page (joints, limits, shapes, starts, frames, solvers that fit), and the
gallery of named robots.
"""

from __future__ import annotations

import functools
import math
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from limbik import solvers
from limbik.app.open_scene import Opened, OpenedArm
from limbik.app.protocol.space import OpenReply
from limbik.formats.end_effector import tips
from limbik.formats.visual import Visual
from limbik.goals import Position
from limbik.model import Frame, Joint, JointKind, Model
from limbik.spatial import Array

MAX_TIPS = 8
PICTURES = Path(__file__).parent / "static" / "robots"  # made by tools/robot_pictures.py

_SEGMENT = re.compile(r"(?P<part>.+)\.s(?P<index>\d+)")  # links of arms from .arm files


def described(opened: Opened, request_id: int) -> OpenReply:
    """The answer to the request that opened a scene."""
    numbers = {id(mesh): k for k, mesh in enumerate(opened.meshes)}
    return OpenReply(
        id=request_id,
        name=opened.scene.name,
        token=opened.token,
        angles=opened.angles,
        arms=[_arm(arm, opened.key, numbers) for arm in opened.arms],
        notes=opened.notes,
    )


def _arm(arm: OpenedArm, key: str, numbers: Mapping[int, int]) -> dict[str, Any]:
    model = arm.model
    able, reasons = _solvers(model)
    return {
        "name": arm.arm.name,
        "title": arm.title,
        "nq": model.nq,
        "nv": model.nv,
        "neutral": _list(model.neutral),
        "q": _list(arm.start),
        "lower": _list(model.lower),
        "upper": _list(model.upper),
        "reach": _finite(model.reach()),
        "mass_known": model.mass > 0.0,
        "end_effector": model.end_effector,
        "tips": list(_tips(arm)),
        "root": model.root,
        "joints": [_joint(model, joint) for joint in model.joints],
        "frames": [_frame(frame) for frame in model.frames],
        "visuals": [_visual(visual, key, numbers) for visual in arm.visuals],
        "segments": list(_segments(model)),
        "goals": [_goal(model, goal) for goal in arm.arm.goals if isinstance(goal, Position)],
        "branches": [{"name": branch.name, "tip": branch.tip} for branch in arm.arm.branches],
        "solvers": able,
        "reason": reasons,
    }


# --- parts of a model ---------------------------------------------------------------------------------------


def _joint(model: Model, joint: Joint) -> dict[str, Any]:
    mimic = joint.mimic
    limits = joint.euler
    return {
        "name": joint.name,
        "kind": joint.kind.value,
        "parent": joint.parent,
        "child": joint.child,
        "origin": _list(joint.origin),
        "axis": _list(joint.axis),
        "lower": _finite(joint.lower),
        "upper": _finite(joint.upper),
        "swing": joint.swing if joint.kind is JointKind.BALL and joint.swing < math.pi else None,
        "euler": None
        if limits is None
        else {"order": limits.order, "lower": list(limits.lower), "upper": list(limits.upper)},
        "q": model.q_slice(joint.name).start if joint.nq else -1,
        "mimic": None
        if mimic is None
        else {"joint": mimic.joint, "multiplier": mimic.multiplier, "offset": mimic.offset},
    }


def _frame(frame: Frame) -> dict[str, Any]:
    return {"name": frame.name, "link": frame.link, "pose": _list(frame.pose_link_frame)}


def _goal(model: Model, goal: Position) -> dict[str, Any]:
    frame = model.end_effector if goal.frame is None else goal.frame
    return {"frame": frame, "kind": "position", "position": _list(goal.target)}


def _tips(arm: OpenedArm) -> Iterator[str]:
    """Frames that goals are first thought of for: the end effector, then the ends of the other limbs, those
    with more joints before them first.
    """
    model = arm.model
    if arm.arm.branches:
        yield from dict.fromkeys((model.end_effector, *(branch.tip for branch in arm.arm.branches)))
        return
    yield model.end_effector
    mover = _mover(model, model.end_effector)
    ends = [tip for tip in tips(model.joints, model.root) if _mover(model, tip) != mover]
    yield from sorted(ends, key=lambda tip: -len(_moving(model, tip)))[: MAX_TIPS - 1]


def _mover(model: Model, frame: str) -> str | None:
    moving = _moving(model, frame)
    return moving[-1].name if moving else None


def _moving(model: Model, frame: str) -> list[Joint]:
    return [joint for joint in model.path(frame) if joint.kind is not JointKind.FIXED]


def _segments(model: Model) -> Iterator[dict[str, Any]]:
    """From link to link, for arms of an .arm file: their segments keep their colours by the index."""
    links = [joint.child for joint in model.joints]
    for link in links:
        if match := _SEGMENT.fullmatch(link):
            index = int(match["index"])
            following = f"{match['part']}.s{index + 1}"
            end = following if following in links else f"{match['part']}.tip"
            yield {"from": link, "to": end, "index": index}


# --- shapes -------------------------------------------------------------------------------------------------


def _visual(visual: Visual, key: str, numbers: Mapping[int, int]) -> dict[str, Any]:
    shown: dict[str, Any] = {
        "link": visual.link,
        "shape": visual.shape,
        "pose": _list(visual.pose_link_visual),
        "scale": list(visual.scale),
        "color": None if visual.color is None else list(visual.color),
    }
    if visual.mesh is not None:
        return {**shown, "url": f"/mesh/{key}/{numbers[id(visual.mesh)]}", "format": visual.mesh.format}
    if visual.shape == "box":
        return {**shown, "size": list(visual.size)}
    if visual.shape == "sphere":
        return {**shown, "radius": visual.size[0]}
    return {**shown, "radius": visual.size[0], "length": visual.size[1]}


# --- what solvers can do ------------------------------------------------------------------------------------


def _solvers(model: Model) -> tuple[list[str], dict[str, str]]:
    """The solvers that take a point for the end effector, and why the others do not."""
    point = Position(frame=model.end_effector, target=np.zeros(3))
    reasons = {
        name: why
        for name in solvers.names(compiled=True)
        if (why := solvers.refusal(model, point, solver=name)) is not None
    }
    return [name for name in solvers.names(compiled=True) if name not in reasons], reasons


# --- numbers ------------------------------------------------------------------------------------------------


def _list(array: Array) -> list[float | None]:
    """The numbers, infinite ones as None."""
    return [_finite(value) for value in array.ravel().tolist()]


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


@functools.cache
def robots() -> tuple[dict[str, Any], ...]:
    """The robots that have a name, for a gallery. `picture` is the address of one, or None."""
    from limbik.formats import registry

    return tuple(
        {
            "name": one.name,
            "title": one.title,
            "kind": one.kind,
            "aliases": one.aliases,
            "picture": _picture(one.name),
            "source": one.source,
            "installed": one.is_available,
            "advice": one.advice,
        }
        for one in registry.robots()
    )


def _picture(name: str) -> str | None:
    file = PICTURES / f"{name}.webp"
    return f"/static/robots/{file.name}" if file.is_file() else None
