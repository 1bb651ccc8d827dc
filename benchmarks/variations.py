"""The fast core with one of its choices made otherwise, for `ablation.py`.

Nothing of it is copied: the step is written out again with other numbers in it, the drivers are bound to
other constants, and what has no parameter (the seed table's constants, its grid) is replaced for as long as
a variation is measured.
"""

from __future__ import annotations

import contextlib
import dataclasses
import math
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any
from unittest import mock

import numpy as np

import limbik
from limbik.compiler import symbols
from limbik.goals import Pose
from limbik.model.chain import chain_to
from limbik.serial import batch, kernels, lanes, programs, step
from limbik.serial import seed_table as seeds
from limbik.serial import stored_tables as tables
from limbik.serial.layout import Layout
from limbik.serial.prepare import Prepared, table_frame
from limbik.serial.step import SerialTuning
from limbik.solvers import serial_plan as fast
from limbik.solvers.checked_options import Options
from machine_code import loaded

TUNING = SerialTuning()  # as built
BUDGET = 200  # iterations
TOLERANCE = 1e-6  # [m] and [rad]
WIDTH = 256  # lanes of the batch, which is run interpreted: on arrays, without compiling


@dataclass(frozen=True, kw_only=True)
class Variation:
    """What differs from the fast core as it is."""

    tuning: SerialTuning = TUNING
    iteration: Callable[..., Any] = step.iteration
    constants: Mapping[str, float] = field(default_factory=dict)  # of limbik.serial's modules, by name
    divisions: int | None = None  # of the seed table's grid, along each number of the key
    settings: Mapping[str, float] = field(default_factory=dict)  # `serial.layout.SETTINGS`, by name
    in_plan: Mapping[str, float] = field(default_factory=dict)  # constants of `solvers.serial_plan`, by name

    @contextlib.contextmanager
    def applied(self) -> Iterator[None]:
        """limbik as the variation has it."""
        with contextlib.ExitStack() as changes:
            for module in [m for name, m in sys.modules.items() if name.startswith("limbik.serial.")]:
                for name, value in self.constants.items():
                    if hasattr(module, name):
                        changes.enter_context(mock.patch.object(module, name, value))
            if self.divisions is not None:
                count = self.divisions
                grid = property(lambda shape: (count,) * (4 if shape.base_yaw is not None else 5))
                changes.enter_context(mock.patch.object(seeds.Shape, "divisions", grid))
            changes.enter_context(mock.patch.object(kernels, "iteration", self.iteration))
            changes.enter_context(mock.patch.dict(vars(fast), self.in_plan))
            changes.enter_context(mock.patch.object(fast, "table_for", _fresh_table))
            yield


AS_BUILT = Variation()


def candidates(count: int) -> dict[str, float]:
    """The constants where a cell holds that many candidates, and that many attempts run side by side."""
    return {"CANDIDATES": count, "LANES": count}


def _fresh_table(prepared: Prepared) -> seeds.SeedTable:
    """The seed table as `serial.stored_tables` has it, but never from the disk, which knows no variations."""
    return seeds.build(
        tables._without_tool(prepared),
        table_frame(prepared),
        prepared.shape,
        prepared.lower,
        prepared.upper,
        prepared.circular,
    )


# ------------------------------------------------------------------------------------------------ limits


def clamping(*arguments: Any) -> step.Iteration:
    """The iteration without the active set: limits only cut what the step would do."""
    with mock.patch.object(step, "may_move", lambda *_: 1.0):
        return step.iteration(*arguments)


def rejecting(
    x: Any, first: Any, rows: Any, lower: Any, upper: Any, objective: Any, tuning: SerialTuning
) -> step.Iteration:
    """The iteration as if there were no limits; what arrives outside them does not count as arrived.

    Revolute joints are kept within half a turn of the middle of their limits.
    """
    after = step.iteration(x, first, rows, [-1e9] * len(x), [1e9] * len(x), objective, tuning)
    middles = [0.5 * (low + high) for low, high in zip(lower, upper, strict=True)]
    turned = [seeds.toward(value, middle) for value, middle in zip(after.x, middles, strict=True)]
    following = [
        row.is_revolute * a + (1.0 - row.is_revolute) * b
        for row, a, b in zip(rows, turned, after.x, strict=True)
    ]
    outside = (x[0] < lower[0]) | (x[0] > upper[0])
    for value, low, high in zip(x[1:], lower[1:], upper[1:], strict=True):
        outside = outside | ((value < low) | (value > high))
    missed = after.position + symbols.select(outside, 1.0, 0.0)
    return step.Iteration(following, missed, after.rotation, after.cost)


# ------------------------------------------------------------------------------------------------ solving


