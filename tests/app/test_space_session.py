"""A session in space: arms follow their goals, and all that is told of it is true."""

import math
from dataclasses import replace

import numpy as np
import pytest

from limbik import Pose, load, solvers
from limbik.app import arm_moves as room
from limbik.app import space_session
from limbik.app.null_space import aligned, null_directions
from limbik.app.protocol.reading import MessageError
from limbik.app.protocol.space import ArmRefusal, decode_move
from limbik.app.scene_opener import SceneOpener
from limbik.app.space_session import SpaceSession
from limbik.errors import LimbikError, ModelError
from space_scenes import ARM, TABLE, URDF, goal, moving, opening, request

WORKSHOP = SceneOpener()
BALL = """<mujoco model="ball"><worldbody><body name="arm">
  <joint name="shoulder" type="ball"/><geom type="capsule" fromto="0 0 0 1 0 0" size="0.1"/>
</body></worldbody></mujoco>"""
TURNED = {"quat_xyzw": [0, math.sin(0.4), 0, math.cos(0.4)]}


@pytest.fixture
def crane():
    return began(text=URDF)


@pytest.fixture
def panda():
    return began(names=["panda"])


def began(**asked):
    session = SpaceSession(WORKSHOP)
    session.open(request(**opening(**asked)))
    return session


def moved(session, *asked, **options):
    """The entries of a motion, as the page reads them."""
    return decode_move(session.move(request(**moving(*asked, **options))).encode()).arms


def model_of(session, arm=0):
    return session._opened.arms[arm].model


def turned(angle):
    """A rotation about y."""
    c, s = math.cos(angle), math.sin(angle)
    return np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]])


# Following goals


@pytest.mark.parametrize("solver", [name for name in solvers.names(compiled=True) if name != "fabrik"])
def test_an_arm_reaches_a_point_with_every_solver_that_can(crane, solver):
    asked = [goal("hook", (0.6, 0.6, 1.4))]
    for _ in range(4):
        (arm,) = moved(crane, asked, [solver], trace=True)
    assert (arm.solver, arm.status, arm.violations) == (solver, "solved", 0)
    apart = np.linalg.norm(model_of(crane).pose(arm.q.astype(float), "hook")[:3, 3] - (0.6, 0.6, 1.4))
    assert apart <= 1e-4 + 1e-6
    assert arm.goal_errors[0] == pytest.approx(apart, abs=1e-6)
    assert arm.iterations == len(arm.errors) - 1 == len(arm.trace) - 1
    drawn = model_of(crane).pose(arm.trace.astype(float), "hook")[:, :3, 3] - (0.6, 0.6, 1.4)
    np.testing.assert_allclose(arm.errors, np.linalg.norm(drawn, axis=1), atol=1e-6)


def test_a_pose_and_a_direction_are_met_as_the_page_draws_them(panda):
    model, position = model_of(panda), (0.45, 0.1, 0.4)
    down = {"quat_xyzw": [math.sin(1.4), 0.0, 0.0, math.cos(1.4)]}
    rotation = np.array([[1, 0, 0], [0, math.cos(2.8), -math.sin(2.8)], [0, math.sin(2.8), math.cos(2.8)]])
    (arm,) = moved(panda, [goal("flange", position, "pose", **down)], search=True)
    assert arm.status == "solved"
    pose = model.pose(arm.q.astype(float), "flange")
    np.testing.assert_allclose(pose[:3, :3], rotation, atol=2e-3)
    np.testing.assert_allclose(pose[:3, 3], position, atol=2e-4)
    (arm,) = moved(panda, [goal("flange", position, "direction", axis="x", **down)], search=True)
    pose = model.pose(arm.q.astype(float), "flange")
    np.testing.assert_allclose(pose[:3, 0], rotation[:, 2], atol=2e-3)
    assert arm.status == "solved"


