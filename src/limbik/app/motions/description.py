"""Describes a motion for the page: bones, frames, measures, contacts."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from limbik.app.motions.changes import ground_under
from limbik.app.motions.feet import Feet, feet_in, slides_and_depths
from limbik.app.motions.figure import figure
from limbik.app.motions.grounds import ground_of
from limbik.app.motions.opener import OpenedMotion
from limbik.app.mount import stood
from limbik.app.open_scene import Opened, OpenedArm, check_size
from limbik.app.protocol.motion import ShowMotionReply, ShowMotionRequest
from limbik.app.scene_description import described
from limbik.errors import ModelError
from limbik.formats.motions import Motion
from limbik.motion.body.anatomy import UPWARD
from limbik.motion.body.humanoid import humanoid
from limbik.motion.drag import grips_of
from limbik.motion.measures import measure
from limbik.scene import Scene, SceneArm
from limbik.spatial import Array, pose_from

BESIDE = 1.2  # [m] how far the robot is from the body's path
DIGITS = 3  # of curves


def shown(opened: OpenedMotion, request: ShowMotionRequest) -> tuple[ShowMotionReply, Opened]:
    """The answer, and the scene whose meshes the page may ask for."""
    before, after = opened.before, opened.after
    stand = ground_under(request.changes)
    level = ground_of(before, None)[0]
    ground, (vertices, faces) = ground_of(before, stand)
    feet = feet_in(before)
    old, new = slides_and_depths(before, feet, level), slides_and_depths(after, feet, ground)
    scene = _scene(opened)
    measures = [_measures("before", before, feet, old), _measures("after", after, feet, new)]
    if opened.robot is not None:
        measures.append(_robot_measures(opened.robot.motion, opened.robot.title))
    return ShowMotionReply(
        id=request.id,
        key=opened.key,
        name=opened.name,
        frames=len(before),
        dt=before.dt,
        height=_height(before),
        up=before.up,
        unit=request.unit,
        arms=described(scene, request.id).arms,
        links=grips_of(before),
        feet=feet.spans(),
        curves={
            "slide_before": _rounded(old[0]),
            "slide_after": _rounded(new[0]),
            "depth_before": _rounded(old[1]),
            "depth_after": _rounded(new[1]),
        },
        measures=measures,
        ground={
            "kind": "level" if stand is None else stand.ground,
            "vertices": _rounded(vertices.ravel()),
            "faces": faces.ravel().tolist(),
        },
        files=opened.files(),
        animations=opened.animations,
        notes=opened.notes,
    ), scene


def _scene(opened: OpenedMotion) -> Opened:
    body = opened.before
    model = stood(body.model, pose_from(UPWARD[body.up]))
    arm = SceneArm(opened.name, model, q=body.q[0])
    arms = [OpenedArm(arm=arm, title=opened.name, visuals=figure(body))]
    if opened.robot is not None:
        robot = opened.robot
        pose = pose_from(UPWARD[robot.motion.up], _beside(body, robot.motion))
        arm = SceneArm(robot.title, stood(robot.motion.model, pose), q=robot.motion.q[0])
        arms.append(OpenedArm(arm=arm, title=robot.title, visuals=robot.visuals))
    check_size([arm.model for arm in arms])
    return Opened(scene=Scene(tuple(arm.arm for arm in arms), opened.name), arms=tuple(arms))


def _height(motion: Motion) -> float:
    heights = motion.model.poses(motion.q[0], list(motion.links))[:, "xyz".index(motion.up), 3]
    return float(np.ptp(heights))


def _beside(body: Motion, robot: Motion) -> Array:
    """How far the robot is moved so that it goes beside the body [3]: to the right of the path."""
    tracks = []
    for motion in (body, robot):
        some = motion.q[np.unique(np.linspace(0, len(motion) - 1, 50).astype(np.int64))]
        link = grips_of(motion)[:1] or motion.links[:1]
        tracks.append(motion.model.pose(some, link[0])[:, :3, 3] @ UPWARD[motion.up].T)
    travel = tracks[0][-1, :2] - tracks[0][0, :2]
    far = float(np.hypot(*travel))
    ahead = travel / far if far > BESIDE else np.array([1.0, 0.0])
    right = np.array([ahead[1], -ahead[0]])
    width = (tracks[0][:, :2] @ right).max() - (tracks[1][:, :2] @ right).min() + BESIDE
    forward = (tracks[0][0, :2] - tracks[1][0, :2]) @ ahead
    return np.array([*(right * width + ahead * forward), 0.0])


def _measures(title: str, motion: Motion, feet: Feet, measured: tuple[Array, Array]) -> dict[str, Any]:
    slides, depths = measured
    stands = feet.either()
    both = (stands[1:] & stands[:-1]).any(axis=-1)
    whole = measure(motion, feet=())
    return {
        "title": title,
        "slide_cm_s": _finite(float(slides[1:][both].mean())) if both.any() else None,
        "slide_peak_cm_s": _finite(float(slides.max())) if both.any() else None,
        "depth_mm": _finite(float(depths.max())) if feet.soles else None,
        "jitter_mm": _finite(whole.jitter_mm),
        "jerk": _finite(whole.jerk),
    }


def _robot_measures(motion: Motion, title: str) -> dict[str, Any]:
    try:
        roles = humanoid(motion).frames
    except ModelError:
        roles = {}
    measures = measure(motion, feet=[roles[foot] for foot in ("leftFoot", "rightFoot") if foot in roles])
    return {
        "title": title,
        "slide_cm_s": _finite(measures.foot_slide_cm_s),
        "slide_peak_cm_s": _finite(max((foot.slide_peak_cm_s for foot in measures.feet), default=math.nan)),
        "depth_mm": None,
        "jitter_mm": _finite(measures.jitter_mm),
        "jerk": _finite(measures.jerk),
    }


def _rounded(values: Array) -> list[float]:
    return [round(float(value), DIGITS) for value in values]


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None
