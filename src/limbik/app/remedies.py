"""Explains to the page why goals are not met: a sentence, and changes that would help."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from limbik.diagnosis import Diagnosis, Excess
from limbik.status import Status

COLLISIONS = (Status.GOAL_IN_COLLISION, Status.BASE_IN_COLLISION, Status.NO_FREE_SOLUTION)
MAX_REMOVED = 2  # objects that a person is offered to remove
IN_MODEL = ("angle", "travel")  # limits that a revolute or prismatic joint has


def culprit(diagnosis: Diagnosis) -> str:
    """What keeps the goals from being met, in one sentence."""
    return _CULPRITS[diagnosis.status](diagnosis)


def remedies(diagnosis: Diagnosis) -> list[dict[str, Any]]:
    """Changes that help, by likelihood; each has a `kind`.

    "unlock": `joints` that are to be free. "widen": `limits`, each of a `joint`, on a `side`, to a `value`
    with its `unit`. "position": the goals give up their orientations. "move": the goals go where the nearest
    configuration has their frames. "search": an answer is there, or may be, but has to be looked for from
    anywhere. "shift": the goals go by `shift` [m], where they are free of collision. "remove": the object
    `name` is in the way.
    """
    return list(_remedies(diagnosis))


def _remedies(diagnosis: Diagnosis) -> Iterator[dict[str, Any]]:
    if diagnosis.status is Status.SOLVED or diagnosis.q_found is not None:
        yield {"kind": "search"}
        return
    if diagnosis.status in COLLISIONS:
        yield from _remedies_of(diagnosis)
        return
    if diagnosis.unlocked:
        yield {"kind": "unlock", "joints": list(diagnosis.unlocked)}
    if diagnosis.excesses and all(one.quantity in IN_MODEL for one in diagnosis.excesses):
        yield {"kind": "widen", "limits": [_wider(one) for one in diagnosis.excesses]}
    if diagnosis.q_position is not None:
        yield {"kind": "position"}
    yield {"kind": "move"}


def _remedies_of(diagnosis: Diagnosis) -> Iterator[dict[str, Any]]:
    """Of what collides."""
    if diagnosis.status is Status.NO_FREE_SOLUTION and (diagnosis.held or not diagnosis.is_complete):
        yield {"kind": "search"}
    if diagnosis.shift is not None:
        yield {"kind": "shift", "shift": diagnosis.shift.tolist()}
    if diagnosis.q_turned is not None:
        yield {"kind": "position"}
    free = [one.names[0] for one in diagnosis.obstacles if one.q_without is not None and len(one.names) == 1]
    proved = [one.pair[1] for one in diagnosis.contacts if diagnosis.status is not Status.NO_FREE_SOLUTION]
    for name in dict.fromkeys([*free, *proved][:MAX_REMOVED]):
        yield {"kind": "remove", "name": name}


def _wider(excess: Excess) -> dict[str, Any]:
    """The limit that admits the value: the next whole degree or millimetre."""
    step = math.radians(1.0) if excess.unit == "rad" else 1e-3
    outward = math.ceil if excess.side == "upper" else math.floor
    value = step * outward(excess.value / step)
    return {"joint": excess.joint, "side": excess.side, "value": value, "unit": excess.unit}


# --- sentences ----------------------------------------------------------------------------------------------


def _solved(_: Diagnosis) -> str:
    return "There is a solution, but no direct path to it from here."


def _converged(diagnosis: Diagnosis) -> str:
    if diagnosis.pulls:
        return str(diagnosis.pulls[0])
    return "No small move brings the arm nearer."


def _unreachable(diagnosis: Diagnosis) -> str:
    return "".join(diagnosis.proof) or "The target is out of reach."


def _locked(diagnosis: Diagnosis) -> str:
    first, *others = diagnosis.unlocked
    if not others:
        return f"Joint {first!r} is locked, and the goal needs it."
    return f"{len(diagnosis.unlocked)} joints that the goal needs are locked."


def _limits_bind(diagnosis: Diagnosis) -> str:
    return str(max(diagnosis.excesses, key=lambda one: one.beyond))


def _orientation(diagnosis: Diagnosis) -> str:
    return "".join(diagnosis.conflicting) or "The point can be reached, but not in this orientation."


def _likely_unreachable(diagnosis: Diagnosis) -> str:
    unreached = "Every attempt settled away from the target: it is likely out of reach."
    return "".join(diagnosis.conflicting) or unreached


def _budget_spent(diagnosis: Diagnosis) -> str:
    if diagnosis.q_found is not None:
        return _solved(diagnosis)
    return "The search was cut short: the error was still falling."


def _in_collision(diagnosis: Diagnosis) -> str:
    first, second = map(repr, diagnosis.contacts[0].pair)
    depth = -1e3 * diagnosis.contacts[0].distance
    how = f"{depth:.3g} mm deep in" if depth > 0.0 else "too near to"
    return f"Whatever the joints do, {first} is {how} {second}."


def _no_free_solution(diagnosis: Diagnosis) -> str:
    is_every = diagnosis.is_complete and not diagnosis.held
    which = "Every solution" if is_every else f"Each of {diagnosis.examined} solutions found"
    blocked = f": {diagnosis.obstacles[0].spoken} is in the way of most" if diagnosis.obstacles else ""
    return f"{which} is in collision{blocked}."


_CULPRITS = {
    Status.GOAL_IN_COLLISION: _in_collision,
    Status.BASE_IN_COLLISION: _in_collision,
    Status.NO_FREE_SOLUTION: _no_free_solution,
    Status.SOLVED: _solved,
    Status.CONVERGED: _converged,
    Status.UNREACHABLE: _unreachable,
    Status.LOCKED: _locked,
    Status.LIMITS_BIND: _limits_bind,
    Status.ORIENTATION_UNAVAILABLE: _orientation,
    Status.LIKELY_UNREACHABLE: _likely_unreachable,
    Status.BUDGET_SPENT: _budget_spent,
}
