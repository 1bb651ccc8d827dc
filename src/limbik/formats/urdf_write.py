"""Writes URDF from models: joints, limits, masses and collision shapes.

Frames that are no links become links on fixed joints. URDF has no ball joints: one is written as three
revolute joints NAME.x, NAME.y and NAME.z at one point, in the order of its Euler limits and with these; a
FormatWarning says so, and that limits of swing and twist are lost. A name that is taken has an underscore
behind it. A revolute joint without limits is continuous. A limit on one side only, and a prismatic joint
without limits, has 1e9 where there is none, which limbik reads as none: ROS needs a number. A model knows no
effort and inertia; they are 0, and so are velocities that it does not know.
"""

from __future__ import annotations

import dataclasses
import math
import re
import warnings
from collections.abc import Iterator, Mapping

import numpy as np

from limbik.errors import FormatWarning, ModelError, listed, mapping_of, shortened
from limbik.formats.base_joint import WORLD
from limbik.model import Frame, Joint, JointKind, Mass, Mimic, Model
from limbik.model.euler import EulerLimits
from limbik.model.joints import FARTHEST
from limbik.model.model import as_model
from limbik.model.shapes import Box, Capsule, Cylinder, LinkShape, Mesh, Shape, Sphere
from limbik.spatial import Array, Matrix3, Matrix4

_NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def write(models: Model | Mapping[str, Model], name: str | None = None) -> str:
    """The URDF text of a model, or of several that stand beside each other.

    models: by what is put before their names, with a dot, where two models have the same ones. name: of the
    robot; default: that of the first model.

    Several models share a link "world": it is their own root if that has this name, else the parent of it.
    Raises ModelError for names that XML cannot hold, or xacro reads as something else.
    """
    if isinstance(models, Model):
        models = {models.name: models}
    needed = "a model, or models by what is put before their names"
    models = {key: as_model(each) for key, each in mapping_of(models, "models", ModelError, needed).items()}
    if not models:
        raise ModelError("a URDF needs at least one model, found none")
    model = _one_model(models, name or next(iter(models.values())).name)
    masses = _masses(model)
    shapes = _collisions(model)
    links = [model.root, *(joint.child for joint in model.joints)]
    lines = [
        '<?xml version="1.0" encoding="utf-8"?>',
        "<!-- Written by limbik. What is not known is 0: effort, inertia, some velocities. -->",
        f"<robot name={_quoted(model.name)}>",
        *(line for link in links for line in _link(link, masses.get(link), shapes.get(link, []))),
        *(line for joint in model.joints for line in _joint(joint)),
        "</robot>",
    ]
    return "\n".join(lines) + "\n"


# --- one model of revolute, prismatic, fixed and floating joints --------------------------------------------


def _one_model(models: Mapping[str, Model], name: str) -> Model:
    """All models as one, whose frames are links and whose ball joints are revolute joints."""
    root = next(iter(models.values())).root if len(models) == 1 else WORLD
    clashing = _clashing(models, root)
    stands: list[str] = []
    joints: list[Joint] = []
    frames: list[Frame] = []
    masses: list[Mass] = []
    shapes: list[LinkShape] = []
    for key, model in models.items():
        is_at_root = model.root == root
        rename = _Renaming(f"{key}." if key in clashing else "", root if is_at_root else None)
        stands += [] if is_at_root else [rename.link(model.root)]
        joints += map(rename.joint, model.joints)
        frames += map(rename.frame, model.frames[len(model.joints) + 1 :])
        masses += [dataclasses.replace(mass, link=rename.link(mass.link)) for mass in model.masses]
        shapes += [dataclasses.replace(shape, link=rename.link(shape.link)) for shape in model.shapes]
    taken = {root, *stands}
    taken.update(name for joint in joints for name in (joint.name, joint.child))
    taken.update(frame.name for frame in frames)
    standing = [_fixed(_free(f"{stand}.stand", taken), root, stand) for stand in stands]
    revolute = [each for joint in joints for each in _without_ball(joint, taken)]
    on_links = [
        _fixed(_free(f"{frame.name}.fixed", taken), frame.link, frame.name, frame.pose_link_frame)
        for frame in frames
    ]
    return Model(name, [*standing, *revolute, *on_links], masses=masses, shapes=shapes, root=root)


def _clashing(models: Mapping[str, Model], root: str) -> set[str]:
    """The keys of models with a name that another one has too, or an inner link called as the common root."""
    used: dict[str, set[str | None]] = {root: {None}}
    for key, model in models.items():
        own = {model.root} if model.root == root else set()
        for name in {*model.joint_names, *model.frame_names} - own:
            used.setdefault(name, set()).add(key)
    return {key for keys in used.values() if len(keys) > 1 for key in keys if key is not None}


