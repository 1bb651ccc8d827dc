"""Answers for the arms of a scene as text, and as data for JSON."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from limbik.commands.answers import WIDTH
from limbik.service.plain import data as arm_data

if TYPE_CHECKING:
    from limbik import Position, Scene, SceneArm, Solution
    from limbik.status import PoseError


class _ScenePart(NamedTuple):
    """An arm without its branches, or a branch."""

    name: str
    tip: str
    joints: tuple[str, ...]
    goal: Position | None
    miss: PoseError | None
    answer: Solution | None  # to its goal, and maybe to others


APART = (
    "Branches were solved one after the other, and the joints of those before them stayed: "
    "--branches coupled moves all joints of an arm together."
)


def text(scene: Scene, solutions: Sequence[Solution | None], degrees: bool) -> Iterator[str]:
    """The lines: each arm and branch with its goal, how far off it is, and its angles; then what failed."""
    from limbik import Status

    for arm, solution in zip(scene.arms, solutions, strict=True):
        yield ""
        for part in _parts(arm, solution):
            yield from _part_lines(arm, solution, part, degrees)
    failed = [one for one in solutions if one is not None and not one.success]
    missed = [part for solution in failed for part in _answers(solution) if not part.success]
    for part_answer in missed:
        yield ""
        for sentence in _reasons(part_answer):
            yield from _wrapped(sentence)
    with_locked = [part_answer for part_answer in missed if part_answer.request.options.get("locked")]
    if any(part_answer.status is not Status.UNREACHABLE for part_answer in with_locked):
        yield ""
        yield from _wrapped(APART)
    answered = [one for one in solutions if one is not None]
    if not answered:
        yield ""
        yield "No arm has a goal."
    else:
        yield ""
        iterations, seconds = sum(one.iterations for one in answered), sum(one.time for one in answered)
        solved = len(answered) - len(failed)
        yield (
            f"{solved} of {len(answered)} arms with goals solved by {answered[0].solver}: "
            f"{iterations:,} iterations, {1e3 * seconds:.3g} ms"
        )


def _reasons(answer: Solution) -> Sequence[str]:
    """Why a goal was missed. Branch by branch, what is locked are the joints of parents."""
    from limbik import Status
    from limbik.diagnosis import list_of, nearest_in_words

    why = answer.explain()
    if why.status is not Status.LOCKED:
        return why.sentences
    return (
        f"Its parents are in the way where they stand: {list_of(why.goals)}.",
        "If their joints move too there is a solution within the limits; without, none was found.",
        nearest_in_words(why),
    )


def _wrapped(sentence: str) -> list[str]:
    return textwrap.wrap(sentence, WIDTH, break_on_hyphens=False)


def data(scene: Scene, solutions: Sequence[Solution | None], branches: str) -> dict[str, Any]:
    """Everything in metres and radians, for JSON."""
    return {
        "scene": scene.name,
        "angles": scene.angles,
        "branches": branches,
        "success": all(one.success for one in solutions if one is not None),
        "arms": [_arm_data(arm, one) for arm, one in zip(scene.arms, solutions, strict=True)],
    }


def _arm_data(arm: SceneArm, solution: Solution | None) -> dict[str, Any]:
    answer = (
        {"robot": arm.model.name, "status": "no goal", "success": True, "q": arm.start.tolist()}
        if solution is None
        else arm_data(arm.model, solution)
    )
    parts = []
    for part in _parts(arm, solution):
        goal = None if part.goal is None else part.goal.target.tolist()
        parts.append(
            {
                "name": part.name,
                "frame": part.tip,
                "goal": goal,
                "error": None if part.miss is None else part.miss.position,
                "status": _status(part),
                "angles": _values(arm, solution, part),
            }
        )
    return {"name": arm.name, **answer, "parts": parts}


def _parts(arm: SceneArm, solution: Solution | None) -> Iterator[_ScenePart]:
    from limbik import Position

    of_branches = {joint for branch in arm.branches for joint in branch.joints}
    own = tuple(joint.name for joint in arm.model.joints if joint.nq and joint.name not in of_branches)
    named = [(arm.name, arm.model.end_effector, own)]
    named += [(branch.name, branch.tip, branch.joints) for branch in arm.branches]
    misses = () if solution is None else solution.goal_errors
    missed_by_frame = {goal.frame: (goal, miss) for goal, miss in zip(arm.goals, misses, strict=True)}
    answers = {goal.frame: one for one in _answers(solution) for goal in one.request.goals}
    for name, tip, joints in named:
        goal, miss = missed_by_frame.get(tip, (None, None))
        point = goal if isinstance(goal, Position) else None
        yield _ScenePart(name, tip, joints, point, miss, answers.get(tip))


def _answers(solution: Solution | None) -> Sequence[Solution]:
    """What was solved at a time: an arm with all its goals, or one part after the other."""
    from limbik.scene import BranchedSolution

    if solution is None:
        return ()
    return solution.parts if isinstance(solution, BranchedSolution) else (solution,)


def _status(part: _ScenePart) -> str:
    return part.answer.status.value if part.goal is not None and part.answer is not None else "no goal"


def _part_lines(arm: SceneArm, solution: Solution | None, part: _ScenePart, degrees: bool) -> Iterator[str]:
    if part.goal is None or part.miss is None:
        yield f"{part.name}: no goal"
    else:
        point = ", ".join(f"{x:g}" for x in part.goal.target)
        yield f"{part.name}: goal ({point}) m, {_status(part)}, {part.miss.position:.2e} m off"
    yield f"  {'segment':<10} {'theta':>10} {'phi':>10}  {'deg' if degrees else 'rad'}"
    scale = 180.0 / math.pi if degrees else 1.0
    for k, (theta, phi) in enumerate(_values(arm, solution, part)):
        yield f"  {k:<10} {scale * theta:>z10.5f} {scale * phi:>z10.5f}"


def _values(arm: SceneArm, solution: Solution | None, part: _ScenePart) -> list[list[float]]:
    """theta and phi [rad] of each segment."""
    q = arm.start if solution is None else solution.q
    values = [float(q[arm.model.q_slice(joint).start]) for joint in part.joints]
    return [values[k : k + 2] for k in range(0, len(values), 2)]
