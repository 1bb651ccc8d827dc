"""Poses, rotations and quaternions on NumPy arrays, and checks that turn what a caller passes into vectors,
rotations, poses and numbers.

Every function works on one object or on arrays of them: leading axes are batch axes. A pose is a 4x4
homogeneous matrix, a rotation a 3x3 matrix, a rotation vector the axis times the angle [rad]. Quaternions are
in the order xyzw; q and -q are the same rotation. A twist, the tangent vector of a pose, is (linear,
angular). These functions take arrays of numbers as they are; what checks is called `as_...` or `check_...`.

Formulas: Sola, Deray & Atchuthan 2018, "A micro Lie theory for state estimation in robotics"; quaternion from
a matrix after Shepperd 1978; swing and twist after Dobrowolski 2015, "Swing-twist decomposition in Clifford
algebra".
"""

from __future__ import annotations

import math
import numbers
import sys
from collections.abc import Mapping, Sequence
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from limbik.errors import LimbikError, ModelError, shortened

Array: TypeAlias = NDArray[np.float64]
Vector3: TypeAlias = NDArray[np.float64]  # [..., 3]
Vector6: TypeAlias = NDArray[np.float64]  # [..., 6] linear, angular
Quaternion: TypeAlias = NDArray[np.float64]  # [..., 4] x y z w
Matrix3: TypeAlias = NDArray[np.float64]  # [..., 3, 3]
Matrix4: TypeAlias = NDArray[np.float64]  # [..., 4, 4]

FLOAT64 = np.dtype(np.float64)
POSE_SHAPE = (4, 4)
ROTATION_TOLERANCE = 1e-6  # a rotation matrix this far from orthonormal is repaired, farther is refused
_UNIT_TOLERANCE = 4e-15  # a squared length this close to 1 is 1 up to rounding
AXES = {
    "x": (1.0, 0.0, 0.0),
    "y": (0.0, 1.0, 0.0),
    "z": (0.0, 0.0, 1.0),
    "-x": (-1.0, 0.0, 0.0),
    "-y": (0.0, -1.0, 0.0),
    "-z": (0.0, 0.0, -1.0),
}
SHORTEST_QUATERNION = 1e-6  # shorter ones have no direction
TINY, HUGE = 1e-125, 1e125  # numbers between which no square is lost or overflows
_SMALL_ANGLE = 0.3  # [rad] below it, quotients that cancel are summed as series


# --- what callers hand in -----------------------------------------------------------------------------------


def as_vector(
    value: ArrayLike, size: int, name: str = "vector", *, error: type[LimbikError] = ModelError
) -> Array:
    """A new float64 vector [size] of finite numbers from `value`; otherwise raises `error`, naming `name`."""
    array = as_numbers(value, name, f"{size} numbers", error)
    if array.shape != (size,):
        raise error(f"{name} needs {size} numbers, found shape {array.shape}")
    _refuse_non_finite(array, name, error)
    return array


def as_rotation(value: Any, name: str = "rotation", *, error: type[LimbikError] = ModelError) -> Matrix3:
    """A new 3x3 rotation matrix from a 3x3 array or a `scipy.spatial.transform.Rotation`.

    A matrix that is off by rounding (up to 1e-6) is replaced by the nearest rotation; anything else raises
    `error`.
    """
    matrix = as_numbers(matrix_of(value), name, "a 3x3 rotation matrix", error)
    if matrix.shape != (3, 3):
        raise error(f"{name} needs a 3x3 rotation matrix, found shape {matrix.shape}")
    _refuse_non_finite(matrix, name, error)
    return _nearest_rotation(matrix, name, error)