@pytest.mark.parametrize("search", [False, True])
def test_an_arm_moves_as_a_solve_moves_it(panda, search):
    model, start = model_of(panda), panda._opened.arms[0].start
    wanted = goal("flange", (0.35, -0.2, 0.5), "pose", quat_xyzw=[1, 0, 0, 0])
    (arm,) = moved(panda, [wanted], search=search, trace=True)
    target = np.diag([1.0, -1.0, -1.0, 1.0])
    target[:3, 3] = 0.35, -0.2, 0.5
    budget = {"iterations": room.FIRST_SEARCH} if search else {"iterations": 100, "restarts": 0}
    options = {"start": start, "tolerance": 1e-4, "tolerance_rotation": 1e-3, **budget}
    solution = model.solve(Pose(frame="flange", target=target), **options)
    assert solution.solver_reason.endswith(
        "in the fast core, for arms of up to 12 revolute and prismatic joints"
    )
    np.testing.assert_array_equal(arm.q, solution.q.astype(np.float32))
    np.testing.assert_array_equal(arm.trace[-1], arm.q)
    assert arm.iterations == solution.iterations
    assert arm.status == "solved"


def test_solved_is_said_only_where_every_goal_is_within_its_tolerance(panda):
    asked = [goal("flange", (0.5, 0.1, 0.4)), goal("link4", (0.0, 0.0, 0.2))]
    (arm,) = moved(panda, asked)
    assert arm.status != "solved"
    assert arm.iterations_to_tolerance == -1
    assert arm.goal_errors.reshape(2, 2)[:, 0].max() > 1e-4


def test_an_arm_goes_on_from_its_last_answer_or_from_a_start(crane):
    asked, one = [goal("hook", (0.6, 0.6, 1.4))], {"settings": {"iterations": 1}, "trace": True}
    (first,) = moved(crane, asked, **one)
    (second,) = moved(crane, asked, **one)
    np.testing.assert_allclose(second.trace[0], first.q, atol=1e-6)
    start = {"start": {"lm": [0.3, 0.2, 0.1]}}
    (third,) = moved(crane, asked, entry=start, **one)
    np.testing.assert_allclose(third.trace[0], [0.3, 0.2, 0.1], atol=1e-6)


def test_solvers_do_not_share_their_place(crane):
    asked = [goal("hook", (0.6, 0.6, 1.4))]
    moved(crane, asked, ["lm"])
    (other,) = moved(crane, asked, ["ccd"], trace=True)
    np.testing.assert_allclose(other.trace[0], crane._opened.arms[0].start, atol=1e-6)


def test_without_goals_an_arm_stays_where_the_sliders_put_it_within_its_limits(crane):
    (arm,) = moved(crane, [], entry={"start": {"lm": [9.0, 9.0, -9.0]}})
    np.testing.assert_allclose(arm.q, [9.0, 1.5, 0.0])
    assert (arm.status, arm.iterations, arm.goal_errors.size) == ("still", 0, 0)


def test_locked_joints_stay(crane):
    entry = {"locked": ["slew"], "start": {"lm": [0.4, 0.1, 0.1]}}
    place = model_of(crane).pose([0.4, 0.5, 0.3], "hook")[:3, 3]
    for search in (False, True):
        (arm,) = moved(crane, [goal("hook", place)], entry=entry, search=search)
        np.testing.assert_allclose(arm.q, [0.4, 0.5, 0.3], atol=1e-3)
        assert arm.q[0] == np.float32(0.4)


def test_limits_can_be_left_aside(crane):
    asked = [goal("hook", (0.0, 0.0, 3.2))]
    (within,) = moved(crane, asked)
    (beyond,) = moved(crane, asked, settings={"limits": False})
    assert within.violations == 0
    assert beyond.goal_errors[0] < within.goal_errors[0]


def test_without_limits_an_arm_goes_on_from_where_it_is_beyond_them(crane):
    asked, settings = [goal("hook", (0.0, 0.0, 3.2))], {"limits": False, "iterations": 3}
    (first,) = moved(crane, asked, settings=settings)
    assert not model_of(crane).is_within_limits(first.q.astype(float))
    (second,) = moved(crane, asked, settings=settings, trace=True)
    np.testing.assert_allclose(second.trace[0], first.q, atol=1e-6)
    (still,) = moved(crane, [], entry={"start": {"lm": [0.0, 1.0, 2.0]}}, settings=settings)
    np.testing.assert_allclose(still.q, [0.0, 1.0, 2.0])
    (back,) = moved(crane, [], settings={"limits": True})
    np.testing.assert_allclose(back.q, [0.0, 1.0, 1.0])


