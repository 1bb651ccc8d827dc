"""MJCF that is made to end the process or to fill the memory: refused before MuJoCo reads it, or harmless."""

import os
from pathlib import Path

import pytest

from limbik import load
from limbik.errors import FormatError
from limbik.formats import mjcf
from limbik.formats.load import read
from limbik.formats.source import Source

mujoco = pytest.importorskip("mujoco")

BODY = '<body name="arm"><joint name="turn"/><geom size="0.1"/></body>'
INCLUDED = '<mujocoinclude>\n<default><geom class="%lx"/></default></mujocoinclude>'


def model(inside: str) -> str:
    return f"<mujoco>\n{inside}\n<worldbody>{BODY}</worldbody>\n</mujoco>"


def refused(source: str | Path) -> FormatError:
    with pytest.raises(FormatError) as caught:
        load(source)
    return caught.value


# --- formats of printf --------------------------------------------------------------------------------------

WITH_FORMATS = {
    "class": '<default><geom class="%lx"/></default>',
    "childclass": '<worldbody><body>\n<body childclass="%lx"/></body></worldbody>',
    "default": '<default>\n<default class="%lx"/></default>',
    "character reference": '<default><geom class="&#37;lx"/></default>',
}


@pytest.mark.parametrize("inside", WITH_FORMATS.values(), ids=WITH_FORMATS)
def test_a_class_that_is_a_format_is_refused_by_file_line_and_element(tmp_path: Path, inside: str) -> None:
    (tmp_path / "arm.xml").write_text(model(inside))
    for source in (tmp_path / "arm.xml", model(inside)):
        error = refused(source)
        assert "needs a name without '%'" in error.problem
        assert "found '%lx'" in error.problem
        assert error.line == 2 + inside.count("\n")
        assert error.element is not None
    with pytest.raises(FormatError, match="needs a name without '%'"):
        read(Source("arm.xml", model(inside), files={}))


@pytest.mark.parametrize("folder", ["", "parts/"])
def test_a_format_in_an_included_file_is_refused_by_that_file(tmp_path: Path, folder: str) -> None:
    (tmp_path / "parts").mkdir()
    (tmp_path / folder / "inner.xml").write_text(INCLUDED)
    (tmp_path / folder / "outer.xml").write_text('<mujocoinclude><include file="inner.xml"/></mujocoinclude>')
    (tmp_path / "arm.xml").write_text(model(f'<include file="{folder}outer.xml"/>'))
    error = refused(tmp_path / "arm.xml")
    assert error.source.endswith(f"{folder}inner.xml")
    assert error.line == 2


def test_a_format_in_an_attached_model_is_refused(tmp_path: Path) -> None:
    (tmp_path / "hand.xml").write_text(model('<default><geom class="%lx"/></default>'))
    (tmp_path / "arm.xml").write_text(model('<asset><model name="hand" file="hand.xml"/></asset>'))
    assert refused(tmp_path / "arm.xml").source.endswith("hand.xml")


def test_a_format_that_another_encoding_hides_is_refused(tmp_path: Path) -> None:
    text = '<?xml version="1.0" encoding="hz"?>' + model('<default><geom class="~{%n~}"/></default>')
    (tmp_path / "arm.xml").write_bytes(text.encode("ascii"))
    assert "found '~{%n~}'" in refused(tmp_path / "arm.xml").problem


def test_names_and_files_may_have_a_percent_sign(tmp_path: Path) -> None:
    text = '<asset><material name="50%_grey"/></asset><custom><text name="note" data="100%"/></custom>'
    (tmp_path / "arm%20one.xml").write_text(f"<mujocoinclude><!-- 100% -->{text}</mujocoinclude>")
    (tmp_path / "arm.xml").write_text(model('<include file="arm%20one.xml"/>'))
    assert load(tmp_path / "arm.xml").joint_names == ("turn",)


ECHOED = {
    "a repeated body": '<body name="Q%%Q"/><body name="Q%%Q"/>',
    "a mesh": '<body><geom type="mesh" mesh="Q%%Q"/></body>',
    "a material": '<body><geom material="Q%%Q" size="1"/></body>',
    "a type": '<body><geom type="Q%%Q" size="1"/></body>',
    "a number": '<body pos="Q%%Q 0 0"/>',
    "an include": '<include file="Q%%Q"/>',
}


