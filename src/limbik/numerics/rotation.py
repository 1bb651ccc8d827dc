"""Rotations inside kernels: vectors are three numbers, quaternions four numbers (xyzw) of a configuration."""

from __future__ import annotations

import math

from limbik.compiler.kernel import Floats, compiled
from limbik.numerics.trigonometry import angle_of, nearest_turn, sincos

Vector = tuple[float, float, float]
Quaternion = tuple[float, float, float, float]


@compiled(inline=True)
def times(R: Floats, at: int, x: float, y: float, z: float) -> Vector:
    """R v, for the rotation matrix stored row by row in R[at : at + 9]."""
    return (
        R[at] * x + R[at + 1] * y + R[at + 2] * z,
        R[at + 3] * x + R[at + 4] * y + R[at + 5] * z,
        R[at + 6] * x + R[at + 7] * y + R[at + 8] * z,
    )


@compiled(inline=True)
def transposed_times(R: Floats, at: int, x: float, y: float, z: float) -> Vector:
    """R^T v, for the rotation matrix stored row by row in R[at : at + 9]."""
    return (
        R[at] * x + R[at + 3] * y + R[at + 6] * z,
        R[at + 1] * x + R[at + 4] * y + R[at + 7] * z,
        R[at + 2] * x + R[at + 5] * y + R[at + 8] * z,
    )


@compiled(inline=True)
def multiply(A: Floats, a: int, B: Floats, out: Floats, to: int) -> None:
    """The product of the rotation matrices A[a : a + 9] and B [9], stored row by row in out[to : to + 9].

    `out` must not overlap A's nine numbers or B.
    """
    row_times(A, a, B, out, to)
    row_times(A, a + 3, B, out, to + 3)
    row_times(A, a + 6, B, out, to + 6)


@compiled(inline=True)
def row_times(A: Floats, a: int, B: Floats, out: Floats, to: int) -> None:
    """out[to : to + 3] = the row A[a : a + 3] times the matrix B [9]."""
    x, y, z = A[a], A[a + 1], A[a + 2]
    out[to] = x * B[0] + y * B[3] + z * B[6]
    out[to + 1] = x * B[1] + y * B[4] + z * B[7]
    out[to + 2] = x * B[2] + y * B[5] + z * B[8]


@compiled(inline=True)
def turn_z(R: Floats, at: int, sine: float, cosine: float) -> None:
    """R = R Rz(angle), for the rotation matrix stored row by row in R[at : at + 9]."""
    row_turn_z(R, at, sine, cosine)
    row_turn_z(R, at + 3, sine, cosine)
    row_turn_z(R, at + 6, sine, cosine)


@compiled(inline=True)
def row_turn_z(R: Floats, at: int, sine: float, cosine: float) -> None:
    """R[at : at + 3] becomes that row times Rz(angle)."""
    x, y = R[at], R[at + 1]
    R[at] = cosine * x + sine * y
    R[at + 1] = cosine * y - sine * x


@compiled(inline=True)
def turn_about(R: Floats, at: int, ax: float, ay: float, az: float, sine: float, cosine: float) -> None:
    """R = R exp(angle [axis]x) in place (Rodrigues), for a unit axis and the sine and cosine of the angle."""
    c = 1.0 - cosine
    for i in range(at, at + 9, 3):
        x, y, z = R[i], R[i + 1], R[i + 2]
        along = c * (x * ax + y * ay + z * az)
        R[i] = cosine * x + sine * (y * az - z * ay) + along * ax
        R[i + 1] = cosine * y + sine * (z * ax - x * az) + along * ay
        R[i + 2] = cosine * z + sine * (x * ay - y * ax) + along * az


@compiled(inline=True)
def times_quaternion(R: Floats, at: int, x: float, y: float, z: float, w: float) -> None:
    """R = R matrix(q) in place, for a unit quaternion."""
    for i in range(at, at + 9, 3):
        a, b, c = R[i], R[i + 1], R[i + 2]
        R[i] = a * (1.0 - 2.0 * (y * y + z * z)) + 2.0 * (b * (x * y + w * z) + c * (x * z - w * y))
        R[i + 1] = b * (1.0 - 2.0 * (x * x + z * z)) + 2.0 * (a * (x * y - w * z) + c * (y * z + w * x))
        R[i + 2] = c * (1.0 - 2.0 * (x * x + y * y)) + 2.0 * (a * (x * z + w * y) + b * (y * z - w * x))


@compiled(inline=True)
def product(a: Quaternion, b: Quaternion) -> Quaternion:
    """The quaternion product a b: first b, then a."""
    ax, ay, az, aw = a
    bx, by, bz, bw = b
    return (
        aw * bx + ax * bw + ay * bz - az * by,
        aw * by - ax * bz + ay * bw + az * bx,
        aw * bz + ax * by - ay * bx + az * bw,
        aw * bw - ax * bx - ay * by - az * bz,
    )


