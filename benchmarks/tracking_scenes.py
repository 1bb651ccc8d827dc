"""The robots and paths of `tracking.py`: poses for every time step, and the judge of what comes of them."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

import humanoid
from robots import TOOL, Robot, mjcf, open_robot, urdf

DT = 0.01  # [s]
VELOCITY = 2.0  # [rad/s] limit of every joint
Path = list[np.ndarray]  # for each step the wanted poses [frames, 4, 4]


@dataclass(frozen=True, kw_only=True, eq=False)
class Body:
    """A robot in the forms that the methods need."""

    name: str
    model: Any  # limbik.Model
    source: str  # URDF
    frames: tuple[str, ...]  # to be tracked, in the URDF
    limbik_frames: tuple[str | None, ...]
    mujoco: Callable[[], Any]
    mujoco_frames: str  # kind of the frames there
    base_size: int  # numbers of q, and of v less 1, that place a floating base
    start: np.ndarray  # [nq]
    lower: np.ndarray  # [nq]
    upper: np.ndarray

    @functools.cached_property
    def kinematics(self) -> Any:
        """(pinocchio model, data, frames): the judge."""
        import pinocchio

        base = (pinocchio.JointModelFreeFlyer(),) if self.base_size else ()
        model = pinocchio.buildModelFromXML(self.source, *base)
        return model, model.createData(), [model.getFrameId(frame) for frame in self.frames]

    def poses(self, q: np.ndarray) -> np.ndarray:
        """[frames, 4, 4] by pinocchio."""
        import pinocchio

        model, data, frames = self.kinematics
        pinocchio.framesForwardKinematics(model, data, q)
        return np.array([data.oMf[frame].homogeneous for frame in frames])


def arm(name: str, start: Sequence[float]) -> Body:
    robot: Robot = open_robot(name)
    return Body(
        name=name,
        model=robot.model,
        source=urdf(robot),
        frames=(TOOL,),
        limbik_frames=(None,),
        mujoco=lambda: _mujoco_of(mjcf(robot)),
        mujoco_frames="site",
        base_size=0,
        start=np.array(start),
        lower=robot.finite_lower,
        upper=robot.finite_upper,
    )


def _mujoco_of(text: str) -> Any:
    import mujoco

    return mujoco.MjModel.from_xml_string(text)


def g1() -> Body:
    robot = humanoid.opened({"near": 0.3})[0]
    knees = {"hip_pitch": -0.4, "knee": 0.8, "ankle_pitch": -0.4, "shoulder_pitch": 0.3, "elbow": 0.6}
    start = np.array(robot.model.neutral)
    start[2] = humanoid.HEIGHT - 0.06
    for joint in robot.model.joint_names:
        for part, angle in knees.items():
            if joint.endswith(f"{part}_joint"):
                start[robot.model.q_slice(joint)] = angle
    return Body(
        name="g1",
        model=robot.model,
        source=robot.source,
        frames=humanoid.FRAMES,
        limbik_frames=humanoid.FRAMES,
        mujoco=lambda: humanoid.mujoco_model(robot),
        mujoco_frames="body",
        base_size=humanoid.BASE_SIZE,
        start=start,
        lower=robot.lower,
        upper=robot.upper,
    )


# --- paths --------------------------------------------------------------------------------------------------


def moved(poses: np.ndarray, offsets: np.ndarray, turn: Rotation | None = None) -> np.ndarray:
    """Poses [frames, 4, 4] moved by offsets [frames, 3] in the world, and turned about their origins."""
    there = poses.copy()
    there[:, :3, 3] += offsets
    if turn is not None:
        there[:, :3, :3] = turn.as_matrix() @ there[:, :3, :3]
    return there


def hands_only(body: Body, offset: Sequence[float]) -> np.ndarray:
    """The offset for the tool, or for both hands, mirrored; the feet stay."""
    offsets = np.zeros((len(body.frames), 3))
    offsets[0] = offset
    if len(body.frames) > 1:
        offsets[1] = np.array(offset) * (1.0, -1.0, 1.0)
    return offsets


def circle(body: Body, radius: float) -> Path:
    """Two turns, 3 s each, in the plane of y and z."""
    here = body.poses(body.start)
    angles = np.arange(1, 601) * (2.0 * np.pi / 300)
    return [
        moved(here, hands_only(body, (0.0, radius * np.sin(a), radius * (np.cos(a) - 1.0)))) for a in angles
    ]


def eight(body: Body, size: float) -> Path:
    """Two figures of eight, 4 s each, while the tool turns to and fro."""
    here = body.poses(body.start)
    angles = np.arange(1, 801) * (2.0 * np.pi / 400)
    return [
        moved(
            here,
            hands_only(body, (0.0, size * np.sin(a), 0.5 * size * np.sin(2.0 * a))),
            Rotation.from_rotvec([0.0, 0.0, 0.3 * np.sin(a)]) if len(body.frames) == 1 else None,
        )
        for a in angles
    ]


def step(body: Body, size: float) -> Path:
    """Another target at once, for 3 s."""
    there = moved(body.poses(body.start), hands_only(body, (-0.5 * size, size, size)))
    return [there] * 300


def singular(body: Body, configuration: Sequence[float]) -> tuple[np.ndarray, Path]:
    """A line of 0.3 m in 3 s whose middle is a singular configuration; with a start at its beginning."""
    middle = body.poses(np.array(configuration))
    offsets = np.linspace(-0.15, 0.15, 300)
    path = [moved(middle, hands_only(body, (0.0, offset, 0.0))) for offset in offsets]
    near = body.model.clip(np.array(configuration) + 0.1)
    return body.model.solve(path[0][0], start=near).q, path


def out_of_reach(body: Body, distance: float) -> Path:
    """Away by a distance [m] in 2 s, back in 2 s, and 1 s to settle."""
    here = body.poses(body.start)
    way = here[0, :3, 3] * (1.0, 1.0, 0.0)
    way = way / np.linalg.norm(way) if len(body.frames) == 1 else np.array([1.0, 0.0, 0.0])
    shares = np.concatenate([np.linspace(0.0, 1.0, 200), np.linspace(1.0, 0.0, 200), np.zeros(100)])
    return [moved(here, hands_only(body, distance * share * way)) for share in shares]


@dataclass(frozen=True, kw_only=True, eq=False)
class Scene:
    """A path for a robot."""

    body: Body
    name: str
    start: np.ndarray  # [nq]
    path: Path


def scenes(names: Sequence[str]) -> Iterator[Scene]:
    """All scenes of the robots of these names."""
    starts = {"panda": (0.0, -0.5, 0.0, -2.0, 0.0, 1.6, 0.7), "ur5e": (0.3, -1.2, 1.6, -1.9, -1.57, 0.2)}
    wrists = {"panda": (0.0, -0.3, 0.0, -1.8, 0.0, 0.0, 0.7), "ur5e": (0.3, -1.2, 1.6, -0.4, 0.0, 0.2)}
    for name in names:
        body = g1() if name == "g1" else arm(name, starts[name])
        size = 0.08 if name == "g1" else 0.1
        paths = {
            "circle": (body.start, circle(body, size)),
            "figure eight": (body.start, eight(body, 1.5 * size)),
            "step change": (body.start, step(body, 1.5 * size)),
            "out of reach and back": (body.start, out_of_reach(body, 1.2 if name == "g1" else 0.8)),
        }
        if name in wrists:
            paths["line through a singularity"] = singular(body, wrists[name])
        for path_name, (start, path) in paths.items():
            yield Scene(body=body, name=path_name, start=start, path=path)
