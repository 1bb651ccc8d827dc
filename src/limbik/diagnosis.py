"""Why an answer is what it is: as data, and in sentences for a person."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from limbik.checks import Contact
from limbik.deprecated import renamed
from limbik.spatial import Array
from limbik.status import PoseError, Status

OFF_PLANE = "off the plane"
MAX_NAMES = 8  # of joints in a sentence
MAX_CONTACTS = 3  # and of pairs in collision, in sentences
MAX_OBSTACLES = 3
MAX_METRES = 1e7  # that are written with all their digits
SEEN = 1e-5  # [m or rad] a goal of several that is off by more is named
NEGLIGIBLE = 0.01  # of what the worst joint is beyond its limit, metres counted as radians


@dataclass(frozen=True, kw_only=True)
class Bound:
    """What proves that a goal is out of reach."""

    goal: int  # its index among the goals
    kind: str  # "too far", "too near" or OFF_PLANE
    joint: str  # the first joint on the way, or that of the shoulder, from which is measured
    distance: float  # [m] of the target or the wrist from that joint, or of the target from the arm's plane
    bound: float  # [m] what the distance can be at most, or at least
    wrist: str | None = None  # the joint at the wrist, where the distance is from there
    from_axis: bool = False  # whether the distance is from the joint's axis, as of arms that move in a plane
    off_plane: float = 0.0  # [m] of the target from that plane, where it is not in it either

    @property
    def missing(self) -> float:
        """[m] by which the target is out of reach, at least."""
        return math.hypot(self.excess, self.off_plane)

    @property
    def excess(self) -> float:
        """[m] by which the distance is beyond what it can be."""
        return abs(self.distance - self.bound)

    @property
    def measured_from(self) -> str:
        """What the distance is from, in words."""
        return f"the axis of joint {self.joint!r}" if self.from_axis else f"joint {self.joint!r}"

    def sentence(self, target: str = "The target") -> str:
        """For a person; `target` is what to call the point."""
        distance, bound, missing = _together(self.distance, self.bound, self.excess)
        if self.wrist is not None:
            needed, allow = "at least", "no more than"
            if self.kind == "too near":
                needed, allow = "at most", "no less than"
            return (
                f"{target} needs the wrist (joint {self.wrist!r}) {needed} {distance} from the shoulder "
                f"(joint {self.joint!r}); the joints between them allow {allow} {bound}."
            )
        if self.kind == OFF_PLANE:
            return f"{target} is {missing} off the plane in which the arm moves."
        where = f"{distance} from {self.measured_from}"
        if self.off_plane:
            where += f" (and {_distance(self.off_plane)} off the plane in which the arm moves)"
        if self.kind == "too near":
            return (
                f"{target} is {where}, and the arm cannot fold to less than {bound} from there: "
                f"{missing} too near."
            )
        return f"{target} is {where}; the arm reaches {bound} from there: {missing} too far."


@dataclass(frozen=True, kw_only=True)
class Pull:
    """A goal that another one keeps from being met, or from being met better."""

    goal: int  # its index among the goals
    against: int  # that of the other
    error: PoseError
    error_without: PoseError  # what is left of it where the other is left out

    def __str__(self) -> str:
        left = f"{_amount(self.error_without)} off" if max(self.error_without) > SEEN else "met"
        return (
            f"Goal {self.goal + 1} is {_amount(self.error)} off; "
            f"without goal {self.against + 1} it would be {left}."
        )


@dataclass(frozen=True, kw_only=True)
class Excess:
    """A joint that would have to go beyond a limit."""

    joint: str
    quantity: str  # as of `model.margins.Reading`
    value: float  # [rad or m]
    limit: float  # [rad or m]

    @property
    def beyond(self) -> float:
        """[rad or m] how far the joint would have to go beyond the limit."""
        return abs(self.value - self.limit)

    @property
    def side(self) -> str:
        """Which limit it is: "upper" or "lower"."""
        return "upper" if self.value > self.limit else "lower"

    @property
    def unit(self) -> str:
        """Of the numbers."""
        return "m" if self.quantity == "travel" else "rad"

    def in_words(self, number: float) -> str:
        """A number in its unit."""
        return _travel(number) if self.unit == "m" else _angle(number)

    def __str__(self) -> str:
        what = "limit" if self.quantity in ("angle", "travel") else f"limit of {self.quantity},"
        limit = f"its {self.side} {what} {self.in_words(self.limit)}"
        return f"Joint {self.joint!r} would have to go {self.in_words(self.beyond)} beyond {limit}."


@dataclass(frozen=True, kw_only=True, eq=False)
class Obstacle:
    """What is in the way of solutions."""

    names: tuple[str, ...]  # an object of the world, or two bodies of the robot
    count: int  # of the solutions that it blocks
    q_without: Array | None = None  # [nq] a free solution without it, where that was found

    @property
    def spoken(self) -> str:
        """For a person."""
        return " with ".join(map(repr, self.names))


@dataclass(frozen=True, kw_only=True)
class Standing:
    """A joint that keeps still."""

    joint: str
    values: tuple[float, ...]  # [rad or m], of a ball joint a quaternion
    unit: str  # of a single value

    def __str__(self) -> str:
        if len(self.values) > 1:
            return f"{self.joint!r} stays at {list(self.values)}"
        write = _travel if self.unit == "m" else _angle
        return f"{self.joint!r} stays at {write(self.values[0])}"


@dataclass(frozen=True, kw_only=True)
class Nearest:
    """The joint that is nearest to a limit."""

    joint: str
    margin: float  # [rad or m]
    unit: str


@dataclass(frozen=True, kw_only=True, eq=False)
class Diagnosis:
    """The request, how far off the answer is, why, and what could be done.

    `str()` says it in sentences, one to a line; `to_dict()` as data that JSON can hold. What is claimed was
    found: every configuration in it was checked by forward kinematics.
    """

    status: Status
    goals: tuple[str, ...]  # one clause for each goal
    errors: tuple[PoseError, ...]  # of `q`, one for each goal
    q: Array  # [nq] the answer: what meets the goals, or the nearest legal configuration found
    iterations: int
    wishes: tuple[int, ...] = ()  # indices of the goals of a lower priority than the first
    bound: Bound | None = None  # the proof that there is no solution within the limits
    unlocked: tuple[str, ...] = ()  # LOCKED: the locked joints that move in `q_unlocked`
    q_unlocked: Array | None = None  # [nq] LOCKED: meets goals and limits, but not the locks
    excesses: tuple[Excess, ...] = ()  # of `q_beyond_limits`: joint by joint, in the order of the model
    q_beyond_limits: Array | None = None  # [nq] LIMITS_BIND: meets the goals, but not the limits
    q_found: Array | None = None  # [nq] BUDGET_SPENT: meets goals and limits; a longer search found it
    q_position: Array | None = None  # [nq] meets goals and limits, orientations left aside
    errors_position: tuple[PoseError, ...] = ()  # of `q_position`
    conflict: tuple[int, ...] = ()  # indices of goals that can be met alone, but not all together
    pulls: tuple[Pull, ...] = ()  # CONVERGED: the goals that are farthest off, and what pulls at them
    is_descending: bool = False  # BUDGET_SPENT: the error was still falling
    nearest: Nearest | None = None  # the smallest margin at `q`, where a joint has limits
    contacts: tuple[Contact, ...] = ()  # at `q`, the deepest first; of a free answer the nearest pair
    overshoot: float = 0.0  # [m] by which the convex pieces of a pair extend beyond the shapes, at most
    clearance: float = 0.0  # [m] that was requested
    held: tuple[Standing, ...] = ()  # LOCKED, or in collision: joints that keep still, and matter
    examined: int = 0  # NO_FREE_SOLUTION: distinct solutions that were looked at
    is_complete: bool = (
        False  # NO_FREE_SOLUTION: it is proved that there are no others while `held` keep still
    )
    is_cut_short: bool = False  # NO_FREE_SOLUTION: the time limit ended the search
    obstacles: tuple[Obstacle, ...] = ()  # NO_FREE_SOLUTION: what blocks most of them first
    shift: Array | None = None  # [3, m] by which the goals were shifted, and then could be met
    q_shifted: Array | None = None  # [nq] how
    q_turned: Array | None = None  # [nq] free, meets the positions, orientations left aside

    asked = renamed("asked", "goals")

    @property
    def sentences(self) -> tuple[str, ...]:
        """For a person, in order: the verdict, the reason, how far off, what could be done."""
        return tuple(_SENTENCES[self.status](self))

    @property
    def proof(self) -> tuple[str, ...]:
        """What proves that there is no solution, in a sentence; () where nothing does."""
        if self.bound is None:
            return ()
        of_which = f" of goal {self.bound.goal + 1}" if len(self.goals) > 1 else ""
        return (self.bound.sentence(f"The target{of_which}"),)

    @property
    def conflicting(self) -> tuple[str, ...]:
        """Which goals conflict, in a sentence; () where none are known to."""
        if not self.conflict:
            return ()
        goals = _spoken(str(index + 1) for index in self.conflict)
        return (f"Each goal can be met alone, but goals {goals} were never met together.",)

    def __str__(self) -> str:
        return "\n".join(self.sentences)

    def to_dict(self) -> dict[str, Any]:
        """As numbers, texts, lists and None; lengths in metres, angles in radians."""
        bound, nearest = self.bound, self.nearest
        return {
            "status": self.status.value,
            "goals": list(self.goals),
            "errors": _as_dicts(self.errors),
            "q": self.q.tolist(),
            "iterations": self.iterations,
            "bound": bound and {**vars(bound), "missing": bound.missing},
            "unlocked": list(self.unlocked),
            "q_unlocked": _as_list(self.q_unlocked),
            "excesses": [
                {**vars(one), "beyond": one.beyond, "side": one.side, "unit": one.unit}
                for one in self.excesses
            ],
            "q_beyond_limits": _as_list(self.q_beyond_limits),
            "q_found": _as_list(self.q_found),
            "q_position": _as_list(self.q_position),
            "errors_position": _as_dicts(self.errors_position),
            "conflict": list(self.conflict),
            "pulls": [
                {**vars(one), "error": one.error._asdict(), "error_without": one.error_without._asdict()}
                for one in self.pulls
            ],
            "is_descending": self.is_descending,
            "nearest": nearest and vars(nearest),
            "contacts": [_contact(one) for one in self.contacts],
            "overshoot": self.overshoot,
            "clearance": self.clearance,
            "held": [{**vars(one), "values": list(one.values)} for one in self.held],
            "examined": self.examined,
            "is_complete": bool(self.is_complete),
            "is_cut_short": self.is_cut_short,
            "obstacles": [{**vars(one), "q_without": _as_list(one.q_without)} for one in self.obstacles],
            "shift": _as_list(self.shift),
            "q_shifted": _as_list(self.q_shifted),
            "q_turned": _as_list(self.q_turned),
            "sentences": list(self.sentences),
        }


def _contact(contact: Contact) -> dict[str, Any]:
    return {
        "pair": list(contact.pair),
        "distance": contact.distance,
        "normal": contact.normal.tolist(),
        "points": contact.points.tolist(),
    }


def _as_list(q: Array | None) -> list[float] | None:
    return None if q is None else q.tolist()


def _as_dicts(errors: Sequence[PoseError]) -> list[dict[str, float]]:
    return [{"position": error.position, "rotation": error.rotation} for error in errors]


# --- sentences ----------------------------------------------------------------------------------------------


def _solved(diagnosis: Diagnosis) -> Iterator[str]:
    first = [k for k in range(len(diagnosis.goals)) if k not in diagnosis.wishes]
    yield f"Solved: {list_of([diagnosis.goals[k] for k in first])}."
    worst = PoseError(*(max(diagnosis.errors[k][part] for k in first) for part in (0, 1)))
    yield f"The answer is {'at most ' if len(first) > 1 else ''}{_amount(worst)} off."
    wishes = [f"{diagnosis.goals[k]}: {_amount(diagnosis.errors[k])} off" for k in diagnosis.wishes]
    if wishes:
        yield f"Of lower priority, {'; '.join(wishes)}."
    if diagnosis.nearest:
        margin = (
            _travel(diagnosis.nearest.margin)
            if diagnosis.nearest.unit == "m"
            else _angle(diagnosis.nearest.margin)
        )
        yield f"The joint nearest to a limit is {diagnosis.nearest.joint!r}, with {margin} to go."
    if diagnosis.contacts:
        yield f"Free of collision: {diagnosis.contacts[0]}"


def _converged(diagnosis: Diagnosis) -> Iterator[str]:
    several = len(diagnosis.goals) > 1
    what = "Not all goals are met, and their weighted errors" if several else "Not met, and the error"
    yield f"{what} cannot be made less by any small move: {list_of(diagnosis.goals)}."
    yield nearest_in_words(diagnosis)
    yield from map(str, diagnosis.pulls)
    if several:
        yield "Change the weights, leave out one of these goals, or give one a lower priority."
    else:
        yield "Move the target, or start elsewhere."


def _unreachable(diagnosis: Diagnosis) -> Iterator[str]:
    bound = diagnosis.bound
    how = "within the travel of the slides" if diagnosis.excesses else "whatever the joints do"
    yield f"Out of reach, {how}: {list_of(diagnosis.goals)}."
    yield from diagnosis.proof
    yield from _beyond_limits(diagnosis.excesses)
    yield nearest_in_words(diagnosis)
    if bound and bound.wrist is not None:
        yield "Move or turn the target, or move the base."
    elif bound and bound.kind == OFF_PLANE:
        yield f"Move the target {_distance(bound.excess)} into that plane."
    elif bound:
        how = "nearer to" if bound.kind == "too far" else "farther from"
        into = f" and {_distance(bound.off_plane)} into that plane" if bound.off_plane else ""
        what = f"at least {_distance(bound.excess)} {how} {bound.measured_from}{into}"
        yield f"Move the target {what}, or the base."


def _beyond_limits(excesses: Sequence[Excess]) -> Iterator[str]:
    """A sentence for each, and one for all that are next to nothing beside the largest."""
    threshold = NEGLIGIBLE * max((one.beyond for one in excesses), default=0.0)
    yield from (str(one) for one in excesses if one.beyond >= threshold)
    if small := [one for one in excesses if one.beyond < threshold]:
        large = max(small, key=lambda one: one.beyond)
        joints = _spoken(_some(list(dict.fromkeys(one.joint for one in small))))
        yield f"So would {joints}, by {'up to ' if len(small) > 1 else ''}{large.in_words(large.beyond)}."


def _locked(diagnosis: Diagnosis) -> Iterator[str]:
    is_one = len(diagnosis.unlocked) == 1
    joints = f"{'joint' if is_one else 'joints'} {_spoken(_some(diagnosis.unlocked))}"
    yield f"Locked joints are in the way: {list_of(diagnosis.goals)}."
    yield f"With {joints} free there is a solution within the limits; without, none was found."
    yield f"Locked, {', '.join(map(str, diagnosis.held[:MAX_NAMES]))}."
    yield nearest_in_words(diagnosis)
    yield f"Unlock {'it' if is_one else 'them'}, lock elsewhere, or move the target."


def _limits_bind(diagnosis: Diagnosis) -> Iterator[str]:
    yield f"The joint limits are in the way: {list_of(diagnosis.goals)}."
    yield f"Without limits there is a solution; within them {_there_is_none(diagnosis)}."
    yield from diagnosis.proof
    yield from _beyond_limits(diagnosis.excesses)
    if diagnosis.q_position is not None:
        yield f"With another orientation the position can be reached within the limits{_turned(diagnosis)}."
    yield nearest_in_words(diagnosis)
    others = " or the orientation" if diagnosis.q_position is not None else ""
    yield f"Move the target{others}, move the base, or widen these limits if the robot allows it."


def _there_is_none(diagnosis: Diagnosis) -> str:
    return "none was found" if diagnosis.bound is None else "there is none"


def _orientation_unavailable(diagnosis: Diagnosis) -> Iterator[str]:
    several = len(diagnosis.goals) > 1
    what, position = ("these orientations", "positions") if several else ("this orientation", "position")
    yield f"Of configurations with {what} {_there_is_none(diagnosis)}: {list_of(diagnosis.goals)}."
    yield from diagnosis.proof
    yield f"The {position} alone can be reached within the limits{_turned(diagnosis)}."
    yield from diagnosis.conflicting
    yield nearest_in_words(diagnosis)
    if diagnosis.conflict:
        yield "Change or leave out one of these goals, or leave its orientation free (limbik.Position)."
    else:
        yield "Ask for another orientation, leave it free (limbik.Position), or move the target."


def _likely_unreachable(diagnosis: Diagnosis) -> Iterator[str]:
    yield f"No solution was found: {list_of(diagnosis.goals)}."
    yield from diagnosis.conflicting
    if not diagnosis.conflict:
        yield "Every attempt settled away from it, so it is likely out of reach; that is not proved."
    yield nearest_in_words(diagnosis)
    what = "Change or leave out one of these goals" if diagnosis.conflict else "Move the target"
    yield f"{what}, or accept the nearest configuration by a wider tolerance."


def _budget_spent(diagnosis: Diagnosis) -> Iterator[str]:
    effort = f"{diagnosis.iterations:,} iteration{'' if diagnosis.iterations == 1 else 's'}"
    yield f"The search was cut short after {effort}: {list_of(diagnosis.goals)}."
    if diagnosis.q_found is not None:
        yield "There is a solution within the limits: a longer search found one."
        yield nearest_in_words(diagnosis)
        yield "Allow more iterations or restarts, or start from the solution that was found."
    else:
        yield "The error was still falling."
        yield nearest_in_words(diagnosis)
        yield "Allow more iterations."


def _goal_in_collision(diagnosis: Diagnosis) -> Iterator[str]:
    joints, while_held = _whatever(diagnosis)
    yield f"In collision, whatever the {joints} do{while_held}: {list_of(diagnosis.goals)}."
    yield from _contacts(diagnosis)
    yield from _shifted(diagnosis, "Move the target or what is in the way.")


def _base_in_collision(diagnosis: Diagnosis) -> Iterator[str]:
    joints, while_held = _whatever(diagnosis)
    yield f"In collision, whatever the {joints} do{while_held}: what hangs on the base."
    yield from _contacts(diagnosis)
    link, object_ = diagnosis.contacts[0].pair
    yield f"Move {object_!r}, or let it be touched: world.add(..., touch=[{link!r}])."


def _whatever(diagnosis: Diagnosis) -> tuple[str, str]:
    """Which joints, and while which ones keep still."""
    if not diagnosis.held:
        return "joints", ""
    return "other joints", f" while {_spoken(map(str, diagnosis.held))}"


def _no_free_solution(diagnosis: Diagnosis) -> Iterator[str]:
    number = (
        "The one solution that was"
        if diagnosis.examined == 1
        else f"All {diagnosis.examined:,} solutions that were"
    )
    is_in = "is" if diagnosis.examined == 1 else "are"
    rest = ", and there is no other" if diagnosis.is_complete else ""
    held = diagnosis.held[:MAX_NAMES]
    still = f" while {_spoken(map(str, held))}" if held else ""
    yield f"No solution that is free of collision was found: {list_of(diagnosis.goals)}."
    yield f"{number} looked at {is_in} in collision{rest}{still}; the answer is the least deep."
    if diagnosis.is_cut_short:
        yield "The time limit ended the search: with more time there may be a free one."
    yield from _contacts(diagnosis)
    for one in diagnosis.obstacles[:MAX_OBSTACLES]:
        without = "; without it there is a free one" if one.q_without is not None else ""
        yield f"{one.spoken} blocks {one.count:,} of {diagnosis.examined:,}{without}."
    if diagnosis.q_turned is not None:
        yield "With another orientation the position can be reached free of collision."
    joints = f", move {_spoken(repr(each.joint) for each in held)}" if held else ""
    yield from _shifted(
        diagnosis, f"Move the target or what is in the way{joints}, or start a longer search."
    )


def _contacts(diagnosis: Diagnosis) -> Iterator[str]:
    for one in diagnosis.contacts[:MAX_CONTACTS]:
        yield str(one)
    if len(diagnosis.contacts) > MAX_CONTACTS:
        others = len(diagnosis.contacts) - MAX_CONTACTS
        yield f"{others} more pair{' is' if others == 1 else 's are'} too near each other."
    if diagnosis.overshoot > -diagnosis.contacts[0].distance:
        beyond = _millimetres(diagnosis.overshoot)
        yield f"The pieces that are checked reach up to {beyond} beyond the shapes, which may be apart."
    if diagnosis.clearance > 0.0:
        yield f"They are to be {_millimetres(diagnosis.clearance)} apart."


def _shifted(diagnosis: Diagnosis, otherwise: str) -> Iterator[str]:
    if diagnosis.shift is None:
        yield otherwise
        return
    millimetres = ", ".join(f"{_outward(1e3 * part):.7g}" for part in diagnosis.shift.tolist())
    yield f"Move the target by ({millimetres}) mm: there it is free."


def _outward(number: float) -> float:
    """The number with two decimals, no nearer to 0."""
    return math.copysign(math.ceil(100.0 * abs(number) - 1e-6) / 100.0, number) + 0.0


_SENTENCES = {
    Status.GOAL_IN_COLLISION: _goal_in_collision,
    Status.BASE_IN_COLLISION: _base_in_collision,
    Status.NO_FREE_SOLUTION: _no_free_solution,
    Status.SOLVED: _solved,
    Status.CONVERGED: _converged,
    Status.UNREACHABLE: _unreachable,
    Status.LOCKED: _locked,
    Status.LIMITS_BIND: _limits_bind,
    Status.ORIENTATION_UNAVAILABLE: _orientation_unavailable,
    Status.LIKELY_UNREACHABLE: _likely_unreachable,
    Status.BUDGET_SPENT: _budget_spent,
}


def nearest_in_words(diagnosis: Diagnosis) -> str:
    """How far off the answer is."""
    if len(diagnosis.errors) == 1:
        return f"The nearest configuration found is {_amount(diagnosis.errors[0])} off."
    amounts = [
        f"goal {k} by {_amount(error)}" for k, error in enumerate(diagnosis.errors, 1) if max(error) > SEEN
    ]
    return f"The nearest configuration found misses {', '.join(amounts)}."


def _turned(diagnosis: Diagnosis) -> str:
    angle = max((error.rotation for error in diagnosis.errors_position), default=0.0)
    return f", for instance turned away by {_degrees(angle)}" if angle > 0.0 else ""


def _amount(error: PoseError) -> str:
    parts = []
    if error.position > 0.0 or error.rotation == 0.0:
        parts.append(_millimetres(error.position))
    if error.rotation > 0.0:
        parts.append(_degrees(error.rotation))
    return " and ".join(parts)


def _some(names: Sequence[str]) -> list[str]:
    """The names, or the first ones and how many there are besides."""
    if len(names) <= MAX_NAMES:
        return list(map(repr, names))
    return [*map(repr, names[: MAX_NAMES - 1]), f"{len(names) - MAX_NAMES + 1} others"]


def _spoken(words: Iterable[str]) -> str:
    """Words with commas, and an "and" before the last."""
    *others, last = words
    return f"{', '.join(others)} and {last}" if others else last


def list_of(clauses: Sequence[str]) -> str:
    """The goals, numbered where it is several."""
    if len(clauses) == 1:
        return clauses[0]
    return "; ".join(f"({index + 1}) {clause}" for index, clause in enumerate(clauses))


# --- numbers ------------------------------------------------------------------------------------------------


def _together(*lengths: float) -> tuple[str, ...]:
    """Lengths in metres with so many decimals that the smallest one can be seen."""
    if max(lengths) >= MAX_METRES:
        return tuple(f"{length:.7g} m" for length in lengths)
    smallest = min((length for length in lengths if length > 0.0), default=1.0)
    decimals = min(max(3, 1 - math.floor(math.log10(smallest))), 9)
    return tuple(f"{length:.{decimals}f} m" for length in lengths)


def _distance(length: float) -> str:
    return _together(length)[0]


def _travel(length: float) -> str:
    return f"{length:.3g} m ({1e3 * length:.3g} mm)" if abs(length) < 1.0 else f"{length:.4g} m"


def _angle(angle: float) -> str:
    return f"{angle:.3g} rad ({_degrees(angle)})"


def _degrees(angle: float) -> str:
    return f"{_short(math.degrees(angle))} deg"


def _millimetres(length: float) -> str:
    return f"{_short(1e3 * length)} mm" if length < 1.0 else f"{length:.4g} m"


def _short(number: float) -> str:
    """Three significant digits; what is next to nothing is said to be so."""
    if 0.0 < abs(number) < 1e-4:
        return "less than 0.0001" if number > 0.0 else f"{number:.1e}"
    return f"{number:.3g}" if abs(number) < 100.0 else f"{number:.0f}"
