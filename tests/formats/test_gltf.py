"""Characters and animations from glTF: what they mean, that saving changes nothing else, and broken files."""

from __future__ import annotations

import json
import struct
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.interpolate import CubicHermiteSpline
from scipy.spatial.transform import Rotation

import limbik
from formats.gltf_files import Builder, random_quaternions, slerp, world_matrices
from limbik.errors import FormatError, FormatWarning, ModelError

TIMES = np.arange(5) / 30.0


def arm(builder: Builder, seed: int = 0, **armature) -> list[int]:
    """Armature (no joint), and on it a chain of three joints with a rest of their own."""
    random = np.random.default_rng(seed)
    top = builder.node("Armature", **armature)
    nodes = []
    for name in ("Hips", "Spine", "Head"):
        parent = nodes[-1] if nodes else top
        turn, place = random_quaternions(random, 1)[0].tolist(), random.standard_normal(3).tolist()
        nodes.append(builder.node(name, parent, rotation=turn, translation=place))
    return nodes


def turning(builder: Builder, nodes: list[int], seed: int = 1, count: int = 5) -> list[tuple]:
    random = np.random.default_rng(seed)
    turns = [(node, "rotation", TIMES[:count], random_quaternions(random, count), "LINEAR") for node in nodes]
    return [*turns, (nodes[0], "translation", TIMES[:count], random.standard_normal((count, 3)), "LINEAR")]


def rigid(matrix: np.ndarray) -> np.ndarray:
    """The matrix without its scale."""
    out = matrix.copy()
    out[:3, :3] /= np.linalg.norm(out[:3, :3], axis=0)
    return out


def assert_stands_as_in_file(motion: limbik.Motion, path: Path, channels: list[tuple], frame: int) -> None:
    local = {(node, target): values[frame].astype("f4") for node, target, _, values, _ in channels}
    expected = world_matrices(path, local)
    for name in ("Armature", "Hips", "Spine", "Head"):
        assert_allclose(motion.model.pose(motion.q[frame], name), rigid(expected[name]), atol=2e-6)


@pytest.mark.parametrize("ending", [".glb", ".gltf"])
@pytest.mark.parametrize(
    "armature",
    [
        {},
        {"scale": [0.01, 0.01, 0.01], "rotation": [-(0.5**0.5), 0.0, 0.0, 0.5**0.5]},
        {"matrix": (0.02 * np.diag([1, 1, 1, 50.0])).T.ravel().tolist()},
    ],
)
def test_joints_stand_where_the_nodes_stand(tmp_path: Path, ending: str, armature: dict) -> None:
    builder = Builder()
    nodes = arm(builder, **armature)
    channels = turning(builder, nodes)
    builder.animation("Walk", channels)
    path = builder.save(tmp_path / f"arm{ending}", nodes)
    motion = limbik.load_motion(path)
    assert motion.dt == pytest.approx(1.0 / 30.0, rel=1e-6)
    assert (len(motion), motion.up, motion.links) == (5, "y", ("Armature", "Hips", "Spine", "Head"))
    for frame in range(5):
        assert_stands_as_in_file(motion, path, channels, frame)


def test_the_neutral_configuration_is_the_rest_of_the_file(tmp_path: Path) -> None:
    builder = Builder()
    nodes = arm(builder, scale=[0.5, 0.5, 0.5])
    path = builder.save(tmp_path / "rest.glb", nodes)
    motion = limbik.load_motion(path)
    assert (len(motion), motion.q.tolist()) == (1, [motion.model.neutral.tolist()])
    assert_stands_as_in_file(motion, path, [], 0)
    assert motion.model.joint_names[1:5] == ("Hips.Xposition", "Hips.Yposition", "Hips.Zposition", "Hips")
    assert motion.model.joint("Spine").kind is limbik.JointKind.BALL
    assert motion.model.joint("Armature").kind is limbik.JointKind.FIXED


def test_a_file_is_written_as_it_was_where_nothing_has_changed(tmp_path: Path) -> None:
    builder = Builder()
    nodes = arm(builder, scale=[0.01, 0.01, 0.01])
    builder.animation("Walk", turning(builder, nodes))
    path = builder.save(tmp_path / "arm.glb", nodes)
    limbik.load_motion(path).save(tmp_path / "again.glb")
    old, new = (chunks(each) for each in (path, tmp_path / "again.glb"))
    assert new == old


