"""Scenes: several arms with branches and goals, solved apart or together."""

import dataclasses
import pickle
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

import limbik
from formats.arm_files import arms
from limbik import Position, Posture, Scene, SceneArm, Status
from limbik.collision import Sphere, World
from limbik.errors import ConfigurationError, FormatError, FormatWarning, GoalError, ModelError, SolverError
from limbik.formats import arm as arm_format
from limbik.formats.source import Source
from limbik.scene import BranchedSolution, load_words

TWO = """
arm 2 -1 0 0
  seg 1 3.2 2
  seg 1 3.2 2
  goal -1.5 0.5 1.2
arm 3 1 0 0
  seg 1 3.2 2
  seg 1 3.2 2
  seg 0.5 3.2 2
  goal 1 1 1
  br 2 2
    seg 0.5 3.2 3.2
    seg 0.5 3.2 3.2
    br 1 2
      seg 0.2 3.2 3.2
      seg 0.1 3.2 3.2
      goal 1.3 1.1 1.5
    endbr
    goal 1.3 1.3 1.5
  endbr
"""


def tips(arm: SceneArm, q: np.ndarray) -> list[np.ndarray]:
    return [arm.model.pose(q, goal.frame)[:3, 3] for goal in arm.goals]


# --- what is loaded -----------------------------------------------------------------------------------------


def test_a_scene_has_arms_goals_and_branches_by_name() -> None:
    scene = limbik.load_scene(Source("two.arm", TWO))
    first, second = scene.arms
    assert [arm.name for arm in scene.arms] == ["arm1", "arm2"]
    assert (first.model.nq, second.model.nq) == (4, 14)
    assert [goal.frame for goal in second.goals] == ["arm2.tip", "arm2.b1.tip", "arm2.b2.tip"]
    assert [(branch.name, branch.tip) for branch in second.branches] == [
        ("arm2.b1", "arm2.b1.tip"),
        ("arm2.b2", "arm2.b2.tip"),
    ]
    assert second.branches[1].joints == (
        "arm2.b2.s0.theta",
        "arm2.b2.s0.phi",
        "arm2.b2.s1.theta",
        "arm2.b2.s1.phi",
    )
    assert_allclose(first.start, np.zeros(4))


def test_a_scene_from_words_is_that_of_the_file(tmp_path) -> None:
    path = tmp_path / "two.arm"
    path.write_text(TWO)
    from_file = limbik.load_scene(path)
    words = [word if word[0] in "-0123456789" else f"-{word}" for word in TWO.split()]
    assert limbik.load_scene(words).to_arm() == from_file.to_arm()
    both = limbik.load_scene(["-f", path, "-arm", 1, 0, 0, 0, "-seg", "1", 1.0, np.float64(1.0)])
    assert [arm.name for arm in both.arms] == ["arm1", "arm2", "arm3"]
    assert (from_file.name, both.name) == ("two", "two")


def test_errors_in_words_name_the_argument_and_those_in_files_the_file(tmp_path) -> None:
    path = tmp_path / "bad.arm"
    path.write_text("arm 1 0 0 0\nseg x 1 1\n")
    with pytest.raises(FormatError, match=r"bad\.arm:2: `seg` needs a positive length"):
        limbik.load_scene(["-f", str(path)])
    with pytest.raises(FormatError, match="argument 3: `-f` needs a file after it, found none"):
        load_words(["-f"], [3])
    with pytest.raises(FormatError, match="the command line: holds no arm; give -f FILE, or -arm"):
        limbik.load_scene([])


def test_files_for_different_readings_need_to_be_told_one(tmp_path) -> None:
    words = []
    for name, angles in (("a", "range"), ("b", "initial")):
        path = tmp_path / f"{name}.arm"
        path.write_text(f"# angles: {angles}\narm 1 0 0 0\nseg 1 1 1\n")
        words += ["-f", str(path)]
    with pytest.raises(FormatError, match="are written for different angles, 'a' 'range' and 'b' 'initial'"):
        limbik.load_scene(words)
    assert limbik.load_scene(words[2:]).angles == "initial"
    with pytest.warns(FormatWarning):
        assert limbik.load_scene(words, angles="range").angles == "range"


