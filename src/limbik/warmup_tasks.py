"""`warmup`: compiles programs, and cuts meshes into convex parts, ahead of the first call."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from limbik.all_solutions.solve_all import plan_for_all
from limbik.collision.geometry import geometry_of
from limbik.collision.programs import changes, collisions, pushes
from limbik.compiler import native
from limbik.compiler.program import Program
from limbik.errors import SolverError, members_of, shortened
from limbik.goals import Goal, Pose, Position
from limbik.model.joints import JointKind
from limbik.model.model import Model, as_model
from limbik.serial.programs import many_problems, one_problem
from limbik.solvers.classical_plan import ClassicalPlan, method_of
from limbik.solvers.methods.lm import LM
from limbik.solvers.plan import Plan
from limbik.solvers.plans import plan_for
from limbik.solvers.registry import get, names
from limbik.solvers.serial_plan import SerialPlan
from limbik.solvers.solver import Solver
from limbik.spatial import check_flag
from limbik.tree.programs import by_method, general

BETWEEN_LOOKS = 0.05  # [s]
SOLVERS_NEEDED = "the name of a solver, a solver, or several of these"


@dataclass(frozen=True)
class WarmupTask:
    """One thing to compile, or to prepare in Python."""

    text: str
    program: Program | None = None
    prepare: Callable[[], object] | None = None


GENERAL = WarmupTask("several goals, any tree", general())


def warmup(
    model: Model, solvers: str | Solver | Iterable[str | Solver] | None = None, *, everything: bool = False
) -> None:
    """Compile ahead of the first call.

    solvers:
        Methods to compile; default: what solve(), solve_batch() and solve_all() use for the model's end
        effector, and for several goals.
    everything:
        Also what trackers, collision checks and solves beside a world use, and the convex parts of the
        model's meshes.

    Takes a few seconds where nothing is in the compile cache yet, and returns when everything is ready.

    Raises SolverError for an unknown solver or one that cannot solve for the model, CollisionError for a mesh
    that cannot be read, LimbikError where the compiler fails.
    """
    check_flag(everything, "`everything`", SolverError)
    for _ in run(tasks(model, solvers, everything)):
        pass


def run(pending: Iterable[WarmupTask]) -> Iterator[WarmupTask]:
    """Do every task, and yield it when it is done: programs as they become ready, then the others."""
    pending = list(pending)
    # The latest request is compiled first, so the first task is requested last.
    builds = [(each, native.compile_ahead(each.program)) for each in reversed(pending) if each.program]
    while builds:
        builds[0][1].done.wait(BETWEEN_LOOKS)
        for each in [each for each in builds if each[1].done.is_set()]:
            builds.remove(each)
            native.compile_now(each[1].program)  # raises where the compiler has failed
            yield each[0]
    for task in pending:
        if task.prepare is not None:
            task.prepare()
            yield task


def tasks(
    model: Model, solvers: str | Solver | Iterable[str | Solver] | None = None, everything: bool = False
) -> list[WarmupTask]:
    """What `warmup` does, one after the other."""
    model = as_model(model)
    by_name: dict[str, WarmupTask] = {}
    named = "auto" if solvers is None else solvers
    every = [named] if isinstance(named, str | Solver) else named
    for solver in members_of(every, "`solvers`", SolverError, SOLVERS_NEEDED):
        if not isinstance(solver, str | Solver):
            raise SolverError(f"`solvers` needs {SOLVERS_NEEDED}, found {shortened(solver)} among them")
        chosen = get(solver) if isinstance(solver, str) and solver != "auto" else solver
        if isinstance(chosen, Solver) and _is_branched(model):
            task = _on_trees(chosen)
            by_name[task.text] = task
        for plan in _plans(model, solver):
            for task in _tasks(plan):
                by_name[task.text] = task
    if solvers is None:
        for task in (GENERAL, *_all_solutions(model)):
            by_name[task.text] = task
    if everything:
        for task in _over_time_and_beside_a_world(model):
            by_name[task.text] = task
    return list(by_name.values())


def _over_time_and_beside_a_world(model: Model) -> Iterator[WarmupTask]:
    """What trackers and worlds run. Paths run what solves and all solutions run."""
    from limbik.motion.programs import tracker  # `import limbik` does without motion

    yield WarmupTask("tracker", tracker())
    yield WarmupTask("collisions", collisions())
    yield WarmupTask("pushes out of collision", pushes())
    yield WarmupTask("shortest changes beside a world", changes())
    yield WarmupTask(f"convex parts of {model.name}", prepare=lambda: geometry_of(model))


def _all_solutions(model: Model) -> list[WarmupTask]:
    """What `solve_all` runs for a pose of the end effector."""
    plan = plan_for_all(model, None, True)
    programs = () if plan is None else plan.programs
    named = ((" ".join(filter(None, (each.name, each.stem))).replace("_", " "), each) for each in programs)
    return [WarmupTask(f"all solutions: {name}", program) for name, program in named]


def _plans(model: Model, solver: str | Solver) -> list[Plan]:
    """The plans for the default goals of a solver."""
    chosen = get(solver) if isinstance(solver, str) and solver != "auto" else solver
    goals: list[type[Goal]] = [Position]
    if not isinstance(chosen, Solver) or Pose in chosen.goals:
        goals.append(Pose)
    return [plan_for(model, None, goal, {"solver": solver}) for goal in goals]


def _tasks(plan: Plan) -> list[WarmupTask]:
    if isinstance(plan, ClassicalPlan):
        return [_on_trees(plan.method)]
    if isinstance(plan, SerialPlan):
        shape = plan.shape
        programs = {
            "single solves": one_problem(shape),
            "batches": many_problems(shape, False),
            "batches in single precision": many_problems(shape, True),
        }
        return [WarmupTask(f"{text} of {shape.kinds}", program) for text, program in programs.items()]
    return [GENERAL]


def _is_branched(model: Model) -> bool:
    """Whether several joints move on the same link, so that goals for several tips are likely."""
    moving = [joint for joint in model.joints if joint.kind is not JointKind.FIXED]
    before = {tuple(each.name for each in model.path(joint.parent) if each in moving) for joint in moving}
    return len(before) < len(moving)


def _on_trees(solver: Solver) -> WarmupTask:
    """What a solver needs for several goals on any tree."""
    if isinstance(solver, LM) or not solver.is_compiled:  # which ends with a step of the general core
        return GENERAL
    method = method_of(solver)
    others = [each for each in map(get, names(compiled=True)) if not isinstance(each, LM)]
    sharing = [each.name for each in others if method_of(each) == method]
    return WarmupTask(f"{', '.join(sharing)} on trees", by_method(method))