def test_new_values_are_written_and_all_else_stays(tmp_path: Path) -> None:
    builder = Builder()
    nodes = arm(builder, scale=[0.01, 0.01, 0.01])
    builder.animation("Walk", turning(builder, nodes))
    builder.animation("Run", turning(builder, nodes, seed=7))
    path = builder.save(tmp_path / "arm.glb", nodes)
    content, binary = chunks(path)
    content["materials"] = [{"name": "skin", "extras": {"keep": [1, None, "ü"]}, "unknown": 0.1}]
    content["extensionsUsed"], content["extensions"] = ["VENDOR_x"], {"VENDOR_x": {"deep": {"null": None}}}
    path.write_bytes(glb(content, binary))
    motion = limbik.load_motion(path, animation="Walk")
    random = np.random.default_rng(5)
    q = motion.model.random(random, size=7)
    slides = [motion.model.q_slice(f"Hips.{axis}position").start for axis in "XYZ"]
    q[:, slides] = random.standard_normal((7, 3))
    changed = replace(motion, q=q, dt=0.05)
    changed.save(tmp_path / "new.glb")
    again = limbik.load_motion(tmp_path / "new.glb", animation="Walk")
    assert again.dt == pytest.approx(0.05, rel=1e-6)
    assert len(again) == 7
    for name in ("Hips", "Spine", "Head"):
        assert_allclose(again.model.pose(again.q, name), motion.model.pose(q, name), atol=2e-6)
    new_content, new_binary = chunks(tmp_path / "new.glb")
    assert new_binary[: len(binary)] == binary
    assert {**new_content, **{key: content[key] for key in CHANGING}} == content
    assert new_content["animations"][1] == content["animations"][1]
    assert new_content["accessors"][: len(content["accessors"])] == content["accessors"]
    assert_allclose(
        limbik.load_motion(tmp_path / "new.glb", animation=1).q, limbik.load_motion(path, animation=1).q
    )


CHANGING = ("animations", "accessors", "bufferViews", "buffers")


@pytest.mark.parametrize("ending", [".glb", ".gltf"])
def test_a_character_without_animation_gets_one(tmp_path: Path, ending: str) -> None:
    builder = Builder()
    nodes = arm(builder)
    builder.accessor(np.ones((2, 3), "f4"))  # of a mesh, say
    path = builder.save(tmp_path / f"rest{ending}", nodes)
    motion = limbik.load_motion(path)
    q = np.tile(motion.model.neutral, (4, 1))
    q[:, motion.model.q_slice("Head")] = random_quaternions(np.random.default_rng(2), 4)
    for name in ("new.glb", "new.gltf"):
        replace(motion, q=q, dt=0.1).save(tmp_path / name)
        again = limbik.load_motion(tmp_path / name)
        assert_allclose(again.model.pose(again.q, "Head"), motion.model.pose(q, "Head"), atol=1e-6)
        content = (
            json.loads((tmp_path / name).read_text()) if name.endswith("f") else chunks(tmp_path / name)[0]
        )
        assert [channel["target"] for channel in content["animations"][0]["channels"]] == [
            {"node": nodes[2], "path": "rotation"}
        ]


def test_files_beside_a_gltf_are_found_and_go_along(tmp_path: Path) -> None:
    builder = Builder()
    nodes = arm(builder)
    channels = turning(builder, nodes)
    builder.animation(None, channels)
    content, binary = chunks(builder.save(tmp_path / "arm.glb", nodes))
    content["buffers"][0]["uri"] = "data%20of.bin"
    (tmp_path / "data of.bin").write_bytes(binary)
    (tmp_path / "arm.gltf").write_text(json.dumps(content))
    motion = limbik.load_motion(tmp_path / "arm.gltf")
    (tmp_path / "far").mkdir()
    motion.save(tmp_path / "far" / "arm.gltf")
    motion.save(tmp_path / "far" / "arm.glb")
    motion.save(tmp_path / "near.gltf")
    assert json.loads((tmp_path / "near.gltf").read_text()) == content
    for again in ("far/arm.gltf", "far/arm.glb"):
        assert limbik.load_motion(tmp_path / again).q.tolist() == motion.q.tolist()
    content["buffers"][0]["uri"] = "../data of.bin"
    (tmp_path / "far" / "up.gltf").write_text(json.dumps(content))
    with pytest.raises(FormatError, match=r"buffers\[0\]: needs a file in the same folder"):
        limbik.load_motion(tmp_path / "far" / "up.gltf")