def as_pose(value: Any, name: str = "pose", *, error: type[LimbikError] = ModelError) -> Matrix4:
    """A new 4x4 pose from a 4x4 array or a `scipy.spatial.transform.RigidTransform`.

    A rotation that is off by rounding (up to 1e-6) is replaced by the nearest rotation; anything else that is
    not a rigid transformation raises `error`, which names it `name`.
    """
    pose = as_numbers(matrix_of(value), name, "a 4x4 pose", error)
    if pose.shape != (4, 4):
        raise error(f"{name} needs a 4x4 pose, found shape {pose.shape}")
    _refuse_non_finite(pose, name, error)
    if pose[3].tolist() != [0.0, 0.0, 0.0, 1.0]:
        if np.abs(pose[3] - (0.0, 0.0, 0.0, 1.0)).max() > ROTATION_TOLERANCE:
            actual = " ".join(f"{x:g}" for x in pose[3])
            raise error(f"{name} needs the last row 0 0 0 1, found {actual}")
        pose[3] = (0.0, 0.0, 0.0, 1.0)
    rotation = pose[:3, :3]
    nearest = _nearest_rotation(rotation, f"the rotation of {name}", error)
    if nearest is not rotation:
        rotation[:] = nearest
    return pose


def as_poses(poses: Array, names: Sequence[str], *, error: type[LimbikError] = ModelError) -> Array:
    """New poses [N, 4, 4], each as `as_pose` takes it; the first bad one raises `error`, which names it."""
    rotations = poses[:, :3, :3]
    with np.errstate(invalid="ignore", over="ignore"):
        deviations = np.abs(np.swapaxes(rotations, 1, 2) @ rotations - np.eye(3)).max(axis=(1, 2))
        is_good = deviations <= ROTATION_TOLERANCE
        is_good &= np.abs(poses[:, 3] - (0.0, 0.0, 0.0, 1.0)).max(axis=1) <= ROTATION_TOLERANCE
        is_good &= np.isfinite(poses[:, :3, 3]).all(axis=1) & (np.linalg.det(rotations) > 0.0)
    for i in np.flatnonzero(~is_good)[:1]:
        as_pose(poses[i], names[i], error=error)
    repaired = np.zeros_like(poses)
    left, _, right = np.linalg.svd(rotations)
    repaired[:, :3, :3] = left @ right
    repaired[:, :3, 3] = poses[:, :3, 3]
    repaired[:, 3, 3] = 1.0
    return repaired


def as_rows_of_poses(value: Any, name: str, error: type[LimbikError]) -> Array:
    """A new float64 array [N, 4, 4], whatever numbers are in it; an empty list is one of no rows."""
    rows = as_numbers(value, name, "an array of shape (N, 4, 4)", error)
    if rows.shape == (0,):
        return rows.reshape(0, 4, 4)
    if rows.ndim != 3 or rows.shape[1:] != (4, 4):
        raise error(f"{name} needs an array of shape (N, 4, 4), found shape {rows.shape}")
    return rows


def as_numbers(value: Any, name: str, needed: str, error: type[LimbikError]) -> Array:
    """A new float64 array of whatever shape; complex numbers, text, ragged rows and what a mask hides raise
    `error`.
    """
    if _is_masked(value):
        raise error(f"{name} needs {needed}, found an array with masked numbers")
    try:
        array = np.array(value)
        if array.dtype.kind not in "biuf":
            raise TypeError
        with np.errstate(invalid="ignore"):  # of NaNs that signal
            return array.astype(np.float64, copy=False)
    except Exception:  # whatever a foreign class raises when its numbers are requested
        raise error(f"{name} needs {needed}, found {shortened(value)}") from None


def _is_masked(value: Any) -> bool:
    """Whether it has masked numbers; nothing has before `numpy.ma` is imported, which costs a moment."""
    return "numpy.ma" in sys.modules and bool(np.ma.is_masked(value))


def check_largest(numbers: Array, largest: float, name: str, unit: str, error: type[LimbikError]) -> None:
    """Raises `error` where one of some finite numbers is larger than `largest`, signs left out."""
    size = float(np.abs(numbers).max(initial=0.0))
    if size > largest:
        raise error(f"{name} needs numbers up to {largest:g}{unit and f' [{unit}]'}, found {size:g}")


def common_shape(shapes: Mapping[str, tuple[int, ...]], error: type[LimbikError]) -> tuple[int, ...]:
    """The leading axes [frames] of arguments, by name; where they do not go together raises `error`."""
    try:
        return np.broadcast_shapes(*shapes.values())
    except ValueError:
        counts = ", ".join(f"{list(shape) if shape else 'one'} of {name}" for name, shape in shapes.items())
        raise error(f"arguments need one frame each, or as many as the others, not {counts}") from None


