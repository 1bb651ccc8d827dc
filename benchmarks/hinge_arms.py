"""Arms of revolute joints in space for the studies of CCD: lengths, axes and limits drawn from a seed."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

import limbik

AXES = np.eye(3)


@dataclass(frozen=True, kw_only=True)
class HingeArm:
    """Revolute joints about axes [n, 3], each at its offset [n + 1, 3] [m] from the one before, the tip's
    last.
    """

    name: str
    axes: np.ndarray
    offsets: np.ndarray
    lower: np.ndarray  # [rad]; infinite for none
    upper: np.ndarray

    @property
    def size(self) -> int:
        return len(self.axes)

    @property
    def reach(self) -> float:
        """[m] from the first joint."""
        return float(np.linalg.norm(self.offsets[1:], axis=1).sum())

    def model(self) -> limbik.Model:
        """The arm as limbik has it, the end effector "tip"."""
        builder = limbik.ModelBuilder(self.name)
        for k in range(self.size):
            builder = builder.revolute(
                f"joint{k + 1}",
                axis=self.axes[k],
                origin=self.offsets[k],
                limits=(self.lower[k], self.upper[k]),
            )
        return builder.frame("tip", pose=self.offsets[-1]).build(end_effector="tip")

    def pose(self, q: Sequence[float]) -> np.ndarray:
        """The pose of the tip, by kinematics of our own (Rodrigues)."""
        pose = np.eye(4)
        for axis, offset, angle in zip(self.axes, self.offsets, q, strict=False):
            step = np.eye(4)
            K = np.cross(np.eye(3), axis)
            step[:3, :3] += np.sin(angle) * K + (1.0 - np.cos(angle)) * K @ K
            step[:3, 3] = offset
            pose = pose @ step
        pose[:3, 3] += pose[:3, :3] @ self.offsets[-1]
        return pose

    def random(self, rng: np.random.Generator) -> np.ndarray:
        """A configuration within the limits."""
        return rng.uniform(np.maximum(self.lower, -np.pi), np.minimum(self.upper, np.pi))

    def beyond(self, q: np.ndarray) -> float:
        """[rad] by which the worst joint is outside its limits; whole turns do not count."""
        if not np.isfinite(self.lower).all():
            return 0.0
        middle, half = 0.5 * (self.lower + self.upper), 0.5 * (self.upper - self.lower)
        apart = np.abs((np.asarray(q) - middle + np.pi) % (2.0 * np.pi) - np.pi)
        return float((apart - half).max(initial=0.0))


def generator(seed: int, *words: str) -> np.random.Generator:
    """Random numbers that depend on the seed and the words only."""
    return np.random.default_rng([seed, zlib.crc32(" ".join(words).encode())])


def wristed(size: int, limits: tuple[float, float], seed: int) -> HingeArm:
    """An arm as robots are built: yaw, shoulder and elbow, from 6 joints on a turn of the forearm, from 7 on
    one of the upper arm, and a wrist of two or three axes near each other; lengths are random."""
    rng = generator(seed, "wristed", str(size))
    upper, lower, tool = rng.uniform(0.25, 0.5, 3) * (1.0, 1.0, 0.4)
    shift = rng.uniform(0.0, 0.05, 4)
    letters = {5: "zyyyx", 6: "zyyzyx", 7: "zyzyzyx"}[size]
    places = {
        5: (0, 0, upper, lower, 0, tool),
        6: (0, 0, upper, lower, 0, 0, tool),
        7: (0, 0, 0, upper, lower, 0, 0, tool),
    }
    offsets = np.zeros((size + 1, 3))
    offsets[:, 2] = places[size]
    offsets[1, 0], offsets[2, 1], offsets[-2, 2], offsets[-1, 0] = shift[0], shift[1], shift[2], shift[3]
    return _limited(
        f"wristed-{size}", [AXES["xyz".index(letter)] for letter in letters], offsets, limits, rng
    )


def scrambled(size: int, limits: tuple[float, float], seed: int) -> HingeArm:
    """An arm as nobody builds one: axes along x, y or z or anywhere, offsets along any axis."""
    rng = generator(seed, "scrambled", str(size))
    axes = [AXES[rng.integers(3)] if rng.random() < 0.7 else _direction(rng) for _ in range(size)]
    offsets = np.array([rng.uniform(0.1, 0.4) * AXES[rng.integers(3)] for _ in range(size + 1)])
    offsets[0] = 0.0
    return _limited(f"scrambled-{size}", axes, offsets, limits, rng)


def plain(size: int, limit: float) -> HingeArm:
    """Links of equal length along x, 1 m together, on revolute joints about z, y, z, y, ..."""
    offsets = np.tile((1.0 / size, 0.0, 0.0), (size + 1, 1))
    offsets[0] = 0.0
    axes = np.array([AXES[2 - k % 2] for k in range(size)])
    return HingeArm(
        name=f"hinges-{size}",
        axes=axes,
        offsets=offsets,
        lower=np.full(size, -limit),
        upper=np.full(size, limit),
    )


def _limited(
    name: str,
    axes: Sequence[np.ndarray],
    offsets: np.ndarray,
    limits: tuple[float, float],
    rng: np.random.Generator,
) -> HingeArm:
    half = rng.uniform(*limits, len(axes))
    return HingeArm(name=name, axes=np.array(axes), offsets=offsets, lower=-half, upper=half)


def _direction(rng: np.random.Generator) -> np.ndarray:
    vector = rng.normal(size=3)
    return np.asarray(vector / np.linalg.norm(vector))
