"""Robots by name, each from a small data file beside this one that cites where its numbers come from.

A file has Denavit-Hartenberg rows, lengths in metres. With z the joint's axis and Rot, Trans about and along
an axis, a row of convention "standard" (Denavit & Hartenberg 1955) is Rot(z, theta) Trans(z, d) Trans(x, a)
Rot(x, alpha), one of convention "craig" (Craig 1986, "modified") is Rot(x, alpha) Trans(x, a) Rot(z, theta)
Trans(z, d).
"""

from __future__ import annotations

import functools
import importlib.resources
import math
import re
import tomllib
from typing import Any

import numpy as np

from limbik.errors import ModelError, did_you_mean
from limbik.model.build import planar_arm
from limbik.model.joints import Frame, Joint, JointKind
from limbik.model.model import Model
from limbik.spatial import Matrix4

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
    if name == "planar-N":
        raise ModelError("planar-N needs a number of links in place of N, for example 'planar-3'")
    if name not in presets():
        raise ModelError(f"there is no preset {name!r}; {did_you_mean(name, presets())}")
    text = (importlib.resources.files(__name__) / f"{name}.toml").read_text(encoding="utf-8")
    return _model(name, tomllib.loads(text))


def _model(name: str, data: dict[str, Any]) -> Model:
    joints = []
    pending = np.eye(4)  # from the link before to where the next row starts
    for k, row in enumerate(data["joints"]):
        before, after = _row(row, data["convention"])
        joints.append(
            Joint(
                name=row["name"],
                kind=JointKind.REVOLUTE,
                parent=f"link{k}" if k else "base",
                child=f"link{k + 1}",
                origin=pending @ before,
                lower=_angle(row, "lower"),
                upper=_angle(row, "upper"),
            )
        )
        pending = after
    frames = []
    for row in data["frames"]:
        pending = pending @ _screw_z(row.get("d", 0.0), row.get("theta_deg", 0.0))
        frames.append(Frame(name=row["name"], link=joints[-1].child, pose_link_frame=pending))
    return Model(name, joints, frames, end_effector=data["end_effector"])


def _row(row: dict[str, Any], convention: str) -> tuple[Matrix4, Matrix4]:
    """What a row puts before and after its joint's own rotation about z. (It commutes with the translation
    along z.)
    """
    along_x = _screw_x(row["a"], row["alpha_deg"])
    along_z = _screw_z(row["d"], row.get("theta_deg", 0.0))
    if convention == "craig":
        return along_x @ along_z, np.eye(4)
    return along_z, along_x


def _angle(row: dict[str, Any], key: str) -> float:
    return float(row[key]) if key in row else math.radians(row[f"{key}_deg"])


def _screw_x(length: float, degrees: float) -> Matrix4:
    c, s = _cos_sin(degrees)
    return np.array([[1.0, 0.0, 0.0, length], [0.0, c, -s, 0.0], [0.0, s, c, 0.0], [0.0, 0.0, 0.0, 1.0]])


def _screw_z(length: float, degrees: float) -> Matrix4:
    c, s = _cos_sin(degrees)
    return np.array([[c, -s, 0.0, 0.0], [s, c, 0.0, 0.0], [0.0, 0.0, 1.0, length], [0.0, 0.0, 0.0, 1.0]])


def _cos_sin(degrees: float) -> tuple[float, float]:
    """Exact for quarter turns."""
    quarters = {0.0: (1.0, 0.0), 90.0: (0.0, 1.0), 180.0: (-1.0, 0.0), 270.0: (0.0, -1.0)}
    angle = math.radians(degrees)
    return quarters.get(degrees % 360.0, (math.cos(angle), math.sin(angle)))
