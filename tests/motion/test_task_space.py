"""Lines, polylines, arcs and circles of poses."""

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.spatial.transform import Rotation, Slerp

import limbik
from limbik.errors import GoalError


def pose(position, rotation=(0.0, 0.0, 0.0)) -> np.ndarray:
    out = np.eye(4)
    out[:3, :3] = Rotation.from_rotvec(rotation).as_matrix()
    out[:3, 3] = position
    return out


def test_a_straight_line_is_straight_and_turns_evenly() -> None:
    a, b = pose([0, 0, 0], [0.1, 0.2, 0.3]), pose([1, 2, 3], [-1.0, 0.4, 2.0])
    line = limbik.straight_line(a, b, 11)
    parts = np.linspace(0, 1, 11)
    assert_allclose(line[:, :3, 3], parts[:, None] * [1, 2, 3], atol=1e-15)
    turns = Slerp([0, 1], Rotation.from_matrix([a[:3, :3], b[:3, :3]]))(parts)
    assert_allclose(line[:, :3, :3], turns.as_matrix(), atol=1e-12)


def test_a_polyline_goes_at_an_even_speed() -> None:
    corner = limbik.polyline(np.stack([pose([0, 0, 0]), pose([3, 0, 0]), pose([3, 1, 0])]), 9)
    assert_allclose(np.linalg.norm(np.diff(corner[:, :3, 3], axis=0), axis=1), 0.5, atol=1e-12)


def test_an_arc_keeps_its_radius_and_turns_or_keeps_the_orientation() -> None:
    start = pose([1, 0, 0.5], [0.3, 0, 0])
    turned = limbik.arc(start, [0, 0, 0.5], [0, 0, 2], math.pi / 2, 5)
    assert_allclose(np.linalg.norm(turned[:, :2, 3], axis=1), 1.0)
    assert_allclose(turned[-1, :3, 3], [0, 1, 0.5], atol=1e-12)
    quarter = Rotation.from_rotvec([0, 0, math.pi / 2]).as_matrix()
    assert_allclose(turned[-1, :3, :3], quarter @ start[:3, :3], atol=1e-12)
    around = limbik.circle(start, [0, 0, 0.5], [0, 0, 1])
    assert_allclose(around[-1], start, atol=1e-12)
    assert_allclose(around[:, :3, :3], np.broadcast_to(start[:3, :3], (73, 3, 3)))


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: limbik.straight_line(np.eye(4), np.eye(3)),
        lambda: limbik.straight_line(np.eye(4), np.eye(4), 1),
        lambda: limbik.polyline([np.eye(4)]),
        lambda: limbik.polyline([np.eye(4), np.eye(4)]),
        lambda: limbik.arc(np.eye(4), [0, 0, 0], [0, 0, 0], 1.0),
        lambda: limbik.arc(np.eye(4), [0, 0, 0], [0, 0, 1], math.inf),
        lambda: limbik.circle(np.eye(4), [0, 0, math.nan], [0, 0, 1]),
        lambda: limbik.circle(np.eye(4), [0, 0, 0], [0, 0, 1], orientation="spin"),
    ],
)
def test_what_has_no_meaning_is_refused(wrong) -> None:
    with pytest.raises(GoalError):
        wrong()
