"""From measurements to Markdown tables."""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping, Sequence

from arms import Arm
from measure import PATIENCE, Row, growth_exponent, ratio
from report import table
from results import TOLERANCES, Results

NOTHING = "-"


def number(value: float | None, digits: int = 3) -> str:
    """A few significant digits, without an exponent where a person would not write one."""
    if value is None or not math.isfinite(value):
        return NOTHING
    if value == 0.0:
        return "0"
    if abs(value) >= 1e5 or abs(value) < 1e-4:
        return f"{value:.1e}"
    decimals = max(0, digits - 1 - math.floor(math.log10(abs(value))))
    return f"{value:,.{decimals}f}"


def duration(microseconds: float) -> str:
    """A time in microseconds, or that it was longer than the benchmark waits."""
    if microseconds >= 0.99e6 * PATIENCE:
        return f"> {PATIENCE:g} s"
    return number(microseconds)


def percent(flags: Sequence[bool]) -> str:
    """Share of successes; 100 % is written only when none failed."""
    if not flags:
        return NOTHING
    share = 100.0 * sum(flags) / len(flags)
    if all(flags):
        return "100"
    return f"{min(share, 99.99):.2f}" if share > 99.0 else f"{share:.1f}"


def median(values: Sequence[float] | None) -> str:
    return number(statistics.median(values)) if values else NOTHING


def times(value: float | None) -> str:
    return NOTHING if value is None else f"{number(value, 2)}x"


def solve_table(results: Results, arm: Arm) -> str:
    """Everything about one arm: both tolerances side by side, one line per method."""
    header = [
        "method",
        "problems",
        "success % 1e-3",
        "1e-6",
        "iterations 1e-3",
        "1e-6",
        "us per iteration",
        "us per solve 1e-3 median",
        "mean",
        "us per solve 1e-6 median",
        "mean",
        "over limbik 1e-3",
        "1e-6",
    ]
    by_tolerance = [results.rows(arm, tolerance) for tolerance in TOLERANCES]
    lines = []
    for coarse, fine in zip(*by_tolerance, strict=True):
        if not coarse.seconds:
            continue
        both = (coarse, fine)
        cost = results.iteration_costs.get((arm.name, arm.limit, coarse.peer.name))
        if not coarse.peer.name.startswith("limbik"):
            cost = coarse.us_per_iteration
        counts = sorted({len(coarse.seconds), len(fine.seconds)}, reverse=True)
        lines.append(
            [
                coarse.peer.name,
                " / ".join(map(str, counts)),
                *(percent(row.success(t * arm.reach)) for row, t in zip(both, TOLERANCES, strict=True)),
                *(median(row.iterations) for row in both),
                number(cost),
                *(duration(v) for row in both for v in (row.median_us, row.mean_us)),
                *(times(over_limbik(row, rows)) for row, rows in zip(both, by_tolerance, strict=True)),
            ]
        )
    absent = [row.peer.name for row in by_tolerance[0] if not row.is_supported]
    text = table(header, lines)
    return text + (
        f"\n\nNot measured here, because it has no such joints or limits: {', '.join(absent)}."
        if absent
        else ""
    )


def over_limbik(row: Row, rows: Sequence[Row]) -> float | None:
    """How many times limbik's time for the same method (itself: 1), on the problems that both solved."""
    if row.peer.name.startswith("limbik"):
        return None
    reference = next((r for r in rows if r.peer.name == f"limbik {row.peer.method}"), None)
    return None if reference is None else ratio(row, reference)


def growth_table(results: Results, arms: Sequence[Arm], what: str, tolerance: float) -> str:
    """One line per method, one column per number of links; `what` is success, time or mean time."""
    header = ["method", *(str(arm.size) for arm in arms)]
    lines = []
    for index, first in enumerate(results.rows(arms[0], tolerance)):
        cells = []
        for arm in arms:
            row = results.rows(arm, tolerance)[index]
            if not row.seconds:
                cells.append(NOTHING)
            elif what == "success":
                few = "" if len(row.seconds) >= 100 else f" of {len(row.seconds)}"
                cells.append(percent(row.success(tolerance * arm.reach)) + few)
            else:
                cells.append(duration(row.median_us if what == "median" else row.mean_us))
        if any(cell != NOTHING for cell in cells):
            lines.append([first.peer.name, *cells])
    return table(header, lines)


def iteration_table(results: Results, arms: Sequence[Arm], names: Sequence[str]) -> str:
    """Microseconds of one iteration by number of links, how they grow, and the C++ loops beside them."""
    header = ["method", *(str(arm.size) for arm in arms), "grows as n to the"]
    lines = []
    for name in names:
        costs = [results.iteration_costs.get((arm.name, arm.limit, name)) for arm in arms]
        lines.append([name, *(number(c) for c in costs), exponent(arms, costs)])
    for method in baseline_methods(results, arms):
        costs = [results.baseline.get(arm.name, {}).get(method, {}).get("us_per_iteration") for arm in arms]
        lines.append([f"C++ {method}", *(number(c) for c in costs), exponent(arms, costs)])
    return table(header, lines)


def baseline_methods(results: Results, arms: Sequence[Arm]) -> list[str]:
    return list(dict.fromkeys(m for arm in arms for m in results.baseline.get(arm.name, {})))


def exponent(arms: Sequence[Arm], costs: Sequence[float | None]) -> str:
    """Growth from 10 links on: below that the fixed part of a call shows."""
    pairs = [
        (arm.size, c)
        for arm, c in zip(arms, costs, strict=True)
        if c is not None and c > 0 and arm.size >= 10
    ]
    if len(pairs) < 2:
        return NOTHING
    return f"{growth_exponent([n for n, _ in pairs], [c for _, c in pairs]):.2f}"


def kernel_table(results: Results, arms: Sequence[Arm]) -> str:
    """limbik's time per iteration over the plain C++ loop's."""
    header = ["arm", "method", "limbik us", "C++ us", "ratio"]
    lines = []
    for arm in arms:
        for method, baseline in results.baseline.get(arm.name, {}).items():
            cost = results.iteration_costs.get((arm.name, None, f"limbik {method.split()[0]}"))
            plain = baseline["us_per_iteration"]
            lines.append(
                [arm.name, method, number(cost), number(plain), times(cost / plain if cost else None)]
            )
    return table(header, lines)


def out_table(results: Results, arms: Sequence[Arm], what: str) -> str:
    """Targets out of reach, one column per arm: the worst value of each method."""
    header = ["method", *(arm.name + (" +-60 deg" if arm.limit else "") for arm in arms)]
    names = dict.fromkeys(
        out.name for arm in arms for out in results.out_of_reach.get((arm.name, arm.limit), [])
    )
    lines = []
    for name in names:
        cells = []
        for arm in arms:
            found = next(
                (o for o in results.out_of_reach.get((arm.name, arm.limit), []) if o.name == name), None
            )
            value = None if found is None else getattr(found, what)
            cells.append(duration(value) if what == "median_us" and value is not None else number(value))
        if any(cell != NOTHING for cell in cells):
            lines.append([name, *cells])
    return table(header, lines)


def facts(pairs: Mapping[str, str]) -> str:
    return "\n".join(f"- {key}: {value}" for key, value in pairs.items())
