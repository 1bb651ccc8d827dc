"""The robots that a service knows by name."""

from __future__ import annotations

import re
import threading
from collections import OrderedDict

from limbik import Model, load, robots
from limbik.errors import ModelError, did_you_mean
from limbik.formats import registry
from limbik.locks import fork_safe

MOST = 64  # that are kept
MOST_NUMBERS = 500  # of a configuration
_PLANAR = re.compile(r"planar-\d{1,3}")


class Robots:
    """Models by name, loaded when they are first asked for. A name is never taken for a path."""

    def __init__(self) -> None:
        self._models: OrderedDict[str, Model] = OrderedDict()
        self._lock = fork_safe(threading.Lock())

    def names(self) -> list[str]:
        """Of all robots that can be asked for on this machine, besides "planar-N"."""
        return sorted(robot.name for robot in robots() if robot.is_available)

    def model(self, name: str) -> Model:
        """The model of a robot. Raises ModelError for a name that none has."""
        with self._lock:
            if name in self._models:
                self._models.move_to_end(name)
                return self._models[name]
            if not _PLANAR.fullmatch(name) and registry.find(name) is None:
                known = ("planar-N", *registry.names())
                raise ModelError(f"there is no robot {name!r}; {did_you_mean(name, known)}")
            model = load(name)
            if model.nq > MOST_NUMBERS:
                raise ModelError(f"robot {name!r} has {model.nq} numbers, more than {MOST_NUMBERS}")
            self._models[name] = model
            if len(self._models) > MOST:
                self._models.popitem(last=False)
            return model
