"""Maps and datasets by processes: the same bits as by threads, whoever of them is killed."""

import multiprocessing
import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

import limbik
from limbik.errors import SolverError
from limbik.scale import make_dataset, reach, reach_map
from scale.test_reach import content

OPTIONS = {"voxel": 0.3, "orientations": 20}
MAPPING = """
    import signal, sys
    import limbik
    from limbik.scale import reach, reach_map

    if __name__ == "__main__":
        signal.signal(signal.SIGINT, signal.default_int_handler)  # also where tests run in the background
        reach.CHUNK_POSES = 500
        options = {"engine": "processes", "threads": 2, "progress": lambda done, _: print(done, flush=True)}
        reach_map(limbik.load("ur5e"), sys.argv[1], voxel=0.3, orientations=20, **options)
"""


@pytest.fixture
def threaded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, bytes]:
    """What the folder of a map holds."""
    monkeypatch.setattr(reach, "CHUNK_POSES", 500)
    reach_map(limbik.load("ur5e"), tmp_path / "threads", **OPTIONS)
    return content(tmp_path / "threads")


def is_running(process: str) -> bool:
    """Whether a process is there, and is no zombie."""
    try:
        return Path("/proc", process, "stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def ended(processes: list[str]) -> bool:
    """Whether they all end, for which they have ten seconds."""
    ends = time.monotonic() + 10.0
    while any(map(is_running, processes)) and time.monotonic() < ends:
        time.sleep(0.01)
    return not any(map(is_running, processes))


def test_a_map_goes_on_after_a_process_of_it_was_killed(tmp_path, threaded):
    def kill_one(done: int, _: int) -> None:
        if done == 2:
            os.kill(multiprocessing.active_children()[0].pid, signal.SIGKILL)

    options = {"engine": "processes", "threads": 2, **OPTIONS}
    with pytest.raises(SolverError, match=r"has been killed.*goes on where it was"):
        reach_map(limbik.load("ur5e"), tmp_path / "map", progress=kill_one, **options)
    left = len([name for name in content(tmp_path / "map") if name.startswith("done/")])
    assert 2 <= left < len([name for name in threaded if name.startswith("done/")])
    reach_map(limbik.load("ur5e"), tmp_path / "map", **options)
    assert content(tmp_path / "map") == threaded
    assert not multiprocessing.active_children()


@pytest.mark.skipif(sys.platform != "linux", reason="asks /proc for the processes of a process")
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT])
def test_no_process_outlives_the_one_that_began_it(tmp_path, threaded, number):
    script = tmp_path / "mapping.py"
    script.write_text(textwrap.dedent(MAPPING))
    command = [sys.executable, str(script), str(tmp_path / "map")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as begun:
        assert begun.stdout is not None and begun.stderr is not None
        begun.stdout.readline()
        children = Path(f"/proc/{begun.pid}/task/{begun.pid}/children").read_text().split()
        assert len(children) >= 2
        begun.send_signal(number)
        begun.wait(30.0)
        said = begun.stderr.read()
    assert ended(children)
    assert said.count("Traceback") == (1 if number == signal.SIGINT else 0), said
    reach_map(limbik.load("ur5e"), tmp_path / "map", **OPTIONS)
    assert content(tmp_path / "map") == threaded


@pytest.mark.skipif(sys.platform != "linux", reason="asks /proc for the processes of a process")
def test_ctrl_c_while_processes_begin_is_not_theirs(tmp_path):
    script = tmp_path / "mapping.py"
    script.write_text(textwrap.dedent(MAPPING))
    command = [sys.executable, str(script), str(tmp_path / "map")]
    told = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, start_new_session=True, **told) as begun:
        children = Path(f"/proc/{begun.pid}/task/{begun.pid}/children")
        while len(begun_already := children.read_text().split()) < 2:
            time.sleep(0.001)
        os.killpg(begun.pid, signal.SIGINT)  # as a terminal does
        said = begun.communicate(timeout=60.0)[1]
    assert said.count("Traceback") == 1, said  # of the one that began them
    assert ended(begun_already)


def test_a_dataset_by_processes_is_the_same(tmp_path):
    model = limbik.load("ur5e")
    make_dataset(model, tmp_path / "threads", poses=250)
    make_dataset(model, tmp_path / "processes", poses=250, engine="processes", threads=1)
    assert content(tmp_path / "processes") == content(tmp_path / "threads")
