"""`Scene`: several arms with branches and goals: reads them from files or words of the command line, solves
them together or branch by branch, and writes .arm and URDF.

scene = limbik.load_scene("two_arms.arm")
solutions = scene.solve(branches="coupled")
"""

from __future__ import annotations

import contextlib
import dataclasses
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from os import PathLike
from time import perf_counter
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike

from limbik.collision.free_options import take_free_options
from limbik.diagnosis import Diagnosis, list_of, nearest_in_words
from limbik.errors import (
    ConfigurationError,
    FormatError,
    FormatWarning,
    GoalError,
    ModelError,
    SolverError,
    did_you_mean,
    is_one_of,
    members_of,
    shortened,
)
from limbik.formats import arm as arm_format
from limbik.formats import urdf_write
from limbik.formats.arm import ArmFile
from limbik.formats.arm.model import arm_of, first_configuration, joints_of, model_of, part_names, tip
from limbik.formats.arm.parts import Angles, ArmDescription, Point
from limbik.formats.arm.words import is_word
from limbik.formats.source import Source
from limbik.goals import CenterOfMass, Goal, Position, Posture, as_goals, frames_of, is_plain
from limbik.model import Model
from limbik.model.joints import check_name
from limbik.request import SHORTEST_TIME, Request, clipped, deadline_after, moving_joints
from limbik.solution import STATUSES, Outcome, Solution
from limbik.solvers import Solver, registry
from limbik.solvers.checked_options import hashable, read_options
from limbik.solvers.free_plan import made_free
from limbik.solvers.loop import solve
from limbik.solvers.question import DetachedQuestion
from limbik.spatial import Array, as_vector, check_flag
from limbik.status import Status

Branches: TypeAlias = Literal["independent", "coupled"]
_FILE_WORDS = ("-f", "--file")
_OF_ONE_SOLVE = ("seed", "rest")  # what a request does not remember
_WORST_FIRST = (
    Status.UNREACHABLE,
    Status.BUDGET_SPENT,
    Status.LIKELY_UNREACHABLE,
    Status.CONVERGED,
    Status.SOLVED,
)


@dataclass(frozen=True)
class Branch:
    """A branch of an arm: what moves it alone, and the frame at its end.

    Raises ModelError for a name, a frame or joints that are no texts.
    """

    name: str
    tip: str  # a frame
    joints: tuple[str, ...]

    def __post_init__(self) -> None:
        check_name(self.name, "`name` of a branch")
        check_name(self.tip, f"`tip` of branch {self.name!r}")
        joints = members_of(self.joints, f"`joints` of branch {self.name!r}", ModelError)
        for joint in joints:
            check_name(joint, f"a joint of branch {self.name!r}")
        object.__setattr__(self, "joints", joints)


@dataclass(frozen=True, eq=False)
class SceneArm:
    """A model in a scene, standing where it is in the scene's coordinates.

    goals: for any of its frames. q [nq]: where it is, None for the neutral configuration. branches: in the
    order in which they are solved, each after the one that it starts on.

    Raises ModelError, GoalError or ConfigurationError for what does not fit together.
    """

    name: str
    model: Model
    goals: tuple[Goal, ...] = ()
    q: Array | None = None
    branches: tuple[Branch, ...] = ()

    def __post_init__(self) -> None:
        check_name(self.name, "`name` of an arm in a scene")
        if not isinstance(self.model, Model):
            raise ModelError(f"arm {self.name!r} needs a Model, found {shortened(self.model)}")
        several = (self.goals,) if isinstance(self.goals, Goal) else self.goals
        goals = members_of(several, f"`goals` of arm {self.name!r}", GoalError)
        object.__setattr__(self, "goals", as_goals(goals) if goals else ())
        for frame in frames_of(self.goals):
            if frame is not None:
                self.model.frame(frame)
        branches = members_of(self.branches, f"`branches` of arm {self.name!r}", ModelError)
        object.__setattr__(self, "branches", branches)
        for branch in branches:
            if not isinstance(branch, Branch):
                raise ModelError(
                    f"the branches of arm {self.name!r} need to be Branch, found {shortened(branch)}"
                )
            self.model.frame(branch.tip)
            for joint in branch.joints:
                self.model.joint(joint)
        if self.q is not None:
            object.__setattr__(self, "q", _configuration(self.q, self))

    @property
    def start(self) -> Array:
        """[nq] where it is."""
        return self.model.neutral if self.q is None else self.q