# --- interpolation ------------------------------------------------------------------------------------------


def one_joint(tmp_path: Path, *channels: tuple) -> limbik.Motion:
    builder = Builder()
    node = builder.node("Bone")
    builder.animation("move", [(node, *channel) for channel in channels])
    return limbik.load_motion(builder.save(tmp_path / "bone.glb", [node]))


def test_linear_keys_at_uneven_times_are_resampled_along_arcs(tmp_path: Path) -> None:
    times = np.array([0.0, 0.13, 0.5, 1.2714], "f4").astype(float)
    turns = random_quaternions(np.random.default_rng(3), 4).astype("f4").astype(float)
    places = np.random.default_rng(4).standard_normal((4, 3)).astype("f4").astype(float)
    motion = one_joint(
        tmp_path, ("rotation", times, turns, "LINEAR"), ("translation", times, places, "LINEAR")
    )
    assert (motion.dt, len(motion)) == (1.0 / 60.0, 78)
    at = np.minimum(np.arange(78) / 60.0, times[-1])
    expected = Rotation.from_quat(slerp(times, turns, at)).as_matrix()
    poses = motion.model.pose(motion.q, "Bone")
    assert_allclose(poses[:, :3, :3], expected, atol=1e-6)
    assert_allclose(poses[:, :3, 3], np.column_stack([np.interp(at, times, p) for p in places.T]), atol=1e-6)


def test_cubic_splines_are_those_of_the_standard(tmp_path: Path) -> None:
    random = np.random.default_rng(6)
    times = np.array([0.0, 0.31, 0.9])
    values = random.standard_normal((3, 3, 3)).astype("f4")  # of each key tangent in, value, tangent out
    motion = one_joint(tmp_path, ("translation", times, values.reshape(9, 3), "CUBICSPLINE"))
    at = np.minimum(np.arange(len(motion)) * motion.dt, times[-1])
    found = motion.model.pose(motion.q, "Bone")[:, :3, 3]
    for k, t in enumerate(at):
        piece = 0 if t < times[1] else 1
        spline = CubicHermiteSpline(
            times[piece : piece + 2],
            values[piece : piece + 2, 1],
            np.stack([values[piece, 2], values[piece + 1, 0]]),
        )
        assert_allclose(found[k], spline(t), atol=2e-5)


def test_a_cubic_spline_of_quaternions_passes_its_keys_and_has_the_length_1(tmp_path: Path) -> None:
    times = np.arange(4) / 10.0
    keys = random_quaternions(np.random.default_rng(8), 4)
    keys *= np.where(np.sum(keys * keys[0], axis=1) < 0.0, -1.0, 1.0)[:, None]
    values = np.stack([np.zeros((4, 4)), keys, np.zeros((4, 4))], axis=1)
    motion = one_joint(tmp_path, ("rotation", times, values.reshape(12, 4), "CUBICSPLINE"))
    assert len(motion) == 4
    assert_allclose(
        motion.model.pose(motion.q, "Bone")[:, :3, :3], Rotation.from_quat(keys).as_matrix(), atol=1e-6
    )


def test_a_cubic_spline_from_a_quaternion_to_the_opposite_one_keeps_it_where_it_has_no_length(
    tmp_path,
) -> None:
    still = np.array([0.0, 0.0, 0.0, 1.0])
    values = np.stack([0.0 * still, still, 0.0 * still] * 2 + [0.0 * still, -still, 0.0 * still])
    motion = one_joint(tmp_path, ("rotation", np.array([0.0, 0.5, 1.5]), values, "CUBICSPLINE"))
    assert len(motion) > 2
    turned = motion.model.pose(motion.q, "Bone")[:, :3, :3]
    assert_allclose(turned, np.tile(np.eye(3), (len(motion), 1, 1)), atol=1e-6)


