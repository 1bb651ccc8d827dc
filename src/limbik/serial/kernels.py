"""Fast core: assembles the kernels for one shape of chain."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from limbik.compiler.emit import Emitted, Numbers, Rows, Stored
from limbik.compiler.symbols import (
    Scalar,
    Scalars,
    absolute,
    cross,
    dot,
    floor,
    larger,
    select,
    smaller,
    sqrt,
)
from limbik.serial import batch, lanes
from limbik.serial.lanes import LONGEST, RATIO, ROUNDING
from limbik.serial.layout import (
    COMPLETED_BASE_YAW,
    GRID_BOUNDS,
    GRID_SIZE,
    KEY_BEYOND,
    KEY_CELL,
    KEY_COUNT,
    KEY_CUT,
    KEY_DEVIATION,
    KEY_NUMBERS,
    KEY_VIEW,
    LANES,
    NEAREST,
    NEAREST_BASE_YAW,
    POSE_BOUNDS,
    SETTINGS,
    VIEW,
    Layout,
)
from limbik.serial.seed_table import CANDIDATES, FULL_TURN, HELD, Key, Shape, apart, cell, completed, key
from limbik.serial.seeding import WITHIN
from limbik.serial.step import JointFrame, LinkRow, Objective, SerialTuning, frames, iteration, pose_error

WIDTHS = {False: 8, True: 16}  # lanes of a batch, in double and in single precision
DEFAULT_TUNING = SerialTuning()
FAR = 1e6  # arm lengths: a goal farther away is looked for in its direction
SINGLE_ROUNDING = 1e-5  # that a pose in single precision may be off by


def one_interpreted(shape: Shape) -> Callable[..., None]:
    """`serial.lanes.solve` for chains of that shape, run by Python itself."""
    layout = Layout(shape)
    return lanes.solve.bind(
        **layout.constants,
        **lanes.working_offsets(shape.n, layout.rows),
        WIDTH=LANES,
        **functions_of_one(shape),
    ).interpreted


def many_interpreted(shape: Shape, width: int, single: bool = False) -> Callable[..., None]:
    """`serial.batch.solve_many` for chains of that shape with that many lanes, run by Python itself."""
    layout = Layout(shape)
    return batch.solve_many.bind(
        **layout.constants,
        **batch.working_offsets(shape.n, layout.rows, width),
        WIDTH=width,
        LARGEST_DEVIATION=SINGLE_ROUNDING if single else ROUNDING,
        **functions_of_many(shape, width, single),
    ).interpreted


def functions_of_one(shape: Shape, tuning: SerialTuning = DEFAULT_TUNING) -> dict[str, Emitted]:
    """What `serial.lanes` leaves open."""
    return {
        "step": step(shape, LANES, tuning),
        "careful_step": step(shape, LANES, replace(tuning, is_careful=True)),
        "evaluate": evaluate(shape),
        "read_goal": read_goal(shape, 1),
        "complete": complete(),
    }


def functions_of_many(shape: Shape, width: int, single: bool) -> dict[str, Emitted]:
    """What `serial.batch` leaves open."""
    return {
        "step": step_of_many(shape, width, SerialTuning(single=single)),
        "careful_step": step_of_many(shape, width, SerialTuning(single=single, is_careful=True)),
        "read_goal": read_goal(shape, width, single),
        "read_one_goal": read_goal(shape, 1, single),
        "compare": compare(width, single),
        "complete": complete(single),
        "complete_nearest": complete_nearest(width, single),
        "finish": finish(shape, width, single),
    }


def step(shape: Shape, lanes: int, tuning: SerialTuning) -> Emitted:
    """One iteration of every lane; see `Layout.rows`."""
    n = shape.n

    def function(rows: Rows, constants: Rows) -> Stored:
        x, first = rows[:n], _frame(rows[n:])
        chain, lower, upper, objective = unpacked(constants, shape)
        after = iteration(x, first, chain, lower, upper, objective, tuning)
        errors = after.position, after.rotation, after.cost
        return [*enumerate(errors, n + VIEW), *enumerate(x, n + VIEW + 3), *enumerate(after.x)]

    plan = Numbers(Layout(shape).step_constants)
    return Emitted(function, inputs=n + VIEW, numbers=[plan], lanes=lanes, single=tuning.single)


def step_of_many(
    shape: Shape, lanes: int, tuning: SerialTuning, ratio: float = RATIO, longest: int = LONGEST
) -> Emitted:
    """The step, then what it means for each lane; its memory follows the rows of the block."""
    layout, advance = Layout(shape), step(shape, lanes, tuning)
    offsets, begin = layout.offsets, layout.rows

    def function(rows: Rows, plan: Rows) -> Stored:
        stored = advance.function(rows, plan)
        value = dict(stored)
        errors = [value[shape.n + VIEW + i] for i in range(3)]
        settings = dict(zip(SETTINGS, plan[offsets["SETTINGS"] :], strict=True))
        return [*stored, *enumerate(judged(errors, rows[begin:], settings, ratio, longest), begin)]

    inputs, plan = begin + batch.REMEMBERED, Numbers(offsets["SIZE"])
    return Emitted(function, inputs=inputs, numbers=[plan], lanes=lanes, single=tuning.single)


def judged(
    errors: Scalars, memory: Scalars, settings: dict[str, Scalar], ratio: float, longest: int
) -> list[Scalar]:
    """The memory of a lane, from its flag on, after an iteration with these errors; see `serial.batch`."""
    position, rotation, cost = errors
    best, missed, age, used, patience, is_hopeful = memory[batch.BEST : batch.REMEMBERED]
    is_better = cost < ratio * best
    missed = select(is_better, 0.0, missed + 1.0)
    age, used = age + 1.0, used + 1.0
    is_spent = used >= settings["budget"]
    has_stalled = (missed >= patience) | (age >= float(longest)) | is_spent
    may_arrive = select(is_spent, 0.0, is_hopeful) > 0.5
    has_arrived = (position <= WITHIN * settings["tolerance"]) & (
        rotation <= WITHIN * settings["tolerance_rotation"]
    )
    is_near = cost <= select(has_stalled, 0.0, settings["near"])
    flag = select(has_stalled, batch.STALLED, 0.0)
    flag = select((has_arrived | is_near) & may_arrive, batch.NEAR, flag)
    return [flag, select(is_better, cost, best), missed, age, used]


def evaluate(shape: Shape) -> Emitted:
    """Squared errors of position and rotation, behind x and the first frame of one problem."""
    n = shape.n

    def function(rows: Rows, constants: Rows) -> Stored:
        chain, _, _, objective = unpacked(constants, shape)
        tool, _ = frames(rows[:n], _frame(rows[n:]), chain, SerialTuning())
        error = [row * value for row, value in zip(objective.rows, pose_error(tool, objective), strict=True)]
        return [(n + VIEW, dot(error[:3], error[:3])), (n + VIEW + 1, dot(error[3:], error[3:]))]

    return Emitted(function, inputs=n + VIEW, numbers=[Numbers(Layout(shape).step_constants)], lanes=1)


def finish(shape: Shape, lanes: int, single: bool = False) -> Emitted:
    """Configurations and squared errors of lanes that have arrived; see `batch.working_offsets`."""
    n, offsets = shape.n, Layout(shape).offsets

    def function(rows: Rows, plan: Rows) -> Stored:
        x, first, wanted = rows[:n], _frame(rows[n:]), rows[n + VIEW :]
        names = "SCALE", "OFFSET", "CIRCULAR", "Q_LOWER", "Q_UPPER"
        parts = [plan[offsets[name] : offsets[name] + n] for name in names]
        q = [configured(*each) for each in zip(x, *parts, wanted, strict=True)]
        x = [scale * value + offset for scale, value, offset in zip(parts[0], q, parts[1], strict=True)]
        chain, _, _, objective = unpacked(plan, shape)
        tool, _ = frames(x, first, chain, SerialTuning(single=single))
        error = [row * value for row, value in zip(objective.rows, pose_error(tool, objective), strict=True)]
        squares = dot(error[:3], error[:3]), dot(error[3:], error[3:])
        return [*enumerate(q, 2 * n + VIEW), *enumerate(squares, 3 * n + VIEW)]

    numbers = [Numbers(offsets["SETTINGS"])]
    return Emitted(function, inputs=2 * n + VIEW, numbers=numbers, lanes=lanes, single=single)


def configured(
    x: Scalar, scale: Scalar, offset: Scalar, circular: Scalar, lower: Scalar, upper: Scalar, wanted: Scalar
) -> Scalar:
    """A joint's q for its x, as `serial.seeding.configuration` has it."""
    q = (x - offset) / scale
    turned = q - FULL_TURN * floor((q - wanted) * (1.0 / FULL_TURN) + 0.5)
    back = select(turned < lower, turned + FULL_TURN, turned)
    turned = select(turned > upper, turned - FULL_TURN, back)
    return larger(smaller(select(circular > 0.5, turned, q), upper), lower)


