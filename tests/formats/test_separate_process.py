"""Work in a process of its own: its answers, warnings and errors come back, and its death is an error."""

import operator
import os
import signal
import sys
import time

import pytest

from limbik.errors import FormatError, FormatWarning
from limbik.formats import urdf
from limbik.formats.separate_process import apart
from limbik.formats.source import Source

URDF = '<robot name="r"><link name="a"/></robot>'
LOOSE = """<robot name="r"><link name="a"/><link name="b"/>
<joint name="j" type="revolute"><parent link="a"/><child link="b"/></joint></robot>"""


def test_what_the_work_returns_comes_back() -> None:
    assert apart("a.urdf", 30.0, os.getpid) != os.getpid()
    model = apart("a.urdf", 30.0, urdf.read, Source("a.urdf", URDF))
    assert model.frame_names == ("a",)


def test_what_the_work_raises_is_raised_with_its_line() -> None:
    with pytest.raises(FormatError, match=r"^a.urdf:1: <link>: needs the attribute"):
        apart("a.urdf", 30.0, urdf.read, Source("a.urdf", "<robot><link/></robot>"))


def test_what_the_work_warns_of_is_warned_of() -> None:
    with pytest.warns(FormatWarning, match="no lower and no upper limit"):
        apart("a.urdf", 30.0, urdf.read, Source("a.urdf", LOOSE))


def test_a_process_that_takes_too_long_is_ended() -> None:
    with pytest.raises(FormatError, match=r"^a.urdf: takes more than 1 s"):
        apart("a.urdf", 1.0, time.sleep, 60.0)


def test_a_process_that_dies_is_an_error() -> None:
    with pytest.raises(FormatError, match=r"^a.urdf: the process that reads it died \(signal"):
        apart("a.urdf", 30.0, signal.raise_signal, signal.SIGKILL)
    with pytest.raises(FormatError, match=r"died \(exit status 7\)"):
        apart("a.urdf", 30.0, os._exit, 7)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="there is no such bound here")
def test_a_process_that_takes_too_much_memory_is_an_error() -> None:
    with pytest.raises(FormatError, match="more than 4 GiB of memory"):
        apart("a.urdf", 30.0, operator.mul, b"a", 2**35)


def test_what_libraries_print_is_no_part_of_the_answer() -> None:
    assert apart("a.urdf", 30.0, os.write, 1, b"noise") == 5


def test_a_frozen_program_works_in_its_own_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    assert apart("a.urdf", 30.0, os.getpid) == os.getpid()


def test_the_process_imports_no_more_than_the_work_needs() -> None:
    found = apart("a.urdf", 30.0, eval, "sorted(__import__('sys').modules)")
    assert not {"numpy", "limbik.solvers", "limbik.formats.urdf"} & set(found)
