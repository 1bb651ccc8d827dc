"""Arms of six revolute joints, by the tables that their makers or papers publish, with an oracle for them;
and random ones of each family with a closed form.

The oracle multiplies Denavit-Hartenberg matrices and runs Gauss-Newton from many random starts.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

import limbik
from limbik.analytic.axes import Axes
from limbik.analytic.closed_form import Family
from limbik.spatial import pose_from, rotation_exp

QUARTER = math.pi / 2


@dataclass(frozen=True)
class Table:
    """Rows of a, alpha, d [m, rad]; "modified" is Craig's convention."""

    a: tuple[float, ...]
    alpha: tuple[float, ...]
    d: tuple[float, ...]
    modified: bool = False

    def frames(self, q: np.ndarray) -> np.ndarray:
        """[N, 7, 4, 4]: those whose z is a joint's axis (in front of its turn), then the tool's."""
        pose = np.broadcast_to(np.eye(4), (len(q), 4, 4))
        frames = []
        for a, alpha, d, angle in zip(self.a, self.alpha, self.d, q.T, strict=True):
            link = _about(0, np.full(len(q), alpha), a)
            turn = _about(2, angle, d)
            if self.modified:
                pose = pose @ link
            frames.append(pose)
            pose = pose @ turn if self.modified else pose @ turn @ link
        return np.stack([*frames, pose], axis=1)

    @property
    def axes(self) -> Axes:
        """The arm as axes in space."""
        frames = self.frames(np.zeros((1, 6)))[0]
        return Axes(frames[:6, :3, 2], frames[:6, :3, 3], np.zeros(6, bool), frames[6])


def _about(axis: int, angle: np.ndarray, along: float) -> np.ndarray:
    i, j = (axis + 1) % 3, (axis + 2) % 3
    pose = np.zeros((len(angle), 4, 4))
    pose[:, axis, axis] = pose[:, 3, 3] = 1.0
    pose[:, i, i] = pose[:, j, j] = np.cos(angle)
    pose[:, j, i], pose[:, i, j] = np.sin(angle), -np.sin(angle)
    pose[:, axis, 3] = along
    return pose


def jacobian(frames: np.ndarray) -> np.ndarray:
    """[N, 6, 6]: linear above angular, from `Table.frames`."""
    z, origin, tool = frames[:, :6, :3, 2], frames[:, :6, :3, 3], frames[:, 6:, :3, 3]
    return np.concatenate([np.cross(z, tool - origin), z], axis=2).transpose(0, 2, 1)


def regularity(table: Table, q: np.ndarray) -> float:
    """The smallest singular value of the Jacobian."""
    return float(np.linalg.svd(jacobian(table.frames(q[None]))[0], compute_uv=False)[-1])


def searched(table: Table, pose: np.ndarray, starts: int, seed: int) -> np.ndarray:
    """The configurations [k, 6] that random starts lead to."""
    q = np.random.default_rng(seed).uniform(-np.pi, np.pi, (starts, 6))
    for _ in range(60):
        frames = table.frames(q)
        away = frames[:, 6]
        linear = pose[:3, 3] - away[:, :3, 3]
        angular = 0.5 * np.cross(away[:, :3, :3], pose[None, :3, :3], axis=1).sum(axis=2)
        error = np.concatenate([linear, angular], axis=1)
        J = jacobian(frames)
        damping = 0.01 * (error**2).sum(axis=1)[:, None, None] * np.eye(6)
        step = np.linalg.solve(
            J.transpose(0, 2, 1) @ J + damping + 1e-15 * np.eye(6), J.transpose(0, 2, 1) @ error[:, :, None]
        )[:, :, 0]
        q = q + step * np.minimum(1.0, 0.5 / np.maximum(np.abs(step).max(axis=1, keepdims=True), 1e-9))
    found: list[np.ndarray] = []
    for each in q[np.abs(table.frames(q)[:, 6] - pose).max(axis=(1, 2)) < 1e-9]:
        if all(apart(each, other) > 1e-4 for other in found):
            found.append(each)
    return np.array(found).reshape(-1, 6)


def apart(a: np.ndarray, b: np.ndarray) -> float:
    """The largest angle between two configurations, whole turns not counted."""
    return float(np.abs((a - b + np.pi) % (2.0 * np.pi) - np.pi).max())


def _jaco(d1: float, d2: float, d3: float, d4: float, d5: float, d6: float, e2: float) -> Table:
    """Kinova's curved wrist of 60 degrees."""
    half = math.radians(30.0)
    part = math.sin(half) / math.sin(2.0 * half)
    return Table(
        a=(0.0, d2, 0.0, 0.0, 0.0, 0.0),
        alpha=(QUARTER, math.pi, QUARTER, 2.0 * half, 2.0 * half, math.pi),
        d=(d1, 0.0, -e2, -(d3 + part * d4), -part * (d4 + d5), -(part * d5 + d6)),
    )


def _crx(upper: float) -> Table:
    """FANUC's CRX (Abbes & Poisson, "Geometric approach for inverse kinematics of the FANUC CRX", 2024)."""
    return Table(
        a=(0.0, 0.0, upper, 0.0, 0.0, 0.0),
        alpha=(0.0, -QUARTER, math.pi, -QUARTER, QUARTER, -QUARTER),
        d=(0.0, 0.0, 0.0, -0.54, 0.15, -0.16),
        modified=True,
    )


