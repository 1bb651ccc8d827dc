"""Wrists, by the geometry of the last three axes."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from limbik.model import Joint, JointKind, Mimic, Model, ModelBuilder, load, planar_arm
from limbik.model.wrist import WristKind, wrist_of


@pytest.mark.parametrize(
    ("robot", "kind", "miss"),
    [
        ("iiwa14", WristKind.SPHERICAL, 0.0),
        ("puma560", WristKind.SPHERICAL, 0.0),
        ("gen3", WristKind.OFFSET, 0.0003501),
        ("panda", WristKind.OFFSET, 0.088),
        ("ur5e", WristKind.OFFSET, 0.0997),
        ("xarm7", WristKind.OFFSET, 0.076),
        ("planar-4", WristKind.NONE, 0.0),
        ("planar-2", WristKind.NONE, 0.0),
    ],
)
def test_wrists_of_known_robots(robot: str, kind: WristKind, miss: float) -> None:
    wrist = wrist_of(load(robot))
    assert wrist.kind is kind
    assert len(wrist.joints) == (0 if kind is WristKind.NONE else 3)
    assert wrist.miss == pytest.approx(miss, abs=1e-12)


@given(st.integers(0, 2**32 - 1), st.floats(0.0, 0.5))
def test_axes_through_one_point_are_a_spherical_wrist_wherever_the_frames_are(seed: int, off: float) -> None:
    rng = np.random.default_rng(seed)
    center = rng.uniform(-1, 1, 3)
    joints = []
    before = np.eye(4)
    for k, direction in enumerate(Rotation.random(rng=rng).as_matrix().T):
        frame = np.eye(4)
        frame[:3, :3] = Rotation.random(rng=rng).as_matrix()
        across = np.cross(direction, rng.normal(size=3))
        aside = off * across / np.linalg.norm(across) if k == 2 else 0.0
        frame[:3, 3] = center + rng.uniform(-1, 1) * direction + aside
        joints.append(
            Joint(
                name=f"j{k}",
                kind=JointKind.REVOLUTE,
                parent=f"l{k}",
                child=f"l{k + 1}",
                origin=np.linalg.inv(before) @ frame,
                axis=frame[:3, :3].T @ direction,
            )
        )
        before = frame
    wrist = wrist_of(Model("wrist", joints))
    if off == 0.0 or off > 1e-5:
        assert wrist.kind is (WristKind.SPHERICAL if off == 0.0 else WristKind.OFFSET)
    assert (
        wrist.miss >= 0.5 * off - 1e-9
    )  # the normal's foot may lie nearer on the middle axis than the point


def test_slides_followers_and_few_joints_are_no_wrist() -> None:
    turns = ModelBuilder("arm").revolute("a", axis="z").revolute("b", axis="y")
    assert wrist_of(turns.build()).kind is WristKind.NONE
    assert wrist_of(turns.prismatic("c", axis="x").build()).kind is WristKind.NONE
    follower = ModelBuilder("arm").revolute("a", axis="z").revolute("b", axis="y")
    model = follower.revolute("c", axis="x", mimic=Mimic(joint="a")).build()
    assert wrist_of(model).kind is WristKind.NONE
    assert wrist_of(planar_arm(3)).kind is WristKind.NONE
    assert not math.isnan(wrist_of(planar_arm(3)).miss)
