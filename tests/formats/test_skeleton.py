"""Motions written as BVH and glTF that were not read from it: the links are where they were."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pygltflib
import pytest
import trimesh
from scipy.spatial.transform import Rotation

import limbik
from limbik import JointKind, ModelBuilder
from limbik.formats.bvh_skeleton import angles_of
from limbik.spatial import pose_from, rotation_exp

WALK = Path(__file__).parents[2] / "examples" / "walk.bvh"
UPRIGHT = pose_from(np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, -1.0, 0.0]]))  # z up to y up
BACK = {".bvh": 1e-9, ".glb": 2e-6, ".gltf": 2e-6}  # [m], and of rotations: decimals, and float32


def poses(motion: limbik.Motion, links: tuple[str, ...]) -> np.ndarray:
    return np.asarray(motion.model.poses(motion.q, list(links)))


def robot() -> limbik.Motion:
    """Hinges, a slide, a ball and a fixed link on a floating base, z up, names with blanks."""
    builder = ModelBuilder("machine", root="world").floating("base", child="trunk")
    builder.revolute(
        "hip",
        axis="y",
        child="left leg",
        origin=pose_from(rotation_exp(np.array([0.3, 0, 1.2])), (0.1, 0.2, -0.1)),
    )
    builder.prismatic("knee", axis="z", limits=(-0.2, 0.2), origin=(0, 0, -0.4))
    builder.ball("ankle", origin=(0, 0.05, -0.3)).fixed("sole", origin=(0.1, 0, -0.05))
    model = builder.frame("toe", pose=(0.2, 0, 0)).build()
    rng = np.random.default_rng(3)
    q = np.array([model.neutral])
    for _ in range(20):
        q = np.append(q, model.integrate(q[-1:], 0.2 * rng.normal(size=(1, model.nv))), axis=0)
    return limbik.Motion(model, model.clip(q), 0.02)


@pytest.mark.parametrize("ending", BACK)
def test_a_robots_motion_is_read_back_as_it_was_with_y_up(tmp_path: Path, ending: str) -> None:
    motion = robot()
    motion.save(tmp_path / f"robot{ending}")
    back = limbik.load_motion(tmp_path / f"robot{ending}")
    assert (back.up, len(back)) == ("y", 21) and abs(back.dt - 0.02) < 1e-6
    named = {link: link.replace(" ", "_") if ending == ".bvh" else link for link in motion.links}
    assert set(named.values()) <= set(back.links)
    expected = UPRIGHT @ poses(motion, motion.links)
    np.testing.assert_allclose(poses(back, tuple(named.values())), expected, atol=BACK[ending])


def test_bvh_to_gltf_and_back_keeps_every_link(tmp_path: Path) -> None:
    motion = limbik.load_motion(WALK)
    motion.save(tmp_path / "walk.glb")
    there = limbik.load_motion(tmp_path / "walk.glb")
    there.save(tmp_path / "back.bvh")
    back = limbik.load_motion(tmp_path / "back.bvh")
    for each in (there, back):
        assert set(each.links) == set(motion.links)
        np.testing.assert_allclose(poses(each, motion.links), poses(motion, motion.links), atol=2e-6)
        assert limbik.humanoid(each).frames == limbik.humanoid(motion).frames
    ends = [frame.name for frame in motion.model.frames if frame.name.endswith(".end")]
    assert len(ends) == sum(joint.is_end for joint in motion.hierarchy or ()) > 0
    for each in (there, back):
        np.testing.assert_allclose(poses(each, ends)[..., 3], poses(motion, ends)[..., 3], atol=2e-6)


def test_other_readers_see_the_skin_the_bones_and_the_animation(tmp_path: Path) -> None:
    motion = limbik.load_motion(WALK)
    path = tmp_path / "walk.glb"
    motion.save(path)
    file = pygltflib.GLTF2().load(path)
    assert [file.nodes[k].name for k in file.skins[0].joints] == list(motion.links)
    moved = {(channel.target.node, channel.target.path) for channel in file.animations[0].channels}
    assert (file.skins[0].joints[0], "translation") in moved and len(moved) > 5
    (mesh,) = trimesh.load(path).geometry.values()
    high = np.ptp(poses(motion, motion.links)[0, :, 1, 3])
    assert 0.8 * high < np.ptp(mesh.vertices[:, 1]) < 1.4 * high


@pytest.mark.parametrize("seed", range(3))
def test_angles_make_the_rotations_and_do_not_jump(seed: int) -> None:
    rng = np.random.default_rng(seed)
    turns = [Rotation.from_rotvec(rng.normal(size=(2, 3)))]
    for k in range(300):  # through the places where two of the angles are about one axis, and along them
        step = Rotation.from_euler("ZXY", [[0.05, np.pi / 2 * (k % 100 == 50), 0.02], [0.0, 0.04, 0.0]])
        turns.append(
            turns[-1] * step
            if k % 100 != 50
            else Rotation.from_euler("ZXY", [[0.4, np.pi / 2, 0.3], [1, 1.57, 0]])
        )
    matrices = np.array([turn.as_matrix() for turn in turns])
    angles = angles_of(matrices)
    again = Rotation.from_euler("ZXY", angles.reshape(-1, 3)).as_matrix().reshape(matrices.shape)
    np.testing.assert_allclose(again, matrices, atol=1e-6)
    smooth = Rotation.from_euler("ZXY", np.linspace([0.0, -4.0, 1.0], [9.0, 4.0, -2.0], 200)).as_matrix()[
        :, None
    ]
    assert np.abs(np.diff(angles_of(smooth)[:, 0], axis=0)).max() < 0.06


def test_angles_that_begin_in_gimbal_lock_are_those_after_it() -> None:
    turned = np.linspace([np.pi / 2.0, 0.0, 0.0], [np.pi / 2.0, 0.1, 0.0], 50)
    matrices = Rotation.from_rotvec(turned).as_matrix()[:, None]
    angles = angles_of(matrices)
    assert np.abs(np.diff(angles, axis=0)).max() < 0.01
    again = Rotation.from_euler("ZXY", angles[:, 0]).as_matrix()
    np.testing.assert_allclose(again, matrices[:, 0], atol=1e-6)


def test_a_model_of_one_link_is_written_too(tmp_path: Path) -> None:
    model = ModelBuilder("box", root="world").floating("base", child="trunk").build()
    motion = limbik.Motion(model, np.tile(model.neutral, (2, 1)), 0.1)
    for ending in BACK:
        motion.save(tmp_path / f"box{ending}")
        assert len(limbik.load_motion(tmp_path / f"box{ending}").links) == 1
    assert {joint.kind for joint in model.joints} == {JointKind.FLOATING}


def test_the_frames_of_one_frame_are_kept(tmp_path: Path) -> None:
    motion = robot()
    replace(motion, q=motion.q[:1]).save(tmp_path / "still.glb")
    assert len(limbik.load_motion(tmp_path / "still.glb")) == 1
