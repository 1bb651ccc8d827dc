"""`limbik info`, as a user meets it."""

import json
import math
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import limbik
from limbik.cli import app
from limbik.errors import ModelError
from packages import Packages

WIDTH = 80
GRIPPER = """
<robot name="gripper">
  <link name="base"><inertial><mass value="1.5"/></inertial></link> <link name="left"/> <link name="right"/>
  <link name="right_tip"/>
  <joint name="open" type="prismatic">
    <parent link="base"/><child link="left"/><limit lower="0" upper="0.04"/>
  </joint>
  <joint name="right_slide" type="prismatic">
    <parent link="base"/><child link="right"/><mimic joint="open" multiplier="-2" offset="0.01"/>
    <limit lower="-1" upper="1"/>
  </joint>
  <joint name="right_end" type="fixed"><parent link="right"/><child link="right_tip"/></joint>
</robot>
"""


@pytest.fixture(autouse=True)
def narrow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", str(WIDTH))


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Path]:
    return Packages(tmp_path, monkeypatch).add


@pytest.fixture
def gripper(tmp_path: Path) -> str:
    path = tmp_path / "gripper.urdf"
    path.write_text(GRIPPER)
    return str(path)


def info(*arguments: str) -> str:
    """What is printed; no line is wider than the terminal."""
    result = CliRunner().invoke(app, ["info", *arguments])
    assert result.exit_code == 0, result.output
    assert max(len(line) for line in result.stdout.splitlines()) <= WIDTH or "--json" in arguments
    return result.stdout


def data(*arguments: str) -> Any:
    return json.loads(info(*arguments, "--json"))


def words(text: str) -> str:
    """The text with single blanks, whatever the columns and the folds."""
    return re.sub(r"\s+", " ", text)


# --- one robot ----------------------------------------------------------------------------------------------


def test_a_robot_is_summed_up() -> None:
    page = words(info("panda"))
    assert page.startswith("Franka Emika Panda Source limbik brings it along Freedom 7 degrees of freedom")
    assert "End effector flange, moved by 7 joints" in page
    assert re.search(r"Reach at most \d\.\d+ m from the first joint", page)
    assert (
        "Wrist offset: the axes of panda_joint5, panda_joint6, panda_joint7 miss each other by up to 88 mm"
        in page
    )
    assert "Mass" not in page
    assert "3 panda_joint4 revolute -3.0718 to -0.0698 -176 to -4" in page
    assert "hand_tcp on link7" in page
    assert "spherical: the axes of joint_a5, joint_a6, joint_a7 meet in one point" in words(info("iiwa14"))
    assert "0 joint_1 continuous none" in words(info("gen3"))


def test_followers_slides_and_masses_are_shown(gripper: str) -> None:
    page = words(info(gripper))
    assert "1 degree of freedom" in page
    assert "0 open prismatic 0 to 0.04" in page
    assert "right_slide prismatic = -2 × open + 0.01" in page
    assert "Mass 1.5 kg" in page
    assert "Wrist none" in page


def test_velocities_and_accelerations_are_shown_where_they_are_known(tmp_path: Path) -> None:
    file = tmp_path / "fast.urdf"
    file.write_text(GRIPPER.replace('upper="0.04"', 'upper="0.04" velocity="0.25" acceleration="2"'))
    page = words(info(str(file)))
    assert "max per s per s²" in page
    assert "0 open prismatic 0 to 0.04 0.25 2" in page
    found = {joint["name"]: joint for joint in data(str(file))["joints"]}
    assert (found["open"]["velocity"], found["open"]["acceleration"]) == (0.25, 2.0)
    assert found["right_slide"]["velocity"] is None
    assert "max per s" not in words(info("panda"))


def test_joints_in_a_row_stand_below_each_other_and_branches_are_indented(gripper: str) -> None:
    tree = [line.rstrip() for line in info(gripper).splitlines() if re.search("[●○├└]", line)][1:]
    assert tree == [
        "  ├── ● open → left",
        "  └── ● right_slide → right",
        "      ○ right_end → right_tip",
    ]


def test_reach_and_wrist_are_those_of_the_end_effector_that_is_asked_for(gripper: str) -> None:
    assert "End effector right_tip, moved by 1 joint" in words(info(gripper, "--end-effector", "right_tip"))


def test_an_end_effector_of_no_robot_is_refused() -> None:
    result = CliRunner().invoke(app, ["info", "--end-effector", "tool0"])
    assert isinstance(result.exception, ModelError)
    assert "--end-effector is of a robot" in str(result.exception)


def test_groups_come_from_the_srdf_beside_a_registered_robot(install: Callable[..., Path]) -> None:
    root = "cmeel.prefix/share/example-robot-data/robots/go1_description"
    site = install("example-robot-data", f"{root}/urdf/go1.urdf", f"{root}/srdf/go1.srdf")
    page = words(info("go1"))
    assert page.startswith("Unitree Go1 Source example-robot-data /")
    assert "Groups of its SRDF all swing" in page
    found = data("go1")
    assert found["groups"] == {"all": ["swing"]}
    assert found["path"] == str(site / root / "urdf/go1.urdf")
    assert found["source"] == "example-robot-data"


