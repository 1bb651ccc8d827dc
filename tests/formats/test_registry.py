"""Robots by name: those that limbik brings along, and descriptions in other packages."""

import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

import limbik
from limbik.errors import ModelError
from limbik.formats import registry
from limbik.model.presets import presets
from packages import Packages


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Path]:
    return Packages(tmp_path, monkeypatch).add


# --- names --------------------------------------------------------------------------------------------------


def test_every_robot_has_a_name_of_its_own_and_a_title() -> None:
    robots = limbik.robots()
    known = [name for robot in robots for name in (robot.name, *robot.aliases)]
    assert len({registry._folded(name) for name in known}) == len(known)
    assert all(robot.title.strip() for robot in robots)
    assert [robot.name for robot in robots] == sorted(robot.name for robot in robots)


def test_what_limbik_brings_along_is_always_available() -> None:
    built_in = {robot.name for robot in limbik.robots() if robot.is_built_in}
    assert built_in == set(presets()) - {"planar-N"}
    for robot in limbik.robots():
        assert robot.is_built_in or robot.descriptions
        if robot.is_built_in:
            assert robot.is_available
            assert robot.source == "limbik"


@pytest.mark.parametrize(
    "name", ["panda", "Panda", "franka", "Franka Emika Panda".replace(" ", "-"), " franka_panda "]
)
def test_names_are_found_however_they_are_written(name: str) -> None:
    found = registry.find(name)
    assert found is not None
    assert found.robot.name == "panda"
    assert found.description is None


@pytest.mark.parametrize(
    "name", ["", "pandas", "planar-3", "robot.urdf", "robosuite:nothing", "elsewhere:panda", ":"]
)
def test_a_name_that_no_robot_has_is_not_found(name: str) -> None:
    assert registry.find(name) is None


# --- packages -----------------------------------------------------------------------------------------------


def test_a_package_that_is_not_installed_is_named(install: Callable[..., Path]) -> None:
    with pytest.raises(
        ModelError,
        match=r"robot 'talos' is described in the package example-robot-data, which is not installed: "
        r"`pip install --no-deps example-robot-data` \(131 MB",
    ):
        registry.find("talos")
    with pytest.raises(ModelError, match="robot 'panda' is described in the package robosuite, which is not"):
        registry.find("robosuite:panda")
    talos = next(robot for robot in limbik.robots() if robot.name == "talos")
    assert (talos.is_available, talos.source) == (False, "example-robot-data")


def test_a_robot_comes_from_the_first_package_that_is_installed(install: Callable[..., Path]) -> None:
    site = install("mjlab", "mjlab/asset_zoo/robots/unitree_go1/xmls/go1.xml")
    found = registry.find("go1")
    assert found is not None and found.description is not None
    assert found.description.package.name == "mjlab"
    assert found.description.path == site / "mjlab/asset_zoo/robots/unitree_go1/xmls/go1.xml"
    assert found.description.end_effector == "FR"
    assert found.robot.source == "mjlab"
    root = "cmeel.prefix/share/example-robot-data/robots"
    install(
        "example-robot-data", f"{root}/go1_description/urdf/go1.urdf", f"{root}/go1_description/srdf/go1.srdf"
    )
    found = registry.find("go1")
    assert found is not None and found.description is not None
    assert found.description.package.name == "example-robot-data"
    assert found.description.srdf == site / root / "go1_description/srdf/go1.srdf"
    other = registry.find("MJLab:unitree-go1")
    assert other is not None and other.description is not None
    assert other.description.package.name == "mjlab"
    assert other.description.srdf is None


def test_a_package_without_the_file_counts_as_not_installed(install: Callable[..., Path]) -> None:
    install("jvrc-description")
    with pytest.raises(ModelError, match="pip install --no-deps jvrc-description"):
        registry.find("jvrc1")


def test_a_robot_of_an_installed_package_is_loaded(install: Callable[..., Path]) -> None:
    install("jvrc-description", "jvrc_description/urdf/jvrc1.urdf")
    model = limbik.load("JVRC")
    assert (model.joint_names, model.end_effector) == (("swing", "end"), "tip")
    assert limbik.load("jvrc1", end_effector="arm").end_effector == "arm"


