"""URDF: what is read moves as the specification and Pinocchio say, and what is missing is named."""

import math
import re
import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from formats.urdf_text import arm, is_close, urdf_text
from limbik import Joint, JointKind, Mass, Mimic, Model
from limbik.errors import FormatError, FormatWarning
from limbik.formats import urdf
from limbik.spatial import pose_from, rotation_between
from strategies import SEEDS, SERIAL, joints, numbers, vectors

KINDS = (*SERIAL, JointKind.FLOATING)
SCALAR = (JointKind.REVOLUTE, JointKind.CONTINUOUS, JointKind.PRISMATIC)


@st.composite
def trees(draw: st.DrawFn) -> Model:
    """Trees of the joints that URDF knows, with masses and with followers, whose leader may come later."""
    count = draw(st.integers(1, 8))
    members = [
        draw(joints(f"j{k}", f"link{draw(st.integers(0, k))}", f"link{k + 1}", KINDS)) for k in range(count)
    ]
    scalar = [joint.name for joint in members if joint.kind in SCALAR]
    leaders = draw(st.permutations(scalar))
    for place, name in enumerate(leaders[1:], start=1):
        if draw(st.booleans()):
            k = next(k for k, joint in enumerate(members) if joint.name == name)
            members[k] = _follower(members[k], draw(st.sampled_from(leaders[:place])), draw)
    masses = [
        Mass(link=f"link{k}", mass=draw(st.floats(0.001, 9.0)), center=draw(vectors()))
        for k in range(count + 1)
        if draw(st.booleans())
    ]
    return Model("tree", draw(st.permutations(members)), masses=masses, root="link0")


def _follower(joint: Joint, leader: str, draw: st.DrawFn) -> Joint:
    multiplier = draw(st.sampled_from([-2.0, -1.0, 0.3, 1.0]))
    rule = Mimic(joint=leader, multiplier=multiplier, offset=draw(numbers()))
    return Joint(
        name=joint.name,
        kind=joint.kind,
        parent=joint.parent,
        child=joint.child,
        origin=joint.origin,
        axis=joint.axis,
        mimic=rule,
    )


def read_quietly(text: str) -> Model:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FormatWarning)
        return urdf.read(text)


# --- what is read moves as it should ------------------------------------------------------------------------


@given(trees(), SEEDS)
def test_trees_written_as_urdf_and_read_back_move_the_same(model: Model, seed: int) -> None:
    found = read_quietly(urdf_text(model))
    assert found.joint_names == model.joint_names
    assert found.root == model.root
    assert [joint.kind for joint in found.joints] == [joint.kind for joint in model.joints]
    q = model.random(seed)
    assert_allclose(found.forward(q), model.forward(q), rtol=0, atol=1e-9)
    assert all(map(is_close, found.lower, model.lower))
    assert all(map(is_close, found.upper, model.upper))
    assert is_close(found.mass, model.mass)
    if model.mass > 0.0:
        assert_allclose(found.center_of_mass(q), model.center_of_mass(q), rtol=0, atol=1e-9)


@settings(max_examples=40)
@given(trees())
def test_trees_move_as_pinocchio_moves_the_same_text(model: Model) -> None:
    from formats.pinocchio_oracle import assert_moves_as_in_pinocchio

    text = urdf_text(model, wide=True)
    assert_moves_as_in_pinocchio(urdf.read(text), text, seeds=(0,))


@pytest.mark.parametrize("axis", ["", '<axis xyz="0 0 1"/>'])
def test_a_planar_joint_slides_along_x_and_y_and_turns_about_z(axis: str) -> None:
    from formats.pinocchio_oracle import assert_moves_as_in_pinocchio

    text = arm(limit="").replace('<axis xyz="0 0 1"/>', axis).replace("revolute", "planar")
    model = urdf.read(text)
    assert model.joint_names == ("j.x", "j.y", "j")
    assert model.nq == 3
    assert_moves_as_in_pinocchio(model, text)


