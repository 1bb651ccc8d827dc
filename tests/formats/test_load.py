"""`load`: names, paths and texts of every format, and what it says about everything else."""

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

import limbik
from formats.urdf_text import arm
from limbik import JointKind, load
from limbik.errors import FormatError, ModelError
from limbik.spatial import pose_from

XACRO = '<robot name="x" xmlns:xacro="http://ros.org/wiki/xacro"><link name="${1 + 1}"/></robot>'
MJCF = '<mujoco><worldbody><body name="b"><joint name="j"/><geom size="1"/></body></worldbody></mujoco>'
CSV = "# convention: standard\njoint,theta,d,a,alpha\nj1,0,0.5,0,pi/2\nj2,0,0,1,0\n"


def test_load_is_limbiks_own() -> None:
    assert limbik.load is load


def test_presets_are_the_same_models_each_time() -> None:
    assert load("panda") is load("franka")
    assert load("planar-4").nq == 4


@pytest.mark.parametrize(
    ("name", "content", "nq"),
    [("arm.urdf", arm(), 1), ("arm.xml", arm(), 1), ("table.txt", CSV, 2), ("noending", arm(), 1)],
)
def test_the_format_is_found_by_content(tmp_path: Path, name: str, content: str, nq: int) -> None:
    path = tmp_path / name
    path.write_text(content)
    assert load(path).nq == nq
    assert load(str(path)).nq == nq
    assert load(content).nq == nq


def test_xacro_is_found_by_content() -> None:
    pytest.importorskip("xacro")
    assert load(XACRO).root == "2"


def test_mjcf_is_found_by_content() -> None:
    pytest.importorskip("mujoco")
    assert load(MJCF).joint_names == ("j",)


def test_a_path_may_begin_at_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    (tmp_path / "arm.urdf").write_text(arm())
    assert load("~/arm.urdf").nq == 1


def test_a_file_in_the_folder_needs_no_ending(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("crane").write_text(arm())
    assert load("crane").nq == 1


def test_the_encoding_is_the_one_that_the_file_says(tmp_path: Path) -> None:
    text = '<?xml version="1.0" encoding="ISO-8859-1"?>\n' + arm().replace('"b"', '"Händ"')
    path = tmp_path / "arm.urdf"
    path.write_bytes(text.encode("latin-1"))
    assert load(path).end_effector == "Händ"
    path.write_text(arm(), encoding="utf-16")
    assert load(path).nq == 1
    path.write_text(arm(), encoding="utf-8-sig")
    assert load(path).nq == 1


# --- bases and end effectors --------------------------------------------------------------------------------


def test_a_floating_base_moves_the_robot_freely() -> None:
    model, fixed = load(arm(), base="floating"), load(arm())
    assert (model.root, model.joint_names, model.nq) == ("world", ("root_joint", "j"), 8)
    assert model.end_effector == fixed.end_effector
    q = np.array([1.0, 2.0, 3.0, 0.0, 0.0, 0.0, 1.0, 0.4])
    assert_allclose(model.pose(q), pose_from(None, [1.0, 2.0, 3.0]) @ fixed.pose([0.4]), atol=1e-15)


def test_a_planar_base_slides_and_turns() -> None:
    model, fixed = load(arm(), base="planar"), load(arm())
    assert model.joint_names == ("root_joint.x", "root_joint.y", "root_joint", "j")
    c, s = np.cos(0.3), np.sin(0.3)
    turned = pose_from(np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]]), [1.0, 2.0, 0.0])
    assert_allclose(model.pose([1.0, 2.0, 0.3, 0.4]), turned @ fixed.pose([0.4]), atol=1e-15)


def test_a_robot_that_floats_by_itself_is_not_put_on_another_floating_base() -> None:
    model = load(arm().replace("revolute", "floating"), base="floating")
    assert [joint.kind for joint in model.joints] == [JointKind.FLOATING]


def test_masses_and_frames_stay_on_every_base() -> None:
    inertial = '<inertial><mass value="2"/></inertial>'
    text = arm().replace('<link name="b"/>', f'<link name="b">{inertial}</link>')
    assert load(text, base="floating").mass == 2.0
    assert load("panda", base="floating").end_effector == load("panda").end_effector
    assert load("panda", base="planar").frame_names[-2:] == load("panda").frame_names[-2:]


def test_the_end_effector_can_be_named() -> None:
    assert load(arm(), end_effector="a").end_effector == "a"
    assert load("panda", end_effector="link3").end_effector == "link3"
    with pytest.raises(ModelError, match="has no frame 'hand'; known: a, b"):
        load(arm(), end_effector="hand")


