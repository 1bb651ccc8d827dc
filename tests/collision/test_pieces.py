"""Convex pieces contain what they are made of, and reach beyond it by no more than is said."""

import os
import struct
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import trimesh
from hypothesis import given, settings
from hypothesis import strategies as st

import limbik
from collision.containment import beyond, surface, to_coal
from collision.meshes import mesh_of, samples, star, stl
from collision.oracle import as_coal, random_shape
from limbik.collision import Box, ConvexHull, Mesh, Points, geometry, meshes, stored_arrays
from limbik.collision.concavity import Surface
from limbik.collision.hulls import MAX_VERTICES, hull_of
from limbik.collision.pieces import measured_pieces_of, pieces_of
from limbik.errors import CollisionError

ROUNDING = 1e-6  # [m] of coal
FACES = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])[
    [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]
]


@pytest.fixture(scope="module", autouse=True)
def _nothing_is_kept():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(stored_arrays, "cache_folder", lambda content: None)
        yield


@pytest.fixture
def cache(tmp_path, monkeypatch):
    """A folder of its own for what is made of shapes."""
    monkeypatch.setattr(stored_arrays, "cache_folder", lambda content: tmp_path)
    monkeypatch.setattr(stored_arrays, "can_keep", lambda: True)
    return tmp_path


def out_of_all(pieces, points):
    return np.min([beyond(piece, points) for piece in pieces], axis=0)


@given(st.integers(0, 2**32 - 1))
def test_pieces_of_plain_shapes_are_the_shapes(seed):
    rng = np.random.default_rng(seed)
    shape = random_shape(rng)
    (piece,) = pieces_of(shape)
    points = rng.normal(size=(30, 3))
    outside = np.clip(beyond(piece, points), 0.0, None) if not isinstance(shape, Box | ConvexHull) else None
    exact = np.clip(to_coal(as_coal(shape), points), 0.0, None)
    if outside is not None:
        np.testing.assert_allclose(outside, exact, atol=1e-5)
    else:
        np.testing.assert_array_equal(beyond(piece, points) > 1e-5, exact > 1e-5)
    assert measured_pieces_of(shape).overshoot == 0.0


@pytest.mark.slow
@settings(max_examples=6)
@given(st.integers(5, 9), st.integers(0, 2**32 - 1))
def test_pieces_of_meshes_contain_them_and_reach_no_farther_than_is_said(corners, seed):
    rng = np.random.default_rng(seed)
    triangles = star(rng.uniform(0.05, 0.3, corners))
    found = measured_pieces_of(mesh_of(triangles))
    assert out_of_all(found.pieces, samples(triangles, rng)).max() <= ROUNDING
    mesh = surface(triangles)
    for piece in found.pieces:
        others = [other for other in found.pieces if other is not piece]
        points = samples(hull_of(piece.vertices).triangles, rng, 100)
        if others:
            points = points[out_of_all(others, points) > 2e-6]  # on the border of all of them together
        assert to_coal(mesh, points).max(initial=0.0) <= found.overshoot + piece.radius + ROUNDING
    assert found.overshoot == 0.0 or f"{found.overshoot * 1e3:.2g} mm beyond it" in found.note


def test_the_inside_of_a_closed_mesh_is_inside_its_pieces():
    rng = np.random.default_rng(0)
    radii = np.array([0.3, 0.06, 0.3, 0.06, 0.3, 0.06])
    inner = samples(star(radii), rng, 500)
    inner[:, :2] *= rng.uniform(size=(500, 1))  # toward the axis, which sees all of the star
    found = measured_pieces_of(mesh_of(star(radii)))
    assert len(found.pieces) > 1
    assert out_of_all(found.pieces, inner).max() <= ROUNDING


RING = trimesh.creation.torus(0.2, 0.05, major_sections=16, minor_sections=8)
TUBE = trimesh.creation.annulus(0.15, 0.2, 0.3, sections=24)
BIN = trimesh.util.concatenate(
    [
        trimesh.creation.box((0.4, 0.3, 0.02), trimesh.transformations.translation_matrix((0, 0, 0.01))),
        *(
            trimesh.creation.box((0.02, 0.3, 0.2), trimesh.transformations.translation_matrix((x, 0, 0.1)))
            for x in (-0.19, 0.19)
        ),
        *(
            trimesh.creation.box((0.4, 0.02, 0.2), trimesh.transformations.translation_matrix((0, y, 0.1)))
            for y in (-0.14, 0.14)
        ),
    ]
)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("mesh", "hollow", "most"),
    [(RING, (0, 0, 0), 0.03), (TUBE, (0, 0, 0), 0.03), (BIN, (0, 0, 0.15), 0.03)],
    ids=["ring", "tube", "bin"],
)
def test_what_is_hollow_stays_so(mesh, hollow, most):
    found = measured_pieces_of(Mesh(vertices=mesh.vertices, triangles=mesh.faces))
    assert found.overshoot <= most
    assert out_of_all(found.pieces, np.array([hollow], float)) > 0.03
    assert out_of_all(found.pieces, samples(mesh.triangles, np.random.default_rng(0), 300)).max() <= ROUNDING


