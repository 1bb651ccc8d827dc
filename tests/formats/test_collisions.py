"""What of robots collides: shapes of URDF and MJCF, pairs of SRDF, and robots by name."""

import importlib.util
import pickle
import shutil
import warnings

import numpy as np
import pytest

import limbik
from collision.meshes import star, stl
from formats.test_robots import ROBOTS, URDFS
from limbik import load
from limbik.collision import Box, Capsule, ConvexHull, Cylinder, Mesh, Sphere
from limbik.collision.geometry import geometry_of
from limbik.collision.pairs import ALWAYS, pairs_of
from limbik.errors import CollisionError, FormatError, FormatWarning
from limbik.formats import mjcf, srdf, srdf_write, urdf_write
from limbik.formats.source import Source, open_source
from limbik.model.pair_rules import PairRule
from limbik.spatial import quat_to_matrix

URDF = """<robot name="shapes">
  <link name="base">
    <visual><geometry><box size="9 9 9"/></geometry></visual>
    <collision><origin xyz="0 0 1"/><geometry><box size="1 2 3"/></geometry></collision>
    <collision><geometry><cylinder radius="0.1" length="2"/></geometry></collision>
  </link>
  <link name="arm">
    <collision><geometry><sphere radius="0.3"/></geometry></collision>
    <collision><geometry><capsule radius="0.1" length="0.4"/></geometry></collision>
  </link>
  <link name="hand">
    <collision><geometry><mesh filename="meshes/hand.stl" scale="0.5 0.5 2"/></geometry></collision>
  </link>
  <joint name="turn" type="continuous"><parent link="base"/><child link="arm"/></joint>
  <joint name="wrist" type="continuous"><parent link="arm"/><child link="hand"/></joint>
</robot>
"""
MJCF = """<mujoco>
  <asset><mesh name="wedge" vertex="0 0 0  1 0 0  0 1 0  0 0 1"/></asset>
  <worldbody>
    <geom type="plane" size="1 1 1"/>
    <body name="arm">
      <joint/>
      <geom type="capsule" fromto="0 0 0 0 0 1" size="0.1"/>
      <geom type="sphere" size="5" contype="0" conaffinity="0"/>
      <body name="hand">
        <joint/><geom type="box" size="1 2 3"/><geom type="cylinder" size="0.1 2"/>
        <body name="finger">
          <joint/><geom type="mesh" mesh="wedge" mass="1"/><geom type="ellipsoid" size="0.1 0.2 0.3"/>
          <body name="nail"><joint/><geom type="sphere" size="0.2" contype="2" conaffinity="2"/></body>
        </body>
      </body>
    </body>
  </worldbody>
  <contact><exclude body1="arm" body2="finger"/></contact>
</mujoco>
"""
needs_mujoco = pytest.mark.skipif(not importlib.util.find_spec("mujoco"), reason="needs MuJoCo")
needs_robots = pytest.mark.skipif(not ROBOTS.is_dir(), reason="needs the package example-robot-data")


@pytest.fixture
def on_disk(tmp_path):
    (tmp_path / "meshes").mkdir()
    (tmp_path / "meshes" / "hand.stl").write_bytes(stl(star(np.full(6, 0.1))))
    path = tmp_path / "shapes.urdf"
    path.write_text(URDF)
    return path


