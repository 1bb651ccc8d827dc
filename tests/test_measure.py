"""How far goals are from being met, told apart from the kernels that meet them."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from numpy.testing import assert_allclose
from scipy.spatial.transform import Rotation

from limbik import Mass, Model, ModelBuilder, measure
from limbik.goals import (
    CenterOfMass,
    Direction,
    DistanceBetween,
    Goal,
    JointValue,
    LookAt,
    Orientation,
    PointOnLine,
    PointOnPlane,
    Pose,
    Position,
    Posture,
    Relative,
)
from limbik.request import Request
from limbik.spatial import pose_inverse
from solvers.arms import pose
from strategies import SEEDS

TOOL = pose(0.1, -0.2, 0.15, Rotation.from_rotvec([0.3, -0.2, 0.5]))


def figure() -> Model:
    """A floating trunk on a prismatic joint with two arms, ball joints among them, and masses."""
    parts = (
        ModelBuilder("figure")
        .prismatic("lift", parent="base", axis="z", limits=(-1.0, 1.0))
        .ball("waist", parent="lift", origin=(0.0, 0.1, 0.3))
        .revolute("left1", parent="waist", axis="y", origin=(0.0, 0.3, 0.5))
        .revolute("left2", parent="left1", axis="x", origin=(0.4, 0.0, 0.1))
        .revolute("right1", parent="waist", axis="z", origin=(0.0, -0.3, 0.5))
        .revolute("right2", parent="right1", axis="y", origin=(0.4, 0.0, 0.1))
        .frame("left", link="left2", pose=pose(0.3, 0.0, 0.1))
        .frame("right", link="right2", pose=pose(0.3, 0.1, 0.0))
        .build(end_effector="right")
    )
    masses = [
        Mass(link=link, mass=1.0 + k, center=(0.1, 0.2, -0.1 * k)) for k, link in enumerate(parts.joint_names)
    ]
    return Model(
        "figure", parts.joints, parts.frames[len(parts.joints) + 1 :], masses=masses, end_effector="right"
    )


FIGURE = figure()


def met_at(q: np.ndarray) -> dict[str, Goal]:
    """Goals of every kind that the configuration q meets, with the tool in the right hand."""
    left, right = FIGURE.pose(q, "left"), FIGURE.pose(q, "right") @ TOOL
    axis, lever = np.array([0.6, 0.0, 0.8]), np.array([0.3, -0.5, 0.2])
    along = right[:3, :3] @ axis
    return {
        "position": Position(frame="left", target=left[:3, 3]),
        "position of the tool": Position(target=right[:3, 3]),
        "position in the frame": Position(frame="left", target=left[:3, 3], weight=(1, 0, 1), axes="frame"),
        "orientation": Orientation(frame="left", target=left[:3, :3]),
        "orientation in the frame": Orientation(frame="left", target=left[:3, :3], axes="frame"),
        "orientation with a free axis": Orientation(frame="left", target=left[:3, :3], weight=(1, 0, 1)),
        "pose": Pose(target=right),
        "pose with a free spin": Pose(target=right, weights=(1, 1, 1, 1, 1, 0)),
        "pose with free ways": Pose(target=right, weights=(1, 0, 2, 0, 1, 0)),
        "relative": Relative(frame="right", reference="left", target=pose_inverse(left) @ right),
        "distance": DistanceBetween(
            frame="right", other="left", value=float(np.linalg.norm(right[:3, 3] - left[:3, 3]))
        ),
        "direction": Direction(axis=axis, target=along),
        "look at": LookAt(axis=axis, target=right[:3, 3] + 1.7 * along),
        "line": PointOnLine(frame="left", point=left[:3, 3] + 2.0 * lever, direction=lever),
        "plane": PointOnPlane(frame="left", point=left[:3, 3] + lever, normal=np.cross(lever, axis)),
        "mass": CenterOfMass(target=FIGURE.center_of_mass(q), weight=(1, 1, 0)),
        "joint": JointValue(joint="left2", value=q[FIGURE.q_slice("left2")][0]),
        "slide": JointValue(joint="lift", value=q[0]),
        "posture": Posture(q=q),
    }


NAMES = tuple(met_at(FIGURE.neutral))


def held(goal: Goal) -> Request:
    """The request as it is with several goals: the tool is in the end effector alone."""
    return Request(model=FIGURE, goals=(goal, goal), solver="none", options={"tool": TOOL})


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=5)
@given(SEEDS)
def test_a_goal_is_met_where_it_was_taken_from(name: str, seed: int) -> None:
    q = FIGURE.random(seed)
    goal = met_at(q)[name]
    assert_allclose(measure.goal_errors(held(goal), q)[0], 0.0, atol=1e-7)


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=5)
@given(SEEDS)
def test_rows_tell_how_errors_change(name: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    q, step = FIGURE.random(rng), 1e-6
    goal, request = met_at(q)[name], held(met_at(q)[name])
    for _ in range(3):
        v = rng.normal(size=FIGURE.nv)
        moved = FIGURE.integrate(q, step * v)
        for before, after in zip(
            measure._parts(request, goal, q), measure._parts(request, goal, moved), strict=True
        ):
            assert_allclose((after.error - before.error) / step, -before.rows @ v, atol=1e-4)


def test_errors_are_lengths_and_angles() -> None:
    q = FIGURE.random(1)
    left, right = FIGURE.pose(q, "left"), FIGURE.pose(q, "right")
    apart = float(np.linalg.norm(right[:3, 3] - left[:3, 3]))
    point, aside, up = left[:3, 3], left[:3, 3] + np.array([1.0, 2.0, 9.0]), [0.0, 0.0, 1.0]
    turn = Rotation.from_rotvec([0.0, 0.3, 0.0]).as_matrix()
    for goal, expected in (
        (Position(frame="left", target=point + np.array([3.0, 0.0, 4.0])), (5.0, 0.0)),
        (Position(frame="left", target=point + np.array([3.0, 0.0, 4.0]), weight=(1, 1, 0)), (3.0, 0.0)),
        (Position(frame="left", target=point + np.array([3.0, 0.0, 4.0]), tolerance=(1, 9, 9)), (2.0, 0.0)),
        (Orientation(frame="left", target=left[:3, :3] @ turn), (0.0, 0.3)),
        (Orientation(frame="left", target=left[:3, :3] @ turn, tolerance=0.1, axes="frame"), (0.0, 0.2)),
        (Pose(frame="left", target=left @ pose(0.5)), (0.5, 0.0)),
        (Pose(frame="left", target=left @ pose(0.5), weights=(0, 1, 1, 1, 1, 1)), (0.0, 0.0)),
        (Pose(frame="left", target=left @ pose(0.5), tolerance=(0.2, 0, 0, 0, 0, 0)), (0.3, 0.0)),
        (Direction(frame="left", axis=up, target=left[:3, 0]), (0.0, math.pi / 2)),
        (Direction(frame="left", axis=up, target=left[:3, 0], tolerance=0.5), (0.0, math.pi / 2 - 0.5)),
        (LookAt(frame="left", axis=[1, 0, 0], target=point + left[:3, 1]), (0.0, math.pi / 2)),
        (PointOnLine(frame="left", point=aside, direction=[0, 0, -3]), (math.sqrt(5.0), 0.0)),
        (PointOnPlane(frame="left", point=aside, normal=[0, 0, -3]), (9.0, 0.0)),
        (PointOnPlane(frame="left", point=aside, normal=up, tolerance=4.0), (5.0, 0.0)),
        (DistanceBetween(frame="right", other="left", value=apart + 0.5), (0.5, 0.0)),
        (DistanceBetween(frame="left", other="right", value=apart + 0.5, tolerance=0.1), (0.4, 0.0)),
        (CenterOfMass(target=FIGURE.center_of_mass(q) + np.array([0.0, 0.0, 2.0])), (2.0, 0.0)),
        (JointValue(joint="lift", value=q[0] + 0.25), (0.25, 0.0)),
        (JointValue(joint="left1", value=q[5] + 0.25 + 4 * math.pi), (0.0, 0.25)),
        (Relative(frame="right", reference="left", target=pose_inverse(left) @ right @ pose(1)), (1.0, 0.0)),
    ):  # fmt: skip
        request = Request(model=FIGURE, goals=(goal,), solver="none", options={})
        assert_allclose(measure.goal_errors(request, q)[0], expected, atol=1e-7, err_msg=repr(goal))