def _free(name: str, taken: set[str]) -> str:
    """The name, with as many underscores behind it as make it one that is not taken; it then is."""
    while name in taken:
        name += "_"
    taken.add(name)
    return name


@dataclasses.dataclass(frozen=True)
class _Renaming:
    """Puts a prefix before every name but that of the common root, where the model has it."""

    prefix: str
    root: str | None

    def link(self, name: str) -> str:
        return name if name == self.root else self.prefix + name

    def joint(self, joint: Joint) -> Joint:
        mimic = joint.mimic
        return dataclasses.replace(
            joint,
            name=self.prefix + joint.name,
            parent=self.link(joint.parent),
            child=self.link(joint.child),
            mimic=mimic and dataclasses.replace(mimic, joint=self.prefix + mimic.joint),
        )

    def frame(self, frame: Frame) -> Frame:
        return dataclasses.replace(frame, name=self.prefix + frame.name, link=self.link(frame.link))


def _fixed(name: str, parent: str, child: str, origin: Matrix4 | None = None) -> Joint:
    pose = np.eye(4) if origin is None else origin
    return Joint(name=name, kind=JointKind.FIXED, parent=parent, child=child, origin=pose)


def _without_ball(joint: Joint, taken: set[str]) -> Iterator[Joint]:
    """The joint, or three revolute joints instead of a ball joint."""
    if joint.kind is not JointKind.BALL:
        yield joint
        return
    euler = joint.euler or EulerLimits()
    lost = ", without its limits of swing and twist" if joint.has_limits and not joint.euler else ""
    note = f"ball joint {joint.name!r} is written as three hinges{lost}: URDF has no ball joints"
    warnings.warn(note, FormatWarning, stacklevel=6)
    names = [_free(f"{joint.name}.{axis.lower()}", taken) for axis in euler.order]
    links = [joint.parent, *names[:2], joint.child]
    for k, (name, lower, upper) in enumerate(zip(names, euler.lower, euler.upper, strict=True)):
        is_free = upper - lower >= 2.0 * math.pi
        yield Joint(
            name=name,
            kind=JointKind.CONTINUOUS if is_free else JointKind.REVOLUTE,
            parent=links[k],
            child=links[k + 1],
            origin=np.eye(4) if k else joint.origin,
            axis=np.eye(3)[euler.axes[k]],
            lower=-math.inf if is_free else lower,
            upper=math.inf if is_free else upper,
        )


def _masses(model: Model) -> dict[str, tuple[float, Array]]:
    """Mass [kg] and its center [3, m] for each link that has some."""
    masses: dict[str, tuple[float, Array]] = {}
    for mass in model.masses:
        before, center = masses.get(mass.link, (0.0, np.zeros(3)))
        total = before + mass.mass
        fraction = mass.mass / total if total > 0.0 else 0.0
        masses[mass.link] = total, center + fraction * (mass.center - center)
    return masses


# --- text ---------------------------------------------------------------------------------------------------


def _link(name: str, mass: tuple[float, Array] | None, shapes: list[str]) -> Iterator[str]:
    if mass is None and not shapes:
        yield f"  <link name={_quoted(name)}/>"
        return
    yield f"  <link name={_quoted(name)}>"
    if mass is not None:
        yield "    <inertial>"
        yield f'      <origin xyz="{_numbers(mass[1])}"/>'
        yield f'      <mass value="{_numbers([mass[0]])}"/>'
        yield '      <inertia ixx="0" ixy="0" ixz="0" iyy="0" iyz="0" izz="0"/>'
        yield "    </inertial>"
    yield from shapes
    yield "  </link>"


def _collisions(model: Model) -> dict[str, list[str]]:
    """The lines of the <collision>s of each link that has some."""
    names: dict[str, list[str]] = {}
    lost: dict[str, None] = {}
    for shape in model.shapes:
        geometry = _geometry(shape.shape)
        if geometry is None:
            lost[shape.link] = None
            continue
        names.setdefault(shape.link, []).extend(
            [
                "    <collision>",
                f"      {_origin(shape.pose_link_shape)}",
                f"      <geometry>{geometry}</geometry>",
                "    </collision>",
            ]
        )
    if held := [repr(shape.name) for shape in model.shapes if shape.is_attached]:
        note = f"{listed(held, limit=3)} is written as a shape of its link: URDF has nothing that is attached"
        warnings.warn(note, FormatWarning, stacklevel=4)
    if lost:
        named = listed([repr(link) for link in lost], limit=3)
        note = f"shapes of {named} are not written: URDF has meshes in files, boxes, cylinders and spheres"
        warnings.warn(note, FormatWarning, stacklevel=4)
    return names


