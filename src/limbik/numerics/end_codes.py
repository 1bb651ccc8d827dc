"""End codes of kernels: why a solve ended.

Those that are not negative are indices in `limbik.solution.STATUSES`.
"""

SOLVED = 0
UNREACHABLE = 1  # proved
SETTLED = 2  # no descent gets any nearer
SPENT = 3  # the budget of iterations
RUNNING = 4  # not at its end: a call with RESUME goes on
CONVERGED = 7  # the smallest errors of goals that cannot all be met: no gradient is left
BAD_GOAL = -1  # with a number that is not finite, or no pose
BAD_START = -2  # with a number that is not finite, or a quaternion without a direction
