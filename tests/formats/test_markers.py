"""Markers from C3D and TRC: names, metres, gaps and time."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

import limbik
from limbik.errors import ConfigurationError, FormatError, FormatWarning, MissingExtra

TRC = (
    "PathFileType\t4\t(X/Y/Z)\twalk.trc\n"
    "DataRate\tCameraRate\tNumFrames\tNumMarkers\tUnits\tOrigDataRate\tOrigDataStartFrame\tOrigNumFrames\n"
    "50.0\t50.0\t3\t2\tmm\t50.0\t1\t3\n"
    "Frame#\tTime\tLASI\t\t\tR Heel\t\t\n"
    "\t\tX1\tY1\tZ1\tX2\tY2\tZ2\n"
    "\n"
    "1\t0.00\t100\t900\t-50\t20\t30\t40\n"
    "2\t0.02\t\t\t\t21\t31\t41\n"
    "3\t0.04\t102\t902\t-52\n"
)


def c3d(path: Path, points: np.ndarray, unit: str = "mm", **settings: list) -> Path:
    """A file with points [T, M, 3], nan for gaps."""
    ezc3d = pytest.importorskip("ezc3d")
    file = ezc3d.c3d()
    file["parameters"]["POINT"]["RATE"]["value"] = [120.0]
    file["parameters"]["POINT"]["UNITS"]["value"] = [unit]
    file["parameters"]["POINT"]["LABELS"]["value"] = [f"M{k}" for k in range(points.shape[1])]
    for key, value in settings.items():
        file.add_parameter("POINT", key, value)
    file["data"]["points"] = np.concatenate(
        [points.transpose(2, 1, 0), np.ones((1, points.shape[1], len(points)))]
    )
    file.write(str(path))
    return path


@pytest.mark.parametrize(("unit", "metres"), [("mm", 1e-3), ("m", 1.0), ("cm", 0.01)])
def test_c3d_is_read_in_metres_with_its_gaps(tmp_path: Path, unit: str, metres: float) -> None:
    points = np.random.default_rng(1).standard_normal((6, 4, 3)) * 100.0
    points[2:4, 1] = np.nan
    found = limbik.load_markers(c3d(tmp_path / "walk.c3d", points, unit))
    assert (found.names, found.up, len(found)) == (("M0", "M1", "M2", "M3"), "z", 6)
    assert found.dt == pytest.approx(1.0 / 120.0)
    assert_allclose(found.positions, metres * points, rtol=1e-6)


def test_c3d_says_what_is_up_unless_the_user_does(tmp_path: Path) -> None:
    path = c3d(tmp_path / "walk.c3d", np.ones((2, 1, 3)), X_SCREEN=["+X"], Y_SCREEN=["+Y"])
    assert limbik.load_markers(path).up == "y"
    assert limbik.load_markers(path, up="x").up == "x"


def test_a_c3d_that_contradicts_itself_is_read_with_a_warning(tmp_path: Path) -> None:
    with pytest.warns(FormatWarning, match="Y_SCREEN says '-Y', and up is .*; it is taken as \\+Z"):
        limbik.load_markers(c3d(tmp_path / "down.c3d", np.ones((2, 1, 3)), Y_SCREEN=["-Y"]))
    with pytest.warns(FormatWarning, match="Y_SCREEN says 'Q'"):
        limbik.load_markers(c3d(tmp_path / "q.c3d", np.ones((2, 1, 3)), Y_SCREEN=["Q"]))
    path = c3d(tmp_path / "names.c3d", np.ones((2, 3, 3)))
    path.write_bytes(path.read_bytes().replace(b"M2", b"M0"))
    with pytest.warns(FormatWarning, match="two markers are called 'M0'; the second is 'M0 2' here"):
        assert limbik.load_markers(path).names == ("M0", "M1", "M0 2")


def test_zeros_after_the_last_frame_of_a_c3d_are_no_frames(tmp_path: Path) -> None:
    """What POINT:FRAMES says beyond the header was read from the end of the last block."""
    points = np.arange(1.0, 37.0).reshape(4, 3, 3)
    path = c3d(tmp_path / "walk.c3d", points)
    content = path.read_bytes()
    at = content.index(b"FRAMES") + 6  # then the offset to the next parameter, the type, no dimensions
    assert content[at + 2 : at + 6] == b"\x02\x00\x04\x00"
    path.write_bytes(content[: at + 4] + b"\x09\x00" + content[at + 6 :])
    with pytest.warns(
        FormatWarning, match="its header says 4 frames, and POINT:FRAMES more.*the first 4 are"
    ):
        assert_allclose(limbik.load_markers(path).positions, 1e-3 * points, rtol=1e-6)


def test_many_markers_have_their_own_names(tmp_path: Path) -> None:
    found = limbik.load_markers(c3d(tmp_path / "many.c3d", np.zeros((1, 300, 3))))
    assert len(set(found.names)) == 300


def test_trc_is_read_in_metres_with_its_gaps() -> None:
    found = limbik.load_markers(TRC)
    assert (found.names, found.dt, found.up) == (("LASI", "R Heel"), 0.02, "y")
    expected = [
        [[0.1, 0.9, -0.05], [0.02, 0.03, 0.04]],
        [[np.nan] * 3, [0.021, 0.031, 0.041]],
        [[0.102, 0.902, -0.052], [np.nan] * 3],
    ]
    assert_allclose(found.positions, expected, rtol=1e-12)


@pytest.mark.parametrize(
    ("right", "wrong", "message"),
    [
        ("PathFileType", "Path", "1: needs C3D, or TRC, which begins with PathFileType"),
        ("50.0\t50.0\t3", "0\t50.0\t3", "3: DataRate needs a positive number, found '0'"),
        ("\tmm\t", "\tfeet\t", "3: the unit needs to be one of m, .*, found 'feet'"),
        ("3\t2\tmm", "3\t4\tmm", "3: NumMarkers says 4, but 2 are named on line 4"),
        ("50.0\t3\t2", "50.0\t5\t2", "NumFrames says 5, found 3"),
        ("\t900\t", "\thigh\t", "7: needs a number or an empty cell, found 'high'"),
        ("\t900\t", "\t9_00\t", "7: needs a number or an empty cell, found '9_00'"),
        ("\t41\n", "\t41\t9\n", "8: needs 6 numbers of markers, found 7"),
        ("\t41\n", "\n", "8: marker 2 needs three numbers, or none for a gap, found 2"),
        (
            "\t\tX1\tY1\tZ1\tX2\tY2\tZ2\n\n",
            "",
            "5: needs the names of coordinates, X1 Y1 Z1, before the first",
        ),
        ("R Heel", "LASI", "names needs texts that differ, found 'LASI'"),
    ],
)
def test_a_broken_trc_is_refused_with_its_line(right: str, wrong: str, message: str) -> None:
    assert right in TRC
    with pytest.raises(FormatError, match=message):
        limbik.load_markers(TRC.replace(right, wrong))


def test_a_broken_c3d_is_refused(tmp_path: Path) -> None:
    pytest.importorskip("ezc3d")
    broken = tmp_path / "broken.c3d"
    broken.write_bytes(b"no markers at all" * 100)
    with pytest.raises(FormatError, match="is no C3D file that can be read"):
        limbik.load_markers(broken)
    with pytest.raises(FormatError, match="there is no such file"):
        limbik.load_markers(tmp_path / "none.c3d")
    whole = c3d(tmp_path / "whole.c3d", np.ones((500, 5, 3))).read_bytes()
    broken.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(FormatError, match=r"ends after 2\d\d of its 500 frames"):
        limbik.load_markers(broken)
    with pytest.raises(FormatError, match="the unit needs to be one of"):
        limbik.load_markers(c3d(tmp_path / "feet.c3d", np.ones((1, 1, 3)), "feet"))


def test_without_the_library_the_error_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "ezc3d", None)
    with pytest.raises(MissingExtra, match=r"reading C3D needs `pip install limbik\[motion\]`"):
        limbik.load_markers(tmp_path / "walk.c3d")


def test_markers_refuse_what_is_none() -> None:
    good = np.zeros((2, 1, 3))
    for names, positions, dt, message in (
        (("a", "b"), good, 0.1, r"positions needs numbers of shape \[T, 2, 3\]"),
        (("a",), good + np.inf, 0.1, "up to 1e"),
        (("a",), good + np.array([0.0, np.nan, 0.0]), 0.1, r"found \[0.0, nan, 0.0\] of 'a' in frame 0"),
        (("a",), good, 0.0, "dt needs a number of seconds from 1e-09"),
        (("a",), good, 1e-320, "dt needs a number of seconds from 1e-09"),
        ("a", good, 0.1, "names needs a list of names"),
    ):
        with pytest.raises(ConfigurationError, match=message):
            limbik.Markers(names, positions, dt)


def test_what_is_saved_is_read_again(tmp_path: Path) -> None:
    markers = limbik.load_markers(TRC)
    markers.save(tmp_path / "again.trc")
    again = limbik.load_markers(tmp_path / "again.trc")
    assert (again.names, again.dt) == (markers.names, markers.dt)
    assert_allclose(again.positions, markers.positions, atol=1e-9)
    with pytest.warns(
        FormatWarning, match="TRC cannot say that z is up, and its readers take y: load it with"
    ):
        replace(markers, up="z").save(tmp_path / "lying.trc")
    with pytest.raises(FormatError, match=r"needs the ending \.trc, found '\.c3d'"):
        markers.save(tmp_path / "walk.c3d")
    with pytest.raises(FormatError, match="cannot be written"):
        markers.save(tmp_path / "nowhere" / "walk.trc")


@pytest.mark.parametrize("up", ["", 0, False, [], np.array([1, 2])])
def test_only_an_axis_is_up(up) -> None:
    with pytest.raises(FormatError, match="up needs 'x', 'y' or 'z', found"):
        limbik.load_markers(TRC, up=up)


def test_a_trc_between_commas_is_told_what_it_needs() -> None:
    with pytest.raises(FormatError, match="4: its cells need tabs between them, found commas"):
        limbik.load_markers(TRC.replace("\t", ","))


def test_a_trc_may_have_decimal_commas() -> None:
    again, markers = limbik.load_markers(TRC.replace(".", ",")), limbik.load_markers(TRC)
    assert (again.names, again.dt) == (markers.names, markers.dt)
    assert_allclose(again.positions, markers.positions, atol=0.0)


@pytest.mark.parametrize("name", ["", "a\tb", "a\nb", " a "])
def test_names_that_a_trc_cannot_hold_are_refused(name: str, tmp_path: Path) -> None:
    markers = limbik.Markers((name, "other"), np.zeros((2, 2, 3)), 0.1)
    with pytest.raises(FormatError, match="a TRC needs names in one line, without tabs or blanks around"):
        markers.save(tmp_path / "markers.trc")
    assert not (tmp_path / "markers.trc").exists()


@pytest.mark.parametrize(
    ("right", "wrong", "said"),
    [
        ("50.0\t50.0\t3", "200\t200\t3", "times are 0.02 s apart, and DataRate says 200 frames per second"),
        ("3\t0.04", "9\t0.16", "frame 2 is followed by frame 9; each row is taken as the next frame"),
        ("3\t0.04", "2\t0.02", "frame 2 is followed by frame 2"),
        ("3\t0.04", "3\t1e308", "a frame or a time is beyond 1e\\+15; each row is taken as the next"),
        ("3\t0.04", "3\t0.4", "time 0.02 s is followed by 0.4 s"),
    ],
)
def test_times_and_frames_that_are_not_those_of_the_rate_are_told(right: str, wrong: str, said: str) -> None:
    assert right in TRC
    with pytest.warns(FormatWarning, match=said):
        limbik.load_markers(TRC.replace(right, wrong))


def test_a_name_twice_is_refused_without_quoting_the_file() -> None:
    with pytest.raises(FormatError) as caught:
        limbik.load_markers(TRC.replace("R Heel", "LASI"))
    assert caught.value.source == "<text>"
