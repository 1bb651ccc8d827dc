"""Texts of which nothing on the disk is opened: what they include, their meshes, and what is refused."""

import struct
import warnings

import numpy as np
import pytest

from limbik.errors import FormatError, FormatWarning
from limbik.formats import confined_files as enclosed
from limbik.formats.confined_files import find_file
from limbik.formats.load import read
from limbik.formats.source import Source, open_source

pytest.importorskip("mujoco")


def stl(size=1.0):
    """A tetrahedron."""
    corners = size * np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]])
    facets = [struct.pack("<12fH", 0, 0, 0, *corners[list(each)].ravel(), 0) for each in FACES]
    return bytes(80) + struct.pack("<I", len(facets)) + b"".join(facets)


FACES = ((0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3))
ARM = """<mujoco model="arm">
  <compiler meshdir="assets"/>
  <asset><mesh name="tetra" file="{mesh}"/></asset>
  <worldbody>
    <body name="upper"><joint name="a"/><geom type="mesh" mesh="tetra"/>
      <body name="lower" pos="0 0 1"><joint name="b" axis="0 1 0"/><geom size="0.1"/></body>
    </body>
  </worldbody>
</mujoco>
"""


def opened(text, files=(), name="robot/arm.xml"):
    return read(Source(name, text, files=dict(files)))


def refused(text, files=()):
    with pytest.raises(FormatError) as caught:
        opened(text, files)
    return caught.value


@pytest.mark.parametrize("mesh", ["tetra.stl", "../assets/tetra.stl", "/elsewhere/assets/tetra.stl"])
def test_meshes_come_from_the_files_that_are_given(mesh):
    model = opened(ARM.format(mesh=mesh), {"robot/assets/tetra.stl": stl()})
    assert model.mass == pytest.approx(1000 / 6 + 1000 * 4 / 3 * np.pi * 0.1**3, rel=1e-6)


@pytest.mark.parametrize("place", ["relative", "absolute"])
def test_a_mesh_on_the_disk_is_not_opened(tmp_path, monkeypatch, place):
    folder = tmp_path / "assets"
    folder.mkdir()
    (folder / "tetra.stl").write_bytes(stl())
    monkeypatch.chdir(tmp_path)
    mesh = "tetra.stl" if place == "relative" else folder / "tetra.stl"
    with pytest.warns(FormatWarning, match="there is no file"):
        assert opened(ARM.format(mesh=mesh), name="arm.xml").mass == 0.0


def test_an_included_file_on_the_disk_is_not_opened(tmp_path, monkeypatch):
    (tmp_path / "part.xml").write_text("<mujocoinclude><option gravity='0 0 0'/></mujocoinclude>")
    monkeypatch.chdir(tmp_path)
    for file in ("part.xml", tmp_path / "part.xml", "/etc/hostname"):
        text = f'<mujoco>\n  <include file="{file}"/>\n  <worldbody/>\n</mujoco>'
        assert "no file" in str(refused(text))
        assert refused(text).line == 2


INCLUDES = """<mujoco>
  <!-- <include file="not meant"/> -->
  <include
    file="parts/bodies.xml"/><include file='parts/more.xml'></include>
  <worldbody><body name="last"><joint name="z"/></body></worldbody>
</mujoco>
"""
PARTS = {
    "robot/parts/bodies.xml": b"""<?xml version="1.0"?>
<!-- > --><mujocoinclude note="a > b">
  <worldbody><body name="first"><joint name="x"/></body></worldbody>
  <include file="inner.xml"/>
</mujocoinclude>""",
    "robot/parts/inner.xml": "<mujocoinclude><!-- élan --><worldbody/></mujocoinclude>".encode(),
    "robot/parts/more.xml": b"<mujocoinclude/>",
}


def test_included_files_stand_in_their_places():
    assert [joint.name for joint in opened(INCLUDES, PARTS).joints if joint.nq] == ["x", "z"]


def test_included_files_include_what_is_beside_the_main_file_first(tmp_path):
    body = '<worldbody><body><joint name="{}"/><geom size="1"/></body></worldbody>'
    joint = f"<mujocoinclude>{body}</mujocoinclude>"
    files = {
        "sub/a.xml": '<mujocoinclude><include file="deep/b.xml"/></mujocoinclude>',
        "deep/b.xml": joint.format("beside the main file"),
        "sub/deep/b.xml": joint.format("beside the file that includes it"),
    }
    main = '<mujoco><include file="sub/a.xml"/></mujoco>'
    for name, text in {**files, "arm.xml": main}.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    uploaded = opened(main, {name: text.encode() for name, text in files.items()}, "arm.xml")
    assert uploaded.joint_names == read(open_source(tmp_path / "arm.xml")).joint_names


def test_lines_keep_their_numbers_after_an_include():
    error = refused(INCLUDES.replace('<joint name="z"/>', '<jont name="z"/>'), PARTS)
    assert error.line == 5


def test_a_file_that_includes_itself_is_refused():
    parts = {"robot/a.xml": b'<mujocoinclude><include file="a.xml"/></mujocoinclude>'}
    assert "twice" in str(refused('<mujoco><include file="a.xml"/><worldbody/></mujoco>', parts))


