"""xacro: macros, arguments and includes, with errors that name the file and, where it is known, the line."""

import os
from pathlib import Path
from typing import Any

import pytest

from limbik.errors import FormatError, FormatWarning, ModelError
from limbik.formats import xacro
from limbik.formats.elements import parse

pytest.importorskip("xacro")

pytestmark = pytest.mark.slow

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
    with pytest.raises(ModelError, match="args needs values by the names of arguments, found 5"):
        xacro.read(ARM, args=5)  # type: ignore[arg-type]


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
        ("<xacro:macro name='m'><xacro:m/></xacro:macro><xacro:m/>", 2, "a macro calls itself"),
        ("<xacro:property value='1'/>", 2, "missing attribute"),
        ("\n<xacro:property name='1x' value='1'/>", 3, "must be valid python identifiers"),
        ("<xacro:macro name='m' params='a'/>\n<xacro:m/>", 3, "Undefined parameters [a]"),
        ("<xacro:macro name='m' params='a'/>\n<xacro:m b='1'/>", 3, 'Invalid parameter "b"'),
        ("<xacro:macro name='m' params='*a'/>\n<xacro:m/>", 3, "Not enough blocks"),
        ("<xacro:macro name='m'>\n<link name='${z}'/></xacro:macro>\n<xacro:m/>", 3, "'z' is not defined"),
        ("<xacro:insert_block name='b'/>", 2, 'Undefined block "b"'),
        ("\n<xacro:if value='maybe'/>", 3, "not a boolean expression"),
        ("<link name='${'/>", 2, "invalid expression: ${"),
        ("<link name='${1/0}'/>\n<link name='${1/0}'/>", 2, "division by zero"),
        ("<link name='$(env NO_SUCH_NAME)'/>", 2, "<text>:2: environment variable 'NO_SUCH_NAME' is not set"),
        ("<link name='$(foo x)'/>", 2, "Unknown substitution command [foo x]"),
        ("<link name='${xacro.load_yaml(\"nowhere.yaml\")}'/>", 2, "there is no such file"),
        ("<link name='${len(\"a\" * 10**11)}'/>", 2, "there is not enough memory for what it makes"),
        ("<link/>\n<nope:x/>", 3, "unbound prefix"),
        ("<link name='${\"\\ud800\"}'/>", None, "no text"),
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
    with pytest.raises(FormatError, match=r"part.xacro:3: not well-formed XML: no element found"):
        xacro.read(tmp_path / "robot.xacro")


def test_warnings_of_xacro_name_the_line(tmp_path: Path) -> None:
    unknown = '<link name="a"/>\n<xacro:property name="b" valu="2" value="1"/></robot>'
    with pytest.warns(FormatWarning, match=r":3: xacro:property: unknown attribute\(s\): valu$"):
        xacro.read(HEAD + unknown)
    file = tmp_path / "robot.xacro"
    file.write_text(HEAD + '<xacro:include filename="parts/*.xacro"/><link name="a"/></robot>')
    with pytest.warns(FormatWarning, match=r"robot\.xacro:2: .*parts/\*\.xacro\" matched no files"):
        xacro.read(file)


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


def test_errors_in_yaml_name_its_line(tmp_path: Path) -> None:
    pytest.importorskip("yaml")
    (tmp_path / "sizes.yaml").write_text("a: [1,\nb: }")
    (tmp_path / "robot.xacro").write_text(HEAD + "<link name='${xacro.load_yaml(\"sizes.yaml\")}'/></robot>")
    with pytest.raises(FormatError, match=r"sizes.yaml:2: is not YAML"):
        xacro.read(tmp_path / "robot.xacro")


ENDLESS = {
    "a power": "<link name='${10**10**8}'/>",
    "a loop": "<link name='${[0 for i in range(10**12)]}'/>",
    "macros": "<xacro:macro name='m' params='k'><xacro:if value='${k &lt; 40}'><xacro:m k='${k+1}'/>"
    "<xacro:m k='${k+1}'/></xacro:if></xacro:macro><xacro:m k='0'/>",
}


@pytest.mark.parametrize("body", ENDLESS.values(), ids=ENDLESS)
def test_what_never_ends_is_ended(monkeypatch: pytest.MonkeyPatch, body: str) -> None:
    monkeypatch.setattr(xacro, "SECONDS", 0.5)
    with pytest.raises(FormatError, match=r"takes more than 0.5 s|takes more than 4 GiB"):
        xacro.read(HEAD + body + "</robot>")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes here")
@pytest.mark.parametrize(
    "body", ["<xacro:include filename='pipe'/>", "<link name='${xacro.load_yaml(\"pipe\")}'/>"]
)
def test_pipes_are_not_waited_for(tmp_path: Path, body: str) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "robot.xacro").write_text(HEAD + body + "</robot>")
    with pytest.raises(FormatError, match=r"robot.xacro:2: .*is a pipe"):
        xacro.read(tmp_path / "robot.xacro")


def test_a_file_that_becomes_too_long_is_refused() -> None:
    with pytest.raises(FormatError, match="becomes longer than 67,108,864 characters, found 70,000,0"):
        xacro.read(HEAD + "<link name='${\"a\" * 70000000}'/></robot>")
