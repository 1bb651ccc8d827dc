"""URDF that limbik writes: limbik and Pinocchio read the same robot back."""

import dataclasses
import math
import warnings

import numpy as np
import pytest
from hypothesis import given
from numpy.testing import assert_allclose
from scipy.spatial.transform import Rotation

import limbik
from limbik.errors import FormatWarning, ModelError
from limbik.formats import urdf, urdf_write
from limbik.model import EulerLimits, Frame, Joint, JointKind, Mass, Mimic, Model, ModelBuilder
from strategies import SERIAL, models

KINDS = (*SERIAL, JointKind.FLOATING)


def written(model, **options) -> Model:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FormatWarning)  # limits of 0 to 0, which cannot move
        return urdf.read(urdf_write.write(model, **options))


@given(models(kinds=KINDS))
def test_a_model_reads_back_with_the_same_motion_and_limits(model) -> None:
    again = written(model)
    assert set(model.joint_names) <= set(again.joint_names)
    assert set(model.frame_names) == set(again.frame_names)
    q = model.random(1)
    same = np.concatenate(
        [np.empty(0), *(q[model.q_slice(joint.name)] for joint in again.joints if joint.nq)]
    )
    poses = dict(zip(again.frame_names, again.forward(same), strict=True))
    for name, pose in zip(model.frame_names, model.forward(q), strict=True):
        assert_allclose(poses[name], pose, atol=1e-12)
    for joint in model.joints:
        read = again.joint(joint.name)
        assert (read.lower, read.upper, read.nq) == (joint.lower, joint.upper, joint.nq)


def test_velocities_and_accelerations_read_back() -> None:
    model = (
        limbik.ModelBuilder("arm")
        .revolute("both", limits=(-1.0, 1.0), velocity=2.5, acceleration=10.0)
        .continuous("turns", velocity=0.1)
        .prismatic("late", limits=(0.0, 1.0), acceleration=3.0)
        .continuous("neither")
        .build()
    )
    again = written(model)
    for joint in model.joints:
        read = again.joint(joint.name)
        assert (read.velocity, read.acceleration) == (joint.velocity, joint.acceleration)
    assert urdf_write.write(model).count("acceleration=") == 2


@pytest.mark.parametrize("name", ["panda", "ur5e", "puma560", "so101"])
def test_pinocchio_reads_the_same_robot(name) -> None:
    pytest.importorskip("pinocchio")
    from formats.pinocchio_oracle import assert_moves_as_in_pinocchio

    text = urdf_write.write(limbik.load(name))
    assert_moves_as_in_pinocchio(urdf.read(text), text)


@pytest.mark.parametrize("base", ["planar", "floating"])
@pytest.mark.parametrize("name", ["ur5e", "baxter"])
def test_pinocchio_reads_a_robot_on_a_base_that_moves(name, base) -> None:
    pinocchio = pytest.importorskip("pinocchio")
    model = limbik.load(name, base=base)
    text = urdf_write.write(model)
    read, again = pinocchio.buildModelFromXML(text), urdf.read(text)
    assert {joint.name for joint in model.joints if joint.nq} <= {*read.names}
    for joint in model.joints:
        found = again.joint(joint.name)
        assert (found.lower, found.upper) == (joint.lower, joint.upper)


@pytest.mark.parametrize("limits", [(-math.inf, math.inf), (-math.inf, 2.0), (-1.0, math.inf)])
def test_limits_that_there_are_not_read_back_and_are_numbers_for_others(limits) -> None:
    pinocchio = pytest.importorskip("pinocchio")
    model = ModelBuilder("x").revolute("turn", limits=limits).prismatic("slide", limits=limits).build()
    again = written(model)
    assert [(joint.lower, joint.upper) for joint in again.joints] == [limits, limits]
    assert "inf" not in urdf_write.write(model)
    assert pinocchio.buildModelFromXML(urdf_write.write(model)).nv == 2


def test_followers_and_masses_are_written() -> None:
    hinges = [
        Joint(name="a", kind=JointKind.REVOLUTE, parent="base", child="x", lower=-1.0, upper=2.0),
        Joint(
            name="b",
            kind=JointKind.REVOLUTE,
            parent="x",
            child="y",
            origin=limbik.spatial.pose_from(translation=(0.3, 0.0, 0.0)),
            mimic=Mimic(joint="a", multiplier=-0.5, offset=0.1),
        ),
    ]
    masses = [
        Mass(link="x", mass=1.0, center=np.array([0.1, 0, 0])),
        Mass(link="x", mass=3.0, center=np.zeros(3)),
    ]
    model = Model("pair", hinges, masses=masses)
    again = written(model)
    assert (again.nq, again.mass) == (1, 4.0)
    assert_allclose(again.forward([0.7])[-1], model.forward([0.7])[-1], atol=1e-12)
    assert_allclose(again.center_of_mass([0.7]), model.center_of_mass([0.7]), atol=1e-12)


@pytest.mark.parametrize("pitch", [0.5 * math.pi, -0.5 * math.pi, 0.5 * math.pi - 1e-9, 1.5707])
def test_rotations_are_exact_where_roll_and_yaw_nearly_coincide(pitch) -> None:
    turn = Rotation.from_euler("xyz", [0.3, pitch, -1.1]).as_matrix()
    origin = limbik.spatial.pose_from(turn)
    model = Model("one", [Joint(name="j", kind=JointKind.FIXED, parent="a", child="b", origin=origin)])
    assert_allclose(written(model).joint("j").origin, origin, atol=1e-15)


