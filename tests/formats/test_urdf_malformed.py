"""URDFs that are wrong: a FormatError names line and element, what was found and what would be right."""

import pickle
import re

import pytest

from formats.urdf_text import arm
from limbik.errors import FormatError
from limbik.formats import urdf

J = "<joint name='j'>: "


def without(tag: str) -> str:
    """The arm without one line of its joint."""
    return re.sub(rf" *<{tag}[ /].*\n", "", arm(), count=1)


def changed(old: str, new: str) -> str:
    assert old in arm()
    return arm().replace(old, new, 1)


def joint(name: str, parent: str, child: str, kind: str = "fixed", inside: str = "") -> str:
    links = f'<parent link="{parent}"/><child link="{child}"/>'
    return f'<joint name="{name}" type="{kind}">{links}{inside}</joint>\n'


C = '<link name="c"/>\n'
TURN = '<limit lower="-1" upper="1"/>'
JC = joint("k", "b", "c", "revolute", TURN)

MALFORMED = [
    # not XML
    ("empty", "\n", None, "is empty"),
    ("blank", " \n \t", None, "is empty"),
    ("prose", "\nhello", 2, "not well-formed XML: syntax error in column 1"),
    ("nul", changed("0 0 1", "0 \0 1"), 7, "not well-formed XML: not well-formed (invalid token)"),
    (
        "cut off",
        arm()[:150],
        7,
        "not well-formed XML: unclosed token in column 5, in <joint name='j'> of line 4",
    ),
    (
        "never closed",
        arm().replace("</joint>", ""),
        11,
        "mismatched tag in column 3, in <joint name='j'> of line 4",
    ),
    ("two roots", arm() + "<robot/>", 12, "junk after document element"),
    ("attribute twice", changed('name="j"', 'name="j" name="i"'), 4, "duplicate attribute"),
    ("unknown entity", changed("0 0 1", "&pi; 0 0"), 7, "undefined entity"),
    (
        "DOCTYPE",
        '<!DOCTYPE robot SYSTEM "robot.dtd">\n' + arm(),
        1,
        "<!DOCTYPE robot>: document types are not read",
    ),
    (
        "expanding entities",
        '<!DOCTYPE bomb [<!ENTITY a "ha"><!ENTITY b "&a;&a;">]>\n<robot name="&b;"/>',
        1,
        "<!DOCTYPE bomb>: document types are not read",
    ),
    # not a URDF
    ("another root", '<sdf version="1.9">\n</sdf>', 1, "<sdf>: a URDF begins with <robot>, found <sdf>"),
    ("no links", '<robot name="r">\n</robot>', 1, "<robot name='r'>: needs at least one <link>, found none"),
    (
        "xacro element",
        arm("<xacro:include filename='a'/>"),
        1,
        "this is xacro, not URDF; limbik.load processes it",
    ),
    ("xacro expression", changed('xyz="0 0 1"', 'xyz="0 0 ${height}"'), 1, "this is xacro, not URDF"),
    ("xacro argument", changed('"b"', '"$(arg prefix)b"'), 1, "this is xacro, not URDF"),
    ("SRDF", '<robot name="r">\n<group name="arm"/>\n</robot>', 1, "this is SRDF, which has no joints"),
    # names
    ("link without name", changed('<link name="b"/>', "<link/>"), 3, "<link>: needs the attribute `name`"),
    ("joint without name", changed('joint name="j"', "joint"), 4, "needs the attribute `name`, found type"),
    (
        "empty name",
        changed('link name="b"', 'link name=" "'),
        3,
        "`name` needs a text that is not empty, found ' '",
    ),
    (
        "two links",
        arm(links='<link name="a"/>'),
        11,
        "<link name='a'>: a second <link> of this name, the first is in line 2",
    ),
    (
        "two joints",
        arm(C + joint("j", "b", "c")),
        12,
        "<joint name='j'>: a second <joint> of this name, the first is in line 4",
    ),
    (
        "misspelt link",
        changed('<link name="b"/>', '<Link name="b"/>'),
        3,
        "<Link name='b'>: unknown element; did you mean <link>?",
    ),
    (
        "misspelt joint",
        arm('<jiont name="x"/>'),
        11,
        "<jiont name='x'>: unknown element; did you mean <joint>?",
    ),
    (
        "a robot within",
        arm('<robot name="x"><link name="y"/></robot>'),
        11,
        "<robot name='x'>: a <robot> within a <robot>: links and joints stand in one",
    ),
    # the tree
    (
        "unknown parent",
        changed('parent link="a"', 'parent link="base"'),
        5,
        "<parent> of <joint name='j'>: there is no link 'base'; known: a, b",
    ),
    (
        "unknown child",
        changed('child link="b"', 'child link="B"'),
        6,
        "<child> of <joint name='j'>: there is no link 'B'; did you mean 'b'? known: a, b",
    ),
    ("no parent", without("parent"), 4, J + "needs a <parent>, found none"),
    ("no child", without("child"), 4, J + "needs a <child>, found none"),
    (
        "two parents",
        changed('<child link="b"/>', '<parent link="b"/>'),
        6,
        "<parent> of <joint name='j'>: a second <parent>, the first is in line 5",
    ),
    (
        "parent without link",
        changed('parent link="a"', 'parent name="a"'),
        5,
        "unknown attribute `name`; known: link",
    ),
    ("itself", changed('child link="b"', 'child link="a"'), 4, J + "connects link 'a' with itself"),
    (
        "two ways to a link",
        arm(C + JC + joint("m", "a", "c")),
        13,
        "link 'c' is already the child of <joint name='k'> in line 12",
    ),
    (
        "several roots",
        arm(links=C),
        11,
        "a robot has one root, but 2 links are no joint's child: 'a' (line 2), 'c' (line 11)",
    ),
    (
        "cycle",
        arm(C + '<link name="d"/>\n' + joint("k", "c", "d") + joint("m", "d", "c")),
        13,
        "<joint name='k'>: the links form a circle: d -> c -> d",
    ),
    ("all in a cycle", arm(joint("k", "b", "a")), 4, "the links form a circle: b -> a -> b"),
    # joints
    ("no type", changed(' type="revolute"', ""), 4, J + "needs the attribute `type`, found name"),
    (
        "unknown type",
        changed("revolute", "rotary"),
        4,
        J + "unknown type 'rotary'; known: revolute, continuous",
    ),
    ("ball", changed("revolute", "Prismatic"), 4, "unknown type 'Prismatic'; did you mean 'prismatic'?"),
    (
        "zero axis",
        changed('axis xyz="0 0 1"', 'axis xyz="0 0 0"'),
        8,
        "<axis> of <joint name='j'>: `xyz` needs a direction, found 0 0 0",
    ),
    (
        "empty axis",
        changed('axis xyz="0 0 1"', "axis"),
        8,
        "<axis> of <joint name='j'>: needs the attribute `xyz`",
    ),
    (
        "short axis",
        changed('axis xyz="0 0 1"', 'axis xyz="0 1"'),
        8,
        "`xyz` needs 3 finite numbers with spaces between them, found '0 1'",
    ),
    (
        "letters",
        changed('origin xyz="0 0 1"', 'origin xyz="0 O 1"'),
        7,
        "<origin> of <joint name='j'>: `xyz` needs 3 finite numbers",
    ),
    (
        "commas",
        changed('origin xyz="0 0 1"', 'origin xyz="0,0,1"'),
        7,
        "with spaces between them, found '0,0,1'",
    ),
    ("nan", changed('origin xyz="0 0 1"', 'origin rpy="0 nan 1"'), 7, "`rpy` needs 3 finite numbers"),
    ("inf", changed('origin xyz="0 0 1"', 'origin xyz="0 inf 1"'), 7, "`xyz` needs 3 finite numbers"),
    (
        "too far",
        changed('origin xyz="0 0 1"', 'origin xyz="0 1e308 1"'),
        7,
        "`xyz` needs metres, at most 1e+09",
    ),
    ("too great", changed('origin xyz="0 0 1"', 'origin xyz="0 1e999 1"'), 7, "`xyz` needs 3 finite numbers"),
    ("python's numbers", changed('origin xyz="0 0 1"', 'origin xyz="0 1_0 1"'), 7, "found '0 1_0 1'"),
    ("other digits", changed('origin xyz="0 0 1"', 'origin xyz="0 ٣ 1"'), 7, "found '0 ٣ 1'"),
    (
        "misspelt xyz",
        changed('origin xyz="0 0 1"', 'origin xzy="0 0 1"'),
        7,
        "unknown attribute `xzy`; did you mean 'xyz'?",
    ),
    (
        "misspelt origin",
        changed("<origin", "<orgin"),
        7,
        "<orgin> of <joint name='j'>: unknown element; did you mean <origin>?",
    ),
    ("misspelt axis", changed("<axis", "<axes"), 8, "unknown element; did you mean <axis>?"),
    (
        "two origins",
        changed('<axis xyz="0 0 1"/>', "<origin/>"),
        8,
        "a second <origin>, the first is in line 7",
    ),
    (
        "two rotations",
        changed('origin xyz="0 0 1"', 'origin rpy="0 0 0" quat_xyzw="0 0 0 1"'),
        7,
        "both give the rotation",
    ),
    (
        "no quaternion",
        changed('origin xyz="0 0 1"', 'origin quat_xyzw="0 0 0 0"'),
        7,
        "a quaternion of length 1, found 0 0 0 0",
    ),
    # limits
    (
        "limits swapped",
        arm(limit='<limit lower="1" upper="-1"/>'),
        9,
        "<limit> of <joint name='j'>: the limits are the wrong way round, lower 1 > upper -1",
    ),
    ("only a negative upper", arm(limit='<limit upper="-1"/>'), 9, "the wrong way round, lower 0 > upper -1"),
    ("limit nan", arm(limit='<limit lower="nan" upper="1"/>'), 9, "`lower` needs a number, found 'nan'"),
    (
        "limit in words",
        arm(limit='<limit lower="-90deg" upper="1"/>'),
        9,
        "`lower` needs a number, found '-90deg'",
    ),
    ("limit empty", arm(limit='<limit lower="" upper="1"/>'), 9, "`lower` needs a text that is not empty"),
    (
        "limits beyond all",
        arm(limit='<limit lower="inf" upper="inf"/>'),
        9,
        "no value up to 1e+09 lies between the limits inf and inf",
    ),
    (
        "misspelt limit",
        arm(limit='<limits lower="-1" upper="1"/>'),
        9,
        "unknown element; did you mean <limit>?",
    ),
    (
        "misspelt lower",
        arm(limit='<limit Lower="-1" upper="1"/>'),
        9,
        "unknown attribute `Lower`; did you mean `lower`?",
    ),
    # mimic
    (
        "follows nothing",
        arm(limit='<limit upper="1"/><mimic/>'),
        9,
        "<mimic> of <joint name='j'>: needs the attribute `joint`",
    ),
    (
        "follows itself",
        arm(limit='<limit upper="1"/><mimic joint="j"/>'),
        9,
        "joints follow each other in a circle: j -> j",
    ),
    (
        "follows a fixed one",
        arm(C + joint("k", "b", "c"), limit='<limit upper="1"/><mimic joint="k"/>'),
        9,
        "'k' is of type fixed and cannot lead; revolute, continuous and prismatic joints can",
    ),
    (
        "planar follower",
        arm(C + joint("k", "b", "c", "planar", '<mimic joint="j"/>')),
        12,
        "'k' is of type planar and cannot follow",
    ),
    (
        "circle of followers",
        arm(
            C + joint("k", "b", "c", "revolute", TURN + '<mimic joint="j"/>'),
            limit=TURN + '<mimic joint="k"/>',
        ),
        9,
        "joints follow each other in a circle: j -> k -> j",
    ),
    (
        "multiplier 0",
        arm(limit='<limit upper="1"/><mimic joint="k" multiplier="0"/>').replace(
            "</robot>", C + JC + "</robot>"
        ),
        9,
        "`multiplier` needs a number other than 0",
    ),
    (
        "multiplier word",
        arm(limit='<limit upper="1"/><mimic joint="k" multiplier="-"/>').replace(
            "</robot>", C + JC + "</robot>"
        ),
        9,
        "`multiplier` needs a finite number, found '-'",
    ),
    (
        "misspelt multiplier",
        arm(limit='<limit upper="1"/><mimic joint="k" factor="2"/>').replace("</robot>", C + JC + "</robot>"),
        9,
        "unknown attribute `factor`; ",
    ),
    # masses
    (
        "negative mass",
        changed('<link name="b"/>', '<link name="b"><inertial><mass value="-1"/></inertial></link>'),
        3,
        "<mass> of <inertial> of <link name='b'>: `value` needs a number that is not negative [kg], found -1",
    ),
    (
        "no mass",
        changed('<link name="b"/>', '<link name="b"><inertial/></link>'),
        3,
        "<inertial> of <link name='b'>: needs a <mass>, found none",
    ),
    (
        "mass in words",
        changed('<link name="b"/>', '<link name="b"><inertial><mass value="2kg"/></inertial></link>'),
        3,
        "`value` needs a finite number, found '2kg'",
    ),
    (
        "misspelt inertial",
        changed('<link name="b"/>', '<link name="b"><inertal/></link>'),
        3,
        "did you mean <inertial>?",
    ),
    (
        "name of a planar part",
        arm('<link name="j.x"/>' + joint("k", "b", "j.x")).replace("revolute", "planar"),
        4,
        "<joint name='j'>: its part along x is called 'j.x', as is <link name='j.x'> in line 11",
    ),
]


@pytest.mark.parametrize(
    ("text", "line", "words"), [case[1:] for case in MALFORMED], ids=[case[0] for case in MALFORMED]
)
def test_what_is_wrong_is_named_with_its_line(text: str, line: int | None, words: str) -> None:
    with pytest.raises(FormatError) as caught:
        urdf.read(text if "\n" in text else text + "\n")
    assert words in str(caught.value)
    assert caught.value.line == line
    assert str(caught.value).startswith("<text>:")
    copy = pickle.loads(pickle.dumps(caught.value))
    assert str(copy) == str(caught.value)


@pytest.mark.parametrize("depth", [500, 1_000_000])
def test_elements_may_stand_only_so_deep_inside_each_other(depth: int) -> None:
    text = arm("<x>" * depth + "</x>" * min(depth, 1000))
    if depth < 1000:
        assert urdf.read(text).nq == 1
    else:
        with pytest.raises(FormatError, match="elements stand more than 1000 deep inside each other"):
            urdf.read(text)