def read_goal(shape: Shape, lanes: int, single: bool = False) -> Emitted:
    """What a goal's pose says before the first step; see `layout.KEY_SIZE`."""
    offsets = Layout(shape).offsets
    at = {name: slice(offsets[name], offsets[name] + 12) for name in ("BASE", "TOOL", "TABLE", "GRID")}

    def function(rows: Rows, plan: Rows) -> Stored:
        world = _from_rows(rows)
        pose = _seen_from(plan[at["BASE"]], world)
        x, y, z = zip(pose.x, pose.y, pose.z, strict=True)  # rows of the rotation
        tool = [plan[at["TOOL"]][3 * i : 3 * i + 3] for i in range(3)]
        origin = [value * plan[offsets["LENGTH"]] for value in pose.origin]
        size = absolute(origin[0]) + absolute(origin[1]) + absolute(origin[2])
        scale = smaller(FAR / (size + FAR * 1e-9), 1.0)
        origin = [value * scale for value in origin]
        distance = dot(origin, origin)
        cut = larger(size / FAR - 1.0, 0.0) * sqrt(distance)
        last = JointFrame._make([*([dot(row, column) for row in (x, y, z)] for column in tool), origin])
        settings = dict(zip(SETTINGS, plan[offsets["SETTINGS"] :], strict=True))
        is_beyond, within = reached(sqrt(distance), settings)
        seen = JointFrame(pose.x, pose.y, pose.z, origin)
        is_beyond = larger(is_beyond, excluded(seen, settings))
        view = _inverse(last)
        view[9:] = [value * within for value in view[9:]]
        grid = plan[at["GRID"]]
        from_yaw = _seen_from(plan[at["TABLE"]], last) if shape.base_yaw else last
        cell_key = key(from_yaw, LinkRow(grid[0], grid[1], 1.0, 0.0, 0.0, 1.0), shape)
        numbers = (cell_key.heading, *cell_key.point, *cell_key.direction, *cell_key.across)
        return [
            *enumerate(numbers, KEY_NUMBERS),
            (KEY_CELL, cell(cell_key, grid[2:5], grid[5:8], shape)),
            *enumerate(view, KEY_VIEW),
            (KEY_DEVIATION, _deviation(world)),
            (KEY_BEYOND, is_beyond),
            (KEY_CUT, cut + (1.0 - within) * sqrt(distance)),
        ]

    return Emitted(function, inputs=12, numbers=[Numbers(offsets["SIZE"])], lanes=lanes, single=single)


