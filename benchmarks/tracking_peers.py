"""The methods of `tracking.py`: limbik, mink, Pink and OInK of RoboPlan, one step of each.

All get whole Gauss-Newton steps (gain 1), the joints' limits of position and velocity, and as little damping
as they run with. What is wanted is brought into a package's own types before the clock runs.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import humanoid
from peers.common import Missing, require, version_of
from tracking_scenes import DT, VELOCITY, Body

DAMPING = 1e-3  # Levenberg-Marquardt, of each task of mink, Pink and OInK; see `tracking.py`
REGULAR = 1e-8  # of the whole QP


class Limbik:
    name = "limbik"
    note = "Tracker with velocity limits"

    def __init__(self) -> None:
        import limbik

        self.version = limbik.__version__

    def open(self, body: Body) -> Session:
        import limbik

        goals = [limbik.Pose(frame=frame, target=np.eye(4)) for frame in body.limbik_frames]
        limits = {joint.name: VELOCITY for joint in body.model.joints if joint.nv == 1}
        tracker = limbik.Tracker(body.model, goals, DT, velocity_limits=limits)
        tracker.warmup()
        only = len(body.frames) == 1
        return Session(
            prepare=lambda wanted: wanted[0] if only else list(wanted),
            place=tracker.reset,
            step=tracker.step,
            configuration=lambda: tracker.q,
        )


class Session:
    """A method with a robot. Only `step` is timed; it takes what `prepare` makes of poses [frames, 4, 4]."""

    def __init__(
        self,
        prepare: Callable[[np.ndarray], Any],
        place: Callable[[np.ndarray], Any],
        step: Callable[[Any], Any],
        configuration: Callable[[], np.ndarray],
    ) -> None:
        self.prepare, self.place, self.step, self.configuration = prepare, place, step, configuration


class Mink:
    name = "mink"
    note = f"FrameTask with lm_damping {DAMPING:g}, ConfigurationLimit, VelocityLimit, daqp"

    def __init__(self) -> None:
        self.mink = require("mink", "pip install mink 'qpsolvers[daqp]'")
        require("daqp", "pip install daqp")
        self.version = version_of("mink")

    def open(self, body: Body) -> Session:
        mink, model = self.mink, body.mujoco()
        at = mink.Configuration(model)
        tasks = [
            mink.FrameTask(
                frame, body.mujoco_frames, position_cost=1.0, orientation_cost=1.0, lm_damping=DAMPING
            )
            for frame in body.frames
        ]
        names = [joint.name for joint in body.model.joints if joint.nv == 1]
        limits = [
            mink.ConfigurationLimit(model, gain=1.0),
            mink.VelocityLimit(model, dict.fromkeys(names, np.array([VELOCITY]))),
        ]

        def step(targets: Any) -> None:
            for task, target in zip(tasks, targets, strict=True):
                task.set_target(target)
            at.integrate_inplace(mink.solve_ik(at, tasks, DT, "daqp", REGULAR, limits=limits), DT)

        to, back = (humanoid.to_mujoco, humanoid.from_mujoco) if body.base_size else (np.array, np.array)
        return Session(
            prepare=lambda wanted: [mink.SE3.from_matrix(pose) for pose in wanted],
            place=lambda q: at.update(to(q)),
            step=step,
            configuration=lambda: back(at.q),
        )


class Pink:
    name = "pink"
    note = f"FrameTask with lm_damping {DAMPING:g}, ConfigurationLimit, VelocityLimit, daqp"

    def __init__(self) -> None:
        self.pink = require("pink", "pip install pin-pink 'qpsolvers[daqp]'")
        self.pinocchio = require("pinocchio", "pip install pin")
        require("daqp", "pip install daqp")
        self.version = version_of("pin-pink")

    def open(self, body: Body) -> Session:
        pink, pinocchio = self.pink, self.pinocchio
        model = pinocchio.Model(body.kinematics[0])
        model.velocityLimit[max(body.base_size - 1, 0) :] = VELOCITY
        at = pink.Configuration(model, model.createData(), body.start)
        tasks = [
            pink.tasks.FrameTask(frame, position_cost=1.0, orientation_cost=1.0, lm_damping=DAMPING)
            for frame in body.frames
        ]
        limits = [
            pink.limits.ConfigurationLimit(model, config_limit_gain=1.0),
            pink.limits.VelocityLimit(model),
        ]

        def step(targets: Any) -> None:
            for task, target in zip(tasks, targets, strict=True):
                task.set_target(target)
            velocity = pink.solve_ik(
                at, tasks, DT, "daqp", damping=REGULAR, limits=limits, safety_break=False
            )
            at.integrate_inplace(velocity, DT)

        return Session(
            prepare=lambda wanted: [pinocchio.SE3(pose[:3, :3], pose[:3, 3]) for pose in wanted],
            place=at.update,
            step=step,
            configuration=lambda: np.array(at.q),
        )


class Oink:
    name = "oink"
    note = f"FrameTask with lm_damping {DAMPING:g}, PositionLimit, VelocityLimit, its own proxqp"

    def __init__(self) -> None:
        self.core = require("roboplan.core", "pip install roboplan-oink")
        self.oink = require("roboplan.optimal_ik", "pip install roboplan-oink")
        self.version = version_of("roboplan-oink")

    def open(self, body: Body) -> Session:
        core, oink = self.core, self.oink
        source = body.source if not body.base_size else _floating(body.source)
        scene = core.Scene(body.name, core.loadUrdfSceneDescriptionFromXml(source))
        solver = oink.Oink(scene)
        options = oink.FrameTaskOptions(lm_damping=DAMPING)
        tasks = []
        for frame in body.frames:
            wanted = core.CartesianConfiguration("", frame, np.asfortranarray(np.eye(4)))
            tasks.append(oink.FrameTask(solver, scene, wanted, options))
        fastest = np.full(solver.num_variables, VELOCITY)
        fastest[: max(body.base_size - 1, 0)] = 1e3
        limits = [oink.PositionLimit(solver, 1.0), oink.VelocityLimit(solver, DT, fastest)]
        change = np.zeros(solver.num_variables)
        q = np.array(body.start)

        def place(start: np.ndarray) -> None:
            q[:] = start

        def step(targets: Any) -> None:
            for task, target in zip(tasks, targets, strict=True):
                task.setTargetFrameTransform(target)
            solver.solveIk(q, tasks, limits, change, REGULAR)
            q[:] = scene.integrate(q, change)

        return Session(
            prepare=lambda wanted: [np.asfortranarray(pose) for pose in wanted],
            place=place,
            step=step,
            configuration=q.copy,
        )


def _floating(source: str) -> str:
    """The URDF with a floating joint above its root."""
    import xml.etree.ElementTree as ET

    root = ET.fromstring(source)
    children = {joint.find("child").get("link") for joint in root.findall("joint")}  # type: ignore[union-attr]
    first = next(link.get("name") for link in root.findall("link") if link.get("name") not in children)
    ET.SubElement(root, "link", name="world")
    joint = ET.SubElement(root, "joint", name="root_joint", type="floating")
    ET.SubElement(joint, "parent", link="world")
    ET.SubElement(joint, "child", link=str(first))
    return ET.tostring(root, encoding="unicode")


PEERS = {"limbik": Limbik, "mink": Mink, "pink": Pink, "oink": Oink}


def available(names: list[str]) -> tuple[list[Any], list[Missing]]:
    """The methods that can be imported, and what is missing for the others."""
    found, missing = [], []
    for name in names:
        try:
            found.append(PEERS[name]())
        except Missing as reason:
            missing.append(reason)
    return found, missing
