"""`Motion`: a model and its configurations over time; `load_motion` reads one from a file."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from os import PathLike
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal

import numpy as np

from limbik.errors import (
    ConfigurationError,
    FileOutputError,
    FormatError,
    LimbikError,
    ModelError,
    did_you_mean,
    is_one_of,
    mapping_of,
    members_of,
    shortened,
)
from limbik.formats import bvh, bvh_model, bvh_skeleton, gltf_file, gltf_model, gltf_skeleton, motion_csv
from limbik.formats.base_joint import Base
from limbik.formats.csv_rows import fits_a_cell
from limbik.formats.load import load
from limbik.formats.skeleton import Skeleton, skeleton_of
from limbik.formats.source import check_ending, open_source, write_text
from limbik.formats.table import is_csv
from limbik.formats.vrm import vrm_endings
from limbik.model import JointKind, Model
from limbik.model.joints import FARTHEST
from limbik.spatial import Array, as_number, as_numbers, norm

Unit = Literal["m", "cm", "mm", "inch"]
Up = Literal["x", "y", "z"]

METRES: Mapping[str, float] = MappingProxyType({"m": 1.0, "cm": 0.01, "mm": 0.001, "inch": 0.0254})
UNIT_LENGTH = 1e-3  # how far the length of a quaternion may be from 1

MARKERS = (
    "has markers, not joints: limbik.load_markers reads it, and `limbik motion solve` moves a skeleton by it"
)
OTHERS = {
    ".trc": MARKERS,
    ".c3d": MARKERS,
    ".fbx": "is FBX, which is not read: export BVH or glTF, as Blender, Maya and MotionBuilder can",
}


@dataclass(frozen=True, eq=False)
class Motion:
    """Configurations of a model at even steps of time.

    up: the axis of the world against gravity. A motion from BVH or glTF keeps what the file holds, so that it
    can be written again; `dataclasses.replace(motion, q=...)` keeps it, too.

    Raises ConfigurationError for arrays of another shape, numbers that are not finite, and quaternions whose
    length is not 1.
    """

    model: Model
    q: Array  # [T, nq], T at least 1
    dt: float  # [s] between frames
    up: Up = "z"
    hierarchy: tuple[bvh.BvhJoint, ...] | None = field(default=None, repr=False)  # of BVH
    metres: float = 0.01  # one unit of the BVH [m]
    scene: gltf_model.GltfScene | None = field(default=None, repr=False)  # of glTF
    roles: Mapping[str, str] | None = field(default=None, repr=False)  # of a VRM: the link of each bone

    def __post_init__(self) -> None:
        if not isinstance(self.model, Model):
            raise ModelError(f"model of a motion needs a Model, found {shortened(self.model)}")
        needed = f"numbers of shape [T, {self.model.nq}], T at least 1"
        q = as_numbers(self.q, "q", needed, ConfigurationError).copy()
        if q.ndim != 2 or q.shape[1] != self.model.nq or not len(q):
            raise ConfigurationError(f"q needs {needed}, found shape {q.shape}")
        is_good = np.abs(q) <= FARTHEST
        if not is_good.all():
            frame, index = (int(each) for each in np.argwhere(~is_good)[0])
            name = motion_csv.coordinate_names(self.model)[index]
            raise ConfigurationError(
                f"frame {frame}: {name!r} needs a finite number up to {FARTHEST:g}, found {q[frame, index]:g}"
            )
        _refuse_quaternions(self.model, q)
        dt = as_dt(self.dt)
        check_up(self.up)
        if self.roles is not None:
            self._check_roles()
        if self.scene is not None and not isinstance(self.scene, gltf_model.GltfScene):
            raise ConfigurationError(f"scene needs that of a glTF file, found {shortened(self.scene)}")
        if self.hierarchy is not None:
            joints = members_of(self.hierarchy, "hierarchy", ConfigurationError)
            if not joints or not all(isinstance(joint, bvh.BvhJoint) for joint in joints):
                said = f"hierarchy needs that of a BVH file, found {shortened(self.hierarchy)}"
                raise ConfigurationError(said)
        metres = _positive(
            self.metres, "metres", "the metres of one unit, a positive number", ConfigurationError
        )
        q.setflags(write=False)
        for name, value in (("q", q), ("dt", dt), ("metres", metres)):
            object.__setattr__(self, name, value)

    def _check_roles(self) -> None:
        links = mapping_of(self.roles, "roles", ConfigurationError, "links by the bones of VRM")
        names = self.model.frame_names
        for bone, link in links.items():
            if not (isinstance(bone, str) and is_one_of(link, names)):
                hint = did_you_mean(link, names)
                said = f"roles needs links by the bones of VRM, found {shortened({bone: link})}; {hint}"
                raise ConfigurationError(said)

    def __len__(self) -> int:
        """The number of frames."""
        return len(self.q)

    @property
    def duration(self) -> float:
        """From the first frame to the last [s]."""
        return (len(self) - 1) * self.dt

    @property
    def links(self) -> tuple[str, ...]:
        """The links that move; of BVH and glTF one for each joint, without those between its channels."""
        between = self.hierarchy is not None or self.scene is not None
        links = [joint.child for joint in self.model.joints]
        return tuple(link for link in links if not (between and bvh_model.is_between_channels(link)))

    def save(self, path: str | PathLike[str]) -> None:
        """Write a file, whose ending says the format: .bvh, .glb, .gltf, .vrm or .csv.

        A motion from BVH keeps the file's own offsets and channels in BVH, with values of 9 decimals, and one
        from glTF the whole file, meshes and all, with this motion (float32) instead of the animation. Any
        other motion becomes a skeleton of its links, y up: BVH in centimetres, or glTF with a mesh of bones.
        CSV has every bit of q.

        Raises FormatError for another ending, for VRM from a motion that was not read from it, for what the
        format cannot hold, and where the file cannot be written.
        """
        name = str(path)
        check_output(name)
        if not self.model.nq:
            raise FormatError(name, f"model {self.model.name!r} has no joints: there is no motion to write")
        if _ending(name) in gltf_file.ENDINGS:
            try:
                self._write_gltf(name)
            except OSError as error:
                raise FileOutputError(name, error) from None
            return
        if _ending(name) == ".csv":
            self._check_fits_csv(name)
        write_text(path, self._as_bvh() if _ending(name) == ".bvh" else self._as_csv())

    def _check_fits_csv(self, name: str) -> None:
        if len(self) < 2:
            raise FormatError(name, "CSV needs two frames, whose times say the step; .bvh and .glb take one")
        for column in motion_csv.coordinate_names(self.model):
            if not fits_a_cell(column):
                problem = f"CSV needs names of joints in one line, without blanks around, not {column!r}"
                raise FormatError(name, problem)
            if column == motion_csv.TIME:
                raise FormatError(
                    name, f"CSV has its times in the column {column!r}: no joint can be called so"
                )

    def _write_gltf(self, name: str) -> None:
        path, ending = Path(name).expanduser(), _ending(name)
        if ending in (".vrm", ".vrma") and (self.scene is None or ending not in vrm_endings(self.scene.file)):
            kind = ending[1:].upper()
            problem = f"only a motion that was read from {kind} can be written as {kind}"
            raise FormatError(name, f"{problem}; .glb takes every motion")
        if self.scene is not None:
            gltf_model.write(self.scene, self.model, self.q, self.dt, path)
        else:
            gltf_skeleton.write_skeleton(self._skeleton, self.dt, path)

    @property
    def _skeleton(self) -> Skeleton:
        return skeleton_of(self.model, self.q, self.up, self.links)

    def _as_bvh(self) -> str:
        if self.hierarchy is None:
            return bvh.write(bvh_skeleton.bvh_of(self._skeleton, self.dt))
        values = bvh_model.values_of(self.model, self.hierarchy, self.q, self.metres)
        return bvh.write(bvh.BvhFile(self.hierarchy, values, self.dt))

    def _as_csv(self) -> str:
        return motion_csv.write(self.model, self.q, self.dt)


def check_output(name: str) -> None:
    """Raise FormatError for a file whose ending is none that a motion is written in."""
    check_ending(name, ".bvh", *gltf_file.ENDINGS, ".csv")


def refuse_other_formats(file: str | PathLike[str]) -> None:
    """Raises FormatError, which says what helps, for files of formats that are known and not read here."""
    ending = _ending(str(file)) if isinstance(file, str | PathLike) else ""
    if ending in OTHERS:
        raise FormatError(str(file), OTHERS[ending])


def as_dt(value: object) -> float:
    """The time [s] between frames; anything else raises ConfigurationError."""
    needed = f"a number of seconds from {bvh.SHORTEST:g} to {bvh.LONGEST:g}"
    dt = as_number(value, "dt", needed, ConfigurationError)
    if not bvh.SHORTEST <= dt <= bvh.LONGEST:
        raise ConfigurationError(f"dt needs {needed}, found {dt:g}")
    return dt


def check_up(up: object) -> None:
    """Raise ConfigurationError for what is no axis."""
    if not is_one_of(up, ("x", "y", "z")):
        raise ConfigurationError(f"up needs 'x', 'y' or 'z', found {shortened(up)}")


def as_motion(value: object) -> Motion:
    """The motion that it is; anything else raises ModelError."""
    if not isinstance(value, Motion):
        raise ModelError(
            f"`motion` needs a Motion, such as limbik.load_motion returns, found {shortened(value)}"
        )
    return value


def load_motion(
    file: str | PathLike[str],
    *,
    model: Model | Motion | str | None = None,
    unit: Unit | float | None = None,
    up: Up | None = None,
    animation: str | int | None = None,
) -> Motion:
    """The motion in a file.

        limbik.load_motion("walk.bvh")
        limbik.load_motion("walk.csv", model="g1")
        limbik.load_motion("avatar.glb", animation="Walk")

    file: the path of a BVH, CSV or glTF file (.glb, .gltf, .vrm), or the text of one of the first two; told
    apart by what it holds.
    model: CSV only, and needed there: a model, the name or file of one, or a motion from BVH or glTF, whose
    file stays. A robot given by its name floats where the file has columns of its "root_joint".
    unit: BVH only: of the lengths in the file: "m", "cm", "mm" or "inch", or how many metres one is; default:
    "cm". BVH does not say it: a person 170 units high is in centimetres, one of 67 in inches.
    up: the axis of the world against gravity. Default: "y" for BVH and glTF, for CSV that of the motion
    given as model, otherwise "z".
    animation: glTF only: the name of an animation, or its number from 0. Needed where there are several.

    Of BVH, every channel is a joint of the model: "Hips.Zrotation" [rad], "Hips.Xposition" [m], and every
    joint's name is a frame. Position channels stand instead of the offset along their axes. Joints have no
    limits, which the format does not know. (`limbik.formats.bvh_model`)

    Of glTF, every joint of a skin is a ball joint, "Hips", and has sliding joints "Hips.Xposition" [m] and so
    on where it moves; q is counted from the rest of the file, which is the model's neutral configuration.
    Keys at even times are the frames; uneven ones are resampled as their interpolation says, 60 frames per
    second. A file without animation gives its rest, in one frame. (`limbik.formats.gltf_model`)

    Raises FormatError, which names file, line and joint, for a file that cannot be read, and ModelError where
    the model is missing.
    """
    metres = _metres("cm" if unit is None else unit)
    if up is not None:
        check_up(up)
    if gltf_file.is_gltf(file):
        if unit is not None:
            raise ModelError("a glTF file is in metres: leave out `unit`")
        if model is not None:
            raise ModelError("a glTF file has its own model: leave out `model`")
        return _of_gltf(str(file), animation, up or "y")
    if animation is not None:
        raise ModelError("`animation` is for glTF files, which may have several")
    refuse_other_formats(file)
    source = open_source(file)
    if bvh.is_bvh(source.text):
        if model is not None:
            raise ModelError("a BVH file has its own model: leave out `model`")
        return _of_bvh(source.name, bvh.read(source), metres, up or "y")
    if not is_csv(source.text) or (model is None and not motion_csv.has_times(source)):
        beginning = shortened(source.text.lstrip()[:60].partition("\n")[0])
        csv = f"CSV (the first line names the columns, {motion_csv.TIME!r} among them)"
        problem = f"expected BVH (begins with HIERARCHY), {csv} or glTF; found {beginning}"
        raise FormatError(source.name, problem, line=1)
    if unit is not None:
        raise ModelError("a motion from CSV is in metres: leave out `unit`")
    if model is None:
        raise ModelError("a motion from CSV needs `model`: the model whose joints its columns name")
    base: Base = "floating" if motion_csv.has_floating_base(source) else "fixed"
    like = load(model, base=base) if isinstance(model, str) else model
    if not isinstance(like, Model | Motion):
        raise ModelError(f"model needs a Model, a Motion or a name, found {shortened(model)}")
    own = like.model if isinstance(like, Motion) else like
    read = _of_file(source.name, own, *motion_csv.read(source, own), up or "z")
    return replace(like, q=read.q, dt=read.dt, up=up or like.up) if isinstance(like, Motion) else read


def _metres(unit: Unit | float) -> float:
    """The length of a unit [m]."""
    if isinstance(unit, str) and unit in METRES:
        return METRES[unit]
    needed = f"one of {', '.join(METRES)}, or a positive number of metres"
    return _positive(unit, "unit", needed, ModelError)


def _positive(value: object, name: str, needed: str, error: type[LimbikError]) -> float:
    number = as_number(value, name, needed, error)
    if not 0.0 < number < math.inf:
        raise error(f"{name} needs {needed}, found {number:g}")
    return number


def _of_bvh(name: str, file: bvh.BvhFile, metres: float, up: Up) -> Motion:
    if not len(file.values):
        raise FormatError(name, "has no frames, so there is no motion in it; at least 1 is needed")
    model = bvh_model.model_of(file.joints, metres, name)
    q = bvh_model.q_of(model, file.joints, file.values, metres)
    return _of_file(name, model, q, file.dt, up, file.joints, metres)


def _of_gltf(path: str, animation: str | int | None, up: Up) -> Motion:
    scene, roles = gltf_model.read_scene(path, animation)
    model = gltf_model.model_of(scene)
    q = gltf_model.q_of(scene, model)
    return _of_file(path, model, q, scene.dt, up, scene=scene, roles=roles or None)


def _of_file(name: str, *fields: Any, **others: Any) -> Motion:
    """The motion of these fields; raises FormatError, which names the file, for numbers that it refuses."""
    try:
        return Motion(*fields, **others)
    except ConfigurationError as error:
        raise FormatError(name, str(error)) from None


def _refuse_quaternions(model: Model, q: Array) -> None:
    for joint in model.joints:
        if joint.nq and joint.kind in (JointKind.BALL, JointKind.FLOATING):
            lengths = norm(q[:, model.q_slice(joint.name)][:, -4:])
            wrong = np.flatnonzero(np.abs(lengths - 1.0) > UNIT_LENGTH)
            if wrong.size:
                frame = int(wrong[0])
                raise ConfigurationError(
                    f"frame {frame}: the quaternion of joint {joint.name!r} needs the length 1, "
                    f"found {lengths[frame]:g}"
                )


def _ending(name: str) -> str:
    return Path(name).suffix.lower()