@dataclass(frozen=True, eq=False)
class Scene:
    """Arms that stand beside each other; nothing but their goals connects them.

    angles: how theta and phi of the classic arm format were read, and are written; see `limbik.formats.arm`.
    """

    arms: tuple[SceneArm, ...]
    name: str = "scene"
    angles: Angles = "range"

    def __post_init__(self) -> None:
        check_name(self.name, "`name` of a scene")
        arms = self.arms if isinstance(self.arms, Iterable) else (self.arms,)
        object.__setattr__(self, "arms", members_of(arms, "`arms` of a scene", ModelError))
        for arm in self.arms:
            if not isinstance(arm, SceneArm):
                raise ModelError(f"the arms of a scene need to be SceneArm, found {shortened(arm)}")
        names = [arm.name for arm in self.arms]
        twice = next((name for k, name in enumerate(names) if name in names[:k]), None)
        if twice is not None:
            raise ModelError(f"two arms of the scene have the name {twice!r}; names must differ")
        arm_format.check_angles(self.angles)

    def solve(
        self, solver: str | Solver = "auto", *, branches: Branches = "independent", **options: Any
    ) -> tuple[Solution | None, ...]:
        """For each arm a configuration that meets its goals, or the nearest found; None where it has no goal.

        branches:
            "independent": an arm first, then its branches one after the other, each for its own goals while
            all that was solved before it stays. "coupled": all goals of an arm together.
        options: of `limbik.solvers.solve`, `start` apart: every arm starts where it is.

        A solution's q is that of the whole arm, and it is a success when all goals of the arm are met. With
        independent branches it is a `BranchedSolution`, which has the parts. With a `world` the whole arm is
        looked at when it is solved: where it collides, all of its joints look for a free solution together.

        Raises SolverError where the solver cannot do it, and GoalError for a goal that is of no branch alone.
        """
        if not is_one_of(branches, get_args(Branches)):
            raise SolverError(f"`branches` needs 'independent' or 'coupled', found {shortened(branches)}")
        if "start" in options:
            raise SolverError("every arm of a scene starts where it is, its q: leave out `start`")
        if isinstance(solver, str) and solver != "auto":
            registry.get(solver)  # a misspelt name is told even where no arm has a goal
        options = {"solver": solver, **options}
        each = _locked_of(self.arms, options)
        return tuple(_solve(arm, branches, own) for arm, own in zip(self.arms, each, strict=True))

    def moved(self, solutions: Iterable[Solution | None]) -> Scene:
        """The scene with its arms where solutions have them; None leaves an arm where it is."""
        solutions = members_of(solutions, "`solutions`", ConfigurationError)
        if len(solutions) != len(self.arms):
            raise ConfigurationError(
                f"the scene has {len(self.arms)} arms and needs as many solutions, found {len(solutions)}"
            )
        for k, solution in enumerate(solutions):
            if not isinstance(solution, Solution | None):
                raise ConfigurationError(
                    f"`solutions[{k}]` needs a Solution or None, found {shortened(solution)}"
                )
        pairs = zip(self.arms, solutions, strict=True)
        arms = (
            arm if solution is None else dataclasses.replace(arm, q=solution.q) for arm, solution in pairs
        )
        return dataclasses.replace(self, arms=tuple(arms))

    def to_arm(self) -> str:
        """The scene in the classic arm format, which `load_scene` reads back.

        The format has one point for each arm and branch; of other goals a FormatWarning says that they are
        left out. Configurations are in it where angles is "initial".

        Raises ModelError for models that are no arms of ball-jointed segments.
        """
        return arm_format.write(ArmFile(self.name, tuple(map(self._as_arm, self.arms)), self.angles))

    def to_urdf(self) -> str:
        """The models of the scene as one URDF; see `limbik.formats.urdf_write`."""
        return urdf_write.write({arm.name: arm.model for arm in self.arms}, self.name)

    def _as_arm(self, arm: SceneArm) -> ArmDescription:
        tips = {arm.model.end_effector, *(branch.tip for branch in arm.branches)}
        goals: dict[str, Point] = {}
        for goal in arm.goals:
            frame = goal.frame or arm.model.end_effector
            if isinstance(goal, Position) and is_plain(goal) and goal.target.size == 3 and frame in tips:
                x, y, z = goal.target.tolist()
                if frame in goals:
                    several = f"{frame!r} of {arm.name!r} has several points: the format holds the last"
                    warnings.warn(several, FormatWarning, stacklevel=3)
                goals[frame] = (x, y, z)
            else:
                kind = type(goal).__name__
                only = "the format has points for tips only, without weights and tolerances"
                left = f"a {kind} for {frame!r} of {arm.name!r} is left out: {only}"
                warnings.warn(left, FormatWarning, stacklevel=3)
        return arm_of(arm.model, arm.start, self.angles, goals)


