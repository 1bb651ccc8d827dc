"""The command line as a user meets it: in a process of its own, with and without a terminal."""

import contextlib
import os
import re
import signal
import subprocess
import sys
import typing
import urllib.request
from pathlib import Path

import numpy as np
import pytest
import typer

import limbik
from limbik import cli
from limbik.commands import play as playing_command
from limbik.service.address import listen
from motion.people import crouching

COMMAND = [sys.executable, "-m", "limbik.cli"]
posix_only = pytest.mark.skipif(os.name != "posix", reason="needs signals and terminals of POSIX")


def run(*arguments, program=COMMAND):
    return subprocess.run([*program, *arguments], capture_output=True, text=True, timeout=300)


@contextlib.contextmanager
def playing(*arguments, **options):
    """`limbik play` in the background."""
    options = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "stdin": subprocess.DEVNULL, **options}
    process = subprocess.Popen([*COMMAND, "play", *arguments], **options)
    try:
        yield process
    finally:
        process.kill()
        process.wait()
        if process.stdout:
            process.stdout.close()


@contextlib.contextmanager
def busy_port():
    with listen("127.0.0.1", 0) as taken:
        yield taken.getsockname()[1]


def address_in(text):
    found = re.search(r"http://127\.0\.0\.1:\d+", text)
    assert found, text
    return found.group()


def health(address):
    with urllib.request.urlopen(f"{address}/health", timeout=300) as response:
        return response.read()


def real_options(app):
    """The name of the command and the option, for each option of real numbers."""
    for group in app.registered_groups:
        yield from real_options(group.typer_instance)
    for command in app.registered_commands:
        hints = typing.get_type_hints(command.callback, include_extras=True)
        for name, hint in hints.items():
            if typing.get_origin(hint) is typing.Annotated and "float" in str(hint.__origin__):
                yield f"{command.callback.__name__} {name}", hint.__metadata__[0]


def test_no_option_of_numbers_takes_underscores():
    options = dict(real_options(cli.app))
    assert len(options) > 15
    for name, option in options.items():
        assert option.parser is not None, name
        assert option.parser("10") == 10.0
        for text in ("1_0", "\u0661\u0660", "ten", "nan"):
            with pytest.raises(typer.BadParameter, match=f"needs a number, found '{text}'"):
                option.parser(text)


def test_version():
    result = run("--version")
    assert (result.returncode, result.stdout) == (0, f"limbik {limbik.__version__}\n")


def test_python_can_run_the_package_as_the_command():
    program = [sys.executable, "-m", "limbik"]
    assert run("--version", program=program).stdout == f"limbik {limbik.__version__}\n"
    assert "Usage: limbik" in run("--help", program=program).stdout


def test_help_names_every_option_of_play():
    result = run("play", "--help")
    assert result.returncode == 0
    for option in ("--host", "--port", "--no-browser"):
        assert option in result.stdout


def test_without_a_command_the_help_is_shown():
    assert "play" in run().stdout


@pytest.mark.parametrize("port", ["65536", "-1", "eighty"])
def test_an_impossible_port_is_a_usage_error(port):
    result = run("play", "--port", port)
    assert result.returncode == 2
    assert "--port" in result.stderr
    assert "Traceback" not in result.stderr


@posix_only
def test_play_prints_its_address_serves_and_stops_on_ctrl_c():
    with playing("--no-browser", "--port", "0", text=True) as process:
        address = address_in(process.stdout.readline())
        assert b'"ok"' in health(address)
        process.send_signal(signal.SIGINT)
        rest, _ = process.communicate(timeout=300)
        assert process.returncode == 0
        assert rest == "Stopped.\n"


def test_a_busy_port_without_a_terminal_prints_the_command_to_type():
    with busy_port() as port:
        result = run("play", "--no-browser", "--port", str(port))
    assert result.returncode == 2
    assert result.stdout == ""
    assert f"port {port} on 127.0.0.1 is in use" in result.stderr
    free = re.search(r"port (\d+) is free", result.stderr).group(1)
    assert f"limbik play --port {free} --no-browser" in result.stderr
    assert "Traceback" not in result.stderr


@posix_only
@pytest.mark.parametrize(("reply", "goes_on"), [("y", True), ("", True), ("n", False)])
def test_a_busy_port_in_a_terminal_is_a_question(reply, goes_on):
    terminal, other_end = os.openpty()
    screen = ""

    def read_until(pattern):
        nonlocal screen
        while not re.search(pattern, screen):
            try:
                screen += os.read(terminal, 1000).decode()
            except OSError:  # the program has left its terminal
                break

    try:
        with (
            busy_port() as port,
            playing(
                *("--no-browser", "--port", str(port)), stdin=other_end, stdout=other_end, stderr=other_end
            ) as process,
        ):
            os.close(other_end)
            read_until(r"\[Y/n\]")
            assert f"port {port} on 127.0.0.1 is in use" in screen
            os.write(terminal, f"{reply}\n".encode())
            if goes_on:
                read_until(r"Ctrl-C")
                assert b'"ok"' in health(address_in(screen))
            else:
                assert process.wait(timeout=300) == 2
    finally:
        os.close(terminal)