def test_quaternions_have_length_1_with_and_without_limits():
    ball = began(text=BALL)
    for limits in (True, False):
        entry = {"start": {"lm": [0.0, 0.0, 2.0, 2.0]}}
        (arm,) = moved(ball, [], entry=entry, settings={"limits": limits})
        np.testing.assert_allclose(arm.q, [0.0, 0.0, math.sqrt(0.5), math.sqrt(0.5)], atol=1e-6)


def test_a_posture_is_kept_by_what_knows_priorities_and_told_of_the_others(panda):
    asked = [goal("flange", (0.45, 0.1, 0.4))]
    near = load("panda").clip([1.0, 0.5, -1.0, -2.0, 0.5, 1.5, 0.5]).tolist()
    settings = {"iterations": 200}
    (free,) = moved(panda, asked, settings=settings)
    entry = {"posture": {"q": near, "weight": 1.0}}
    motion = panda.move(request(**moving(asked, ["lm", "ccd"], entry=entry, settings=settings)))
    bent = motion.arms[0]
    assert bent.status == "solved"
    assert np.linalg.norm(bent.q - near) < np.linalg.norm(free.q - near)
    assert list(motion.notes) == ["ccd knows no priorities, so it leaves the posture aside."]


def test_a_search_finds_what_a_drag_does_not(panda):
    behind = [goal("flange", (-0.4, -0.3, 0.3), "pose", quat_xyzw=[1, 0, 0, 0])]
    (found,) = moved(panda, behind, search=True)
    assert found.status == "solved"


def test_a_search_ends_in_time_and_keeps_the_best(panda, monkeypatch):
    monkeypatch.setattr(space_session, "SEARCH_SECONDS", 0.2)
    monkeypatch.setattr(room, "FIRST_SEARCH", 5)
    far = [goal("flange", (0.0, 0.3, 3.0))]
    (found,) = moved(panda, far, search=True, trace=True)
    assert found.status in ("unreachable", "likely_unreachable")
    assert found.errors[-1] == pytest.approx(found.goal_errors[0])


def test_what_is_out_of_reach_is_said_to_be(crane):
    (arm,) = moved(crane, [goal("hook", (9.0, 0.0, 1.0))])
    assert arm.status == "unreachable"


def test_a_solver_that_cannot_is_refused_and_the_others_go_on(crane, monkeypatch):
    asked = [goal("hook", (0.6, 0.6, 1.4)), goal("boom", (0.0, 0.0, 1.0))]
    motion = moved(crane, asked, ["lm"], entry={"locked": ["elbow"]})
    assert isinstance(motion[0], ArmRefusal)
    assert "elbow" in motion[0].refused
    monkeypatch.setattr(room, "parameters", lambda: {"lm": (), "dls": ("no such",)})
    motion = moved(crane, asked, ["lm", "dls"], settings={"damping": 0.5})
    assert [type(arm).__name__ for arm in motion] == ["ArmMoveReply", "ArmMoveReply"]


def test_a_value_that_is_not_finite_never_leaves(crane, monkeypatch):
    def trace(model, goals, start, **options):
        lost = replace(solvers.trace(model, goals, start=start, **options), q=start[None] * math.nan)
        lost.solution.q[:] = math.nan
        return lost

    monkeypatch.setattr(room, "trace", trace)
    (arm,) = moved(crane, [goal("hook", (0.6, 0.6, 1.4))])
    assert "not finite" in arm.refused
    (arm,) = moved(crane, [])
    assert np.isfinite(arm.q).all()


# Branches


TIPS = ("arm1.tip", "arm1.b1.tip")


