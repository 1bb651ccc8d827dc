"""`load`: a robot by name, from a file, or from a text, whatever its format."""

from __future__ import annotations

import functools
import os
import re
import warnings
from os import PathLike
from pathlib import Path

from limbik.errors import FormatError, FormatWarning, LimbikError, ModelError, did_you_mean, shortened
from limbik.formats import registry
from limbik.formats.base_joint import Base, based
from limbik.formats.source import ENDINGS, Source, SourceLike, is_text, open_source
from limbik.model import Model
from limbik.model.model import PartsRead
from limbik.model.presets import load as load_preset

_KNOWN = "a URDF, xacro, MJCF, .arm or table of Denavit-Hartenberg parameters"
_STRANGERS = {
    "sdf": "SDF, the format of Gazebo",
    "COLLADA": "a mesh",
    "mujocoinclude": "a part of an MJCF; load the file that includes it",
}


def load(
    source: SourceLike,
    *,
    base: Base = "fixed",
    end_effector: str | None = None,
    srdf: SourceLike | None = None,
) -> Model:
    """The model of a robot.

        limbik.load("panda")
        limbik.load("~/robots/go2.urdf", base="floating")
        limbik.load("arm.xml", end_effector="gripper")

    source: a name (see `presets`), the path of a file, the text of one (a str that has more than one line or
    begins with "<"), or a `Source`, which may list the only files that are read besides. URDF, xacro, MJCF,
    .arm files of one arm and tables of Denavit-Hartenberg parameters are told apart by what they hold.
    base: "fixed", "floating" (a joint "root_joint" moves the robot freely from a link "world") or "planar"
    (it slides along x and y and turns about z: "root_joint.x", "root_joint.y", "root_joint"). A floating
    base that the file itself has stays.
    end_effector: name of the frame that goals mean when they name none; each format's reader says its
    default.
    srdf: path or text of an SRDF, whose disabled pairs of links are not looked at for collisions. Without it
    one is taken that is there for the robot: of a robot by name in its package, of a file `arm.urdf` the
    `arm.srdf` in the same folder or in the folder `srdf` beside it; of links that the robot does not have
    nothing is taken.

    A xacro file is a program, which is run: load only those that you trust (`limbik.formats.xacro`).

    Raises ModelError for an unknown name, FormatError, which names file, line and element, for a file that
    cannot be read, and MissingExtra where a format needs a library that is not installed.
    """
    if not isinstance(source, str | PathLike | Source):
        raise ModelError(f"source needs a name, a path or a text, found {shortened(source)}")
    model = _by_name(source, srdf is None) if isinstance(source, str) and not is_text(source) else None
    beside = None
    if model is None:
        opened = open_source(source)
        model, beside = read(opened), srdf_beside(opened.path)
    model = based(model, base, end_effector)
    if srdf is None:
        return model if beside is None else _with_srdf(model, beside)
    from limbik.formats.collision_parts import rules_of

    return model.with_shapes(pair_rules=(*model.pair_rules, *rules_of(srdf, model)))


def _by_name(name: str, takes_srdf: bool) -> Model | None:
    """The robot of that name; None if the name is that of a file."""
    if not name.strip():
        raise ModelError(f"source needs a name, a path or a text, found {name!r}")
    if re.fullmatch(r"planar-\w+", name):
        return load_preset(name)
    if match := registry.find(name):
        return _registered(match, takes_srdf)
    is_path = Path(name).suffix.lower() in ENDINGS or "/" in name or "\\" in name
    if is_path or os.path.exists(name):  # Path.exists raises for texts too long for a path
        return None
    known = ("planar-N", *registry.names())
    raise ModelError(f"there is no robot and no file {shortened(name)}; {did_you_mean(name, known)}")


def _registered(match: registry.RegistryMatch, takes_srdf: bool) -> Model:
    """The robot; what collides of it and its SRDF are looked for when they are first requested."""
    if match.description is None:
        return _preset(match.robot, takes_srdf)
    description = match.description
    model = _described(description)
    return model if description.srdf is None or not takes_srdf else _with_srdf(model, description.srdf)


def srdf_beside(path: Path | None) -> Path | None:
    """Path of the SRDF of a description file, in the folders that ROS packages use; None without one."""
    if path is None:
        return None
    name = path.name.removesuffix(".xacro").removesuffix(".urdf") + ".srdf"
    beside = path.parent / name, path.parent.parent / "srdf" / name
    return next((each for each in beside if each != path and each.is_file()), None)


def _with_srdf(model: Model, path: Path) -> Model:
    """The model with the rules of an SRDF, which is read at the first collision query."""

    def parts() -> PartsRead:
        from limbik.formats.collision_parts import known_rules

        return model.shapes, (*model.pair_rules, *known_rules(path, model.frame_names))

    return model.with_shapes_found_by(parts)


@functools.cache
def _preset(robot: registry.RegisteredRobot, takes_srdf: bool) -> Model:
    preset = load_preset(robot.name)
    return preset.with_shapes_found_by(lambda: _parts_of_preset(preset, robot, takes_srdf))


def _described(description: registry.Description) -> Model:
    path = description.path
    assert path is not None, "only called for what is installed"
    return based(read(open_source(path)), end_effector=description.end_effector)


def _parts_of_preset(preset: Model, robot: registry.RegisteredRobot, takes_srdf: bool) -> PartsRead:
    """Of the first installed description; none where there is none, or it does not move as the preset."""
    from limbik.formats.collision_parts import preset_parts

    description = robot.installed
    if description is None:
        return (), ()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FormatWarning)  # about its joints: those of the preset count
            shapes, rules = preset_parts(preset, _described(description), description)
    except LimbikError:  # the preset moves all the same
        return (), ()
    return shapes, rules if takes_srdf else ()


def read(source: Source) -> Model:
    """The model that a description holds, whatever its format.

    Of a source that lists its files nothing else is opened, so xacro, which can open what it likes, is
    refused.
    """
    from limbik.formats import arm, dh, elements, mjcf, urdf, xacro

    if arm.is_arm(source.text) or (source.path and source.path.suffix.lower() == ".arm"):
        return _one_arm(source)
    if not source.text.lstrip("\ufeff \t\r\n").startswith("<"):
        if dh.is_table(source.text):
            return dh.read(source)
        raise FormatError(source.name, f"expected {_KNOWN}, found {_beginning(source.text)}")
    root = elements.parse(source)
    if root.tag == "mujoco":
        return mjcf.read(source)
    if root.tag == "robot":
        if not urdf.is_xacro(root):
            return urdf.from_element(root, source)
        if source.files is not None:
            raise root.error("this is xacro, a program that is not run here; process it, and open the URDF")
        return xacro.read(source)
    stranger = f", {_STRANGERS[root.tag]}" if root.tag in _STRANGERS else ""
    raise root.error(f"expected {_KNOWN}, found <{root.tag}>{stranger}")


def _one_arm(source: Source) -> Model:
    from limbik.formats import arm
    from limbik.formats.arm.model import model_of

    file = arm.read(source)
    if len(file.arms) > 1:
        raise FormatError(source.name, f"holds {len(file.arms)} arms; limbik.load_scene reads them all")
    return model_of(file.arms[0], file.name, file.angles)


def _beginning(text: str) -> str:
    return shortened(text.strip().split("\n")[0]) if text.strip() else "nothing"
