"""What cannot be asked is refused in words that help."""

import dataclasses
import inspect
import math
from typing import get_type_hints

import numpy as np
import pytest
from scipy.spatial.transform import RigidTransform, Rotation

import limbik
from limbik import CenterOfMass, Goal, ModelBuilder, Orientation, Pose, Position, warmup
from limbik.errors import ConfigurationError, GoalError, LimbikError, ModelError, SolverError
from limbik.options import BatchOptions, FreeSolverOptions, SolveOptions, SolverOptions, TraceOptions
from limbik.solvers import CCD, DLS, describe, get, names
from limbik.solvers.checked_options import Options
from solvers.arms import ARMS, SOLVERS, TURNING

pytestmark = pytest.mark.usefixtures("compiled_methods")

ARM = limbik.planar_arm(4, 1.0)
POINT = [1.0, 1.0, 0.0]
PANDA = limbik.load("panda")


def refused(error, *words):
    """Expects this error, with all of these words in its message."""
    return pytest.raises(error, match="(?s)" + "".join(f"(?=.*{word})" for word in words))


def test_typed_options_are_those_that_are_taken():
    of_a_plan = {field.name for field in dataclasses.fields(Options)}
    assert set(SolverOptions.__annotations__) == of_a_plan | {"time_limit"}
    for function, kind, others in (
        (limbik.solve, SolveOptions, FreeSolverOptions),
        (limbik.trace, TraceOptions, SolverOptions),
        (limbik.solve_batch, BatchOptions, SolverOptions),
    ):
        taken = inspect.signature(function).parameters
        named = {name for name, each in taken.items() if each.kind is inspect.Parameter.KEYWORD_ONLY}
        assert named <= set(get_type_hints(kind))
        assert set(get_type_hints(kind)) - named <= set(get_type_hints(others))


# --- options ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"tolerance": 0.0}, ["`tolerance`", "positive", "found 0.0"]),
        ({"tolerance": -1e-6}, ["`tolerance`", "positive"]),
        ({"tolerance": math.nan}, ["`tolerance`", "found nan"]),
        ({"tolerance": math.inf}, ["`tolerance`", "found inf"]),
        ({"tolerance": "small"}, ["`tolerance`", "found 'small'"]),
        ({"tolerance": None}, ["`tolerance`", "found None"]),
        ({"tolerance": np.array([1e-6])}, ["`tolerance`"]),
        ({"tolerance_rotation": 0}, ["`tolerance_rotation`", r"angle \[rad\]"]),
        ({"iterations": 0}, ["`iterations`", "whole number", "1", "found 0"]),
        ({"iterations": -1}, ["`iterations`", "found -1"]),
        ({"iterations": 2.5}, ["`iterations`", "found 2.5"]),
        ({"iterations": True}, ["`iterations`", "found True"]),
        ({"iterations": 10**30}, ["iterations", "1000000000"]),
        ({"iterations": "many"}, ["`iterations`", "found 'many'"]),
        ({"restarts": -1}, ["`restarts`", "whole number", "found -1"]),
        ({"restarts": 0.5}, ["`restarts`", "found 0.5"]),
        ({"limits": "yes"}, ["`limits`", "True or False", "found 'yes'"]),
        ({"limits": None}, ["`limits`", "True or False"]),
        ({"limits": 1}, ["`limits`", "True or False"]),
        ({"rest_bias": 0.6}, ["`rest_bias`", "0 to 0.5", "found 0.6"]),
        ({"seed": -1}, ["`seed`", "found -1"]),
        ({"seed": 1.5}, ["`seed`", "found 1.5"]),
        ({"seed": "lucky"}, ["`seed`", "found 'lucky'"]),
        ({"seed": None}, ["`seed`", "found None"]),
        ({"tollerance": 1e-6}, ["no option 'tollerance'", "did you mean 'tolerance'"]),
        ({"itrations": 5}, ["no option 'itrations'", "did you mean 'iterations'"]),
        ({"lambda_": 5.0}, ["no option 'lambda_'", r"DLS\(lambda_=...\)"]),
        ({"solver": "dsl"}, ["no solver 'dsl'", "did you mean 'dls'", "ccd", "newton"]),
        ({"solver": "fabrick"}, ["no solver 'fabrick'", "did you mean 'fabrik'"]),
        ({"solver": "FABRIK"}, ["no solver 'FABRIK'", "did you mean 'fabrik'"]),
        ({"solver": ""}, ["no solver ''"]),
        ({"solver": None}, ["no solver None"]),
        ({"solver": CCD}, [r"CCD\(\), not CCD"]),
        ({"anneal": 0.5}, ["no option 'anneal'", r"limbik.solvers.CCD\(anneal=...\)"]),
        ({"restt": [0.0] * 3}, ["no option 'restt'", "did you mean 'rest'"]),
        ({"solver": ["dls"]}, ["dls"]),
        ({"solver": DLS}, ["solver"]),
    ],
)
def test_an_option_that_makes_no_sense_is_named_with_what_was_found(options, words):
    for ask in (ARM.solve, ARM.trace, ARM.iterate):
        with refused(SolverError, *words):
            ask(POINT, **options)


