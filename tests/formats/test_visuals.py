"""What robots look like: shapes of URDF and MJCF, where meshes are, and what is left out."""

import re
import struct
import warnings

import numpy as np
import pytest

import limbik
from limbik.errors import LimbikError
from limbik.formats import registry
from limbik.formats.load import load
from limbik.formats.preset_visuals import dressed
from limbik.formats.source import Source, open_source
from limbik.formats.visuals import look

URDF = """<robot name="shown">
  <material name="steel"><color rgba="0.5 0.5 0.6 1"/></material>
  <link name="base">
    <visual><geometry><box size="1 2 3"/></geometry><material name="steel"/></visual>
    <visual><origin xyz="0 0 1" rpy="0 0 0"/><geometry><cylinder radius="0.1" length="2"/></geometry></visual>
    <visual>
      <geometry><sphere radius="0.3"/></geometry>
      <material name="own"><color rgba="1 0 0 0.5"/></material>
    </visual>
  </link>
  <link name="arm">
    <visual>
      <geometry><mesh filename="package://shown/meshes/arm.STL" scale="0.001 0.001 0.001"/></geometry>
    </visual>
    <visual><geometry><mesh filename="meshes/arm.gltf"/></geometry></visual>
    <visual><geometry><mesh filename="../../outside.stl"/></geometry></visual>
    <visual><geometry><box size="wide"/></geometry></visual>
    <collision><geometry><box size="9 9 9"/></geometry></collision>
  </link>
  <joint name="turn" type="continuous"><parent link="base"/><child link="arm"/></joint>
</robot>
"""
MJCF = """<mujoco>
  <asset>
    <mesh name="wedge" vertex="0 0 0  1 0 0  0 1 0  0 0 1"/>
    <material name="red" rgba="1 0 0 1"/>
  </asset>
  <worldbody>
    <geom type="plane" size="1 1 1"/>
    <body name="arm">
      <joint/>
      <geom type="capsule" fromto="0 0 0 0 0 1" size="0.1" contype="0" conaffinity="0" material="red"/>
      <geom type="mesh" mesh="wedge" contype="0" conaffinity="0" pos="1 2 3"/>
      <geom type="ellipsoid" size="1 2 3" contype="0" conaffinity="0" rgba="0 1 0 1"/>
      <geom type="box" size="1 1 1"/>
      <geom type="sphere" size="5" contype="0" conaffinity="0" group="4"/>
      <geom type="sphere" size="6" contype="0" conaffinity="0" rgba="0 0 0 0"/>
      <body name="hand"><joint/><geom type="box" size="1 2 3"/><geom type="cylinder" size="0.1 2"/></body>
    </body>
  </worldbody>
</mujoco>
"""


@pytest.fixture
def on_disk(tmp_path):
    """The description in a package of its own, with a mesh inside and one outside."""
    package = tmp_path / "shown"
    (package / "meshes").mkdir(parents=True)
    (package / "meshes" / "arm.STL").write_bytes(b"solid")
    (package / "meshes" / "arm.gltf").write_bytes(b"{}")
    (tmp_path / "outside.stl").write_bytes(b"secret")
    (package / "urdf").mkdir()
    file = package / "urdf" / "shown.urdf"
    file.write_text(URDF)
    return file


def test_the_shapes_of_a_urdf_have_their_sizes_places_and_colours():
    box, cylinder, sphere, mesh = look(Source("a.urdf", URDF, files={"meshes/arm.STL": b"solid"})).visuals
    assert (box.link, box.shape, box.size, box.color) == ("base", "box", (1, 2, 3), (0.5, 0.5, 0.6, 1))
    assert (cylinder.shape, cylinder.size, cylinder.color) == ("cylinder", (0.1, 2), None)
    np.testing.assert_array_equal(cylinder.pose_link_visual[:3, 3], [0, 0, 1])
    assert (sphere.size, sphere.color) == ((0.3,), (1, 0, 0, 0.5))
    assert (mesh.link, mesh.mesh.format, mesh.mesh.data) == ("arm", "stl", b"solid")
    assert mesh.scale == (0.001, 0.001, 0.001)


def test_meshes_on_the_disk_are_told_only_inside_their_package(on_disk):
    seen = look(open_source(on_disk), on_disk.parent.parent)
    assert [visual.mesh.path.name for visual in seen.visuals if visual.mesh] == ["arm.STL"]
    assert any("outside.stl" in note for note in seen.notes)
    assert any("gltf" in note for note in seen.notes)
    assert not any(visual.mesh for visual in look(open_source(on_disk)).visuals)  # no package, no meshes


def test_a_shape_that_is_described_wrongly_is_told_and_left_out():
    notes = look(Source("a.urdf", URDF, files={})).notes
    assert any(re.match(r"a.urdf:\d+: <box>", note) and "wide" in note for note in notes)