@pytest.mark.parametrize("branches", ["independent", "coupled"])
def test_branches_reach_their_goals_alone_and_together(branches):
    session = began(text=ARM)
    model = model_of(session)
    met = np.array([model.pose(np.full(model.nq, 0.4), tip)[:3, 3] for tip in TIPS])
    asked = [goal(tip, place) for tip, place in zip(TIPS, met, strict=True)]
    (arm,) = moved(session, asked, entry={"branches": branches})
    places = [model.pose(arm.q.astype(float), tip)[:3, 3] for tip in TIPS]
    apart = np.linalg.norm(places - met, axis=1)
    np.testing.assert_allclose(arm.goal_errors.reshape(2, 2)[:, 0], apart, atol=1e-6)
    assert apart[0] <= 2e-4
    if branches == "coupled":
        assert arm.status == "solved"


def test_an_independent_branch_does_not_move_its_parent():
    session = began(text=ARM)
    model = model_of(session)
    (arm,) = moved(session, [goal("arm1.b1.tip", (-0.4, 0.5, 1.7))])
    joints = [joint for joint in model.joints if joint.nq and ".b1." not in joint.name]
    np.testing.assert_array_equal([arm.q[model.q_slice(joint.name)] for joint in joints], 0.0)
    assert arm.q.any()


# What joints can still do


def test_null_directions_hold_the_goals_and_their_number_is_told(panda):
    asked = [goal("flange", (0.45, 0.1, 0.4), "pose", quat_xyzw=[1, 0, 0, 0])]
    (arm,) = moved(panda, asked, search=True)
    assert arm.nullity == 1
    (arm,) = moved(panda, [goal("flange", (0.45, 0.1, 0.4))])
    assert arm.nullity == 4
    (arm,) = moved(panda, [goal("flange", (0.45, 0.1, 0.4))], entry={"locked": ["panda_joint1"]})
    assert arm.nullity == 3
    (arm,) = moved(panda, [goal("flange", (0.45, 0.1, 0.4), "direction", quat_xyzw=[1, 0, 0, 0])])
    assert arm.nullity == 2


def test_a_slide_moves_the_arm_and_holds_its_goals(panda):
    asked = [goal("flange", (0.45, 0.1, 0.4), "pose", quat_xyzw=[1, 0, 0, 0])]
    q = moved(panda, asked, search=True)[0].q.astype(float)
    places = [q]
    for _ in range(3):
        slide = request(type="nullspace", arm=0, q=places[-1].tolist(), goals=asked, along=0, amount=0.1)
        (arm,) = decode_move(panda.slide(slide).encode()).arms
        assert arm.goal_errors.max() < 1e-3
        assert (arm.solver, arm.nullity) == ("nullspace", 1)
        places.append(arm.q.astype(float))
    steps = np.diff(places, axis=0)
    assert np.linalg.norm(steps, axis=1) == pytest.approx([0.1] * 3, rel=0.2)
    assert (steps[0] @ steps[1] > 0) and (steps[1] @ steps[2] > 0)  # the same way, not to and fro


def test_a_slide_leaves_locked_joints_where_they_are(panda):
    asked = [goal("flange", (0.45, 0.1, 0.4))]
    q = moved(panda, asked, search=True)[0].q.astype(float).tolist()
    slide = {"type": "nullspace", "arm": 0, "q": q, "goals": asked, "along": 0, "amount": 0.4}
    for locked in (["panda_joint1"], ["panda_joint2", "panda_joint5"]):
        (arm,) = decode_move(panda.slide(request(**slide, locked=locked)).encode()).arms
        stays = [int(name[-1]) - 1 for name in locked]
        assert np.array_equal(arm.q[stays], np.float32(q)[stays])
        assert np.abs(arm.q - q).max() > 0.05
        assert arm.goal_errors.max() < 1e-3
        assert arm.nullity == 4 - len(locked)