def test_an_option_is_refused_even_after_an_equal_one_was_taken():
    ARM.solve(POINT, limits=True, iterations=16, restarts=1)
    for options in ({"limits": 1}, {"iterations": 16.0}, {"restarts": True}):
        with pytest.raises(SolverError):
            ARM.solve(POINT, **{"limits": True, "iterations": 16, "restarts": 1, **options})


def test_numbers_may_be_numpys():
    solution = ARM.solve(
        np.float32(POINT),
        tolerance=np.float64(1e-6),
        iterations=np.int64(100),
        restarts=np.int32(0),
        rest_bias=np.float32(0.0),
        seed=np.int64(3),
        start=np.zeros(4, dtype=np.int64),
    )
    assert solution.success


# --- starts -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("start", "words"),
    [
        ([0.0] * 3, ["4 numbers", r"shape \(3,\)"]),
        ([0.0] * 5, ["4 numbers", r"shape \(5,\)"]),
        ([], ["4 numbers", r"shape \(0,\)"]),
        (0.0, ["4 numbers", r"shape \(\)"]),
        ([[0.0] * 4], ["4 numbers", r"shape \(1, 4\)"]),
        (["a"] * 4, ["4 numbers", "'a'"]),
        ("home", ["4 numbers", "'home'"]),
        ([0.0, math.nan, 0.0, 0.0], ["finite", "nan"]),
        ([0.0, math.inf, 0.0, 0.0], ["finite", "inf"]),
        (np.array([0.0, 0.0, 0.0, math.nan]), ["finite", "nan"]),
        (np.zeros(4, dtype=complex), ["`start`"]),
    ],
)
def test_a_start_that_is_no_configuration_is_refused(start, words):
    with refused(ConfigurationError, "`start`", *words):
        ARM.solve(POINT, start=start)


@pytest.mark.parametrize("swing", [None, 1.0])
@pytest.mark.parametrize("solver", SOLVERS)
def test_a_quaternion_without_direction_is_refused(solver, swing):
    arm = limbik.ball_arm([1.0] * 3, swing=swing)
    start = arm.neutral.copy()
    start[4:8] = 0.0
    with refused(ConfigurationError, "quaternion|`start`"):
        arm.solve(POINT, start=start, solver=solver)


@pytest.mark.parametrize("size", [1e-3, 0.5, 3.0, 1e3])
def test_a_quaternion_of_another_length_is_brought_to_length_one(size):
    arm = limbik.ball_arm([1.0] * 3, swing=1.0)
    start = arm.random(1)
    scaled = start.copy()
    scaled[4:8] *= size
    plain, other = arm.trace(POINT, start=start), arm.trace(POINT, start=scaled)
    np.testing.assert_allclose(other.q[0], plain.q[0], atol=1e-14)
    assert other.solution.start_was_moved
    assert not plain.solution.start_was_moved


def test_numbers_of_joints_off_the_path_are_checked_too():
    builder = ModelBuilder("two").revolute("idle", parent="base").revolute("arm", parent="base")
    model = builder.frame("tip", pose=(1.0, 0.0, 0.0)).build(end_effector="tip")
    with refused(ConfigurationError, "start|finite"):
        model.solve([0.0, 1.0, 0.0], start=[math.nan, 0.0])


# --- goals --------------------------------------------------------------------------------------------------

VERTICAL = (
    ModelBuilder("crane")
    .revolute("shoulder", axis="y")
    .revolute("elbow", axis="y", origin=(1.0, 0.0, 0.0))
    .frame("tip", pose=(1.0, 0.0, 0.0))
    .build(end_effector="tip")
)