def test_steps_hold_their_value_until_the_next_key(tmp_path: Path) -> None:
    places = np.array([[0.0, 0, 0], [1, 0, 0], [5, 0, 0]])
    motion = one_joint(tmp_path, ("translation", np.array([0.0, 0.1, 0.5]), places, "STEP"))
    assert motion.model.pose(motion.q, "Bone")[:, 0, 3].tolist() == [0.0, 1.0, 1.0, 1.0, 1.0, 5.0]


def test_whole_numbers_stand_for_quaternions(tmp_path: Path) -> None:
    turns = random_quaternions(np.random.default_rng(9), 3)
    motion = one_joint(tmp_path, ("rotation", TIMES[:3], np.round(32767 * turns).astype("i2"), "LINEAR"))
    assert_allclose(
        motion.model.pose(motion.q, "Bone")[:, :3, :3], Rotation.from_quat(turns).as_matrix(), atol=1e-4
    )


@pytest.mark.parametrize("rate", [24.0, 30.0, 60.0, 90.0, 120.0])
def test_even_keys_are_the_frames(tmp_path: Path, rate: float) -> None:
    times = (0.4 + np.arange(600) / rate).astype("f4")
    places = np.random.default_rng(1).standard_normal((600, 3)).astype("f4")
    motion = one_joint(tmp_path, ("translation", times, places, "LINEAR"))
    assert (len(motion), motion.dt) == (600, pytest.approx(1.0 / rate, rel=1e-5))
    assert_allclose(motion.model.pose(motion.q, "Bone")[:, :3, 3], places, atol=1e-6)


# --- scales -------------------------------------------------------------------------------------------------


def test_a_scale_that_is_animated_without_changing_is_static(tmp_path: Path) -> None:
    builder = Builder()
    nodes = arm(builder, scale=[3.0, 3.0, 3.0])
    channels = turning(builder, nodes)
    scales = [(0, "scale", TIMES, np.full((5, 3), 0.01), "LINEAR")]
    builder.animation("Walk", [*channels, *scales])
    path = builder.save(tmp_path / "arm.glb", nodes)
    motion = limbik.load_motion(path)
    local = {(node, target): values[2] for node, target, _, values, _ in channels}
    gltf_scale = world_matrices(path, local)["Head"][:3, 3] / 300.0
    assert_allclose(motion.model.pose(motion.q[2], "Head")[:3, 3], gltf_scale, atol=1e-6)


@pytest.mark.parametrize(
    ("scale", "message"),
    [
        ([1.0, 2.0, 1.0], "node 'Armature': its scale needs to be positive and the same along all axes"),
        ([1.0, -1.0, 1.0], "node 'Armature': its scale needs to be positive"),
        ([0.0, 0.0, 0.0], "node 'Armature': its scale needs to be positive"),
    ],
)
def test_scales_that_links_cannot_have_are_refused(tmp_path: Path, scale: list[float], message: str) -> None:
    builder = Builder()
    path = builder.save(tmp_path / "arm.glb", arm(builder, scale=scale))
    with pytest.raises(FormatError, match=message):
        limbik.load_motion(path)


def test_a_scale_that_is_nearly_even_is_taken_as_even_with_a_warning(tmp_path: Path) -> None:
    builder = Builder()
    uneven = builder.save(tmp_path / "uneven.glb", arm(builder, scale=[1.0, 1.0005, 0.9999]))
    builder = Builder()
    even = builder.save(tmp_path / "even.glb", arm(builder, scale=[1.0, 1.0, 1.0]))
    with pytest.warns(FormatWarning, match=r"node 'Armature': its scale \[1.0, 1.0005, 0.9999\] is taken as"):
        found = limbik.load_motion(uneven)
    expected = limbik.load_motion(even)
    places = [each.model.poses(each.q, list(each.links))[..., :3, 3] for each in (found, expected)]
    assert_allclose(places[0], places[1], atol=1e-3 * np.abs(places[1]).max())


def test_an_animated_scale_is_refused(tmp_path: Path) -> None:
    builder = Builder()
    nodes = arm(builder)
    builder.animation("grow", [(nodes[1], "scale", TIMES, 1.0 + np.outer(TIMES, np.ones(3)), "LINEAR")])
    path = builder.save(tmp_path / "arm.glb", nodes)
    with pytest.raises(FormatError, match="node 'Spine': its scale is animated, which"):
        limbik.load_motion(path)