@dataclass(frozen=True, eq=False)
class Outcome:
    """How a list of problems went."""

    iterations: np.ndarray  # [N]; of a problem that is not solved: all that were spent on it
    restarts: np.ndarray  # [N]
    is_solved: np.ndarray  # [N] as checked afterwards, by the model's kinematics and limits

    @property
    def is_solved_at_once(self) -> np.ndarray:
        """[N] whether the first attempts found the solution."""
        return self.is_solved & (self.restarts == 0)


class Arm:
    """A robot, and poses of random configurations within its limits."""

    def __init__(self, name: str, model: limbik.Model, count: int, seed: int) -> None:
        self.name, self.model = name, model
        self.poses = np.ascontiguousarray(model.pose(model.random(seed, count)))

    def one_at_a_time(self, variation: Variation) -> Outcome:
        """One attempt at a time for every problem, as in a batch, run interpreted."""
        with variation.applied(), np.errstate(all="ignore"):
            plan, numbers = self._plan(variation)
            shape = plan.shape
            layout = Layout(shape)
            functions = kernels.functions_of_many(shape, WIDTH, single=False)
            driver = batch.solve_many.bind(
                **layout.constants,
                **batch.working_offsets(shape.n, layout.rows, WIDTH),
                **functions | {"step": self._step_of_many(shape, variation)},
                **variation.constants,
                WIDTH=WIDTH,
                LARGEST_DEVIATION=lanes.ROUNDING,
            )
            count = len(self.poses)
            answers = np.zeros((count, lanes.HEADER + shape.n))
            size = batch.working_offsets(shape.n, layout.rows, WIDTH)["WORK_SIZE"]
            driver.interpreted(
                numbers,
                plan.table,
                self.poses.reshape(-1),
                np.zeros(1),
                False,
                0,
                count,
                answers.reshape(-1),
                np.zeros(size),
                np.zeros(batch.COUNTERS * WIDTH, np.int64),
                lambda: False,
            )
            return self._outcome(plan, answers)

    def _step_of_many(self, shape: Any, variation: Variation) -> Any:
        """The step of a batch, with what varies of it and of how it is judged."""
        given = {
            name.lower(): variation.constants[name]
            for name in ("RATIO", "LONGEST")
            if name in variation.constants
        }
        return kernels.step_of_many(shape, WIDTH, variation.tuning, **given)

    def race(self, variation: Variation) -> Outcome:
        """Attempts at one problem side by side, the first to arrive wins (`serial.lanes`), compiled."""
        with variation.applied():
            plan, numbers = self._plan(variation)
            shape = plan.shape
            side_by_side = int(variation.constants.get("LANES", kernels.LANES))
            careful = dataclasses.replace(variation.tuning, is_careful=True)
            stepping = {
                "step": kernels.step(shape, side_by_side, variation.tuning),
                "careful_step": kernels.step(shape, side_by_side, careful),
            }
            program = programs.one_problem.__wrapped__(shape)
            kernel = program.kernel.bind(**variation.constants, WIDTH=side_by_side)
            functions = {**program.functions, **stepping}
            solve = loaded(dataclasses.replace(program, kernel=kernel, functions=functions))
            places = lanes.working_offsets(shape.n, Layout(shape).rows)
            work, at = np.zeros(places["WORK_SIZE"]), places["AT_ANSWER"]
            answers = np.zeros((len(self.poses), lanes.HEADER + shape.n))
            addresses = numbers.ctypes.data, plan.table.ctypes.data
            for pose, answer in zip(self.poses.reshape(-1, 16), answers, strict=True):
                solve(*addresses, pose.tobytes(), b"", lanes.ANYWHERE, work.ctypes.data)
                answer[:] = work[at : at + answer.size]
            return self._outcome(plan, answers)

    def _plan(self, variation: Variation) -> tuple[fast.SerialPlan, np.ndarray]:
        options = Options(solver="lm", iterations=BUDGET, tolerance=TOLERANCE, tolerance_rotation=TOLERANCE)
        plan = fast.SerialPlan(self.model, chain_to(self.model, None), Pose, None, options)
        numbers = plan.numbers(False)
        places = Layout(plan.shape).constants
        for name, value in variation.settings.items():
            numbers[places[f"SET_{name.upper()}"]] = value
        return plan, numbers

    def _outcome(self, plan: fast.SerialPlan, answers: np.ndarray) -> Outcome:
        q = plan.whole(answers[:, lanes.HEADER :], None)
        reached = self.model.pose(q)
        apart = np.linalg.norm(reached[:, :3, 3] - self.poses[:, :3, 3], axis=1)
        # |A - B| of two rotation matrices is 2 sqrt(2) times the sine of half the angle between them.
        turned = np.linalg.norm((reached - self.poses)[:, :3, :3], axis=(1, 2)) / math.sqrt(2.0)
        is_solved = (apart <= TOLERANCE) & (turned <= TOLERANCE) & self.model.is_within_limits(q)
        is_solved &= answers[:, 0] == lanes.SOLVED
        return Outcome(answers[:, 3], answers[:, 4], is_solved)
