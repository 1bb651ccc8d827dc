"""Forward kinematics and Jacobians, compared with pinocchio models built from the same numbers."""

import math

import numpy as np
import pinocchio as pin
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from limbik.errors import ConfigurationError, ModelError
from limbik.model import Frame, Joint, JointKind, Model, ModelBuilder, planar_arm
from strategies import SEEDS, configuration, models, tangent

UNALIGNED = {
    JointKind.REVOLUTE: pin.JointModelRevoluteUnaligned,
    JointKind.CONTINUOUS: pin.JointModelRevoluteUnaligned,
    JointKind.PRISMATIC: pin.JointModelPrismaticUnaligned,
}


class Oracle:
    """The same tree in pinocchio, where fixed joints are placements, and every frame is a frame."""

    def __init__(self, model: Model) -> None:
        self.model = pin.Model()
        places = {model.root: (0, pin.SE3.Identity())}  # link -> (pinocchio joint, placement in it)
        for joint in model.joints:
            parent, placement = places[joint.parent]
            origin = placement * pin.SE3(np.array(joint.origin))
            if joint.kind is JointKind.FIXED:
                places[joint.child] = (parent, origin)
                continue
            if joint.kind in UNALIGNED:
                moving = UNALIGNED[joint.kind](*joint.axis)
            elif joint.kind is JointKind.BALL:
                moving = pin.JointModelSpherical()
            else:
                moving = pin.JointModelFreeFlyer()
            number = self.model.addJoint(parent, moving, origin, joint.name)
            places[joint.child] = (number, pin.SE3.Identity())
        for frame in model.frames:
            number, placement = places[frame.link]
            pose = placement * pin.SE3(np.array(frame.pose_link_frame))
            self.model.addFrame(pin.Frame(frame.name, number, 0, pose, pin.FrameType.OP_FRAME))
        self.data = self.model.createData()

    def _number(self, frame: str) -> int:
        return self.model.getFrameId(frame, pin.FrameType.OP_FRAME)

    def pose(self, q: np.ndarray, frame: str) -> np.ndarray:
        pin.framesForwardKinematics(self.model, self.data, q)
        return self.data.oMf[self._number(frame)].homogeneous

    def jacobian(self, q: np.ndarray, frame: str, axes: str) -> np.ndarray:
        reference = pin.LOCAL_WORLD_ALIGNED if axes == "world" else pin.LOCAL
        jacobian = pin.computeFrameJacobian(self.model, self.data, q, self._number(frame), reference)
        return jacobian.reshape(6, self.model.nv)


@given(models(), SEEDS)
def test_forward_kinematics_equals_pinocchio(model: Model, seed: int) -> None:
    q = configuration(model, seed)
    oracle = Oracle(model)
    assert (oracle.model.nq, oracle.model.nv) == (model.nq, model.nv)
    poses = model.forward(q)
    for frame, pose in zip(model.frame_names, poses, strict=True):
        assert_allclose(pose, oracle.pose(q, frame), rtol=0, atol=1e-12)
        assert_allclose(model.pose(q, frame), pose, rtol=0, atol=1e-12)


@given(models(), SEEDS, st.sampled_from(["world", "local"]))
def test_jacobians_equal_pinocchio(model: Model, seed: int, axes: str) -> None:
    q = configuration(model, seed)
    oracle = Oracle(model)
    for frame in model.frame_names:
        jacobian = model.jacobian(q, frame, axes)  # type: ignore[arg-type]
        assert_allclose(jacobian, oracle.jacobian(q, frame, axes), rtol=0, atol=1e-12)


@given(models(), SEEDS)
def test_integrate_and_difference_equal_pinocchio(model: Model, seed: int) -> None:
    q, v = configuration(model, seed), tangent(model, seed)
    oracle = Oracle(model)
    moved = model.integrate(q, v)
    assert_allclose(moved, pin.integrate(oracle.model, q, v), rtol=0, atol=1e-12)
    assert_allclose(model.difference(q, moved), pin.difference(oracle.model, q, moved), rtol=0, atol=1e-11)