@pytest.mark.parametrize(
    ("goal", "words"),
    [
        (None, ["a goal needs a point", "found None"]),
        ("there", ["a goal needs a point", "found 'there'"]),
        (3.0, ["a goal needs a point"]),
        ([], ["a list of goals needs at least one"]),
        ([1.0], ["a goal needs a point"]),
        ([1.0, 2.0, 3.0, 4.0], ["a goal needs a point"]),
        (np.eye(3), ["a goal needs a point"]),
        (np.zeros((2, 4, 4)), ["a goal needs a point"]),
        ([[1.0], [2.0, 3.0]], ["goal"]),
        ({"x": 1.0}, ["a goal needs a point"]),
        (["a", "b", "c"], ["numbers"]),
        (np.array(["a", "b", "c"]), ["numbers"]),
        (np.array([1.0, 2.0, None], dtype=object), ["numbers"]),
        (np.array([1j, 2.0, 3.0]), ["numbers"]),
        ([1.0, math.nan, 0.0], ["finite", "nan"]),
        ([1.0, math.inf], ["finite", "inf"]),
        (np.array([1.0, math.nan, 0.0]), ["finite", "nan"]),
        (np.array([-math.inf, 0.0, 0.0]), ["finite", "inf"]),
        (np.full((4, 4), math.nan), ["finite", "Pose"]),
        (np.zeros((4, 4)), ["Pose"]),
        (Rotation.identity(), ["4x4"]),
        (Goal(), ["goal"]),
        (Position, ["a goal needs a point"]),
    ],
)
def test_a_goal_that_is_none_is_refused(goal, words):
    for ask in (ARM.solve, ARM.trace):
        with refused(GoalError, *words):
            ask(goal)


def test_a_point_of_two_numbers_needs_an_arm_in_a_horizontal_plane():
    for model in (VERTICAL, PANDA, ARMS["ball"]):
        with refused(GoalError, "2 numbers", "horizontal plane", "give 3 numbers", model.name):
            model.solve([0.5, 0.5])
    assert VERTICAL.solve([0.5, 0.0, 0.5]).success


def test_a_point_of_two_numbers_lies_at_the_height_of_the_arm():
    table = (
        ModelBuilder("table")
        .fixed("leg", origin=(0.0, 0.0, 0.7))
        .revolute("a")
        .revolute("b", origin=(1, 0, 0.1))
    )
    arm = table.frame("tip", pose=(1.0, 0.0, 0.0)).build(end_effector="tip")
    solution = arm.solve([0.5, 1.2])
    assert solution.success
    np.testing.assert_allclose(arm.pose(solution.q)[:3, 3], [0.5, 1.2, 0.8], atol=2e-6)
    assert solution.q.tobytes() == arm.solve([0.5, 1.2, 0.8]).q.tobytes()


def test_a_rigid_transform_is_a_pose():
    matrix = PANDA.pose(PANDA.neutral + 0.1)
    given = PANDA.solve(RigidTransform.from_matrix(matrix))
    assert given.success
    np.testing.assert_allclose(PANDA.pose(given.q), matrix, atol=3e-6)
    assert PANDA.solve(matrix).q.tobytes() == PANDA.solve(Pose(target=matrix)).q.tobytes()


def test_a_frame_is_named_with_the_near_ones_when_it_does_not_exist():
    with refused(ModelError, "no frame 'tipp'", "did you mean 'tip'"):
        ARM.solve(Position(frame="tipp", target=POINT))


@pytest.mark.parametrize("goal", [Position, Orientation, Pose])
def test_a_frame_that_cannot_move_is_refused(goal):
    target = {Position: POINT, Orientation: np.eye(3), Pose: np.eye(4)}[goal]
    with refused(GoalError, "'base'", "cannot move", "no joint"):
        ARM.solve(goal(frame="base", target=target))


# --- what a solver can do -----------------------------------------------------------------------------------


@pytest.mark.parametrize("solver", ["ccd", "fabrik"])
def test_methods_that_move_frames_alone_name_those_that_take_every_goal(solver):
    carrier = ModelBuilder("carrier").revolute("arm", axis="y").mass("arm", 1.0, (0.2, 0.0, 0.0)).build()
    with refused(SolverError, f"{solver} cannot", "CenterOfMass", *TURNING):
        carrier.solve(CenterOfMass(target=(0.0, 0.0, 0.2)), solver=solver)


def test_what_a_solver_declares_is_what_it_does():
    models = {
        "revolute joints in a plane": ARM,
        "ball joints": ARMS["ball"],
        "revolute joints in space": PANDA,
    }
    goals = {"Position": lambda q, m: Position(target=m.pose(q)[:3, 3])}
    goals["Pose"] = lambda q, m: Pose(target=m.pose(q))
    for info in describe():
        if info.name == "analytic":
            continue  # of its own: tests/solvers/test_analytic.py
        for words, model in models.items():
            for name, goal in goals.items():
                can = info.chains == ("any tree",) and name in info.goals
                if words == "ball joints" and name == "Pose":
                    continue  # compiled for the other chains already
                try:
                    model.solve(
                        goal(model.neutral + 0.1 * (words != "ball joints"), model),
                        solver=info.name,
                        iterations=2,
                    )
                except SolverError:
                    assert not can
                else:
                    assert can


# --- solvers and their parameters ---------------------------------------------------------------------------