class _Apart(Diagnosis):
    """Why branches that were solved one after the other missed goals that can be met together."""

    @property
    def sentences(self) -> tuple[str, ...]:
        return (
            f"Not all goals were met, one branch after the other: {list_of(self.goals)}.",
            "There is a configuration within the limits that meets them all: all joints together found it.",
            nearest_in_words(self),
            "Solve with branches='coupled', or start from the configuration that was found.",
        )


class BranchedSolution(Solution):
    """The answer for an arm whose branches were solved one after the other.

    parts: the answers in that order; q of each is where the whole arm was when it was found.
    """

    __slots__ = ("parts",)

    def __init__(self, arm: SceneArm, parts: Sequence[Solution], options: dict[str, Any]) -> None:
        every = [Outcome(*map(float, part.outcome[: len(Outcome._fields)])) for part in parts]
        ended = next(status for status in _WORST_FIRST if status in [part.ended for part in parts])
        outcome = Outcome(
            STATUSES.index(ended),
            max(outcome.error for outcome in every),
            max(outcome.chord for outcome in every),
            sum(outcome.iterations for outcome in every),
            sum(outcome.restarts for outcome in every),
            max(outcome.start_was_moved for outcome in every),
        )
        of_goals = {name: value for name, value in options.items() if name not in _OF_ONE_SOLVE}
        options_used = read_options(hashable(of_goals)).explicit
        request = Request(model=arm.model, goals=arm.goals, solver=parts[0].solver, options=options_used)
        time = sum(part.time for part in parts)
        super().__init__(
            parts[-1].q, outcome, time, DetachedQuestion(request, "one branch after the other"), arm.q, None
        )
        self.parts = tuple(parts)

    def explain(self) -> Diagnosis:
        """As of every Solution; about all goals of the arm together."""
        report = super().explain()
        return report if report.q_found is None else _Apart(**vars(report))

    def __reduce__(self) -> tuple[Any, ...]:
        request = self.request
        arm = SceneArm("arm", request.model, request.goals, self.start)
        return BranchedSolution, (arm, self.parts, dict(request.options))


