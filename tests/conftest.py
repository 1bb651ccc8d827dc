"""What every test shares: how Hypothesis searches, and the browser."""

import os
import shutil
import tempfile
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import settings

from chromium import find_chromium

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # several processes share the cores: threads only wait
os.environ.setdefault("LIMBIK_COMPILE", "never")  # a test that needs machine code says so
for name in ("FORCE_COLOR", "PY_COLORS", "GITHUB_ACTIONS", "COLUMNS"):  # Typer colours and folds by them
    os.environ.pop(name, None)
os.environ["no_proxy"] = os.environ["NO_PROXY"] = "*"  # every server of the tests is on this machine

IN_CI = bool(os.environ.get("CI"))

# The same examples each time; `make fuzz` draws others, at random.
settings.register_profile(
    "fixed", derandomize=True, deadline=None, database=None, print_blob=True, max_examples=60
)
settings.register_profile("fuzz", deadline=None, print_blob=True, max_examples=200)
settings.load_profile("fixed")


@pytest.fixture(scope="session")
def chromium() -> str:
    """Path of a Chromium that starts. Without one a browser test is skipped; in CI it fails."""
    path = find_chromium()
    if path is None:
        refuse = pytest.fail if IN_CI else pytest.skip
        refuse("browser test: no Chromium found (apt-get install chromium, or set LIMBIK_CHROMIUM)")
    return path


def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """Two processes more than there are cores: tests of pages and of programs wait for other processes."""
    return (os.cpu_count() or 1) + 2


def pytest_sessionstart(session: pytest.Session) -> None:
    """Have those programs compiled that are the same for all models, and those of the arms that most tests
    solve for: tests solve with what users solve with.
    """
    if hasattr(session.config, "workerinput"):  # one of several processes, after the first
        return
    os.environ["LIMBIK_TEST_FOLDER"] = folder = tempfile.mkdtemp(prefix="limbik-test-")  # for all processes
    session.config.add_cleanup(lambda: shutil.rmtree(folder, ignore_errors=True))
    from limbik.compiler import native
    from limbik.serial.programs import many_problems, one_problem
    from limbik.serial.seed_table import Shape
    from make_programs import programs

    arms = [one_problem(Shape(kinds, 0)) for kinds in ("RR", "RRR", "RRP", "RRRRR", "RRRRRR", "RRRRRRR")]
    arms += [many_problems(Shape(kinds, 0), is_single=False) for kinds in ("RRRRRR", "RRRRRRR")]
    with ThreadPoolExecutor(2) as threads:
        list(threads.map(native.compile_now, [*(p for p in programs().values() if p.is_closed), *arms]))