def test_a_part_that_does_not_fit_is_refused() -> None:
    arm = limbik.load_scene(TWO).arms[0]
    with pytest.raises(ModelError, match="two arms of the scene have the name 'arm1'"):
        Scene((arm, arm))
    with pytest.raises(ModelError, match=r"has no frame 'arm9\.tip'"):
        dataclasses.replace(arm, branches=(limbik.Branch("b", "arm9.tip", ()),))
    with pytest.raises(ConfigurationError, match=r"the q of arm 'arm1' needs 4 numbers"):
        dataclasses.replace(arm, q=np.zeros(3))
    with pytest.raises(GoalError):
        dataclasses.replace(arm, goals=("up",))
    with pytest.raises(ModelError, match=r"the branches of arm 'arm1' need to be Branch, found 'arm1\.b1'"):
        dataclasses.replace(arm, branches=("arm1.b1",))
    for wrong in (arm.model, (arm.model,), (None,)):
        with pytest.raises(ModelError, match="the arms of a scene need to be SceneArm, found"):
            Scene(wrong)
    with pytest.raises(ModelError, match=r"this scene cannot be written as \.arm: it has no arm"):
        Scene(()).to_arm()


# --- solving ------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def solved():
    """A scene, and its solutions branch by branch."""
    scene = limbik.load_scene(TWO)
    return scene, scene.solve(seed=3)


@pytest.mark.parametrize("branches", ["independent", "coupled"])
def test_a_success_means_that_all_goals_of_the_arm_are_met_within_the_limits(branches, solved) -> None:
    scene, apart = solved
    solutions = apart if branches == "independent" else scene.solve(branches=branches)
    for arm, solution in zip(scene.arms, solutions, strict=True):
        assert solution.success and solution.status is Status.SOLVED
        assert arm.model.is_within_limits(solution.q)
        targets = [goal.target for goal in arm.goals]
        assert_allclose(tips(arm, solution.q), targets, atol=1e-6)
        assert max(miss.position for miss in solution.goal_errors) <= 1e-6


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("branches", ["independent", "coupled"])
def test_success_is_never_claimed_for_a_goal_that_is_missed(branches, seed) -> None:
    (_, arm) = limbik.load_scene(TWO).arms
    rng = np.random.default_rng(seed)
    goals = tuple(Position(frame=goal.frame, target=rng.uniform(-1, 2, 3)) for goal in arm.goals)
    (solution,) = Scene((dataclasses.replace(arm, goals=goals),)).solve(branches=branches, iterations=60)
    places = tips(arm, solution.q)
    missed = [np.linalg.norm(place - goal.target) for place, goal in zip(places, goals, strict=True)]
    assert solution.success == (max(missed) <= 1e-6)
    assert solution.error == pytest.approx(max(missed), abs=1e-9)
    assert_allclose([miss.position for miss in solution.goal_errors], missed, atol=1e-9)
    assert arm.model.is_within_limits(solution.q)


def test_with_independent_branches_parents_are_solved_first_and_stay(solved) -> None:
    scene, (_, solution) = solved
    arm = scene.arms[1]
    assert isinstance(solution, BranchedSolution)
    frames = [[goal.frame for goal in part.request.goals] for part in solution.parts]
    assert frames == [["arm2.tip"], ["arm2.b1.tip"], ["arm2.b2.tip"]]
    for k, part in enumerate(solution.parts):
        settled = arm.model.q_slice(f"arm2.b{k}.s0.theta").start if k else 0
        assert_allclose(solution.q[:settled], part.q[:settled], rtol=0, atol=0)
    assert solution.iterations == sum(part.iterations for part in solution.parts)