# --- names, choices, VRM ------------------------------------------------------------------------------------


def test_nodes_without_a_name_of_their_own_get_one(tmp_path: Path) -> None:
    builder = Builder()
    first = builder.node(None)
    second = builder.node("Bone", first)
    third = builder.node("Bone", second)
    motion = limbik.load_motion(builder.save(tmp_path / "names.glb", [first, second, third]))
    assert motion.links == ("node 0", "Bone", "Bone (2)")


def test_of_several_animations_one_is_chosen(tmp_path: Path) -> None:
    builder = Builder()
    nodes = arm(builder)
    builder.animation("Walk", turning(builder, nodes, count=5))
    builder.animation("Run", turning(builder, nodes, count=3))
    path = builder.save(tmp_path / "arm.glb", nodes)
    assert [len(limbik.load_motion(path, animation=each)) for each in ("Walk", "Run", 0, 1)] == [5, 3, 5, 3]
    for choice, message in (
        (None, "has 2 animations; say which as `animation`: Walk, Run"),
        ("run", "has no animation 'run'; did you mean 'Run'"),
        (2, "has no animation 2"),
    ):
        with pytest.raises(FormatError, match=message):
            limbik.load_motion(path, animation=choice)
    with pytest.raises(ModelError, match="`animation` is for glTF"):
        limbik.load_motion("time,joint1\n0,0\n1,0\n", model="planar-1", animation=0)
    with pytest.raises(ModelError, match="a glTF file has its own model"):
        limbik.load_motion(path, model="g1")


VRM_1 = {"VRMC_vrm": {"humanoid": {"humanBones": {"hips": {"node": 1}, "leftThumbProximal": {"node": 3}}}}}
VRM_0 = {
    "VRM": {
        "humanoid": {
            "humanBones": [
                {"bone": "hips", "node": 1},
                {"bone": "leftThumbIntermediate", "node": 3},
                {"bone": "jaw", "node": -1},
            ]
        }
    }
}


@pytest.mark.parametrize("extensions", [VRM_1, VRM_0])
def test_a_vrm_says_which_bone_is_which(tmp_path: Path, extensions: dict) -> None:
    builder = Builder()
    nodes = arm(builder)
    builder.gltf.extensions = extensions
    path = builder.save(tmp_path / "a.glb", nodes)
    path = path.rename(tmp_path / "a.vrm")
    found = limbik.humanoid(limbik.load_motion(path))
    assert dict(found.frames) == {"hips": "Hips", "leftThumbProximal": "Head"}
    assert set(found.found_by.values()) == {"VRM"}


@pytest.mark.parametrize(
    ("bones", "said"),
    [
        ([{"bone": "hips", "node": 1}, {"bone": "hips", "node": 2}], "bone 'hips' .*: has a node twice"),
        ([{"bone": "hips", "node": 1}, {"bone": "head", "node": 1}], "the node 1, which another bone has"),
        ([{"bone": "hips", "node": 2.0}], r"there is no nodes\[2.0\]"),
        ([{"node": 2}], "humanBones needs bones with a name"),
        (
            [{"bone": "hips", "node": 1}, {"bone": "head", "nod": 2}],
            'bone .head. .*: needs {"bone": ..., "node"',
        ),
        ("x", "humanBones needs a list, found 'x'"),
    ],
)
def test_bones_of_a_vrm_0_that_would_be_lost_are_refused(tmp_path: Path, bones: object, said: str) -> None:
    refuse_bones(tmp_path, "VRM", bones, said)


@pytest.mark.parametrize(
    ("bones", "said"),
    [
        ([{"bone": "hips", "node": 1}], "VRM humanoid: humanBones needs bones by their names"),
        (5, "humanBones needs bones by their names, found 5"),
        ({"head": 2}, "bone 'head' of the VRM humanoid: needs {\"node\": ...}, found 2"),
        ({"head": {"node": 99}}, r"there is no nodes\[99\]"),
        ({"head": {"nde": 2}}, "bone 'head' of the VRM humanoid: needs {\"node\": ...}, found {'nde': 2}"),
    ],
)
def test_bones_of_a_vrm_that_would_be_lost_are_refused(tmp_path: Path, bones: object, said: str) -> None:
    refuse_bones(tmp_path, "VRMC_vrm", bones, said)


