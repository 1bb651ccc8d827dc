"""A limb of two bones: it reaches, its middle does not jump, and it says what it cannot reach."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

import limbik
from limbik.compiler import native
from limbik.errors import GoalError, ModelError
from limbik.motion import Limb, LimbSolution, two_bone
from limbik.motion.batches import two_bone_rotations, two_bone_settings
from limbik.motion.programs import limbs
from limbik.spatial import cross, dot, norm, perpendicular, quat_rotate, rotation_exp, rotation_log, unit
from strategies import unit_vectors
from walker import SHANK, THIGH, Gait, Kind, skeleton, walk

LEG = Limb("LeftUpLeg", "LeftLeg", "LeftFoot")
REACH = THIGH + SHANK
KINDS = ("euler", "ball")


def bent(kind: Kind, count: int = 20) -> limbik.Motion:
    """Poses of a walk."""
    motion = walk(Gait(duration=2.0), kind).motion
    return replace(motion, q=motion.q[:: len(motion) // count][:count])


def places(motion: limbik.Motion, q: np.ndarray) -> tuple[np.ndarray, ...]:
    """Of hip, knee and ankle."""
    return tuple(motion.model.pose(q, name)[..., :3, 3] for name in (LEG.root, LEG.mid, LEG.tip))


@pytest.mark.slow
@given(st.integers(0, 2**32 - 1))
@pytest.mark.parametrize("kind", KINDS)
def test_a_leg_reaches_every_point_in_its_reach_and_keeps_its_foot(kind: Kind, seed: int) -> None:
    rng = np.random.default_rng(seed)
    motion = bent(kind)
    model, q = motion.model, motion.q
    hip = places(motion, q)[0]
    way = unit(rng.normal(size=(len(q), 3)))
    target = hip + way * rng.uniform(THIGH - SHANK + 1e-6, REACH - 1e-9, (len(q), 1))
    found = LEG.solve(model, q, target)
    assert (found.distance <= 1e-9).all() and found.reached.all()
    assert_allclose(places(motion, found.q)[2], target, atol=1e-9)
    foot = model.pose(found.q, LEG.tip)[:, :3, :3]
    assert_allclose(foot, model.pose(q, LEG.tip)[:, :3, :3], atol=1e-9)
    others = [joint.name for joint in model.joints if "Left" not in joint.name and joint.nq]
    for name in others:
        assert (found.q[:, model.q_slice(name)] == q[:, model.q_slice(name)]).all()


@pytest.mark.parametrize("kind", KINDS)
def test_a_leg_that_is_where_it_is_to_be_stays(kind: Kind) -> None:
    motion = bent(kind)
    found = LEG.solve(motion.model, motion.q, places(motion, motion.q)[2])
    assert_allclose(motion.model.forward(found.q), motion.model.forward(motion.q), atol=1e-7)


def test_one_configuration_gives_numbers() -> None:
    motion = bent("euler")
    found = LEG.solve(motion.model, motion.q[3], places(motion, motion.q[3])[2] + np.array([0.0, 0.05, 0.0]))
    assert isinstance(found, LimbSolution)
    assert found.q.shape == (motion.model.nq,) and type(found.distance) is float and found.reached is True


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_out_of_reach_is_said_and_the_leg_points_at_it(kind: Kind) -> None:
    motion = bent(kind)
    hip = places(motion, motion.q)[0]
    target = hip + np.array([0.3, -0.8, 0.5])
    far = float(np.linalg.norm([0.3, -0.8, 0.5]))
    found = LEG.solve(motion.model, motion.q, target)
    assert not found.reached.any()
    assert_allclose(found.distance, far - REACH, atol=1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_the_foot_takes_a_given_orientation(kind: Kind) -> None:
    motion = bent(kind)
    wanted = rotation_exp(np.array([0.3, 0.2, -0.1]))
    target = places(motion, motion.q)[2] + np.array([0.0, 0.04, 0.02])
    found = LEG.solve(motion.model, motion.q, target, rotation=wanted)
    assert_allclose(
        motion.model.pose(found.q, LEG.tip)[:, :3, :3], np.tile(wanted, (len(motion), 1, 1)), atol=1e-9
    )
    assert found.reached.all()


# --- degenerate poses ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_a_straight_leg_bends_its_knee_to_the_side_of_the_toes(kind: Kind) -> None:
    motion = skeleton(kind)  # its legs are straight
    hip, _, ankle = places(motion, motion.q[0])
    found = LEG.solve(motion.model, motion.q[0], ankle + np.array([0.0, 0.1, 0.0]))
    knee = places(motion, found.q)[1]
    assert found.reached
    assert knee[2] > hip[2] + 0.1 and abs(knee[0] - hip[0]) < 1e-9
    turned = replace(LEG, axis=[-1.0, 0.0, 0.0])
    other = places(motion, turned.solve(motion.model, motion.q[0], ankle + np.array([0.0, 0.1, 0.0])).q)[1]
    assert_allclose(other[2], 2 * hip[2] - knee[2], atol=1e-9)


# The shin is along the axis of the knee but for 1e-303 m: what it has across was too small for a reciprocal.
BONE_ALONG_ITS_HINGE = [0.0, 1e-12, *[0.0] * 6, 1e-12, *[0.0] * 4, 1e-300, *[0.0] * 4]


@given(
    st.lists(st.sampled_from([0.0, 1e-300, 1e-12, 1e-6, 1.0, -1.0]), min_size=18, max_size=18), st.booleans()
)
@example(BONE_ALONG_ITS_HINGE, True)
def test_no_arrangement_of_points_gives_what_is_no_number(values: list[float], is_hinge: bool) -> None:
    problem = np.zeros((1, two_bone.ROW))
    problem[0, :18] = values
    problem[0, two_bone.AXIS : two_bone.POLE] = unit(
        problem[0, two_bone.AXIS : two_bone.POLE] + np.array([0.0, 0.0, 1e-9])
    )
    problem[0, two_bone.MIN :] = -math.inf, math.inf
    answer = two_bone_rotations(
        problem, two_bone_settings(is_hinge=is_hinge, has_pole=True, soften=0.03, stretch=0.1)
    )
    assert np.isfinite(answer).all()
    assert_allclose(norm(answer[:, :4]), 1.0, atol=1e-9)
    assert_allclose(norm(answer[:, 4:8]), 1.0, atol=1e-9)


def test_the_plane_of_a_nearly_straight_leg_goes_over_smoothly() -> None:
    """A knee that swings from bent forwards to bent backwards by 1.7 degrees does not flip."""
    motion = skeleton("ball")
    model = motion.model
    angle = np.linspace(0.03, -0.03, 201)
    q = np.tile(motion.q[0], (len(angle), 1))
    q[:, model.q_slice("LeftLeg")] = np.column_stack(
        [np.sin(0.5 * angle), 0.0 * angle, 0.0 * angle, np.cos(0.5 * angle)]
    )
    ankle = places(motion, motion.q[0])[2]
    knee = places(motion, LEG.solve(model, q, ankle + np.array([0.0, 0.05, 0.0])).q)[1]
    assert (knee[:, 2] > 0.1).all()
    assert norm(np.diff(knee, axis=0)).max() < 0.002


# --- pole and swivel ----------------------------------------------------------------------------------------


@pytest.mark.slow
@given(unit_vectors(), unit_vectors(), st.floats(0.3, 0.84))
def test_the_middle_is_on_the_side_of_the_pole(way: np.ndarray, pole: np.ndarray, far: float) -> None:
    motion = bent("euler", 4)
    hip = places(motion, motion.q)[0]
    found = replace(LEG, pole=hip + pole).solve(motion.model, motion.q, hip + far * way)
    assert (found.distance < 1e-9).all()
    across = pole - way * dot(pole, way)
    if norm(across) > two_bone.NEAR_POLE:
        knee = places(motion, found.q)[1] - hip
        side = knee - way * (knee @ way)[:, None]
        assert_allclose(unit(side), np.tile(unit(across), (4, 1)), atol=1e-6)


def rows(count: int, seed: int = 0) -> np.ndarray:
    """Random limbs at the origin with targets in reach."""
    rng = np.random.default_rng(seed)
    found = np.zeros((count, two_bone.ROW))
    found[:, 3:6] = THIGH * unit(rng.normal(size=(count, 3)))
    lower = SHANK * unit(rng.normal(size=(count, 3)))
    found[:, 6:9] = found[:, 3:6] + lower
    found[:, 9:12] = unit(rng.normal(size=(count, 3))) * rng.uniform(0.05, 0.84, (count, 1))
    found[:, 12:15] = perpendicular(lower)
    found[:, 15:18] = rng.normal(size=(count, 3))
    found[:, two_bone.MIN], found[:, two_bone.MAX] = -math.inf, math.inf
    return found


def middles(problems: np.ndarray, answers: np.ndarray) -> np.ndarray:
    return quat_rotate(answers[:, :4], problems[:, 3:6] - problems[:, :3])


def test_the_swivel_follows_the_pole_across_the_line_of_the_limb() -> None:
    """The pole goes over the line, beside it by 2 degrees at least on the side of the knee."""
    settings = two_bone_settings(has_pole=True)
    for seed in range(10):
        (one,) = rows(1, seed)
        line = unit(one[9:12])
        still = two_bone_rotations(one[None], settings * 0.0)
        knee = middles(one[None], still)[0]
        side = unit(knee - line * (knee @ line))
        angle = np.linspace(-0.6, 0.6, 1201)
        problems = np.tile(one, (len(angle), 1))
        lateral = 0.035
        problems[:, 15:18] = (
            np.cos(angle)[:, None] * line + np.sin(angle)[:, None] * cross(line, side) + lateral * side
        )
        found = middles(problems, two_bone_rotations(problems, settings))
        step = norm(np.diff(found, axis=0)) / norm(knee - line * (knee @ line))
        assert step.max() < 0.02  # [rad] for 0.001 rad of the pole
        middle = found[600] - line * (found[600] @ line)
        assert_allclose(unit(middle), side, atol=1e-6)


def test_a_swivel_turns_the_middle_about_the_line() -> None:
    motion = bent("ball")
    hip, _, ankle = places(motion, motion.q)
    target = ankle + np.array([0.0, 0.08, 0.0])
    line = unit(target - hip)
    plain = places(motion, LEG.solve(motion.model, motion.q, target).q)[1]
    turned = places(motion, replace(LEG, swivel=0.4).solve(motion.model, motion.q, target).q)[1]
    expected = hip + np.einsum("tij,tj->ti", rotation_exp(0.4 * line), plain - hip)
    assert_allclose(turned, expected, atol=1e-9)


# --- soften, stretch, weight, limits ------------------------------------------------------------------------


@pytest.mark.parametrize("lengths", [(0.43, 0.42), (0.3, 0.5), (0.5, 0.3), (0.45, 0.45)])
def test_with_soften_the_knee_moves_at_most_twice_as_far_as_the_target(lengths: tuple[float, float]) -> None:
    upper, lower = lengths
    far = np.linspace(0.7, 1.3, 20001) * (upper + lower)
    problems = np.zeros((len(far), two_bone.ROW))
    problems[:, 3:6] = upper * unit(np.array([1.0, 0.5, 0.0]))
    problems[:, 6:9] = problems[:, 3:6] + lower * unit(np.array([1.0, -0.8, 0.0]))
    problems[:, 9], problems[:, 14] = far, 1.0
    problems[:, two_bone.MIN], problems[:, two_bone.MAX] = -math.inf, math.inf
    native.compile_now(limbs())
    for soften, most in ((0.032, 2.0), (0.0, math.inf)):
        answers = two_bone_rotations(problems, two_bone_settings(soften=soften))
        knee = middles(problems, answers)
        ratio = norm(np.diff(knee, axis=0)) / np.diff(far)
        assert ratio.max() < most
        if not soften:
            assert ratio.max() > 20.0
            continue
        shin = problems[:, 6:9] - problems[:, 3:6]
        ankle = knee + quat_rotate(answers[:, :4], quat_rotate(answers[:, 4:8], shin))
        reached = norm(ankle)
        inside = far < upper + lower
        missed = far - reached
        assert (np.diff(reached) > -1e-12).all()
        assert missed[inside].max() < soften * (upper + lower) / 3.0
        assert missed[far < (1.0 - soften) * (upper + lower)].max() < 1e-12
        assert reached[-1] == pytest.approx(upper + lower)


@pytest.mark.parametrize("lengths", [(0.4, 0.1), (0.1, 0.4), (0.4, 0.3), (0.49, 0.01), (0.25, 0.25)])
@pytest.mark.parametrize("soften", [0.1, 0.2, 0.3, 0.6, 0.999])
def test_with_soften_a_limb_of_uneven_bones_goes_on_toward_its_target(
    lengths: tuple[float, float], soften: float
) -> None:
    reach = sum(lengths)
    far = np.linspace(max(0.5 * reach, abs(lengths[0] - lengths[1])), reach, 500)
    near = np.array([two_bone.softened(each, *lengths, soften) for each in far])
    eased = min(soften, 0.4 * min(lengths) / max(lengths))
    assert (np.diff(near) > -1e-12).all()
    assert (far - near).max() <= 0.4 * eased * reach
    assert_allclose(near[far <= (1.0 - eased) * reach], far[far <= (1.0 - eased) * reach], atol=1e-15)


BVH_WITH_POSITIONS = """HIERARCHY
ROOT Hip
{
    OFFSET 0 0 0
    CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
    JOINT Knee
    {
        OFFSET 0 -40 0
        CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
        JOINT Ankle
        {
            OFFSET 0 -40 0
            CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
            End Site
            {
                OFFSET 0 0 10
            }
        }
    }
}
MOTION
Frames: 1
Frame Time: 0.1
0 100 0 0 0 0 0 -40 0 0 10 0 0 -40 0 0 -5 0
"""


def test_bones_stretch_where_the_model_has_position_channels() -> None:
    motion = limbik.load_motion(BVH_WITH_POSITIONS)
    limb = Limb("Hip", "Knee", "Ankle", soften=0.05, stretch=0.2)
    model = motion.model
    for target, reached, factor in (
        ([0.1, 0.3, 0.0], True, 1.0),
        ([0.0, 0.15, 0.0], True, 0.85 / 0.8),
        ([0.0, -0.2, 0.0], False, 1.2),
    ):
        found = limb.solve(model, motion.q[0], target)
        hip, knee, ankle = (model.pose(found.q, name)[:3, 3] for name in ("Hip", "Knee", "Ankle"))
        assert found.reached is reached
        upper, lower = np.linalg.norm(knee - hip), np.linalg.norm(ankle - knee)
        assert upper == pytest.approx(lower)
        assert upper / 0.4 == pytest.approx(factor, abs=0.02)
        assert upper <= 0.48 + 1e-12


def test_stretch_without_position_channels_is_refused() -> None:
    motion = bent("euler")
    with pytest.raises(ModelError, match="position channels on 'LeftLeg' and 'LeftFoot'"):
        replace(LEG, stretch=0.1).solve(motion.model, motion.q, np.zeros(3))


def test_weight_goes_from_the_pose_beneath_to_the_target() -> None:
    motion = bent("euler")
    model = motion.model
    target = places(motion, motion.q)[2] + np.array([0.05, 0.1, 0.03])
    wanted = rotation_exp(np.array([0.2, 0.0, 0.1]))
    none, half, full = (
        replace(LEG, weight=weight).solve(model, motion.q, target, rotation=wanted).q
        for weight in (0.0, 0.5, 1.0)
    )
    assert_allclose(model.forward(none), model.forward(motion.q), atol=1e-9)
    for link, parent in (("LeftUpLeg", "Hips"), ("LeftLeg", "LeftUpLeg"), ("LeftFoot", "LeftLeg")):
        local = [
            np.swapaxes(model.pose(q, parent), -1, -2)[:, :3, :3] @ model.pose(q, link)[:, :3, :3]
            for q in (none, half, full)
        ]
        first = rotation_log(np.swapaxes(local[0], -1, -2) @ local[1])
        second = rotation_log(np.swapaxes(local[1], -1, -2) @ local[2])
        assert_allclose(first, second, atol=1e-8)
    each = np.linspace(0.0, 1.0, len(motion))
    mixed = replace(LEG, weight=each).solve(model, motion.q, target).distance
    assert mixed[0] > 0.1 and mixed[-1] < 1e-9


def test_a_robot_keeps_its_limits_and_says_how_far_it_is() -> None:
    motion = bent("robot")
    model = motion.model
    hip, _, ankle = places(motion, motion.q)
    near = LEG.solve(model, motion.q, ankle + np.array([0.01, 0.05, 0.02]))
    assert near.reached.all()
    rng = np.random.default_rng(5)
    anywhere = hip + unit(rng.normal(size=(len(motion), 3))) * rng.uniform(0.1, 0.84, (len(motion), 1))
    found = LEG.solve(model, motion.q, anywhere)
    assert model.is_within_limits(found.q).all()
    assert_allclose(found.distance, norm(places(motion, found.q)[2] - anywhere), atol=1e-12)
    assert (found.reached == (found.distance <= 1e-6)).all()
    assert (found.q[:, model.q_slice("LeftLeg_x_joint")] >= 0.0).all()


def test_a_talos_leg_is_a_limb() -> None:
    talos = limbik.load("talos")
    leg = Limb("leg_left_3_link", "leg_left_4_link", "leg_left_6_link")
    start = talos.neutral
    at = talos.pose(start, "leg_left_6_link")[:3, 3]
    found = leg.solve(talos, start, at + np.array([0.05, 0.02, 0.1]))
    assert found.distance < 1e-9
    assert talos.is_within_limits(found.q)


def test_the_tip_may_be_a_point_of_the_foot() -> None:
    motion = bent("euler")
    toes = Limb("LeftUpLeg", "LeftLeg", "LeftToeBase.end")
    target = motion.model.pose(motion.q, toes.tip)[:, :3, 3] + np.array([0.02, 0.1, 0.03])
    assert (toes.solve(motion.model, motion.q, target).distance < 1e-9).all()
    with pytest.raises(ModelError, match="does not turn by itself"):
        toes.solve(motion.model, motion.q, target, rotation=np.eye(3))


def test_an_arm_whose_elbow_has_an_offset_reaches_where_its_limits_allow() -> None:
    panda = limbik.load("panda")
    rng = np.random.default_rng(0)
    q = panda.random(1, 200)
    target = panda.pose(q, "hand_tcp")[:, :3, 3] + 0.1 * rng.normal(size=(200, 3))
    found = Limb("link3", "link4", "hand_tcp").solve(panda, q, target)
    assert panda.is_within_limits(found.q).all()
    assert found.reached.mean() > 0.7
    assert (found.distance[found.reached] < 1e-9).all()


@pytest.mark.parametrize("side", np.linspace(0.0, 2.0 * np.pi, 12, endpoint=False))
def test_a_knee_that_is_bent_more_bends_about_its_axis_and_one_that_is_not_stays(side: float) -> None:
    """However the nearly straight limb beneath is bent: by 3 degrees, to any side."""
    bend = math.radians(3.0)
    problem = np.zeros((1, two_bone.ROW))
    problem[0, two_bone.MIN :] = -math.inf, math.inf
    lower = np.array([math.sin(bend) * math.cos(side), -math.cos(bend), math.sin(bend) * math.sin(side)])
    problem[0, two_bone.MID : two_bone.MID + 3] = 0.0, -0.4, 0.0
    problem[0, two_bone.TIP : two_bone.TIP + 3] = tip = [0.0, -0.4, 0.0] + 0.4 * lower
    problem[0, two_bone.AXIS : two_bone.AXIS + 3] = 1.0, 0.0, 0.0  # the knee stands forward, along z
    settings = two_bone_settings(has_knee=True)

    def knee(target: np.ndarray) -> np.ndarray:
        problem[0, two_bone.TARGET : two_bone.TARGET + 3] = target
        turn = two_bone_rotations(problem, settings)[0, two_bone.TURN_ROOT : two_bone.TURN_ROOT + 4]
        return quat_rotate(turn, np.array([0.0, -0.4, 0.0]))

    assert_allclose(knee(tip), [0.0, -0.4, 0.0], atol=1e-9)
    places = np.array([knee((1.0 - part) * tip) for part in np.linspace(0.0, 0.2, 2000)])
    if math.sin(side) < 0.99:  # it is not bent the wrong way: that one has to go over to the other side
        assert np.linalg.norm(np.diff(places, axis=0), axis=1)[1:].max() < 0.01
    beside = places[-1] - tip * (places[-1] @ tip) / (tip @ tip)
    assert beside[2] > 0.9 * np.linalg.norm(beside)


# --- one kernel, and errors ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "settings", [(0, 0, 0.0, 0.0, 0), (0, 1, 0.05, 0.1, 0), (0, 0, 0.0, 0.0, 1), (1, 1, 0.05, 0.0, 0)]
)
def test_machine_code_and_python_give_the_same(settings: tuple[float, ...]) -> None:
    problems = rows(50)
    problems[:, two_bone.SWIVEL] = 0.3
    native.compile_now(limbs())
    by_machine = two_bone_rotations(problems, np.array(settings, np.float64))
    by_python = np.empty_like(by_machine)
    two_bone.solve_rows.interpreted(problems, np.array(settings, np.float64), by_python, lambda: False)
    assert_allclose(by_machine, by_python, atol=1e-7)


def test_bad_input_is_named() -> None:
    motion = bent("euler")
    for wrong, match in (
        ({"axis": [0.0, 0.0, 0.0]}, "axis needs a direction"),
        ({"weight": 1.5}, "weight needs numbers from 0 to 1"),
        ({"soften": -0.1}, "soften"),
        ({"stretch": [0.1, 0.2]}, "stretch"),
        ({"swivel": math.nan}, "swivel"),
        ({"pole": [1.0, 2.0]}, "pole needs a point"),
    ):
        with pytest.raises(GoalError, match=match):
            replace(LEG, **wrong)  # type: ignore[arg-type]
    with pytest.raises(GoalError, match="target needs a point"):
        LEG.solve(motion.model, motion.q, np.zeros((2, 2)))
    at = np.zeros(3)
    for turn in (
        np.zeros((3, 3)),
        2.0 * np.eye(3),
        -np.eye(3),
        np.full((3, 3), np.nan),
        np.full((3, 3), 1e308),
    ):
        with pytest.raises(
            GoalError, match=r"rotation needs rotation matrices .* not orthonormal or a mirror"
        ):
            LEG.solve(motion.model, motion.q, at, rotation=turn)
    with pytest.raises(GoalError, match=rf"\[{len(motion)}\] of q, .*, \[2\] of rotation"):
        LEG.solve(motion.model, motion.q, at, rotation=np.tile(np.eye(3), (2, 1, 1)))
    with pytest.raises(GoalError, match=rf"\[{len(motion)}\] of q, one of target, \[2\] of weight"):
        replace(LEG, weight=[0.5, 1.0]).solve(motion.model, motion.q, np.zeros(3))
    with pytest.raises(ModelError, match="three links in a row"):
        Limb("LeftLeg", "LeftUpLeg", "LeftFoot").solve(motion.model, motion.q, np.zeros(3))
    with pytest.raises(ModelError, match="did you mean"):
        Limb("LeftUpLag", "LeftLeg", "LeftFoot").solve(motion.model, motion.q, np.zeros(3))
    arm = limbik.load("panda")
    with pytest.raises(ModelError, match="no group of joints"):
        Limb("base", "link4", "link7").solve(arm, arm.neutral, np.zeros(3))