def load_scene(
    source: str | PathLike[str] | Source | Sequence[str | float | PathLike[str]],
    *,
    angles: Angles | None = None,
    lenient: bool = False,
) -> Scene:
    """The scene in a file or text of the classic arm format, or in words of the command line.

        limbik.load_scene("two_arms.arm")
        limbik.load_scene(["-arm", 2, 0, 0, 0, "-seg", 1, 1.5, 1.5, "-seg", 1, 1.5, 1.5])

    In a list, "-f" and a path stand for the arms of that file. The arms are called "arm1", "arm2", ...
    angles: how theta and phi are read, "range" or "initial"; None: as a comment `# angles: ...` says in a
    file, else "range". lenient: a wrong number of segments, goals or `endbr` is a warning.

    Raises FormatError naming file and line, or the argument; warns with FormatWarning.
    """
    check_flag(lenient, "lenient", ModelError)
    if isinstance(source, list | tuple):
        words = [_as_word(word, index) for index, word in enumerate(source, start=1)]
        return load_words(words, range(1, len(words) + 1), angles=angles, lenient=lenient)
    file = arm_format.read(source, angles=angles, lenient=lenient)  # type: ignore[arg-type]
    return _scene(file)


def _as_word(value: object, index: int) -> str:
    if isinstance(value, str | int | float | np.number | PathLike):
        with contextlib.suppress(ValueError):  # of more digits than Python writes
            return str(value)
    raise FormatError(f"argument {index}", f"needs a word, a number or a path, found {shortened(value)}")


def load_words(
    words: Sequence[str], positions: Sequence[int], *, angles: Angles | None = None, lenient: bool = False
) -> Scene:
    """The scene in words of the command line; positions: of the words among all that were typed."""
    chunks: list[ArmFile | tuple[list[str], list[int]]] = []
    waiting = list(zip(words, positions, strict=True))[::-1]
    while waiting:
        word, index = waiting.pop()
        if word in _FILE_WORDS:
            file = waiting[-1][0] if waiting else None
            if not file or is_word(file):
                actual = "none" if file is None else repr(file)
                raise FormatError(f"argument {index}", f"`{word}` needs a file after it, found {actual}")
            chunks.append(arm_format.read(waiting.pop()[0], angles=angles, lenient=lenient))
        else:
            if not chunks or isinstance(chunks[-1], ArmFile):
                chunks.append(([], []))
            chunk = chunks[-1]
            assert isinstance(chunk, tuple)
            chunk[0].append(word)
            chunk[1].append(index)
    files = [chunk for chunk in chunks if isinstance(chunk, ArmFile)]
    reading = _one_reading(files, angles)
    arms: list[ArmDescription] = []
    for chunk in chunks:
        arms += (
            chunk.arms
            if isinstance(chunk, ArmFile)
            else arm_format.read_arguments(*chunk, angles=reading, lenient=lenient, before=len(arms))
        )
    if not arms:
        raise FormatError("the command line", "holds no arm; give -f FILE, or -arm ns bx by bz with its -seg")
    return _scene(ArmFile(files[0].name if files else "scene", tuple(arms), reading))


def _one_reading(files: Sequence[ArmFile], angles: Angles | None) -> Angles:
    """The reading of all files, or what was requested."""
    if angles is not None:
        return angles
    readings = {file.angles: file.name for file in files}
    if len(readings) > 1:
        told = " and ".join(f"{name!r} {reading!r}" for reading, name in readings.items())
        raise FormatError("the files", f"are written for different angles, {told}; ask for one of them")
    return next(iter(readings), "range")


def _scene(file: ArmFile) -> Scene:
    arms = tuple(_scene_arm(arm, f"arm{k}", file.angles) for k, arm in enumerate(file.arms, start=1))
    return Scene(arms, file.name, file.angles)


def _scene_arm(arm: ArmDescription, name: str, angles: Angles) -> SceneArm:
    model = model_of(arm, name, angles)
    names = part_names(name, len(arm.parts))
    named = list(zip(names, arm.parts, strict=True))
    goals = tuple(
        Position(frame=tip(part_name), target=np.array(part.goal))
        for part_name, part in named
        if part.goal is not None
    )
    branches = tuple(
        Branch(part_name, tip(part_name), joints_of(part_name, len(part.segments)))
        for part_name, part in named[1:]
    )
    q = first_configuration(arm, model) if angles == "initial" else None
    return SceneArm(name, model, goals, q, branches)


