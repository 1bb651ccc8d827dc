"""Compiling ahead: what is warmed up needs neither a compiler nor a wait."""

import os
import subprocess
import sys

import pytest

import limbik
from fast_chains import PATIENCE, run_python, warm_cache
from limbik import cli
from limbik.errors import LimbikError, SolverError
from limbik.warmup_tasks import tasks

SOLVE = """
import sys
import numpy as np
import limbik
from limbik.compiler import native
from limbik.serial.programs import many_problems, one_problem
from limbik.serial.seed_table import Shape

model = limbik.load("planar-2")
targets = model.pose(model.random(0, size=30))
assert all(model.solve(target) for target in targets)
assert model.solve(targets[0], start=model.neutral, prefer="nearest")
for precision in ("double", "single"):
    assert model.solve_batch(targets, precision=precision).success.all()
shape = Shape("RR", 0)
for program in (one_problem(shape), many_problems(shape, False), many_problems(shape, True)):
    assert native.compiled(program) is not None, program.name
print("numba" in sys.modules)
"""


def command(*arguments, cache):
    environment = {**os.environ, "LIMBIK_CACHE_DIR": str(cache)}
    environment["PYTHONPATH"] = os.pathsep.join(filter(None, sys.path))
    return subprocess.run(
        [sys.executable, "-m", "limbik.cli", "warmup", *arguments],
        env=environment,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )


def test_importing_limbik_does_not_import_the_compiler(tmp_path):
    script = "import sys, limbik; print(sorted({'numba', 'llvmlite'} & set(sys.modules)))"
    assert run_python(script, tmp_path) == "[]\n"


def test_an_interpreted_solve_does_not_import_the_compiler(tmp_path):
    script = """
import sys, limbik
model = limbik.load("planar-2")
targets = model.pose(model.random(0, size=5))
assert model.solve(targets[0])
assert model.solve_batch(targets).success.all()
print("numba" in sys.modules)
"""
    assert run_python(script, tmp_path) == "False\n"


def test_the_command_says_where_it_keeps_what_it_compiled():
    cache = warm_cache()
    assert f"Stored in {cache}" in (cache / "said").read_text()
    names = sorted(file.name.split("-")[0] for file in (cache / "kernels").glob("*.o"))
    assert names == ["analytic_many", "analytic_one", "general", "many", "many_single", "one"]


@pytest.mark.parametrize("when", ["background", "first", "never"])
def test_after_the_command_every_solve_is_machine_code_without_the_compiler(when):
    assert run_python(SOLVE, warm_cache(), when) == "False\n"


EVERYTHING = """
import limbik
from limbik.collision import Box, World
from limbik.compiler import native
from limbik.collision.programs import changes, collisions, pushes
from limbik.motion.programs import tracker
arm = limbik.load("planar-2")
programs = collisions(), pushes(), changes(), tracker()
arm.tracker(limbik.Position(target=[1.0, 0.5, 0.0]), dt=0.01).step()
world = World()
world.add("wall", Box((0.1, 2.0, 2.0)), [5.0, 0.0, 0.0])
assert arm.solve([1.0, 0.5, 0.0], world=world)
print([each.name for each in programs if native.compiled(each) is None])
"""


@pytest.mark.slow
def test_everything_is_warm_after_all(tmp_path):
    result = command("planar-2", "--all", cache=tmp_path)
    assert result.returncode == 0, result.stderr
    lines = [line.split(maxsplit=2) for line in result.stdout.splitlines() if " s " in line]
    texts = [text for _, _, text in lines]
    assert {"tracker", "collisions", "pushes out of collision", "convex parts of planar-2"} <= set(texts)
    assert all(float(seconds) >= 0.0 for seconds, _, _ in lines)
    for when in ("never", "background"):
        assert run_python(EVERYTHING, tmp_path, when) == "[]\n"


def test_what_is_warm_is_not_compiled_again():
    def kept():
        return {file: file.stat().st_mtime_ns for file in (warm_cache() / "kernels").iterdir()}

    before = kept()
    assert command("planar-2", cache=warm_cache()).returncode == 0
    assert kept() == before


def test_warming_up_from_python_leaves_compiled_drivers():
    script = """
import limbik
from limbik.compiler import native
from limbik.serial.programs import many_problems, one_problem
from limbik.serial.seed_table import Shape
model = limbik.load("planar-2")
limbik.warmup(model)
shape = Shape("RR", 0)
for program in (one_problem(shape), many_problems(shape, False), many_problems(shape, True)):
    assert native.compiled(program) is not None, program.name
print(bool(model.solve(model.pose([0.3, 0.4]))))
"""
    for when in ("never", "background"):
        assert run_python(script, warm_cache(), when) == "True\n"


def test_an_unknown_robot_is_refused_in_one_line(tmp_path):
    result = command("pandda", cache=tmp_path)
    assert result.returncode == 2
    assert "pandda" in result.stderr
    assert "did you mean" in result.stderr
    assert "Traceback" not in result.stderr
    assert not list(tmp_path.rglob("*.o"))


def test_a_file_can_be_named(tmp_path, monkeypatch):
    compiled = []
    module = sys.modules["limbik.warmup_tasks"]
    monkeypatch.setattr(module, "tasks", lambda model, everything: compiled.append(model.name) or [])
    table = tmp_path / "arm.csv"
    table.write_text("# convention: standard\n# name: own\njoint,theta,d,a,alpha\nj1,0,0.5,0,pi/2\n")
    with pytest.raises(SystemExit) as ended:
        cli.app(["warmup", str(table), "panda"])
    assert not ended.value.code
    assert compiled == ["own", "panda"]


def test_an_unknown_solver_is_refused():
    with pytest.raises(SolverError, match="no solver"):
        limbik.warmup(limbik.load("planar-2"), "lmm")


def test_tasks_are_named_after_what_they_compile():
    texts = [task.text for task in tasks(limbik.load("panda"))]
    assert len(set(texts)) == len(texts)
    for word in ("single solves", "batches", "single precision"):
        assert any(word in text and "RRRRRRR" in text for text in texts)


@pytest.mark.parametrize(
    ("robot", "words"),
    [("ur5e", "three parallel"), ("xarm6", "six-revolute"), ("panda", "all solutions"), ("g1", "")],
)
def test_all_solutions_are_warmed_up_where_a_program_finds_them(robot, words):
    try:
        model = limbik.load(robot)
    except LimbikError as error:
        pytest.skip(str(error))
    texts = [task.text for task in tasks(model) if task.text.startswith("all solutions")]
    assert bool(texts) == bool(words)
    assert all(words in text for text in texts)