def _geometry(shape: Shape) -> str | None:
    """The element; None for what URDF has none for. Capsules are written as several programs read them."""
    if isinstance(shape, Box):
        return f'<box size="{_numbers(shape.size)}"/>'
    if isinstance(shape, Sphere):
        return f'<sphere radius="{_numbers([shape.radius])}"/>'
    if isinstance(shape, Cylinder | Capsule):
        tag = "cylinder" if isinstance(shape, Cylinder) else "capsule"
        return f'<{tag} radius="{_numbers([shape.radius])}" length="{_numbers([shape.length])}"/>'
    if isinstance(shape, Mesh) and shape.path is not None:
        return f'<mesh filename={_quoted(shape.address)} scale="{_numbers(shape.scale)}"/>'
    return None


def _joint(joint: Joint) -> Iterator[str]:
    if joint.kind is JointKind.REVOLUTE and not joint.has_limits:
        joint = dataclasses.replace(joint, kind=JointKind.CONTINUOUS)
    yield f'  <joint name={_quoted(joint.name)} type="{joint.kind.value}">'
    yield f"    <parent link={_quoted(joint.parent)}/>"
    yield f"    <child link={_quoted(joint.child)}/>"
    if not np.array_equal(joint.origin, np.eye(4)):
        yield f"    {_origin(joint.origin)}"
    if joint.kind in (JointKind.REVOLUTE, JointKind.CONTINUOUS, JointKind.PRISMATIC):
        yield f'    <axis xyz="{_numbers(joint.axis)}"/>'
    if joint.kind in (JointKind.REVOLUTE, JointKind.PRISMATIC):
        lower, upper = (_numbers([np.clip(each, -FARTHEST, FARTHEST)]) for each in (joint.lower, joint.upper))
        yield f'    <limit lower="{lower}" upper="{upper}" effort="0" {_rates(joint)}/>'
    elif math.isfinite(min(joint.velocity, joint.acceleration)):
        yield f'    <limit effort="0" {_rates(joint)}/>'
    if joint.mimic is not None:
        yield f"    {_mimic(joint.mimic)}"
    yield "  </joint>"


def _rates(joint: Joint) -> str:
    known = {"velocity": joint.velocity if math.isfinite(joint.velocity) else 0.0}
    if math.isfinite(joint.acceleration):
        known["acceleration"] = joint.acceleration
    return " ".join(f'{name}="{_numbers([value])}"' for name, value in known.items())


def _origin(pose: Matrix4) -> str:
    rpy = _numbers(_roll_pitch_yaw(pose[:3, :3]))
    return f'<origin xyz="{_numbers(pose[:3, 3])}" rpy="{rpy}"/>'


def _mimic(mimic: Mimic) -> str:
    numbers = f'multiplier="{_numbers([mimic.multiplier])}" offset="{_numbers([mimic.offset])}"'
    return f"<mimic joint={_quoted(mimic.joint)} {numbers}/>"


def _roll_pitch_yaw(rotation: Matrix3) -> tuple[float, float, float]:
    """Rotations about the fixed axes x, y and z, in this order. One after the other, so that each takes up
    what rounding left of the ones before where two axes nearly coincide.
    """
    yaw = math.atan2(rotation[1, 0], rotation[0, 0])
    c, s = math.cos(yaw), math.sin(yaw)
    left = np.array([[c, s, 0.0], [-s, c, 0.0], [0.0, 0.0, 1.0]]) @ rotation
    return math.atan2(-left[1, 2], left[1, 1]), math.atan2(-left[2, 0], left[0, 0]), yaw


def _numbers(values: Array | list[float] | tuple[float, ...]) -> str:
    return " ".join(repr(float(value) + 0.0).removesuffix(".0") for value in values)  # never -0


def _quoted(name: str) -> str:
    if _NOT_IN_XML.search(name):
        raise ModelError(f"the name {shortened(name)} cannot be written as XML: it has a control character")
    if "${" in name or "$(" in name:
        raise ModelError(
            f"the name {shortened(name)} cannot be written as URDF: to xacro it is an expression"
        )
    from xml.sax.saxutils import quoteattr  # which brings a client for the web along

    return str(quoteattr(name))
