"""Hypothesis strategies: vectors, rotations, poses, joints, models of every shape, and configurations.

Numbers are of ordinary size (lengths up to 2 m), with special cases mixed in: zero, axes, quarter and half
turns. Strategies are made once: Hypothesis checks each new one, which takes longer than to draw from it.
"""

import functools
import math
from collections.abc import Sequence

import numpy as np
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from limbik.model import EulerLimits, Frame, Joint, JointKind, Model
from limbik.model.euler import ORDERS
from limbik.model.joints import HINGES

SEEDS = st.integers(0, 2**32 - 1)
AXES = [sign * row for sign in (1.0, -1.0) for row in np.eye(3)]
SERIAL = (*HINGES, JointKind.PRISMATIC, JointKind.FIXED)
KINDS = tuple(JointKind)
BOOLEANS = st.booleans()
SIGNED_AXES = st.sampled_from(AXES)
QUARTER_ROTATIONS = st.integers(0, 2)
TENTHS = st.integers(0, 15).map(lambda k: 10.0**-k)
EULER_ORDERS = st.sampled_from(ORDERS)
SWINGS = st.one_of(st.just(math.pi), st.floats(0.0, math.pi))
LIMITED = st.sampled_from(["none", "lower", "upper", "both", "single"])


@functools.cache
def numbers(bound: float = 2.0) -> st.SearchStrategy[float]:
    """Finite floats from -bound to bound, none so small that its square underflows."""
    return st.floats(-bound, bound).map(lambda x: 0.0 if abs(x) < 1e-100 else x)


@functools.cache
def vectors(size: int = 3, bound: float = 2.0) -> st.SearchStrategy[np.ndarray]:
    """Arrays [size]."""
    return st.lists(numbers(bound), min_size=size, max_size=size).map(np.array)


@functools.cache
@st.composite
def unit_vectors(draw: st.DrawFn) -> np.ndarray:
    """Unit vectors [3]: the axes, and any direction."""
    if draw(BOOLEANS):
        return draw(SIGNED_AXES).copy()
    vector = np.random.default_rng(draw(SEEDS)).normal(size=3)
    return vector / np.linalg.norm(vector)


@functools.cache
@st.composite
def rotation_vectors(draw: st.DrawFn, largest: float = math.pi) -> np.ndarray:
    """Rotation vectors [3] of length up to `largest` [rad], with lengths near both ends mixed in."""
    return draw(_angles(largest)) * draw(unit_vectors())


@functools.cache
def _angles(largest: float) -> st.SearchStrategy[float]:
    low, high = TENTHS.map(lambda x: x * largest), TENTHS.map(lambda x: (1.0 - x) * largest)
    return st.one_of(st.floats(0.0, largest), low, high)


@functools.cache
@st.composite
def rotations(draw: st.DrawFn) -> np.ndarray:
    """Rotation matrices [3, 3]: none, quarter and half turns about the axes, and any."""
    if draw(BOOLEANS):
        vector = draw(SIGNED_AXES) * draw(QUARTER_ROTATIONS) * (math.pi / 2)
    else:
        vector = draw(rotation_vectors())
    return Rotation.from_rotvec(vector).as_matrix()


@functools.cache
@st.composite
def poses(draw: st.DrawFn, bound: float = 2.0) -> np.ndarray:
    """Poses [4, 4]."""
    pose = np.eye(4)
    pose[:3, :3] = draw(rotations())
    pose[:3, 3] = draw(vectors(3, bound))
    return pose


@functools.cache
@st.composite
def limits(draw: st.DrawFn, bound: float = math.pi) -> tuple[float, float]:
    """(lower, upper): none, one-sided, both, or a single value."""
    shape = draw(LIMITED)
    low, high = sorted([draw(numbers(bound)), draw(numbers(bound))])
    return {
        "none": (-math.inf, math.inf),
        "lower": (low, math.inf),
        "upper": (-math.inf, high),
        "both": (low, high),
        "single": (low, low),
    }[shape]


