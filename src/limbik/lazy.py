"""`LazyModule`: a module above that is imported on first use, for methods of `Model` and types."""

from __future__ import annotations

import importlib
from typing import Any


class LazyModule:
    """What stands for a module, which is imported when something of it is used for the first time.

    Solvers, collision and motion stand on models, so that `Model.solve` and its like cannot import them.
    """

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> Any:
        value = getattr(importlib.import_module(self._name), name)
        setattr(self, name, value)  # found without this method the next time
        return value
