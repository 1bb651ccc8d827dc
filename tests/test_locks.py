"""A forked process finds no lock closed."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import limbik

PACKAGE = Path(limbik.__file__).parent
OF_ITS_OWN = "compiler/native.py"  # makes its locks anew itself


def test_every_lock_of_the_package_is_opened_in_a_forked_process() -> None:
    unsafe = [
        f"{path.relative_to(PACKAGE)}: {line.strip()}"
        for path in PACKAGE.rglob("*.py")
        for line in path.read_text(encoding="utf-8").splitlines()
        if re.search(r"(?<!fork_safe\()threading\.R?Lock\(\)", line) and path != PACKAGE / OF_ITS_OWN
    ]
    assert unsafe == []
    plain = [path for path in PACKAGE.rglob("*.py") if "functools.cached_property" in path.read_text("utf-8")]
    assert plain == [PACKAGE / "locks.py"]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs os.fork")
def test_a_child_of_a_process_that_was_computing_a_cached_property_can_compute_it() -> None:
    program = """
import os, signal, threading, warnings
import limbik

warnings.simplefilter("ignore")  # forking beside threads is what is tested
model, held = limbik.load("ur5e"), threading.Event()

def find():
    held.set()
    threading.Event().wait()

threading.Thread(target=lambda: model.with_shapes_found_by(find).shapes, daemon=True).start()
held.wait()
child = os.fork()
if child == 0:
    signal.alarm(20)
    model.shapes
    os._exit(0)
assert os.waitpid(child, 0)[1] == 0, "the child waits for ever"
os._exit(0)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs os.fork")
def test_a_process_that_forks_while_a_thread_checks_for_collisions_has_a_child_that_can_check() -> None:
    program = """
import os, signal, threading, warnings
import limbik
from limbik.collision.check import checker_of
from limbik.collision.world import World

warnings.simplefilter("ignore")  # forking beside threads is what is tested
model, world = limbik.load("ur5e"), World()
checker = checker_of(model, world)
checker.nearest(model.neutral)
held = threading.Event()

def hold():
    with checker.search.lock:
        held.set()
        threading.Event().wait()

threading.Thread(target=hold, daemon=True).start()
held.wait()
child = os.fork()
if child == 0:
    signal.alarm(20)
    checker.nearest(model.neutral)
    os._exit(0)
assert os.waitpid(child, 0)[1] == 0, "the child waits for ever"
os._exit(0)
"""
    environment = {**os.environ, "LIMBIK_COMPILE": "never"}
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