def test_a_planar_joint_keeps_to_the_plane_at_right_angles_to_its_axis() -> None:
    text = arm().replace('<axis xyz="0 0 1"/>', '<axis xyz="1 0 0"/>').replace("revolute", "planar")
    pose = urdf.read(text).pose([0.3, 0.4, 0.5])
    in_plane = rotation_between(np.array([0.0, 0.0, 1.0]), np.array([1.0, 0.0, 0.0])) @ [0.3, 0.4, 0.0]
    assert_allclose(pose[:3, 3], in_plane + np.array([0.0, 0.0, 1.0]), atol=1e-15)
    assert pose[0, 3] == pytest.approx(0.0, abs=1e-15)
    assert_allclose(pose[:3, :3] @ [1.0, 0.0, 0.0], [1.0, 0.0, 0.0], atol=1e-15)
    assert pose[2, 1] == pytest.approx(math.sin(0.5))


def test_roll_pitch_yaw_turn_about_fixed_axes_in_this_order() -> None:
    text = arm().replace('xyz="0 0 1"/>', 'xyz="1 2 3" rpy="0.1 0.2 0.3"/>', 1)
    c, s = np.cos, np.sin
    turn_x = np.array([[1, 0, 0], [0, c(0.1), -s(0.1)], [0, s(0.1), c(0.1)]])
    turn_y = np.array([[c(0.2), 0, s(0.2)], [0, 1, 0], [-s(0.2), 0, c(0.2)]])
    turn_z = np.array([[c(0.3), -s(0.3), 0], [s(0.3), c(0.3), 0], [0, 0, 1]])
    expected = pose_from(turn_z @ turn_y @ turn_x, [1.0, 2.0, 3.0])
    assert_allclose(urdf.read(text).pose([0.0]), expected, atol=1e-15)


def test_a_rotation_may_be_a_quaternion() -> None:
    text = arm().replace('xyz="0 0 1"/>', 'quat_xyzw="0 0 2 2"/>', 1)
    assert_allclose(urdf.read(text).pose([0.0])[:2, :2], [[0.0, -1.0], [1.0, 0.0]], atol=1e-15)


def test_what_is_left_out_is_what_the_specification_says() -> None:
    text = arm().replace('    <origin xyz="0 0 1"/>\n    <axis xyz="0 0 1"/>\n', "")
    joint = urdf.read(text).joint("j")
    assert_allclose(joint.origin, np.eye(4))
    assert_allclose(joint.axis, [1.0, 0.0, 0.0])


def test_an_axis_of_any_length_is_a_direction() -> None:
    assert_allclose(
        urdf.read(arm().replace('<axis xyz="0 0 1"/>', '<axis xyz="0 3 4"/>')).joint("j").axis, [0, 0.6, 0.8]
    )


def test_the_axis_of_a_fixed_joint_may_be_zero() -> None:
    text = arm(limit="").replace('<axis xyz="0 0 1"/>', '<axis xyz="0 0 0"/>').replace("revolute", "fixed")
    assert urdf.read(text).nq == 0


def test_masses_are_those_of_the_links() -> None:
    inertial = '<inertial><origin xyz="0 0.5 0" rpy="1 2 3"/><mass value="2"/></inertial>'
    model = urdf.read(arm().replace('<link name="b"/>', f'<link name="b">{inertial}</link>'))
    assert model.mass == 2.0
    assert_allclose(model.center_of_mass([math.pi / 2]), [-0.5, 0.0, 1.0], atol=1e-15)


def test_links_alone_are_a_robot_that_does_not_move() -> None:
    model = urdf.read('<robot name="box"><link name="block"/></robot>')
    assert (model.name, model.root, model.nq, model.end_effector) == ("box", "block", 0, "block")


def test_names_may_have_any_characters() -> None:
    strange = "Gelenk/ä 1.0&amp;&lt;"
    model = urdf.read(arm().replace('name="j"', f'name="{strange}"').replace('"b"', '"手 首"'))
    assert model.joint_names == ("Gelenk/ä 1.0&<",)
    assert model.end_effector == "手 首"


def test_what_does_not_move_is_not_looked_at() -> None:
    extras = """
      <!-- <joint name="j" type="revolute"/> -->
      <material name="grey"><color rgba="nonsense"/></material>
      <transmission name="t"><joint name="j"/><actuator name="m"/></transmission>
      <gazebo reference="b"><joint name="j" type="none"/><plugin x="${y}"/></gazebo>
      <ros2_control name="r"><joint name="j"><param name="p">1</param></joint></ros2_control>
    """
    text = arm(extras).replace('<link name="b"/>', '<link name="b"><visual><geometry/></visual></link>')
    assert urdf.read(text).joint_names == ("j",)