def as_number(value: Any, name: str, needed: str, error: type[LimbikError]) -> float:
    """One real number that is not NaN, from whatever `float` takes but text and True or False; anything else
    raises `error`.
    """
    try:
        if isinstance(value, str | bytes | bytearray | bool | np.bool_) or _is_masked(value):
            raise TypeError
        number = float(value)
    except Exception:  # as in `as_numbers`
        raise error(f"{name} needs {needed}, found {shortened(value)}") from None
    if math.isnan(number):
        raise error(f"{name} needs {needed}, found nan")
    return number


def as_real(value: Any) -> float:
    """The value of a real number of any type; NaN for one that is too large for a float, and for anything
    else, True and False included.
    """
    is_real = isinstance(value, numbers.Real) and not isinstance(value, bool | np.timedelta64)
    try:
        return float(value) if is_real else math.nan
    except OverflowError:  # 10**400
        return math.nan


def as_whole(value: Any, name: str, minimum: int, error: type[LimbikError], maximum: float = math.inf) -> int:
    """A whole number from `minimum` to `maximum`; anything else raises `error`."""
    is_whole = isinstance(value, int | np.integer) and not isinstance(value, bool | np.timedelta64)
    if not is_whole or not minimum <= value <= maximum:
        needed = f"of at least {minimum}" if maximum == math.inf else f"from {minimum} to {int(maximum):,}"
        raise error(f"{name} needs a whole number {needed}, found {shortened(value)}")
    return int(value)


def check_flag(value: Any, name: str, error: type[LimbikError]) -> None:
    """Raises `error` for what is neither True nor False."""
    if not isinstance(value, bool | np.bool_):
        raise error(f"{name} needs True or False, found {shortened(value)}")


class HasMatrix(Protocol):
    """A SciPy Rotation or RigidTransform."""

    def as_matrix(self) -> Any:
        """[3, 3] or [4, 4]."""


def matrix_of(value: Any) -> Any:
    """The matrix of a SciPy Rotation or RigidTransform; any other value as it is."""
    if isinstance(value, np.ndarray) or not hasattr(value, "as_matrix"):
        return value
    try:
        return value.as_matrix()
    except Exception:  # something else that has an attribute of this name
        return value


def shape_of(value: Any) -> tuple[int, ...] | None:
    """The shape of what can be an array; None for rows of different lengths, and for what can be none."""
    try:
        return tuple(np.shape(value))
    except Exception:  # as in `as_numbers`
        return None


def named_axis(value: str, name: str, error: type[LimbikError]) -> Vector3:
    """The unit vector [3] of an axis by its name: "x", "y", "z", "-x", "-y", "-z"."""
    if value not in AXES:
        raise error(f"{name} needs three numbers or one of {', '.join(AXES)}, found {shortened(value)}")
    return np.array(AXES[value])


def _refuse_non_finite(array: Array, name: str, error: type[LimbikError]) -> None:
    # A sum is quicker to look at; it may also overflow.
    if not math.isfinite(sum(array.ravel().tolist())) and not np.isfinite(array).all():
        index = tuple(int(i) for i in np.argwhere(~np.isfinite(array))[0])
        where = ", ".join(map(str, index))
        raise error(f"{name} needs finite numbers, found {array[index]} at [{where}]")


def _nearest_rotation(matrix: Matrix3, name: str, error: type[LimbikError]) -> Matrix3:
    # Plain floats: for a single matrix ten times faster than arrays, and products may overflow in silence.
    (a, b, c), (d, e, f), (g, h, i) = matrix.tolist()
    lengths = a * a + d * d + g * g - 1.0, b * b + e * e + h * h - 1.0, c * c + f * f + i * i - 1.0
    products = a * b + d * e + g * h, a * c + d * f + g * i, b * c + e * f + h * i
    deviation = max(map(abs, (*lengths, *products)))
    if deviation > ROTATION_TOLERANCE:
        raise error(f"{name} is not orthonormal: R^T R differs from the identity by {deviation:.2g}")
    if a * (e * i - f * h) + b * (f * g - d * i) + c * (d * h - e * g) < 0.0:
        raise error(f"{name} is a mirror image: its determinant is -1, a rotation's is +1")
    if deviation <= _UNIT_TOLERANCE:
        return matrix
    left, _, right = np.linalg.svd(matrix)
    return np.asarray(left @ right)


