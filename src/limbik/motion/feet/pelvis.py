"""How the pelvis rises and sinks with planted feet: as low as the legs need, and so that no knee jumps.

A leg that is nearly straight bends by centimetres where its foot moves by millimetres. So the accelerations
of hips and knees count beside the jerk of the pelvis, the more the longer they jump: by the Gauss-Newton
method with weights that grow (iteratively reweighted).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from limbik.errors import ModelError
from limbik.formats.motions import Motion
from limbik.model import JointKind, Model
from limbik.motion.articulation import Articulation
from limbik.motion.body.body_root import body_root
from limbik.motion.feet.leg_chain import LegChain
from limbik.motion.feet.locks import SPAN, FootPath
from limbik.motion.feet.min_jerk import Coupled, bounded_offsets
from limbik.motion.feet.soles import Sole
from limbik.motion.limb import LimbPlan
from limbik.spatial import Array, norm

EXTENSION = 0.97  # of a leg's length, to which it is stretched; farther where the animation does so
MAX_EXTENSION = 0.9985  # but not more
RISE = 0.05  # [leg lengths] that the pelvis may rise for its knees, over where it follows the ground
MARGIN = 1e-4  # [leg lengths] how far the pelvis may be above what the legs reach
GROUND = 5.0  # [percent] of the heights of all soles, which are lower than the ground in the animation
JUMP = 0.0095  # [leg lengths] of second differences along SPAN beyond the animation's that count as jumps
WEIGHT, GROWTH = 0.3, 1.3  # of an acceleration beside the pelvis' jerk, and by how much that grows in a jump
STEEP = 4.0  # how far a knee moves at most with the pelvis
ROUNDS = 10  # of the Gauss-Newton method
STEP = 1e-4  # [leg lengths] of the pelvis, over which it is measured how the knees move


def pelvis_rise(
    motion: Motion,
    legs: Sequence[LimbPlan | LegChain],
    poses: Mapping[str, Array],
    paths: Sequence[FootPath],
    leg_length: float,
    halflife: float,
    margin: Array,
) -> Array:
    """How far the pelvis is moved from where the animation has it [T, 3] [m]: with the ground, as low as the
    legs need, but not lower than the margin [T] [m] under it.

    leg_length: [m]; halflife: [s] of an offset of the feet.
    """
    from scipy.ndimage import uniform_filter1d

    def smooth(positions: Array) -> Array:
        return np.asarray(uniform_filter1d(positions, frames, axis=0, mode="nearest"))

    def accelerations(positions: Array) -> Array:
        return frames**2 * norm(np.diff(smooth(positions), n=2, axis=0))

    def hips_and_knees(rise: Array) -> Array:
        """Their positions [T, n, 3] for such a rise [T]."""
        q, moved = raised(motion, poses, rise[:, None] * up)
        for leg, path in zip(legs, paths, strict=True):
            leg.stand(moved, q, path.position, path.rotation)
        return motion.model.poses(q, names)[:, :, :3, 3]

    up, frames = np.eye(3)["xyz".index(motion.up)], max(1, round(SPAN / motion.dt))
    names = [name for leg in legs for name in leg.bones[:2]]
    animated = np.stack([poses[name][:, :3, 3] for name in names], axis=1)
    follow = np.mean([path.lift for path in paths], axis=0)
    reaches = [_max_rise(leg, poses, path, up) for leg, path in zip(legs, paths, strict=True)]
    lower = np.maximum(follow - np.min(reaches, axis=0), -RISE * leg_length)
    none, zero = np.zeros(len(follow), dtype=np.bool_), np.zeros(len(follow))
    weights = np.full((max(len(follow) - 2, 0), len(names)), WEIGHT / frames**2)
    best, lowest, step = zero, np.inf, STEP * leg_length
    coupled: list[Coupled] = []
    for _ in range(ROUNDS):
        sunk = bounded_offsets(none, zero, lower, 2.0 * halflife, motion.dt, MARGIN * leg_length, coupled)
        here = hips_and_knees(follow - sunk)
        excess = accelerations(here) - accelerations(animated) - JUMP * leg_length
        beyond = float(excess.clip(0.0).sum())
        if beyond < lowest:
            best, lowest = sunk, beyond
        if beyond == 0.0:
            break
        weights[excess > 0.0] *= GROWTH
        slope = smooth(((here - hips_and_knees(follow - sunk + step)) / step).clip(-STEEP, STEEP))
        value = smooth(here - animated) - slope * sunk[:, None, None]
        coupled = [Coupled(slope[:, k], value[:, k], weights[:, k]) for k in range(len(names))]
    return (follow - np.minimum(best, margin))[:, None] * up


def raised(motion: Motion, poses: Mapping[str, Array], by: Array) -> tuple[Array, dict[str, Array]]:
    """q [T, nq] of a motion whose body is moved by [T, 3] [m], and poses [T, 4, 4] of links in it."""
    q, moved = motion.q.copy(), {name: pose.copy() for name, pose in poses.items()}
    for pose in moved.values():
        pose[:, :3, 3] += by
    _raise(motion.model, q, by)
    return q, moved


def _raise(model: Model, q: Array, by: Array) -> None:
    """Move the body in q [T, nq] by [T, 3] [m]: with a floating base, or the position channels of a root."""
    still = {model.root: np.eye(3)}  # links that nothing moves, and their rotations
    for joint in model.joints:
        if joint.parent in still and joint.kind is JointKind.FIXED:
            still[joint.child] = still[joint.parent] @ joint.origin[:3, :3]
    for joint in model.joints:
        if joint.kind is JointKind.FLOATING and joint.parent in still:
            first = model.q_slice(joint.name).start
            q[:, first : first + 3] += by @ still[joint.parent] @ joint.origin[:3, :3]
            return
    groups = Articulation(model).groups
    roots = [group for group in groups if group.parent in still and group.link not in still]
    if not roots or any(len(group.slides) != 3 for group in roots):
        raise ModelError(
            f"model {model.name!r} needs a floating base, or position channels on every root: "
            "its pelvis has to move"
        )
    for group in roots:
        q[:, group.slide_indices] += np.linalg.solve(group.slides.T, (by @ still[group.parent]).T).T


def _max_rise(leg: LimbPlan | LegChain, poses: Mapping[str, Array], path: FootPath, up: Array) -> Array:
    """How far the hip may rise [T] [m] from where the animation has it, for the ankle to be on its path."""
    hip, knee, ankle = (poses[name][:, :3, 3] for name in leg.bones)
    length = norm(knee - hip) + norm(ankle - knee)
    if isinstance(leg, LegChain):
        hip, length, _ = leg.stretch(poses)
    away = path.position - hip
    upwards = away @ up
    beside = norm(away - upwards[:, None] * up)
    reach = np.clip(norm(ankle - hip), EXTENSION * length, MAX_EXTENSION * length)
    return np.asarray(upwards + np.sqrt(np.maximum(reach**2 - beside**2, 0.0)))


def ground_margin(
    motion: Motion, legs: Sequence[LimbPlan | LegChain], soles: Sequence[Sole], poses: Mapping[str, Array]
) -> Array:
    """How high the lowest link of the body that is no part of a leg is over the ground in the animation
    [T] [m].
    """
    up, model, hips = "xyz".index(motion.up), motion.model, {leg.bones[0] for leg in legs}
    root = body_root(model, [leg.bones[2] for leg in legs])
    lines = {link: {model.root, *(joint.child for joint in model.path(link))} for link in motion.links}
    others = [link for link, line in lines.items() if root in line and hips.isdisjoint(line)]
    if not others:
        return np.full(len(motion), np.inf)
    points = np.concatenate([sole.points(*(poses[link] for link in sole.links)) for sole in soles], axis=1)
    ground = float(np.percentile(points[..., up], GROUND))
    heights = motion.model.poses(motion.q, others)[..., up, 3] - ground
    return np.maximum(heights.min(axis=1), 0.0)