def test_a_slide_goes_beyond_limits_only_where_they_are_left_aside(panda):
    model, asked = model_of(panda), [goal("flange", (0.45, 0.1, 0.4))]
    q = moved(panda, asked, search=True)[0].q.astype(float).tolist()
    slide = {"type": "nullspace", "arm": 0, "q": q, "goals": asked, "along": 0, "amount": 3.0}
    (within,) = decode_move(panda.slide(request(**slide)).encode()).arms
    assert model.is_within_limits(within.q.astype(float), -1e-6)
    (beyond,) = decode_move(panda.slide(request(**slide, limits=False)).encode()).arms
    assert np.linalg.norm(beyond.q - q) > np.linalg.norm(within.q - q) - 1e-3
    q[3] = 0.5  # its upper limit is below 0
    (kept,) = decode_move(
        panda.slide(request(**{**slide, "q": q, "amount": 0.0}, limits=False)).encode()
    ).arms
    assert kept.q[3] > model.upper[3]


def test_a_null_direction_that_does_not_exist_is_an_error(crane):
    slide = {
        "type": "nullspace",
        "arm": 0,
        "q": [0, 0.3, 0.3],
        "goals": [goal("hook", (1, 0, 1))],
        "along": 0,
    }
    with pytest.raises(LimbikError, match="no null direction 0"):
        crane.slide(request(**slide, amount=0.1))


def test_null_directions_keep_their_names_while_the_arm_moves():
    rng = np.random.default_rng(1)
    basis = np.linalg.qr(rng.normal(size=(7, 3)))[0]
    mixed = basis @ np.linalg.qr(rng.normal(size=(3, 3)))[0]
    np.testing.assert_allclose(aligned(mixed, basis), basis, atol=1e-12)


def test_null_directions_are_those_of_finite_differences(panda):
    model = model_of(panda)
    q = model.random(2)
    asked = request(**moving([goal("flange", (0, 0, 0), "direction", axis="y", **TURNED)])).arms[0].goals
    basis = null_directions(model, asked, q)
    assert basis.shape == (7, 2)
    for direction in basis.T:
        before, after = (model.pose(model.integrate(q, s * 1e-6 * direction), "flange") for s in (-1, 1))
        np.testing.assert_allclose((after - before)[:3, 3], 0.0, atol=1e-10)
        np.testing.assert_allclose((after - before)[:3, 1], 0.0, atol=1e-10)


def test_the_ellipsoid_is_that_of_the_measured_frame(panda):
    asked = [goal("flange", (0.45, 0.1, 0.4))]
    (arm,) = moved(panda, asked, measure={"arm": 0, "frame": "link5"})
    J = model_of(panda).jacobian(arm.q.astype(float), "link5")[:3]
    np.testing.assert_allclose(arm.ellipsoid.reshape(3, 3), J @ J.T, atol=1e-5)
    assert arm.manipulability == pytest.approx(np.prod(np.linalg.svd(J, compute_uv=False)), abs=1e-5)
    (arm,) = moved(panda, asked)
    assert arm.ellipsoid is None


# Reasons


def explained(session, goals, q, **others):
    return session.explain(request(type="explain", arm=0, q=q, goals=goals, **others))


def test_a_goal_out_of_reach_is_explained_with_the_nearest_configuration(crane):
    told = explained(crane, [goal("hook", (9.0, 0.0, 1.0))], [0.0, 0.0, 0.0])
    assert told.status == "unreachable"
    assert "too far" in told.text
    assert len(told.nearest) == 3


def test_joints_whose_limits_bind_are_named(crane):
    told = explained(crane, [goal("hook", (1.6, 0.0, 1.0))], [0.0, 0.0, 0.0])
    assert (told.status, list(told.joints)) == ("limits_bind", ["lift"])


def test_locked_joints_in_the_way_are_named(crane):
    told = explained(crane, [goal("hook", (-0.4, 0.0, 1.9))], [0.0, 0.0, 0.0], locked=["slew"])
    assert (told.status, list(told.joints)) == ("locked", ["slew"])
    assert "With joint 'slew' free there is a solution" in told.text


def test_a_reason_takes_the_limits_and_tolerances_of_the_page(crane):
    asked, q = [goal("hook", (-0.4, 0.0, 1.9))], [0.0, 0.0, 0.0]
    free = explained(crane, asked, q, locked=["slew"], settings={"limits": False})
    assert (free.status, list(free.joints)) == ("solved", [])
    far = [goal("hook", (1.6, 0.0, 1.0))]
    assert explained(crane, far, q).status == "limits_bind"
    assert explained(crane, far, q, settings={"tolerance": 0.2}).status == "solved"


