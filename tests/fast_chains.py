"""Chains for the tests of the fast core, goals that they can reach, and what is true of every answer."""

import contextlib
import functools
import math
import operator
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

import limbik
from limbik import JointKind, Model, Solution, Status
from limbik.compiler import native
from limbik.compiler.symbols import Scalar, Tape, operand
from limbik.model.chain import chain_to
from limbik.serial import stored_tables as tables
from limbik.serial.prepare import is_fast
from strategies import SEEDS, chains

MOVING = (JointKind.REVOLUTE, JointKind.CONTINUOUS, JointKind.PRISMATIC)
NEAR_HALF_TURN = 3e-3  # [rad] an error so near to half a turn is said to be one
PATIENCE = 900.0  # [s] until a process is given up that may compile, on a machine that has much else to do


@contextlib.contextmanager
def interpreted() -> Iterator[None]:
    """Nothing is compiled or kept."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LIMBIK_COMPILE", "never")
        patch.setattr(tables, "can_keep", lambda: False)  # random chains would fill the cache
        yield


def fast_chains(min_joints: int = 1, max_joints: int = 12) -> st.SearchStrategy[Model]:
    """Chains of revolute and prismatic joints that the fast core takes, with limits of every kind."""
    return chains(MOVING, min_joints, max_joints).filter(lambda model: is_fast(chain_to(model)))


@st.composite
def reachable(draw: st.DrawFn, min_joints: int = 1, max_joints: int = 12) -> tuple[Model, np.ndarray]:
    """A chain, and a configuration within its limits."""
    model = draw(fast_chains(min_joints, max_joints))
    return model, model.random(draw(SEEDS))


def position_error(model: Model, q: np.ndarray, target: np.ndarray, frame: str | None = None) -> float:
    """How far a frame's origin is from a pose's [m], by the model's own kinematics."""
    return float(np.linalg.norm(model.pose(q, frame)[:3, 3] - target[:3, 3]))


def rotation_error(model: Model, q: np.ndarray, target: np.ndarray, frame: str | None = None) -> float:
    """The angle between a frame and a pose [rad], by the model's own kinematics."""
    return float(Rotation.from_matrix(model.pose(q, frame)[:3, :3].T @ target[:3, :3]).magnitude())


def assert_honest(
    model: Model,
    solution: Solution,
    target: np.ndarray,
    *,
    frame: str | None = None,
    position: bool = True,
    rotation: bool = True,
    tolerance: float = 1e-6,
    tolerance_rotation: float = 1e-6,
    limits: bool = True,
) -> None:
    """All that a solution says of its configuration is so, by the model's own kinematics."""
    q = solution.q
    assert q.shape == (model.nq,)
    assert np.isfinite(q).all()
    assert not limits or model.is_within_limits(q)
    assert solution.success == bool(solution) == (solution.ended is Status.SOLVED)
    scale = 1.0 + np.abs(target[:3, 3]).max() + np.abs(model.forward(q)[:, :3, 3]).max()
    error = position_error(model, q, target, frame) if position else 0.0
    angle = rotation_error(model, q, target, frame) if rotation else 0.0
    assert abs(solution.error - error) <= 1e-11 * scale
    is_near_half_turn = angle > math.pi - NEAR_HALF_TURN
    assert abs(solution.error_rotation - angle) <= (NEAR_HALF_TURN if is_near_half_turn else 1e-7)
    if solution.success:
        assert error <= tolerance + 1e-11 * scale
        assert angle <= tolerance_rotation + 1e-11
    assert solution.solver == "lm"


def hinges(limits: list[tuple[float, float]], length: float = 0.4) -> Model:
    """An arm of revolute joints about z, y, y, z, y, y, ... with these limits; it points along x at zero."""
    builder = limbik.ModelBuilder("hinges")
    for k, pair in enumerate(limits):
        place = (length if k else 0.0, 0.05 * (k % 3), 0.03 * k)
        builder = builder.revolute(f"joint{k}", axis="zyy"[k % 3], origin=place, limits=pair)
    tip = np.eye(4)
    tip[:3, 3] = length, 0.02, -0.01
    return builder.frame("tip", pose=tip).build(end_effector="tip")


def only_closed_programs(patch: pytest.MonkeyPatch) -> None:
    """Let Python interpret what is compiled for a shape of chain."""
    given = native.compiled
    patch.setattr(native, "compiled", lambda program: given(program) if program.is_closed else None)


NO_LIMITS = (-math.inf, math.inf)


def evaluated(tape: Tape, values: list[Scalar], **inputs: float) -> list[float]:
    """The values that a tape's lines give for its inputs, by Python itself."""
    known: dict[str, float] = dict(inputs)

    def value(operand: str | float) -> float:
        return known[operand] if isinstance(operand, str) else operand

    for line in tape.lines:
        known[line.name] = MEANT[line.operator](*map(value, line.operands))
    return [value(operand(each)) for each in values]


MEANT = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "negative": operator.neg,
    "<": operator.lt,
    ">": operator.gt,
    "<=": operator.le,
    ">=": operator.ge,
    "&": operator.and_,
    "|": operator.or_,
    "sqrt": math.sqrt,
    "floor": math.floor,
    "absolute": abs,
    "smaller": min,
    "larger": max,
    "select": lambda condition, a, b: a if condition else b,
}


def run_python(script: str, cache: Path, compile_when: str = "never", timeout: float = PATIENCE) -> str:
    """What a script prints in a process of its own, with a cache folder; it has to succeed."""
    environment = {**os.environ, "LIMBIK_CACHE_DIR": str(cache), "LIMBIK_COMPILE": compile_when}
    environment["PYTHONPATH"] = os.pathsep.join(filter(None, sys.path))
    done = subprocess.run(
        [sys.executable, "-c", script], env=environment, capture_output=True, text=True, timeout=timeout
    )
    assert done.returncode == 0, f"{done.returncode}: {done.stderr}"
    return done.stdout


@functools.cache
def warm_cache() -> Path:
    """A cache folder that `limbik warmup planar-2` has filled once for all processes; only to be read."""
    folder = Path(os.environ["LIMBIK_TEST_FOLDER"]) / "warm"
    while not (folder / "said").exists():
        try:
            folder.mkdir()
        except FileExistsError:  # another process fills it
            time.sleep(0.1)
            continue
        try:
            _fill(folder)
        except BaseException:
            shutil.rmtree(folder)
            raise
    return folder


def _fill(folder: Path) -> None:
    environment = {**os.environ, "LIMBIK_CACHE_DIR": str(folder)}
    environment["PYTHONPATH"] = os.pathsep.join(filter(None, sys.path))
    done = subprocess.run(
        [sys.executable, "-m", "limbik.cli", "warmup", "planar-2"],
        env=environment,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )
    assert done.returncode == 0, done.stderr
    unfinished = folder / "saying"
    unfinished.write_text(done.stdout)
    unfinished.rename(folder / "said")
