"""What every test shares: how Hypothesis searches, and the browser."""

import itertools
import os
import shutil
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings
from hypothesis.internal.conjecture import providers

from chromium import find_chromium

if TYPE_CHECKING:
    from limbik.compiler.program import Program

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # several processes share the cores: threads only wait
os.environ.setdefault("LIMBIK_COMPILE", "never")  # a test that needs machine code says so
for name in ("FORCE_COLOR", "PY_COLORS", "GITHUB_ACTIONS", "COLUMNS"):  # Typer colours and folds by them
    os.environ.pop(name, None)
os.environ["no_proxy"] = os.environ["NO_PROXY"] = "*"  # every server of the tests is on this machine

TESTS = Path(__file__).parent
IN_CI = bool(os.environ.get("CI"))

# The same examples each time; `make fuzz` draws others, at random. Hypothesis would also draw constants of
# the modules that a process has loaded by then, which depend on the tests that it had before.
pytest.MonkeyPatch().setattr(providers, "is_local_module_file", lambda path: False)
settings.register_profile(
    "fixed", derandomize=True, deadline=None, database=None, print_blob=True, max_examples=40
)
settings.register_profile("quick", settings.get_profile("fixed"), max_examples=15)
settings.register_profile("fuzz", deadline=None, print_blob=True, max_examples=200)
settings.load_profile("fixed")


@pytest.fixture
def ticks(monkeypatch: pytest.MonkeyPatch) -> "itertools.count[int]":
    """The time that limbik reads from here on: a millisecond is over at each look at the clock, so that what
    a solve takes does not depend on the machine. The looks so far.
    """
    looks = itertools.count()
    for name, module in list(sys.modules.items()):
        if name.startswith("limbik.") and "perf_counter" in vars(module):
            monkeypatch.setattr(module, "perf_counter", lambda: 1e-3 * next(looks))
    return looks


@pytest.fixture(scope="session")
def chromium() -> str:
    """Path of a Chromium that starts. Without one a browser test is skipped; in CI it fails."""
    path = find_chromium()
    if path is None:
        refuse = pytest.fail if IN_CI else pytest.skip
        refuse("browser test: no Chromium found (apt-get install chromium, or set LIMBIK_CHROMIUM)")
    return path


def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """One process more than there are cores: tests of pages and of programs wait for other processes. Quick
    ones do not.
    """
    return (os.cpu_count() or 1) + (0 if config.option.markexpr.startswith("not slow") else 1)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Let the first process begin with the pages in space and the last one with the other pages: a browser
    costs a second, and as much for each kind of window that it has not had. All processes begin with equal
    parts.
    """
    space: list[pytest.Item] = []
    plane: list[pytest.Item] = []
    others: list[pytest.Item] = []
    for item in items:
        room, name = item.path.relative_to(TESTS).parts[:2] if item.path.parent != TESTS else ("", "")
        (others if room != "browser" else space if name == "space" else plane).append(item)
    processes = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
    last = len(items) - len(items) // processes - len(space)
    items[:] = [*space, *others[:last], *plane, *others[last:]]


def pytest_sessionstart(session: pytest.Session) -> None:
    """Have those programs compiled that are the same for all models, and those of the arms that most tests
    solve for: tests solve with what users solve with.
    """
    if hasattr(session.config, "workerinput"):  # one of several processes, after the first
        return
    os.environ["LIMBIK_TEST_FOLDER"] = folder = tempfile.mkdtemp(prefix="limbik-test-")  # for all processes
    session.config.add_cleanup(lambda: shutil.rmtree(folder, ignore_errors=True))
    from limbik.compiler import native
    from make_programs import programs

    closed = [program for program in programs().values() if program.is_closed]
    with ThreadPoolExecutor(2) as threads:
        list(threads.map(native.compile_now, [*closed, *programs_of_usual_arms()]))


def programs_of_usual_arms() -> "list[Program]":
    """Programs of chains and closed forms that many tests use, which Python would otherwise interpret."""
    from limbik.analytic.closed_form import Family
    from limbik.analytic.programs import many_poses_program, one_pose_program
    from limbik.serial.programs import many_problems, one_problem
    from limbik.serial.seed_table import Shape

    chains = ("R", "RR", "RRR", "RRP", "RRPR", "RRRR", "RRRRR", "RRRRRR", "RRRRRRR", "RRRRRRRR")
    families = (Family.PARALLEL_1_2, Family.PARALLEL_2_3, Family.MEETING_1_2, Family.MEETING_2_3)
    return [
        *(one_problem(Shape(kinds, base_yaw=0)) for kinds in chains),
        *(many_problems(Shape(kinds, base_yaw=0), is_single=False) for kinds in ("RRRRRR", "RRRRRRR")),
        *map(one_pose_program, families),
        *map(many_poses_program, (Family.PARALLEL_2_3, Family.MEETING_1_2)),
    ]