@given(models(), SEEDS)
def test_jacobian_is_the_derivative_of_the_pose(model: Model, seed: int) -> None:
    q, v, step = configuration(model, seed), tangent(model, seed), 1e-5
    pose = model.pose(q)
    ahead, behind = (model.pose(model.integrate(q, sign * step * v)) for sign in (1.0, -1.0))
    linear = (ahead[:3, 3] - behind[:3, 3]) / (2.0 * step)
    spin = (ahead[:3, :3] - behind[:3, :3]) / (2.0 * step) @ pose[:3, :3].T
    angular = 0.5 * np.array([spin[2, 1] - spin[1, 2], spin[0, 2] - spin[2, 0], spin[1, 0] - spin[0, 1]])
    world = model.jacobian(q) @ v
    assert_allclose(world[:3], linear, rtol=0, atol=1e-5)
    assert_allclose(world[3:], angular, rtol=0, atol=1e-5)
    local = model.jacobian(q, axes="local") @ v
    assert_allclose(pose[:3, :3] @ local[:3], world[:3], rtol=0, atol=1e-12)
    assert_allclose(pose[:3, :3] @ local[3:], world[3:], rtol=0, atol=1e-12)


@given(models(), SEEDS, st.sampled_from([(1,), (5,), (2, 3), (0,)]))
def test_a_batch_gives_what_its_members_give(model: Model, seed: int, lead: tuple[int, ...]) -> None:
    q = configuration(model, seed, math.prod(lead)).reshape(*lead, model.nq)
    poses, pose = model.forward(q), model.pose(q)
    world, local = model.jacobian(q), model.jacobian(q, axes="local")
    assert poses.shape == (*lead, len(model.frames), 4, 4)
    assert pose.shape == (*lead, 4, 4)
    assert world.shape == local.shape == (*lead, 6, model.nv)
    for place in np.ndindex(*lead):
        assert_allclose(poses[place], model.forward(q[place]), rtol=0, atol=1e-14)
        assert_allclose(pose[place], model.pose(q[place]), rtol=0, atol=1e-14)
        assert_allclose(world[place], model.jacobian(q[place]), rtol=0, atol=1e-13)
        assert_allclose(local[place], model.jacobian(q[place], axes="local"), rtol=0, atol=1e-13)


@given(models(), SEEDS)
def test_rotations_stay_rotations_when_quaternions_are_not_of_length_one(model: Model, seed: int) -> None:
    q = configuration(model, seed)
    longer = q.copy()
    for joint in model.joints:
        if joint.kind in (JointKind.BALL, JointKind.FLOATING):
            stop = model.q_slice(joint.name).stop
            longer[stop - 4 : stop] *= 1.7
    assert_allclose(model.forward(longer), model.forward(q), rtol=0, atol=1e-12)


@given(models(), SEEDS)
def test_no_frame_gets_farther_from_the_first_moving_joint_than_reach(model: Model, seed: int) -> None:
    q = model.random(np.random.default_rng(seed))
    for frame in model.frame_names:
        moving = [joint for joint in model.path(frame) if joint.kind is not JointKind.FIXED]
        if not moving:
            assert model.reach(frame) == 0.0
            continue
        start = model.pose(q, moving[0].parent) @ moving[0].origin
        distance = np.linalg.norm(model.pose(q, frame)[:3, 3] - start[:3, 3])
        assert distance <= model.reach(frame) + 1e-12


def test_the_two_link_arm_stands_where_trigonometry_says() -> None:
    arm = planar_arm(2, [3.0, 2.0])
    a, b = 0.3, 0.5
    expected = [3 * math.cos(a) + 2 * math.cos(a + b), 3 * math.sin(a) + 2 * math.sin(a + b), 0.0]
    assert_allclose(arm.pose([a, b])[:3, 3], expected, rtol=0, atol=1e-15)
    assert_allclose(arm.pose([a, b], "link2")[:3, 3], [3 * math.cos(a), 3 * math.sin(a), 0.0], atol=1e-15)
    assert_allclose(arm.jacobian([a, b])[:2, 1], [-2 * math.sin(a + b), 2 * math.cos(a + b)], atol=1e-15)
    assert arm.reach() == 5.0


def test_reach_counts_sliders_and_is_infinite_where_nothing_holds() -> None:
    boom = (
        ModelBuilder("boom").revolute("slew").prismatic("slide", axis="x", origin=(1, 0, 0), limits=(-3, 1))
    )
    assert boom.frame("hook", pose=(0, 0, 0.5)).build(end_effector="hook").reach() == pytest.approx(
        math.hypot(2.0, 0.5)
    )
    assert ModelBuilder("free").revolute("a").prismatic("b").build().reach() == math.inf
    assert ModelBuilder("free").floating("a").build().reach() == math.inf
    assert (
        ModelBuilder("mast")
        .fixed("a", origin=(9, 0, 0))
        .revolute("b")
        .fixed("c", origin=(0, 2, 0))
        .build()
        .reach()
        == 2.0
    )


