"""Parses the classic arm text format (arm, seg, goal, br): from statements to descriptions of arms, with its
errors and warnings.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable
from dataclasses import dataclass, field

from limbik.errors import FormatError, FormatWarning, number_of, shortened
from limbik.formats.arm.parts import ORIGIN, Angles, ArmDescription, ArmPart, ArmSegment, Point
from limbik.formats.arm.words import Statement

MAX_SEGMENTS = 1000  # of one arm or branch
MAX_ARMS = 1000
MAX_IN_ALL = 10_000  # segments
MAX_WARNINGS = 100  # of wrong counts
LARGEST_ANGLE = 4.0 * math.pi  # [rad] that can be meant: more than two revolutions are degrees


@dataclass
class _Draft:
    """An arm or branch that is being read."""

    name: str  # for messages
    header: Statement
    declared: int  # segments
    parent: int = -1
    branches_from: int = -1
    segments: dict[int, ArmSegment] = field(default_factory=dict)
    statement_of: dict[int, Statement] = field(default_factory=dict)
    goal: Point | None = None
    goal_by: Statement | None = None
    is_indexed: bool | None = None


class ArmReader:
    """From statements to arms.

    lenient: a wrong count is a warning instead of an error. is_quiet: there are no warnings. before: how many
    arms the scene has already, for messages.
    """

    def __init__(
        self, angles: Angles, lenient: bool = False, *, is_quiet: bool = False, before: int = 0
    ) -> None:
        self.angles = angles
        self.lenient = lenient
        self.is_quiet = is_quiet
        self.before = before
        self.arms: list[ArmDescription] = []
        self.base = ORIGIN
        self.segments = 0  # declared, and beyond what is declared
        self.warnings = 0
        self.parts: list[_Draft] = []  # of the current arm
        self.open: list[int] = []  # the indices of those that are not ended, innermost last

    def read(self, statements: Iterable[Statement]) -> tuple[ArmDescription, ...]:
        """The arms. Raises FormatError at what is wrong, and warns with FormatWarning."""
        take = {"arm": self.arm, "seg": self.seg, "goal": self.goal, "br": self.br, "endbr": self.endbr}
        for statement in statements:
            take[statement.word](statement)
        for index in self.open[:0:-1]:
            header = self.parts[index].header
            self._warn(header.error(f"is not closed by {header.called('endbr')}; taken as closed at the end"))
        self._end_arm()
        return tuple(self.arms)

    # --- one method for each word ---------------------------------------------------------------------------

    def arm(self, statement: Statement) -> None:
        """Begin an arm."""
        for index in self.open[:0:-1]:
            header = self.parts[index].header
            closed = f"is not closed by {header.called('endbr')}"
            self._count(header.error(f"{closed} before the next arm, {statement.location}"))
        self._end_arm()
        statement.need("4 values, ns bx by bz", 4)
        segments = self._segment_count(statement, 0)
        if len(self.arms) >= MAX_ARMS:
            raise statement.error(f"is more than the {MAX_ARMS:,} arms that a scene can have")
        x, y, z = (statement.number(k, "a base bx by bz in metres") for k in (1, 2, 3))
        self.base = (x, y, z)
        self.parts = [_Draft(f"arm {self.before + len(self.arms) + 1}", statement, segments)]
        self.open = [0]

    def seg(self, statement: Statement) -> None:
        """Add a segment to the current arm or branch."""
        part = self._current(statement)
        statement.need("3 values, sr at ap, or 4 with the segment's index before them", 3, 4)
        is_indexed = len(statement.values) == 4
        if part.is_indexed is not None and part.is_indexed != is_indexed:
            has = "no index" if is_indexed else "an index"
            raise statement.error(
                f"either has an index throughout {part.name} or never; the first one has {has}"
            )
        part.is_indexed = is_indexed
        index = self._index(statement, part) if is_indexed else len(part.segments)
        if index >= part.declared:
            last = part.declared - 1
            actual = f"index {index} is not one of 0 to {last}" if is_indexed else f"is number {index + 1}"
            told = (
                f"`{part.header.written}` ({part.header.location}) says that {part.name} has {part.declared}"
            )
            self._count(statement.error(f"{actual}, and {told}"))
            self._add_segments(statement, 1)
        if index in part.segments:
            raise statement.error(f"gives index {index} again, first at {part.statement_of[index].location}")
        if len(part.segments) >= MAX_SEGMENTS:
            raise statement.error(f"is more than the {MAX_SEGMENTS:,} segments that {part.name} can have")
        part.segments[index] = self._segment(statement)
        part.statement_of[index] = statement

    def goal(self, statement: Statement) -> None:
        """Set the goal of the current arm or branch."""
        part = self._current(statement)
        statement.need("3 values, x y z", 3)
        x, y, z = (statement.number(k, "a point x y z in metres") for k in (0, 1, 2))
        if part.goal_by is not None:
            again = f"is a second one for {part.name}, the first is at {part.goal_by.location}"
            self._count(
                statement.error(f"{again}; an arm or branch has one" + self._otherwise("the last counts"))
            )
        part.goal, part.goal_by = (x, y, z), statement

    def br(self, statement: Statement) -> None:
        """Begin a branch of the current arm or branch."""
        parent = self._current(statement)
        statement.need("2 values, n ns", 2)
        start = statement.whole(0, f"a segment of {parent.name}, counted from 0", 0)
        segments = self._segment_count(statement, 1)
        name = f"branch {len(self.parts)} of {self.parts[0].name}"
        self.parts.append(_Draft(name, statement, segments, self.open[-1], start))
        self.open.append(len(self.parts) - 1)

    def endbr(self, statement: Statement) -> None:
        """End the current branch."""
        statement.need("no values", 0)
        if len(self.open) < 2:
            self._count(statement.error("has no branch to end"))
            return
        self._check_count(self.parts[self.open.pop()])

    # --- their parts ----------------------------------------------------------------------------------------

    def _current(self, statement: Statement) -> _Draft:
        if not self.open:
            after = "; the arms of a file are complete" if self.before else ""
            raise statement.error(f"stands before any {statement.called('arm')}{after}")
        return self.parts[self.open[-1]]

    def _segment_count(self, statement: Statement, index: int) -> int:
        count = statement.whole(index, "a whole number of segments, at least 1", 1)
        if count > MAX_SEGMENTS:
            raise statement.error(
                f"needs at most {MAX_SEGMENTS:,} segments, found {shortened(statement.values[index])}"
            )
        self._add_segments(statement, count)
        return count

    def _add_segments(self, statement: Statement, count: int) -> None:
        self.segments += count
        if self.segments > MAX_IN_ALL:
            raise statement.error(f"goes beyond the {MAX_IN_ALL:,} segments that a scene can have")

    def _index(self, statement: Statement, part: _Draft) -> int:
        return statement.whole(0, f"an index from 0 to {part.declared - 1} before three numbers", 0)

    def _segment(self, statement: Statement) -> ArmSegment:
        first = len(statement.values) - 3
        length = statement.number(first, "a positive length in metres")
        if length <= 0.0:
            actual = shortened(statement.values[first])
            raise statement.error(f"needs a positive length in metres, found {actual}")
        theta = self._angle(statement, first + 1, "theta")
        return ArmSegment(length, theta, self._angle(statement, first + 2, "phi"))

    def _angle(self, statement: Statement, index: int, name: str) -> float:
        if self.angles == "initial":
            return statement.number(index, f"an angle {name} in radians")
        value = statement.number(index, f"a half-range {name} in radians")
        if value < 0.0:
            actual = shortened(statement.values[index])
            problem = f"needs a half-range {name} of at least 0 radians, found {actual}"
            raise statement.error(f"{problem}; angles 'initial' reads it as the first direction")
        return value

    def _end_arm(self) -> None:
        """What is open is finished, and the arm is complete."""
        while self.open:
            self._check_count(self.parts[self.open.pop()])
        if self.parts:
            self.arms.append(ArmDescription(self.base, tuple(map(self._part, self.parts))))
            self.parts = []

    def _check_count(self, part: _Draft) -> None:
        actual = len(part.segments)
        if not actual:
            raise part.header.error(f"says that {part.name} has {_segments(part.declared)}, found none")
        if actual < part.declared:
            missing = next(index for index in range(part.declared) if index not in part.segments)
            which = f", index {missing} is missing" if part.is_indexed else ""
            says = f"says that {part.name} has {_segments(part.declared)}, found {actual}{which}"
            self._count(part.header.error(says))
        largest = max(abs(angle) for s in part.segments.values() for angle in (s.theta, s.phi))
        if self.angles == "range" and largest == 0.0:
            stuck = "all its half-ranges are 0, so it cannot move"
            self._warn(
                part.header.error(f"begins {part.name}: {stuck}; angles 'initial' reads them otherwise")
            )
        if largest > LARGEST_ANGLE:
            degrees = f"has an angle of {largest:g} radians; if that is in degrees, convert it"
            self._warn(part.header.error(f"begins {part.name}, which {degrees}"))

    def _part(self, draft: _Draft) -> ArmPart:
        segments = tuple(draft.segments[index] for index in sorted(draft.segments))
        if draft.parent < 0:
            return ArmPart(segments, draft.goal)
        parent = self.parts[draft.parent]
        if draft.branches_from not in parent.segments:
            problem = f"needs a segment of {parent.name}, counted from 0, that there is"
            raise draft.header.error(
                f"{problem}: found {draft.branches_from}; known: {_spoken(parent.segments)}"
            )
        start = sorted(parent.segments).index(draft.branches_from)
        return ArmPart(segments, draft.goal, draft.parent, start)

    # --- what is wrong --------------------------------------------------------------------------------------

    def _otherwise(self, then: str) -> str:
        return f", and {then}" if self.lenient else ""

    def _count(self, error: FormatError) -> None:
        if not self.lenient:
            raise error
        self.warnings += 1
        if self.warnings > MAX_WARNINGS:
            problem = f"{error.problem}; {MAX_WARNINGS} counts before it are wrong too"
            raise FormatError(error.source, problem, line=error.line)
        self._warn(error)

    def _warn(self, error: FormatError) -> None:
        if not self.is_quiet:
            warnings.warn(str(error), FormatWarning, stacklevel=2)


def _segments(count: int) -> str:
    return number_of(count, "segment")


def _spoken(indices: Iterable[int]) -> str:
    numbers = sorted(indices)
    if numbers == list(range(len(numbers))) and len(numbers) > 1:
        return f"0 to {numbers[-1]}"
    return ", ".join(map(str, numbers[:20]))
