"""Whatever the public API is given, it raises no errors but its own."""

import dataclasses
import decimal
import fractions
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import RigidTransform, Rotation

import limbik
from limbik import (
    Branch,
    CenterOfMass,
    Direction,
    DistanceBetween,
    EulerLimits,
    Frame,
    Joint,
    JointKind,
    JointValue,
    LookAt,
    Markers,
    Mass,
    Mimic,
    Model,
    ModelBuilder,
    Motion,
    Orientation,
    PointOnLine,
    PointOnPlane,
    Pose,
    Position,
    Posture,
    Relative,
    Scene,
    SceneArm,
    nullspace,
    solvers,
)
from limbik.collision import DistanceGrid
from limbik.errors import LimbikError
from limbik.spatial import pose_from


class Contrary:
    """Fails in everything that may be asked of it."""

    def fail(self, *_):
        raise RuntimeError("asked of a contrary object")

    __eq__ = __float__ = __index__ = __array__ = __len__ = __iter__ = __repr__ = as_matrix = fail
    __hash__ = None  # type: ignore[assignment]


class EqualToSome:
    """Compares as an array does."""

    def __eq__(self, other):
        return np.array([True, False])

    __hash__ = None  # type: ignore[assignment]


def nested(depth):
    return [nested(depth - 1)] if depth else []


ARM, BALLS = limbik.planar_arm(3), limbik.ball_arm([0.5, 0.5], swing=1.0)
ROBOT = limbik.load("ur5e")
ODD = [
    *(None, True, 0, -1, 3, 0.5, -0.0, 1e-300, 1e308, math.nan, math.inf, 10**400, -(10**400), 1j),
    *("", "x", "joint1", "tip", "world", "lm", "\ud800", "x" * 5000, b"x"),
    *([], (), {}, set(), {"a": 1}, range(3), [0, 0, 0], [1, 1, 0], [[1, 2], [3]], [None] * 3),
    *(["1", "2", "3"], [10**5000], [Ellipsis] * 3, pose_from(translation=(1e300, 0.0, 0.0))),
    *([10**400] * 3, [1e308] * 3, [1j, 0, 0], [1.0, math.nan, 0.0], nested(40)),
    *(
        np.array(1.0),
        np.array([0.5, 0.5]),
        np.array(["world", "frame"]),
        np.array([None, 1]),
        np.zeros((3, 0)),
    ),
    *(np.eye(3), np.eye(4), 2.0 * np.eye(4), np.zeros((2, 4, 4)), np.full((4, 4), np.nan)),
    *(np.float32(0.5), np.bool_(True), np.str_("joint1")),
    *(np.datetime64("2020-01-01"), np.timedelta64(1, "s")),
    *(fractions.Fraction(10**400), decimal.Decimal("sNaN"), Rotation.identity(), RigidTransform.identity()),
    *(object(), float, RigidTransform, len, ..., Contrary(), EqualToSome(), JointKind.BALL, EulerLimits()),
    *(Mimic(joint="joint1"), Position(target=[1, 1, 0]), [Position(target=[1, 1, 0]), 3], solvers.DLS),
]
FRAME = {"frame": "tip", "priority": 0}
BOXES = {"weight": 1.0, "tolerance": 0.1}
PARENTS = {"parent": "base", "child": "link", "origin": (0, 0, 1)}
SEARCH = {"tolerance": 1e-3, "restarts": 0, "limits": True, "tool": np.eye(4), "seed": 1}
SOLVE = {**SEARCH, "start": None, "rest": None, "solver": "lm", "prefer": None, "rest_bias": 0.0}
ONE_ARM = [SceneArm("a", BALLS, (Position(target=[0.5, 0.5, 0]),))]
IN_SHORT = {"iterations": 2}  # never odd
ROBOT_POSE = ROBOT.pose(ROBOT.neutral)
REACHES = np.array([[0.3] * 6, [0.35] * 6])
_WALK = limbik.load_motion(Path(__file__).parents[1] / "examples" / "walk.bvh")
WALK = dataclasses.replace(_WALK, q=_WALK.q[:3])
LEG = ("LeftUpLeg", "LeftLeg", "LeftFoot")
SOLE = limbik.motion.soles_of(WALK)[0]
SQUARE = ([[0, 0, 0], [1, 0, 0], [1, 0, 1], [0, 0, 1]], [[0, 2, 1], [0, 3, 2]])
HAND = limbik.motion.Hand(np.random.default_rng(0).normal(0.0, 0.05, (2, 26, 3)), "left")
WAVING = Motion(ARM, np.linspace(0.0, 1.0, 90).reshape(30, 3), 0.01)


