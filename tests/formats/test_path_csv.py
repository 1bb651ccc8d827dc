"""Poses and paths as CSV: read, written, read again, and refused with the line."""

from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

import limbik
from limbik.errors import FormatError
from limbik.formats.path_csv import path_csv, read_poses

GOLDEN = Path(__file__).parent / "path_csv"
START = (-0.8, -1.7, -1.9, -1.1, 1.6, -2.3)
HEAD = "x,y,z,roll,pitch,yaw"


def test_the_golden_poses_mean_what_the_format_says() -> None:
    poses, times = read_poses(GOLDEN / "poses.csv")
    assert times is not None and times.tolist() == [0.0, 2.0, 4.0]
    half = np.sqrt(0.5)
    assert_allclose(poses[:, :3, 3], [[0.4, -0.2, 0.5], [0.4, 0.0, 0.5], [0.4, 0.2, 0.5]])
    # pi about x; then pi about x and a quarter about z; then a quarter about x, y and z, one after the other
    assert_allclose(poses[0, :3, :3], np.diag([1.0, -1.0, -1.0]), atol=1e-15)
    assert_allclose(poses[1, :3, :3], [[0, 1, 0], [1, 0, 0], [0, 0, -1]], atol=1e-15)
    assert_allclose(poses[2, :3, :3], [[0, 0, 1], [0, 1, 0], [-1, 0, 0]], atol=1e-15)
    text = f"qw,qz,qy,qx,z,y,x,note\n{half},0,{half},0,0.5,0.2,0.4,last\n"
    assert_allclose(read_poses(text).poses[0], poses[2], atol=1e-15)


def test_the_golden_poses_lead_to_the_golden_path() -> None:
    arm = limbik.load("ur5e")
    given = read_poses(GOLDEN / "poses.csv")
    path = arm.solve_path(given.poses, times=given.times, start=START)
    heads, *rows = path_csv(arm, path).splitlines()
    golden_heads, *golden_rows = (GOLDEN / "path.csv").read_text().splitlines()
    assert heads == golden_heads
    assert_allclose(_numbers(rows), _numbers(golden_rows), atol=1e-6)


def test_a_path_that_is_written_is_read_as_the_poses_it_follows() -> None:
    arm = limbik.load("ur5e")
    path = arm.solve_path(read_poses(GOLDEN / "poses.csv").poses, velocity_limits=1.0)
    text = path_csv(arm, path)
    again = read_poses(text)
    assert path.times is not None and again.times is not None
    assert again.times.tolist() == path.times.tolist()
    assert_allclose(again.poses, path.poses, atol=1e-15)
    joints = _numbers(text.splitlines()[1:])[:, 1:7]
    assert joints.tolist() == path.q.tolist()  # to the last bit: none is outside its limits
    assert_allclose(arm.pose(joints), again.poses, atol=1e-5)


def test_a_pose_given_twice_is_written_once() -> None:
    arm = limbik.load("ur5e")
    poses = read_poses(GOLDEN / "poses.csv").poses
    path = arm.solve_path(np.concatenate([poses[:1], poses, poses[-1:]]), velocity_limits=1.0)
    again = read_poses(path_csv(arm, path))
    assert again.times is not None and (np.diff(again.times) > 0.0).all()
    assert_allclose(again.poses[[0, -1]], poses[[0, -1]], atol=1e-15)


def test_joints_that_are_called_like_a_column_are_told_apart() -> None:
    table = (
        limbik.ModelBuilder("table")
        .prismatic("x", axis="x", limits=(-1.0, 1.0))
        .prismatic('a "y", b', axis="y", limits=(-1.0, 1.0))
        .frame("tip")
        .build(end_effector="tip")
    )
    poses = table.pose(np.array([[0.1, 0.2], [0.3, 0.2]]))
    path = table.solve_path(poses)
    text = path_csv(table, path)
    assert text.startswith('x (joint),"a ""y"", b",x,y,z,qx,qy,qz,qw\n')
    assert_allclose(read_poses(text).poses[[0, -1]], poses, atol=1e-15)


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("\n\n", 1, "names the columns"),
        ("x,y,z\n1,2,3\n", 1, "roll, pitch, yaw not found"),
        ("x;y;z;roll;pitch;yaw\n1;2;3;0;0;0\n", 1, "between commas"),
        ("x,y,z,qx,qy,qw\n1,2,3,0,0,1\n", 1, "qz not found"),
        ("Time,x,y,z,roll,pitch,yaw\n0,1,2,3,0,0,0\n", 1, "'Time' needs to be called 'time'"),
        ("time [s],x,y,z,roll,pitch,yaw\n0,1,2,3,0,0,0\n", 1, "'time \\[s\\]' needs to be called 'time'"),
        ("x,y,z,roll,pitch,yaw\n1e200,2,3,0,0,0\n", 2, "a position needs numbers up to 1e"),
        ("x,x,y,z,roll,pitch,yaw\n0,1,2,3,0,0,0\n", 1, "'x' needs to be there once"),
        (f"{HEAD}\n", 1, "no poses below the header"),
        (f"# a remark\n\n{HEAD}\n1,2,3,0,0\n", 4, "needs 6 columns, found 5"),
        (f"{HEAD}\n1,2,3,0,0,0\n1,2,3,0,0,nan\n", 3, "yaw needs a finite number, found 'nan'"),
        (f"{HEAD}\n1,2,3,0,0,a\n", 2, "yaw needs a finite number, found 'a'"),
        (f"{HEAD}\n1,,3,0,0,0\n", 2, "y needs a finite number, found ''"),
        ("x,y,z,qx,qy,qz,qw\n1,2,3,0,0,0,0\n", 2, "not all 0"),
        (f"time,{HEAD}\n0,1,2,3,0,0,0\n0,1,2,4,0,0,0\n", 3, "later than the one before, 0; found 0"),
        (f'{HEAD}\n1,2,3,0,0,"0\n', 2, "is not CSV"),
    ],
)
def test_what_is_malformed_is_refused_with_file_and_line(
    tmp_path: Path, text: str, line: int, said: str
) -> None:
    file = tmp_path / "poses.csv"
    file.write_text(text)
    with pytest.raises(FormatError, match=said) as refused:
        read_poses(file)
    assert (refused.value.line, refused.value.source) == (line, str(file))


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=r"none\.csv"):
        read_poses(tmp_path / "none.csv")


def _numbers(rows: list[str]) -> np.ndarray:
    return np.array([[float(word) for word in row.split(",")] for row in rows])


def test_an_angle_of_any_size_makes_a_rotation() -> None:
    (pose,) = read_poses(f"{HEAD}\n0.4,0,0.4,0,0,1e308\n").poses
    assert np.abs(pose[:3, :3] @ pose[:3, :3].T - np.eye(3)).max() < 1e-12
