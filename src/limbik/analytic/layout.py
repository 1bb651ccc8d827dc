"""The layout of the arrays of six-joint closed forms: offsets of the data of an arm, and of a solve's memory.

Lengths are in units of the arm's own size, and joints in the order in which they are solved, which is that
from the tool for an arm that is walked backwards. Answers and limits have the arm's own units and order.
"""

from __future__ import annotations

from limbik.serial.layout import one_after_another

JOINTS = 6
BRANCHES = 8  # side by side, each in a lane
CHOICES = 3  # of a branch: shoulder, elbow and wrist, 1 or -1 each

# An arm: axes [6, 3], steps between them [5, 3], and a vector across the last axis [3].
ARM_SIZE = 36
ARM_STEPS = 18
ARM_ACROSS = 33

PLAN = one_after_another(
    {
        "ARM": ARM_SIZE,  # whose closed form is used
        "TRUE": ARM_SIZE,  # as the model has it: not quite the same where axes nearly meet
        "BEFORE": 3,  # from the world's origin to the first axis
        "AFTER": 3,  # from the last axis to the tool, at zero
        "HOME": 9,  # rotation of the tool at zero, by rows
        "SLIDES": JOINTS,  # 1 where a joint is prismatic
        "INDICES": JOINTS,  # where each is in an answer
        "LOWER": JOINTS,  # [rad or m]
        "UPPER": JOINTS,
        "LENGTH": 1,  # one over the unit of length [1/m]
        "BACKWARDS": 1,  # 1: the chain is walked from the tool
        "EXACT": 1,  # error of an answer, in units of the arm's size and of radians, that is left as it is
        "REFINABLE": 1,  # and the largest that is refined
    },
    "SIZE",
)

# A block: the rows that a branch takes, and those that it returns.
ROW_ANGLES = CHOICES
ROW_POSITION = ROW_ANGLES + JOINTS  # squared errors
ROW_ROTATION = ROW_POSITION + 1
ROW_FREE = ROW_ROTATION + 1  # of `subproblems.may_be_free`
ROWS = ROW_FREE + 1

WANTED_SIZE = 12  # rotation by rows [9], then the point [3]
REFINING_SIZE = 64

WORK = one_after_another(
    {
        "BLOCK": ROWS * BRANCHES,
        "WANTED": WANTED_SIZE,
        "ASIDE": WANTED_SIZE,  # near it
        "IS_ANSWERED": BRANCHES,  # 1 for a branch with an answer
        "HAS_FREE": 1,  # 1 where a joint may have any angle in some branch, or nearly so
        "REFINED": JOINTS,
        "REFINING": REFINING_SIZE,
        "ANSWERS": JOINTS * BRANCHES,  # the answers, without revolutions
        "Q": JOINTS * BRANCHES,
        "BRANCH": BRANCHES,  # which each is
        "DISTANCE": BRANCHES,  # from the start, squared
    },
    "SIZE",
)