@pytest.mark.parametrize("inside", ECHOED.values(), ids=ECHOED)
def test_mujoco_takes_no_other_text_for_a_format(inside: str) -> None:
    try:
        mujoco.MjSpec.from_string(f"<mujoco><worldbody>{inside}</worldbody></mujoco>").compile()
    except ValueError as error:
        assert "Q%Q" not in str(error)


# --- what takes all memory, or all time ---------------------------------------------------------------------

ENDLESS = {
    "copies": f'<worldbody><replicate count="100000">{BODY}</replicate></worldbody>',
    "copies of copies": "<worldbody>"
    + 3 * "<replicate count='40'>"
    + BODY
    + 3 * "</replicate>"
    + "</worldbody>",
    "composite": '<worldbody><body><composite type="cable" count="100000 1 1" size="1"/></body></worldbody>',
    "flexcomp": '<worldbody><body><flexcomp name="f" count="300 300 300"/></body></worldbody>',
    "height field": '<asset><hfield name="h" nrow="30000" ncol="30000" size="1 1 1 1"/></asset>',
    "mesh": '<asset><mesh name="m" builtin="supersphere" params="30000 1 1"/></asset>',
}


@pytest.mark.parametrize("inside", ENDLESS.values(), ids=ENDLESS)
def test_what_asks_for_too_much_is_refused_with_the_limit(inside: str) -> None:
    message = str(refused(model(inside)))
    assert "found" in message
    assert "more than" in message or "up to" in message


def test_copies_that_an_included_file_makes_are_counted(tmp_path: Path) -> None:
    (tmp_path / "many.xml").write_text(f"<mujocoinclude>{ENDLESS['copies']}</mujocoinclude>")
    (tmp_path / "arm.xml").write_text(model('<include file="many.xml"/>'))
    assert "more than 10,000 copies" in str(refused(tmp_path / "arm.xml"))


@pytest.mark.parametrize("name", ["memory", "nuserdata", "njmax", "nkey", "nuser_body"])
def test_what_a_simulation_would_set_aside_is_not(name: str) -> None:
    assert load(model(f'<size {name}="2000000000"/>')).joint_names == ("turn",)


def test_keyframes_are_read_whatever_is_set_aside_for_them() -> None:
    inside = '<size nkey="2000000000"/><keyframe><key name="home" qpos="0.5"/></keyframe>'
    assert list(mjcf.keyframes(model(inside))) == ["home"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes here")
@pytest.mark.parametrize("inside", ['<include file="pipe.stl"/>', ""], ids=["include", "mesh"])
def test_a_pipe_is_refused_where_a_file_is_named(tmp_path: Path, inside: str) -> None:
    os.mkfifo(tmp_path / "pipe.stl")
    asset = '<asset><mesh name="m" file="pipe.stl"/></asset>'
    body = '<worldbody><body><geom type="mesh" mesh="m"/></body></worldbody>'
    (tmp_path / "arm.xml").write_text(model(inside or asset + body))
    assert "pipe" in str(refused(tmp_path / "arm.xml"))


def test_an_upload_opens_nothing_by_an_include_in_capitals(tmp_path: Path) -> None:
    (tmp_path / "part.xml").write_text("<mujocoinclude><option gravity='0 0 0'/></mujocoinclude>")
    text = model(f'<Include file="{tmp_path / "part.xml"}"/>')
    with pytest.raises(FormatError, match="did you mean <include>"):
        read(Source("arm.xml", text, files={}))


def test_an_included_file_that_only_mujoco_understands_is_left_to_it(tmp_path: Path) -> None:
    (tmp_path / "part.xml").write_text("<mujocoinclude><!-- -- tools -- --><option/></mujocoinclude>")
    (tmp_path / "arm.xml").write_text(model('<include file="part.xml"/>'))
    assert load(tmp_path / "arm.xml").joint_names == ("turn",)
