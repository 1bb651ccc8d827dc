"""SRDF: groups, states, end effectors, virtual joints and disabled pairs, checked against the model."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from formats.urdf_text import arm
from limbik import Mimic, ModelBuilder, load
from limbik.errors import FormatError, FormatWarning, ModelError
from limbik.formats import srdf

TURN = 'type="revolute"><limit lower="-1" upper="1"/>'
MODEL = load(
    arm(
        links='<link name="c"/><link name="d"/><link name="e"/>\n',
        joints=f'<joint name="k" {TURN}<parent link="b"/><child link="c"/></joint>'
        '<joint name="weld" type="fixed"><parent link="c"/><child link="d"/></joint>'
        f'<joint name="side" {TURN}<parent link="a"/><child link="e"/></joint>',
    ),
    base="floating",
)
TEXT = """<robot name="arm">
  <virtual_joint name="virtual" type="floating" parent_frame="world" child_link="a"/>
  <group name="main"><chain base_link="a" tip_link="d"/></group>
  <group name="tip"><link name="c"/><joint name="weld"/></group>
  <group name="all"><group name="main"/><joint name="side"/><joint name="virtual"/></group>
  <group name="across"><chain base_link="e" tip_link="b"/></group>
  <group_state name="bent" group="main"><joint name="j" value="0.5"/><joint name="k" value="-1"/>
  </group_state>
  <group_state name="bent" group="tip"><joint name="k" value="0.25"/></group_state>
  <group_state name="up"><joint name="root_joint" value="0 0 2 0 0 0 1"/><joint name="weld" value="0"/>
  </group_state>
  <end_effector name="hand" parent_link="c" group="tip" parent_group="main"/>
  <passive_joint name="side"/>
  <disable_collisions link1="a" link2="b" reason="Adjacent"/>
  <disable_collisions link1="a" link2="c"/>
  <enable_collisions link1="a" link2="c"/>
  <rotor_params><joint name="j" mass="1"/></rotor_params>
