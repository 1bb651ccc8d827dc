"""Prints the robots that have a name, by the package that they come from: the list of `limbik info`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import groupby

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from limbik.formats.registry import BUILT_IN, RegisteredRobot


def show(robots: Sequence[RegisteredRobot], console: Console | None = None) -> None:
    """Print the names: those that limbik brings along, those in installed packages, those in others."""
    out = console or Console(highlight=False)
    out.print(Text("limbik.load(NAME) loads a robot, `limbik info NAME` shows it.\n"))
    ordered = sorted(robots, key=lambda robot: (_rank(robot), robot.source, _natural(robot.name)))
    for source, members in groupby(ordered, key=lambda robot: robot.source):
        group = list(members)
        out.print(_heading(source, group[0]))
        out.print(_names(group))


def _rank(robot: RegisteredRobot) -> int:
    return 0 if robot.is_built_in else 1 if robot.is_available else 2


def _natural(name: str) -> list[tuple[int, str]]:
    """Sorts ur5e before ur10: numbers by value."""
    return [(int(part), "") if part.isdigit() else (0, part) for part in re.split(r"(\d+)", name)]


def _heading(source: str, first: RegisteredRobot) -> Text:
    if source == BUILT_IN:
        return Text.assemble(("limbik", "bold"), ("  always there; so is planar-N, an arm of N links", "dim"))
    if first.is_available:
        return Text.assemble((source, "bold"), ("  installed", "green"))
    size = first.descriptions[0].package.megabytes
    return Text.assemble((source, "bold"), (f"  pip install --no-deps {source} ({size} MB)", "yellow"))


def _names(robots: Sequence[RegisteredRobot]) -> Padding:
    table = Table.grid(padding=(0, 2))
    table.add_column(no_wrap=True, min_width=14)
    table.add_column(overflow="fold")
    for robot in robots:
        also = f"  also {', '.join(robot.aliases)}" if robot.aliases else ""
        style = "default" if robot.is_available else "dim"
        table.add_row(Text(robot.name, style=style), Text.assemble((robot.title, style), (also, "dim")))
    return Padding(table, (0, 0, 1, 2), expand=False)
