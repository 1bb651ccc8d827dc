"""Solving free of collision: what is answered is free, and what is claimed holds."""

import pickle
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import limbik
from limbik import Model, Status
from limbik.collision import Box, Capsule, LinkShape, Sphere, World
from limbik.collision.checker import Checker
from limbik.collision.geometry import geometry_of
from limbik.errors import CollisionError, SolverError
from limbik.solvers import free_plan
from limbik.solvers.many_starts import ManyStarts
from limbik.solvers.push_out import PushOut
from limbik.spatial import pose_from

FORWARD = np.array([0.2, 0.3, 0.1, -1.8, 0.2, 2.0, 0.5])


def with_capsules(model: Model) -> Model:
    """A capsule along the way from each joint to the next, thin enough that neighbours alone touch."""
    shapes = []
    for joint in model.joints:
        for child in model.joints:
            if child.parent == joint.child and (length := np.linalg.norm(child.origin[:3, 3])) > 0.05:
                z = child.origin[:3, 3] / length
                x = np.linalg.svd(z[None])[2][1]
                turn = np.column_stack([x, np.cross(z, x), z])
                pose = pose_from(turn, 0.5 * child.origin[:3, 3])
                shapes.append(LinkShape(link=joint.child, shape=Capsule(0.04, length), pose_link_shape=pose))
    tool = model.frame(model.end_effector)
    shapes.append(LinkShape(link=tool.link, shape=Sphere(0.04), pose_link_shape=tool.pose_link_frame))
    frames = model.frames[len(model.joints) + 1 :]
    return Model(model.name, model.joints, frames, shapes=shapes, end_effector=model.end_effector)


@pytest.fixture(scope="module")
def arm() -> Model:
    return with_capsules(limbik.load("iiwa14"))


@pytest.fixture
def pose(arm: Model) -> np.ndarray:
    return arm.pose(FORWARD)


def at(point: object) -> World:
    world = World()
    world.add("block", Box((0.1, 0.1, 0.1)), point)
    return world


def test_an_answer_that_is_free_is_the_one_without_a_world(arm: Model, pose: np.ndarray) -> None:
    solution = arm.solve(pose, world=World(), start=FORWARD + 0.1)
    assert solution.success
    assert np.array_equal(solution.q, arm.solve(pose, start=FORWARD + 0.1).q)


@settings(deadline=None, max_examples=30)
@given(seed=st.integers(0, 2**32 - 1), clearance=st.sampled_from([0.0, 0.02]))
def test_what_is_answered_is_free_and_meets_the_goal(arm: Model, seed: int, clearance: float) -> None:
    rng = np.random.default_rng(seed)
    world = World()
    for k in range(4):
        world.add(f"ball {k}", Sphere(0.1), rng.uniform((-0.7, -0.7, -0.1), (0.7, 0.7, 1.3)))
    goal = arm.pose(arm.random(rng))
    solution = arm.solve(goal, world=world, clearance=clearance, seed=seed)
    checker = Checker(arm, world)
    if solution.success:
        assert checker.is_free(solution.q, clearance)
        np.testing.assert_allclose(arm.pose(solution.q), goal, atol=3e-6)
        assert arm.is_within_limits(solution.q)
        assert solution.status is Status.SOLVED
    else:
        assert not checker.is_free(solution.q, clearance) or solution.error > 1e-6


def test_what_is_rigid_with_the_goal_is_proved_to_collide(arm: Model, pose: np.ndarray) -> None:
    solution = arm.solve(pose, world=at(pose[:3, 3]))
    assert solution.ended is solution.status is Status.GOAL_IN_COLLISION
    diagnosis = solution.explain()
    assert diagnosis.contacts[0].pair[1] == "block" and diagnosis.contacts[0].distance < -0.05
    assert diagnosis.shift is not None and diagnosis.q_shifted is not None
    moved = pose.copy()
    moved[:3, 3] += diagnosis.shift
    np.testing.assert_allclose(arm.pose(diagnosis.q_shifted), moved, atol=3e-6)
    assert Checker(arm, at(pose[:3, 3])).is_free(diagnosis.q_shifted)
    assert "whatever the joints do" in str(diagnosis)
    told = re.search(r"Move the target by \((.*), (.*), (.*)\) mm: there it is free", str(diagnosis))
    assert told is not None
    outward = np.sign(diagnosis.shift) * (1e-3 * np.array(told.groups(), np.float64) - diagnosis.shift)
    assert (outward >= 0.0).all() and (outward < 1e-5).all()


