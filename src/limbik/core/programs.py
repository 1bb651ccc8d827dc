"""The fast core's kernels for one shape of chain, put together from the step, the seeds and the drivers."""

from __future__ import annotations

from collections.abc import Callable

from limbik.compiler.emit import Emitted, Rows, Stored
from limbik.compiler.symbols import Scalar, Scalars, absolute, cross, dot, larger, smaller, sqrt
from limbik.core import batch, lanes
from limbik.core.lanes import ROUNDING
from limbik.core.layout import (
    DESK_KEY,
    DESK_TURNTABLE,
    GRID_BOUNDS,
    GRID_SIZE,
    KEY_CELL,
    KEY_CUT,
    KEY_DEVIATION,
    KEY_DISTANCE,
    KEY_NUMBERS,
    KEY_VIEW,
    LANES,
    VIEW,
    Layout,
)
from limbik.core.seeds import CANDIDATES, Key, Shape, cell, completed, key
from limbik.core.step import Asked, Frame, Row, Tuning, frames, iteration, pose_error

WIDTHS = {False: 8, True: 16}  # lanes of a batch, in double and in single precision
DEFAULT_TUNING = Tuning()
FAR = 1e6  # arm lengths: a goal farther away is looked for in its direction
SINGLE_ROUNDING = 1e-5  # that a pose in single precision may be off by


def one_interpreted(shape: Shape) -> Callable[..., None]:
    """`core.lanes.solve` for chains of that shape, run by Python itself."""
    layout = Layout(shape)
    return lanes.solve.bind(
        **layout.constants,
        **lanes.working_places(shape.n, layout.rows),
        WIDTH=LANES,
        **functions_of_one(shape),
    ).interpreted


def many_interpreted(shape: Shape, width: int, single: bool = False) -> Callable[..., None]:
    """`core.batch.solve_many` for chains of that shape with that many lanes, run by Python itself."""
    layout = Layout(shape)
    return batch.solve_many.bind(
        **layout.constants,
        **batch.working_places(shape.n, layout.rows, width),
        WIDTH=width,
        LARGEST_DEVIATION=SINGLE_ROUNDING if single else ROUNDING,
        **functions_of_many(shape, width, single),
    ).interpreted


def functions_of_one(shape: Shape, tuning: Tuning = DEFAULT_TUNING) -> dict[str, Emitted]:
    """What `core.lanes` leaves open."""
    return {
        "step": step(shape, LANES, tuning),
        "sight": sight(shape),
        "regard": regard(shape, 1),
        "complete": complete(shape, CANDIDATES),
    }


def functions_of_many(shape: Shape, width: int, single: bool) -> dict[str, Emitted]:
    """What `core.batch` leaves open."""
    return {
        "step": step(shape, width, Tuning(single=single)),
        "regard": regard(shape, width, single),
        "regard_one": regard(shape, 1, single),
        "complete": complete(shape, CANDIDATES, single),
        "complete_all": complete(shape, CANDIDATES * width, single),
    }


def step(shape: Shape, lanes: int, tuning: Tuning) -> Emitted:
    """One iteration of every lane; see `Layout.rows`."""
    n = shape.n

    def function(rows: Rows, constants: Rows) -> Stored:
        x, first = rows[:n], _frame(rows[n:])
        chain, lower, upper, asked = unpacked(constants, shape)
        after = iteration(x, first, chain, lower, upper, asked, tuning)
        errors = after.position, after.rotation, after.cost
        return [*enumerate(errors, n + VIEW), *enumerate(x, n + VIEW + 3), *enumerate(after.x)]

    constants = Layout(shape).step_constants
    return Emitted(function, inputs=n + VIEW, constants=constants, lanes=lanes, single=tuning.single)


def sight(shape: Shape) -> Emitted:
    """Squared errors of position and rotation, behind x and the first frame of one problem."""
    n = shape.n

    def function(rows: Rows, constants: Rows) -> Stored:
        chain, _, _, asked = unpacked(constants, shape)
        tool, _ = frames(rows[:n], _frame(rows[n:]), chain, Tuning())
        error = [row * value for row, value in zip(asked.rows, pose_error(tool, asked), strict=True)]
        return [(n + VIEW, dot(error[:3], error[:3])), (n + VIEW + 1, dot(error[3:], error[3:]))]

    return Emitted(function, inputs=n + VIEW, constants=Layout(shape).step_constants, lanes=1)