def reached(distance: Scalar, settings: dict[str, Scalar]) -> tuple[Scalar, Scalar]:
    """Whether no configuration can bring the tool's origin so far from the first joint, or so near, not even
    within the tolerance: 1 or 0. Then which part of the distance the links reach, 1 for what is not beyond.
    """
    reach, shortest = settings["reach"], settings["shortest_reach"]
    slack = sqrt(settings["tolerance"]) + 1e-12 * (distance + shortest)
    asks = settings["asks_position"] > 0.5
    is_far = asks & (distance - reach > slack)
    is_beyond = is_far | (asks & (shortest - distance > slack))
    return select(is_beyond, 1.0, 0.0), select(is_far, reach / larger(distance, 1e-30), 1.0)


def excluded(frame: JointFrame, settings: dict[str, Scalar]) -> Scalar:
    """1 where the distance of shoulder and wrist (`model.pose_bounds`) proves a pose out of reach, not even
    within the tolerances; else 0.
    """
    shoulder, shoulder_axis, wrist, wrist_axis = (
        [settings[f"{part}_{axis}"] for axis in "xyz"] for part in POSE_BOUNDS
    )
    radius, half = settings["circle_radius"], settings["half_length"]
    rows = list(zip(frame.x, frame.y, frame.z, strict=True))
    between = [
        dot(row, wrist) + at - center for row, at, center in zip(rows, frame.origin, shoulder, strict=True)
    ]
    axis = [dot(row, wrist_axis) + other for row, other in zip(rows, shoulder_axis, strict=True)]
    along = dot(between, axis)
    across = [part - along * k for part, k in zip(between, axis, strict=True)]
    aside, along = sqrt(dot(across, across)), absolute(along)
    past, to_circle = larger(along - half, 0.0), aside - radius
    far, farthest_aside = along + half, aside + radius
    nearest = sqrt(past * past + to_circle * to_circle)
    farthest = sqrt(far * far + farthest_aside * farthest_aside)
    lever = sqrt(dot(wrist, wrist)) + radius + half
    slack = sqrt(settings["tolerance"]) + sqrt(settings["tolerance_rotation"]) * lever + 1e-12 * farthest
    is_far = nearest - settings["max_distance"] > slack
    return select(is_far | (settings["min_distance"] - farthest > slack), 1.0, 0.0)


