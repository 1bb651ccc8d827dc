"""Answers as plain data for JSON: metres and radians, None for infinity."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from limbik.formats.motion_csv import coordinate_names

if TYPE_CHECKING:
    from limbik import AllSolutions, Model, Solution


def all_data(model: Model, answers: AllSolutions) -> dict[str, Any]:
    """All answers in metres and radians, for JSON; what is infinite is None."""
    measured = zip(answers.q, answers.branches, answers.limit_margins, answers.manipulability, strict=True)
    return {
        "robot": model.name,
        "complete": bool(answers.complete),
        "method": answers.method,
        "names": coordinate_names(model),
        "units": units(model),
        "solutions": [
            {
                "q": q.tolist(),
                "branch": branch,
                "limit_margins": [finite(margin) for margin in margins],
                "manipulability": float(manipulability),
            }
            for q, branch, margins, manipulability in measured
        ],
        "time": answers.time,
    }


def data(model: Model, solution: Solution) -> dict[str, Any]:
    """An answer in metres and radians, for JSON; what is infinite is None."""
    return {
        "robot": model.name,
        "status": solution.status.value,
        "success": solution.success,
        "q": solution.q.tolist(),
        "names": coordinate_names(model),
        "units": units(model),
        "errors": [error._asdict() for error in solution.goal_errors],
        "limit_margins": [finite(margin) for margin in solution.limit_margins],
        "manipulability": solution.manipulability,
        "condition_number": finite(solution.condition_number),
        "solver": solution.solver,
        "iterations": solution.iterations,
        "restarts": solution.restarts,
        "time": solution.time,
        "diagnosis": None if solution.success else solution.explain().to_dict(),
    }


def units(model: Model) -> list[str]:
    """[nq] "rad", "m", or "" for the numbers of a quaternion."""
    from limbik import JointKind

    names: list[str] = []
    for joint in model.joints:
        if joint.nq == 1:
            names.append("m" if joint.kind is JointKind.PRISMATIC else "rad")
        elif joint.nq:
            names += ("m", "m", "m", "", "", "", "")[-joint.nq :]
    return names


def finite(number: float) -> float | None:
    return None if math.isinf(number) else float(number)
