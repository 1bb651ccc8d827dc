"""Descriptions from a page that are made to end, to hang or to fill the server: errors, and it goes on."""

import pytest

from bad_readers import reader_that_dies, reader_that_hangs
from limbik.app import scene_opener as room
from limbik.app.scene_opener import SceneOpener
from limbik.errors import LimbikError
from space_scenes import URDF, opening, request


def refused(workshop: SceneOpener, text: str, name: str = "arm.xml") -> str:
    with pytest.raises(LimbikError) as caught:
        workshop.open(request(**opening(text=text, name=name)))
    return str(caught.value)


def test_a_reader_that_dies_is_an_error_and_the_workshop_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    workshop = SceneOpener()
    with monkeypatch.context() as patch:
        patch.setattr(room, "read_with_look", reader_that_dies)
        message = refused(workshop, URDF, "arm.urdf")
    assert message.startswith("arm.urdf: the process that reads it died (signal")
    assert workshop.open(request(**opening(text=URDF))).arms


def test_a_reader_that_hangs_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(room, "read_with_look", reader_that_hangs)
    monkeypatch.setattr(room, "SECONDS", 1.0)
    assert refused(SceneOpener(), URDF, "arm.urdf").startswith("arm.urdf: takes more than 1 s to read")


def test_a_class_that_is_a_format_is_refused() -> None:
    pytest.importorskip("mujoco")
    text = '<mujoco>\n<worldbody><body><geom class="%s%n" size="1"/></body></worldbody></mujoco>'
    message = refused(SceneOpener(), text)
    assert message.startswith("arm.xml:2: <geom> of <body> of <worldbody>: `class` needs a name without '%'")


def test_remarks_and_shapes_of_a_description_come_back_from_its_process() -> None:
    text = """<robot name="r"><link name="a"><visual><geometry><sphere radius="1"/></geometry></visual></link>
    <link name="b"/><joint name="j" type="revolute"><parent link="a"/><child link="b"/></joint></robot>"""
    opened = SceneOpener().open(request(**opening(text=text, name="arm.urdf")))
    assert any("no lower and no upper limit" in note for note in opened.notes)
    assert [visual.shape for visual in opened.arms[0].visuals] == ["sphere"]