@pytest.mark.slow
def test_an_open_surface_is_inside_its_pieces():
    rng = np.random.default_rng(1)
    triangles = star(np.array([0.3, 0.1, 0.3, 0.1, 0.3]))[6:]
    assert out_of_all(pieces_of(mesh_of(triangles)), samples(triangles, rng)).max() <= ROUNDING


def test_a_mesh_that_is_meant_as_its_hull_is_one_piece():
    triangles = star(np.array([0.3, 0.05, 0.3, 0.05]))
    (piece,) = pieces_of(mesh_of(triangles, is_hull=True))
    assert piece.radius == 0.0
    assert {*map(tuple, piece.vertices)} <= {*map(tuple, triangles.reshape(-1, 3))}


@pytest.mark.slow
def test_hulls_of_many_corners_are_contained_in_those_of_fewer():
    points = np.random.default_rng(2).normal(size=(1000, 3))
    points /= np.linalg.norm(points, axis=1)[:, None]
    found = measured_pieces_of(ConvexHull(points))
    (piece,) = found.pieces
    assert len(piece.vertices) <= MAX_VERTICES
    assert 0.0 < found.overshoot < 0.05
    assert piece.radius <= found.overshoot
    assert beyond(piece, points[:300]).max() <= 1e-5


@pytest.mark.parametrize("seed", range(5))
def test_a_hull_has_the_edges_that_its_surface_has(seed):
    points = np.random.default_rng(seed).normal(size=(60, 3))
    hull = hull_of(points)
    assert len(hull.edges) == 3 * len(hull.vertices) - 6 and len(hull.faces) == 2 * len(hull.vertices) - 4
    # Every edge has a plane on it with all points on one side: the mean of those of the faces beside it.
    for edge in hull.edges:
        beside = hull.faces[np.isin(hull.faces, edge).sum(axis=1) == 2]
        corners = hull.vertices[beside]
        normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        normals *= np.sign(np.einsum("ij,ij->i", normals, corners[:, 0] - points.mean(axis=0)))[:, None]
        normal = (normals / np.linalg.norm(normals, axis=1)[:, None]).sum(axis=0)
        assert len(beside) == 2
        assert ((points - hull.vertices[edge[0]]) @ normal).max() < 1e-9


def test_of_a_cloud_each_point_is_a_ball():
    pieces = pieces_of(Points([[0, 0, 0], [1, 2, 3]], 0.1))
    assert [piece.radius for piece in pieces] == [0.1, 0.1]
    np.testing.assert_array_equal(pieces[1].vertices, [[1, 2, 3]])


@pytest.mark.parametrize("vertices", [[[0, 0, 0]], [[0, 0, 0], [1, 0, 0], [2, 0, 0]],
                                      [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0.2, 0.2, 0]]])  # fmt: skip
def test_hulls_without_room_inside_have_their_corners(vertices):
    (piece,) = pieces_of(ConvexHull(vertices))
    assert {*map(tuple, vertices[:3])} <= {*map(tuple, piece.vertices)} <= {*map(tuple, vertices)}


# --- kept on the disk ---------------------------------------------------------------------------------------


def test_pieces_are_read_from_the_disk_and_made_again_where_that_is_damaged(cache, tmp_path, monkeypatch):
    mesh = Mesh(cache / "a.stl", scale=(0.5, 0.5, 0.5))
    mesh.path.write_bytes(stl(FACES))
    made = measured_pieces_of(mesh)
    (kept,) = cache.glob("*.shape")

    with monkeypatch.context() as patch:
        patch.setattr("limbik.collision.mesh_pieces.triangles_of", None)  # nothing is made
        again = measured_pieces_of(mesh)
    np.testing.assert_array_equal(again.pieces[0].vertices, made.pieces[0].vertices)
    assert (again.overshoot, again.note) == (made.overshoot, made.note)

    whole = kept.read_bytes()
    for damaged in (b"", whole[:-20], whole[:100] + bytes([whole[100] ^ 1]) + whole[101:]):
        kept.write_bytes(damaged)
        np.testing.assert_array_equal(pieces_of(mesh)[0].vertices, made.pieces[0].vertices)
        assert kept.read_bytes() == whole