def without_notes(source, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return load(source, **options)


# --- URDF ---------------------------------------------------------------------------------------------------


def test_collisions_of_a_urdf_have_their_sizes_and_places(on_disk):
    box, cylinder, sphere, capsule, mesh = without_notes(on_disk).shapes
    assert [box.link, cylinder.link, sphere.link, capsule.link, mesh.link] == [
        "base", "base", "arm", "arm", "hand",
    ]  # fmt: skip
    assert (box.shape, cylinder.shape) == (Box((1, 2, 3)), Cylinder(0.1, 2))
    assert (sphere.shape, capsule.shape) == (Sphere(0.3), Capsule(0.1, 0.4))
    np.testing.assert_array_equal(box.pose_link_shape[:3, 3], [0, 0, 1])
    assert mesh.shape.scale == (0.5, 0.5, 2.0)
    assert mesh.shape.path.name == "hand.stl"


def test_shapes_of_one_link_are_one_body_and_meshes_are_scaled(on_disk):
    base, arm, hand = geometry_of(load(on_disk)).bodies
    assert [body.name for body in (base, arm, hand)] == ["base", "arm", "hand"]
    assert [len(body.pieces) for body in (base, arm, hand)] == [2, 2, 1]
    np.testing.assert_allclose(np.ptp(hand.pieces[0].vertices, axis=0)[[0, 2]], [0.1, 0.2], atol=1e-6)


def test_a_mesh_that_is_missing_is_told_when_loading_and_refused_when_it_is_needed(on_disk):
    (on_disk.parent / "meshes" / "hand.stl").unlink()
    with pytest.warns(FormatWarning, match=r"meshes are missing.*'meshes/hand.stl' \(link 'hand'\)"):
        model = load(on_disk)
    model.forward(model.neutral)  # it moves all the same
    with pytest.raises(CollisionError, match=r"link 'hand': there is no mesh 'meshes/hand\.stl'"):
        model.check(model.neutral)


@pytest.mark.parametrize(
    "content", [b"", stl(star(np.full(4, 0.1)), count=2**32 - 1), stl(star([np.nan] * 4))]
)
def test_a_mesh_that_is_broken_is_refused_with_link_and_file(on_disk, content):
    (on_disk.parent / "meshes" / "hand.stl").write_bytes(content)
    model = without_notes(on_disk)
    with pytest.raises(CollisionError, match=r"link 'hand': mesh '.*hand\.stl'"):
        geometry_of(model)


@pytest.mark.filterwarnings("ignore:.*meshes are missing")
@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('box size="1 2 3"', 'box size="1 2"', "left out of collisions"),
        ('box size="1 2 3"', 'box size="1 -2 3"', "above 0"),
        ('sphere radius="0.3"', 'sphere radius="0"', "above 0"),
        ('scale="0.5 0.5 2"', 'scale="0 0 0"', "other than 0"),
        ("sphere radius", "shpere radius", "no shape <shpere>; did you mean 'sphere'"),
        ('<sphere radius="0.3"/>', "", "needs one of .*, found nothing; it is left out"),
        ('box size="1 2 3"', "box", "its <box> needs a size; it is left out"),
    ],
)
def test_a_shape_that_is_described_wrongly_is_left_out_and_told(on_disk, old, new, words):
    with pytest.warns(FormatWarning, match=words):
        model = load(Source("a.urdf", URDF.replace(old, new), files={"meshes/hand.stl": b""}).text)
    assert len(model.shapes) == 4


def test_shapes_stay_where_they_were_when_a_urdf_is_written(on_disk):
    model = load(on_disk)
    again = load(urdf_write.write(model))
    for a, b in zip(model.shapes, again.shapes, strict=True):
        assert (a.link, type(a.shape)) == (b.link, type(b.shape))
        np.testing.assert_allclose(a.pose_link_shape, b.pose_link_shape, atol=1e-12)
    assert [one.shape for one in again.shapes[:4]] == [one.shape for one in model.shapes[:4]]
    assert again.shapes[4].shape.scale == (0.5, 0.5, 2.0)


def test_shapes_stay_with_a_model_that_is_pickled_or_gets_a_floating_base(on_disk):
    model = load(on_disk)
    for other in (pickle.loads(pickle.dumps(model)), load(on_disk, base="floating")):
        assert [shape.link for shape in other.shapes] == [shape.link for shape in model.shapes]
        assert pairs_of(other).checked == pairs_of(model).checked


# --- MJCF ---------------------------------------------------------------------------------------------------


@needs_mujoco
def test_geoms_of_an_mjcf_collide_as_in_mujoco():
    model = load(MJCF)
    assert [shape.link for shape in model.shapes] == ["arm", "hand", "hand", "finger", "finger", "nail"]
    capsule, box, cylinder, mesh, *_ = model.shapes
    assert capsule.shape == Capsule(0.1, 1.0)
    np.testing.assert_allclose(capsule.pose_link_shape[:3, 3], [0, 0, 0.5], atol=1e-12)
    assert (box.shape, cylinder.shape) == (Box((2, 4, 6)), Cylinder(0.1, 4))
    assert isinstance(mesh.shape, ConvexHull)
    placed = mesh.shape.vertices @ mesh.pose_link_shape[:3, :3].T + mesh.pose_link_shape[:3, 3]
    expected = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
    np.testing.assert_allclose(sorted(placed.round(6).tolist()), sorted(expected), atol=1e-5)


