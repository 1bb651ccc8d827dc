"""Goals of a request in words."""

from __future__ import annotations

from limbik.goals import Goal
from limbik.measure import holds_tool
from limbik.request import Request


def described(request: Request, goal: Goal) -> str:
    """A goal in a clause without a verb, such as "frame 'tool' at (0.4, 0, 0.3) m"."""
    name = request.model.end_effector if goal.frame is None else goal.frame
    return goal.described(f"the tool in frame {name!r}" if holds_tool(request, goal) else f"frame {name!r}")
