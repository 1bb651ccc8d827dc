"""The arms that the benchmarks move, and the independent check of an answer.

Everything here is plain NumPy and shares no code with limbik or a peer. The common currency is the unit
direction of every link in world axes, [n_links, 3]: any peer's answer (angles, quaternions, joint positions)
is turned into it, and the tip is placed again from the directions and the exact link lengths.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

LIMIT_SLACK = 1e-6  # [rad] an answer may be this far past a limit and still count as legal


@dataclass(frozen=True, kw_only=True)
class Arm:
    """A chain of links along +x: revolute joints about z (planar) or ball joints, all with the same limit.

    A planar joint may turn by +-limit; a ball joint may swing by up to limit away from its parent link.
    """

    name: str
    lengths: tuple[float, ...]  # [m]
    planar: bool
    limit: float | None = None  # [rad]; None: no limits

    @property
    def size(self) -> int:
        return len(self.lengths)

    @property
    def reach(self) -> float:
        return float(sum(self.lengths))

    def limited(self, limit: float | None) -> Arm:
        return Arm(name=self.name, lengths=self.lengths, planar=self.planar, limit=limit)


@dataclass(frozen=True, kw_only=True)
class Answer:
    """What a method answered: link directions [n_links, 3], revolute joint angles where it has some, its own
    count.
    """

    directions: np.ndarray
    angles: np.ndarray | None = None  # [rad] relative, planar arms
    iterations: int | None = None
    restarts: int = 0
    claims_success: bool | None = None
    status: str = ""


def planar(links: int) -> Arm:
    """An arm of equal links with a reach of 1 m."""
    return Arm(name=f"planar-{links}", lengths=(1.0 / links,) * links, planar=True)


def ball(links: int = 10, length: float = 0.085) -> Arm:
    """Ball joints with equal links; ten of 8.5 cm are the FABRIK paper's arm (Aristidou & Lasenby 2011)."""
    return Arm(name=f"ball-{links}", lengths=(length,) * links, planar=False)


def tip(arm: Arm, directions: np.ndarray) -> np.ndarray:
    """Position of the tip [m], shape [3]."""
    return np.asarray(arm.lengths) @ directions


def check(arm: Arm, target: np.ndarray, answer: Answer) -> tuple[float, bool]:
    """Distance of the tip from the target [m], and whether every joint is inside its limit."""
    d = np.asarray(answer.directions, dtype=float)
    norms = np.linalg.norm(d, axis=1)
    if d.shape != (arm.size, 3) or not np.all(np.isfinite(d)) or np.any(norms < 1e-9):
        return float("inf"), False
    d = d / norms[:, None]
    error = float(np.linalg.norm(tip(arm, d) - target))
    if arm.limit is None:
        return error, True
    if arm.planar and answer.angles is not None:
        bend = np.abs(answer.angles)
    else:
        before = np.vstack(([1.0, 0.0, 0.0], d[:-1]))
        bend = np.arctan2(np.linalg.norm(np.cross(before, d), axis=1), np.sum(before * d, axis=1))
    return error, bool(np.all(bend <= arm.limit + LIMIT_SLACK))


# From directions to what a peer wants as its start, and back.


def directions_from_angles(angles: np.ndarray) -> np.ndarray:
    """Directions [n, 3] of a planar arm from its relative angles [rad]."""
    total = np.cumsum(angles)
    return np.stack((np.cos(total), np.sin(total), np.zeros_like(total)), axis=1)


def angles_from_directions(directions: np.ndarray) -> np.ndarray:
    """Relative angles [rad] in (-pi, pi] of a planar arm from its directions."""
    total = np.arctan2(directions[:, 1], directions[:, 0])
    relative = np.diff(total, prepend=0.0)
    return np.pi - (np.pi - relative) % (2.0 * np.pi)