# --- vectors ------------------------------------------------------------------------------------------------


def dot(u: Array, v: Array) -> Array:
    """Scalar product along the last axis."""
    return np.asarray(np.einsum("...i,...i->...", u, v))


def norm(v: Array) -> Array:
    """Length along the last axis, without overflow or underflow."""
    scale = np.abs(v).max(axis=-1)
    divisor = np.where(scale > 0.0, scale, 1.0)
    return np.asarray(scale * np.sqrt(np.square(v / divisor[..., None]).sum(axis=-1)))


def cross(u: Vector3, v: Vector3) -> Vector3:
    """Vector product [..., 3]."""
    out = np.empty(np.broadcast_shapes(u.shape, v.shape))
    out[..., 0] = u[..., 1] * v[..., 2] - u[..., 2] * v[..., 1]
    out[..., 1] = u[..., 2] * v[..., 0] - u[..., 0] * v[..., 2]
    out[..., 2] = u[..., 0] * v[..., 1] - u[..., 1] * v[..., 0]
    return out


def unit(v: Array) -> Array:
    """`v` divided by its length; the zero vector stays zero."""
    _, exponent = np.frexp(np.abs(v).max(axis=-1))  # of two: it neither rounds nor overflows
    v = np.ldexp(v, -exponent[..., None])
    length = norm(v)
    return np.asarray(v / np.where(length > 0.0, length, 1.0)[..., None])


def perpendicular(v: Vector3) -> Vector3:
    """A unit vector at right angles to `v`, always the same one for the same direction."""
    direction = unit(np.asarray(v, dtype=np.float64))
    other = np.zeros_like(direction)
    np.put_along_axis(other, np.abs(direction).argmin(axis=-1)[..., None], 1.0, axis=-1)
    return unit(cross(direction, other))


def nearest_angles(angles: Array) -> Array:
    """Angles [...] in rad, brought by revolutions to [-pi, pi)."""
    return np.asarray(np.remainder(angles + np.pi, 2.0 * np.pi) - np.pi)


def skew(v: Vector3) -> Matrix3:
    """The matrix [..., 3, 3] with `skew(v) @ u == cross(v, u)`."""
    v = np.asarray(v, dtype=np.float64)
    out = np.zeros((*v.shape, 3))
    out[..., 0, 1], out[..., 0, 2] = -v[..., 2], v[..., 1]
    out[..., 1, 0], out[..., 1, 2] = v[..., 2], -v[..., 0]
    out[..., 2, 0], out[..., 2, 1] = -v[..., 1], v[..., 0]
    return out


def _apply(matrix: Array, v: Array) -> Array:
    """Matrix [..., m, n] times vector [..., n]."""
    return np.asarray((matrix @ v[..., None])[..., 0])


# --- quaternions, xyzw --------------------------------------------------------------------------------------


def quat_normalise(quat_xyzw: Quaternion) -> Quaternion:
    """The unit quaternion in the same direction; one that is so already up to rounding stays as it is."""
    q = np.asarray(quat_xyzw, dtype=np.float64)
    is_unit = np.abs(dot(q, q) - 1.0) <= _UNIT_TOLERANCE
    if is_unit.all():
        return q
    return np.asarray(np.where(is_unit[..., None], q, unit(q)))


def quat_multiply(a_xyzw: Quaternion, b_xyzw: Quaternion) -> Quaternion:
    """The quaternion of the rotation `b` followed by `a` (as matrices: A @ B)."""
    ax, ay, az, aw = (a_xyzw[..., i] for i in range(4))
    bx, by, bz, bw = (b_xyzw[..., i] for i in range(4))
    x = aw * bx + ax * bw + ay * bz - az * by
    y = aw * by - ax * bz + ay * bw + az * bx
    z = aw * bz + ax * by - ay * bx + az * bw
    w = aw * bw - ax * bx - ay * by - az * bz
    return np.stack([x, y, z, w], axis=-1)


def quat_conjugate(quat_xyzw: Quaternion) -> Quaternion:
    """The inverse rotation of a unit quaternion."""
    return np.asarray(quat_xyzw * np.array([-1.0, -1.0, -1.0, 1.0]))


