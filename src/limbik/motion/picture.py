"""Draws a motion as SVG: figures from the side, one after the other."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from limbik.errors import GoalError, ModelError
from limbik.formats.motions import Motion, as_motion
from limbik.motion.body.anatomy import UPWARD
from limbik.motion.body.bones import Bone, bones_of
from limbik.spatial import Array, as_whole, norm

HEIGHT, MARGIN = 300.0, 24.0  # [px]
MAX_FIGURES = 60
APART = 0.45  # of the height of the figure: figures that stand nearer are drawn so far apart
STILL = 0.5  # of the height: a path so short has no direction
HEAD = 0.055  # radius per height
STROKE = 0.021  # width of a bone per height
COLOURS = {"": "#6b7485", "left": "#2f7fd6", "right": "#e07b1f"}
GROUND, TEXT = "#8a94a3", "#6b7485"


def picture(motion: Motion, *, figures: int = 9) -> str:
    """An SVG of the motion: figures at even times, seen from the right of the path that it goes.

        Path("walk.svg").write_text(limbik.motion.picture(limbik.load_motion("walk.bvh")))

    figures: how many, 1 to 60; fewer where the motion has fewer frames. Where the body stays in place they
    stand side by side. The left of a body is blue, the right orange; times [s] stand below.

    Raises ModelError for what is no motion or has no bones, GoalError for another number of figures.
    """
    motion = as_motion(motion)
    if not 1 <= as_whole(figures, "figures", 1, GoalError) <= MAX_FIGURES:
        raise GoalError(f"figures needs a whole number from 1 to {MAX_FIGURES}, found {figures}")
    bones = bones_of(motion)
    if not bones:
        raise ModelError(
            f"model {motion.model.name!r} has no bones: no two links that move follow each other"
        )
    frames = np.unique(np.linspace(0, len(motion) - 1, figures).round().astype(np.int64))
    positions = _seen(motion, bones, frames)
    tall = float(np.ptp(positions[..., 1])) or 1.0
    low = float(positions[..., 1].min())
    scale = (HEIGHT - 2.0 * MARGIN) / tall
    size = float(np.median(np.ptp(positions[..., 1], axis=(1, 2)))) or tall
    lefts = _apart(positions, APART * size)
    across = scale * (positions[..., 0] + lefts[:, None, None])
    begin = float(across.min()) - MARGIN
    width = float(across.max()) - begin + MARGIN
    across, up = across - begin, HEIGHT - MARGIN - scale * (positions[..., 1] - low)
    points: Array = np.stack([across, up], axis=-1)
    times: Array = np.asarray(frames * motion.dt, dtype=np.float64)
    return "\n".join(_lines(bones, points, times, width, scale * size))


def _seen(motion: Motion, bones: tuple[Bone, ...], frames: NDArray[np.int64]) -> Array:
    """[figures, bones, 2 ends, 2] along the direction of travel and up [m]."""
    names = list(dict.fromkeys(name for bone in bones for name in (bone.link, bone.end)))
    poses = motion.model.poses(motion.q[frames], names)[..., :3, 3] @ UPWARD[motion.up].T
    at = np.array([[names.index(bone.link), names.index(bone.end)] for bone in bones])
    middle = poses.mean(axis=1)[:, :2]
    direction = middle[-1] - middle[0]
    far = float(norm(direction))
    ahead = direction / far if far > STILL * float(np.ptp(poses[..., 2])) else np.array([1.0, 0.0])
    return np.asarray(np.stack([poses[..., :2] @ ahead, poses[..., 2]], axis=-1)[:, at])


def _apart(positions: Array, min_step: float) -> Array:
    """[figures] how far each is moved along so that none stands in another [m]."""
    middles = positions[..., 0].mean(axis=(1, 2))
    steps = np.maximum(np.diff(middles), min_step)
    wanted = middles[0] + np.concatenate([[0.0], np.cumsum(steps)])
    return np.asarray(wanted - middles)


def _lines(bones: tuple[Bone, ...], points: Array, times: Array, width: float, size: float) -> Iterator[str]:
    stroke = STROKE * size
    yield (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {HEIGHT:.0f}" width="{width:.0f}" '
        f'height="{HEIGHT:.0f}" font-family="sans-serif" font-size="11" stroke-linecap="round">'
    )
    floor = HEIGHT - MARGIN + 0.5 * stroke
    yield f'<path d="M0 {floor:.1f}H{width:.0f}" stroke="{GROUND}"/>'
    order = sorted(range(len(bones)), key=lambda k: ("left", "", "right").index(bones[k].side))
    for figure, time in zip(points, times, strict=True):
        for k in order:
            (x, y), (u, v) = figure[k]
            colour = COLOURS[bones[k].side]
            if bones[k].is_head:
                middle = f'cx="{0.5 * (x + u):.1f}" cy="{0.5 * (y + v):.1f}"'
                yield f'<circle {middle} r="{HEAD * size:.1f}" fill="{colour}"/>'
            else:
                segment = f"M{x:.1f} {y:.1f}L{u:.1f} {v:.1f}"
                yield f'<path d="{segment}" stroke="{colour}" stroke-width="{stroke:.1f}"/>'
        below = 0.5 * float(figure[..., 0].min() + figure[..., 0].max())
        at = f'x="{below:.1f}" y="{HEIGHT - 8.0:.0f}"'
        yield f'<text {at} text-anchor="middle" fill="{TEXT}">{time:.2f} s</text>'
    yield "</svg>"