def test_a_robot_whose_pieces_are_on_the_disk_waits_for_no_hulls(tmp_path):
    (tmp_path / "round.stl").write_bytes(stl(star(np.full(30, 0.1))))
    (tmp_path / "arm.urdf").write_text(
        """<robot name="arm"><link name="base"/>
        <link name="tip"><collision><geometry><mesh filename="round.stl"/></geometry></collision></link>
        <joint name="turn" type="continuous"><parent link="base"/><child link="tip"/></joint></robot>"""
    )
    program = f"""
import sys
import limbik
world = limbik.collision.World()
world.add("box", limbik.collision.Box((0.1, 0.1, 0.1)), (0.9, 0.3, 0.0))
model = limbik.load({str(tmp_path / "arm.urdf")!r})
print(model.check([0.0], world=world).is_free, "scipy.spatial" in sys.modules)
"""
    environment = {**os.environ, "LIMBIK_CACHE_DIR": str(tmp_path / "cache")}
    answers = [
        subprocess.run(
            [sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True
        )
        for _ in range(2)
    ]
    assert [answer.stdout.split() for answer in answers] == [["True", "True"], ["True", "False"]]


def test_another_file_of_the_same_name_has_pieces_of_its_own(cache):
    mesh = Mesh(cache / "a.stl")
    mesh.path.write_bytes(stl(FACES))
    before = pieces_of(mesh)[0].vertices
    mesh.path.write_bytes(stl(2.0 * FACES))
    np.testing.assert_allclose(pieces_of(mesh)[0].vertices, 2.0 * before)


def test_pieces_are_made_where_there_is_no_folder_to_keep_them():
    (piece,) = pieces_of(mesh_of(FACES))
    assert len(piece.vertices) == 4


# --- bad meshes ---------------------------------------------------------------------------------------------

TEXT_STL = b"""solid a
facet normal 0 0 1
outer loop
vertex 0 0 0
vertex 1 0 0
vertex 0 1 0
endloop
endfacet
"""
NAN = FACES.copy()
NAN[0, 0, 0] = np.nan


def binary_ply(last):
    """One triangle, whose last vertex has this index."""
    header = b"ply\nformat binary_little_endian 1.0\nelement vertex 4\n"
    header += b"".join(b"property float %c\n" % axis for axis in b"xyz")
    header += b"element face 1\nproperty list uchar int vertex_indices\nend_header\n"
    return (
        header
        + np.vstack([np.zeros(3), np.eye(3)]).astype("<f4").tobytes()
        + struct.pack("<B3i", 3, 0, 1, last)
    )


def ply(faces):
    """A tetrahedron in text, that says that it has so many faces."""
    numbers = "0 0 0\n1 0 0\n0 1 0\n0 0 1\n3 0 2 1\n3 0 1 3\n3 0 3 2\n3 1 2 3\n"
    axes = "".join(f"property float {axis}\n" for axis in "xyz")
    return (
        f"ply\nformat ascii 1.0\nelement vertex 4\n{axes}element face {faces}\n"
        f"property list uchar int vertex_indices\nend_header\n{numbers}"
    ).encode()


BAD = {
    "nothing.stl": (b"", "cut off"),
    "short.stl": (bytes(80), "cut off"),
    "false.stl": (stl(FACES, count=5), "says that it has 5 triangles, and is too short"),
    "huge.stl": (stl(FACES, count=4_294_967_295), "says that it has 4,294,967,295 triangles"),
    "none.stl": (stl(FACES[:0]), "no triangle with an area"),
    "flat.stl": (stl(0.0 * FACES), "no triangle with an area"),
    "nan.stl": (stl(NAN), "no number"),
    "signalling.stl": (bytes(80) + struct.pack("<I", 1) + b"\1\0\x80\x7f" * 12 + bytes(2), "no number"),
    "large.stl": (stl(1e20 * FACES), "larger than 1e+06 m"),
    "text.stl": (b"solid a\nfacet normal x y z\nouter loop\nvertex 1 2\n", "facet 1 needs `facet normal`"),
    "word.stl": (TEXT_STL.replace(b"vertex 0 1 0", b"vertx 0 1 0"), "facet 1 needs `facet normal`"),
    "letter.stl": (TEXT_STL.replace(b"vertex 0 1 0", b"vertex 0 1_0 0"), "facet 1 needs `facet normal`"),
    "cut.stl": (TEXT_STL + TEXT_STL[:80], "facet 2 needs `facet normal`"),
    "word.obj": (
        b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\nff 1 2 3\n",
        "line 5: no line of an OBJ begins with 'ff'",
    ),
    "version.ply": (b"ply\nformat asciiz 1.0\nend_header\n", "needs one line `format`"),
    "empty.dae": (b"<COLLADA></COLLADA>", "is no DAE file"),
    "wrong.obj": (b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 9\n", ""),
    "plane.obj": (b"v 0 0\nv 1 0\nv 0 1\nf 1 2 3\n", "a vertex three numbers"),
    "empty.obj": (b"", ""),
    "broken.dae": (b"<COLLADA><library_geometries>", "no DAE file"),
    "broken.ply": (b"ply\nformat ascii 1.0\nelement vertex many\n", "no PLY file"),
    "face.ply": (
        b"ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n"
        b"element face 1\nproperty list uchar int vertex_indices\nend_header\n0 0 0\n1 0 0\n0 1 0\n9 0 1\n",
        "has the face '9 0 1', which needs as many vertices as it says, by index",
    ),
    "four.ply": (
        ply(faces=4).replace(b"\n0 0 1\n", b"\n0 0 1 7\n"),
        "vertex '0 0 1 7', which needs 3 numbers",
    ),
    "cut.ply": (ply(faces=4)[:-8], "says that it has 8 elements, found 7"),
    "cut_within.ply": (ply(faces=4)[:-3], "has the face '3 1 2'"),
    "more.ply": (ply(faces=2), "says that it has 6 elements, found 8"),
    "fewer.ply": (ply(faces=9), "says that it has 13 elements, found 8"),
    "below.ply": (ply(faces=4).replace(b"3 0 2 1", b"3 0 2 -1"), "has the face '3 0 2 -1'"),
    "zero.obj": (b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1/1 2/2 0/3\n", "line 4: a face has the vertex 0"),
    "short.obj": (b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\nf 1 2\n", "line 5: a face needs at least three"),
    "binary.ply": (binary_ply(-1), "a face needs vertices by index"),
    "more.stl": (stl(FACES)[:80] + b"\2\0\0\0" + stl(FACES)[84:], "has 2 triangles, found 4"),
    "strange.gltf": (b"{}", "needs to be one of stl, obj, dae, ply, found 'gltf'"),
}


def test_what_a_program_has_written_behind_the_triangles_of_an_stl_is_left_out(tmp_path):
    (tmp_path / "a.stl").write_bytes(stl(FACES) + b"\r\n")
    (piece,) = pieces_of(Mesh(tmp_path / "a.stl"))
    assert len(piece.vertices) == 4


@pytest.mark.parametrize("content", [ply(faces=4), ply(faces=4).replace(b"\n", b"\r\n")])
def test_a_ply_of_text_is_read(tmp_path, content):
    (tmp_path / "a.ply").write_bytes(content)
    (piece,) = pieces_of(Mesh(tmp_path / "a.ply"))
    assert len(piece.vertices) == 4


def test_what_may_stand_in_a_ply_is_no_fault(tmp_path):
    commented = binary_ply(2).replace(b"element vertex", b"comment was format ascii\nelement vertex")
    (tmp_path / "a.ply").write_bytes(commented)
    assert len(meshes.triangles_of(Mesh(tmp_path / "a.ply"))) == 1


@pytest.mark.parametrize(
    "face", [b"f\t1\t2\t4", b"  f 1 2 4", b"f 1 2 4 # top", b"f -4 -3 -1", b"f 1//10 2//20 4//0"]
)
def test_faces_of_an_obj_are_read_however_they_are_spaced(tmp_path, face):
    corners = b"v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n"
    (tmp_path / "a.obj").write_bytes(corners + b"f 1 2 3\n" + face + b"\n")
    assert len(meshes.triangles_of(Mesh(tmp_path / "a.obj"))) == 2


def test_layers_of_large_triangles_take_no_more_memory_than_other_surfaces(tmp_path):
    """Each alone is cut into thousands of parts; those that are given again count once."""
    mesh = np.array([[[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 0, 0], [1, 0, 0], [0, 0, 1]]], float)
    layers = (mesh + np.arange(2000)[:, None, None, None] * [0.0, 0.0, 1e-4]).reshape(-1, 3, 3)
    assert len(Surface(layers)._parts) < 1_500_000
    text = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\nf 1 2 4\n" * 300
    (tmp_path / "again.obj").write_text(text)
    assert len(meshes.triangles_of(Mesh(tmp_path / "again.obj"))) == 2


def test_a_text_behind_a_stl_is_no_triangle(tmp_path):
    (tmp_path / "a.stl").write_bytes(stl(FACES) + b"made by hand".ljust(50))
    assert len(meshes.triangles_of(Mesh(tmp_path / "a.stl"))) == 4


def test_a_line_of_an_obj_may_go_on_in_the_next_one(tmp_path):
    (tmp_path / "a.obj").write_text("\ufeffv 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 \\\n3\nf 1 2 4\n")
    assert len(meshes.triangles_of(Mesh(tmp_path / "a.obj"))) == 2


def test_words_of_a_stl_may_be_in_capitals(tmp_path):
    facet = "FACET NORMAL 0 0 1\nOUTER LOOP\nVERTEX 0 0 0\nVERTEX 1E0 0 0\nVERTEX 0 1 0\nENDLOOP\nENDFACET\n"
    (tmp_path / "a.stl").write_text(f"SOLID a\n{facet}ENDSOLID a\n")
    assert len(meshes.triangles_of(Mesh(tmp_path / "a.stl"))) == 1


def test_textures_of_a_mesh_are_left_out(tmp_path):
    corners = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nvt 0 0\nvt 1 0\n"
    faces = "f 1/1 3/1 2/1\nf 1/1 2/2 4/1\nf 2/1 3/1 4/1\nf 1/1 4/1 3/1\n"
    (tmp_path / "a.obj").write_text("mtllib gone.mtl\n" + corners + "usemtl steel\n" + faces)
    (piece,) = pieces_of(Mesh(tmp_path / "a.obj"))
    assert len(piece.vertices) == 4


@pytest.mark.parametrize("name", BAD)
def test_meshes_that_cannot_be_read_are_refused_with_their_name(tmp_path, name):
    content, words = BAD[name]
    (tmp_path / name).write_bytes(content)
    with pytest.raises(CollisionError) as caught:
        pieces_of(Mesh(tmp_path / name))
    assert words in str(caught.value)
    assert name in str(caught.value)


def test_meshes_that_are_missing_or_too_large_are_refused(tmp_path, monkeypatch):
    with pytest.raises(CollisionError, match=r"there is no mesh '.*gone.stl'"):
        pieces_of(Mesh(tmp_path / "gone.stl"))
    with pytest.raises(CollisionError, match="there is no mesh"):
        pieces_of(Mesh(tmp_path))
    path = tmp_path / "many.stl"
    path.write_bytes(stl(FACES))
    monkeypatch.setattr(meshes, "MAX_TRIANGLES", 3)
    with pytest.raises(CollisionError, match=r"many\.stl' has 4 triangles, more than 3; simplify it"):
        meshes.triangles_of(Mesh(path))
    monkeypatch.setattr(meshes, "LARGEST_FILE", 10)
    with pytest.raises(CollisionError, match=r"many\.stl' is larger than"):
        pieces_of(Mesh(path))


def test_a_log_tells_what_somebody_waits_for(monkeypatch, caplog):
    monkeypatch.setattr(geometry, "LONG", 0.0)
    arm = limbik.planar_arm(3, 0.3)
    geometry.geometry_of(arm)
    (record,) = caplog.records
    assert record.getMessage() == (
        f"limbik is cutting the shapes of {arm.name!r} into convex parts, which it keeps: 3 of 3 links to go"
    )
    caplog.clear()
    monkeypatch.setattr(geometry, "LONG", 1e9)
    geometry.geometry_of(limbik.planar_arm(3, 0.3))
    assert not caplog.records


def test_threads_that_check_the_same_robot_cut_its_meshes_once(monkeypatch):
    made, together, make = [], threading.Barrier(8), geometry._made

    def made_slowly(model):
        made.append(model)
        time.sleep(0.05)  # [s]
        return make(model)

    def bodies(_):
        together.wait(60.0)
        return geometry.geometry_of(arm)

    monkeypatch.setattr(geometry, "_made", made_slowly)
    arm = limbik.planar_arm(3, 0.3)
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(bodies, range(8)))
    assert len(made) == 1
    assert all(each is found[0] for each in found)