@functools.cache
@st.composite
def euler_limits(draw: st.DrawFn) -> EulerLimits:
    """Euler limits of every order; each axis with a range, a single value, or none."""
    quarter = 0.5 * math.pi
    ranges = [draw(limits()), draw(limits(quarter)), draw(limits())]
    lower, upper = zip(*ranges, strict=True)
    return EulerLimits(order=draw(EULER_ORDERS), lower=np.array(lower), upper=np.array(upper))


EULER = st.none() | euler_limits()


@functools.cache
def _one_of(kinds: tuple[JointKind, ...]) -> st.SearchStrategy[JointKind]:
    return st.sampled_from(kinds)


@st.composite
def joints(draw: st.DrawFn, name: str, parent: str, child: str, kinds: Sequence[JointKind] = KINDS) -> Joint:
    """A joint of any of these kinds, with or without limits."""
    kind = draw(_one_of(tuple(kinds)))
    lower, upper = -math.inf, math.inf
    if kind in (JointKind.REVOLUTE, JointKind.PRISMATIC, JointKind.BALL):
        lower, upper = draw(limits())
    swing = draw(SWINGS) if kind is JointKind.BALL else math.pi
    euler = draw(EULER) if kind is JointKind.BALL else None
    if euler is not None:
        lower, upper, swing = -math.inf, math.inf, math.pi
    return Joint(
        name=name,
        kind=kind,
        parent=parent,
        child=child,
        origin=draw(poses()),
        axis=draw(unit_vectors()),
        lower=lower,
        upper=upper,
        swing=swing,
        euler=euler,
    )


@st.composite
def models(
    draw: st.DrawFn, kinds: Sequence[JointKind] = KINDS, min_joints: int = 1, max_joints: int = 7
) -> Model:
    """Trees of up to `max_joints` joints in any order, with a frame "tool", the end effector, on any link."""
    count = draw(st.integers(min_joints, max_joints))
    members = []
    for k in range(count):
        parent = draw(st.integers(0, k))
        members.append(draw(joints(f"joint{k}", f"link{parent}", f"link{k + 1}", kinds)))
    link = f"link{draw(st.integers(0, count))}"
    tool = Frame(name="tool", link=link, pose_link_frame=draw(poses()))
    return Model("tree", draw(st.permutations(members)), [tool], root="link0", end_effector="tool")


@st.composite
def chains(
    draw: st.DrawFn, kinds: Sequence[JointKind] = SERIAL, min_joints: int = 1, max_joints: int = 7
) -> Model:
    """Serial chains of up to `max_joints` joints from "link0" to a frame "tool", the end effector."""
    count = draw(st.integers(min_joints, max_joints))
    members = [draw(joints(f"joint{k}", f"link{k}", f"link{k + 1}", kinds)) for k in range(count)]
    tool = Frame(name="tool", link=f"link{count}", pose_link_frame=draw(poses()))
    return Model("chain", members, [tool], root="link0", end_effector="tool")


def configuration(model: Model, seed: int, size: int | None = None) -> np.ndarray:
    """A configuration [nq], or several [size, nq]; it need not be within the limits."""
    rng = np.random.default_rng(seed)
    q = rng.uniform(-4.0, 4.0, model.nq if size is None else (size, model.nq))
    for joint in model.joints:
        if joint.kind in (JointKind.BALL, JointKind.FLOATING):
            stop = model.q_slice(joint.name).stop
            turn = rng.normal(size=(*q.shape[:-1], 4))
            q[..., stop - 4 : stop] = turn / np.linalg.norm(turn, axis=-1, keepdims=True)
    return q


def tangent(model: Model, seed: int, largest: float = 3.0) -> np.ndarray:
    """A tangent vector [nv]; no joint turns by more than `largest` [rad]."""
    rng = np.random.default_rng(seed)
    v = rng.uniform(-1.0, 1.0, model.nv) * largest
    for joint in model.joints:
        if joint.kind in (JointKind.BALL, JointKind.FLOATING):
            stop = model.v_slice(joint.name).stop
            v[stop - 3 : stop] /= math.sqrt(3.0)
    return v
