"""Machine code in files: when it is made, where it is kept, and what becomes of a solve if it cannot be."""

import compileall
import os
import pathlib
import queue
import shutil
import subprocess
import sys
import threading
from types import SimpleNamespace

import pytest

import limbik
from fast_chains import PATIENCE, run_python, warm_cache
from limbik.compiler import cache, native
from limbik.compiler.build import QUICK, machine_code, unsealed
from limbik.compiler.program import Program
from limbik.errors import LimbikError
from limbik.serial.programs import many_problems, one_problem
from limbik.serial.seed_table import Shape
from limbik.tree.programs import general

PLANE = one_problem(Shape("RR", 0))

# A model of two revolute joints, goals within its reach, and its answers as text.
SCRIPT = """
import os, sys, threading, time, warnings
import numpy as np
import limbik
from limbik.compiler import native
from limbik.serial.programs import one_problem
from limbik.serial.seed_table import Shape

PLANE = one_problem(Shape("RR", 0))
model = limbik.load("planar-2")
targets = model.pose(model.random(0, size=12))

def answers():
    near = [model.solve(t, start=q) for t, q in zip(targets, model.random(1, size=12))]
    found = [model.solve(target) for target in targets]
    assert all(found), found
    return np.array([solution.q for solution in found + near])

def say(q):
    print("\\n".join(" ".join(map(repr, row)) for row in q.tolist()))
"""


def numbers(text):
    return [float(word) for word in text.split()]


def objects(cache):
    """The object files of a cache."""
    return sorted(file.name for file in (cache / "kernels").glob("*"))


@pytest.fixture
def copy(tmp_path):
    """A warm cache that may be written to."""
    return shutil.copytree(warm_cache(), tmp_path / "copy")


def test_never_means_that_nothing_is_compiled(tmp_path):
    run_python(SCRIPT + "answers(); assert native.compiled(PLANE) is None", tmp_path, "never")
    assert objects(tmp_path) == []


def test_machine_code_and_interpreter_give_the_same_answers(tmp_path):
    interpreted = numbers(run_python(SCRIPT + "say(answers())", tmp_path, "never"))
    compiled = numbers(run_python(SCRIPT + "say(answers())", warm_cache(), "never"))
    assert len(interpreted) == 48
    assert compiled == pytest.approx(interpreted, abs=1e-9)


@pytest.mark.slow
def test_a_package_without_sources_compiles_and_keeps_shapes_too(tmp_path):
    """As in a program that is frozen, which has no Python to start either."""
    package = shutil.copytree(
        pathlib.Path(limbik.__file__).parent,
        tmp_path / "frozen" / "limbik",
        ignore=shutil.ignore_patterns("__pycache__", "static"),
    )
    compileall.compile_dir(package, quiet=2, legacy=True)
    for source in package.rglob("*.py"):
        source.unlink()
    script = """
from limbik.collision import Box, World
world = World()
world.add("box", Box((0.1, 0.1, 0.1)), (0.5, 0.0, 0.3))
panda = limbik.load("panda")
assert panda.check(panda.neutral, world).is_free
answers()
assert native.compiled(PLANE) is not None
print(limbik.__file__)
"""
    first = f"import sys; sys.path.insert(0, {str(package.parent)!r})"
    where = run_python(first + SCRIPT + script, tmp_path / "cache", "first")
    assert where.strip() == str(package / "__init__.pyc")
    assert len(objects(tmp_path / "cache")) > 1
    assert list((tmp_path / "cache" / "shapes").glob("*.shape"))


def test_the_background_takes_over_and_a_fork_in_between_is_no_harm(tmp_path):
    script = (
        SCRIPT
        + """
before = answers()
assert native.is_compiling(PLANE)
child = os.fork() if hasattr(os, "fork") else None
if child == 0:
    try:
        after = answers()
        native.compile_now(PLANE)
        assert native.compiled(PLANE) is not None
        good = np.abs(after - before).max() < 1e-9 and np.abs(answers() - before).max() < 1e-9
    except BaseException as error:
        print(error, file=sys.stderr)
        good = False
    os._exit(0 if good else 1)
ends = time.monotonic() + 600.0
while native.compiled(PLANE) is None and time.monotonic() < ends:
    time.sleep(0.05)
assert native.compiled(PLANE) is not None
assert np.abs(answers() - before).max() < 1e-9
if child is not None:
    assert os.waitpid(child, 0)[1] == 0
"""
    )
    run_python(script, tmp_path, "background")
    assert [name.split("-")[0] for name in objects(tmp_path)] == ["one"]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs os.fork")