def test_a_goal_that_can_be_met_is_explained_so(crane):
    told = explained(crane, [goal("hook", (0.6, 0.6, 1.4))], [0.0, 0.0, 0.0])
    assert (told.status, told.nearest) == ("solved", None)


# Export


def exported(session, format, **others):
    return session.export(request(type="export", format=format, **others))


def test_an_exported_arm_file_opens_as_the_same_scene():
    session = began(text=ARM)
    found = exported(session, "arm", goals=[[goal("arm1.tip", (0.1, 0.2, 0.9))]])
    again = began(text=found.text)
    assert found.name.endswith(".arm")
    (arm,) = again._opened.arms
    np.testing.assert_allclose(arm.arm.goals[0].target, (0.1, 0.2, 0.9))
    q = model_of(session).random(0)
    for tip in ("arm1.tip", "arm1.b1.tip"):
        np.testing.assert_allclose(arm.model.pose(q, tip), model_of(session).pose(q, tip), atol=1e-9)


@pytest.mark.parametrize("text", [URDF, TABLE, ARM], ids=["urdf", "table", "arm"])
def test_an_exported_urdf_moves_as_the_scene_does(text):
    session = began(text=text)
    again = load(exported(session, "urdf").text + "\n")
    model = model_of(session)
    q = model.random(0)
    assert again.nq == model.nq
    np.testing.assert_allclose(again.pose(q, model.end_effector)[:3, 3], model.pose(q)[:3, 3], atol=1e-9)


def test_what_a_format_cannot_say_is_an_error_or_a_note(crane):
    with pytest.raises(ModelError):
        exported(crane, "arm")
    session = began(text=ARM)
    pose = goal("arm1.tip", (0.1, 0.2, 0.9), "pose", quat_xyzw=[0, 0, 0, 1])
    assert "left out" in exported(session, "arm", goals=[[pose]]).notes[0]


# What has no meaning


def test_requests_that_do_not_fit_the_scene_are_errors(crane):
    with pytest.raises(LimbikError, match="no frame 'crook'; did you mean 'hook'"):
        moved(crane, [goal("crook", (0, 0, 0))])
    with pytest.raises(LimbikError, match="cannot move"):
        moved(crane, [goal("base", (0, 0, 0))])
    with pytest.raises(MessageError, match="needs 3 numbers"):
        moved(crane, [], entry={"start": {"lm": [0.0]}})
    with pytest.raises(MessageError, match="from 0 to 0, found 3"):
        moved(crane, [], arm=3)
    with pytest.raises(LimbikError, match="no frame 'crook'"):
        moved(crane, [goal("hook", (1, 0, 1))], measure={"arm": 0, "frame": "crook"})
    with pytest.raises(MessageError, match="from 0 to 0, found 2"):
        moved(crane, [], measure={"arm": 2, "frame": "hook"})
    with pytest.raises(MessageError, match="needs 3 numbers"):
        explained(crane, [goal("hook", (1, 0, 1))], [0.0])
    with pytest.raises(MessageError, match="needs 3 numbers"):
        exported(crane, "urdf", q=[[0.0]])


def test_nothing_moves_before_a_scene_is_open():
    session = SpaceSession(WORKSHOP)
    with pytest.raises(MessageError, match="send `open` first"):
        moved(session, [])


def test_a_scene_that_cannot_be_opened_leaves_the_old_one(crane):
    with pytest.raises(LimbikError):
        crane.open(request(**opening(text="nonsense\n")))
    assert moved(crane, [])[0].status == "still"


def test_a_new_scene_forgets_where_arms_were(crane):
    moved(crane, [], entry={"start": {"lm": [0.4, 0.1, 0.1]}})
    crane.open(request(**opening(text=URDF)))
    np.testing.assert_allclose(moved(crane, [])[0].q, crane._opened.arms[0].start, atol=1e-6)
