"""Sine and cosine together, inverse functions, and the nearest of equal angles, inside kernels.

`sincos` is in a form that the compiler can run on several angles at once: three-part reduction by pi/2 (Cody
& Waite 1980) and the minimax polynomials of the Cephes library (Moshier 1989). Within 1 unit in the last
place or two of the C library for angles up to about 1e6 rad.
"""

from __future__ import annotations

import math

from limbik.compiler.kernel import compiled

FULL_TURN = 2.0 * math.pi
TWO_OVER_PI = 2.0 / math.pi
# pi / 2 in three parts; the first two have zeros at the end, so that whole multiples of them are exact.
HALF_PI_1 = 1.57079625129699707031
HALF_PI_2 = 7.54978941586159635335e-8
HALF_PI_3 = 5.39030285815811905290e-15


@compiled(inline=True)
def sincos(angle: float) -> tuple[float, float]:
    """(sine, cosine) of an angle [rad]."""
    quarters = math.floor(angle * TWO_OVER_PI + 0.5)
    x = ((angle - quarters * HALF_PI_1) - quarters * HALF_PI_2) - quarters * HALF_PI_3
    z = x * x
    sine = 1.58962301576546568060e-10 * z - 2.50507477628578072866e-8
    sine = sine * z + 2.75573136213857245213e-6
    sine = sine * z - 1.98412698295895385996e-4
    sine = sine * z + 8.33333333332211858878e-3
    sine = sine * z - 1.66666666666666307295e-1
    sine = x + x * z * sine
    cosine = -1.13585365213876817300e-11 * z + 2.08757008419747316778e-9
    cosine = cosine * z - 2.75573141792967388112e-7
    cosine = cosine * z + 2.48015872888517045348e-5
    cosine = cosine * z - 1.38888888888730564116e-3
    cosine = cosine * z + 4.16666666666665929218e-2
    cosine = 1.0 - 0.5 * z + z * z * cosine
    quadrant = quarters - 4.0 * math.floor(quarters * 0.25)
    odd = (quadrant == 1.0) | (quadrant == 3.0)
    swapped_sine = cosine if odd else sine
    swapped_cosine = sine if odd else cosine
    return (
        -swapped_sine if quadrant >= 2.0 else swapped_sine,
        -swapped_cosine if (quadrant == 1.0) | (quadrant == 2.0) else swapped_cosine,
    )


@compiled
def turn_within_limits(value: float, turn: float, lower: float, upper: float) -> float:
    """The legal turn [rad] of a revolute joint at `value` nearest to the wanted one, reversed
    included.
    """
    wanted = value + turn
    if lower <= wanted <= upper:
        return turn
    opposite = wanted - FULL_TURN if wanted > upper else wanted + FULL_TURN
    if lower <= opposite <= upper:
        return opposite - value
    return (upper if angle_between(wanted, upper) <= angle_between(wanted, lower) else lower) - value


@compiled
def nearest_within_limits(wanted: float, lower: float, upper: float) -> float:
    """The legal angle [rad] of a revolute joint nearest to the wanted one, revolutions not counted."""
    if lower <= wanted <= upper:
        return wanted
    if upper - lower < math.inf:
        middle = lower + 0.5 * (upper - lower)
        wanted = middle + nearest_turn(wanted - middle)
    return min(max(wanted, lower), upper)


@compiled
def angle_between(a: float, b: float) -> float:
    """How far apart two headings are [rad], at most half a turn."""
    return abs(nearest_turn(a - b))


@compiled(inline=True)
def nearest_turn(angle: float) -> float:
    """The same heading change [rad] without revolutions, between -pi and pi."""
    return angle - FULL_TURN * math.floor(angle / FULL_TURN + 0.5)


@compiled
def arc_sine(value: float) -> float:
    """The angle [rad] from 0 to pi / 2 whose sine is a value from 0 to 1 (Cephes library, Moshier 1989)."""
    is_steep = value > 0.5
    z = 0.5 * (1.0 - value) if is_steep else value * value
    x = math.sqrt(z) if is_steep else value
    above = 4.253011369004428248960e-3 * z - 6.019598008014123785661e-1
    above = above * z + 5.444622390564711410273e0
    above = above * z - 1.626247967210700244449e1
    above = above * z + 1.956261983317594739197e1
    above = above * z - 8.198089802484824371615e0
    below = z - 1.474091372988853791896e1
    below = below * z + 7.049610280856842141659e1
    below = below * z - 1.471791292232726029859e2
    below = below * z + 1.395105614657485689735e2
    below = below * z - 4.918853881490881290097e1
    angle = x + x * z * above / below
    return 0.5 * math.pi - 2.0 * angle if is_steep else angle


@compiled
def angle_of(y: float, x: float) -> float:
    """The angle [rad] from -pi to pi of the direction (x, y); 0 where it has no length. As the C library's
    atan2."""
    across, along = abs(y), abs(x)
    largest = max(across, along)
    if not largest > 0.0:
        return 0.0
    if largest == math.inf:
        across, along = 1.0 if across == math.inf else 0.0, 1.0 if along == math.inf else 0.0
    else:
        across, along = across / largest, along / largest
    length = math.sqrt(across * across + along * along)
    angle = arc_sine(across / length) if across <= along else 0.5 * math.pi - arc_sine(along / length)
    if x < 0.0:
        angle = math.pi - angle
    return -angle if y < 0.0 else angle