@pytest.mark.parametrize("module", ["starlette", "uvicorn", "msgpack", "websockets"])
def test_a_missing_extra_is_named_without_a_stack_trace(module):
    program = f"import sys; sys.modules[{module!r}] = None; from limbik.cli import app; app()"
    result = run("play", "--no-browser", "--port", "0", program=[sys.executable, "-c", program])
    assert result.returncode == 2
    assert "pip install limbik[app]" in result.stderr
    assert len(result.stderr.splitlines()) == 1


def test_control_c_while_modules_are_imported_has_no_stack_trace(tmp_path):
    (tmp_path / "typer.py").write_text("raise KeyboardInterrupt\n")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), *filter(None, sys.path)])}
    result = subprocess.run(
        [sys.executable, "-m", "limbik", "info"], env=environment, capture_output=True, text=True, timeout=300
    )
    assert result.returncode == 130
    assert not result.stderr


def test_control_c_that_an_extension_module_takes_for_its_own_ends_the_command(tmp_path):
    taken = (
        "import os, signal\ntry:\n    os.kill(os.getpid(), signal.SIGINT)\nexcept BaseException:\n    pass\n"
    )
    (tmp_path / "typer.py").write_text(f"{taken}raise ImportError('the C-extensions failed')\n")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), *filter(None, sys.path)])}
    result = subprocess.run(
        [sys.executable, "-m", "limbik", "info"], env=environment, capture_output=True, text=True, timeout=300
    )
    assert result.returncode == 130
    assert not result.stderr


def test_the_package_imports_nothing_before_it_is_used():
    program = "import sys; before = set(sys.modules); import limbik; print(*set(sys.modules) - before)"
    imported = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=300)
    assert {name.partition(".")[0] for name in imported.stdout.split()} <= {
        "limbik",
        *sys.stdlib_module_names,
    }


FIRST_USES = """
import sys, threading
import numpy.typing
import limbik
sys.setswitchinterval(1e-6)
names, failed = sys.argv[1:], []
barrier = threading.Barrier(len(names))
def use(name):
    barrier.wait()
    try:
        getattr(limbik, name)
    except BaseException as error:
        failed.append(repr(error))
threads = [threading.Thread(target=use, args=(name,)) for name in names]
for thread in threads: thread.start()
for thread in threads: thread.join()
print(failed)
"""


def test_names_of_the_package_may_be_used_for_the_first_time_in_several_threads():
    names = [
        "load",
        "robots",
        "solve_path",
        "straight_line",
        "load_scene",
        "collision",
        "Tracker",
        "humanoid",
    ]
    for _ in range(3):
        assert run(*names, program=[sys.executable, "-c", FIRST_USES]).stdout == "[]\n"


def test_what_is_no_name_of_the_package_is_told_so():
    for name in ("nonsense", "nonsense.x", "..", ".errors", "__wrapped__", "formats.load"):
        assert not hasattr(limbik, name)


def test_a_thread_solves_when_the_main_thread_is_over():
    program = """
import threading
import limbik
work = lambda: print(limbik.load("panda").solve([0.4, 0.2, 0.3]).success)
threading.Thread(target=work).start()
"""
    assert run(program=[sys.executable, "-c", program]).stdout == "True\n"


def test_a_terminal_without_a_size_shows_pages(monkeypatch):
    monkeypatch.setenv("COLUMNS", "0")
    assert "panda_joint4" in run("info", "panda").stdout
    assert "--position" in run("solve", "--help").stdout


def test_an_error_in_a_marker_set_names_its_option(tmp_path):
    limbik.Markers(("head",), np.zeros((2, 1, 3)), dt=0.1, up="y").save(tmp_path / "still.trc")
    (tmp_path / "set.json").write_text('{"nobody": "middle_head"}')
    arguments = (str(tmp_path / "still.trc"), "human", "--set", str(tmp_path / "set.json"))
    result = run("motion", "solve", *arguments, "--out", str(tmp_path / "out.csv"))
    assert result.stderr.startswith("limbik: --set: the clip has no marker 'nobody'")


