"""Kernels that check the numbers passed to a `Tracker` as targets, and convert them to the targets of its
tasks.
"""

from __future__ import annotations

from limbik.compiler.kernel import Floats, compiled, empty
from limbik.motion.state import AS_POSE, AS_TARGET, TARGET_CHANGE, TrackerState
from limbik.numerics.linear import copy
from limbik.tree.residuals import TARGET_SIZE

FARTHEST = 1e60  # [m or rad] of a target; beyond it the powers of distances overflow
ORTHONORMAL = 1e-9  # how far the columns of a rotation may be from it


@compiled(inline=False)
def find_bad_target(motion: TrackerState) -> int:
    """1 more than the index of a task whose numbers have no meaning; 0 where there is none."""
    for k in range(motion.forms.size):
        form, numbers = motion.forms[k], motion.inputs[k]
        if form == AS_TARGET:
            for i in range(TARGET_SIZE):
                if not abs(numbers[i]) <= FARTHEST:
                    return k + 1
        elif form == AS_POSE and not is_pose(numbers):
            return k + 1
    return 0


@compiled(inline=False)
def is_pose(matrix: Floats) -> bool:
    """Whether 16 numbers are a pose, up to rounding."""
    for i in range(3):
        if not abs(matrix[4 * i + 3]) <= FARTHEST:
            return False
        for k in range(i, 3):
            total = -1.0 if i == k else 0.0
            for row in range(0, 12, 4):
                total += matrix[row + i] * matrix[row + k]
            if not abs(total) <= ORTHONORMAL:
                return False
    turned = matrix[1] * matrix[6] - matrix[2] * matrix[5]
    turned = matrix[8] * turned - matrix[9] * (matrix[0] * matrix[6] - matrix[2] * matrix[4])
    turned += matrix[10] * (matrix[0] * matrix[5] - matrix[1] * matrix[4])
    last = abs(matrix[12]) + abs(matrix[13]) + abs(matrix[14]) + abs(matrix[15] - 1.0)
    return turned > 0.0 and last <= 0.0


@compiled(inline=False)
def read_targets(motion: TrackerState, targets: Floats) -> None:
    """The targets [tasks, 12] of the inputs, and by how much they have changed."""
    change = 0.0
    for k in range(motion.forms.size):
        if motion.forms[k] == AS_TARGET:
            change = max(change, write(motion.inputs[k, :TARGET_SIZE], targets[k]))
        elif motion.forms[k] == AS_POSE:
            change = max(change, write_pose(motion.inputs[k], targets[k]))
        else:
            copy(targets[k - 1], targets[k])
    motion.settings[TARGET_CHANGE] = change


@compiled
def write_pose(matrix: Floats, target: Floats) -> float:
    """Origin and rotation [12] of a pose's 16 numbers; returns the largest change."""
    numbers = empty(TARGET_SIZE)
    for i in range(3):
        numbers[i] = matrix[4 * i + 3]
        for k in range(3):
            numbers[3 + 3 * i + k] = matrix[4 * i + k]
    return write(numbers, target)


@compiled
def write(numbers: Floats, target: Floats) -> float:
    """Copy the numbers of a target; returns the largest change."""
    change = 0.0
    for i in range(target.size):
        change = max(change, abs(numbers[i] - target[i]))
        target[i] = numbers[i]
    return change