@needs_mujoco
def test_the_hull_that_stands_for_an_ellipsoid_contains_it():
    shape = load(MJCF).shapes[4].shape
    from scipy.spatial import ConvexHull as Qhull

    directions = np.random.default_rng(0).normal(size=(500, 3))
    directions /= np.linalg.norm(directions, axis=1)[:, None]
    planes = Qhull(shape.vertices).equations
    points = directions * (0.1, 0.2, 0.3)
    assert (points @ planes[:, :3].T + planes[:, 3]).max() <= 1e-9
    assert (np.abs(shape.vertices) / (0.1, 0.2, 0.3)).max() < 1.06


@needs_mujoco
def test_pairs_that_mujoco_does_not_look_at_have_their_reason():
    told = {frozenset((rule.first, rule.second)): rule.reason for rule in load(MJCF).pair_rules}
    assert told[frozenset(("arm", "finger"))] == "MJCF: exclude"
    assert told[frozenset(("arm", "nail"))] == "MJCF: contype and conaffinity"
    assert frozenset(("arm", "hand")) not in told


@needs_mujoco
@pytest.mark.parametrize(
    "placed",
    [
        'refpos=".1 .2 .3"',
        'refpos=".1 .2 .3" scale="1 1 -1"',
        'refpos=".1 .2 .3" scale="2 1 3"',
        'refpos=".1 .2 .3" refquat="1 .5 0 0" scale=".5 .5 .5"',
        'refpos=".1 .2 .3" refquat="1 .5 .2 0" scale="-1 1 1"',
        'refpos=".1 .2 .3" refquat="1 .5 0 0" scale="2 1 3"',
    ],
)
def test_meshes_of_an_mjcf_are_where_mujoco_has_them(placed, tmp_path):
    import mujoco

    (tmp_path / "star.stl").write_bytes(stl(star(np.linspace(0.1, 0.2, 6))))
    (tmp_path / "arm.xml").write_text(
        f"""<mujoco><asset><mesh name="m" file="star.stl" {placed}/></asset><worldbody><body name="arm">
        <joint/><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>
        <geom type="mesh" mesh="m" pos="1 0 0" euler="10 0 40"/></body></worldbody></mujoco>"""
    )
    mj = mujoco.MjModel.from_xml_path(str(tmp_path / "arm.xml"))
    turn = quat_to_matrix(mj.geom_quat[0][[1, 2, 3, 0]])
    expected = mj.mesh_vert @ turn.T + mj.geom_pos[0]
    (shape,) = without_notes(tmp_path / "arm.xml").shapes
    vertices = shape.shape.vertices
    if vertices is None:
        vertices = shape.shape.scale * star(np.linspace(0.1, 0.2, 6)).reshape(-1, 3)
    actual = vertices @ shape.pose_link_shape[:3, :3].T + shape.pose_link_shape[:3, 3]
    apart = np.linalg.norm(actual[:, None] - expected, axis=-1)
    assert max(apart.min(axis=0).max(), apart.min(axis=1).max()) < 1e-6


BESIDE = """<mujoco><compiler {options}/><asset><mesh name="wedge" vertex="-.3 -.3 -.3 .6 0 0 0 .6 0 0 0 .6"/>
<mesh name="lost" file="lost.stl"/></asset><worldbody>
<body name="a"><joint type="slide" axis="1 0 0"/>{geom}</body>
<body name="b" pos="1 0 0"><joint type="slide" axis="0 1 0"/><geom name="ball" size=".05"/></body>
<body name="c" pos="5 0 0"><joint/>{other}<geom size=".05"/></body></worldbody>{more}</mujoco>"""


