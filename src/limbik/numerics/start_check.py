"""Results of a kernel's check of a start configuration (valid, moved, invalid), and the tolerances of that
check.
"""

INVALID = -1  # a number is not finite, or a quaternion has no direction
AS_IT_WAS = 0
MOVED = 1

ROUNDING = 1e-12  # [rad, m, or part of a quaternion] that does not count as moved
MANY_WINDINGS = 1e4  # [rad] beyond which revolutions are taken off, because their sines lose digits