def _configuration(value: ArrayLike, arm: SceneArm) -> Array:
    q = as_vector(value, arm.model.nq, f"the q of arm {arm.name!r}", error=ConfigurationError)
    q.setflags(write=False)
    return q


# --- solving ------------------------------------------------------------------------------------------------


def _solve(arm: SceneArm, branches: Branches, options: dict[str, Any]) -> Solution | None:
    if not arm.goals:
        return None
    began, options = perf_counter(), dict(options)
    free = take_free_options(options) if "world" in options or "clearance" in options else None
    deadline = deadline_after(options.get("time_limit"))
    solution = _solve_parts(arm, branches, options)
    if free is None:
        return solution
    return made_free(arm.model, solution, free, options.get("seed", 0), began, deadline)


def _solve_parts(arm: SceneArm, branches: Branches, options: dict[str, Any]) -> Solution:
    tasks = tasks_of(arm) if branches == "independent" and arm.branches else [(list(arm.goals), [])]
    q, limit = arm.start, options.pop("time_limit", None)
    parts: list[Solution] = []
    if options.get("limits", True):  # joints of later parts are locked within their limits
        q = clipped(arm.model, q, set(tasks[0][1]) - set(options["locked"]))
    for goals, still in tasks:
        if limit is not None and parts:
            limit = max(limit - parts[-1].time, SHORTEST_TIME)
        here = {**options, "locked": [*options["locked"], *still], "time_limit": limit}
        parts.append(solve(arm.model, _one_or_all(goals), start=q, **here))
        q = parts[-1].q
    is_all = len(tasks) == 1 and tasks[0][0] == list(arm.goals)
    return parts[0] if is_all else BranchedSolution(arm, parts, options)


def tasks_of(arm: SceneArm) -> list[tuple[list[Goal], list[str]]]:
    """What is solved one after the other where branches are independent: (goals, joints that stay) for the
    arm and for each of its branches that has goals.

    A goal is of the last branch that moves what it asks for. Wishes for the whole body go with every part.
    """
    owner = {joint: k for k, branch in enumerate(arm.branches, start=1) for joint in branch.joints}
    goals_of: dict[int, list[Goal]] = {}
    wishes = [goal for goal in arm.goals if isinstance(goal, Posture) and goal.priority > 0]
    for goal in arm.goals:
        if goal in wishes:
            continue
        if isinstance(goal, CenterOfMass | Posture):
            kind = type(goal).__name__
            raise GoalError(
                f"a {kind} is about all of arm {arm.name!r} and of no branch alone; "
                "solve with branches='coupled'"
            )
        moving = moving_joints(arm.model, [goal])
        goals_of.setdefault(max((owner.get(joint, 0) for joint in moving), default=0), []).append(goal)
    tasks = []
    for part, goals in sorted(goals_of.items()):
        moving = moving_joints(arm.model, [*goals, *wishes])
        still = [
            joint.name
            for joint in arm.model.joints
            if joint.name in moving and joint.nq and owner.get(joint.name, 0) != part
        ]
        tasks.append(([*goals, *wishes], still))
    return tasks or [(list(arm.goals), [])]


def _locked_of(arms: Sequence[SceneArm], options: dict[str, Any]) -> list[dict[str, Any]]:
    """The options for each arm: joints to be locked go to the arms that have them."""
    options = hashable(options)
    names = options.get("locked", ())
    known = {name for arm in arms for name in arm.model.joint_names}
    for name in names:
        if name not in known:
            raise SolverError(
                f"`locked` names {name!r}, which is no joint of this scene; {did_you_mean(name, known)}"
            )
    of_arms = [[name for name in names if name in arm.model.joint_names] for arm in arms]
    return [{**options, "locked": own} for own in of_arms]


def _one_or_all(goals: list[Goal]) -> Goal | list[Goal]:
    return goals[0] if len(goals) == 1 else goals