def test_capitals_and_aliases_load_what_limbik_brings_along() -> None:
    assert limbik.load("UR5e").name == "ur5e"
    assert limbik.load("franka").name == "panda"


def test_an_unknown_name_is_answered_with_names_of_all_kinds() -> None:
    with pytest.raises(ModelError, match="did you mean 'talos'"):
        limbik.load("tallos")


# --- the packages themselves --------------------------------------------------------------------------------

HERE = [
    (robot, description)
    for robot in limbik.robots()
    for description in robot.descriptions
    if description.path
]


@pytest.mark.filterwarnings("ignore::limbik.errors.FormatWarning")
@pytest.mark.parametrize(
    ("robot", "description"), HERE, ids=[f"{d.package.name}:{r.name}" for r, d in HERE] or None
)
def test_what_is_installed_can_be_loaded(
    robot: registry.RegisteredRobot, description: registry.Description
) -> None:
    model = limbik.load(f"{description.package.name}:{robot.name}")
    assert model.nq > 0
    if description.end_effector:
        assert model.end_effector == description.end_effector
    if description.srdf_file:
        assert description.srdf is not None


# Frames of the file that are base and flange of the same robot in limbik, and how near they agree [m].
# Where they do not, it is the file: robosuite puts the hand 0.5 to 1 mm farther out, the iiwa 14 of rtb-data
# has two axes 0.4 mm aside, and those of xArm, Sawyer and SO-ARM have quarter turns of few digits.
SAME = {
    ("panda", "example-robot-data"): ("panda_link0", "panda_link8", 1e-9),
    ("panda", "robosuite"): ("base", "right_hand", 1e-3),
    ("ur3", "example-robot-data"): ("base", "tool0", 1e-9),
    ("ur3e", "airo-models"): ("base", "tool0", 1e-8),
    ("ur5", "example-robot-data"): ("base", "tool0", 1e-9),
    ("ur5e", "airo-models"): ("base", "tool0", 1e-8),
    ("ur10", "example-robot-data"): ("base", "tool0", 1e-9),
    ("iiwa7", "robosuite"): ("base", "right_hand", 2e-3),
    ("iiwa14", "rtb-data"): ("base_link", "tool0", 1.5e-3),
    ("xarm6", "rtb-data"): ("link_base", "link_eef", 5e-5),
    ("xarm7", "example-robot-data"): ("link_base", "link_eef", 5e-5),
    ("gen3", "robosuite"): ("base", "right_hand", 1e-4),
    ("sawyer", "robosuite"): ("base", "right_hand", 1e-3),
    ("so100", "example-robot-data"): ("base", "gripper", 5e-5),
    ("so101", "example-robot-data"): ("base_link", "gripper_frame_link", 5e-5),
    ("z1", "example-robot-data"): ("link00", "gripperStator", 1e-9),
}


@pytest.mark.parametrize(("name", "package"), SAME)
def test_what_limbik_brings_along_moves_as_the_same_robot_in_a_package(name: str, package: str) -> None:
    robot = next(robot for robot in limbik.robots() if robot.name == name)
    if not any(d.path for d in robot.descriptions if d.package.name == package):
        pytest.skip(f"needs `pip install --no-deps {package}`")
    base, flange, near = SAME[name, package]
    own, other = limbik.load(name), limbik.load(f"{package}:{name}")
    moving = [joint.name for joint in other.path(flange) if joint.nq]
    assert len(moving) == own.nq
    q = np.random.default_rng(0).uniform(-math.pi, math.pi, (50, own.nq))
    q_other = np.zeros((50, other.nq))
    for k, joint in enumerate(moving):
        q_other[:, other.q_slice(joint)] = q[:, k : k + 1]
    poses = np.linalg.inv(other.pose(q_other, base)) @ other.pose(q_other, flange)
    ours = own.pose(q)
    assert_allclose(poses[:, :3, 3], ours[:, :3, 3], rtol=0, atol=near)
    turn = poses[0, :3, :3].T @ ours[0, :3, :3]  # the hand may stand turned on the flange
    assert_allclose(poses[:, :3, :3] @ turn, ours[:, :3, :3], rtol=0, atol=near)
