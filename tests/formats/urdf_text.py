"""URDF texts of models, written as people write them, for tests that read them back."""

import math
import warnings

import numpy as np
from scipy.spatial.transform import Rotation

from limbik import Joint, JointKind, Mass, Model


def urdf_text(model: Model, *, wide: bool = False) -> str:
    """A URDF of the model's links, joints and masses; numbers keep all their digits.

    wide: with limits that every reader takes, -9 to 9 [rad or m], in place of the joints' own.
    """
    links = [model.root, *(joint.child for joint in model.joints)]
    masses = {mass.link: mass for mass in model.masses}
    parts = [_link(link, masses.get(link)) for link in links] + [
        _joint(joint, wide) for joint in model.joints
    ]
    return f'<?xml version="1.0"?>\n<robot name="{model.name}">\n' + "\n".join(parts) + "\n</robot>\n"


def _link(name: str, mass: Mass | None) -> str:
    if mass is None:
        return f'  <link name="{name}"/>'
    inertia = '<inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/>'
    origin = f'<origin xyz="{_numbers(mass.center)}" rpy="0.1 0.2 0.3"/>'
    inertial = f'<inertial>{origin}<mass value="{mass.mass!r}"/>{inertia}</inertial>'
    return f'  <link name="{name}">{inertial}</link>'


def _joint(joint: Joint, wide: bool) -> str:
    rule = ""
    if joint.mimic:
        multiplier, offset = joint.mimic.multiplier, joint.mimic.offset
        rule = f'<mimic joint="{joint.mimic.joint}" multiplier="{multiplier!r}" offset="{offset!r}"/>'
    lower, upper = (-9.0, 9.0) if wide else (joint.lower, joint.upper)
    limit = ""
    if joint.kind in (JointKind.REVOLUTE, JointKind.PRISMATIC) and (wide or joint.has_limits):
        limit = f'<limit lower="{lower!r}" upper="{upper!r}" effort="1" velocity="1"/>'
    return (
        f'  <joint name="{joint.name}" type="{joint.kind.value}">'
        f'<parent link="{joint.parent}"/><child link="{joint.child}"/>'
        f'<origin xyz="{_numbers(joint.origin[:3, 3])}" rpy="{_numbers(_rpy(joint.origin[:3, :3]))}"/>'
        f'<axis xyz="{_numbers(joint.axis)}"/>{limit}{rule}</joint>'
    )


def _rpy(rotation: np.ndarray) -> np.ndarray:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of a gimbal lock: any of the angles that are right will do
        return Rotation.from_matrix(rotation).as_euler("xyz")


def _numbers(values: np.ndarray) -> str:
    return " ".join(repr(float(x)) for x in values)


def arm(joints: str = "", links: str = "", *, limit: str = '<limit lower="-1" upper="1"/>') -> str:
    """A URDF of links a and b with a revolute joint "j" about z; the joint stands in line 4.

    joints, links: more lines, after those.
    """
    return (
        '<robot name="arm">\n'
        '  <link name="a"/>\n'
        '  <link name="b"/>\n'
        '  <joint name="j" type="revolute">\n'
        '    <parent link="a"/>\n'
        '    <child link="b"/>\n'
        '    <origin xyz="0 0 1"/>\n'
        '    <axis xyz="0 0 1"/>\n'
        f"    {limit}\n"
        "  </joint>\n"
        f"{links}{joints}</robot>\n"
    )


def is_close(a: float, b: float) -> bool:
    return a == b or math.isclose(a, b, rel_tol=1e-12, abs_tol=1e-12)
