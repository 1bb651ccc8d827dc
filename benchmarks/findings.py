"""Where limbik falls short of its own goals in a run: written down, not left to the reader."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Sequence

from arms import Arm
from measure import Row, growth_exponent, ratio
from problems import Problem
from results import TOLERANCES, Results
from tables import number, percent

SETTLED = 1e-3  # of the reach
LINEAR = 1.1  # the largest exponent that still counts as linear
KERNEL_RATIO = 1.3
LINEAR_METHODS = ("fabrik", "jt", "dls")
SURE_METHODS = ("ccd", "fabrik", "dls")  # 100 % of reachable targets without limits
LIMITED_SHARE = 0.995


def place(arm: Arm, tolerance: float | None = None) -> str:
    limit = ", +-60 deg" if arm.limit is not None else ""
    return f"{arm.name}{limit}" + (f", {tolerance:g}" if tolerance is not None else "")


def slower(results: Results, arms: Sequence[Arm]) -> list[str]:
    """limbik solvers that a peer beats at the same method, and peers that beat all of limbik."""
    lines = []
    for arm in arms:
        for tolerance in TOLERANCES:
            rows = [row for row in results.rows(arm, tolerance) if row.seconds]
            ours = [row for row in rows if row.peer.name.startswith("limbik")]
            for peer in (row for row in rows if row not in ours):
                lines += faster_than(peer, ours, place(arm, tolerance), tolerance * arm.reach)
    return lines


def faster_than(peer: Row, ours: Sequence[Row], label: str, tolerance: float) -> list[str]:
    """Lines on the limbik solvers whose median this peer beats: its own method's, and all of them."""
    said = f"{label}: {peer.peer.name} ({percent(peer.success(tolerance))} %) takes"
    lines = []
    for own in ours:
        factor = ratio(peer, own) or 0.0
        if own.peer.method == peer.peer.method and factor < 1.0:
            mean = ratio(peer, own, statistics.fmean) or 0.0
            lines.append(f"{said} {factor:.2f}x of {own.peer.name} (mean: {mean:.2f}x)")
    best = max((ratio(peer, own) or 0.0 for own in ours), default=1.0)
    if best < 1.0:
        lines.append(f"{said} {best:.2f}x of limbik's fastest solver")
    return lines


def missed(
    results: Results, arms: Sequence[Arm], problems: dict[tuple[str, float | None], list[Problem]]
) -> list[str]:
    """Reachable targets that limbik missed, where its goal is that it does not."""
    lines = []
    for arm in arms:
        for tolerance in TOLERANCES:
            for row in results.rows(arm, tolerance):
                if row.peer.name.startswith("limbik"):
                    lines += missed_by(row, arm, tolerance, problems[arm.name, arm.limit])
    return lines


def missed_by(row: Row, arm: Arm, tolerance: float, problems: Sequence[Problem]) -> list[str]:
    if row.failure:
        return [f"{place(arm, tolerance)}: {row.peer.name} failed: {row.failure}"]
    success = row.success(tolerance * arm.reach)
    lines = []
    false = sum(bool(a.claims_success) and not ok for a, ok in zip(row.answers, success, strict=True))
    if false:
        lines.append(
            f"{place(arm, tolerance)}: {row.peer.name} claimed success {false} times where it had none"
        )
    illegal = row.legal.count(False)
    if illegal:
        lines.append(f"{place(arm, tolerance)}: {row.peer.name} left the limits {illegal} times")
    share = sum(success) / len(success) if success else 1.0
    is_sure = arm.limit is None and row.peer.method in (*SURE_METHODS, "auto")
    if share < (1.0 if is_sure else LIMITED_SHARE):
        kinds = Counter(p.kind for p, ok in zip(problems, success, strict=False) if not ok)
        statuses = Counter(a.status for a, ok in zip(row.answers, success, strict=True) if not ok)
        lines.append(
            f"{place(arm, tolerance)}: {row.peer.name} reached {100 * share:.2f} % "
            f"(missed: {dict(kinds)}; said: {dict(statuses)})"
        )
    return lines


def growth(results: Results, arms: Sequence[Arm]) -> list[str]:
    """Methods that should be linear in the number of links and are not."""
    lines = []
    for method in LINEAR_METHODS:
        costs = [
            (arm.size, results.iteration_costs.get((arm.name, None, f"limbik {method}"))) for arm in arms
        ]
        pairs = [(n, c) for n, c in costs if c and n >= 10]
        if len(pairs) > 2:
            power = growth_exponent([n for n, _ in pairs], [c for _, c in pairs])
            if power > LINEAR:
                lines.append(f"limbik {method}: an iteration grows as n to the {power:.2f}")
    return lines


def kernels(results: Results, arms: Sequence[Arm]) -> list[str]:
    """Kernels slower than the plain C++ loop by more than the goal allows, at ten joints."""
    lines = []
    for arm in arms:
        for method, baseline in results.baseline.get(arm.name, {}).items():
            cost = results.iteration_costs.get((arm.name, None, f"limbik {method}"))
            if arm.size == 10 and cost and cost > KERNEL_RATIO * baseline["us_per_iteration"]:
                factor = cost / baseline["us_per_iteration"]
                lines.append(f"{arm.name}: limbik {method} takes {factor:.2f}x of the C++ loop per iteration")
    return lines


def out_of_reach(results: Results, arms: Sequence[Arm]) -> list[str]:
    lines = []
    for arm in arms:
        for one in results.out_of_reach.get((arm.name, arm.limit), []):
            if not one.name.startswith("limbik"):
                continue
            label = f"{place(arm)}, out of reach: {one.name}"
            if one.excess > SETTLED:
                lines.append(f"{label} ends {number(one.excess)} of the reach above the optimum")
            if max(one.unsettled or 0.0, one.frames_unsettled or 0.0) > SETTLED:
                changes = f"{number(one.unsettled)}, {number(one.frames_unsettled)}"
                lines.append(f"{label} still changes at the end ({changes})")
            if (one.rise or 0.0) > SETTLED:
                lines.append(f"{label} jerks: its error grows by {number(one.rise)} of the reach on the way")
            if one.false_claims:
                lines.append(f"{label} claimed success {one.false_claims} times")
    return lines