def test_an_independent_branch_moves_none_of_its_parents_joints() -> None:
    arm = limbik.load_scene(TWO).arms[1]
    only_branch = dataclasses.replace(arm, goals=arm.goals[2:], q=np.full(14, 0.3))
    (solution,) = Scene((only_branch,)).solve(iterations=20)
    assert_allclose(solution.q[:10], 0.3, rtol=0, atol=0)
    assert not np.allclose(solution.q[10:], 0.3)
    (together,) = Scene((only_branch,)).solve(branches="coupled")
    assert together.success and not np.allclose(together.q[:10], 0.3)


@pytest.mark.slow
def test_a_goal_that_one_branch_misses_is_no_success_and_the_others_are_met() -> None:
    arm = limbik.load_scene(TWO).arms[1]
    far = Position(frame="arm2.b1.tip", target=(9.0, 0.0, 0.0))
    missing = dataclasses.replace(arm, goals=(arm.goals[0], far))
    (solution,) = Scene((missing,)).solve(iterations=200)
    assert not solution.success and solution.status is Status.UNREACHABLE
    assert [part.success for part in solution.parts] == [True, False]
    assert solution.goal_errors[0].position < 1e-6 < solution.goal_errors[1].position
    assert solution.error == pytest.approx(solution.goal_errors[1].position, rel=1e-6)
    assert "'arm2.b1.tip'" in str(solution.explain())


def test_goals_that_are_missed_one_by_one_and_met_together_are_told_so() -> None:
    segment = "seg 1 3.2 3.2\n"
    scene = limbik.load_scene(
        f"arm 2 0 0 0\n{segment * 2}goal 1 0 1\nbr 0 1\nseg 0.5 3.2 3.2\ngoal 0.5 1.2 0.5\nendbr\n"
    )
    (solution,) = scene.solve(iterations=60)
    assert [part.success for part in solution.parts] == [True, False]
    told = solution.explain().sentences
    assert told[0].startswith("Not all goals were met, one branch after the other: (1) frame 'arm1.tip' at")
    assert told[-1] == "Solve with branches='coupled', or start from the configuration that was found."
    (together,) = scene.solve(branches="coupled", iterations=200)
    assert together.success


def test_an_arm_without_goals_stays_where_it_is() -> None:
    scene = limbik.load_scene("arm 1 0 0 0\nseg 1 1 1\narm 1 0 0 0\nseg 1 1 1\ngoal 0 0 1\n")
    first, second = scene.solve()
    assert first is None and second.success
    moved = scene.moved([first, second])
    assert moved.arms[0].q is None and moved.arms[1].q is not None


def test_a_scene_of_robots_solves_all_their_goals() -> None:
    panda, ur5e = limbik.load("panda"), limbik.load("ur5e")
    scene = Scene(
        (
            SceneArm("left", panda, (Position(target=(0.4, 0.2, 0.5)),)),
            SceneArm("right", ur5e, (Position(target=(-0.3, 0.2, 0.5)),)),
        )
    )
    left, right = scene.solve("lm", tolerance=1e-4)
    assert left.success and right.success
    assert left.request.options == {"solver": "lm", "tolerance": 1e-4}


def test_the_same_seed_gives_the_same_scene(solved) -> None:
    scene, first = solved
    for a, b in zip(first, scene.solve(seed=3), strict=True):
        assert a.q.tobytes() == b.q.tobytes()


def test_wishes_for_the_whole_body_go_with_every_branch_and_demands_with_none() -> None:
    arm = limbik.load_scene(TWO).arms[1]
    wish = dataclasses.replace(arm, goals=(*arm.goals, Posture(q=np.full(14, 0.2))))
    (solution,) = Scene((wish,)).solve(iterations=300)
    assert [len(part.request.goals) for part in solution.parts] == [2, 2, 2]
    assert len(solution.goal_errors) == 4
    demand = dataclasses.replace(arm, goals=(*arm.goals, Posture(q=np.full(14, 0.2), priority=0)))
    with pytest.raises(GoalError, match=r"a Posture is about all of arm 'arm2'.*branches='coupled'"):
        Scene((demand,)).solve()