def test_a_model_without_joints_has_a_root() -> None:
    stand = Model(
        "stand", [], [Frame(name="top", link="base", pose_link_frame=np.diag([1.0, -1.0, -1.0, 1.0]))]
    )
    assert (stand.root, stand.end_effector, stand.nq, stand.nv) == ("base", "base", 0, 0)
    assert stand.forward([]).shape == (2, 4, 4)
    assert stand.forward(np.zeros((3, 0))).shape == (3, 2, 4, 4)
    assert_allclose(stand.pose([], "top"), np.diag([1.0, -1.0, -1.0, 1.0]))
    assert stand.jacobian([]).shape == (6, 0)
    assert stand.reach() == 0.0


@pytest.mark.parametrize("method", ["forward", "pose", "jacobian", "clip", "is_within_limits"])
def test_a_wrong_configuration_is_refused(method: str) -> None:
    model = ModelBuilder("arm").revolute("elbow").ball("wrist").build()
    call = getattr(model, method)
    with pytest.raises(
        ConfigurationError, match=r"q needs 5 numbers \(nq\) along its last axis, found shape \(4,\)"
    ):
        call(np.zeros(4))
    with pytest.raises(ConfigurationError, match=r"q needs 5 numbers .* found shape \(\)"):
        call(0.0)
    with pytest.raises(ConfigurationError, match=r"q\[0\] of joint 'elbow' needs a finite number, found nan"):
        call([math.nan, 0, 0, 0, 1])
    with pytest.raises(
        ConfigurationError, match=r"q\[1, 3\] of joint 'wrist' needs a finite number, found inf"
    ):
        call([[0, 0, 0, 0, 1], [0, 0, 0, math.inf, 1]])
    with pytest.raises(
        ConfigurationError, match=r"q\[1:5\], the quaternion xyzw of joint 'wrist', needs length 1"
    ):
        call(np.zeros(5))
    with pytest.raises(ConfigurationError, match="q needs an array of 5 numbers, found 'home'"):
        call("home")


def test_a_wrong_tangent_vector_is_refused() -> None:
    model = ModelBuilder("arm").revolute("elbow").ball("wrist").build()
    with pytest.raises(
        ConfigurationError, match=r"v needs 4 numbers \(nv\) along its last axis, found shape \(5,\)"
    ):
        model.integrate(model.neutral, np.zeros(5))
    with pytest.raises(ConfigurationError, match=r"v\[2\] of joint 'wrist' needs a finite number, found nan"):
        model.integrate(model.neutral, [0, 0, math.nan, 0])
    with pytest.raises(ConfigurationError, match=r"q1 needs 5 numbers"):
        model.difference(model.neutral, np.zeros(4))


def test_jacobian_axes_are_world_or_local() -> None:
    with pytest.raises(ModelError, match="axes needs 'world' or 'local', found 'body'"):
        planar_arm().jacobian([0, 0, 0], axes="body")  # type: ignore[arg-type]


def test_fixed_joints_move_what_they_carry() -> None:
    quarter = np.array([[0.0, -1, 0, 0], [1, 0, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]])
    joints = [
        Joint(name="mount", kind=JointKind.FIXED, parent="base", child="plate", origin=quarter),
        Joint(
            name="slide", kind=JointKind.PRISMATIC, parent="plate", child="cart", axis=np.array([1.0, 0, 0])
        ),
    ]
    assert_allclose(Model("cart", joints).pose([2.0])[:3, 3], [0.0, 2.0, 0.0], atol=1e-15)


@given(models(), st.integers(0, 2**32 - 1), st.data())
def test_poses_of_several_frames_are_those_of_each(model: Model, seed: int, data: st.DataObject) -> None:
    names = data.draw(st.lists(st.sampled_from(model.frame_names), min_size=1, max_size=4))
    q = configuration(model, seed, 3)
    expected = np.stack([model.pose(q, name) for name in names], axis=1)
    assert_allclose(model.poses(q, names), expected, atol=1e-12)
