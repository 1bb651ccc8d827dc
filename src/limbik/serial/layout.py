"""Fast core: offsets of the numbers of a plan, and of those of a solve."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

from limbik.serial.seed_table import Shape

LANES = 4  # attempts at one problem, side by side: as many as vectors of today's processors hold

VIEW = 12  # numbers of a chain's first frame in the axes of a goal


def one_after_another(sizes: dict[str, int], whole: str, begin: int = 0) -> dict[str, int]:
    """Where each part begins, and under the name `whole` where the last one ends."""
    ends = [*itertools.accumulate(sizes.values(), initial=begin)]
    return dict(zip((*sizes, whole), ends, strict=True))


@dataclass(frozen=True)
class Layout:
    """Offsets, as the kernels take them; see `offsets`."""

    shape: Shape

    @property
    def rows(self) -> int:
        """Rows of a block: x, first frame, squared errors [3], x as evaluated."""
        return 2 * self.shape.n + VIEW + 3

    @property
    def step_constants(self) -> int:
        """Numbers that the step reads, at the beginning of the plan."""
        return 7 * self.shape.n + 22

    @property
    def offsets(self) -> dict[str, int]:
        """The offsets in the plan by name, and its SIZE."""
        n = self.shape.n
        parts = {
            "STEP": self.step_constants,
            "BASE": 12,  # world to the first row's frame: 3 rows of 4
            "TOOL": 9,  # last row's frame to the tool's
            "TABLE": 12,  # first row's frame to the base yaw joint: 3 rows of 4
            "LENGTH": 1,  # one over the unit of length [1/m]
            "SCALE": n,  # x = scale q + offset
            "OFFSET": n,
            "Q_LOWER": n,
            "Q_UPPER": n,
            "SEED_LOWER": n,  # of x
            "SEED_UPPER": n,
            "CIRCULAR": n,  # 1 where a joint has no limits
            "GRID": GRID_SIZE,  # see GRID_BOUNDS
            "SETTINGS": len(SETTINGS),
        }
        return one_after_another(parts, "SIZE")

    @property
    def constants(self) -> dict[str, int]:
        """Everything that a kernel needs to know before it is compiled."""
        shape = self.shape
        divisions = dict(zip(("D0", "D1", "D2", "D3", "D4"), (*shape.divisions, 1), strict=False))
        return {
            **{f"AT_{name}": offset for name, offset in self.offsets.items()},
            **{f"SET_{name.upper()}": self.offsets["SETTINGS"] + i for i, name in enumerate(SETTINGS)},
            **divisions,
            "AT_LOWER": 5 * shape.n,  # of x, in the numbers of the step
            "AT_UPPER": 6 * shape.n,
            "N": shape.n,
            # Rows of a block, after x:
            "ROW_VIEW": shape.n,  # the chain's first frame in the axes of the goal [12]
            "ROW_POSITION": shape.n + VIEW,  # squared error of the position
            "ROW_ROTATION": shape.n + VIEW + 1,  # and of the rotation
            "ROW_COST": shape.n + VIEW + 2,  # weighted squared error
            "ROW_EVALUATED": shape.n + VIEW + 3,  # x at which they were evaluated [n]
            "DEPTH": shape.depth,
            "BASE_YAW": -1 if shape.base_yaw is None else shape.base_yaw,
            "TOOL_ROLL": -1 if shape.tool_roll is None else shape.tool_roll,
        }


# Grid: a and d of the last row, origin [3] and scale [3] of the grid; then of base yaw and tool roll the
# lower bounds [2], middles [2] and upper bounds [2].
GRID_BOUNDS = 8
GRID_SIZE = 14

# A reading of a goal, what its pose says before the first step: the pose [12, rows of 4]; heading,
# point [3], direction [3] and across [3] of its key; the cell; the chain's first frame in the axes of the
# goal, or of the point on the path to it that the links just reach [12]; how far the pose is from being one;
# whether it is proved to be out of reach; how much was cut off the path to it.
KEY_NUMBERS = 12
KEY_CELL = 22
KEY_VIEW = 23
KEY_DEVIATION = 35
KEY_BEYOND = 36
KEY_CUT = 37
KEY_SIZE = 38
KEY_COUNT = KEY_CELL - KEY_NUMBERS  # numbers of the key

# Behind a reading of a goal: a candidate's heading and across [3], and what `complete_nearest` makes of
# them.
NEAREST = KEY_SIZE
NEAREST_BASE_YAW = NEAREST + 4
NEAREST_TOOL_ROLL = NEAREST_BASE_YAW + 1
NEAREST_OUTSIDE = NEAREST_TOOL_ROLL + 1
NEAREST_ROWS = NEAREST_OUTSIDE + 1

# Where the candidates of a cell are completed for a goal, one to a lane.
COMPLETED_BASE_YAW = 0
COMPLETED_TOOL_ROLL = 1
COMPLETED_DISTANCE = 2
COMPLETED_ROWS = 3

POSE_BOUNDS = ("shoulder", "shoulder_axis", "wrist", "wrist_axis")
SETTINGS_OF_POSE = (  # those of `model.pose_bounds`, as seen from the first row's frame
    *(f"{part}_{axis}" for part in POSE_BOUNDS for axis in "xyz"),
    "circle_radius",
    "half_length",
    "min_distance",
    "max_distance",
)
SETTINGS = (
    "length",  # the unit of length [m]; all of the following are in it
    "tolerance",  # squared
    "tolerance_rotation",  # squared [rad^2]
    "near",  # squared error from which the next step is likely to arrive
    "budget",  # iterations
    "rounds",  # iterations before the kernel returns to its caller
    "restarts",  # how many attempts may follow the first ones
    "reach",
    "shortest_reach",
    "asks_position",
    "uses_table",
    "seed",
    "nearest",  # 1: of several solutions, the nearest to the start
    "careful",  # 1: in a batch, all iterations are
    "may_jump",  # 1: where the start leads nowhere, look elsewhere
    *SETTINGS_OF_POSE,
)