@compiled(inline=True)
def rotate(q: Quaternion, vx: float, vy: float, vz: float) -> Vector:
    """The vector v turned by a unit quaternion."""
    x, y, z, w = q
    tx, ty, tz = 2.0 * (y * vz - z * vy), 2.0 * (z * vx - x * vz), 2.0 * (x * vy - y * vx)
    return (
        vx + w * tx + y * tz - z * ty,
        vy + w * ty + z * tx - x * tz,
        vz + w * tz + x * ty - y * tx,
    )


@compiled
def exponential(x: float, y: float, z: float) -> Quaternion:
    """The unit quaternion of a rotation vector [rad]."""
    squared = x * x + y * y + z * z
    if squared < 1e-10:
        scale = 0.5 - squared / 48.0
        return scale * x, scale * y, scale * z, 1.0 - squared / 8.0
    angle = math.sqrt(squared)
    sine, cosine = sincos(0.5 * angle)
    scale = sine / angle
    return scale * x, scale * y, scale * z, cosine


@compiled
def logarithm(q: Quaternion) -> Vector:
    """The rotation vector [rad] of a unit quaternion, no longer than pi."""
    x, y, z, w = q
    if w < 0.0:
        x, y, z, w = -x, -y, -z, -w
    sine = math.sqrt(x * x + y * y + z * z)
    scale = 2.0 * angle_of(sine, w) / sine if sine > 1e-10 else 2.0
    return scale * x, scale * y, scale * z


@compiled
def rotation_vector(R: Floats) -> Vector:
    """The rotation vector [rad] of a rotation matrix stored row by row [9], accurate near 0 and near pi."""
    x, y, z = R[7] - R[5], R[2] - R[6], R[3] - R[1]
    w = 1.0 + R[0] + R[4] + R[8]
    # The largest of the four squared components is at least 1, so dividing by it is safe (Shepperd 1978).
    xx = 1.0 + R[0] - R[4] - R[8]
    yy = 1.0 - R[0] + R[4] - R[8]
    zz = 1.0 - R[0] - R[4] + R[8]
    if w >= max(xx, yy, zz):
        qx, qy, qz, qw = x, y, z, w
    elif xx >= max(yy, zz):
        qx, qy, qz, qw = xx, R[1] + R[3], R[2] + R[6], x
    elif yy >= zz:
        qx, qy, qz, qw = R[1] + R[3], yy, R[5] + R[7], y
    else:
        qx, qy, qz, qw = R[2] + R[6], R[5] + R[7], zz, z
    norm = math.sqrt(qx * qx + qy * qy + qz * qz + qw * qw)
    return logarithm((qx / norm, qy / norm, qz / norm, qw / norm))


@compiled
def rotation_between(ux: float, uy: float, uz: float, vx: float, vy: float, vz: float) -> Vector:
    """The rotation vector [rad] of the smallest turn from u's direction to v's; 0 where one has no length."""
    cx, cy, cz = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
    sine = math.sqrt(cx * cx + cy * cy + cz * cz)
    cosine = ux * vx + uy * vy + uz * vz
    if sine > 1e-12 * abs(cosine):
        scale = angle_of(sine, cosine) / sine
        return scale * cx, scale * cy, scale * cz
    if cosine >= 0.0:
        return 0.0, 0.0, 0.0
    # Opposite: half a turn about any axis across u, the one farthest from u's largest component.
    if abs(ux) <= abs(uy) and abs(ux) <= abs(uz):
        cx, cy, cz = 0.0, uz, -uy
    elif abs(uy) <= abs(uz):
        cx, cy, cz = -uz, 0.0, ux
    else:
        cx, cy, cz = uy, -ux, 0.0
    scale = math.pi / math.sqrt(cx * cx + cy * cy + cz * cz)
    return scale * cx, scale * cy, scale * cz


@compiled
def smallest_turn(ux: float, uy: float, uz: float, vx: float, vy: float, vz: float) -> Quaternion:
    """The unit quaternion of the smallest turn from u's direction to v's; none where one has no length.

    Without trigonometry: the half angle's cosine and sine are in the ratio |u||v| + u.v to |u x v|.
    """
    dot = ux * vx + uy * vy + uz * vz
    lengths = math.sqrt((ux * ux + uy * uy + uz * uz) * (vx * vx + vy * vy + vz * vz))
    w = lengths + dot
    if not w > 1e-6 * lengths:  # opposite, or nothing
        x, y, z = rotation_between(ux, uy, uz, vx, vy, vz)
        return exponential(x, y, z)
    x, y, z = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
    scale = 1.0 / math.sqrt(x * x + y * y + z * z + w * w)
    return scale * x, scale * y, scale * z, scale * w


