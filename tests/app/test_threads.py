"""Threads of the server: the order of their work, what is dropped, and that nobody waits for them."""

import subprocess
import sys
import threading
from concurrent.futures import CancelledError

import pytest

from limbik.app.threads import Threads

PATIENCE = 600.0  # [s] until a wait is given up


def test_work_is_done_in_the_order_in_which_it_comes():
    done, threads = [], Threads(1, "test")
    for future in [threads.submit(done.append, k) for k in range(20)]:
        future.result(PATIENCE)
    assert done == list(range(20))


def test_as_much_is_done_at_once_as_there_are_threads_and_no_more():
    threads, both, others = Threads(2, "test"), threading.Barrier(3), threading.Event()
    futures = [threads.submit(both.wait, PATIENCE) for _ in range(2)]
    last = threads.submit(others.set)
    assert not others.is_set()
    both.wait(PATIENCE)
    for future in (*futures, last):
        future.result(PATIENCE)
    assert others.is_set()


def test_an_error_goes_to_whoever_asked_and_the_thread_goes_on():
    threads = Threads(1, "test")
    with pytest.raises(ZeroDivisionError):
        threads.submit(divmod, 1, 0).result(PATIENCE)
    assert threads.submit(divmod, 7, 2).result(PATIENCE) == (3, 1)


def test_what_has_not_begun_can_be_dropped_and_is_at_the_end():
    threads, began, done = Threads(1, "test"), threading.Event(), threading.Event()

    def wait():
        began.set()
        return done.wait(PATIENCE)

    first, second, third = (threads.submit(wait) for _ in range(3))
    assert began.wait(PATIENCE)
    assert second.cancel()
    threads.shutdown()
    done.set()
    assert first.result(PATIENCE)
    with pytest.raises(CancelledError):
        third.result(PATIENCE)


def test_python_does_not_wait_at_its_end_for_what_has_begun():
    script = """
import threading
from limbik.app.threads import Threads
began = threading.Event()
Threads(1, "test").submit(lambda: (began.set(), threading.Event().wait()))
began.wait()
"""
    assert subprocess.run([sys.executable, "-c", script], timeout=PATIENCE).returncode == 0