def test_what_hangs_on_the_base_is_proved_to_collide(arm: Model, pose: np.ndarray) -> None:
    based = arm.with_shapes([*arm.shapes, LinkShape(link=arm.root, shape=Box((0.2, 0.2, 0.1)))])
    world = World()
    world.add("floor", Box((3, 3, 0.1)), (0, 0, -0.08))
    solution = based.solve(pose, world=world)
    assert solution.status is Status.BASE_IN_COLLISION
    assert f"touch=[{arm.root!r}]" in str(solution.explain())
    world.remove("floor")
    world.add("floor", Box((3, 3, 0.1)), (0, 0, -0.08), touch=[arm.root])
    assert based.solve(pose, world=world).success


def test_what_keeps_still_with_the_goal_is_proved_to_collide_while_it_does(arm: Model) -> None:
    link = arm.frame(arm.end_effector).link
    slide = limbik.Joint(
        name="slide",
        kind=limbik.JointKind.PRISMATIC,
        parent=link,
        child="finger",
        axis=(0, 1, 0),
        lower=-0.3,
        upper=0.3,
    )
    shapes = [*arm.shapes, LinkShape(link="finger", shape=Sphere(0.01))]
    gripper = Model(
        "gripper", [*arm.joints, slide], arm.frames[len(arm.joints) + 1 :], shapes=shapes,
        end_effector=arm.end_effector,
    )  # fmt: skip
    closed, opened = np.append(FORWARD, 0.2), np.append(FORWARD, -0.2)
    pose, world = gripper.pose(closed), World()
    world.add("ball", Sphere(0.02), gripper.pose(closed, "finger")[:3, 3])
    solution = gripper.solve(pose, start=closed, world=world)
    assert solution.status is Status.GOAL_IN_COLLISION
    assert [(one.joint, one.unit) for one in solution.explain().held] == [("slide", "m")]
    assert "whatever the other joints do while 'slide' stays at " in str(solution.explain())
    assert gripper.solve(pose, start=opened, world=world).success


def test_objects_that_move_are_seen_where_they_are(arm: Model, pose: np.ndarray) -> None:
    world = at(pose[:3, 3])
    assert not arm.solve(pose, world=world).success
    world.move("block", (0, 0, 5))
    assert arm.solve(pose, world=world).success
    world.add("ball", Sphere(0.05), pose[:3, 3])
    assert arm.solve(pose, world=world).status is Status.GOAL_IN_COLLISION


def test_an_arm_goes_around_what_its_first_solution_hits(arm: Model, pose: np.ndarray) -> None:
    first = arm.solve(pose).q
    elbow = arm.pose(first, arm.joints[3].child)[:3, 3]
    world = World()
    world.add("ball", Sphere(0.05), elbow)
    solution = arm.solve(pose, world=world, clearance=0.01)
    assert solution.success and np.abs(solution.q - first).max() > 0.05


def test_the_nearest_is_no_farther_than_the_first_and_the_clearest_no_nearer(
    arm: Model, pose: np.ndarray
) -> None:
    world, start = at(arm.pose(FORWARD, arm.joints[3].child)[:3, 3] + [0.0, 0.12, 0.0]), FORWARD + 0.3
    asked = {"start": start, "world": world}
    first, nearest, clearest = (
        arm.solve(pose, prefer=each, **asked) for each in (None, "nearest", "clearance")
    )
    assert first.success and nearest.success and clearest.success
    assert np.linalg.norm(nearest.q - start) <= np.linalg.norm(first.q - start) + 1e-9
    checker = Checker(arm, world)
    assert checker.nearest(clearest.q).distances[0] >= checker.nearest(first.q).distances[0] - 1e-9