@pytest.mark.parametrize("kind", ["VRM", "VRMC_vrm", "VRMC_vrm_animation"])
@pytest.mark.parametrize(
    ("humanoid", "said"),
    [
        (5, "VRM humanoid: needs an object with humanBones, found 5"),
        ("x", "VRM humanoid: needs an object with humanBones, found 'x'"),
        ({"humanBonez": {}}, "VRM humanoid: needs humanBones, found 'humanBonez'"),
    ],
)
def test_a_humanoid_of_a_vrm_without_bones_is_refused(
    tmp_path: Path, kind: str, humanoid: object, said: str
) -> None:
    builder = Builder()
    nodes = arm(builder)
    builder.gltf.extensions = {kind: {"humanoid": humanoid}}
    with pytest.raises(FormatError, match=said):
        limbik.load_motion(builder.save(tmp_path / "a.glb", nodes).rename(tmp_path / "a.vrm"))


def test_a_vrm_without_a_humanoid_is_refused(tmp_path: Path) -> None:
    builder = Builder()
    nodes = arm(builder)
    builder.gltf.extensions = {"VRMC_vrm": {"humanod": {"humanBones": {"hips": {"node": 1}}}}}
    with pytest.raises(FormatError, match=r"extension VRMC_vrm: needs humanoid, found \{'humanod'"):
        limbik.load_motion(builder.save(tmp_path / "a.glb", nodes).rename(tmp_path / "a.vrm"))


def test_a_humanoid_of_vrm_0_may_have_no_bones(tmp_path: Path) -> None:
    builder = Builder()
    nodes = arm(builder)
    builder.gltf.extensions = {"VRM": {"humanoid": {"armStretch": 0.05, "hasTranslationDoF": False}}}
    motion = limbik.load_motion(builder.save(tmp_path / "a.glb", nodes).rename(tmp_path / "a.vrm"))
    assert motion.model.frame("Hips").name == "Hips"


def test_a_bone_of_a_vrm_that_no_human_has_is_named(tmp_path: Path) -> None:
    builder = Builder()
    nodes = arm(builder)
    bones = {"hips": {"node": 1}, "lefthand": {"node": 3}}
    builder.gltf.extensions = {"VRMC_vrm": {"humanoid": {"humanBones": bones}}}
    motion = limbik.load_motion(builder.save(tmp_path / "a.glb", nodes).rename(tmp_path / "a.vrm"))
    with pytest.warns(FormatWarning, match="a bone 'lefthand', which is none .*; did you mean 'leftHand'"):
        limbik.humanoid(motion)


def refuse_bones(tmp_path: Path, kind: str, bones: object, said: str) -> None:
    builder = Builder()
    nodes = arm(builder)
    builder.gltf.extensions = {kind: {"humanoid": {"humanBones": bones}}}
    with pytest.raises(FormatError, match=said):
        limbik.load_motion(builder.save(tmp_path / "a.glb", nodes).rename(tmp_path / "a.vrm"))


def test_a_motion_goes_through_csv_and_back_to_gltf(tmp_path: Path) -> None:
    builder = Builder()
    nodes = arm(builder)
    builder.animation("Walk", turning(builder, nodes))
    motion = limbik.load_motion(builder.save(tmp_path / "a.glb", nodes))
    motion.save(tmp_path / "a.csv")
    limbik.load_motion(tmp_path / "a.csv", model=motion).save(tmp_path / "b.glb")
    assert_allclose(limbik.load_motion(tmp_path / "b.glb").q, motion.q, atol=1e-6)


# --- broken files -------------------------------------------------------------------------------------------


def chunks(path: Path) -> tuple[dict, bytes]:
    """The JSON and the bytes of a GLB."""
    content = path.read_bytes()
    (size,) = struct.unpack_from("<I", content, 12)
    return json.loads(content[20 : 20 + size]), content[28 + size :]


def glb(content: dict, binary: bytes) -> bytes:
    text = json.dumps(content).encode()
    text += b" " * (-len(text) % 4)
    parts = (
        struct.pack("<I4s", len(text), b"JSON") + text + struct.pack("<I4s", len(binary), b"BIN\0") + binary
    )
    return struct.pack("<4sII", b"glTF", 2, 12 + len(parts)) + parts