def test_what_has_no_meaning_is_refused() -> None:
    scene = limbik.load_scene(TWO)
    with pytest.raises(SolverError, match="`branches` needs 'independent' or 'coupled', found 'apart'"):
        scene.solve(branches="apart")
    with pytest.raises(SolverError, match="leave out `start`"):
        scene.solve(start=np.zeros(4))
    with pytest.raises(
        ConfigurationError, match=r"`solutions\[0\]` needs a Solution or None, found \[0, 1\]"
    ):
        scene.moved([[0, 1], [1, 2]])
    with pytest.raises(SolverError, match="there is no solver 'lmx'"):
        scene.solve("lmx")


def test_a_branched_solution_can_be_pickled(solved) -> None:
    solution = solved[1][1]
    again = pickle.loads(pickle.dumps(solution))
    assert isinstance(again, BranchedSolution)
    assert again.q.tobytes() == solution.q.tobytes()
    assert (again.success, again.goal_errors) == (solution.success, solution.goal_errors)
    assert len(again.parts) == 3


# --- what is written ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("angles", ["range", "initial"])
def test_a_scene_reads_back_as_it_was_written(angles) -> None:
    scene = limbik.load_scene(TWO, angles=angles)
    again = limbik.load_scene(scene.to_arm())
    assert again.angles == scene.angles == angles
    assert again.to_arm() == scene.to_arm()
    for old, new in zip(scene.arms, again.arms, strict=True):
        assert (old.name, old.branches) == (new.name, new.branches)
        assert_allclose(new.start, old.start, atol=1e-12)
        assert_allclose(new.model.upper, old.model.upper)
        assert_allclose(new.model.forward(new.start), old.model.forward(old.start), atol=1e-12)
        assert [goal.frame for goal in old.goals] == [goal.frame for goal in new.goals]
        assert_allclose([goal.target for goal in old.goals], [goal.target for goal in new.goals])


_NEAR = st.floats(-2.0, 2.0)
_SCENES = st.lists(
    arms(st.floats(0.0, 4.0), st.floats(0.1, 2.0), st.tuples(_NEAR, _NEAR, _NEAR)), min_size=1, max_size=3
).map(tuple)


@pytest.mark.slow
@given(_SCENES, st.sampled_from(["range", "initial"]), st.integers(0, 2**32 - 1))
def test_any_scene_reads_back_as_it_was_written(several, angles, seed) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FormatWarning)  # of arms that cannot move
        scene = limbik.load_scene(arm_format.write(arm_format.ArmFile("any", several, angles)))
        if angles == "initial":  # in any configuration
            moved = (dataclasses.replace(arm, q=arm.model.random(seed)) for arm in scene.arms)
            scene = dataclasses.replace(scene, arms=tuple(moved))
        again = limbik.load_scene(scene.to_arm())
    assert again.angles == angles
    for old, new in zip(scene.arms, again.arms, strict=True):
        assert (old.name, old.branches, old.model.joint_names) == (
            new.name,
            new.branches,
            new.model.joint_names,
        )
        assert (new.model.upper == old.model.upper).all() and (new.model.lower == old.model.lower).all()
        places, places_again = (arm.model.forward(arm.start)[:, :3, 3] for arm in (old, new))
        assert_allclose(places_again, places, atol=1e-12)
        assert [(goal.frame, tuple(goal.target)) for goal in old.goals] == [
            (goal.frame, tuple(goal.target)) for goal in new.goals
        ]


def test_a_solved_scene_is_saved_with_its_configuration_where_the_reading_has_a_place_for_it() -> None:
    scene = limbik.load_scene(TWO, angles="initial")
    moved = scene.moved(scene.solve())
    again = limbik.load_scene(moved.to_arm())
    for arm in again.arms:
        assert_allclose(tips(arm, arm.start), [goal.target for goal in arm.goals], atol=2e-6)