def test_the_geoms_of_an_mjcf_that_are_for_the_eye_are_shown():
    pytest.importorskip("mujoco")
    visuals = look(Source("a.xml", MJCF, files={})).visuals
    arm = {visual.shape: visual for visual in visuals if visual.link == "arm"}
    assert len(visuals) == 5
    assert set(arm) == {"capsule", "mesh", "sphere"}
    assert arm["capsule"].size == pytest.approx((0.1, 1.0))
    assert arm["capsule"].color == (1, 0, 0, 1)
    np.testing.assert_allclose(arm["capsule"].pose_link_visual[:3, 3], [0, 0, 0.5])
    assert arm["sphere"].scale == (1, 2, 3)
    hand = [visual for visual in visuals if visual.link == "hand"]
    assert [visual.size for visual in hand] == [(2, 4, 6), (0.1, 4)]
    assert [visual.color for visual in hand] == [None, None]


def test_a_raw_mesh_stands_where_the_file_has_it():
    pytest.importorskip("mujoco")
    (wedge,) = (visual for visual in look(Source("a.xml", MJCF, files={})).visuals if visual.mesh)
    data = wedge.mesh.data
    vertices, triangles = struct.unpack_from("<2I", data)
    assert len(data) == 8 + 12 * vertices + 12 * triangles
    points = np.frombuffer(data, "<f4", 3 * vertices, 8).reshape(-1, 3).astype(float)
    places = np.frombuffer(data, "<u4", 3 * triangles, 8 + 12 * vertices)
    assert places.max() < vertices
    pose = wedge.pose_link_visual
    found = points @ pose[:3, :3].T + pose[:3, 3]
    np.testing.assert_allclose(found, np.round(found), atol=1e-6)
    assert sorted(np.round(found).tolist()) == [[1, 2, 3], [1, 2, 4], [1, 3, 3], [2, 2, 3]]


def test_an_mjcf_without_its_meshes_shows_the_rest():
    pytest.importorskip("mujoco")
    text = MJCF.replace('vertex="0 0 0  1 0 0  0 1 0  0 0 1"', 'file="wedge.stl"')
    seen = look(Source("a.xml", text, files={}))
    assert sorted({visual.shape for visual in seen.visuals}) == ["box", "capsule", "cylinder", "sphere"]
    assert "wedge.stl" in seen.notes[0]


@pytest.mark.parametrize("text", ["arm 1 0 0 0\n", "<sdf/>", "theta,d,a,alpha\n0,1,0,0\n"])
def test_what_is_no_robot_in_xml_has_no_shapes(text):
    assert look(Source("a", text, files={})).visuals == ()


# Robots that limbik brings along, in the clothes of another package


BROUGHT = [robot.name for robot in registry.robots() if robot.is_built_in and robot.installed]


@pytest.mark.parametrize(
    "name", BROUGHT or [pytest.param("", marks=pytest.mark.skip(reason="no descriptions"))]
)
def test_a_robot_wears_the_shapes_of_its_description_where_that_has_them(name):
    description = registry.find(name).robot.installed
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model, other = load(name), load(f"{description.package.name}:{name}")
    source = open_source(description.path)
    visuals = look(source, description.path.parents[description.file.count("/")]).visuals
    worn = dressed(model, other, visuals)
    assert worn, f"{name} does not move as its description does"
    q = model.random(3)
    others_q = other.neutral.copy()
    own = [joint.name for joint in model.joints if joint.nq]
    there = [joint.name for joint in other.joints if joint.nq]
    for mine, twin in zip(own, there, strict=False):
        others_q[other.q_slice(twin)] = q[model.q_slice(mine)]
    apart = []
    for own_visual, visual in zip(worn, visuals, strict=True):
        here = model.pose(q, own_visual.link) @ own_visual.pose_link_visual
        apart.append(other.pose(others_q, visual.link) @ visual.pose_link_visual @ np.linalg.inv(here))
    assert np.abs(np.array(apart) - apart[0]).max() < 5e-3  # the same picture, perhaps on a turned base


def test_a_robot_does_not_wear_what_moves_otherwise():
    model = limbik.planar_arm(2)
    builder = limbik.ModelBuilder("other").revolute("joint1")
    other = builder.revolute("joint2", axis="x", origin=(1, 0, 0)).build()
    ball = '<visual><geometry><sphere radius="1"/></geometry></visual>'
    text = f'<robot name="a"><link name="joint2">{ball}</link></robot>'
    assert dressed(model, other, look(Source("a", text, files={})).visuals) is None


def test_errors_of_the_readers_are_raised():
    with pytest.raises(LimbikError):
        look(Source("a.xml", "<mujoco", files={}))
