"""`limbik path` as a user meets it."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import limbik
from limbik import cli

POSE = ("x", "y", "z", "qx", "qy", "qz", "qw")
GIVEN = """time,x,y,z,roll,pitch,yaw
0,0.4,-0.2,0.5,3.1,0,0
2,0.4,-0.1,0.5,3.1,0,0
4,0.4,0.0,0.5,3.1,0.1,0
"""


@pytest.fixture
def run(capsys):
    """The exit status, what was printed, and what was said of errors."""

    def run(*arguments: str) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as ended:
            cli.app(["path", *arguments])
        printed = capsys.readouterr()
        return ended.value.code or 0, printed.out, printed.err

    return run


def test_a_file_of_poses_becomes_a_file_of_joints(run, tmp_path) -> None:
    poses, joints = tmp_path / "poses.csv", tmp_path / "joints.csv"
    poses.write_text(GIVEN)
    status, out, err = run("ur5e", "--csv", str(poses), "--out", str(joints))
    assert (status, err) == (0, "")
    assert out.startswith("All 3 poses are followed without a break")
    arm = limbik.load("ur5e")
    assert joints.read_text().splitlines()[0] == ",".join(["time", *arm.joint_names, *POSE])
    rows = np.loadtxt(joints, delimiter=",", skiprows=1)
    assert rows[[0, -1], 0].tolist() == [0.0, 4.0]
    assert_allclose(arm.pose(rows[[0, -1], 1:7])[:, :3, 3], [[0.4, -0.2, 0.5], [0.4, 0.0, 0.5]], atol=1e-5)


def test_a_line_is_given_in_place_and_velocities_give_times(run, tmp_path) -> None:
    out_file = tmp_path / "out.csv"
    line = ("--from", "0.4", "-0.2", "0.5", "3.1", "0", "0", "--to", "0.4", "0.1", "0.5", "3.1", "0", "0")
    status, _, _ = run("ur5e", *line, "--velocity", "1", "--acceleration", "2", "--out", str(out_file))
    assert status == 0
    times = np.loadtxt(out_file, delimiter=",", skiprows=1)[:, 0]
    assert times[0] == 0.0 and (np.diff(times) > 0.0).all()


def test_a_path_that_breaks_says_where(run) -> None:
    line = ("--from", "0.4", "-0.2", "0.5", "3.1", "0", "0", "--to", "2.4", "0.1", "0.5", "3.1", "0", "0")
    status, out, _ = run("ur5e", *line)
    assert status == 1 and "no configuration reaches" in " ".join(out.split())


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("out.bvh", "out.bvh: needs the ending .csv, found '.bvh'"),
        ("out", "out: needs the ending .csv, found none"),
        ("", "'': needs the ending .csv, found none"),
    ],
)
def test_a_path_is_written_as_csv_alone(run, name, problem) -> None:
    line = ("--from", "0.4", "-0.2", "0.5", "3.1", "0", "0", "--to", "0.4", "0.1", "0.5", "3.1", "0", "0")
    status, out, err = run("ur5e", *line, "--out", name)
    assert (status, out) == (2, "") and problem in err


def test_what_is_written_can_be_followed_again(run, tmp_path) -> None:
    poses, first, second = (tmp_path / name for name in ("poses.csv", "first.csv", "second.csv"))
    poses.write_text(GIVEN)
    assert run("ur5e", "--csv", str(poses), "--out", str(first))[0] == 0
    assert run("ur5e", "--csv", str(first), "--out", str(second))[0] == 0
    a, b = (np.loadtxt(file, delimiter=",", skiprows=1) for file in (first, second))
    assert_allclose(b[[0, -1]][:, [0, *range(7, 14)]], a[[0, -1]][:, [0, *range(7, 14)]], atol=1e-12)


def test_a_file_that_is_wrong_is_refused_with_the_line(run, tmp_path) -> None:
    poses = tmp_path / "poses.csv"
    poses.write_text("x,y,z,roll,pitch,yaw\n1,2,3,0,0,a\n")
    status, _, err = run("ur5e", "--csv", str(poses))
    assert status == 2 and "poses.csv:2: yaw needs a finite number" in err


def test_nothing_asked_is_refused(run) -> None:
    assert run("ur5e")[0] == 2


@pytest.mark.parametrize("option", ["--velocity", "--acceleration"])
@pytest.mark.parametrize("value", ["-1", "0", "nan"])
def test_a_limit_that_is_none_is_refused_by_the_name_of_its_option(run, option: str, value: str) -> None:
    ends = ["--from", "0.4", "-0.2", "0.5", "3.14", "0", "0", "--to", "0.4", "0.2", "0.5", "3.14", "0", "0"]
    status, _, err = run("ur5e", *ends, option, value)
    assert status == 2 and f"Invalid value for '{option}'" in err


def test_the_ends_of_a_line_may_be_turned_by_degrees(run) -> None:
    ends = [["0.4", y, "0.5", "180", "0", "10"] for y in ("-0.2", "0.2")]
    line = ["ur5e", "--from", *ends[0], "--to", *ends[1]]
    status, out, err = run(*line, "--degrees")
    assert (status, err) == (0, "") and "without a break" in out
    status, out, err = run(*line)
    assert "limbik: --from 180 0 10 is more than a turn in radians" in err
    status, out, err = run("ur5e", "--csv", "poses.csv", "--degrees")
    assert (status, err) == (
        2,
        "limbik: --degrees is for --from and --to: the angles of --csv are in radians\n",
    )
