"""What a run measured, in one object that the tables, the findings and the JSON file read."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from arms import Arm
from measure import Row

TOLERANCES = (1e-3, 1e-6)  # of the arm's length


@dataclass(frozen=True, kw_only=True)
class OutOfReach:
    """One method on targets that cannot be reached; lengths as fractions of the reach."""

    name: str
    count: int
    excess: float  # the worst final error above the smallest possible one
    excess_median: float
    unsettled: float | None  # the widest spread of the error over the last quarter of a trace
    rise: float | None  # the largest growth of the error above an earlier one in a trace
    frames_unsettled: float | None  # the same over the last frames of a playground-like session
    median_us: float
    false_claims: int  # answers that claimed success


@dataclass
class Results:
    solves: dict[tuple[str, float | None, float], list[Row]] = field(default_factory=dict)
    iteration_costs: dict[tuple[str, float | None, str], float | None] = field(default_factory=dict)
    baseline: dict[str, dict[str, Any]] = field(default_factory=dict)
    out_of_reach: dict[tuple[str, float | None], list[OutOfReach]] = field(default_factory=dict)
    reaches: dict[str, float] = field(default_factory=dict)  # [m], by the arm's name

    def rows(self, arm: Arm, tolerance: float) -> list[Row]:
        return self.solves[arm.name, arm.limit, tolerance]

    def as_json(self) -> dict[str, Any]:
        """Plain numbers: medians, means, counts; for comparing runs."""
        solves = [
            {
                "arm": name,
                "limit": limit,
                "tolerance": tolerance,
                "method": row.peer.name,
                "problems": len(row.seconds),
                "failures": sum(not ok for ok in row.success(tolerance * self.reaches[name])),
                "median_us": row.median_us,
                "mean_us": row.mean_us,
                "iterations": row.iterations and sum(row.iterations) / len(row.iterations),
            }
            for (name, limit, tolerance), rows in self.solves.items()
            for row in rows
            if row.seconds
        ]
        costs = [
            {"arm": name, "limit": limit, "method": method, "us_per_iteration": cost}
            for (name, limit, method), cost in self.iteration_costs.items()
        ]
        out = [
            {"arm": name, "limit": limit, **vars(one)}
            for (name, limit), many in self.out_of_reach.items()
            for one in many
        ]
        return {"solves": solves, "iterations": costs, "baseline": self.baseline, "out_of_reach": out}