def test_a_namespace_that_xacro_left_behind_is_no_xacro() -> None:
    text = arm().replace("<robot ", '<robot xmlns:xacro="http://ros.org/wiki/xacro" ')
    assert urdf.read(text).nq == 1


def test_blanks_before_the_declaration_are_forgiven_and_counted() -> None:
    text = "\n\n  " + '<?xml version="1.0"?>\n' + arm()
    assert urdf.read(text).nq == 1
    with pytest.raises(FormatError) as caught:
        urdf.read(text.replace('"revolute"', '"resolute"'))
    assert caught.value.line == 7


def test_a_declared_encoding_means_nothing_in_a_text() -> None:
    assert (
        urdf.read('<?xml version="1.0" encoding="latin-1"?>' + arm().replace('"b"', '"č"')).end_effector
        == "č"
    )


def test_a_file_without_a_name_for_its_robot_lends_its_own(tmp_path: Any) -> None:
    path = tmp_path / "crane.urdf"
    path.write_text(arm().replace(' name="arm"', ""))
    assert urdf.read(path).name == "crane"


@pytest.mark.slow
def test_a_chain_of_ten_thousand_joints_is_read() -> None:
    count = 10_000
    links = "".join(f'<link name="l{k}"/>' for k in range(count + 1))
    joint = '<joint name="j{0}" type="continuous"><parent link="l{0}"/><child link="l{1}"/></joint>'
    text = f"<robot name='long'>{links}{''.join(joint.format(k, k + 1) for k in range(count))}</robot>"
    model = urdf.read(text)
    assert (model.nq, model.end_effector) == (count, f"l{count}")


# --- mimic --------------------------------------------------------------------------------------------------


def hand(rule: str, limit: str = '<limit lower="-9" upper="9"/>') -> str:
    """The arm with a follower "f" on link b, written before its leader."""
    joint = (
        f'<joint name="f" type="revolute"><parent link="b"/><child link="c"/>{limit}<mimic {rule}/></joint>'
    )
    return arm(links='<link name="c"/>').replace('  <link name="a"/>', joint + '<link name="a"/>')


def test_a_follower_may_come_before_its_leader() -> None:
    model = urdf.read(hand('joint="j" multiplier="-2" offset="0.5"'))
    assert (model.nq, model.joint_names) == (1, ("j", "f"))
    rule = model.joint("f").mimic
    assert rule == Mimic(joint="j", multiplier=-2.0, offset=0.5)


def test_the_limits_of_followers_hold() -> None:
    model = urdf.read(hand('joint="j" multiplier="2"', '<limit lower="-1" upper="9"/>'))
    assert (model.lower[0], model.upper[0]) == (-0.5, 1.0)


def test_limits_of_a_follower_that_leave_its_leader_no_room_are_not_looked_at_and_named() -> None:
    text = hand('joint="j" multiplier="-1"', '<limit lower="0" upper="0.8"/>')
    text = text.replace('lower="-1" upper="1"', 'lower="0" upper="0.8"')
    with pytest.warns(FormatWarning, match=r"joint 'f' follows 'j', and its limits 0 to 0.8 would leave"):
        model = urdf.read(text)
    assert (model.lower[0], model.upper[0]) == (0.0, 0.8)


def test_a_follower_needs_no_limits() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert urdf.read(hand('joint="j"', limit="")).upper[0] == 1.0


def test_the_rule_of_a_fixed_joint_means_nothing() -> None:
    text = hand('joint="nobody"').replace('name="f" type="revolute"', 'name="f" type="fixed"')
    assert urdf.read(text).joint("f").mimic is None


def test_a_follower_of_nobody_moves_on_its_own_and_is_named() -> None:
    says = "joint 'f' .* moves on its own, there is no joint 'J' to follow; did you mean 'j'?"
    with pytest.warns(FormatWarning, match=says):
        assert urdf.read(hand('joint="J"')).nq == 2


# --- limits -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("limit", ["", '<limit effort="5" velocity="1"/>'])
@pytest.mark.parametrize("kind", ["revolute", "prismatic"])
def test_a_joint_whose_limits_are_not_said_is_unlimited_and_named(kind: str, limit: str) -> None:
    with pytest.warns(
        FormatWarning, match=r"no lower and no upper limit, so taken as unlimited: 'j' \(line 4\)"
    ):
        model = urdf.read(arm(limit=limit).replace("revolute", kind))
    assert (model.lower[0], model.upper[0]) == (-math.inf, math.inf)


