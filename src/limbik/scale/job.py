"""`Job`: abstract base class of reach maps and datasets: one chunk is solved independently of others, and
repeatable; digest and record of what it depends on.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from limbik._version import __version__
from limbik.all_solutions.solve_all import solve_all_batch
from limbik.errors import SolverError
from limbik.locks import cached_property
from limbik.model import Model

RESTARTS = 16  # of 19,000 random poses that a Panda reaches, all were found with as many
MAX_RESTARTS = 2**63 - 1
REGULAR = 3  # random configurations of which one at least is not singular

Chunk = dict[str, NDArray[Any]]  # arrays by name, with as many rows


@dataclass(frozen=True, kw_only=True, eq=False)
class Job(ABC):
    """Poses of a frame, and what is found at them."""

    model: Model
    frame: str
    restarts: int  # of a search
    seed: int
    is_proved: bool  # by all solutions in closed form: what is not reached cannot be

    @cached_property
    def digest(self) -> str:
        """A name for all that the answers depend on."""
        text = json.dumps([*self.content, self.record], default=_as_text)
        return hashlib.sha256(text.encode()).hexdigest()

    @property
    def content(self) -> list[Any]:
        """What the answers depend on besides the record."""
        joints = [dataclasses.astuple(joint) for joint in self.model.path(self.frame)]
        return [joints, self.model.frame(self.frame).pose_link_frame]

    @property
    def record(self) -> dict[str, Any]:
        """What a reader of the result has to know, as JSON takes it."""
        return {
            "robot": self.model.name,
            "frame": self.frame,
            "restarts": self.restarts,
            "seed": self.seed,
            "proved": self.is_proved,
            "chunks": self.chunks,
            "limbik": __version__,
        }

    @cached_property
    def q_indices(self) -> NDArray[np.intp]:
        """The indices in q of the joints that move the frame and have one value."""
        moving = [joint for joint in self.model.path(self.frame) if joint.nq == 1]
        return np.array([self.model.q_slice(joint.name).start for joint in moving], dtype=np.intp)

    @property
    @abstractmethod
    def title(self) -> str:
        """What the job is, in words."""

    @property
    @abstractmethod
    def chunks(self) -> int:
        """How many chunks there are."""

    @abstractmethod
    def solve(self, number: int, threads: int | None) -> Chunk:
        """A chunk."""


def in_threads(work: Callable[[Any], Chunk], parts: Sequence[Any], threads: int | None) -> Iterator[Chunk]:
    """What is found for each part, in their order, on so many threads; None: one for each core."""
    with ThreadPoolExecutor(threads or os.cpu_count()) as pool:
        yield from pool.map(work, parts)


def is_closed_form(model: Model, frame: str) -> bool:
    """Whether all solutions of a pose are known, but for singular ones, without a search."""
    configurations = model.random(np.random.default_rng(0), REGULAR)
    try:
        every = [solve_all_batch(model, model.pose(q, frame)[None], frame=frame) for q in configurations]
    except SolverError:
        return False
    return any(each.complete for each in every)


def _as_text(value: Any) -> Any:
    return value.tolist() if isinstance(value, np.ndarray) else str(value)