def test_an_error_is_one_line_and_exit_status_2():
    result = run("play", "--no-browser", "--host", "no-such-host.invalid")
    assert result.returncode == 2
    assert result.stderr.startswith("limbik: cannot listen on no-such-host.invalid port 8000: ")
    assert len(result.stderr.splitlines()) == 1


SOME_COMMANDS = [
    ("--help",),
    ("--version",),
    ("info",),
    ("info", "panda"),
    ("solve", "planar-2", "--position", "1", "1", "0"),
    ("solve", "planar-2", "--position", "1", "1", "0", "--json"),
]


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs a device that is always full")
@pytest.mark.parametrize("arguments", SOME_COMMANDS)
def test_output_that_cannot_be_written_is_one_sentence_and_exit_status_3(arguments):
    with open("/dev/full", "w") as full:
        result = subprocess.run(
            [*COMMAND, *arguments], stdout=full, stderr=subprocess.PIPE, text=True, timeout=300
        )
    assert result.returncode == 3
    assert result.stderr == "limbik: the output cannot be written: No space left on device\n"


@posix_only
@pytest.mark.parametrize("arguments", SOME_COMMANDS)
def test_a_closed_standard_output_is_one_that_cannot_be_written(arguments):
    closed = ["sh", "-c", 'exec "$@" >&-', "sh", *COMMAND, *arguments]
    result = subprocess.run(closed, stderr=subprocess.PIPE, text=True, timeout=300)
    assert result.returncode == 3
    assert result.stderr == "limbik: the output cannot be written: Bad file descriptor\n"


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs a device that is always full")
def test_what_cannot_be_said_of_an_error_changes_nothing_about_its_exit_status():
    with open("/dev/full", "w") as full:
        status = subprocess.run([*COMMAND, "info", "no-such-robot"], stderr=full, timeout=300).returncode
    assert status == 2


@posix_only
@pytest.mark.parametrize("arguments", SOME_COMMANDS)
def test_a_reader_that_has_seen_enough_is_left_in_silence(arguments):
    reading, writing = os.pipe()
    os.close(reading)
    try:
        result = subprocess.run(
            [*COMMAND, *arguments], stdout=writing, stderr=subprocess.PIPE, text=True, timeout=300
        )
    finally:
        os.close(writing)
    assert (result.returncode, result.stderr) == (3, "")


def test_a_terminal_that_knows_ascii_alone_gets_ascii():
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    result = subprocess.run([*COMMAND, "info", "panda"], capture_output=True, env=environment, timeout=300)
    assert (result.returncode, result.stderr) == (0, b"")
    lines = result.stdout.decode("ascii").splitlines()
    assert "      * panda_joint2 -> link2" in [line.rstrip() for line in lines]


@pytest.mark.parametrize(
    ("error", "words"), [(RecursionError, "nested too deeply"), (MemoryError, "too large")]
)
def test_what_is_too_much_for_python_is_one_sentence(monkeypatch, capsys, error, words):
    with pytest.raises(SystemExit) as ended:
        failing(monkeypatch, error)(["info", "panda"])
    assert ended.value.code == 2
    printed = capsys.readouterr().err
    assert words in printed and len(printed.splitlines()) == 1


def test_an_error_in_limbik_itself_is_not_taken_for_no_solution(monkeypatch, capsys):
    with pytest.raises(SystemExit) as ended:
        failing(monkeypatch, ZeroDivisionError)(["info", "panda"])
    assert ended.value.code == 4
    assert "ZeroDivisionError" in capsys.readouterr().err


def failing(monkeypatch, error):
    """The command line, with an `info` that fails."""

    def portrait(*_):
        raise error("here")

    monkeypatch.setattr("limbik.commands.robot_data.Portrait.of", portrait)
    return cli.app


def test_the_command_to_type_repeats_what_was_asked():
    def typed(*asked):
        return playing_command.command_with(("limbik", "play"), *asked)

    assert typed("127.0.0.1", 8001, False) == "limbik play --port 8001"
    assert typed("0.0.0.0", 8001, True) == "limbik play --host 0.0.0.0 --port 8001 --no-browser"


def test_no_browser_is_opened_without_a_display(monkeypatch):
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "WSL_DISTRO_NAME", "BROWSER", "CI"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(playing_command.sys, "platform", "linux")
    assert not playing_command.has_browser()
    monkeypatch.setattr(playing_command.webbrowser, "get", lambda: object())
    assert not playing_command.has_browser()
    monkeypatch.setenv("DISPLAY", ":0")
    assert playing_command.has_browser()
    monkeypatch.setenv("CI", "true")
    assert not playing_command.has_browser()


