"""xacro: macros, arguments and includes, with errors that name the file and, where it is known, the line."""

from pathlib import Path
from typing import Any

import pytest

from limbik.errors import FormatError
from limbik.formats import xacro
from limbik.formats.elements import parse

pytest.importorskip("xacro")

HEAD = '<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro">\n'
ARM = (
    HEAD
    + """  <xacro:arg name="fingers" default="0"/>
  <xacro:arg name="long" default="false"/>
  <xacro:property name="length" value="${0.5 * 2}"/>
  <xacro:macro name="finger" params="k">
    <link name="finger${k}"/>
    <joint name="joint${k}" type="continuous">
      <parent link="palm"/> <child link="finger${k}"/> <origin xyz="${length * k} 0 0"/>
    </joint>
  </xacro:macro>
  <link name="palm"/>
  <xacro:if value="$(arg long)"><link name="tail"/>
    <joint name="tail" type="fixed"><parent link="palm"/><child link="tail"/></joint></xacro:if>
  <xacro:if value="${int('$(arg fingers)') > 0}"><xacro:finger k="1"/></xacro:if>
  <xacro:if value="${int('$(arg fingers)') > 1}"><xacro:finger k="2"/></xacro:if>
</robot>
"""
)


def test_macros_and_arguments_are_processed() -> None:
    model = xacro.read(ARM, args={"fingers": 2, "long": True})
    assert model.joint_names == ("tail", "joint1", "joint2")
    assert model.joint("joint2").origin[0, 3] == 2.0
    assert xacro.read(ARM).nq == 0


def test_blanks_before_the_declaration_are_forgiven() -> None:
    assert xacro.read("\n  <?xml version='1.0'?>" + ARM).nq == 0


def test_an_argument_that_the_file_does_not_have_is_an_error() -> None:
    with pytest.raises(FormatError, match="has no <xacro:arg name='finger'>; did you mean 'fingers'"):
        xacro.read(ARM, args={"finger": 2})


def test_what_is_wrong_after_processing_is_said_to_be_so() -> None:
    text = ARM.replace('type="continuous"', 'type="hinge"')
    with pytest.raises(
        FormatError, match=r"^<text> \(processed by xacro\):\d+: <joint name='joint1'>: unknown type"
    ):
        xacro.read(text, args={"fingers": 1})


@pytest.mark.parametrize(
    ("body", "line", "words"),
    [
        ('<link name="${tip}"/>', 2, "name 'tip' is not defined when evaluating expression 'tip'"),
        ('\n<link name="${1 +}"/>', 3, "invalid syntax"),
        ('\n\n<link name="$(arg side)"/>', 4, "Undefined substitution argument side"),
        ("<xacro:arm/>", 2, "unknown macro name: xacro:arm"),
        ('<xacro:include filename="nowhere.xacro"/>', 2, "there is no such file: "),
        (
            '<xacro:include filename="$(find no_such_pkg)/a.xacro"/>',
            2,
            "$(find no_such_pkg): no package of this name",
        ),
        ("<link>", 3, "not well-formed XML: mismatched tag"),
        ("<xacro:macro name='m'><xacro:m/></xacro:macro><xacro:m/>", None, "a macro calls itself"),
        ("<xacro:property value='1'/>", None, "missing attribute"),
    ],
)
def test_errors_of_xacro_name_the_line_where_it_is_known(body: str, line: int | None, words: str) -> None:
    with pytest.raises(FormatError) as caught:
        xacro.read(HEAD + body + "\n</robot>")
    assert words in str(caught.value)
    assert caught.value.line == line
    assert "\n" not in str(caught.value)


def test_errors_in_included_files_name_those(tmp_path: Path) -> None:
    (tmp_path / "robot.xacro").write_text(HEAD + '<xacro:include filename="part.xacro"/></robot>')
    (tmp_path / "part.xacro").write_text(HEAD + '<link name="${tip}"/></robot>')
    with pytest.raises(FormatError, match=r"part.xacro:2: name 'tip' is not defined"):
        xacro.read(tmp_path / "robot.xacro")
    (tmp_path / "part.xacro").write_text(HEAD + "\n<link>")
    with pytest.raises(FormatError, match=r"part.xacro:3: no element found"):
        xacro.read(tmp_path / "robot.xacro")


def test_a_file_of_macros_is_said_to_be_one() -> None:
    with pytest.raises(
        FormatError, match="has no <link> once it is processed; read a file of macros through"
    ):
        xacro.read(HEAD + '<xacro:macro name="m"><link name="a"/></xacro:macro></robot>')


def test_document_types_are_refused() -> None:
    with pytest.raises(FormatError, match="document types are not read"):
        xacro.read('<!DOCTYPE robot [<!ENTITY a "b">]>' + ARM)


def test_packages_are_found_without_ros(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    share = tmp_path / "arm_description"
    (share / "urdf").mkdir(parents=True)
    (share / "urdf" / "part.xacro").write_text(HEAD + '<link name="a"/></robot>')
    robot = HEAD + '<xacro:include filename="$(find arm_description)/urdf/part.xacro"/></robot>'
    (share / "urdf" / "robot.xacro").write_text(robot)
    assert xacro.read(share / "urdf" / "robot.xacro").root == "a"
    with pytest.raises(FormatError, match="let ROS_PACKAGE_PATH name the folder it is in"):
        xacro.read(robot)
    monkeypatch.setenv("ROS_PACKAGE_PATH", str(tmp_path))
    assert xacro.read(robot).root == "a"


def test_xacros_own_way_to_find_packages_is_given_back() -> None:
    import xacro.substitution_args as substitution

    before: Any = substitution._eval_find
    xacro.process(ARM)
    assert substitution._eval_find is before
    assert parse(xacro.process(ARM)).tag == "robot"