@needs_mujoco
@pytest.mark.parametrize(
    ("options", "geom", "other", "more"),
    [
        ('discardvisual="true"', '<geom size=".05"/>', "", ""),
        (
            "",
            '<geom type="mesh" mesh="wedge"/>',
            '<geom type="mesh" mesh="lost" contype="0" conaffinity="0"/><geom type="sphere" mesh="lost"/>',
            "",
        ),
        (
            "",
            '<geom name="one" size=".05"/>',
            "",
            '<contact><pair geom1="one" geom2="ball"/><exclude body1="a" body2="b"/></contact>',
        ),
    ],
    ids=["visuals are discarded", "beside a mesh that is missing", "a pair of excluded bodies"],
)
def test_geoms_of_an_mjcf_stay_on_their_bodies(options, geom, other, more):
    with warnings.catch_warnings(record=True) as notes:
        warnings.simplefilter("always")
        model = load(BESIDE.format(options=options, geom=geom, other=other, more=more))
    assert [shape.link for shape in model.shapes] == ["a", "b", "c"]
    assert not model.check([0.95, 0.0, 0.0]).is_free
    assert model.check([0.0, 0.0, 0.0]).is_free
    said = " ".join(str(note.message) for note in notes)
    assert ("geoms of 'c' are left out of collisions" in said) == bool(other)


@needs_mujoco
@pytest.mark.parametrize("is_upload", [False, True], ids=["disk", "upload"])
def test_a_mesh_that_is_missing_takes_no_other_geom_and_no_mass_with_it(is_upload, tmp_path):
    body = """<body name="{0}" pos="0 0 {1}"><joint name="{0}"/>
        <inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/><geom type="box" mesh="{2}"/></body>"""
    text = f"""<mujoco><asset><mesh name="here" file="here.stl"/><mesh name="lost" file="lost.stl"/></asset>
        <worldbody>{body.format("a", 0, "here")}{body.format("b", 1, "lost")}</worldbody></mujoco>"""
    (tmp_path / "here.stl").write_bytes(stl(star(np.full(6, 0.1))))
    (tmp_path / "arm.xml").write_text(text)
    files = {"here.stl": (tmp_path / "here.stl").read_bytes()}
    source = Source("arm.xml", text, None, files) if is_upload else open_source(tmp_path / "arm.xml")
    with pytest.warns(FormatWarning, match="geoms of 'b' are left out of collisions") as notes:
        model = mjcf.read(source)
    assert len(notes) == 1
    assert [shape.link for shape in model.shapes] == ["a"]
    assert model.mass == 2.0


@needs_mujoco
def test_a_mesh_that_an_mjcf_does_not_name_is_refused():
    with pytest.raises(FormatError, match="mesh 'nope' not found"):
        load(BESIDE.format(options="", geom='<geom type="mesh" mesh="nope"/>', other="", more=""))


@needs_mujoco
@pytest.mark.parametrize(
    ("placed", "words"),
    [
        ('scale="0 1 1"', "mesh 'm': `scale` of a mesh needs three numbers other than 0"),
        ('scale="1e200 1 1"', "none beyond"),
        ('refquat="0 0 0 0"', "mesh 'm': refquat needs a length"),
        ('refpos="inf 0 0"', "`refpos` needs finite numbers"),
    ],
)
def test_a_mesh_of_an_mjcf_that_is_placed_nowhere_is_refused(placed, words):
    text = f"""<mujoco><asset><mesh name="m" file="m.stl" {placed}/></asset><worldbody><body name="arm">
        <joint/><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>
        <geom type="mesh" mesh="m"/></body></worldbody></mujoco>"""
    with pytest.raises(FormatError, match=words):
        load(text)


@needs_mujoco
@pytest.mark.parametrize("files", ["attached", "stripped"])
def test_meshes_of_an_mjcf_are_found_where_mujoco_finds_them(files, tmp_path):
    inside = """<asset><mesh name="m" file="{file}"/></asset><worldbody><body name="arm"><joint/>
        <inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/><geom type="mesh" mesh="m"/></body></worldbody>"""
    (tmp_path / "sub" / "assets").mkdir(parents=True)
    if files == "attached":
        (tmp_path / "sub" / "assets" / "star.stl").write_bytes(stl(star(np.full(6, 0.1))))
        part = f'<mujoco model="part"><compiler meshdir="assets"/>{inside.format(file="star.stl")}</mujoco>'
        (tmp_path / "sub" / "part.xml").write_text(part)
        text = """<mujoco><asset><model name="part" file="sub/part.xml"/></asset><worldbody><frame>
            <attach model="part" body="arm" prefix="x"/></frame></worldbody></mujoco>"""
    else:
        (tmp_path / "star.stl").write_bytes(stl(star(np.full(6, 0.1))))
        text = f'<mujoco><compiler strippath="true"/>{inside.format(file="../else/star.stl")}</mujoco>'
    (tmp_path / "arm.xml").write_text(text)
    model = without_notes(tmp_path / "arm.xml")
    assert model.check([0.0]).is_free  # which reads them
    assert len(model.shapes) == 1


