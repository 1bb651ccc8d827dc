"""Where the chunks of a job are solved: by threads of this process, or by the workers of a Ray cluster."""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Protocol

from limbik.errors import SolverError, needs_extra, shortened
from limbik.scale.job import Chunk, Job
from limbik.spatial import as_whole

ENGINES = ("threads", "ray")
PATIENCE = 5.0  # [s] for a cluster to be reached
IN_FLIGHT = 2  # chunks for each core of a cluster, which bounds the memory


Progress = Callable[[int, int], None]


class Store(Protocol):
    """What keeps the chunks of a job."""

    def is_done(self, number: int, /) -> bool:
        """Whether a chunk is there."""

    def write(self, number: int, rows: Chunk, /) -> None:
        """Write a chunk whole."""


def check_engine(engine: str, threads: int | None, address: str | None) -> None:
    """Raise SolverError for options without a meaning, MissingExtra for Ray that is not installed."""
    if engine not in ENGINES:
        raise SolverError(f"`engine` needs one of {', '.join(map(repr, ENGINES))}, found {shortened(engine)}")
    if engine != "ray" and address is not None:
        raise SolverError("`address` is of a Ray cluster: give engine='ray', too")
    if engine == "ray":
        if threads is not None:
            raise SolverError("`threads` is for engine='threads': on Ray each core of the cluster works")
        with needs_extra("ray", "engine 'ray'"):
            import ray  # noqa: F401
    elif threads is not None:
        as_whole(threads, "`threads`", 1, SolverError)


def run(
    job: Job,
    store: Store,
    engine: str,
    threads: int | None,
    address: str | None,
    progress: Progress | None,
) -> None:
    """Solve the chunks that a store lacks, and write each when it is done.

    progress: called with how many chunks are done, and of how many.
    """
    left = [number for number in range(job.chunks) if not store.is_done(number)]
    for done, (number, rows) in enumerate(_solved(job, left, engine, threads, address), 1):
        store.write(number, rows)
        if progress is not None:
            progress(job.chunks - len(left) + done, job.chunks)


def _solved(
    job: Job, numbers: Sequence[int], engine: str, threads: int | None, address: str | None
) -> Iterator[tuple[int, Chunk]]:
    """The chunks of these numbers, as they are done."""
    if engine == "ray":
        return _on_ray(job, numbers, address)
    return ((number, job.solve(number, threads)) for number in numbers)


def _on_ray(job: Job, numbers: Sequence[int], address: str | None) -> Iterator[tuple[int, Chunk]]:
    import ray

    is_ours = not ray.is_initialized()
    if is_ours:
        try:
            _knock(address)
            ray.init(address=address, log_to_driver=False)
        except (OSError, OverflowError, ValueError) as error:
            raise SolverError(f"no Ray cluster answers at {shortened(address)}: {error}") from None
    try:
        yield from _as_they_come(ray, job, numbers)
    finally:
        if is_ours:
            ray.shutdown()


def _knock(address: str | None) -> None:
    """Raise OSError where nothing listens: Ray itself waits for minutes."""
    host, colon, port = (address or "").removeprefix("ray://").rpartition(":")
    if colon and port.isdecimal():
        socket.create_connection((host, int(port)), PATIENCE).close()


def _as_they_come(ray: Any, job: Job, numbers: Sequence[int]) -> Iterator[tuple[int, Chunk]]:
    """A chunk is a task of one core; one that is lost with its node is solved again elsewhere."""
    solve = ray.remote(num_cpus=1, max_retries=-1)(type(job).solve)
    shared = ray.put(job)
    max_tasks = max(IN_FLIGHT * int(ray.cluster_resources().get("CPU", 1)), 1)
    waiting = list(reversed(numbers))
    running: dict[Any, int] = {}
    while waiting or running:
        while waiting and len(running) < max_tasks:
            number = waiting.pop()
            running[solve.remote(shared, number, 1)] = number
        done, _ = ray.wait(list(running), num_returns=1)
        for each in done:
            yield running.pop(each), ray.get(each)
