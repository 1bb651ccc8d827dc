"""Why a solve used the solver that it used."""

from __future__ import annotations

from limbik.chain.pack import pack_plane
from limbik.goals import Goal, Position, is_plain
from limbik.model.chain import chain_to
from limbik.model.joints import JointKind
from limbik.serial.prepare import MOST_ROWS, is_fast
from limbik.solvers.request import Request


def reason(request: Request) -> str:
    """Why the request went to its solver, as the end of a sentence: "because ..."."""
    if request.options.get("solver", "auto") != "auto":
        return "because it was asked for"
    if len({goal.priority for goal in request.goals}) > 1:
        return "because only this method knows priorities"
    return f"because it solves most and is the quickest: here {_kernel(request)}"


def _kind(goal: Goal) -> str:
    name = type(goal).__name__
    is_common = name in ("Position", "Orientation", "Pose")
    return f"a {name} with weights, a tolerance or a priority" if is_common else f"a {name}"


def _kernel(request: Request) -> str:
    goal = request.goals[0]
    if len(request.goals) > 1:
        return "in the general core, for several goals"
    if not is_plain(goal):
        return f"in the general core, for {_kind(goal)}"
    chain = chain_to(request.model, goal.frame)
    if chain.has_mimic:
        return "in the general core, for joints that follow others"
    if isinstance(goal, Position) and pack_plane(chain) is not None:
        return "by a kernel for points and arms in a plane"
    if isinstance(goal, Position) and all(joint.kind is JointKind.BALL for joint in chain.joints):
        return "by a kernel for points and arms of ball joints"
    if is_fast(chain):
        return f"in the fast core, for arms of up to {MOST_ROWS} revolute and prismatic joints"
    return "in the general core, for any tree"