ARMS = {
    "fanuc-crx10ia": _crx(0.54),
    "fanuc-crx10ia-l": _crx(0.71),
    "kinova-j2n6s": _jaco(0.2755, 0.41, 0.2073, 0.0741, 0.0741, 0.16, 0.0098),
    "kinova-gen3-lite": Table(
        a=(0.0, 0.28, 0.0, 0.0, 0.0, 0.0),
        alpha=(QUARTER, math.pi, QUARTER, QUARTER, QUARTER, 0.0),
        d=(0.2433, 0.03, 0.02, 0.245, 0.057, 0.235),
    ),
    "xarm6": Table(
        a=(0.0, 0.0, math.hypot(0.2845, 0.0535), 0.0775, 0.0, 0.076),
        alpha=(0.0, -QUARTER, 0.0, -QUARTER, QUARTER, -QUARTER),
        d=(0.267, 0.0, 0.0, 0.3425, 0.0, 0.097),
        modified=True,
    ),
    "ur5": Table(
        a=(0.0, -0.425, -0.39225, 0.0, 0.0, 0.0),
        alpha=(QUARTER, 0.0, 0.0, QUARTER, -QUARTER, 0.0),
        d=(0.089159, 0.0, 0.0, 0.10915, 0.09465, 0.0823),
    ),
    "agilex-piper": Table(
        a=(0.0, 0.0, 0.28503, -0.02198, 0.0, 0.0),
        alpha=(0.0, -QUARTER, 0.0, QUARTER, -QUARTER, QUARTER),
        d=(0.123, 0.0, 0.0, 0.25075, 0.0, 0.091),
        modified=True,
    ),
    # Of the kind that Manseur & Doty found ("A robot manipulator with 16 real inverse kinematic solution
    # sets", 1989): twists of a right angle and of almost none take turns.
    "sixteen": Table(
        a=(0.3, 1.0, 0.0, 1.5, 0.0, 0.0),
        alpha=(QUARTER, math.radians(1.0), QUARTER, math.radians(1.0), QUARTER, math.radians(1.0)),
        d=(0.0, 0.0, 0.2, 0.0, 0.0, 0.0),
    ),
}


def random_table(seed: int, special: bool) -> Table:
    """Any arm; special: of parallel, crossing and intersecting axes."""
    rng = np.random.default_rng(seed)
    a, alpha, d = rng.uniform(-1.0, 1.0, 6), rng.uniform(-3.0, 3.0, 6), rng.uniform(-1.0, 1.0, 6)
    if special:
        a, d = a * (rng.random(6) < 0.6), d * (rng.random(6) < 0.7)
        alpha = rng.choice([QUARTER, -QUARTER, QUARTER, 0.0, 1.0], 6)
    return Table(tuple(a), tuple(alpha), tuple(d))


FAMILIES = [  # without prismatic joints; others are in test_slides.py
    Family.PARALLEL_2_3,
    Family.PARALLEL_1_2,
    Family.MEETING_1_2,
    Family.MEETING_2_3,
    Family.THREE_PARALLEL,
]


def random_axes(family: Family, seed: int) -> Axes:
    """Six axes of a family, otherwise anywhere."""
    rng = np.random.default_rng(seed)
    h = rng.normal(size=(6, 3))
    h /= np.linalg.norm(h, axis=1, keepdims=True)
    points = rng.uniform(-0.5, 0.5, (6, 3))
    if family is Family.THREE_PARALLEL:
        h[2], h[3] = h[1], -h[1]
        points[5] = points[4] + 0.1 * h[4] - 0.3 * h[5]
    else:
        points[4] = points[5] = points[3]
    if family is Family.PARALLEL_2_3:
        h[2] = -h[1]
    elif family is Family.PARALLEL_1_2:
        h[1] = h[0]
    elif family is Family.MEETING_1_2:
        points[1] = points[0] + 0.3 * h[0] + 0.2 * h[1]
    elif family is Family.MEETING_2_3:
        points[2] = points[1] + 0.3 * h[1] + 0.4 * h[2]
    home = pose_from(rotation_exp(rng.normal(size=3)), rng.uniform(-1.0, 1.0, 3))
    return Axes(h, points, np.zeros(6, bool), home)


def as_model(axes: Axes, limits: float | list[tuple[float, float]] = math.pi) -> limbik.Model:
    """A model with these axes, and limits to either side or (lower, upper) of each joint [rad]."""
    joints, before = [], np.zeros(3)
    ranges = limits if isinstance(limits, list) else [(-limits, limits)] * axes.size
    for k, (h, point) in enumerate(zip(axes.directions, axes.points, strict=True)):
        joints.append(
            limbik.Joint(
                name=f"joint_{k + 1}",
                kind=limbik.JointKind.REVOLUTE,
                parent=f"link_{k}",
                child=f"link_{k + 1}",
                origin=pose_from(None, point - before),
                axis=h,
                lower=ranges[k][0],
                upper=ranges[k][1],
            )
        )
        before = point
    tool = pose_from(axes.home[:3, :3], axes.home[:3, 3] - before)
    frame = limbik.Frame(name="tool", link="link_6", pose_link_frame=tool)
    return limbik.Model("arm", joints, [frame], end_effector="tool")