def positions_from_directions(arm: Arm, directions: np.ndarray) -> np.ndarray:
    """Joint positions and the tip [m], [n + 1, 3], base at the origin."""
    steps = np.asarray(arm.lengths)[:, None] * directions
    return np.vstack((np.zeros(3), np.cumsum(steps, axis=0)))


def directions_from_positions(positions: np.ndarray) -> np.ndarray:
    """Unit directions from joint positions; a link of no length gives NaN, which `check` refuses."""
    steps = np.diff(np.asarray(positions, dtype=float), axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        return steps / np.linalg.norm(steps, axis=1)[:, None]


def quaternion_product(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Product of two quaternions, xyzw."""
    ax, ay, az, aw = a
    bx, by, bz, bw = b
    return np.array(
        (
            aw * bx + ax * bw + ay * bz - az * by,
            aw * by - ax * bz + ay * bw + az * bx,
            aw * bz + ax * by - ay * bx + az * bw,
            aw * bw - ax * bx - ay * by - az * bz,
        )
    )


def quaternion_rotate(q: np.ndarray, vector: np.ndarray) -> np.ndarray:
    """The vector turned by the quaternion, xyzw."""
    twice = 2.0 * np.cross(q[:3], vector)
    return vector + q[3] * twice + np.cross(q[:3], twice)


def directions_from_quaternions(quaternions: np.ndarray) -> np.ndarray:
    """Directions [n, 3] from the relative joint quaternions [n, 4] (xyzw); links lie along the joints' x."""
    frame = np.array((0.0, 0.0, 0.0, 1.0))
    directions = np.empty((len(quaternions), 3))
    for i, q in enumerate(quaternions):
        frame = quaternion_product(frame, q / np.linalg.norm(q))
        directions[i] = quaternion_rotate(frame, np.array((1.0, 0.0, 0.0)))
    return directions


def quaternions_from_directions(directions: np.ndarray) -> np.ndarray:
    """Relative joint quaternions [n, 4] (xyzw) without twist that lay the links along the directions."""
    frame = np.array((0.0, 0.0, 0.0, 1.0))
    quaternions = np.empty((len(directions), 4))
    for i, direction in enumerate(directions):
        inverse = frame * (-1.0, -1.0, -1.0, 1.0)
        x, y, z = quaternion_rotate(inverse, direction)
        q = np.array((0.0, -z, y, 1.0 + x)) if x > -1.0 + 1e-12 else np.array((0.0, 0.0, 1.0, 0.0))
        quaternions[i] = q / np.linalg.norm(q)
        frame = quaternion_product(frame, quaternions[i])
        frame /= np.linalg.norm(frame)
    return quaternions


def universal_from_directions(directions: np.ndarray) -> np.ndarray:
    """Angles [2 n] of the revolute joint pairs (z, then y) that stand for ball joints where a peer only has
    revolute joints.
    """
    frame = np.eye(3)
    angles = np.empty((len(directions), 2))
    for i, direction in enumerate(directions):
        x, y, z = frame.T @ direction
        angles[i] = np.arctan2(y, x), -np.arcsin(np.clip(z, -1.0, 1.0))
        frame = frame @ universal_rotation(*angles[i])
    return angles.ravel()


def directions_from_universal(angles: np.ndarray) -> np.ndarray:
    """Directions [n, 3] from the revolute joint pairs (z, then y) [2 n]."""
    frame = np.eye(3)
    directions = np.empty((len(angles) // 2, 3))
    for i, (about_z, about_y) in enumerate(np.reshape(angles, (-1, 2))):
        frame = frame @ universal_rotation(about_z, about_y)
        directions[i] = frame[:, 0]
    return directions


def universal_rotation(about_z: float, about_y: float) -> np.ndarray:
    """Rotation about z, then about the turned y."""
    cz, sz, cy, sy = np.cos(about_z), np.sin(about_z), np.cos(about_y), np.sin(about_y)
    return np.array(((cz * cy, -sz, cz * sy), (sz * cy, cz, sz * sy), (-sy, 0.0, cy)))