def test_many_files_may_be_included_but_not_endlessly_deep():
    def chain(count):
        return {
            f"robot/{k}.xml": f'<mujocoinclude><include file="{k + 1}.xml"/></mujocoinclude>'.encode()
            for k in range(count)
        } | {f"robot/{count}.xml": b"<mujocoinclude/>"}

    side_by_side = {f"robot/{k}.xml": b"<mujocoinclude/>" for k in range(60)}
    listed = "".join(f'<include file="{k}.xml"/>' for k in range(60))
    assert (
        opened(f"<mujoco>{listed}<worldbody><body><joint/></body></worldbody></mujoco>", side_by_side).nq == 1
    )
    text = '<mujoco><include file="0.xml"/><worldbody><body><joint/></body></worldbody></mujoco>'
    assert opened(text, chain(19)).nq == 1
    assert "more than 20 deep" in str(refused(text, chain(20)))


HOSTILE = {
    "a flexible body of a file": '<worldbody><flexcomp name="a" type="mesh" file="/etc/passwd"/></worldbody>',
    "a model of a file": '<asset><model name="a" file="/etc/passwd"/></asset>',
    "a million bodies": "<worldbody>"
    + '<replicate count="100">' * 3
    + "<body/></replicate></replicate></replicate>"
    "</worldbody>",
    "a thousand copies of many sites": "<worldbody><replicate count='1000'>"
    + "<site/>" * 20
    + "</replicate></worldbody>",
    "many materials": "<asset>" + "".join(f"<material name='{k}'/>" for k in range(2000)) + "</asset>",
    "many meshes to be made": "<asset>"
    + "".join(f"<mesh name='{k}' builtin='supersphere' params='64 1 1'/>" for k in range(200))
    + "</asset>",
    "many fields": "<asset>"
    + "".join(f"<hfield name='{k}' nrow='1000' ncol='1000' size='1 1 1 1'/>" for k in range(2))
    + "</asset>",
    "an endless field": '<asset><hfield name="a" nrow="100000" ncol="100000" size="1 1 1 1"/></asset>',
    "a field of a picture": '<asset><hfield name="a" file="field.png" size="1 1 1 1"/></asset>',
    "an endlessly fine mesh": '<asset><mesh name="a" builtin="supersphere" params="1e5 1 1"/></asset>',
    "an include with more in it": '<include file="a.xml"><worldbody/></include>',
}


@pytest.mark.parametrize("inside", HOSTILE.values(), ids=HOSTILE)
def test_what_could_open_files_or_fill_the_memory_is_refused(inside):
    error = refused(f"<mujoco>\n{inside}\n<worldbody/></mujoco>", {"robot/a.xml": b"<mujocoinclude/>"})
    assert error.source == "robot/arm.xml"
    assert error.line in (1, 2)


@pytest.mark.parametrize(
    "size", ["nuser_body", "nkey", "nuserdata", "njmax", "nconmax", "nstack", 'memory="1000G" nuser_site']
)
def test_what_is_set_aside_for_users_and_simulations_takes_neither_memory_nor_time(size):
    model = opened(
        f'<mujoco><size {size}="2000000000"/><worldbody><body><joint/></body></worldbody></mujoco>'
    )
    assert model.nq == 1


def test_a_mesh_file_counts_as_often_as_it_is_named(monkeypatch):
    mesh = stl()
    monkeypatch.setattr(enclosed, "LARGEST_MESHES", 2 * len(mesh))
    twice = ARM.replace("<asset>", '<asset><mesh name="twin" file="{mesh}" scale="1 1 -1"/>').replace(
        "</body>", '<geom type="mesh" mesh="twin"/></body>', 1
    )
    text, files = twice.format(mesh="tetra.stl"), {"robot/assets/tetra.stl": mesh}
    assert opened(text, files).mass > 0
    monkeypatch.setattr(enclosed, "LARGEST_MESHES", 2 * len(mesh) - 1)
    with pytest.warns(FormatWarning, match="larger than"):
        assert opened(text, files).mass == 0.0


def test_xacro_is_refused_because_it_could_open_anything():
    xacro = '<robot name="a" xmlns:xacro="x"><xacro:include filename="/etc/passwd"/><link name="a"/></robot>'
    assert "xacro" in str(refused(xacro))


@pytest.mark.parametrize("text", ["/etc/passwd", "panda", "", "~/arm.urdf", "file:///etc/passwd"])
def test_a_text_is_never_a_path_or_a_name(text):
    assert "expected" in str(refused(text))


def test_a_document_type_is_refused_in_every_file():
    evil = '<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]>'
    assert "document types" in str(refused(f"{evil}<mujoco/>"))
    include = '<mujoco><include file="a.xml"/><worldbody/></mujoco>'
    assert "document types" in str(refused(include, {"robot/a.xml": f"{evil}<mujocoinclude/>".encode()}))


def test_a_file_is_found_beside_the_description_or_by_the_end_of_its_path():
    files = ["r/urdf/a.urdf", "r/meshes/a.stl", "r/meshes/hand/a.stl", "r/meshes/b.stl"]
    assert find_file(files, "r/urdf", "../meshes/a.stl") == "r/meshes/a.stl"
    assert find_file(files, "r/urdf", "package://robot/meshes/hand/a.stl") == "r/meshes/hand/a.stl"
    assert find_file(files, "r/urdf", "file:///home/me/robot/meshes/b.stl") == "r/meshes/b.stl"
    assert find_file(files, "", "meshes\\b.stl") == "r/meshes/b.stl"
    assert find_file(files, "r/urdf", "package://other/a.stl") is None  # two may be meant
    assert find_file(files, "r/urdf", "../../../etc/passwd") is None


def test_nothing_is_warned_of_when_all_is_there():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        opened(ARM.format(mesh="tetra.stl"), {"robot/assets/tetra.stl": stl()})
