"""Why a solve used the solver that it used."""

from __future__ import annotations

from limbik.core.pack import pack_plane
from limbik.goals import Goal, Position, is_plain
from limbik.model.chain import Chain, chain_to
from limbik.model.joints import JointKind
from limbik.solution import Request
from limbik.solvers.fast import is_fast


def reason(request: Request) -> str:
    """Why the request went to its solver, as the end of a sentence: "because ..."."""
    if request.options.get("solver", "auto") != "auto":
        return "because it was asked for"
    if len(request.goals) > 1:
        return "because several goals are to be met together"
    goal = request.goals[0]
    if not is_plain(goal):
        return f"because the other solvers do not know {_kind(goal)}"
    chain = chain_to(request.model, goal.frame)
    return f"because {_chain_reason(chain, goal)}"


def _kind(goal: Goal) -> str:
    name = type(goal).__name__
    plain = name in ("Position", "Orientation", "Pose")
    return f"{name} with weights, a tolerance or a priority" if plain else name


def _chain_reason(chain: Chain, goal: Goal) -> str:
    joints = f"{len(chain.joints)} joint{'' if len(chain.joints) == 1 else 's'}"
    if chain.has_mimic:
        return "some joints on the way follow others"
    if isinstance(goal, Position) and pack_plane(chain) is not None:
        return f"an arm of {joints} in a plane has a kernel of its own for points"
    if isinstance(goal, Position) and all(joint.kind is JointKind.BALL for joint in chain.joints):
        return f"an arm of {joints} that are balls has a kernel of its own for points"
    if is_fast(chain):
        return f"the fast core takes an arm of {joints}, hinges and slides"
    return f"{joints} are too many, or of too many kinds, for the fast core"
