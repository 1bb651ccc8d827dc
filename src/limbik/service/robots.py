"""The robots of a service by name: those of limbik, and those that clients put there."""

from __future__ import annotations

import re
import threading
from collections import OrderedDict
from typing import NamedTuple

from limbik import Model, load, robots
from limbik.errors import LimbikError, ModelError, did_you_mean, shortened
from limbik.formats import registry, srdf
from limbik.formats.source import Source
from limbik.formats.srdf import Srdf
from limbik.locks import fork_safe
from limbik.service.messages import RobotRequest
from limbik.service.shelf import Shelf

MAX_LOADED = 64  # of limbik's own that are cached
MAX_NUMBERS = 500  # of a configuration
MAX_FRAMES = 2_000
MAX_GROUPS = 500  # each is looked through with all that it contains
_PLANAR = re.compile(r"planar-([1-9][0-9]{0,2})")


class ServedRobot(NamedTuple):
    """A model, and what its SRDF says."""

    model: Model
    srdf: Srdf | None


class Robots:
    """Models by name, loaded at their first use. A name is never taken for a path."""

    def __init__(self) -> None:
        self._loaded: OrderedDict[str, ServedRobot] = OrderedDict()
        self._put: Shelf[ServedRobot] = Shelf("robot", ModelError)
        self._lock = fork_safe(threading.Lock())

    def names(self) -> list[str]:
        """Names of the robots on this machine, besides "planar-N"."""
        return sorted([*(robot.name for robot in robots() if robot.is_available), *self._put])

    def robot(self, name: str) -> ServedRobot:
        """A robot by name. Raises ModelError for a name that none has."""
        put = self._put.get(name)
        if put is not None:
            return put
        with self._lock:
            if name in self._loaded:
                self._loaded.move_to_end(name)
                return self._loaded[name]
            if name.startswith("planar-") and not _is_planar(name):
                raise ModelError(f"planar-N needs 1 to {MAX_NUMBERS} links here, found {shortened(name)}")
            if not _is_taken(name):
                known = ("planar-N", *self._put, *registry.names())
                raise ModelError(f"there is no robot {name!r}; {did_you_mean(name, known)}")
            robot = _bounded(ServedRobot(load(name), _srdf_of(name)), name)
            self._loaded[name] = robot
            if len(self._loaded) > MAX_LOADED:
                self._loaded.popitem(last=False)
            return robot

    def put(self, name: str, request: RobotRequest) -> ServedRobot:
        """A robot of the user under a name; replaces one that was put there before.

        Of the files that a description names none is read: collisions are those of its simple shapes.

        Raises FormatError for a description that cannot be read, ModelError for a name of limbik's own.
        """
        if _is_taken(name):
            raise ModelError(f"{name!r} is a robot of limbik's own: take another name")
        groups = None if request.srdf is None else Source("srdf", request.srdf, files={})
        model = load(
            Source("description", request.description, files={}),
            base=request.base,
            end_effector=request.end_effector,
            srdf=groups,
        )
        robot = _bounded(ServedRobot(model, None if groups is None else srdf.read(groups, model)), name)
        self._put.put(name, robot, len(request.description) + len(request.srdf or ""))
        return robot

    def remove(self, name: str) -> None:
        """Forget a robot that was put there. Raises ModelError where there is none of that name."""
        self._put.remove(name)


def _is_planar(name: str) -> bool:
    match = _PLANAR.fullmatch(name)
    return match is not None and int(match[1]) <= MAX_NUMBERS


def _is_taken(name: str) -> bool:
    try:
        return _is_planar(name) or registry.find(name) is not None
    except ModelError:  # limbik knows it, but its package is not installed
        return True


def _srdf_of(name: str) -> Srdf | None:
    """What comes with a robot of limbik's own, as far as it can be read."""
    match = registry.find(name)
    path = match.installed.srdf if match is not None and match.installed is not None else None
    try:
        return None if path is None else srdf.read(path)
    except LimbikError:  # the robot moves all the same
        return None


def _bounded(robot: ServedRobot, name: str) -> ServedRobot:
    if robot.model.nq > MAX_NUMBERS:
        raise ModelError(f"robot {name!r} has {robot.model.nq} numbers, more than {MAX_NUMBERS}")
    if len(robot.model.frame_names) > MAX_FRAMES:
        raise ModelError(
            f"robot {name!r} has {len(robot.model.frame_names):,} frames, more than {MAX_FRAMES:,}"
        )
    if robot.srdf is not None and len(robot.srdf.groups) > MAX_GROUPS:
        raise ModelError(f"robot {name!r} has {len(robot.srdf.groups):,} groups, more than {MAX_GROUPS}")
    return robot
