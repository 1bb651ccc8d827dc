"""Prints the solution of a solve as text of 80 columns, or as data for JSON."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterator
from typing import TYPE_CHECKING

from limbik.formats.motion_csv import coordinate_names
from limbik.service.plain import units

if TYPE_CHECKING:
    from limbik import AllSolutions, Model, Solution

WIDTH = 80
MAX_SHOWN = 20  # solutions in a list


def text(model: Model, solution: Solution, degrees: bool) -> Iterator[str]:
    """The lines of one answer: the diagnosis, and the joints with their margins."""
    for sentence in solution.explain().sentences:
        yield from textwrap.wrap(sentence, WIDTH, break_on_hyphens=False)
    yield ""
    yield "The answer:" if solution.success else "The nearest configuration found:"
    yield from _table(model, solution, degrees)
    yield ""
    restarts = f", {_count(solution.restarts, 'restart')}" if solution.restarts else ""
    iterations = _count(solution.iterations, "iteration")
    yield f"{solution.solver}: {iterations}{restarts}, {1e3 * solution.time:.3g} ms"
    yield from textwrap.wrap(f"{solution.solver} {solution.solver_reason}", WIDTH)
    yield f"manipulability {solution.manipulability:.3g}, condition number {solution.condition_number:.3g}"


def listed(model: Model, answers: AllSolutions, degrees: bool) -> Iterator[str]:
    """The lines of several answers: what is known of them, then a configuration and its branch each."""
    yield from textwrap.wrap(answers.explain(), WIDTH, break_on_hyphens=False)
    unit = "Degrees" if degrees else "Radians"
    heads = f"{unit} and metres, in this order: {', '.join(coordinate_names(model))}."
    yield from textwrap.wrap(heads, WIDTH, break_on_hyphens=False)
    yield ""
    for q, branch in zip(answers.q[:MAX_SHOWN], answers.branches, strict=False):
        values = [_shown(value, unit, degrees) for value, unit in zip(q, units(model), strict=True)]
        yield " ".join(f"{value:>9}" for value in values)
        yield f"          {branch}"
    if len(answers) > MAX_SHOWN:
        yield f"... and {len(answers) - MAX_SHOWN} more (--json prints all)"
    for motion in answers.free[:MAX_SHOWN] if answers.complete else ():
        said = f"Free at solution {motion.solution + 1}: {', '.join(motion.joints)} may move together."
        yield from textwrap.wrap(said, WIDTH, break_on_hyphens=False)


def _table(model: Model, solution: Solution, degrees: bool) -> Iterator[str]:
    rows = [("joint", "value", "", "to a limit")]
    every = zip(coordinate_names(model), units(model), solution.q, solution.limit_margins, strict=True)
    for name, unit, value, margin in every:
        limit = "none" if math.isinf(margin) else _shown(margin, unit, degrees)
        rows.append((name, _shown(value, unit, degrees), "deg" if degrees and unit == "rad" else unit, limit))
    widths = [max(len(row[column]) for row in rows) for column in range(4)]
    for name, number, unit, limit in rows:
        line = f"  {name:<{widths[0]}}  {number:>{widths[1]}} {unit:<{widths[2]}}  {limit:>{widths[3]}}"
        yield line.rstrip()


def _shown(value: float, unit: str, degrees: bool) -> str:
    return f"{math.degrees(value):.3f}" if degrees and unit == "rad" else f"{value:.5f}"


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"