def test_all_of_a_few_solutions_in_collision_is_said_to_be_all() -> None:
    arm = with_capsules(limbik.load("ur5"))
    q = np.array([0.3, -1.2, 1.4, -0.8, 0.9, 0.2])
    goal = arm.pose(q)
    world = World()
    for k, each in enumerate(arm.solve_all(goal).q):
        world.add(f"ball {k}", Sphere(0.03), arm.pose(each, arm.joints[3].child)[:3, 3])
    solution = arm.solve(goal, world=world)
    assert solution.status is Status.NO_FREE_SOLUTION
    diagnosis = solution.explain()
    assert diagnosis.is_complete and diagnosis.examined >= len(arm.solve_all(goal).q)
    assert "there is no other" in str(diagnosis)
    assert diagnosis.obstacles[0].count >= 1


def test_what_blocks_most_is_named_and_what_would_be_without_it(arm: Model) -> None:
    q = np.array([0.0, 0.9, 0.0, -0.8, 0.0, 0.9, 0.0])
    goal = arm.pose(q)
    world = World()
    shoulder, wrist = (arm.pose(q, arm.joints[k].child)[:3, 3] for k in (1, 5))
    world.add("cage", Sphere(0.2), 0.5 * (shoulder + wrist))  # the circle on which the elbow must be
    world.add("far", Sphere(0.1), (5, 5, 5))
    solution = arm.solve(goal, world=world)
    assert solution.status is Status.NO_FREE_SOLUTION
    obstacle = solution.explain().obstacles[0]
    assert obstacle.names == ("cage",) and obstacle.count == solution.explain().examined
    assert obstacle.q_without is not None and Checker(arm, world.without("cage")).is_free(obstacle.q_without)
    assert "'cage' blocks" in str(solution.explain()) and "without it there is a free one" in str(
        solution.explain()
    )


@pytest.mark.slow
def test_several_goals_and_locked_joints_are_solved_for_free_of_collision(
    arm: Model, pose: np.ndarray
) -> None:
    goals = [limbik.Position(target=pose[:3, 3]), limbik.Direction(axis=[0, 0, 1], target=pose[:3, 2])]
    world = at(arm.pose(FORWARD, arm.joints[3].child)[:3, 3] + [0.0, 0.05, 0.0])
    solution = arm.solve(goals, world=world, start=FORWARD)
    assert solution.success and Checker(arm, world).is_free(solution.q)
    locked = arm.solve(pose, world=world, start=FORWARD, locked=[arm.joint_names[1]])
    assert not locked.success or locked.q[0] == FORWARD[0]


def test_solutions_from_many_starts_keep_locked_joints_where_they_are(arm: Model, pose: np.ndarray) -> None:
    first = arm.solve(pose, start=FORWARD, locked=[arm.joint_names[0]])
    many = ManyStarts(first, first.request, 0)
    drawn = many.draw(64)
    assert many.is_quick and len(drawn) > 4
    assert (drawn[:, 0] == first.q[0]).all() and np.ptp(drawn[:, 4]) > 0.1
    np.testing.assert_allclose(arm.pose(drawn), np.broadcast_to(pose, (len(drawn), 4, 4)), atol=1e-5)


def test_a_proof_says_by_how_much_what_is_checked_is_larger_than_the_meshes() -> None:
    """A ball that only the hull about the wrist of a UR5 touches, and one deep in the wrist itself."""
    robot = limbik.load("ur5")
    if not robot.shapes:
        pytest.skip("needs the package example-robot-data")
    overshoots = {body.name: body.overshoot for body in geometry_of(robot).bodies}
    assert overshoots["wrist_3_link"] > 5e-3
    pose = robot.pose(np.array([0.3, -1.2, 1.4, -0.8, 0.9, 0.2]))
    said = []
    for depth in (0.001, 0.02):
        world = World()
        world.add("ball", Sphere(0.05), pose[:3, 3] + (0.05 - depth) * pose[:3, 2])
        solution = robot.solve(pose, world=world)
        assert solution.ended is Status.GOAL_IN_COLLISION
        reason = solution.explain()
        assert reason.overshoot == overshoots["wrist_3_link"] and reason.contacts[0].pair[1] == "ball"
        assert ("beyond the shapes, which may be apart" in str(reason)) == (
            reason.overshoot > -reason.contacts[0].distance
        )
        said.append("which may be apart" in str(reason))
    assert said == [True, False]


def test_a_goal_out_of_reach_is_said_to_be_that(arm: Model) -> None:
    solution = arm.solve([9.0, 0, 0], world=World())
    assert solution.status is Status.UNREACHABLE and "Out of reach" in str(solution.explain())