def test_another_base_is_an_error() -> None:
    with pytest.raises(ModelError, match="base needs 'fixed', 'floating' or 'planar', found 'free'"):
        load(arm(), base="free")  # type: ignore[arg-type]


# --- what cannot be loaded ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("pandda", "there is no robot and no file 'pandda'; did you mean 'panda'"),
        ("", "source needs a name, a path or a text, found ''"),
        ("  ", "source needs a name, a path or a text"),
        ("planar-0", "planar-N needs a number of links for N, 1 to 9999"),
        ("x" * 5000, "there is no robot and no file 'xxx"),
        (3, "source needs a name, a path or a text, found 3"),
        (None, "source needs a name, a path or a text, found None"),
    ],
)
def test_an_unknown_name_is_answered_with_near_names(source: Any, words: str) -> None:
    with pytest.raises(ModelError, match=re.escape(words)) as raised:
        load(source)
    assert len(str(raised.value)) < 1000


def test_the_home_of_an_unknown_user_is_an_error() -> None:
    with pytest.raises(
        FormatError, match=r"~no-such-user/arm\.urdf: there is no home folder '~no-such-user'"
    ):
        load("~no-such-user/arm.urdf")


@pytest.mark.parametrize("mark", [";", "\t"])
def test_a_table_without_commas_is_told_to_have_them(mark: str) -> None:
    text = mark.join(["# convention: standard\ntheta", "d", "a", "alpha\n0", "0", "1", "0\n"])
    words = f"<text>:2: columns need commas between them, found {mark!r}"
    with pytest.raises(FormatError, match=re.escape(words)):
        load(text)


@pytest.mark.slow
def test_every_reader_is_there_after_import_limbik() -> None:
    names = ("dh", "mjcf", "path_csv", "srdf", "urdf", "xacro")
    script = f"import limbik; print([getattr(limbik.formats, name).__name__ for name in {names}])"
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == str([f"limbik.formats.{name}" for name in names])
    with pytest.raises(AttributeError, match=r"'limbik.formats' has no attribute 'sdf'"):
        limbik.formats.sdf  # noqa: B018


def test_a_missing_file_is_answered_with_near_files(tmp_path: Path) -> None:
    (tmp_path / "arm.urdf").write_text(arm())
    with pytest.raises(FormatError, match=r"arn.urdf: there is no such file; did you mean 'arm.urdf'\?"):
        load(tmp_path / "arn.urdf")
    with pytest.raises(FormatError, match="there is no such file, and no folder"):
        load(tmp_path / "none" / "arm.urdf")


def test_a_folder_is_answered_with_what_it_holds(tmp_path: Path) -> None:
    (tmp_path / "arm.urdf").write_text(arm())
    with pytest.raises(FormatError, match=r"is a folder; it holds arm\.urdf"):
        load(tmp_path)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"\x7fELF\0\1", "is a binary file"),
        (b"<robot name='\xff'/>", ":1: is not text in the encoding utf-8"),
        (b"<?xml version='1.0' encoding='klingon'?><robot/>", "an encoding that does not exist, 'klingon'"),
        (b"", "expected a URDF, xacro, MJCF, .arm or table of Denavit-Hartenberg parameters, found nothing"),
        (b"dear robot", "expected a URDF, xacro, MJCF, .arm or table .* found 'dear robot'"),
        (b'{"joints": []}', "expected a URDF, xacro, MJCF, .arm or table"),
        (b"<sdf/>", ":1: <sdf>: expected a URDF, .* found <sdf>, SDF, the format of Gazebo"),
        (b"<html/>", ":1: <html>: expected a URDF, .* found <html>$"),
        (b"<robot>", ":1: not well-formed XML: no element found"),
    ],
)
def test_what_is_no_description_is_said_with_its_file(tmp_path: Path, content: bytes, words: str) -> None:
    path = tmp_path / "thing.urdf"
    path.write_bytes(content)
    with pytest.raises(FormatError, match=words) as caught:
        load(path)
    assert str(caught.value).startswith(str(path))


@pytest.mark.skipif(not hasattr(os, "mkfifo") or os.geteuid() == 0, reason="root may read everything")
def test_a_file_that_may_not_be_read_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "arm.urdf"
    path.write_text(arm())
    path.chmod(0)
    with pytest.raises(FormatError, match="cannot be read: Permission denied"):
        load(path)