@compiled
def within_ball_limits(
    q: Quaternion, ax: float, ay: float, az: float, lower: float, upper: float, cone: float
) -> Quaternion:
    """The rotation brought within a swing cone and a twist range about a unit axis, as `Model.clip` does.

    q = swing * twist: first a twist about the axis in [lower, upper], then a swing of it by at most `cone`.
    """
    x, y, z, w = q
    norm = math.sqrt(x * x + y * y + z * z + w * w)
    x, y, z, w = x / norm, y / norm, z / norm, w / norm
    if cone >= math.pi and upper - lower >= 2.0 * math.pi:
        return x, y, z, w
    along = x * ax + y * ay + z * az
    length = math.sqrt(along * along + w * w)
    # A swing of half a turn leaves the twist open: take none.
    s, c = (along / length, w / length) if length > 1e-12 else (0.0, 1.0)
    is_twist_legal, twist = True, 0.0
    if upper - lower < 2.0 * math.pi:
        middle = lower + 0.5 * (upper - lower)
        wound = middle + nearest_turn(2.0 * angle_of(s, c) - middle)
        twist = min(max(wound, lower), upper)
        is_twist_legal = twist == wound
    sx, sy, sz, sw = product((x, y, z, w), (-s * ax, -s * ay, -s * az, c))
    sine = math.sqrt(sx * sx + sy * sy + sz * sz)
    half_sine, half_cosine = sincos(0.5 * min(cone, math.pi))
    is_swing_legal = cone >= math.pi or sine * half_cosine <= abs(sw) * half_sine
    if is_swing_legal and is_twist_legal:
        return x, y, z, w
    if not is_swing_legal:
        scale = (half_sine / sine) * (1.0 if sw >= 0.0 else -1.0)
        sx, sy, sz, sw = scale * sx, scale * sy, scale * sz, half_cosine
    if not is_twist_legal:
        s, c = sincos(0.5 * twist)
    return product((sx, sy, sz, sw), (s * ax, s * ay, s * az, c))


@compiled(inline=False)
def within_euler_limits(q: Quaternion, order: int, lower: Floats, upper: Floats) -> Quaternion:
    """The nearest rotation whose Euler angles are within limits [3] (infinite: none), as `Model.clip` does.

    order: 1 + 3 i + j for rotations about the axes i, j and the third one, of 0, 1 and 2. See `model.euler`
    for the angles and for what is nearest.
    """
    i, j = (order - 1) // 3, (order - 1) % 3
    k = 3 - i - j
    sign = 1.0 if (j - i) % 3 == 1 else -1.0
    first, second, third, w = component(q, i), component(q, j), component(q, k), q[3]
    plus, minus = (w + second, first + sign * third), (w - second, first - sign * third)
    long = math.sqrt(plus[0] * plus[0] + plus[1] * plus[1])
    short = math.sqrt(minus[0] * minus[0] + minus[1] * minus[1])
    size = long * long + short * short  # 2 for a unit quaternion
    together, apart = angle_of(plus[1], plus[0]), angle_of(minus[1], minus[0])
    b = 2.0 * angle_of(long, short) - 0.5 * math.pi
    s = sign * (long * long - short * short) / size
    lean = 4.0 * (long / size) * (short / size) * long * short
    best = math.inf
    a0 = b0 = c0 = 0.0
    for turned in range(2):
        added = turned * math.pi
        middle = b if turned == 0 else (math.pi if b > 0.0 else -math.pi) - b
        within = min(max(middle, lower[1]), upper[1])
        for one in (0, 2):
            mine = (together + apart if one == 0 else sign * (together - apart)) + added
            other = (sign * (together - apart) if one == 0 else together + apart) + added
            mine = near_range(mine, lower[one], upper[one])
            x = min(max(mine, lower[one]), upper[one])
            made_up = near_range(
                near_range(other, lower[2 - one], upper[2 - one]) - s * (x - mine),
                lower[2 - one],
                upper[2 - one],
            )
            y = min(max(made_up, lower[2 - one]), upper[2 - one])
            cost = lean * (x - mine) ** 2 + (y - made_up) ** 2 + (within - middle) ** 2
            if cost < best:
                best = cost
                a0, b0, c0 = (x, within, y) if one == 0 else (y, within, x)
    if best <= 1e-30:
        return q
    return of_euler_angles(i, j, k, sign, a0, b0, c0)


@compiled
def component(q: Quaternion, i: int) -> float:
    """The x, y or z of a quaternion."""
    return q[0] if i == 0 else q[1] if i == 1 else q[2]


@compiled
def near_range(angle: float, lower: float, upper: float) -> float:
    """The angle with the revolutions added that bring it nearest to the middle of a range, or to 0."""
    middle = lower + 0.5 * (upper - lower) if upper - lower < math.inf else 0.0
    return middle + nearest_turn(angle - middle)


@compiled
def of_euler_angles(i: int, j: int, k: int, sign: float, a: float, b: float, c: float) -> Quaternion:
    """The product of rotations by a, b, c about the axes i, j, k; sign: 1 where these are in cyclic order."""
    sa, ca = sincos(0.5 * a)
    sb, cb = sincos(0.5 * b)
    sc, cc = sincos(0.5 * c)
    first = sa * cb * cc + sign * ca * sb * sc
    second = ca * sb * cc - sign * sa * cb * sc
    third = ca * cb * sc + sign * sa * sb * cc
    w = ca * cb * cc - sign * sa * sb * sc
    x = first if i == 0 else second if j == 0 else third
    y = first if i == 1 else second if j == 1 else third
    z = first if i == 2 else second if j == 2 else third
    return x, y, z, w