def test_a_solution_keeps_its_question(arm: Model, pose: np.ndarray) -> None:
    world = at(pose[:3, 3])
    for solution in (arm.solve(pose, world=world, clearance=0.01), arm.solve(pose, world=World())):
        again = pickle.loads(pickle.dumps(solution))
        assert again.explain().sentences == solution.explain().sentences
        assert again.request.options["world"].names == solution.request.options["world"].names
        assert solution.explain().to_dict()["status"] == solution.status.value
    assert arm.solve(pose, world=world, clearance=0.01).request.options["clearance"] == 0.01


@pytest.mark.parametrize(("name", "seeds"), [("ur5e", (34, 3)), ("iiwa14", (7, 9, 19))])
def test_no_free_solution_of_all_is_nearer_than_the_nearest(name: str, seeds: tuple[int, ...]) -> None:
    """Of arms with joints to spare it is slid toward the start as well; windings count."""
    model, world = limbik.load(name), World()
    world.add("ball", Sphere(0.12), (0.4, 0.2, 0.4))
    world.add("box", Box((0.1, 0.6, 0.2)), (0.3, -0.3, 0.5))
    for seed in seeds:
        goal, start = model.pose(model.random(seed)), model.random(seed + 100)
        nearest = model.solve(goal, start=start, world=world, prefer="nearest")
        every = model.solve_all(goal, world=world).q
        assert nearest.success
        away = np.linalg.norm(every - start, axis=1).min(initial=np.inf)
        assert np.linalg.norm(nearest.q - start) <= away + 1e-6


def test_an_answer_says_what_is_nearest(arm: Model, pose: np.ndarray) -> None:
    solution = arm.solve(pose, world=at((0.0, 0.0, 2.0)))
    contact = solution.explain().contacts[0]
    assert contact.distance > 0.0 and "Free of collision" in str(solution.explain())


def test_every_answer_of_a_batch_is_free_or_says_that_it_is_not(arm: Model) -> None:
    rng = np.random.default_rng(5)
    world = World()
    world.add("ball", Sphere(0.15), (0.4, 0.1, 0.6))
    poses = arm.pose(arm.random(rng, 60))
    anyhow, free = arm.solve_batch(poses), arm.solve_batch(poses, world=world, clearance=0.005)
    checker = Checker(arm, world)
    was_free = np.array([checker.is_free(q, 0.005) for q in anyhow.q])
    assert 5 < was_free.sum() < 60
    assert np.array_equal(anyhow.q[was_free], free.q[was_free])
    assert all(checker.is_free(q, 0.005) for q in free.q[free.success])
    assert free.success.sum() > was_free.sum()
    ends = {Status.SOLVED, Status.GOAL_IN_COLLISION, Status.NO_FREE_SOLUTION}
    assert set(free.status) <= ends
    np.testing.assert_allclose(arm.pose(free.q), poses, atol=3e-6)


@pytest.mark.slow
def test_what_a_batch_cannot_reach_free_is_proved_as_one_by_one(arm: Model, pose: np.ndarray) -> None:
    rng = np.random.default_rng(6)
    poses = np.tile(pose, (40, 1, 1))
    poses[:, :3, 3] += 0.06 * rng.standard_normal((40, 3))
    world = at(pose[:3, 3])
    found = arm.solve_batch(poses, world=world)
    alone = [arm.solve(each, world=world).status for each in poses]
    proved = [status is Status.GOAL_IN_COLLISION for status in found.status]
    assert 5 < sum(proved) < 40
    assert proved == [status is Status.GOAL_IN_COLLISION for status in alone]


def test_a_base_in_collision_is_proved_for_all_of_a_batch(arm: Model, pose: np.ndarray) -> None:
    based = arm.with_shapes([*arm.shapes, LinkShape(link=arm.root, shape=Box((0.2, 0.2, 0.1)))])
    world = at((0.0, 0.0, 0.0))
    assert set(based.solve_batch([pose, pose], world=world).status) == {Status.BASE_IN_COLLISION}


