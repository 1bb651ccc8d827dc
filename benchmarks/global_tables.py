"""From the measurements of `global_ik.py` to Markdown tables."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from global_race import Row
from report import table
from robots import PRESETS, SOURCES, Robot
from tables import NOTHING, facts, number, percent, times

Rows = Mapping[tuple[str, str], Sequence[Row]]  # by robot and mode


def race_table(rows: Sequence[Row]) -> str:
    """Everything about one robot in one mode, one line per method."""
    header = [
        "method",
        "problems",
        "success % 1e-4 m, 1e-3 rad",
        "1e-6 m, 1e-5 rad",
        "false claims",
        "outside limits",
        "us per call mean",
        "median",
        "p99",
        "over limbik mean",
        "median",
    ]
    own = limbik_row(rows)
    lines = [
        [
            row.peer.name,
            str(row.count),
            percent(row.coarse),
            percent(row.fine),
            str(row.false_claims),
            str(row.outside),
            number(row.mean()),
            number(row.quantile(0.5)),
            number(row.quantile(0.99)),
            times(over(row, own)),
            times(over(row, own, np.median)),
        ]
        for row in rows
        if row.count
    ]
    return table(header, lines)


def limbik_row(rows: Sequence[Row]) -> Row | None:
    return next((row for row in rows if row.peer.name == "limbik" and row.count), None)


def over(row: Row, own: Row | None, figure: Callable[..., Any] = np.mean) -> float | None:
    """Mean (or another figure) of the time over that of limbik, on the problems that both have."""
    if own is None or row is own:
        return None
    count = min(row.count, own.count)
    return float(figure(row.microseconds[:count]) / figure(own.microseconds[:count]))


def summary_table(rows: Rows, mode: str) -> str:
    """limbik beside the fastest package that solves at least as many problems, and the fastest of all."""
    header = [
        "robot",
        "limbik success %",
        "us mean",
        "median",
        "p99",
        "fastest with as many solved",
        "success %",
        "us mean",
        "over limbik",
        "fastest of all",
        "success %",
        "us mean",
    ]
    lines = []
    for (robot, of_mode), listed in rows.items():
        own = limbik_row(listed)
        others = [row for row in listed if row.count and row is not own]
        if of_mode != mode or (own is None and not others):
            continue
        as_good = [r for r in others if own is None or r.success() >= own.success(r.count)]
        rival = min(as_good, key=lambda r: r.mean(), default=None)
        fastest = min(others, key=lambda r: r.mean(), default=None)
        line = [robot, *_figures(own)]
        line += [*_named(rival), NOTHING if rival is None else times(over(rival, own)), *_named(fastest)]
        lines.append(line)
    return table(header, lines)


def _figures(row: Row | None) -> list[str]:
    if row is None:
        return [NOTHING] * 4
    return [percent(row.fine), number(row.mean()), number(row.quantile(0.5)), number(row.quantile(0.99))]


def _named(row: Row | None) -> list[str]:
    return [NOTHING] * 3 if row is None else [row.peer.name, percent(row.fine), number(row.mean())]


def robots_list(robots: Sequence[Robot]) -> str:
    """The robots, their joints and where they come from."""
    lines = {}
    for robot in robots:
        kinds = [
            (sum(not j.is_prismatic and not j.is_continuous for j in robot.joints), "revolute"),
            (sum(j.is_continuous for j in robot.joints), "continuous"),
            (sum(j.is_prismatic for j in robot.joints), "prismatic"),
        ]
        source = "limbik preset" if robot.name in PRESETS else SOURCES[robot.name].distribution
        lines[robot.name] = ", ".join([*(f"{count} {kind}" for count, kind in kinds if count), source])
    return facts(lines)


def absent_list(rows: Rows) -> str:
    """Which method did not take part where, and why."""
    reasons: dict[tuple[str, str], list[str]] = {}
    for (robot, _), listed in rows.items():
        for row in listed:
            if row.failure:
                places = reasons.setdefault((row.peer.name, row.failure), [])
                if robot not in places:
                    places.append(robot)
    lines = [f"- {name} not on {', '.join(places)}: {reason}" for (name, reason), places in reasons.items()]
    return "\n".join(lines) or "Every method took part on every robot."
