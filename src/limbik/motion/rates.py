"""Reads limits of velocity and acceleration from a caller's arguments."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from limbik.errors import SolverError, did_you_mean, shortened
from limbik.model.joints import Joint, JointKind
from limbik.model.model import Model
from limbik.options import SLOWEST_RATE, RateLimits
from limbik.spatial import Array, as_numbers, shape_of

FASTEST = 1e100  # [rad/s, m/s, or per s^2]
OF_JOINT = {"velocity_limits": "velocity", "acceleration_limits": "acceleration"}


def rate_limits(model: Model, values: RateLimits, name: str) -> Array:
    """Limits [nv] from one number for all joints, one for each velocity [nv] or one for each of some joints
    by name; of the others, and by default, those of the model. Infinite where there is none.

    name: "velocity_limits" or "acceleration_limits". A joint that follows another has its limit respected by
    its leader. Raises SolverError for what is no limit.
    """
    limits = np.full(model.nv, math.inf)
    if values is None or isinstance(values, Mapping):
        named = {} if values is None else values
        _refuse_unknown(model, list(named), name)
        for joint in model.joints:
            own = getattr(joint, OF_JOINT[name])
            limit = named.get(joint.name, own)
            _narrow(model, limits, joint, _checked(limit, f"`{name}` of {joint.name!r}"))
        return limits
    numbers = _checked(values, f"`{name}`", ((), (model.nv,)))
    if numbers.ndim == 1:
        return numbers
    for joint in model.joints:
        _narrow(model, limits, joint, numbers)
    return limits


def refuse_limited_balls(model: Model, accelerations: Array) -> None:
    """Raise SolverError for an acceleration limit of a ball joint that has limits of its own: there is no
    interval in which it could brake.
    """
    for joint in _limited_balls(model.joints):
        if np.isfinite(accelerations[model.v_slice(joint.name)]).any():
            raise SolverError(
                f"`acceleration_limits` are not for ball joints with limits, such as {joint.name!r}: give "
                "them by the names of other joints"
            )


def _limited_balls(joints: Sequence[Joint]) -> Iterator[Joint]:
    return (joint for joint in joints if joint.kind is JointKind.BALL and joint.has_limits)


def _narrow(model: Model, limits: Array, joint: Joint, limit: Array) -> None:
    span = model.v_slice(joint.name) if joint.kind is not JointKind.FIXED else slice(0)
    ratio = abs(joint.mimic.multiplier) if joint.mimic else 1.0
    limits[span] = np.minimum(limits[span], limit / ratio)


def _refuse_unknown(model: Model, names: list[object], name: str) -> None:
    for each in names:
        if each not in model.joint_names:
            hint = did_you_mean(each, model.joint_names)
            raise SolverError(f"`{name}` names {shortened(each)}, no joint of {model.name!r}; {hint}")


def _checked(value: object, what: str, shapes: tuple[tuple[int, ...], ...] = ((),)) -> Array:
    """Numbers from SLOWEST_RATE on; those above FASTEST, which are no limits, as infinite."""
    needed = f"a number of at least {SLOWEST_RATE:g}" + "".join(
        f", or {size} of them (nv)" for shape in shapes for size in shape
    )
    if shape_of(value) not in shapes:
        raise SolverError(f"{what} needs {needed}, found {shortened(value)}")
    numbers = as_numbers(value, what, needed, SolverError)
    if not (numbers >= SLOWEST_RATE).all():
        raise SolverError(f"{what} needs {needed}, found {shortened(value)}")
    return np.where(numbers > FASTEST, np.inf, numbers)