def of_builder(kind):
    return lambda name="a", **given: getattr(ModelBuilder("m"), kind)(name, **given).build()


def of_scene(arms, **given):
    return Scene(arms).solve(**IN_SHORT, **given)


def of_links(kind, *names):
    """The call of `solve` of something that moves links of a walk."""

    def call(model=WALK.model, q=WALK.q, to=(0.1, 0.3, 0.2), **options):
        return kind(*names, **options).solve(model, q, to)

    return call


def solved(by):
    return lambda goal=(1.0, 1.0, 0.0), **given: by(ARM, goal, **IN_SHORT, **given)


# What is called, and arguments that are right, each of which is replaced by an odd one now and then.
CALLS = {
    "Position": (Position, {"target": [1, 1, 0], **BOXES, "axes": "world", **FRAME}),
    "Orientation": (Orientation, {"target": np.eye(3), **BOXES, "axes": "frame", **FRAME}),
    "Pose": (Pose, {"target": np.eye(4), "weights": (1,) * 6, "tolerance": (0,) * 6, **FRAME}),
    "Relative": (Relative, {"target": np.eye(4), "reference": "base", **FRAME}),
    "Direction": (Direction, {"axis": [1, 0, 0], "target": [0, 1, 0], **BOXES, **FRAME}),
    "LookAt": (LookAt, {"axis": [1, 0, 0], "target": [0, 1, 0], **BOXES, **FRAME}),
    "PointOnLine": (PointOnLine, {"point": [1, 0, 0], "direction": [0, 1, 0], **BOXES}),
    "PointOnPlane": (PointOnPlane, {"point": [1, 0, 0], "normal": [0, 1, 0], **BOXES}),
    "DistanceBetween": (DistanceBetween, {"other": "base", "value": 0.5, **BOXES, **FRAME}),
    "CenterOfMass": (CenterOfMass, {"target": [1, 0, 0], **BOXES}),
    "JointValue": (JointValue, {"joint": "joint1", "value": 0.3, **BOXES}),
    "Posture": (Posture, {"q": [0, 0, 0], "weight": 1.0, "priority": 1}),
    "Joint": (
        Joint,
        {"name": "a", "kind": JointKind.BALL, "parent": "p", "child": "c", "origin": np.eye(4), "axis": "z"}
        | {"lower": -1, "upper": 1, "swing": 1, "euler": None, "mimic": None},
    ),
    "Frame": (Frame, {"name": "a", "link": "b", "pose_link_frame": np.eye(4)}),
    "Mass": (Mass, {"link": "a", "mass": 1.0, "center": [0, 0, 0]}),
    "Mimic": (Mimic, {"joint": "a", "multiplier": 1.0, "offset": 0.0}),
    "EulerLimits": (EulerLimits, {"order": "ZYX", "lower": [-1] * 3, "upper": [1] * 3}),
    "Model": (
        lambda name="m", joints=(), frames=(), **given: Model(name, joints, frames, **given),
        {"name": "m", "joints": [], "frames": [], "masses": [], "root": "base", "end_effector": None},
    ),
    "ModelBuilder": (ModelBuilder, {"name": "m", "root": "base"}),
    "revolute": (of_builder("revolute"), {"name": "a", "axis": "z", "limits": 1, "mimic": None, **PARENTS}),
    "prismatic": (of_builder("prismatic"), {"axis": [1, 0, 0], "limits": (0, 1), **PARENTS}),
    "ball": (of_builder("ball"), {"axis": "x", "swing": 1, "twist": 1, "euler": None, **PARENTS}),
    "floating": (of_builder("floating"), PARENTS),
    "frame": (of_builder("frame"), {"name": "a", "link": "base", "pose": (0, 0, 1)}),
    "mass": (of_builder("mass"), {"name": "base", "mass": 1.0, "center": (0, 0, 0)}),
    "planar_arm": (limbik.planar_arm, {"links": 3, "length": 1.0, "limits": None}),
    "ball_arm": (limbik.ball_arm, {"lengths": [1, 1], "swing": 1.0, "twist": None}),
    "load": (limbik.load, {"source": "planar-2", "base": "fixed", "end_effector": "tip"}),
    "solve": (solved(limbik.solve), {"goal": [1, 1, 0], "locked": ["joint1"], **SOLVE}),
    "trace": (solved(limbik.trace), {"goal": [1, 1, 0], **SOLVE}),
    "solve_batch": (
        lambda poses, **given: limbik.solve_batch(ROBOT, poses, **IN_SHORT, **given),
        {"poses": np.zeros((0, 4, 4)), "start": None, "frame": "flange", "threads": 1, "precision": "double"}
        | SEARCH,
    ),
    "solve beside a world": (
        lambda **given: ROBOT.solve(ROBOT_POSE, **IN_SHORT, **given),
        {"world": limbik.collision.World(), "clearance": 0.01, "prefer": "nearest"},
    ),
    "a solve of": (lambda model: limbik.solve(model, [1, 1, 0], **IN_SHORT), {"model": ARM}),
    "warmup of": (lambda model: limbik.warmup(model, []), {"model": ARM}),
    "get": (solvers.get, {"name": "dls", "damping": 0.5}),
    "CCD": (solvers.CCD, {"damping": 1.0, "anneal": 0.0, "direction_joints": None}),
    "pose": (ARM.pose, {"q": [0, 0, 0], "frame": "tip"}),
    "jacobian": (ARM.jacobian, {"q": [0, 0, 0], "frame": "tip", "axes": "world"}),
    "integrate": (BALLS.integrate, {"q": BALLS.neutral, "v": np.zeros(6)}),
    "difference": (BALLS.difference, {"q0": BALLS.neutral, "q1": BALLS.neutral}),
    "clip": (BALLS.clip, {"q": BALLS.neutral}),
    "random": (ARM.random, {"rng": 1, "size": 2}),
    "is_within_limits": (ARM.is_within_limits, {"q": [0, 0, 0], "margin": 0.1}),
    "basis": (lambda q, keep: ARM.nullspace(q, keep), {"q": [0, 0, 0], "keep": "tip"}),
    "slide": (
        nullspace.slide,
        {"model": ARM, "q": [0, 0, 0], "direction": [1, 0, 0], "step": 0.1, "keep": "tip"},
    ),
    "toward": (
        nullspace.toward,
        {"model": ARM, "q": [0, 0, 0], "posture": [0, 0, 0]},
    ),
    "numeric_jacobian": (
        lambda **given: limbik.numeric_jacobian(np.sin, **given),
        {"q": [0.5, 1], "method": "forward", "step": 1e-6, "bounds": (0, 1)},
    ),
    "automatic_jacobian": (lambda q: limbik.automatic_jacobian(np.sin, q), {"q": [0.5, 1]}),
    "cost_gradient": (
        lambda model, q: limbik.cost_gradient(model, lambda q, frames: q[0] * frames["tip"][0, 3], q),
        {"model": ARM, "q": [0, 0, 0]},
    ),
    "velocity_map": (BALLS.velocity_map, {"q": BALLS.neutral}),
    "solution_jacobian": (
        limbik.solution_jacobian,
        {"model": ARM, "q": [0.3, 0.5, 0.2], "frame": "tip", "of": "position", "limits": True}
        | {"locked": ["joint1"], "tool": np.eye(4)},
    ),
    "Optimize": (solvers.Optimize, {"method": "SLSQP", "costs": (lambda q, frames: 0.0,), "weights": [1.0]}),
    "DLS": (solvers.DLS, {"damping": 1.0, "manipulability": 0.1, "stiffness": {"joint1": 2.0}}),
    "solve_function": (
        lambda **given: limbik.solve_function(np.sin, **IN_SHORT, **given),
        {"start": [0.5, 1], "target": [0.3, 0.4], "bounds": (0, 1), "method": "central"}
        | {"step": 1e-6, "tolerance": 1e-3, "restarts": 1, "seed": 0},
    ),
    "Branch": (
        lambda name, tip, joints: SceneArm("a", ARM, branches=(Branch(name, tip, joints),)),
        {"name": "b", "tip": "tip", "joints": ("joint1",)},
    ),
    "SceneArm": (SceneArm, {"name": "a", "model": ARM, "goals": (), "q": None, "branches": ()}),
    "Scene": (Scene, {"arms": (), "name": "s", "angles": "range"}),
    "Scene.solve": (
        of_scene,
        {"arms": ONE_ARM, "solver": "lm", "branches": "coupled", "locked": [], "seed": 0},
    ),
    "solve_all": (
        lambda goal=(1.0, 1.0, 0.0), **given: limbik.solve_all(ARM, goal, starts=2, **given),
        {"goal": [1, 1, 0], "frame": None, "start": None, "limits": True, "revolutions": False}
        | {"clearance": 0.0, "time_limit": 1.0},
    ),
    "poses": (ARM.poses, {"q": [0, 0, 0], "frames": ["tip"]}),
    "straight_line": (limbik.straight_line, {"start": np.eye(4), "end": np.eye(4), "count": 3}),
    "arc": (
        limbik.arc,
        {"start": np.eye(4), "center": [1, 0, 0], "axis": [0, 0, 1], "angle": 1.0, "count": 3},
    ),
    "Markers": (Markers, {"names": ["a"], "positions": np.zeros((2, 1, 3)), "dt": 0.01, "up": "z"}),
    "Motion": (Motion, {"model": ARM, "q": np.zeros((2, 3)), "dt": 0.01, "up": "z"}),
    "smooth": (limbik.motion.smooth, {"motion": WAVING, "method": "one-euro", "cutoff_hz": 6.0}),
    "measure": (limbik.motion.measure, {"motion": WAVING, "feet": ["tip"], "ground": 0.0}),
    "retarget": (
        lambda **given: limbik.motion.retarget(WALK, **given),
        {"model": WALK, "source": None, "target": None, "contacts": np.ones((3, 2)), "speed_limits": True},
    ),
    "plant_feet": (
        lambda **given: limbik.motion.plant_feet(WALK, **given),
        {"ground": None, "contacts": None, "feet": ["LeftFoot"], "weight": 1.0, "halflife": 0.1},
    ),
    "Limb": (
        of_links(limbik.motion.Limb, *LEG),
        {"model": WALK.model, "to": [0, 0, 1], "pole": None, "weight": 1.0, "swivel": 0.0, "soften": 0.0},
    ),
    "Aim": (
        of_links(limbik.motion.Aim, ("Neck", "Head")),
        {"model": WALK.model, "to": [0, 0, 1], "axis": [0, 0, 1], "eye": [0, 0, 0], "weights": 1.0},
    ),
    "Spline": (
        of_links(limbik.motion.Spline, ("Spine", "Chest"), "Neck"),
        {"model": WALK.model, "to": [[0, 1, 0], [0, 2, 0]], "twist": 0.0},
    ),
    "Ground.mesh": (limbik.motion.Ground.mesh, {"mesh": SQUARE, "up": "y", "unit": 1.0}),
    "ContactRule.for_legs": (limbik.motion.ContactRule.for_legs, {"length": 0.8}),
    "Sole": (
        lambda **given: limbik.motion.plant_feet(WALK, feet=[dataclasses.replace(SOLE, **given)]),
        {"ankle": SOLE.ankle, "toe": SOLE.toe, "heel": SOLE.heel, "up": SOLE.up, "heights": SOLE.heights},
    ),
    "planting_report": (limbik.motion.planting_report, {"motion": WALK, "planted": WALK, "feet": None}),
    "sole_contacts": (limbik.motion.sole_contacts, {"motion": WALK, "soles": None, "rule": None}),
    "measures of a walk": (
        lambda **given: limbik.motion.measure(WALK, **given),
        {"contacts": None, "limbs": (), "targets": None},
    ),
    "fit_limb_lengths": (
        lambda **given: limbik.motion.fit_limb_lengths(WALK, **given),
        {"lengths": {"LeftLeg": 0.4}, "symmetric": True, "keep": ["LeftHand"]},
    ),
    "drag": (
        lambda **given: limbik.motion.drag(WALK, **given),
        {"link": "LeftHand", "frame": 1, "place": [0.3, 1.0, 0.2], "falloff": 0.3, "keep": [0]},
    ),
    "HandRetargeter": (limbik.motion.HandRetargeter, {"model": HAND.model(), "hand": HAND, "tips": None}),
    "ContactRule": (
        lambda **given: limbik.motion.sole_contacts(WALK, rule=limbik.motion.ContactRule(**given)),
        {
            "height": 0.03,
            "leave_speed": 0.7,
            "smoothing": 0.025,
            "window": 0.09,
            "ground_velocity": (0, 0, 0),
        },
    ),
    "rates of a path": (
        lambda **given: limbik.solve_path(ROBOT, ROBOT.poses(REACHES, ["flange"])[:, 0], **given),
        {"velocity_limits": 1.0, "acceleration_limits": 1.0, "max_step": 0.5, "deviation": (0.001, 0.01)},
    ),
    "detect_contacts": (limbik.motion.detect_contacts, {"motion": WAVING, "feet": ["tip"], "rule": None}),
    "DistanceGrid": (
        DistanceGrid,
        {"distances": np.zeros((2, 2, 2)), "spacing": 0.1, "origin": [0, 0, 0]},
    ),
    "load_scene": (
        limbik.load_scene,
        {"source": ["-arm", 1, 0, 0, 0, "-seg", 1, 1, 1], "angles": None, "lenient": False},
    ),
}


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", CALLS)
@settings(max_examples=40)
@given(data=st.data())
def test_the_public_api_raises_nothing_but_its_own_errors(name, data):
    call, right = CALLS[name]
    odd_ones = data.draw(st.lists(st.sampled_from(sorted(right)), min_size=1, max_size=2, unique=True))
    odd = {key: data.draw(st.sampled_from(ODD)) for key in odd_ones}
    try:
        call(**{**right, **odd})
    except LimbikError as error:
        assert str(error).strip()


