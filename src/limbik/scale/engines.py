"""Engines that solve chunks of a job: threads, processes, or workers of a Ray cluster."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import socket
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from multiprocessing.connection import Connection
from typing import Any, Protocol

from limbik.errors import SolverError, is_one_of, needs_extra, shortened
from limbik.scale.job import Chunk, Job
from limbik.spatial import as_whole

ENGINES = ("threads", "processes", "ray")
PATIENCE = 5.0  # [s] for a cluster to be reached
IN_FLIGHT = 2  # chunks for each process or core of a cluster, which bounds the memory


Progress = Callable[[int, int], None]


class ChunkStore(Protocol):
    """What keeps the chunks of a job."""

    def is_done(self, number: int, /) -> bool:
        """Whether a chunk is there."""

    def write(self, number: int, rows: Chunk, /) -> None:
        """Write a chunk whole."""


def check_engine(engine: str, threads: int | None, address: str | None) -> None:
    """Raise SolverError for options without a meaning, MissingExtra for Ray that is not installed."""
    if not is_one_of(engine, ENGINES):
        raise SolverError(f"`engine` needs one of {', '.join(map(repr, ENGINES))}, found {shortened(engine)}")
    if engine != "ray" and address is not None:
        raise SolverError("`address` is of a Ray cluster: give `engine` 'ray', too")
    if engine == "ray":
        if threads is not None:
            raise SolverError("`threads` is not for `engine` 'ray', where each core of the cluster works")
        with needs_extra("ray", "engine 'ray'"):
            import ray  # noqa: F401
    elif threads is not None:
        as_whole(threads, "`threads`", 1, SolverError)


def run(
    job: Job,
    store: ChunkStore,
    engine: str,
    threads: int | None,
    address: str | None,
    progress: Progress | None,
) -> None:
    """Solve the chunks that a store lacks, and write each when it is done.

    progress: called with how many chunks are done, and of how many.
    """
    if progress is not None and not callable(progress):
        raise SolverError(f"progress needs a function of two counts, found {shortened(progress)}")
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
    if engine == "processes":
        return _in_processes(job, numbers, threads or os.cpu_count() or 1)
    return ((number, job.solve(number, threads)) for number in numbers)


def _as_they_come(
    begin: Callable[[int], Any],
    ended: Callable[[Sequence[Any]], Iterable[tuple[Any, Chunk]]],
    numbers: Sequence[int],
    limit: int,
) -> Iterator[tuple[int, Chunk]]:
    """The chunks of these numbers, of which so many are solved at a time.

    begin: a task for the chunk of a number. ended: those of some tasks that have ended, one or more, and
    their chunks.
    """
    waiting = list(reversed(numbers))
    running: dict[Any, int] = {}
    while waiting or running:
        while waiting and len(running) < limit:
            number = waiting.pop()
            running[begin(number)] = number
        for task, rows in ended(list(running)):
            yield running.pop(task), rows


# --- processes ----------------------------------------------------------------------------------------------


def _in_processes(job: Job, numbers: Sequence[int], count: int) -> Iterator[tuple[int, Chunk]]:
    """A chunk is a task of one process: unlike threads, these have an interpreter and an allocator each."""
    spawned = multiprocessing.get_context("spawn")
    listening, lifeline = spawned.Pipe(duplex=False)
    workers = min(count, max(len(numbers), 1))
    pool = ProcessPoolExecutor(workers, spawned, _begin_worker, (job, listening))

    def begin(number: int) -> Future[Chunk]:
        with _ctrl_c_later():
            return pool.submit(_chunk, number)

    try:
        yield from _as_they_come(begin, _ended, numbers, IN_FLIGHT * count)
    except KeyboardInterrupt:
        lifeline.close()  # nobody waits for the chunks in work
        raise
    except BrokenProcessPool:
        raise SolverError(
            "a process that was solving a chunk has been killed, perhaps because memory ran out: give fewer "
            "`threads`. Called again the same work goes on where it was. A script that calls this needs "
            "`if __name__ == '__main__':`"
        ) from None
    finally:
        pool.shutdown(cancel_futures=True)
        lifeline.close()
        listening.close()


@contextlib.contextmanager
def _ctrl_c_later() -> Iterator[None]:
    """Ctrl-C waits until what begins meanwhile has begun, and the processes among it never get it."""
    if not hasattr(signal, "pthread_sigmask"):  # on Windows, where `_begin_worker` does what it can
        yield
        return
    caught: list[int] = []
    is_main = threading.current_thread() is threading.main_thread()
    handler = signal.getsignal(signal.SIGINT) if is_main else None
    if handler is not None:  # threads of libraries may get it for this one
        signal.signal(signal.SIGINT, lambda number, _: caught.append(number))
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})  # which processes inherit
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        if handler is not None:
            signal.signal(signal.SIGINT, handler)
        if caught:
            signal.raise_signal(signal.SIGINT)


def _ended(tasks: Sequence[Future[Chunk]]) -> Iterator[tuple[Future[Chunk], Chunk]]:
    for task in wait(tasks, return_when=FIRST_COMPLETED).done:
        yield task, task.result()


_job: Job | None = None  # of a worker, which keeps what it has prepared from chunk to chunk


def _begin_worker(job: Job, lifeline: Connection) -> None:
    """Make this process a worker: it leaves Ctrl-C to the process that began it, and ends with that, or when
    that closes its end of the lifeline.
    """
    global _job
    _job = job
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with, args=(lifeline,), daemon=True).start()


def _end_with(lifeline: Connection) -> None:
    lifeline.poll(None)  # nothing is ever sent: it returns when the other end is gone
    os._exit(1)


def _chunk(number: int) -> Chunk:
    assert _job is not None, "a worker has a job"
    return _job.solve(number, 1)


# --- Ray ----------------------------------------------------------------------------------------------------


def _on_ray(job: Job, numbers: Sequence[int], address: str | None) -> Iterator[tuple[int, Chunk]]:
    """A chunk is a task of one core; one that is lost with its node is solved again elsewhere."""
    import ray

    is_ours = not ray.is_initialized()
    if is_ours:
        try:
            _knock(address)
            ray.init(address=address, log_to_driver=False)
        except (OSError, OverflowError, ValueError) as error:
            raise SolverError(f"no Ray cluster answers at {shortened(address)}: {error}") from None
    try:
        yield from _in_cluster(ray, job, numbers)
    finally:
        if is_ours:
            ray.shutdown()


def _in_cluster(ray: Any, job: Job, numbers: Sequence[int]) -> Iterator[tuple[int, Chunk]]:
    solve = ray.remote(num_cpus=1, max_retries=-1)(type(job).solve)
    shared = ray.put(job)
    limit = max(IN_FLIGHT * int(ray.cluster_resources().get("CPU", 1)), 1)

    def ended(tasks: Sequence[Any]) -> Iterator[tuple[Any, Chunk]]:
        done, _ = ray.wait(list(tasks), num_returns=1)
        return ((task, ray.get(task)) for task in done)

    return _as_they_come(lambda k: solve.remote(shared, k, 1), ended, numbers, limit)


def _knock(address: str | None) -> None:
    """Raise OSError where nothing listens: Ray itself waits for minutes."""
    host, colon, port = (address or "").removeprefix("ray://").rpartition(":")
    if colon and port.isdecimal():
        socket.create_connection((host, int(port)), PATIENCE).close()
