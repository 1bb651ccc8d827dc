"""What the playground compiles ahead and in which order; compiles the solvers of the 3-D page."""

from __future__ import annotations

import contextlib
import functools
import os
from collections.abc import Collection

from limbik import solvers
from limbik.app.session import SOLVERS
from limbik.compiler import native
from limbik.errors import SolverError
from limbik.model import Model, ModelBuilder
from limbik.tree.programs import general
from limbik.warmup_tasks import warmup

FIRST = "dls"  # the solver that a page in the plane begins with is compiled before the others
FIRST_IN_SPACE = "lm"

_IN_SPACE = " in space"


def in_space(names: Collection[str]) -> list[str]:
    """What the solvers are called in the list of what is compiled when they work in space."""
    return [f"{name}{_IN_SPACE}" for name in names]


def order() -> list[str]:
    """All that is compiled while no page waits for something: what pages begin with first."""
    plane = sorted(SOLVERS, key=FIRST.__ne__)
    space = in_space(sorted(solvers.names(compiled=True), key=FIRST_IN_SPACE.__ne__))
    return [plane[0], space[0], *plane[1:], *space[1:]]


def is_in_space(name: str) -> bool:
    """Whether a name of `order` is of a solver in space."""
    return name.endswith(_IN_SPACE)


def warm_up_in_space(name: str) -> None:
    """Compile a solver for scenes in space. Several methods are in one program, so most are done at once."""
    if os.environ.get("LIMBIK_COMPILE") == "never":
        return
    solver = name.removesuffix(_IN_SPACE)
    if solver == FIRST_IN_SPACE:  # the fast core is compiled for each kind of arm when one is moved
        native.compile_now(general())
        return
    with contextlib.suppress(SolverError):  # a method that is for arms in the plane only
        warmup(_arm(), solver)


@functools.cache
def _arm() -> Model:
    """An arm that leaves the plane."""
    return (
        ModelBuilder("arm")
        .revolute("turn", axis="z")
        .revolute("lift", axis="y")
        .frame("tip", pose=(1.0, 0.0, 0.0))
        .build(end_effector="tip")
    )