def test_a_fork_while_the_background_imports_the_compiler_is_no_harm(tmp_path):
    script = (
        """
import importlib.abc
class Slow(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path, target=None):
        if name == "llvmlite":
            begun.set()
            time.sleep(1.0)
        return None
"""
        + SCRIPT
        + """
begun = threading.Event()
sys.meta_path.insert(0, Slow())
native.compile_ahead(PLANE)
assert begun.wait(60.0)
child = os.fork()
if child == 0:
    native.compile_now(PLANE)
    os._exit(0)
ends = time.monotonic() + 60.0
while (ended := os.waitpid(child, os.WNOHANG)) == (0, 0) and time.monotonic() < ends:
    time.sleep(0.05)
if ended == (0, 0):
    os.kill(child, 9)
assert ended == (child, 0), "the child waits for ever"
"""
    )
    run_python(script, tmp_path, "background")


def test_two_processes_that_compile_at_once_do_not_disturb_each_other(tmp_path):
    environment = {**os.environ, "LIMBIK_CACHE_DIR": str(tmp_path), "LIMBIK_COMPILE": "first"}
    environment["PYTHONPATH"] = os.pathsep.join(filter(None, sys.path))
    script = SCRIPT + "say(answers()); assert native.compiled(PLANE) is not None"
    both = [
        subprocess.Popen([sys.executable, "-c", script], env=environment, stdout=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    said = [each.communicate(timeout=PATIENCE)[0] for each in both]
    assert [each.returncode for each in both] == [0, 0]
    assert said[0] == said[1]
    assert [name.split("-")[0] for name in objects(tmp_path)] == ["one"]  # and nothing is left lying about


@pytest.mark.parametrize("when", ["Never", "", "always", "0"])
def test_another_word_for_when_to_compile_is_refused(monkeypatch, when):
    monkeypatch.setenv("LIMBIK_COMPILE", when)
    monkeypatch.setattr(native, "_builds", {})
    model = limbik.load("planar-2")
    with pytest.raises(LimbikError, match=r"LIMBIK_COMPILE needs one of background, first, never"):
        model.solve(model.pose([0.1, 0.2]))


def test_a_file_is_named_after_all_that_decides_what_it_holds(monkeypatch):
    shapes = Shape("RR", 0), Shape("RP", 0), Shape("RR", None)
    programs = [program for shape in shapes for program in (one_problem(shape), many_problems(shape, False))]
    assert len({native._file_name(program) for program in programs}) == 6
    fingerprint = native._fingerprint.__wrapped__
    kept = fingerprint()
    assert kept == fingerprint() == native._fingerprint()
    import llvmlite.binding as llvm

    monkeypatch.setattr(llvm, "get_host_cpu_name", lambda: "another")
    moved = fingerprint()
    monkeypatch.setattr("llvmlite.__version__", "0.0")
    assert len({kept, moved, fingerprint()}) == 3


def test_other_sources_have_other_files_only_of_what_they_write_out(monkeypatch):
    chain, tree = one_problem(Shape("RR", 0)), general()
    before = native._file_name(chain), native._file_name(tree)
    monkeypatch.setattr(native, "SOURCES_HASH", b"other sources")
    assert native._file_name(chain) != before[0]
    assert native._file_name(tree) == before[1]


def test_other_bitcode_has_another_file(monkeypatch, tmp_path):
    before = native._file_name(PLANE)
    monkeypatch.setattr(native, "BITCODE", tmp_path)
    (tmp_path / "one.bc.xz").write_bytes(b"other bitcode")
    assert native._file_name(PLANE) != before


@pytest.mark.parametrize("damage", ["empty", "garbage", "cut", "other"])
def test_a_damaged_file_does_no_harm(copy, damage):
    (file,) = (copy / "kernels").glob("one-*.o")
    whole = file.read_bytes()
    other = next((copy / "kernels").glob("many-*.o")).read_bytes()
    file.write_bytes(
        {"empty": b"", "garbage": b"garbage" * 1000, "cut": whole[: len(whole) // 2], "other": other}[damage]
    )
    script = (
        SCRIPT
        + """
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    answers()
print(len([warning for warning in caught if issubclass(warning.category, RuntimeWarning)]))
"""
    )
    assert int(run_python(script, copy, "never")) <= 1


def test_a_damaged_file_is_made_again(copy):
    (file,) = (copy / "kernels").glob("one-*.o")
    whole = file.read_bytes()
    file.write_bytes(b"garbage")
    script = (
        SCRIPT
        + """
warnings.simplefilter("ignore")
native.compile_now(PLANE)
assert native.compiled(PLANE) is not None
answers()
"""
    )
    run_python(script, copy, "background")
    assert len(file.read_bytes()) > len(whole) // 2


@pytest.mark.parametrize("damage", [b"", b"zeros", b"cut"])
def test_a_damaged_table_of_starts_is_made_again(copy, damage):
    (file,) = (copy / "tables").glob("*")
    whole = file.read_bytes()
    file.write_bytes({b"": b"", b"zeros": bytes(len(whole)), b"cut": whole[: len(whole) // 2]}[damage])
    assert run_python(SCRIPT + "say(answers())", copy) == run_python(SCRIPT + "say(answers())", warm_cache())
    assert file.read_bytes() == whole


@pytest.mark.skipif(os.name != "posix", reason="limits files as POSIX does")
def test_a_full_disk_is_told_once_and_does_no_harm(tmp_path):
    script = (
        """
import resource
resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
"""
        + SCRIPT
        + """
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    answers()
    limbik.planar_arm(3, 0.5).solve([0.7, 0.6, 0.0])
assert native.compiled(PLANE) is not None
print(len([warning for warning in caught if "cannot keep" in str(warning.message)]))
"""
    )
    assert run_python(script, tmp_path, "first") == "1\n"
    assert objects(tmp_path) == []


@pytest.mark.skipif(os.name != "posix", reason="looks a user up as POSIX does")
def test_a_user_without_a_home_is_told_that_nothing_is_kept(monkeypatch):
    def nobody(_uid):
        raise KeyError

    for name in ("HOME", "XDG_CACHE_HOME", "LIMBIK_CACHE_DIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("pwd.getpwuid", nobody)
    with pytest.warns(RuntimeWarning, match="there is no home folder"):
        assert cache.cache_folder.__wrapped__() is None


@pytest.mark.skipif(os.name != "posix", reason="permissions are those of POSIX")
def test_a_cache_where_others_may_write_is_not_used_and_one_of_its_own_is_private(tmp_path, monkeypatch):
    monkeypatch.setenv("LIMBIK_CACHE_DIR", str(tmp_path / "new" / "cache"))
    folder = cache.cache_folder.__wrapped__()
    assert folder is not None
    assert folder.stat().st_mode & 0o077 == folder.parent.stat().st_mode & 0o077 == 0
    folder.chmod(0o777)
    with pytest.warns(RuntimeWarning, match="other users may write there"):
        assert cache.cache_folder.__wrapped__() is None
    monkeypatch.setattr(cache.os, "geteuid", lambda: 1234)
    if folder.stat().st_uid != 0:
        cache.warn_of_cache.cache_clear()
        with pytest.warns(RuntimeWarning, match="another user owns it"):
            assert cache.cache_folder.__wrapped__() is None


def test_an_empty_cache_folder_means_that_of_the_user(tmp_path, monkeypatch):
    monkeypatch.setenv("LIMBIK_CACHE_DIR", "")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache.cache_folder.__wrapped__() == tmp_path / "limbik" / "kernels"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs pipes with names")
def test_a_pipe_in_the_place_of_a_cached_file_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", pathlib.Path(os.devnull)):
        with pytest.raises(OSError):
            cache.read_regular(path)


def test_a_cached_file_larger_than_any_is_not_read(tmp_path):
    with open(tmp_path / "huge", "wb") as file:
        file.truncate(cache.LARGEST_FILE + 1)  # which takes no room on the disk
    with pytest.raises(OSError, match="larger than 256 MiB"):
        cache.read_regular(tmp_path / "huge")


def test_a_cache_folder_that_cannot_be_made_is_told_once_and_does_no_harm(tmp_path):
    (tmp_path / "file").write_text("")
    script = (
        SCRIPT
        + """
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    answers()
    assert native.compiled(PLANE) is not None
    model.solve_batch(targets[:3])
    limbik.planar_arm(3, 0.5).solve(limbik.planar_arm(3, 0.5).pose([0.1, 0.2, 0.3]), iterations=5)
print([str(warning.message) for warning in caught if "cannot keep" in str(warning.message)].__len__())
"""
    )
    script = script.replace(
        "    model.solve_batch", "    os.environ['LIMBIK_COMPILE'] = 'never'\n    model.solve_batch"
    )
    assert run_python(script, tmp_path / "file" / "cache", "first") == "1\n"


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="needs a user whom permissions stop")
def test_a_cache_folder_that_can_only_be_read_is_told_once_and_serves(copy):
    for folder in (copy, copy / "kernels", copy / "tables"):
        folder.chmod(0o555)
    script = (
        SCRIPT
        + """
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    answers()
    limbik.planar_arm(3, 0.5).solve(limbik.planar_arm(3, 0.5).pose([0.1, 0.2, 0.3]))
    limbik.planar_arm(4, 0.5).solve(limbik.planar_arm(4, 0.5).pose([0.1, 0.2, 0.3, 0.4]))
assert native.compiled(PLANE) is not None
print(len([warning for warning in caught if "cannot keep" in str(warning.message)]))
"""
    )
    try:
        assert run_python(script, copy, "never") == "1\n"
    finally:
        for folder in (copy, copy / "kernels", copy / "tables"):
            folder.chmod(0o755)


def test_a_compiler_that_fails_is_told_and_the_interpreter_goes_on(tmp_path):
    script = (
        SCRIPT
        + """
def fail(build):
    raise limbik.errors.LimbikError("no compiler today")

native._compiled_elsewhere = fail
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    answers()
print([str(warning.message) for warning in caught])
try:
    native.compile_now(PLANE)
except limbik.errors.LimbikError as error:
    print(error)
"""
    )
    said = run_python(script, tmp_path, "first").splitlines()
    assert said[0].count("no compiler today") == 1
    assert "slower" in said[0]
    assert said[1] == "the program 'one' could not be compiled: no compiler today"


@pytest.mark.parametrize("is_warm", [False, True])
def test_without_llvmlite_the_interpreter_does_it_all_and_that_is_told_once(tmp_path, is_warm):
    script = (
        "import sys; sys.modules['llvmlite'] = None"
        + SCRIPT
        + """
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    say(answers())
    assert model.solve_batch(targets[:3]).success.all()
    assert len(model.solve_all(targets[0]).q) > 0
    ends = [limbik.Position(frame=frame, target=(0.3, 0.4, 0.0)) for frame in model.frame_names[-2:]]
    model.solve(ends, mode="best")
(told,) = [warning for warning in caught if issubclass(warning.category, RuntimeWarning)]
assert "llvmlite" in str(told.message) and "slower" in str(told.message)
try:
    limbik.warmup(model)
except limbik.errors.LimbikError as error:
    assert str(error).endswith("could not be compiled: llvmlite is not installed")
else:
    raise AssertionError("there is nothing to warm up with")
"""
    )
    said = run_python(script, warm_cache() if is_warm else tmp_path, "background")
    assert numbers(said) == numbers(run_python(SCRIPT + "say(answers())", tmp_path, "never"))
    assert objects(tmp_path) == []


@pytest.mark.skipif(os.name != "posix", reason="needs signals and scripts of POSIX")
def test_a_compiler_that_is_ended_is_told_by_its_signal(tmp_path, monkeypatch):
    compiler = tmp_path / "python"
    compiler.write_text("#!/bin/sh\nkill -TERM $$\n")
    compiler.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(compiler))
    with pytest.raises(limbik.errors.LimbikError, match="the compiler was ended by signal 15"):
        native._compiled_elsewhere(native.Build(PLANE))


OWN_PROGRAM = """
from limbik.compiler.kernel import compiled
from limbik.compiler.program import Program


@compiled
def successor(number):
    return number + 1


def program(_):
    source = "own:program", ""
    return Program(name="successor", kernel=successor, arguments=(None,), source=source)
"""

OWN_KERNEL = """
import numpy as np
from limbik.compiler.call import Call
from limbik.compiler.kernel import Matrix, Watch, compiled, is_stopped
from limbik.compiler.program import Program
from limbik.numerics.rotation import smallest_turn


@compiled
def fill_turns(a: Matrix, b: Matrix, quats: Matrix, watch: Watch) -> int:
    for k in range(a.shape[0]):
        if is_stopped(watch, k):
            return k
        turn = smallest_turn(a[k, 0], a[k, 1], a[k, 2], b[k, 0], b[k, 1], b[k, 2])
        for i in range(4):
            quats[k, i] = turn[i]
    return a.shape[0]


def program(_):
    return Program(name="turns", kernel=fill_turns, source=("own:program", ""))


def turns(program, a, b, interprets=False):
    call = Call(program, a, b, quats := np.zeros((len(a), 4)))
    assert (call.interpret() if interprets else call.run()) == len(a)
    return quats
"""

TURNS = """
import numpy as np
from scipy.spatial.transform import Rotation
a, b = np.random.default_rng(1).normal(size=(2, 100, 3))
a, b = (each / np.linalg.norm(each, axis=1)[:, None] for each in (a, b))
quats = own.turns(program, a, b)
np.testing.assert_allclose(Rotation.from_quat(quats).apply(a), b, atol=1e-12)
np.testing.assert_array_equal(own.turns(program, a, b, interprets=True), quats)
"""

OWN_METHOD = """
from limbik.compiler.kernel import compiled
from limbik.solvers import CCD
from limbik.solvers.classical_plan import method_of
from limbik.tree.programs import by_method


@compiled
def to_and_fro(tree, asked, desk, roles, settings, q):
    for i in range(q.size):
        q[i] = -q[i]


class Own(CCD):
    @classmethod
    def kernels(cls):
        return {"improve": to_and_fro}


def program(_):
    return by_method(method_of(Own()))
"""

TWO_GOALS = """
import limbik
arm = limbik.planar_arm(3, 0.3)
two = [limbik.Position(target=(0.5, 0.4, 0.0)), limbik.Position(frame="link3", target=(0.3, 0.3, 0.0))]
print(arm.solve(two, solver=own.Own(), iterations=30).iterations)
"""


def compiled_in_a_process(folder, own, script):
    """What a script prints after a program of the user's own was compiled, and the kinds of files kept."""
    (folder / "own.py").write_text(own)
    begin = f"""
import sys
import threading
sys.path.insert(0, {str(folder)!r})
import own
from limbik.compiler import native
program = own.program("")
native.compile_now(program)
"""
    said = run_python(begin + script, folder / "cache", "never")
    return said, sorted(name.split(".", 1)[1] for name in objects(folder / "cache"))


def test_a_program_of_ones_own_is_compiled_and_kept(tmp_path):
    said, kept = compiled_in_a_process(tmp_path, OWN_PROGRAM, "print(native.compiled(program)(41))")
    assert (said, kept) == ("42\n", ["bc.xz", "o"])


def test_a_kernel_of_ones_own_is_called_with_arrays(tmp_path):
    compiled_in_a_process(tmp_path, OWN_KERNEL, TURNS)


@pytest.mark.extra  # Numba takes tens of seconds for the loop that the method is bound into
def test_a_method_of_ones_own_is_compiled_and_kept(tmp_path):
    said, kept = compiled_in_a_process(tmp_path, OWN_METHOD, TWO_GOALS)
    assert int(said) > 0
    assert kept == ["bc.xz", "o"]


def test_a_long_batch_that_python_runs_lets_the_compiler_begin(tmp_path):
    script = """
import numpy as np
import limbik
from limbik.compiler import native

builder = limbik.ModelBuilder("arm")
for k in range(9):
    builder.revolute(f"joint{k}", axis="xyz"[k % 3], origin=(0.1, 0.02 * k, 0.05), limits=(-2.0, 2.0))
model = builder.build()
poses = model.pose(model.random(0, size=500))
poses[7] = model.pose(model.neutral)
poses[7, :3, :3] = poses[7, :3, :3] @ np.diag((1, -1, -1))  # no way to point there, stretched out
found = limbik.solve_batch(model, poses)
assert not found.success[7] and found.iterations[7] > 9000
program = next(iter(native._builds))
assert program.name == "many" and native.compiled(program) is not None
"""
    run_python(script, tmp_path, "background")


@pytest.fixture
def compiler(tmp_path):
    """Starts the compiler of a program in the plane, which expects its text of so many bytes."""

    def start(size):
        program = native._bitcode(PLANE), tmp_path, "plane.o", str(PLANE.is_closed), str(size)
        pipe = subprocess.PIPE
        return subprocess.Popen([sys.executable, "-P", native.SCRIPT, *program], stdin=pipe, stdout=pipe)

    return start


def test_machine_code_is_stored_although_the_process_that_wanted_it_has_ended(tmp_path, compiler):
    text = native._linked(PLANE).encode()
    with compiler(len(text)) as process:
        process.stdout.close()
        process.stdin.write(text)
    assert unsealed((tmp_path / "plane.o").read_bytes(), "plane.o")


@pytest.mark.parametrize("part", [0.0, 0.5, 1.0])
def test_no_machine_code_comes_of_a_text_that_is_cut(tmp_path, compiler, part):
    """The process that wanted it ended before it had written it all: LLVM takes nothing for a program."""
    text = native._linked(PLANE).encode()
    with compiler(len(text) + 1) as process:
        said, _ = process.communicate(text[: int(part * len(text))])
    assert process.returncode == 1
    assert said == b""
    assert not list(tmp_path.iterdir())


def test_machine_code_without_an_entry_is_refused():
    code = machine_code(native._bitcode(PLANE).read_bytes(), "", PLANE.is_closed, QUICK)
    with pytest.raises(LimbikError, match="no entry"):
        native.Build(PLANE).load(code)


def test_the_program_that_was_asked_for_latest_is_compiled_next(monkeypatch):
    begun, may_end = queue.SimpleQueue(), threading.Semaphore(0)

    def slowly(build):
        begun.put(build.program.name)
        may_end.acquire()
        return b""

    for name, replacement in {
        "_builds": {},
        "_stored": lambda _: None,
        "_compiled_elsewhere": slowly,
        "_engine": bytes,
        "Entry": lambda _: SimpleNamespace(function=len),
    }.items():
        monkeypatch.setattr(native, name, replacement)
    names = [*(f"busy {k}" for k in range(native.AT_ONCE)), "a", "b", "c"]
    programs = {name: Program(name, kernel=None, arguments=()) for name in names}
    for name in names[: native.AT_ONCE]:
        native.compile_ahead(programs[name])
    assert {begun.get(timeout=30) for _ in range(native.AT_ONCE)} == set(names[: native.AT_ONCE])
    waiting = [native.compile_ahead(programs[name]) for name in "abc"]
    assert native.compiled(programs["a"]) is None
    order = []
    for _ in "abc":
        may_end.release()
        order.append(begun.get(timeout=30))
    may_end.release(native.AT_ONCE)
    assert order == ["a", "c", "b"]
    assert all(build.done.wait(30) for build in waiting)
    assert native.compiled(programs["b"]) is len