def test_goals_that_the_format_has_no_place_for_are_left_out_with_a_warning() -> None:
    arm = limbik.load_scene(TWO).arms[0]
    other = dataclasses.replace(
        arm, goals=(limbik.Direction(frame="arm1.tip", axis=(0, 0, 1), target=(1, 0, 0)),)
    )
    with pytest.warns(FormatWarning, match="a Direction for 'arm1.tip' of 'arm1' is left out"):
        text = Scene((other,)).to_arm()
    assert "goal" not in text


def test_robots_cannot_be_written_as_arms_and_can_as_urdf() -> None:
    scene = Scene((SceneArm("left", limbik.load("panda")),))
    with pytest.raises(ModelError, match=r"model 'panda' cannot be written as \.arm"):
        scene.to_arm()
    assert limbik.load(scene.to_urdf()).nq == 7


def test_a_scene_as_urdf_moves_as_its_arms_do() -> None:
    scene = limbik.load_scene(TWO)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        robot = limbik.load(scene.to_urdf())
    q = robot.random(0)
    for arm in scene.arms:
        own = np.concatenate([q[robot.q_slice(joint.name)] for joint in arm.model.joints])
        for frame in arm.model.frame_names:
            assert_allclose(robot.pose(q, frame), arm.model.pose(own, frame), atol=1e-12)


def test_locked_joints_are_of_the_arm_that_has_them():
    scene = limbik.load_scene(TWO)
    first, second = (arm.model.joint_names[1] for arm in scene.arms)
    solutions = scene.solve(locked=[first])
    place = scene.arms[0].model.q_slice(first)
    assert (solutions[0].q[place] == scene.arms[0].start[place]).all()
    for wrong in ("arm1.s0.tehta", 3, None):
        with pytest.raises(SolverError, match="locked"):
            scene.solve(locked=wrong)
    assert second != first


def test_a_scene_is_moved_by_as_many_solutions_as_it_has_arms():
    with pytest.raises(ConfigurationError, match="needs as many solutions, found 0"):
        limbik.load_scene(TWO).moved([])


@pytest.mark.parametrize("branches", ["independent", "coupled"])
def test_the_arms_of_a_scene_are_free_of_collision_where_there_is_a_world(branches: str) -> None:
    scene = limbik.load_scene(TWO)
    model = scene.arms[1].model
    colliding = scene.solve(branches=branches)[1]
    assert not model.check(colliding.q).is_free  # branches that cross
    world = World()
    world.add("ball", Sphere(0.1), (3.0, 0.0, 0.0))
    for solution, arm in zip(scene.solve(branches=branches, world=world), scene.arms, strict=True):
        assert solution.success
        assert arm.model.check(solution.q, world).is_free
        for goal in arm.goals:
            assert_allclose(arm.model.pose(solution.q, goal.frame)[:3, 3], goal.target, atol=1e-4)


def test_a_scene_says_what_is_in_the_way_of_an_arm() -> None:
    scene = limbik.load_scene("arm 1 0 0 0\n seg 1 3.2 2\n goal 1 0 0\n")
    world = World()
    world.add("ball", Sphere(0.1), (1.0, 0.0, 0.0))
    (solution,) = scene.solve(world=world)
    assert solution.status is Status.NO_FREE_SOLUTION
    assert "'ball'" in str(solution.explain())


@pytest.mark.parametrize("goal", ["0 0 1", "0 0 5"])
def test_a_scene_whose_best_answer_misses_a_goal_is_not_solved(goal):
    text = f"arm 1 0 0 0\nseg 1 3.2 1\ngoal {goal}\nbr 0 1\nseg .5 3.2 1\ngoal 9 0 0\nendbr\n"
    (found,) = limbik.load_scene(text).solve(mode="best")
    assert found.status is Status.CONVERGED and not found.success
    assert "cannot be made less" in str(found.explain())


def test_a_text_may_have_any_line_breaks():
    text = "arm 1 0 0 0\nseg 1 1 1\n"
    for ending in ("\n", "\r\n", "\r"):
        assert limbik.load_scene(text.replace("\n", ending)).arms[0].model.nq == 2