def at(content: dict, path: str, value: object) -> None:
    """Set what a path of keys and numbers leads to."""
    *keys, last = [int(key) if key.isdecimal() else key for key in path.split(".")]
    for key in keys:
        content = content[key]
    if value is None:
        del content[last]
    else:
        content[last] = value


BROKEN = [
    ("asset.version", "1.0", "needs glTF 2.0, found version '1.0'"),
    ("nodes.1.children", [9], r"node 'Hips': there is no nodes\[9\]; there are 4"),
    ("nodes.3.children", [1], "node 'Hips': is a child of 'Armature' and 'Head'"),
    ("nodes.1.translation", [0, 0], "node 'Hips': translation: needs 3 finite numbers"),
    ("nodes.1.translation", [10**400, 0, 0], "node 'Hips': translation: needs 3 finite numbers"),
    ("nodes.1.rotation", [0, 0, 0, 2], "node 'Hips': a rotation needs a quaternion of the length 1, found 2"),
    ("nodes.2.matrix", [0] * 16, "node 'Spine': matrix is singular"),
    (
        "nodes.2.matrix",
        [1, 1, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1],
        "node 'Spine': matrix mirrors or shears",
    ),
    ("skins.0.joints", [7], r"skins\[0\]: there is no nodes\[7\]"),
    ("skins.0.joints", [], r"skins\[0\]: needs a list of joints"),
    ("animations.0.channels.0.sampler", 40, "'Walk': rotation of node 'Hips': there is no sampler 40"),
    ("animations.0.samplers.0.input", 40, r"rotation of node 'Hips': there is no accessors\[40\]"),
    ("animations.0.samplers.0.output", 0, r"accessors\[0\]: needs the type VEC4, found 'SCALAR'"),
    ("animations.0.samplers.0.interpolation", "SLOW", "needs LINEAR, STEP or CUBICSPLINE, found 'SLOW'"),
    ("animations.0.samplers.0.interpolation", "CUBICSPLINE", "needs 15 values for 5 times, found 5"),
    ("animations.0.channels", 3, "'Walk': channels: needs a list of objects"),
    ("accessors.1.count", 4, "needs 5 values for 5 times, found 4"),
    ("accessors.1.count", 50000, r"accessors\[1\]: ends after its buffer"),
    (
        "accessors.1.componentType",
        7,
        r"accessors\[1\]: needs a count of at least 1 and a known componentType",
    ),
    ("bufferViews.1.buffer", 3, r"bufferViews\[1\]: there is no buffers\[3\]"),
    ("bufferViews.1.byteOffset", -4, "need whole numbers that are not negative"),
    ("buffers.0.uri", "data:;base64,?", r"buffers\[0\]: its base64 is broken"),
    ("buffers.0.uri", "nowhere.bin", r"buffers\[0\]: 'nowhere.bin' cannot be read: No such file"),
    ("buffers.0.uri", "https://x.y/z.bin", r"buffers\[0\]: needs a file in the same folder"),
    ("bufferViews.1.byteStride", 10**30, "byteStride needs a number from 16 to 252, found 10"),
    ("meshes", [2], "meshes needs a list of objects"),
    ("accessors.1", {"componentType": 5126, "count": 10**8, "type": "VEC4"}, "100000000 numbers without a"),
    ("nodes", None, "there is no"),
]


@pytest.mark.parametrize(("where", "value", "message"), BROKEN)
def test_a_broken_file_is_refused_and_says_where(tmp_path: Path, where: str, value, message: str) -> None:
    builder = Builder()
    nodes = arm(builder)
    builder.animation("Walk", turning(builder, nodes))
    content, binary = chunks(builder.save(tmp_path / "arm.glb", nodes))
    at(content, where, value)
    path = tmp_path / "broken.glb"
    path.write_bytes(glb(content, binary))
    with pytest.raises(FormatError, match=message) as caught:
        limbik.load_motion(path)
    assert str(caught.value).startswith(str(path))


def test_nodes_of_one_name_get_names_that_no_other_has(tmp_path: Path) -> None:
    builder = Builder()
    hips = builder.node("Hips")
    nodes = [hips, builder.node("b (3)", hips), builder.node("b", hips)]
    nodes.append(builder.node("b", nodes[-1]))
    found = limbik.load_motion(builder.save(tmp_path / "b.glb", nodes))
    assert found.links == ("Hips", "b (3)", "b", "b (4)")