def test_an_srdf_with_an_error_is_a_note_and_the_robot_is_shown(install: Callable[..., Path]) -> None:
    root = "cmeel.prefix/share/example-robot-data/robots/go1_description"
    site = install("example-robot-data", f"{root}/urdf/go1.urdf", f"{root}/srdf/go1.srdf")
    (site / root / "srdf/go1.srdf").write_text("<robot name='go1'><group/></robot>")
    result = CliRunner().invoke(app, ["info", "go1"])
    assert (result.exit_code, "Groups" in result.stdout) == (0, False)
    assert result.stderr.startswith("limbik: note: its groups are not shown: ")
    assert "go1.srdf:1" in result.stderr


@pytest.mark.parametrize(
    "robot", [robot.name for robot in limbik.robots() if robot.is_available] + ["planar-30"]
)
def test_every_robot_that_is_there_is_shown_within_the_width_of_a_terminal(robot: str) -> None:
    assert info(robot)


def test_the_data_of_a_robot_is_complete(gripper: str) -> None:
    found = data(gripper)
    assert (found["name"], found["nq"], found["nv"], found["root"]) == ("gripper", 1, 1, "base")
    assert found["source"] is None
    assert found["path"] == gripper
    assert found["mass"] == 1.5
    assert found["wrist"] == {"kind": "none", "joints": [], "miss": 0.0}
    slide, follower, fixed = found["joints"]
    assert slide == {
        "name": "open",
        "kind": "prismatic",
        "parent": "base",
        "child": "left",
        "q": [0],
        "lower": 0.0,
        "upper": 0.04,
        "velocity": None,
        "acceleration": None,
    }
    assert follower["mimic"] == {"joint": "open", "multiplier": -2.0, "offset": 0.01}
    assert follower["q"] == [0]
    assert fixed["q"] == []
    panda = data("panda")
    assert panda["frames"] == [{"name": "flange", "link": "link7"}, {"name": "hand_tcp", "link": "link7"}]
    assert panda["path"] is None
    assert panda["mass"] is None
    assert panda["reach"] == limbik.load("panda").reach()
    assert math.isclose(panda["wrist"]["miss"], 0.088)
    endless = data("gen3")["joints"][0]
    assert (endless["kind"], endless["lower"], endless["upper"]) == ("continuous", None, None)


# --- the list -----------------------------------------------------------------------------------------------


def test_the_list_says_what_is_there_and_what_to_install(install: Callable[..., Path]) -> None:
    install("jvrc-description", "jvrc_description/urdf/jvrc1.urdf")
    page = words(info())
    assert "limbik always there" in page
    assert "ur5e Universal Robots UR5e ur10 Universal Robots UR10" in page
    assert "jvrc-description installed jvrc1 JVRC-1 also jvrc" in page
    assert "robosuite pip install --no-deps robosuite (157 MB)" in page
    assert page.index("limbik always") < page.index("jvrc-description") < page.index("robosuite")


def test_the_data_of_the_list_has_every_robot(install: Callable[..., Path]) -> None:
    found = {robot["name"]: robot for robot in data()}
    assert set(found) == {robot.name for robot in limbik.robots()}
    assert found["panda"] == {
        "name": "panda",
        "title": "Franka Emika Panda",
        "aliases": ["franka", "franka_panda", "franka_emika_panda"],
        "source": "limbik",
        "available": True,
    }
    assert found["talos"]["available"] is False


# --- errors -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["pandaa"], "there is no robot and no file 'pandaa'; did you mean 'panda'"),
        (["nowhere/robot.urdf"], "nowhere/robot.urdf: there is no such file"),
        (["panda", "--end-effector", "flang"], "model 'panda' has no frame 'flang'; did you mean 'flange'"),
        (["planar-0"], "planar-N needs a number of links for N, 1 to 9999"),
    ],
)
def test_a_wrong_name_is_one_line_and_exit_status_2(arguments: list[str], message: str) -> None:
    command = [sys.executable, "-m", "limbik.cli", "info", *arguments]
    result = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert result.returncode == 2
    assert result.stdout == ""
    assert result.stderr.startswith(f"limbik: {message}")
    assert len(result.stderr.splitlines()) == 1


def test_a_robot_of_a_missing_package_says_what_to_install(install: Callable[..., Path]) -> None:
    result = CliRunner().invoke(app, ["info", "talos"])
    assert "pip install --no-deps example-robot-data" in str(result.exception)


def test_a_name_that_is_like_none_suggests_none() -> None:
    with pytest.raises(limbik.errors.ModelError, match="there is no robot and no file 'foo'; known: "):
        limbik.load("foo")