def quat_to_matrix(quat_xyzw: Quaternion) -> Matrix3:
    """Rotation matrix [..., 3, 3]. The quaternion may have any length but zero: its direction counts."""
    q = np.asarray(quat_xyzw, dtype=np.float64)
    largest = np.abs(q).max(axis=-1, keepdims=True)
    if not (largest.min(initial=1.0) > TINY and largest.max(initial=1.0) < HUGE):
        q = q / np.where(largest > 0.0, largest, 1.0)
    x, y, z, w = (q[..., i] for i in range(4))
    s = 2.0 / (x * x + y * y + z * z + w * w)
    out = np.empty((*q.shape[:-1], 3, 3))
    out[..., 0, 0] = 1.0 - s * (y * y + z * z)
    out[..., 0, 1] = s * (x * y - z * w)
    out[..., 0, 2] = s * (x * z + y * w)
    out[..., 1, 0] = s * (x * y + z * w)
    out[..., 1, 1] = 1.0 - s * (x * x + z * z)
    out[..., 1, 2] = s * (y * z - x * w)
    out[..., 2, 0] = s * (x * z - y * w)
    out[..., 2, 1] = s * (y * z + x * w)
    out[..., 2, 2] = 1.0 - s * (x * x + y * y)
    return out


def rotation_rpy(roll: float, pitch: float, yaw: float) -> Matrix3:
    """The rotation [3, 3] about the fixed axes x, y and z, in this order [rad]."""
    (cr, sr), (cp, sp), (cy, sy) = ((math.cos(angle), math.sin(angle)) for angle in (roll, pitch, yaw))
    return np.array(
        [
            [cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
            [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
            [-sp, cp * sr, cp * cr],
        ]
    )


def roll_pitch_yaw(rotation: Matrix3) -> tuple[float, float, float]:
    """Angles [rad] about the fixed axes x, then y, then z; with a pitch of a quarter turn, the yaw is 0."""
    across = math.hypot(rotation[0, 0], rotation[1, 0])
    pitch = math.atan2(-rotation[2, 0], across)
    if across < 1e-9:
        return math.atan2(-rotation[1, 2], rotation[1, 1]), pitch, 0.0
    return math.atan2(rotation[2, 1], rotation[2, 2]), pitch, math.atan2(rotation[1, 0], rotation[0, 0])


def quat_from_matrix(rotation: Matrix3) -> Quaternion:
    """Unit quaternion with w >= 0 of a rotation matrix.

    The four rows of 4 q q^T are linear in the matrix; the one with the largest diagonal entry has no
    cancellation.
    """
    m = np.asarray(rotation, dtype=np.float64)
    rows = np.empty((*m.shape[:-2], 4, 4))
    trace = m[..., 0, 0] + m[..., 1, 1] + m[..., 2, 2]
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        rows[..., i, i] = 1.0 + 2.0 * m[..., i, i] - trace
        rows[..., i, j] = rows[..., j, i] = m[..., i, j] + m[..., j, i]
        rows[..., i, 3] = rows[..., 3, i] = m[..., k, j] - m[..., j, k]
    rows[..., 3, 3] = 1.0 + trace
    largest = np.einsum("...ii->...i", rows).argmax(axis=-1)
    row = np.take_along_axis(rows, largest[..., None, None], axis=-2)[..., 0, :]
    return _positive(unit(row))


def quat_exp(rotation_vector: Vector3) -> Quaternion:
    """Unit quaternion of a rotation vector [rad]."""
    w = np.asarray(rotation_vector, dtype=np.float64)
    half = 0.5 * norm(w)
    out = np.empty((*w.shape[:-1], 4))
    out[..., :3] = w * (0.5 * np.sinc(half / np.pi))[..., None]
    out[..., 3] = np.cos(half)
    return out


def quat_log(quat_xyzw: Quaternion) -> Vector3:
    """Rotation vector [rad], of length 0 to pi, of a quaternion of any length but zero."""
    q = _positive(np.asarray(quat_xyzw, dtype=np.float64))
    v, w = q[..., :3], q[..., 3]
    sine = norm(v)
    is_small = sine == 0.0
    factor = 2.0 * np.arctan2(sine, w) / np.where(is_small, 1.0, sine)
    return np.asarray(v * factor[..., None])


def quat_rotate(quat_xyzw: Quaternion, v: Vector3) -> Vector3:
    """The vector `v` turned by a unit quaternion."""
    imaginary = quat_xyzw[..., :3]
    twice = 2.0 * cross(imaginary, v)
    return np.asarray(v + quat_xyzw[..., 3:] * twice + cross(imaginary, twice))


def quat_between(u: Vector3, v: Vector3) -> Quaternion:
    """Unit quaternion of the smallest rotation that turns the direction of `u` into the direction of `v`.

    Accurate to rounding at every angle, nearly parallel and nearly opposite directions included. Directions
    that are opposite up to rounding turn about `perpendicular(u)`. A zero vector has no direction: the result
    is the identity.
    """
    u, v = np.broadcast_arrays(unit(np.asarray(u, dtype=np.float64)), unit(np.asarray(v, dtype=np.float64)))
    # The half-way direction is u + v, at right angles to u - v. Between nearly opposite directions the sum is
    # largely rounding, and its part along u - v would spoil the result: it is taken out.
    across = unit(u - v)
    middle = u + v
    is_obtuse = dot(u, v) < 0.0
    middle = middle - across * np.where(is_obtuse, dot(across, middle), 0.0)[..., None]
    is_opposite = is_obtuse & (norm(middle) < 1e-15)
    sideways = cross(perpendicular(across), across)
    middle = unit(np.where(is_opposite[..., None], sideways, middle))
    out = np.empty((*u.shape[:-1], 4))
    out[..., :3] = cross(u, middle)
    out[..., 3] = dot(u, middle)
    is_nothing = (norm(u) == 0.0) | (norm(v) == 0.0)
    return unit(np.where(is_nothing[..., None], np.array([0.0, 0.0, 0.0, 1.0]), out))


def swing_twist(quat_xyzw: Quaternion, axis: Vector3) -> tuple[Quaternion, Quaternion]:
    """Split a rotation as q = swing * twist: first a twist about `axis`, then a swing at right angles to it.

    `axis` [..., 3] has length 1. Both results are unit quaternions with w >= 0; their product is q or -q. The
    swing is the smallest rotation that turns `axis` to where q turns it. Where the swing is half a turn, the
    twist is not defined and is the identity.
    """
    q = quat_normalise(quat_xyzw)
    twist = np.empty_like(q)
    twist[..., :3] = axis * dot(q[..., :3], axis)[..., None]
    twist[..., 3] = q[..., 3]
    is_undefined = norm(twist) <= 1e-15
    twist = np.where(is_undefined[..., None], np.array([0.0, 0.0, 0.0, 1.0]), twist)
    twist = _positive(unit(twist))
    swing = quat_multiply(q, quat_conjugate(twist))
    return _positive(unit(swing)), twist


def _positive(q: Quaternion) -> Quaternion:
    """The one of q and -q with w >= 0."""
    return np.asarray(np.where(q[..., 3:] < 0.0, -q, q))


# --- rotations ----------------------------------------------------------------------------------------------


def rotation_exp(rotation_vector: Vector3) -> Matrix3:
    """Rotation matrix [..., 3, 3] of a rotation vector [rad]."""
    w = np.asarray(rotation_vector, dtype=np.float64)
    angle = norm(w)
    matrix = skew(w)
    first = np.sinc(angle / np.pi)[..., None, None]  # sin(t) / t
    second = _cosine_quotient(angle)[..., None, None]
    return np.asarray(np.eye(3) + first * matrix + second * (matrix @ matrix))


def rotation_log(rotation: Matrix3) -> Vector3:
    """Rotation vector [rad] of a rotation matrix, of length 0 to pi; accurate near both ends."""
    return quat_log(quat_from_matrix(rotation))


def rotation_between(u: Vector3, v: Vector3) -> Matrix3:
    """The smallest rotation that turns the direction of `u` into the direction of `v`; see `quat_between`."""
    return quat_to_matrix(quat_between(u, v))


def _cosine_quotient(angle: Array) -> Array:
    """(1 - cos t) / t^2."""
    return np.asarray(0.5 * np.square(np.sinc(angle / (2.0 * np.pi))))


# --- poses --------------------------------------------------------------------------------------------------


def pose_from(rotation: ArrayLike | None = None, translation: ArrayLike | None = None) -> Matrix4:
    """Pose from a rotation matrix [..., 3, 3] and a translation [..., 3] [m]; each is nothing by default.

    Raises ModelError for other shapes, and for what is no array of numbers.
    """
    r = np.eye(3) if rotation is None else _plain_array(rotation, "`rotation`", (3, 3))
    t = np.zeros(3) if translation is None else _plain_array(translation, "`translation`", (3,))
    frames = {"`rotation`": r.shape[:-2], "`translation`": t.shape[:-1]}
    out = np.zeros((*common_shape(frames, ModelError), 4, 4))
    out[..., :3, :3] = r
    out[..., :3, 3] = t
    out[..., 3, 3] = 1.0
    return out


def _plain_array(value: Any, name: str, shape: tuple[int, ...]) -> Array:
    """An array [..., *shape], the value itself where it is one."""
    needed = f"numbers of shape (..., {', '.join(map(str, shape))})"
    is_plain = type(value) is np.ndarray and value.dtype == FLOAT64
    array: Array = value if is_plain else as_numbers(value, name, needed, ModelError)
    if array.shape[-len(shape) :] != shape:
        raise ModelError(f"{name} needs {needed}, found shape {array.shape}")
    return array


def pose_inverse(pose: Matrix4) -> Matrix4:
    """The inverse of a rigid transformation."""
    back = np.swapaxes(pose[..., :3, :3], -1, -2)
    return pose_from(back, -_apply(back, pose[..., :3, 3]))


def pose_exp(twist: Vector6) -> Matrix4:
    """Pose [..., 4, 4] reached after unit time at the constant body twist (linear [m], angular [rad])."""
    twist = np.asarray(twist, dtype=np.float64)
    linear, angular = twist[..., :3], twist[..., 3:]
    return pose_from(rotation_exp(angular), exp_translation(linear, angular))


def pose_log(pose: Matrix4) -> Vector6:
    """Body twist (linear [m], angular [rad]) whose `pose_exp` is `pose`; the angle is 0 to pi."""
    angular = rotation_log(pose[..., :3, :3])
    linear = log_translation(pose[..., :3, 3], angular)
    return np.concatenate([linear, angular], axis=-1)


def exp_translation(linear: Vector3, angular: Vector3) -> Vector3:
    """Translation [m] after unit time at the constant body twist (linear [m], angular [rad])."""
    angle = norm(angular)
    once = cross(angular, linear)
    return np.asarray(
        linear
        + _cosine_quotient(angle)[..., None] * once
        + _sine_quotient(angle)[..., None] * cross(angular, once)
    )


def log_translation(translation: Vector3, angular: Vector3) -> Vector3:
    """Linear part [m] of the body twist that has this angular part and ends at this translation."""
    angle = norm(angular)
    once = cross(angular, translation)
    return np.asarray(translation - 0.5 * once + _cotangent_quotient(angle)[..., None] * cross(angular, once))


def _sine_quotient(angle: Array) -> Array:
    """(t - sin t) / t^3."""
    x = np.square(angle)
    series = 1 / 6 - x / 120 * (1 - x / 42 * (1 - x / 72 * (1 - x / 110 * (1 - x / 156))))
    safe = np.where(angle < _SMALL_ANGLE, 1.0, angle)
    return np.where(angle < _SMALL_ANGLE, series, (safe - np.sin(safe)) / safe**3)


def _cotangent_quotient(angle: Array) -> Array:
    """(1 - (t/2) cot(t/2)) / t^2, for 0 <= t <= pi."""
    x = np.square(angle)
    series = 1 / 12 + x * (1 / 720 + x * (1 / 30240 + x * (1 / 1209600 + x * (1 / 47900160))))
    half = 0.5 * np.where(angle < _SMALL_ANGLE, 1.0, angle)
    closed = (1.0 - half * np.cos(half) / np.sin(half)) / np.square(2.0 * half)
    return np.where(angle < _SMALL_ANGLE, series, closed)
