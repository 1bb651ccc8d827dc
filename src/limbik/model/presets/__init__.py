"""Robots by name, each from a small data file beside this one that cites where its numbers come from.

A file has Denavit-Hartenberg rows, lengths in metres, see `limbik.model.denavit_hartenberg`; or, with
convention "origins", each joint's pose in the link before it: xyz [m], rpy_deg (rotations about the fixed
axes x, y, z, in this order, as in URDF) and its axis. Limits are lower_deg and upper_deg or, in radians,
lower and upper; a joint without them turns without end.
"""

from __future__ import annotations

import functools
import importlib.resources
import math
import re
import tomllib
from typing import Any

import numpy as np

from limbik.errors import ModelError, did_you_mean, is_one_of, shortened
from limbik.model.build import planar_arm
from limbik.model.denavit_hartenberg import Row, chain_of_rows
from limbik.model.joints import Frame, Joint, JointKind
from limbik.model.model import Model
from limbik.spatial import Matrix4, pose_from

_PLANAR = re.compile(r"planar-([1-9][0-9]{0,3})")


def presets() -> tuple[str, ...]:
    """The names that `load` knows. In "planar-N", N is the number of links, 1 to 9999."""
    files = importlib.resources.files(__name__).iterdir()
    return (
        "planar-N",
        *sorted(file.name.removesuffix(".toml") for file in files if file.name.endswith(".toml")),
    )


@functools.lru_cache(maxsize=64)
def load(name: str) -> Model:
    """The model of that name; see `presets`. "planar-3" is `planar_arm(3)`, links of 1 m without limits."""
    if match := _PLANAR.fullmatch(name) if isinstance(name, str) else None:
        return planar_arm(int(match[1]))
    if isinstance(name, str) and name.startswith("planar-"):
        needed = "planar-N needs a number of links for N, 1 to 9999, for example 'planar-3'"
        raise ModelError(f"{needed}; found {shortened(name)}")
    if not is_one_of(name, presets()):
        raise ModelError(f"there is no preset {shortened(name)}; {did_you_mean(name, presets())}")
    return _model(name, _data(name))


def preset_title(name: str) -> str:
    """The full name of a robot among `presets`, such as "Franka Emika Panda"."""
    return str(_data(name)["title"])


def _data(name: str) -> dict[str, Any]:
    text = (importlib.resources.files(__name__) / f"{name}.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


def _model(name: str, data: dict[str, Any]) -> Model:
    if data["convention"] == "origins":
        return _chain_of_origins(name, data)
    rows = [_row(data["base"], JointKind.FIXED)] if "base" in data else []
    rows += [_row(row, _kind(row)) for row in data["joints"]]
    rows += [_row(row, JointKind.FIXED) for row in data["frames"]]
    return chain_of_rows(name, rows, data["convention"], end_effector=data["end_effector"])


def _row(row: dict[str, Any], kind: JointKind) -> Row:
    lengths = {key: float(row.get(key, 0.0)) for key in ("d", "a")}
    angles = {key: math.radians(row.get(f"{key}_deg", 0.0)) for key in ("theta", "alpha")}
    lower, upper = _limits(row)
    return Row(name=row.get("name"), kind=kind, lower=lower, upper=upper, **lengths, **angles)


def _chain_of_origins(name: str, data: dict[str, Any]) -> Model:
    """From "base" over "link1", "link2", ..., as Denavit-Hartenberg rows have it; frames are on the last."""
    joints = []
    for k, row in enumerate(data["joints"]):
        lower, upper = _limits(row)
        joints.append(
            Joint(
                name=row["name"],
                kind=_kind(row),
                parent=f"link{k}" if k else "base",
                child=f"link{k + 1}",
                origin=_origin(row),
                axis=np.array(row["axis"], dtype=np.float64),
                lower=lower,
                upper=upper,
            )
        )
    frames = [
        Frame(name=row["name"], link=joints[-1].child, pose_link_frame=_origin(row)) for row in data["frames"]
    ]
    return Model(name, joints, frames, end_effector=data["end_effector"])


def _origin(row: dict[str, Any]) -> Matrix4:
    (cr, sr), (cp, sp), (cy, sy) = map(_cos_sin, row.get("rpy_deg", (0.0, 0.0, 0.0)))
    roll = np.array([[1.0, 0.0, 0.0], [0.0, cr, -sr], [0.0, sr, cr]])
    pitch = np.array([[cp, 0.0, sp], [0.0, 1.0, 0.0], [-sp, 0.0, cp]])
    yaw = np.array([[cy, -sy, 0.0], [sy, cy, 0.0], [0.0, 0.0, 1.0]])
    return pose_from(yaw @ pitch @ roll, row.get("xyz", (0.0, 0.0, 0.0)))


def _kind(row: dict[str, Any]) -> JointKind:
    return JointKind.REVOLUTE if {"lower", "lower_deg"} & set(row) else JointKind.CONTINUOUS


def _limits(row: dict[str, Any]) -> tuple[float, float]:
    if _kind(row) is JointKind.CONTINUOUS:
        return -math.inf, math.inf
    return _angle(row, "lower"), _angle(row, "upper")


def _cos_sin(degrees: float) -> tuple[float, float]:
    """Exact for multiples of pi/2."""
    quarters = {0.0: (1.0, 0.0), 90.0: (0.0, 1.0), 180.0: (-1.0, 0.0), 270.0: (0.0, -1.0)}
    angle = math.radians(degrees)
    return quarters.get(degrees % 360.0, (math.cos(angle), math.sin(angle)))


def _angle(row: dict[str, Any], key: str) -> float:
    return float(row[key]) if key in row else math.radians(row[f"{key}_deg"])