@pytest.fixture
def opened(monkeypatch):
    """The addresses that were opened; nothing is served."""
    addresses = []

    class Server:
        def run(self, sockets):
            for listener in sockets:
                listener.close()

    monkeypatch.setattr(playing_command, "has_browser", lambda: True)
    monkeypatch.setattr(playing_command, "open_browser", addresses.append)
    monkeypatch.setattr("limbik.app.server.make_server", lambda host, uploads: Server())
    return addresses


@pytest.mark.parametrize("host", ["127.0.0.1", "0.0.0.0", "0"])
def test_a_playground_for_the_whole_network_is_told_to_be_one(opened, capsys, host):
    with contextlib.suppress(SystemExit):
        cli.app(["play", "--port", "0", "--host", host])
    assert ("Everyone who can reach this machine" in capsys.readouterr().out) == (host != "127.0.0.1")


def test_a_warning_is_one_line_without_its_place_in_the_code(tmp_path):
    result = run(
        "motion", "ground", "examples/walk.bvh", "--unit", "0.0001", "--out", str(tmp_path / "a.bvh")
    )
    assert result.returncode == 0
    (line,) = result.stderr.splitlines()
    assert re.fullmatch(r"limbik: note: the motion is planted as it is, but its legs are .* or --unit", line)


@pytest.mark.parametrize("arguments", [(), ("--no-browser",)])
def test_the_browser_is_opened_unless_told_otherwise(opened, arguments):
    with contextlib.suppress(SystemExit):
        cli.app(["play", "--port", "0", *arguments])
    assert len(opened) == (0 if arguments else 1)


@pytest.mark.parametrize(
    "words",
    [
        "path ur5e --csv {csv} --out {out}/p.csv",
        "motion convert {walk} {out}/w.glb",
        "motion convert {walk} {out}/w.csv",
        "motion picture {walk} --out {out}/w.svg",
        "motion ground {walk} --out {out}/w.bvh",
        "reach ur5e --voxel 0.5 --orientations 2 --out {out}/map",
        "dataset ur5e --poses 10 --out {out}/data",
        "arm -arm 1 0 0 0 -seg 1 1 1 -goal 1 0 0 --save {out}/a.arm",
    ],
)
def test_what_cannot_be_written_has_a_status_of_its_own(words, tmp_path, capsys):
    csv, file = tmp_path / "path.csv", tmp_path / "no folder"
    csv.write_text("x,y,z,roll,pitch,yaw\n0.4,0.1,0.3,3.1416,0,0\n0.4,-0.1,0.3,3.1416,0,0\n")
    file.write_text("")
    walk = Path(__file__).resolve().parents[1] / "examples" / "walk.bvh"
    with pytest.raises(SystemExit) as ended:
        cli.app([word.format(csv=csv, walk=walk, out=file) for word in words.split(" ")])
    assert ended.value.code == 3
    assert "cannot be written: Not a directory" in capsys.readouterr().err


def test_an_error_names_the_option():
    walk = Path(__file__).parent / "formats" / "golden.bvh"
    for option, value in (("--ground", "inf"), ("--unit", "1_0")):
        result = run("motion", "info", str(walk), option, value)
        assert result.returncode == 2
        assert result.stderr.startswith(f"limbik: {option} needs")


POSES = ("0.4", "0", "0.5", "3", "0", "0"), ("0.4", "0.1", "0.5", "3", "0", "0")


def test_messages_name_options_as_they_are_typed(tmp_path):
    person = tmp_path / "person.bvh"
    person.write_text(crouching(frames=31))
    out = ("--out", str(tmp_path / "out.bvh"))
    for words, said in (
        (("motion", "clean", str(person), *out, "--cutoff", "inf"), "limbik: --cutoff needs a frequency"),
        (("motion", "clean", str(person), *out, "--cutoff", "5", "--cutoff=6"), "--cutoff stands twice"),
        (("solve", "ur5e", "--json", "--position", *POSES[0][:3], "--json"), "--json stands twice"),
        (
            ("motion", "ground", str(person), *out, "--slope", "0", "0", "0"),
            "limbik: --slope needs a part along",
        ),
        (("motion", "ground", str(person), *out, "--belt", "1e300", "0", "0"), "limbik: --belt needs"),
        (
            ("motion", "ground", str(person), *out, "--foot", "nope"),
            "limbik: --foot needs links that a joint",
        ),
        (
            ("path", "ur5e", "--from", *POSES[0], "--to", *POSES[1], "--acceleration", "1"),
            "limbik: --acceleration needs finite --velocity",
        ),
        (
            ("dataset", "ur5e", "--poses", "5", "--address", "x", *out),
            "--address is of a Ray cluster: give --engine",
        ),
    ):
        result = run(*words)
        assert result.returncode == 2
        assert said in result.stderr
