"""Markers on bodies that move, made from nothing: where they are is known while they are hidden."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

import limbik
from limbik.formats.bvh_model import model_of
from limbik.spatial import pose_from, quat_exp, rotation_exp
from motion.people import crouching

FRAMES, DT = 240, 0.01
FIXED = np.array(
    [[0.0, 0.0, 0.1], [0.1, 0.0, -0.1], [-0.1, 0.05, 0.0], [0.0, 0.1, 0.05], [0.03, -0.08, 0.02]]
)


def thigh_and_shank(soft: float = 0.004, noise: float = 0.0003, seed: int = 0) -> limbik.Markers:
    """Five markers on each of two segments that swing: they sway in the flesh by `soft` as the knee bends,
    and the cameras have `noise` [m]."""
    rng = np.random.default_rng(seed)
    time = np.arange(FRAMES) * DT
    hip = 0.5 * np.sin(2.0 * np.pi * time / 1.1)
    knee = 0.5 - 0.5 * np.cos(2.0 * np.pi * time / 1.1 + 0.4)
    axis = np.array([0.1, 1.0, 0.0])
    thigh = rotation_exp(axis * hip[:, None])
    shank = thigh @ rotation_exp(axis * knee[:, None])
    root = np.stack([1.3 * time, 0.02 * np.sin(7.0 * time), 0.9 + 0.03 * np.cos(12.0 * time)], axis=-1)
    middle = root + thigh @ [0.0, 0.0, -0.2]
    lower = root + thigh @ [0.0, 0.0, -0.4] + shank @ [0.0, 0.0, -0.2]
    sway = soft * rng.standard_normal((10, 3)) * knee[:, None, None]
    places = np.concatenate(
        [
            middle[:, None] + np.einsum("tij,tkj->tki", thigh, FIXED + sway[:, :5]),
            lower[:, None] + np.einsum("tij,tkj->tki", shank, FIXED + sway[:, 5:]),
        ],
        axis=1,
    )
    names = tuple(f"{part}{k}" for part in ("thigh", "shank") for k in range(5))
    return limbik.Markers(names, places + noise * rng.standard_normal(places.shape), DT)


def hidden(markers: limbik.Markers, *gaps: tuple[str, int, int]) -> limbik.Markers:
    """The markers with gaps: name, first frame and last frame."""
    places = markers.positions.copy()
    for name, first, last in gaps:
        places[first : last + 1, markers.names.index(name)] = np.nan
    return limbik.Markers(markers.names, places, markers.dt, markers.up)


def errors_mm(
    found: limbik.Markers, truth: limbik.Markers, name: str, first: int, last: int
) -> NDArray[np.float64]:
    """Of a marker in frames first to last."""
    place = (slice(first, last + 1), truth.names.index(name))
    return 1e3 * np.linalg.norm(found.positions[place] - truth.positions[place], axis=-1)


def marked(
    person: limbik.Motion, links: list[str], rng: np.random.Generator, count: int = 3, noise: float = 0.001
) -> tuple[limbik.Markers, dict[str, str]]:
    """Markers around the middles of the bones of a person, and the link of each."""
    marker_set, places = {}, []
    for link in links:
        poses = person.model.pose(person.q, link)
        ways = [joint.origin[:3, 3] for joint in person.model.joints if joint.parent == link]
        middle = 0.5 * np.mean(ways, axis=0) if ways else np.zeros(3)
        for k in range(count):
            offset = middle + rng.uniform(-0.08, 0.08, 3)
            places.append(poses[:, :3, 3] + poses[:, :3, :3] @ offset)
            marker_set[f"{link}{k}"] = link
    seen = np.stack(places, axis=1)
    seen += noise * rng.standard_normal(seen.shape)
    return limbik.Markers(tuple(marker_set), seen, person.dt, person.up), marker_set


def marked_person(frames: int = 21) -> tuple[limbik.Motion, limbik.Motion, limbik.Markers, dict[str, str]]:
    """A skeleton; a person, with bones of other lengths, who moves all joints; markers; the link of each."""
    rng = np.random.default_rng(0)
    skeleton = limbik.load_motion(crouching(frames=frames))
    assert skeleton.hierarchy is not None
    hierarchy = tuple(
        joint
        if joint.parent < 0
        else replace(joint, offset=tuple(0.9 * (1.0 + 0.05 * rng.uniform(-1, 1)) * x for x in joint.offset))
        for joint in skeleton.hierarchy
    )
    q, time = skeleton.q.copy(), np.linspace(0.0, 1.0, frames)
    for name in skeleton.model.joint_names:
        if name.endswith("rotation"):
            swing = np.sin(2.0 * np.pi * (time * rng.uniform(0.5, 1.5) + rng.uniform()))
            q[:, skeleton.model.q_slice(name)] += 0.25 * swing[:, None]
    model = model_of(hierarchy, skeleton.metres, "person")
    person = replace(skeleton, model=model, q=q, hierarchy=hierarchy)
    links = [link for link in person.links if not link.endswith(("Neck", "Spine", "Shoulder"))]
    return skeleton, person, *marked(person, links, rng)


def marked_leg(frames: int = 31) -> tuple[limbik.Model, limbik.Motion, limbik.Markers, dict[str, str]]:
    """As `marked_person`: pelvis, thigh, shank and foot on ball joints, that float."""

    def leg(thigh: float, shank: float) -> limbik.Model:
        places = {
            "thigh": (0.0, 0.1, -0.1),
            "shank": (0.0, 0.0, -thigh),
            "foot": (0.0, 0.0, -shank),
            "toes": (0.15, 0.0, 0.0),
        }
        parents = ("pelvis", *places)
        joints = [
            limbik.Joint(
                name=link,
                kind=limbik.JointKind.FIXED if link == "toes" else limbik.JointKind.BALL,
                parent=parent,
                child=link,
                origin=pose_from(translation=place),
            )
            for parent, (link, place) in zip(parents, places.items(), strict=False)
        ]
        base = limbik.Joint(name="base", kind=limbik.JointKind.FLOATING, parent="world", child="pelvis")
        return limbik.Model("leg", [base, *joints])

    rng, person = np.random.default_rng(1), leg(0.46, 0.4)
    time = np.linspace(0.0, 2.0, frames)
    q = np.tile(person.neutral, (frames, 1))
    q[:, :3] = np.stack([time, 0.1 * np.sin(time), 0.9 + 0.02 * np.cos(6.0 * time)], axis=-1)
    for joint, size in (("base", 0.3), ("thigh", 0.6), ("shank", 0.5), ("foot", 0.4)):
        angles = [size * np.sin(rng.uniform(2.0, 5.0) * time + rng.uniform(0.0, 6.0)) for _ in range(3)]
        q[:, person.q_slice(joint).stop - 4 : person.q_slice(joint).stop] = quat_exp(
            np.stack(angles, axis=-1)
        )
    motion = limbik.Motion(person, q, 0.02)
    return leg(0.42, 0.42), motion, *marked(motion, ["pelvis", "thigh", "shank", "foot"], rng, 4)
