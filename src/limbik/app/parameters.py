"""The names of the parameters that each solver takes, to pick them from the settings of a page."""

from __future__ import annotations

import functools
from collections.abc import Mapping

from limbik import solvers


@functools.cache
def parameters() -> Mapping[str, tuple[str, ...]]:
    """The names of the parameters that each solver takes."""
    return {info.name: tuple(parameter.name for parameter in info.parameters) for info in solvers.describe()}