def test_a_batch_does_not_depend_on_threads_and_keeps_near_its_starts(arm: Model) -> None:
    rng = np.random.default_rng(7)
    world = World()
    world.add("ball", Sphere(0.15), (0.4, 0.1, 0.6))
    starts = arm.random(rng, 60)
    poses = arm.pose(arm.clip(starts + 0.1 * rng.standard_normal(starts.shape)))
    one, two = (arm.solve_batch(poses, start=starts, world=world, threads=n) for n in (1, 2))
    assert np.array_equal(one.q, two.q)
    assert all(Checker(arm, world).are_free(one.q[one.success]))


def test_without_restarts_a_batch_claims_nothing_that_collides(arm: Model) -> None:
    rng = np.random.default_rng(8)
    world = World()
    world.add("ball", Sphere(0.15), (0.4, 0.1, 0.6))
    poses = arm.pose(arm.random(rng, 40))
    for options in ({"restarts": 0}, {"restarts": 3}, {"time_limit": 1e-9}):
        found = arm.solve_batch(poses, world=world, **options)
        assert Checker(arm, world).are_free(found.q[found.success]).all()


@pytest.mark.parametrize("solver", ["lm", "jt"])
def test_a_solve_from_another_start_has_what_is_left_of_the_time(arm: Model, solver: str, ticks) -> None:
    """The start meets the goals, but collides; from elsewhere a descent goes on until the time is over."""
    link = arm.joints[3].child
    world = at(arm.pose(FORWARD, link)[:3, 3])
    goals = [
        limbik.Pose(target=arm.pose(FORWARD)),
        limbik.Position(frame=link, target=arm.pose(FORWARD, link)[:3, 3]),
    ]
    options = {
        "solver": solver,
        "tolerance": 1e-12,
        "tolerance_rotation": 1e-12,
        "start": FORWARD,
        "world": world,
    }
    arm.solve(goals, iterations=1, **options)
    before = next(ticks)
    solution = arm.solve(goals, iterations=10**9, time_limit=1.0, **options)
    assert next(ticks) - before < 1100
    assert not solution.success


def test_nothing_is_tried_when_the_time_is_over(arm: Model, monkeypatch) -> None:
    """The first solve and the search for a free solution have one limit between them."""
    world = at(arm.pose(FORWARD, arm.joints[3].child)[:3, 3])
    tried = []
    monkeypatch.setattr(PushOut, "push", lambda self, q, watch: tried.append(q))
    monkeypatch.setattr(ManyStarts, "_one", lambda self, start: tried.append(start))
    goal = [limbik.Pose(target=arm.pose(FORWARD)), limbik.Posture(q=FORWARD, priority=1)]
    solution = arm.solve(goal, start=FORWARD, world=world, time_limit=1e-9)
    assert solution.ended is Status.NO_FREE_SOLUTION or not solution.success
    assert not tried
    if solution.ended is Status.NO_FREE_SOLUTION:
        diagnosis = solution.explain()
        assert diagnosis.is_cut_short
        assert "The time limit ended the search: with more time there may be a free one." in str(diagnosis)


@pytest.mark.parametrize("prefer", ["first", "clearance"])
def test_when_the_time_is_over_no_more_than_a_piece_is_measured(arm: Model, monkeypatch, prefer: str) -> None:
    """A round draws thousands of solutions; here the time is over once some of them are measured."""
    measured: list[int] = []

    def counted(name: str):
        measure = getattr(Checker, name)

        def measure_and_count(self, q, *options):
            measured.append(len(q))
            return measure(self, q, *options)

        return measure_and_count

    for name in ("distances", "are_free", "first_free"):
        monkeypatch.setattr(Checker, name, counted(name))
    monkeypatch.setattr(free_plan, "watch_until", lambda deadline: lambda: sum(measured) > 200)
    far = {"world": World(), "clearance": 0.3, "prefer": prefer}  # neighbours of neighbours are nearer
    solution = arm.solve(arm.pose(FORWARD), time_limit=10.0, **far)
    assert not solution.success
    assert max(measured) <= 64
    assert sum(measured) <= 200 + 4 * 16 + 64


@pytest.mark.parametrize("prefer", ["nearest", "clearance"])
def test_when_there_is_no_time_to_choose_a_free_answer_is_an_answer(
    arm: Model, monkeypatch, prefer: str
) -> None:
    monkeypatch.setattr(free_plan, "watch_until", lambda deadline: lambda: True)
    solution = arm.solve(
        arm.pose(FORWARD), start=FORWARD, world=at((5.0, 0.0, 0.0)), prefer=prefer, time_limit=1.0
    )
    assert solution.success
    assert "Solved" in str(solution.explain())