def test_every_truncated_glb_is_refused(tmp_path: Path) -> None:
    builder = Builder()
    nodes = arm(builder)
    builder.animation("Walk", turning(builder, nodes))
    content = builder.save(tmp_path / "arm.glb", nodes).read_bytes()
    path = tmp_path / "cut.glb"
    for end in range(0, len(content), 7):
        path.write_bytes(content[:end])
        with pytest.raises(FormatError, match=r"cut\.glb"):
            limbik.load_motion(path)


@pytest.mark.parametrize("content", [b"{}", b"[]", b"{", b"\xff\xfe", b'{"asset": {"version": NaN}}'])
def test_what_is_no_gltf_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "no.gltf"
    path.write_bytes(content)
    with pytest.raises(FormatError, match=r"no\.gltf"):
        limbik.load_motion(path)


def test_nothing_that_moves_is_no_motion(tmp_path: Path) -> None:
    builder = Builder()
    builder.node("Cube")
    path = builder.save(tmp_path / "cube.glb")
    with pytest.raises(FormatError, match="has no skin and no animation of nodes"):
        limbik.load_motion(path)
    with pytest.raises(FormatError, match="cannot be read: No such file"):
        limbik.load_motion(tmp_path / "none.glb")


def test_a_signalling_nan_is_refused_without_a_warning(tmp_path: Path) -> None:
    builder = Builder()
    node = builder.node("A")
    points = np.zeros((2, 3), np.float32)
    builder.animation(None, [(node, "translation", np.arange(2.0), points, "LINEAR")])
    end = builder.gltf.bufferViews[-1]
    last = end.byteOffset + end.byteLength
    builder.bytes[last - 4 : last] = b"\x01\x00\x80\x7f"
    with pytest.raises(FormatError, match="needs finite numbers"):
        limbik.load_motion(builder.save(tmp_path / "nan.glb"))


def test_what_an_extension_moves_is_left_out_with_a_warning(tmp_path: Path) -> None:
    builder = Builder()
    nodes = arm(builder)
    builder.animation("Walk", turning(builder, nodes))
    path = builder.save(tmp_path / "a.glb", nodes)
    content, binary = chunks(path)
    for pointer in ("/materials/0/alpha", "/nodes/1/rotation"):
        target = {"path": "pointer", "extensions": {"KHR_animation_pointer": {"pointer": pointer}}}
        content["animations"][0]["channels"].append({"sampler": 0, "target": target})
    path.write_bytes(glb(content, binary))
    with pytest.warns(FormatWarning, match="'Walk': what moves /nodes/1/rotation by KHR_animation_pointer"):
        limbik.load_motion(path)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda text: text[:-1] + ', "animations": []}', "has the name 'animations' twice"),
        (lambda text: text.replace('"rotation"', '"rotaton"'), "no path 'rotaton'; did you mean 'rotation'"),
        (
            lambda text: text[:-1] + ', "extensionsRequired": ["EXT_meshopt_compression"]}',
            "needs EXT_meshopt_compression, by which its numbers are packed",
        ),
    ],
)
def test_what_would_be_lost_of_an_animation_is_refused(
    tmp_path: Path, change: Callable[[str], str], said: str
) -> None:
    builder = Builder()
    nodes = arm(builder)
    builder.animation("Walk", turning(builder, nodes))
    path = builder.save(tmp_path / "a.glb", nodes)
    content, binary = chunks(path)
    content = {key: value for key, value in content.items() if value}
    for node in content["nodes"]:
        node.pop("rotation", None)
    path.write_bytes(glb(content, binary))
    assert len(limbik.load_motion(path)) > 1
    text = change(json.dumps(content))
    raw = text.encode() + b" " * (-len(text) % 4)
    parts = struct.pack("<I4s", len(raw), b"JSON") + raw + struct.pack("<I4s", len(binary), b"BIN\0") + binary
    path.write_bytes(struct.pack("<4sII", b"glTF", 2, 12 + len(parts)) + parts)
    with pytest.raises(FormatError, match=said):
        limbik.load_motion(path)