@needs_mujoco
def test_a_primitive_that_mujoco_fits_to_a_mesh_is_that_primitive(tmp_path):
    (tmp_path / "star.stl").write_bytes(stl(star(np.full(6, 0.1))))
    (tmp_path / "arm.xml").write_text(
        """<mujoco><asset><mesh name="m" file="star.stl"/></asset><worldbody><body name="arm"><joint/>
        <inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/><geom type="sphere" mesh="m"/></body></worldbody>
        </mujoco>"""
    )
    (shape,) = without_notes(tmp_path / "arm.xml").shapes
    assert isinstance(shape.shape, Sphere)


# --- SRDF ---------------------------------------------------------------------------------------------------

DISABLED = """<robot name="shapes">
  <disable_collisions link1="base" link2="hand" reason="Never"/>
</robot>
"""


def test_an_srdf_says_which_pairs_are_not_checked(on_disk):
    before = {frozenset((pair.first, pair.second)): pair.reason for pair in pairs_of(load(on_disk)).unchecked}
    assert before[frozenset(("base", "hand"))] == ALWAYS
    model = without_notes(on_disk, srdf=DISABLED)
    reasons = {frozenset((pair.first, pair.second)): pair.reason for pair in pairs_of(model).unchecked}
    assert reasons[frozenset(("base", "hand"))] == "SRDF: Never"


def test_an_srdf_without_reasons_is_named_as_the_reason(on_disk):
    model = load(on_disk, srdf=DISABLED.replace(' reason="Never"', ""))
    assert [rule.reason for rule in model.pair_rules] == ["SRDF"]


@pytest.mark.parametrize("place", ["package/urdf/arm.srdf", "package/srdf/arm.srdf"])
def test_an_srdf_beside_a_file_is_read(on_disk, tmp_path, place):
    """As packages for ROS have it; what it says of links that are not there, and of groups, is left out."""
    robot = tmp_path / "package/urdf/arm.urdf"
    robot.parent.mkdir(parents=True)
    shutil.copytree(on_disk.parent / "meshes", robot.parent / "meshes")
    shutil.copy(on_disk, robot)
    assert not without_notes(robot).pair_rules
    (tmp_path / place).parent.mkdir(exist_ok=True)
    more = '<disable_collisions link1="hand" link2="x"/><group name="g"><group name="not there"/></group>'
    (tmp_path / place).write_text(DISABLED.replace("</robot>", f"{more}</robot>"))
    assert without_notes(robot).pair_rules == without_notes(on_disk, srdf=DISABLED).pair_rules
    other = DISABLED.replace('reason="Never"', 'reason="Other"')
    assert [rule.reason for rule in without_notes(robot, srdf=other).pair_rules] == ["SRDF: Other"]


def test_groups_of_joints_that_are_not_there_do_not_keep_pairs_of_an_srdf_from_being_read(on_disk):
    group = '<group name="hand"><joint name="fixed in this model"/></group>'
    rules = load(on_disk, srdf=DISABLED.replace("</robot>", f"{group}</robot>")).pair_rules
    assert rules == load(on_disk, srdf=DISABLED).pair_rules
    with pytest.raises(FormatError, match="did you mean <disable_collisions>"):
        load(on_disk, srdf=DISABLED.replace("disable_collisions", "disable_colisions"))


def test_pairs_of_an_srdf_about_links_that_are_not_there_are_refused(on_disk):
    with pytest.raises(FormatError, match="there is no link 'hnd'; did you mean 'hand'"):
        load(on_disk, srdf=DISABLED.replace('"hand"', '"hnd"'))