@pytest.mark.parametrize("name", CALLS)
def test_what_the_odd_arguments_stand_in_for_is_right(name):
    call, right = CALLS[name]
    call(**right)


@given(st.integers(50, 5000))
@settings(max_examples=5)
@example(100_000)
def test_lists_of_any_depth_are_told_apart_from_numbers(depth):
    value = []
    for _ in range(depth):
        value = [value]
    with pytest.raises(LimbikError):
        Position(target=value)


FAR = np.full(6, 1e300)
SIGNALLING = np.frombuffer(b"\1\0\x80\x7f" * 3, "<f4")  # of which a conversion to float64 warns
MASKED = np.ma.masked_array(np.full(6, 0.3), [0, 1, 0, 0, 0, 0])
TWO_POSES = [ROBOT.pose(np.full(6, angle)) for angle in (0.3, 0.31)]
BALL = limbik.collision.Sphere(0.1)
SHIFTED = {"function": lambda x: x - 1.0}
WITHOUT_A_SEED = [
    lambda: ROBOT.solve_all(ROBOT.pose([0.1] * 6), seed="no"),
    lambda: ROBOT.solve_path(TWO_POSES, seed="no"),
    lambda: ROBOT.solve([0.3, 0.2, 0.4], seed="no"),
]


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: ROBOT.solve_all(ROBOT.pose([0.1] * 6), start=FAR), "`start.* needs a number up to"),
        (lambda: ROBOT.solve_all_batch([ROBOT.pose([0.1] * 6)], start=FAR), "`start.* needs a number up to"),
        (
            lambda: ROBOT.solve_path([ROBOT.pose([0.1] * 6)], start=FAR),
            "`start.* needs a number up to",
        ),
        (lambda: ROBOT.tracker(ROBOT.pose([0.1] * 6), start=FAR), "`start.* needs a number up to"),
        (lambda: ROBOT.check(FAR), "`q.* needs a number up to"),
        (lambda: ROBOT.check_batch([[0.1] * 6, FAR]), r"`q\[1, 0\]` .* needs a number up to"),
        (lambda: limbik.solve_function(**SHIFTED, start=FAR), "`start` needs numbers up to 1e\\+40"),
        (
            lambda: limbik.solve_function(**SHIFTED, start=np.zeros(6), step=1e-20),
            "`step` needs at least 2.2",
        ),
        (lambda: limbik.numeric_jacobian(SHIFTED["function"], np.zeros(3), step=1e-300), "`step` needs at"),
        (lambda: limbik.numeric_jacobian(np.sin, [0.0], bounds={-1.0, 1.0}), "`bounds` needs .lower, upper."),
        (lambda: ARM.random(1, size=True), "`size` needs a whole number from 0 to 1,000,000,000, found True"),
        (lambda: limbik.collision.Sphere(np.True_), "`radius` of a sphere needs a number above 0"),
        (lambda: Motion(ARM, [[0.1] * 3], 0.1, roles={"hips": "tipp"}), "roles .* did you mean 'tip'"),
        (lambda: ARM.poses([0, 0, 0], {"tip"}), "frames needs a list of names, found {'tip'}"),
        (lambda: limbik.warmup(ROBOT, [None]), "`solvers` needs .* found None among them"),
        (lambda: limbik.warmup(ROBOT, 5), "`solvers` needs .* found 5"),
        (lambda: limbik.solve_function(np.sin, [1e160] * 6), "`start` needs numbers up to 1e\\+40"),
        (lambda: ROBOT.nullspace(np.zeros(6), Posture(q=np.zeros(3))), "the q of Posture needs 6 numbers"),
        (lambda: limbik.nullspace.stay_from_limits(ROBOT, [1e308] * 6), "q.* needs a number up to 1e+09"),
        (lambda: ROBOT.solve_all(ROBOT.pose([0.1] * 6)).some([99]), "`indices` needs whole numbers below"),
        (lambda: ROBOT.solve_all(ROBOT.pose([0.1] * 6)).some("a"), "`indices` needs a list of whole numbers"),
        (lambda: limbik.load_scene("arm 1 0 0 0", lenient="no"), "lenient needs True or False, found 'no'"),
        (
            lambda: limbik.load_scene("arm 1 0 0 0\n# angles: initial\nseg 1 1 1\n# angles: range"),
            ":4: says `# angles: initial` above already",
        ),
        (lambda: SceneArm("a", ROBOT, (Position(target=[0, 0, 1], frame="hand"),)), "no frame 'hand'"),
        *((call, "`seed` needs a whole number of at least 0, found 'no'") for call in WITHOUT_A_SEED),
        (lambda: limbik.scale.reach_map(ROBOT, "a\0b"), "`folder` needs the path of a folder"),
        (lambda: limbik.scale.reach_map(ROBOT, "\ud800"), "`folder` needs the path of a folder"),
        (lambda: limbik.scale.reach_map(ROBOT, "nowhere", voxel=10**400), "`voxel` needs a positive length"),
        (lambda: ROBOT.is_periodic("elbow_joint"), "`joint` needs a Joint, .* found 'elbow_joint'"),
        (lambda: solvers.names(compiled=np.zeros(3)), "`compiled` needs True or False"),
        (lambda: solvers.describe(compiled="no"), "`compiled` needs True or False"),
        (lambda: Motion(ARM, [[0.1] * 3], 0.1, roles="no"), "roles needs links"),
        (lambda: Motion(ARM, [[0.1] * 3], 0.1, hierarchy="no"), "hierarchy needs a list"),
        (lambda: Motion(ARM, [[0.1] * 3], 0.1, hierarchy=np.zeros(2)), "hierarchy needs that of a BVH"),
        (lambda: Motion(ARM, [[0.1] * 3], 0.1, hierarchy=[]), "hierarchy needs that of a BVH"),
        (lambda: Motion(ARM, [[0.1] * 3], 0.1, scene=np.zeros(2)), "scene needs that of a glTF"),
        (lambda: limbik.Markers(["a"], np.zeros((3, 1, 3)), 0.1).save(None), "None: needs the ending .trc"),
        (lambda: ARM.with_shapes_found_by("x"), "find needs a function that returns .* not 'x'"),
        (lambda: ARM.with_shapes_found_by(lambda: 5).shapes, "to return .shapes, rules., and returned 5"),
        (
            lambda: limbik.cost_gradient(ARM, len, ARM.neutral),
            "a cost needs to be a function of q and frames",
        ),
        (lambda: solvers.Optimize(costs=len), "a cost needs to be a function of q and frames"),
        (lambda: limbik.automatic_jacobian(lambda a, b: a, [1.0]), "the function needs to be one of q"),
        (lambda: limbik.numeric_jacobian(lambda: 1.0, [1.0]), "the function needs to be one of q"),
        (lambda: Branch(None, "tip", ()), "`name` of a branch needs a text"),
        (lambda: Branch("a", "tip", (1,)), "a joint of branch 'a' needs a text"),
        (lambda: ARM.pose(SIGNALLING), "needs a finite number, found nan"),
        (lambda: limbik.motion.Ground("y", None), "surface needs a function of points, found None"),
        (lambda: limbik.motion.Ground(np.zeros(3), len), "up needs 'x', 'y' or 'z'"),
        (
            lambda: limbik.collision.LinkShape(link="a", shape=BALL, is_attached="no"),
            "`is_attached` of a shape needs",
        ),
        (lambda: ROBOT.solve([0.3, 0.2, 0.4], start=np.broadcast_to(0.0, (10**12,))), "`start` needs 6"),
        (lambda: Motion(ARM, [[0.1] * 3], True), "dt needs a number of seconds .* found True"),
        (lambda: Motion(ARM, [[0.1] * 3], "0.1"), "dt needs a number of seconds .* found '0.1'"),
        (lambda: limbik.motion.Avatar(5, roles={"head": "a"}), "`model` needs a Model"),
        (lambda: limbik.motion.Avatar(ROBOT, roles=-1), "roles needs frames by role"),
        (lambda: limbik.motion.Hand([[1, 2], [3]], "left"), "positions needs shape"),
        (lambda: limbik.collision.LinkShape(link="a", shape=BALL, name=np.zeros(2)), "`name` of a shape"),
        (lambda: limbik.collision.world_of(None), "`model` needs a Model"),
        (lambda: limbik.collision.save_world(None, "w.json"), "`world` needs a World"),
        (
            lambda: limbik.collision.save_world(limbik.collision.World(), None),
            "the path of a file, found None",
        ),
        (lambda: limbik.collision.save_world(limbik.collision.World(), ""), "the path of a file, found ''"),
        (lambda: limbik.collision.save_world(limbik.collision.World(), "\x00"), "cannot be written"),
        (lambda: limbik.collision.save_world(limbik.collision.World(), "/no/where"), "cannot be written"),
        (
            lambda: ROBOT.solve_all(ROBOT.pose([0.1] * 6), samples=10**19),
            "`samples` needs .* from 1 to 1,000,000",
        ),
        (
            lambda: ROBOT.solve_all(ROBOT.pose([0.1] * 6), starts=10**400),
            "`starts` needs .* from 1 to 1,000,000",
        ),
        (lambda: ROBOT.trace(ROBOT.pose([0.1] * 6), lanes=np.zeros((0, 3))), "`lanes` needs True or False"),
        (lambda: ROBOT.trace(ROBOT.pose([0.1] * 6), lanes="abc"), "`lanes` needs True or False"),
        (lambda: limbik.load_motion("examples/walk.bvh", up=np.zeros((0, 3))), "up needs 'x', 'y' or 'z'"),
        (lambda: ROBOT.pose(MASKED), "q needs .*, found an array with masked numbers"),
        (
            lambda: ROBOT.solve(MASKED[:3]),
            "the target of Position needs .*, found an array with masked numbers",
        ),
        (lambda: ROBOT.solve([0.3, 0.2, 0.4], start=MASKED), "`start` needs .* with masked numbers"),
        (lambda: limbik.planar_arm(6, MASKED), "length needs .* with masked numbers"),
        (lambda: ROBOT.solve_path(TWO_POSES, times=[-1e308, 1e308]), "`times` needs numbers up to"),
        (lambda: ROBOT.solve_path(TWO_POSES, times=[0.0, 1e-320]), "`times` needs .*, by at least 1e-12 s"),
        (lambda: limbik.scale.reach_map(ROBOT, "nowhere", voxel=1e-320), "`voxel` of .* makes more than"),
        (lambda: limbik.collision.Cylinder(radius=0.1, length=1e-165), "`length` of a cylinder needs"),
        (lambda: limbik.collision.Box((0.1, 1e-165, 0.1)), "`size` of a box needs"),
    ],
)
@pytest.mark.filterwarnings("error")
def test_what_no_number_can_hold_is_refused_by_name(call, words):
    with pytest.raises(LimbikError, match=words.replace("1e+09", "1e\\+09")):
        call()


@pytest.mark.filterwarnings("error")
def test_long_quaternions_and_joints_without_limits_give_no_warning():
    scene = "(noname)+\n* box\n1\nbox\n0.2 0.2 0.2\n0.6 0.1 0.5\n0 0 1e308 1\n0 0 0 0\n.\n"
    world = limbik.collision.load_world(scene)
    assert world["box"].pose[:3, 0] == pytest.approx([-1.0, 0.0, 0.0])
    arm = ModelBuilder("arm").continuous("a").revolute("b", axis="y", origin=(0.3, 0, 0), limits=1.0)
    model = arm.fixed("tip", origin=(0.3, 0, 0)).build()
    assert len(model.solve_path([model.pose([0.1, 0.2]), model.pose([0.2, 0.3])], prefer="limits"))


def test_why_nothing_is_solved_for_what_is_no_model_is_said():
    assert "`model` needs a Model" in solvers.refusal(None, [0, 0, 1])