def test_the_solvers_are_these():
    known = (*SOLVERS[:3], "transpose-classic", *SOLVERS[3:], "optimize", "analytic")
    assert names() == known
    assert tuple(info.name for info in describe()) == known


def test_every_solver_says_what_it_is_and_where_it_is_from():
    for info in describe():
        assert info.title
        assert info.summary.endswith(".")
        assert any(character.isdigit() for character in info.source)  # the year of a paper
        assert info.goals
        assert info.chains
        for parameter in info.parameters:
            assert parameter.help
            assert parameter.minimum < parameter.maximum
            if parameter.default is not None:
                assert parameter.minimum <= parameter.default <= parameter.maximum


def test_every_parameter_can_be_set_at_both_ends_of_its_range_and_not_beyond():
    for info in describe():
        for parameter in info.parameters:
            for value in (parameter.minimum, parameter.maximum):
                solver = get(info.name, **{parameter.name: value})
                assert ARM.solve(POINT, solver=solver, iterations=20).iterations <= 20
            for value in (parameter.minimum - 1.0, 2.0 * parameter.maximum, math.nan, "much", [1.0]):
                with refused(SolverError, info.name, f"`{parameter.name}`", "from", "to", "found"):
                    get(info.name, **{parameter.name: value})


@pytest.mark.parametrize(
    ("name", "parameters", "words"),
    [
        ("dls", {"lambda": 0.1}, ["dls has no parameter 'lambda'", "did you mean 'lambda_'"]),
        ("dls", {"dampng": 0.1}, ["no parameter 'dampng'", "did you mean 'damping'"]),
        ("jt", {"lambda_": 0.1}, ["jt has no parameter 'lambda_'", "gamma"]),
        ("fabrik", {"damping": 0.1}, ["fabrik has no parameter 'damping'"]),
        ("sdls", {"damping": 0.1}, ["sdls has no parameter 'damping'"]),
        ("dlss", {}, ["no solver 'dlss'", "did you mean 'dls'"]),
        (None, {}, ["no solver None"]),
        (["dls"], {}, ["no solver"]),
        (7, {}, ["no solver 7"]),
    ],
)
def test_an_unknown_solver_or_parameter_is_named_with_the_near_ones(name, parameters, words):
    with refused(SolverError, *words):
        get(name, **parameters)


def test_a_solver_may_be_a_name_or_an_instance_with_the_same_answer():
    by_name = ARM.solve(POINT, solver="dls")
    by_instance = ARM.solve(POINT, solver=DLS())
    assert by_name.q.tobytes() == by_instance.q.tobytes()
    assert by_name.solver == by_instance.solver == "dls"
    other = ARM.solve(POINT, solver=DLS(damping=0.5, lambda_=1.0))
    assert other.success
    assert other.iterations > by_name.iterations


def test_auto_solves_every_kind_of_goal():
    q = PANDA.random(1)
    for goal in (PANDA.pose(q)[:3, 3], PANDA.pose(q), Orientation(target=PANDA.pose(q)[:3, :3])):
        solution = PANDA.solve(goal)
        assert solution.success
        assert solution.solver in TURNING


@pytest.mark.slow
def test_warming_up_takes_names_and_refuses_unknown_ones():
    warmup(ARM, ["jt", "dls"])
    warmup(ARM)
    with refused(SolverError, "no solver 'cdd'", "did you mean 'ccd'"):
        warmup(ARM, ["cdd"])


# --- nothing escapes ----------------------------------------------------------------------------------------


class Odd:
    """Nothing that a number could be made of."""

    def __repr__(self) -> str:
        return "odd"


@pytest.mark.parametrize(
    "value", [Odd(), object(), b"1", "1", [None], {}, (), [[]], np.array(Odd()), 1j, range(3)]
)
@pytest.mark.parametrize(
    "name", ["goal", "start", "rest", "tolerance", "iterations", "solver", "limits", "seed"]
)
def test_whatever_is_handed_in_only_limbiks_errors_come_out(name, value):
    if name == "goal":
        arguments, options = [value], {}
    else:
        arguments, options = [POINT], {name: value}
    try:
        ARM.solve(*arguments, **options)
    except LimbikError as error:
        assert len(str(error)) < 400
    else:
        assert name == "goal"
        assert isinstance(value, range)  # three numbers are a point


def test_an_empty_array_is_no_option() -> None:
    """Its truth value is none: it is refused as any other wrong value."""
    arm, empty = limbik.load("ur5e"), np.zeros((0, 4, 4))
    pose = arm.pose(np.full(6, 0.3))
    with pytest.raises(SolverError, match="`mode` needs"):
        arm.solve(pose, mode=empty)
    for name in ("starts", "clearance"):
        for _ in range(2):
            with pytest.raises(SolverError, match=f"`{name}` needs"):
                arm.solve_all(pose, **{name: empty})