def regard(shape: Shape, lanes: int, single: bool = False) -> Emitted:
    """What a goal's pose says before the first step; see `layout.KEY_SIZE`."""
    places = Layout(shape).places
    at = {name: slice(places[name], places[name] + 12) for name in ("BASE", "TOOL", "TABLE", "GRID")}

    def function(rows: Rows, plan: Rows) -> Stored:
        world = _from_rows(rows)
        pose = _seen_from(plan[at["BASE"]], world)
        x, y, z = zip(pose.x, pose.y, pose.z, strict=True)  # rows of the rotation
        tool = [plan[at["TOOL"]][3 * i : 3 * i + 3] for i in range(3)]
        origin = [value * plan[places["LENGTH"]] for value in pose.origin]
        size = absolute(origin[0]) + absolute(origin[1]) + absolute(origin[2])
        share = smaller(FAR / (size + FAR * 1e-9), 1.0)
        origin = [value * share for value in origin]
        distance = dot(origin, origin)
        cut = larger(size / FAR - 1.0, 0.0) * sqrt(distance)
        last = Frame._make([*([dot(row, column) for row in (x, y, z)] for column in tool), origin])
        grid = plan[at["GRID"]]
        seen = _seen_from(plan[at["TABLE"]], last) if shape.turntable else last
        found = key(seen, Row(grid[0], grid[1], 1.0, 0.0, 0.0, 1.0), shape)
        numbers = (found.heading, *found.point, *found.direction, *found.across)
        return [
            *enumerate(numbers, KEY_NUMBERS),
            (KEY_CELL, cell(found, grid[2:5], grid[5:8], shape)),
            *enumerate(_inverse(last), KEY_VIEW),
            (KEY_DEVIATION, _deviation(world)),
            (KEY_DISTANCE, distance),
            (KEY_CUT, cut),
        ]

    return Emitted(function, inputs=12, constants=places["SETTINGS"], lanes=lanes, single=single)


def _from_rows(numbers: Scalars) -> Frame:
    """The frame of a pose given as 3 rows of 4."""
    return Frame(*(numbers[column:12:4] for column in range(4)))


def _seen_from(rows: Scalars, frame: Frame) -> Frame:
    """A frame moved by a pose, given as 3 rows of 4."""
    turned = [[dot(rows[4 * i : 4 * i + 3], axis) for i in range(3)] for axis in frame]
    return Frame._make([*turned[:3], [value + rows[4 * i + 3] for i, value in enumerate(turned[3])]])


def _inverse(frame: Frame) -> list[Scalar]:
    """The axes and the origin of the inverse of a frame, in 12 numbers."""
    axes = frame.x, frame.y, frame.z
    return [axis[i] for i in range(3) for axis in axes] + [-dot(axis, frame.origin) for axis in axes]


def _deviation(frame: Frame) -> Scalar:
    """How far three axes are from being right-handed, of length 1 and at right angles."""
    axes = frame.x, frame.y, frame.z
    total = absolute(dot(cross(frame.x, frame.y), frame.z) - 1.0)
    for i in range(3):
        for j in range(i + 1):
            total = total + absolute(dot(axes[i], axes[j]) - (1.0 if i == j else 0.0))
    return total


def complete(shape: Shape, lanes: int, single: bool = False) -> Emitted:
    """Turntable, spinner and distance of the candidates on a desk."""

    def function(rows: Rows, bounds: Rows) -> Stored:
        at = rows[DESK_KEY:]
        goal = Key(at[0], at[1:4], at[4:7], at[7:10])
        values = completed(rows, goal, bounds[:2], bounds[2:4], bounds[4:], shape)
        return list(enumerate(values, DESK_TURNTABLE))

    constants = GRID_SIZE - GRID_BOUNDS
    return Emitted(function, inputs=DESK_TURNTABLE, constants=constants, lanes=lanes, single=single)


def unpacked(constants: Scalars, shape: Shape) -> tuple[list[Row], Scalars, Scalars, Asked]:
    """The rows, the bounds of x and what is asked, from the numbers that begin a plan."""
    n = shape.n
    chain = [
        Row._make(
            [*constants[5 * i : 5 * i + 4], 0.0, 1.0] if kind == "R" else [*constants[5 * i : 5 * i + 5], 0.0]
        )
        for i, kind in enumerate(shape.kinds)
    ]
    asked = constants[7 * n :]
    return (
        chain,
        constants[5 * n : 6 * n],
        constants[6 * n : 7 * n],
        Asked(asked[:6], asked[6:12], asked[12:18], asked[18:21], asked[21]),
    )


def _frame(numbers: Scalars) -> Frame:
    return Frame(numbers[:3], numbers[3:6], numbers[6:9], numbers[9:12])