</robot>
"""


def test_what_a_file_says_is_read() -> None:
    found = srdf.read(TEXT)
    assert list(found.groups) == ["main", "tip", "all", "across"]
    assert found.groups["main"].chains == (srdf.SrdfChain(base_link="a", tip_link="d"),)
    assert found.groups["tip"] == srdf.SrdfGroup(name="tip", joints=("weld",), links=("c",))
    assert found.end_effectors["hand"].parent_group == "main"
    assert found.virtual_joints["virtual"].type == "floating"
    assert found.passive_joints == ("side",)
    assert [(pair.link1, pair.link2, pair.reason) for pair in found.disabled_collisions] == [
        ("a", "b", "Adjacent"),
        ("a", "c", ""),
    ]
    assert found == srdf.read(TEXT, MODEL)


@pytest.mark.parametrize(
    ("group", "joints"),
    [("main", ("j", "k")), ("tip", ("k",)), ("all", ("j", "k", "side")), ("across", ("j", "side"))],
)
def test_groups_are_joints_in_the_order_of_the_model(group: str, joints: tuple[str, ...]) -> None:
    assert srdf.read(TEXT, MODEL).joints(group, MODEL) == joints


def test_a_group_is_known_by_its_name() -> None:
    with pytest.raises(ModelError, match="`group` needs a name, found"):
        srdf.read(TEXT, MODEL).joints(["main"], MODEL)  # type: ignore[arg-type]


def test_named_states_are_configurations() -> None:
    found = srdf.read(TEXT, MODEL)
    q = found.configuration("bent", MODEL, group="main")
    assert (q[MODEL.q_slice("j")], q[MODEL.q_slice("k")], q[MODEL.q_slice("side")]) == (0.5, -1.0, 0.0)
    assert found.configuration("bent", MODEL, group="tip")[MODEL.q_slice("k")] == 0.25
    raised = found.configuration("up", MODEL)
    assert_allclose(raised[:7], [0, 0, 2, 0, 0, 0, 1])
    assert np.isfinite(raised).all()


def test_a_state_of_several_groups_needs_the_group() -> None:
    found = srdf.read(TEXT)
    with pytest.raises(ModelError, match="the groups 'main', 'tip' have a state 'bent'; say which"):
        found.configuration("bent", MODEL)
    with pytest.raises(ModelError, match="there is no named state 'ben'; did you mean 'bent'"):
        found.configuration("ben", MODEL)
    with pytest.raises(ModelError, match="there is no group 'arm'"):
        found.joints("arm", MODEL)


@pytest.mark.parametrize(
    ("old", "new", "line", "words"),
    [
        (
            'tip_link="d"',
            'tip_link="z"',
            3,
            "<chain> of <group name='main'>: there is no link 'z'; known: world, a, b",
        ),
        (
            '<joint name="weld"/>',
            '<joint name="wield"/>',
            4,
            "there is no joint 'wield'; did you mean 'weld'?",
        ),
        ('<link name="c"/>', '<link name="C"/>', 4, "there is no link 'C'; did you mean 'c'?"),
        ('<group name="main"/>', '<group name="Main"/>', 5, "there is no group 'Main'; did you mean 'main'?"),
        (
            '<group name="main"/>',
            '<group name="all"/>',
            5,
            "<group name='all'>: this group is a part of itself",
        ),
        ('group name="tip"', 'group name="main"', 4, "a second <group> of this name, the first is in line 3"),
        ('value="0.5"', 'value="half"', 7, "<joint name='j'>: `value` needs a finite number, found 'half'"),
        ('value="0.5"', 'value="0.5 1"', 7, "<joint name='j'>: a revolute joint has 1 values, found 2"),
        (' value="0.5"', "", 7, "<joint name='j'>: needs the attribute `value`, found name"),
        ('group="tip"', 'group="top"', 9, "there is no group 'top'; did you mean 'tip'?"),
        ('value="0.5"', 'value="0.5" valeu="1"', 7, "unknown attribute `valeu`; did you mean `value`?"),
        ('parent_link="c"', 'parent_link="x"', 12, "<end_effector name='hand'>: there is no link 'x'"),
        ('type="floating"', 'type="ball"', 2, "there is no type 'ball'; known: fixed, floating, planar"),
        (
            'passive_joint name="side"',
            'passive_joint name="sid"',
            13,
            "there is no joint 'sid'; did you mean 'side'?",
        ),
        ('link1="a" link2="b"', 'link1="a"', 14, "<disable_collisions>: needs the attribute `link2`"),
        ("</group_state>", '<joint name="j" value="1"/></group_state>', 8, "'j' stands twice in this state"),
        ("passive_joint", "pasive_joint", 13, "unknown element; did you mean <passive_joint>?"),
        ("</robot>", "", 19, "not well-formed XML"),
    ],
)
def test_what_is_wrong_is_named_with_its_line(old: str, new: str, line: int, words: str) -> None:
    assert old in TEXT
    with pytest.raises(FormatError) as caught:
        srdf.read(TEXT.replace(old, new, 1), MODEL)
    assert words in str(caught.value)
    assert caught.value.line == line


def test_states_that_cannot_be_meant_are_told() -> None:
    state = '<group_state name="bent" group="tip"><joint name="k" value="1"/></group_state>'
    with pytest.raises(ModelError, match="a group has the state 'bent' twice, among 'main', 'tip', 'tip'"):
        srdf.read(TEXT.replace("</robot>", state + "</robot>")).configuration("bent", MODEL)
    wrong = srdf.read(TEXT.replace('value="0.5"', 'value="0.5 1"'))
    with pytest.raises(ModelError, match="state 'bent': 'j' has 1 values, found 2"):
        wrong.configuration("bent", MODEL, group="main")


def test_values_that_do_not_hold_are_told() -> None:
    far = srdf.read(TEXT.replace('name="j" value="0.5"', 'name="j" value="-1.5"'))
    with pytest.warns(FormatWarning, match="state 'bent': 'j' is at -1.5, beyond its limits -1 to 1"):
        assert far.configuration("bent", MODEL, group="main")[MODEL.q_slice("j")] == -1.5
    fingers = ModelBuilder("fingers").prismatic("left").prismatic("right", mimic=Mimic(joint="left")).build()
    text = '<robot name="fingers"><group name="both"><joint name="left"/></group>'
    text += '<group_state name="open" group="both"><joint name="left" value="0.04"/>'
    state = text + '<joint name="right" value="{}"/></group_state></robot>'
    with pytest.warns(FormatWarning, match="'right' is at 0.01, but follows 'left' to 0.04"):
        srdf.read(state.format(0.01)).configuration("open", fingers)
    srdf.read(state.format(0.04)).configuration("open", fingers)


def test_other_descriptions_are_told_apart() -> None:
    with pytest.raises(FormatError, match="this is URDF, which has no groups"):
        srdf.read(arm())
    with pytest.raises(FormatError, match="this is SRDF, which has no joints"):
        load(TEXT)
    with pytest.raises(FormatError, match="an SRDF begins with <robot>, found <sdf>"):
        srdf.read("<sdf/>")