def test_an_srdf_is_read_as_it_was_written(on_disk):
    model = load(on_disk)
    rules = [
        PairRule(first="base", second="arm", is_checked=False, reason='"<&> always"'),
        PairRule(first="base", second="hand", is_checked=True),
        PairRule(first="arm", second="hand", is_checked=False),
    ]
    text = srdf_write.write("shapes", rules)
    read = srdf.read(text, model)
    assert read.name == "shapes"
    assert [(one.link1, one.link2, one.reason) for one in read.disabled_collisions] == [
        ("base", "arm", '"<&> always"'),
        ("arm", "hand", ""),
    ]
    again = load(on_disk, srdf=text)
    assert srdf_write.write("shapes", again.pair_rules) == text.replace('reason=""', 'reason="SRDF"')


# --- robots by name -----------------------------------------------------------------------------------------


def test_a_robot_without_shapes_has_capsules_and_says_so():
    geometry = geometry_of(limbik.planar_arm(2))
    assert [body.name for body in geometry.bodies] == ["link1", "link2"]
    assert "no shapes that collide; capsules of radius 0.1 m along the links" in geometry.note


@needs_robots
def test_a_robot_that_comes_along_has_the_shapes_of_its_description():
    preset = limbik.load("ur5")
    described = load(ROBOTS / URDFS["ur5"][0])
    assert [shape.name for shape in preset.shapes] == [shape.name for shape in described.shapes]
    own = [joint.name for joint in preset.joints if joint.nq]
    assert len(own) == described.nq
    q = preset.random(0)
    shapes = zip(preset.shapes, described.shapes, strict=True)
    between = [
        (preset.pose(q, a.link) @ a.pose_link_shape, described.pose(q, b.link) @ b.pose_link_shape)
        for a, b in shapes
    ]
    turned = between[0][0] @ np.linalg.inv(between[0][1])  # what the two stand on may be turned
    for ours, theirs in between:
        np.testing.assert_allclose(ours, turned @ theirs, atol=1e-5)


@needs_robots
@pytest.mark.parametrize("name", ["panda", "ur5"])
def test_known_robots_have_pairs_that_their_srdf_says(name):
    rules = limbik.load(name).pair_rules
    assert rules
    assert all(not rule.is_checked and rule.reason.startswith("SRDF") for rule in rules)


@needs_robots
@pytest.mark.parametrize("name", ["panda", "ur5", "talos", "g1", "pr2"])
def test_all_meshes_of_real_robots_are_found(name):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FormatWarning)  # PR2's fingers
        model = load(ROBOTS / URDFS[name][0])
    meshes = [shape.shape for shape in model.shapes if isinstance(shape.shape, Mesh)]
    assert meshes
    assert all(mesh.path.is_file() for mesh in meshes)


@pytest.mark.slow
@needs_robots
def test_the_bodies_of_the_panda_contain_its_meshes():
    from collision.containment import beyond
    from collision.meshes import samples
    from limbik.collision.meshes import triangles_of

    model = load(ROBOTS / URDFS["panda"][0])
    geometry = geometry_of(model)
    rng = np.random.default_rng(0)
    assert 0.0 < geometry.overshoot < 2e-3
    bodies = {body.name: body for body in geometry.bodies if len(body.pieces) == 1}
    for shape in model.shapes:
        if shape.name not in bodies or not isinstance(shape.shape, Mesh):
            continue
        body = bodies[shape.name]
        points = samples(triangles_of(shape.shape), rng, 60)
        links = [model.pose(model.neutral, link) for link in (body.link, shape.link)]
        pose = np.linalg.inv(links[0]) @ links[1] @ shape.pose_link_shape
        points = points @ pose[:3, :3].T + pose[:3, 3]
        assert beyond(body.pieces[0], points).max() <= 1e-5
        assert (np.linalg.norm(points - body.center, axis=1) <= body.radius).all()
        to_centers = np.linalg.norm(points[:, None] - body.cover.centers, axis=2)
        assert (to_centers <= body.cover.radii).any(axis=1).all()


def test_of_two_shapes_in_one_geometry_the_second_is_told(on_disk):
    two = URDF.replace('<sphere radius="0.3"/>', '<sphere radius="0.3"/><box size="1 1 1"/>')
    with pytest.warns(FormatWarning, match="has 2 shapes; the first is taken"):
        load(Source("a.urdf", two, files={"meshes/hand.stl": b""}).text)
