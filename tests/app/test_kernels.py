"""Compiling ahead: the order, who waits for what, and what the pages are told."""

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from limbik.app.kernels import Kernels
from limbik.errors import LimbikError


def in_a_thread(coroutine):
    """In a thread of its own: that of the tests may have a loop already."""
    with ThreadPoolExecutor(1) as threads:
        threads.submit(asyncio.run, coroutine).result()


async def ready(kernels, names):
    """Return as soon as these solvers are compiled, before those that nobody asked for."""
    while not kernels.hasten(names):
        await asyncio.sleep(0.001)


class Compiler:
    """Compiles one solver for each time it is allowed to."""

    def __init__(self):
        self.allowed = threading.Semaphore(0)
        self.began = threading.Semaphore(0)
        self.order = []

    def __call__(self, name):
        self.order.append(name)
        self.began.release()
        assert self.allowed.acquire(timeout=300)

    def allow(self, count):
        self.allowed.release(count)


def run(scenario, names="abcd"):
    """Run a scenario in an event loop with kernels that compile when allowed to."""

    async def started():
        compiler = Compiler()
        kernels = Kernels(names, compiler)
        kernels.start()
        try:
            await asyncio.to_thread(compiler.began.acquire)
            await scenario(kernels, compiler)
        finally:
            compiler.allow(100)

    in_a_thread(started())


def test_solvers_are_compiled_in_the_order_given():
    async def scenario(kernels, compiler):
        compiler.allow(4)
        await ready(kernels, "abcd")
        assert compiler.order == list("abcd")

    run(scenario)


def test_solvers_that_a_page_waits_for_come_next():
    async def scenario(kernels, compiler):
        waiting = asyncio.create_task(ready(kernels, "cd"))
        await asyncio.sleep(0)
        compiler.allow(3)
        await waiting
        assert compiler.order[:3] == list("acd")

    run(scenario)


def test_waiting_ends_when_the_own_solvers_are_ready_and_not_before():
    async def scenario(kernels, compiler):
        waiting = asyncio.create_task(ready(kernels, "a"))
        for _ in range(10):
            await asyncio.sleep(0.001)
        assert not waiting.done()
        compiler.allow(1)
        await waiting
        await ready(kernels, "a")
        assert kernels.notice.state == "compiling"

    run(scenario)


def test_the_notices_name_the_solver_and_its_place_until_all_are_ready():
    async def scenario(kernels, compiler):
        compiler.allow(4)
        told = [notice async for notice in kernels.notices()]
        assert [notice.state for notice in told][-1] == "ready"
        assert all(notice.state == "compiling" for notice in told[:-1])
        assert "solver a (1 of 4)" in told[0].message

    run(scenario)


@pytest.mark.parametrize("error", [RuntimeError("no compiler"), LimbikError("no compiler")])
def test_a_solver_that_cannot_be_compiled_does_not_stop_the_others(caplog, error):
    def fail(name):
        raise error

    async def scenario():
        kernels = Kernels("ab", fail)
        kernels.start()
        await ready(kernels, "ab")
        assert kernels.notice.state == "ready"

    in_a_thread(scenario())
    assert "a could not be compiled" in caplog.text
    assert "no compiler" in caplog.text
    assert ("Traceback" in caplog.text) == isinstance(error, RuntimeError)


def test_a_server_that_stops_leaves_the_compiler_alone():
    compiler = Compiler()

    async def scenario():
        Kernels("ab", compiler).start()
        await asyncio.to_thread(compiler.began.acquire)

    before = set(threading.enumerate())
    in_a_thread(scenario())
    compiler.allow(2)
    for thread in set(threading.enumerate()) - before:
        thread.join(timeout=300)
    assert compiler.order == ["a"]
