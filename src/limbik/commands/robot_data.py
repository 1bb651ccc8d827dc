"""The data of `limbik info ROBOT`: joints, limits, frames, solvers."""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from limbik.all_solutions.solve_all import geometry
from limbik.errors import FormatWarning, LimbikError
from limbik.formats import load, registry, srdf
from limbik.model import Joint, Model
from limbik.model.wrist import Wrist, wrist_of


@dataclass(frozen=True, kw_only=True)
class Portrait:
    """A robot, and what is known of it besides its model."""

    title: str
    source: str  # "limbik", the package it comes from, or "" for a file
    path: Path | None  # of its description
    model: Model
    wrist: Wrist
    groups: dict[str, tuple[str, ...]] = field(default_factory=dict)  # joints by name of the group (SRDF)

    @property
    def all_solutions(self) -> str:
        """How every solution for a pose of the end effector is found."""
        return geometry(self.model)

    @staticmethod
    def of(robot: str, end_effector: str | None = None) -> Portrait:
        """The portrait of a robot by name or path. Raises what `limbik.load` raises."""
        model = load(robot, end_effector=end_effector)
        wrist = wrist_of(model)
        match = registry.find(robot)
        if match is None:
            path = None if robot.startswith("planar-") else Path(robot).expanduser()
            return Portrait(
                title=model.name,
                source="" if path else registry.BUILT_IN,
                path=path,
                model=model,
                wrist=wrist,
            )
        description = match.description
        if description is None:
            return Portrait(
                title=match.robot.title, source=registry.BUILT_IN, path=None, model=model, wrist=wrist
            )
        return Portrait(
            title=match.robot.title,
            source=description.package.name,
            path=description.path,
            model=model,
            wrist=wrist,
            groups=_groups(description.srdf, model),
        )

    def as_data(self) -> dict[str, Any]:
        """Numbers, texts, lists and dictionaries; None for what is infinite or not known."""
        model = self.model
        frames = model.frames[len(model.joints) + 1 :]
        return {
            "name": model.name,
            "title": self.title,
            "source": self.source or None,
            "path": str(self.path) if self.path else None,
            "nq": model.nq,
            "nv": model.nv,
            "root": model.root,
            "end_effector": model.end_effector,
            "reach": finite(model.reach()),
            "mass": model.mass or None,
            "wrist": {
                "kind": self.wrist.kind.value,
                "joints": list(self.wrist.joints),
                "miss": self.wrist.miss,
            },
            "all_solutions": self.all_solutions,
            "joints": [_joint(model, joint) for joint in model.joints],
            "frames": [{"name": frame.name, "link": frame.link} for frame in frames],
            "groups": {name: list(joints) for name, joints in self.groups.items()},
        }


def finite(value: float) -> float | None:
    """The number, or None for an infinite one."""
    return value if math.isfinite(value) else None


def _joint(model: Model, joint: Joint) -> dict[str, Any]:
    data: dict[str, Any] = {
        "name": joint.name,
        "kind": joint.kind.value,
        "parent": joint.parent,
        "child": joint.child,
        "q": list(range(model.nq)[model.q_slice(joint.name)]),
        "lower": finite(joint.lower),
        "upper": finite(joint.upper),
        "velocity": finite(joint.velocity),
        "acceleration": finite(joint.acceleration),
    }
    if joint.mimic:
        data["mimic"] = {
            "joint": joint.mimic.joint,
            "multiplier": joint.mimic.multiplier,
            "offset": joint.mimic.offset,
        }
    return data


def _groups(path: Path | None, model: Model) -> dict[str, tuple[str, ...]]:
    """The groups of an SRDF; for one with an error a warning, because the robot can be shown all the same."""
    if path is None:
        return {}
    try:
        known = srdf.read(path)
        return {name: known.joints(name, model) for name in known.groups}
    except LimbikError as error:
        warnings.warn(f"its groups are not shown: {error}", FormatWarning, stacklevel=2)
        return {}