def test_ball_joints_become_three_hinges_with_a_note() -> None:
    model = limbik.ball_arm([0.5, 0.4], swing=1.0)
    with pytest.warns(FormatWarning) as notes:
        text = urdf_write.write(model)
    written_as = "is written as three hinges, without its limits of swing and twist: URDF has no ball joints"
    assert [str(note.message) for note in notes] == [f"ball joint 'joint{k}' {written_as}" for k in (1, 2)]
    again = urdf.read(text)
    assert again.joint_names[:3] == ("joint1.x", "joint1.y", "joint1.z")
    angles = np.array([0.3, -0.7, 1.2])
    q = np.concatenate([Rotation.from_euler("XYZ", angles).as_quat()] * 2)
    assert_allclose(again.pose(np.tile(angles, 2), "tip"), model.pose(q, "tip"), atol=1e-12)


def test_euler_limits_of_a_ball_joint_are_those_of_its_hinges() -> None:
    limits = EulerLimits(
        order="ZYX", lower=np.array([-1.0, -0.5, -math.inf]), upper=np.array([1.0, 0.6, math.inf])
    )
    model = Model("ball", [Joint(name="j", kind=JointKind.BALL, parent="a", child="b", euler=limits)])
    again = written(model)
    assert again.joint_names == ("j.z", "j.y", "j.x")
    assert_allclose(again.lower, limits.lower)
    assert_allclose(again.upper, limits.upper)
    angles = [0.4, -0.3, 2.0]
    assert_allclose(again.pose(angles), model.pose(Rotation.from_euler("ZYX", angles).as_quat()), atol=1e-12)


def test_several_models_stand_in_one_world_and_keep_their_names_apart() -> None:
    panda = limbik.load("panda")
    again = written({"left": panda, "right": panda, "flat": limbik.planar_arm(2)}, name="three")
    assert (again.name, again.root, again.nq) == ("three", "world", 16)
    q = panda.random(0)
    both = np.concatenate([q, q, [0.1, 0.2]])
    for side in ("left", "right"):
        assert_allclose(again.pose(both, f"{side}.{panda.end_effector}"), panda.pose(q), atol=1e-12)
    first = panda.joint_names[0]
    assert {f"left.{first}", f"right.{first}", "flat.joint1"} <= set(again.joint_names)


def test_names_are_escaped_and_those_that_xml_cannot_hold_refused() -> None:
    model = Model("a<b>&\"c'", [Joint(name="é & <j>", kind=JointKind.CONTINUOUS, parent="a", child='"b"')])
    again = written(model)
    assert (again.name, again.joint_names, again.end_effector) == (model.name, model.joint_names, '"b"')
    bad = dataclasses.replace(model.joints[0], name="bell\x07")
    with pytest.raises(ModelError, match=r"the name 'bell\\x07' cannot be written as XML"):
        urdf_write.write(Model("a", [bad]))
    for name in ("${1 + 1}", "a$(cwd)"):
        bad = dataclasses.replace(model.joints[0], name=name)
        with pytest.raises(ModelError, match="to xacro it is an expression"):
            urdf_write.write(Model("a", [bad]))


def test_names_that_are_made_up_keep_clear_of_those_that_there_are() -> None:
    joints = [
        Joint(name="hip", kind=JointKind.BALL, parent="a", child="hip.y"),
        Joint(name="hip.x", kind=JointKind.CONTINUOUS, parent="hip.y", child="b"),
        Joint(name="tip.fixed", kind=JointKind.CONTINUOUS, parent="b", child="c"),
    ]
    model = Model("odd", joints, [Frame(name="tip", link="c")])
    again = written(model)
    assert again.joint_names == ("hip.x_", "hip.y_", "hip.z", "hip.x", "tip.fixed", "tip.fixed_")
    q = [0.3, -0.2, 0.5, 0.7, -0.4]
    same = np.concatenate([Rotation.from_euler("XYZ", q[:3]).as_quat(), q[3:]])
    for frame in model.frame_names:
        assert_allclose(again.pose(q, frame), model.pose(same, frame), atol=1e-12)


def test_an_inner_link_called_world_is_not_the_world_of_all() -> None:
    inner = Model("inner", [Joint(name="j", kind=JointKind.CONTINUOUS, parent="a", child="world")])
    again = written({"inner": inner, "flat": limbik.planar_arm(1)})
    assert again.root == "world"
    assert_allclose(again.pose([0.4, 0.1], "inner.world"), inner.pose([0.4], "world"), atol=1e-12)
    assert written(inner).frame_names == inner.frame_names


def test_what_is_attached_is_written_as_a_shape_of_its_link_with_a_note() -> None:
    arm = limbik.planar_arm(2)
    held = arm.attach("cup", limbik.collision.Box((0.1, 0.1, 0.1)), touch=["link1"])
    with pytest.warns(FormatWarning, match="'cup' is written as a shape of its link"):
        assert "<box" in urdf_write.write(held)


@pytest.mark.parametrize("models", ["panda", 5, {"a": 5}])
def test_what_is_no_model_is_refused(models) -> None:
    with pytest.raises(ModelError, match=r"needs a [mM]odel"):
        urdf_write.write(models)