@pytest.mark.parametrize(
    ("limit", "lower", "upper"),
    [
        ('<limit lower="-2" upper="3"/>', -2.0, 3.0),
        ('<limit upper="3"/>', 0.0, 3.0),
        ('<limit lower="-2"/>', -2.0, 0.0),
        ('<limit lower="-inf" upper="1e0"/>', -math.inf, 1.0),
        ('<limit lower=" -2 " upper="+3." current="1" gear_velocity="2"/>', -2.0, 3.0),
    ],
)
def test_limits_are_as_the_specification_says(limit: str, lower: float, upper: float) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = urdf.read(arm(limit=limit))
    assert (model.lower[0], model.upper[0]) == (lower, upper)


def test_limits_of_zero_and_zero_hold_and_are_named() -> None:
    with pytest.warns(FormatWarning, match=r"limit are both 0, so these joints cannot move: 'j' \(line 4\)"):
        model = urdf.read(arm(limit='<limit lower="0" upper="0" effort="0" velocity="0"/>'))
    assert (model.lower[0], model.upper[0]) == (0.0, 0.0)


@pytest.mark.parametrize(
    ("said", "velocity", "acceleration"),
    [
        ('velocity="2.5"', 2.5, math.inf),
        ('velocity="2.5" acceleration="10" deceleration="5"', 2.5, 10.0),
        ('velocity="0" effort="0"', math.inf, math.inf),  # where nobody filled in the form
        ('velocity="inf"', math.inf, math.inf),
        ("", math.inf, math.inf),
    ],
)
@pytest.mark.parametrize("kind", ["revolute", "prismatic", "continuous"])
def test_velocities_and_accelerations_are_read(
    kind: str, said: str, velocity: float, acceleration: float
) -> None:
    text = arm(limit=f'<limit lower="-1" upper="1" {said}/>').replace('"revolute"', f'"{kind}"')
    (joint,) = urdf.read(text).joints
    assert (joint.velocity, joint.acceleration) == (velocity, acceleration)


@pytest.mark.parametrize(
    ("said", "problem"),
    [
        ('velocity="-1"', "`velocity` needs a number that is not negative, found -1"),
        ('acceleration="-0.5"', "`acceleration` needs a number that is not negative, found -0.5"),
        ('velocity="nan"', "`velocity` needs a number, found 'nan'"),
        ('velocity="fast"', "`velocity` needs a number, found 'fast'"),
    ],
)
def test_velocities_that_mean_nothing_are_refused_with_the_line(said: str, problem: str) -> None:
    with pytest.raises(FormatError, match=re.escape(problem)) as refused:
        urdf.read(arm(limit=f'<limit lower="-1" upper="1" {said}/>'))
    assert refused.value.line == 9


def test_a_continuous_joint_has_no_limits_whatever_is_written() -> None:
    model = urdf.read(arm(limit='<limit lower="1" upper="-1"/>').replace("revolute", "continuous"))
    assert not model.has_limits


def test_a_floating_joint_moves_freely() -> None:
    model = urdf.read(arm().replace("revolute", "floating"))
    assert model.joint("j").kind is JointKind.FLOATING
    assert model.nq == 7


@pytest.mark.parametrize("leader", [(0.0, 0.0), (0.5, 0.5), (0.0, 1.0)])
def test_limits_of_a_follower_that_leave_its_leader_no_room_are_not_looked_at(leader) -> None:
    text = """<robot name="r"><link name="a"/><link name="b"/><link name="c"/>
      <joint name="j" type="revolute"><parent link="a"/><child link="b"/><axis xyz="0 0 1"/>
        <limit lower="{}" upper="{}" effort="1" velocity="1"/></joint>
      <joint name="k" type="revolute"><parent link="b"/><child link="c"/><axis xyz="0 0 1"/>
        <limit lower="-1" upper="-0.5" effort="1" velocity="1"/><mimic joint="j"/></joint></robot>"""
    with pytest.warns(FormatWarning):
        model = urdf.read(text.format(*leader))
    assert (model.joint("j").lower, model.joint("j").upper) == leader
    assert not model.joint("k").has_limits