def _from_rows(numbers: Scalars) -> JointFrame:
    """The frame of a pose, from 3 rows of 4."""
    return JointFrame(*(numbers[column:12:4] for column in range(4)))


def _seen_from(rows: Scalars, frame: JointFrame) -> JointFrame:
    """A frame moved by a pose of 3 rows of 4."""
    turned = [[dot(rows[4 * i : 4 * i + 3], axis) for i in range(3)] for axis in frame]
    return JointFrame._make([*turned[:3], [value + rows[4 * i + 3] for i, value in enumerate(turned[3])]])


def _inverse(frame: JointFrame) -> list[Scalar]:
    """The axes and the origin of the inverse of a frame, in 12 numbers."""
    axes = frame.x, frame.y, frame.z
    return [axis[i] for i in range(3) for axis in axes] + [-dot(axis, frame.origin) for axis in axes]


def _deviation(frame: JointFrame) -> Scalar:
    """How far three axes are from being right-handed, of length 1 and at right angles."""
    axes = frame.x, frame.y, frame.z
    total = absolute(dot(cross(frame.x, frame.y), frame.z) - 1.0)
    for i in range(3):
        for j in range(i + 1):
            total = total + absolute(dot(axes[i], axes[j]) - (1.0 if i == j else 0.0))
    return total


def compare(width: int, single: bool) -> Emitted:
    """How far the candidates of a cell are from a goal's key, which stands in one of so many lanes."""

    def function(_: Rows, at: Rows, held: Rows) -> Stored:
        return [(0, apart(held, _key(at)))]

    numbers = [Numbers(KEY_COUNT, stride=width)]
    return Emitted(function, inputs=0, numbers=numbers, held=HELD, lanes=CANDIDATES, single=single)


def complete(single: bool = False) -> Emitted:
    """Base yaw, tool roll and distance of the candidates of a cell; see `layout.COMPLETED_ROWS`."""

    def function(_: Rows, at: Rows, bounds: Rows, held: Rows) -> Stored:
        goal = _key(at)
        base_yaw, tool_roll, outside = completed(held, goal, bounds)
        return list(enumerate((base_yaw, tool_roll, apart(held, goal) + outside), COMPLETED_BASE_YAW))

    numbers = [Numbers(KEY_COUNT), Numbers(GRID_SIZE - GRID_BOUNDS)]
    return Emitted(function, inputs=0, numbers=numbers, held=HELD, lanes=CANDIDATES, single=single)


def complete_nearest(lanes: int, single: bool) -> Emitted:
    """Base yaw and tool roll of one candidate for each goal, and whether they are outside their limits."""

    def function(rows: Rows, bounds: Rows) -> Stored:
        at = _key(rows[KEY_NUMBERS:])
        return list(enumerate(completed(rows[NEAREST:], at, bounds), NEAREST_BASE_YAW))

    numbers = [Numbers(GRID_SIZE - GRID_BOUNDS)]
    return Emitted(function, inputs=NEAREST_BASE_YAW, numbers=numbers, lanes=lanes, single=single)


def _key(numbers: Scalars) -> Key:
    return Key(numbers[0], numbers[1:4], numbers[4:7], numbers[7:10])


def unpacked(constants: Scalars, shape: Shape) -> tuple[list[LinkRow], Scalars, Scalars, Objective]:
    """The rows, the bounds of x and the objective, from the numbers that begin a plan."""
    n = shape.n
    chain = [
        LinkRow._make(
            [*constants[5 * i : 5 * i + 4], 0.0, 1.0] if kind == "R" else [*constants[5 * i : 5 * i + 5], 0.0]
        )
        for i, kind in enumerate(shape.kinds)
    ]
    objective = constants[7 * n :]
    return (
        chain,
        constants[5 * n : 6 * n],
        constants[6 * n : 7 * n],
        Objective(objective[:6], objective[6:12], objective[12:18], objective[18:21], objective[21]),
    )


def _frame(numbers: Scalars) -> JointFrame:
    return JointFrame(numbers[:3], numbers[3:6], numbers[6:9], numbers[9:12])