def test_of_all_solutions_those_that_are_free_are_left() -> None:
    arm = with_capsules(limbik.load("ur5"))
    pose = arm.pose(np.array([0.3, -1.2, 1.4, -0.8, 0.9, 0.2]))
    every, world = arm.solve_all(pose), World()
    world.add("ball", Sphere(0.1), arm.pose(every.q[1], arm.joints[2].child)[:3, 3])
    free, checker = arm.solve_all(pose, world=world), Checker(arm, world)
    expected = [q for q in every.q if checker.is_free(q)]
    assert 0 < len(expected) < len(every)
    np.testing.assert_allclose(free.q, expected, atol=1e-9)
    assert free.complete == every.complete and len(free.branches) == len(free)
    assert f"{len(free)} of {len(every)} are free of collision" in free.explain()
    assert free.limit_margins.shape == free.q.shape and free.manipulability.shape == (len(free),)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"world": "shelf"}, CollisionError, "`world` needs a World"),
        ({"clearance": 0.1}, SolverError, "`clearance` needs a `world`"),
        ({"world": World(), "clearance": -1.0}, SolverError, "`clearance` needs a length"),
        ({"world": World(), "clearance": float("nan")}, SolverError, "`clearance` needs a length"),
        ({"world": World(), "clearance": 1e300}, SolverError, r"`clearance` needs a length from 0 to 1e\+06"),
        ({"world": World(), "prefer": "best"}, SolverError, '"first", "nearest" or "clearance"'),
        ({"prefer": "clearance"}, SolverError, "`prefer` needs"),
    ],
)
def test_what_has_no_meaning_is_refused(arm: Model, pose: np.ndarray, options, error, message: str) -> None:
    with pytest.raises(error, match=message):
        arm.solve(pose, **options)


def test_joints_that_do_not_move_the_point_may_free_the_arm() -> None:
    rng, place = np.random.default_rng(9), np.eye(4)
    place[:3, 3] = [0.0, 0.0, 0.1]
    shape = limbik.collision.LinkShape(
        link="link6", shape=limbik.collision.Capsule(0.02, 0.2), pose_link_shape=place
    )
    model = limbik.load("puma560").with_shapes([shape], pair_rules=())
    point, world = model.pose(model.random(9))[:3, 3], limbik.collision.World()
    for k in range(3):
        size = tuple(rng.uniform(0.1, 0.35, 3))
        world.add(f"b{k}", limbik.collision.Box(size), point + rng.normal(size=3) * 0.15)
    solution = model.solve(limbik.Position(target=point), world=world)
    assert solution.success
    assert model.check(solution.q, world).is_free


def test_a_joint_beside_the_path_that_is_in_the_way_is_named() -> None:
    model = (
        limbik.ModelBuilder("two arms")
        .revolute("shoulder", limits=3.0, origin=(0, 0, 0.5))
        .revolute("elbow", limits=3.0, origin=(0.3, 0, 0))
        .frame("tip", pose=(0.3, 0, 0))
        .revolute("side", limits=3.0, parent="shoulder")
        .build(end_effector="tip")
        .with_shapes(
            [LinkShape(link="side", shape=Sphere(0.05), pose_link_shape=pose_from(None, (0.2, 0, 0)))]
        )
    )
    world = World()
    world.add("box", Box((0.1, 0.1, 0.1)), (0.184, 0.078, 0.5))  # touches the ball at side = 0 alone
    target = model.pose([0.4, 0.7, 2.0])
    assert model.check([0.4, 0.7, 2.0], world).is_free
    solution = model.solve(target, world=world)
    diagnosis = solution.explain()
    assert solution.status is Status.NO_FREE_SOLUTION and diagnosis.is_complete
    assert [each.joint for each in diagnosis.held] == ["side"]
    assert "there is no other while 'side' stays at 0 rad" in str(diagnosis)
    assert (
        "0 of 1 are free of collision with 'side' as in the start"
        in model.solve_all(target, world=world).explain()
    )
    assert model.solve(target, world=world, start=[0.0, 0.0, 2.0]).success
