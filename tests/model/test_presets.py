"""Robots by name, checked against poses published elsewhere."""

import math
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.transform import Rotation

import limbik.model
from limbik.errors import ModelError
from limbik.model import JointKind, load
from limbik.model.presets import preset_title, presets

HALF = math.pi / 2
UNIVERSAL = ("ur10", "ur10e", "ur16e", "ur20", "ur3", "ur30", "ur3e", "ur5", "ur5e")
OTHERS = ("fr3", "gen3", "iiwa14", "iiwa7", "panda", "puma560", "sawyer", "so100", "so101")
ROBOTS = (*OTHERS, *UNIVERSAL, "xarm6", "xarm7", "z1")


def pose(position: list[float], quat_xyzw: list[float]) -> np.ndarray:
    out = np.eye(4)
    out[:3, :3] = Rotation.from_quat(quat_xyzw).as_matrix()
    out[:3, 3] = position
    return out


def test_every_listed_name_can_be_loaded() -> None:
    assert presets() == ("planar-N", *ROBOTS)
    for name in ROBOTS:
        model = load(name)
        assert model.name == name
        assert model.is_within_limits(model.neutral)
        endless = [joint.kind is JointKind.CONTINUOUS for joint in model.joints]
        assert_array_equal(np.isinf(model.lower), endless)
        assert_array_equal(np.isinf(model.upper), endless)
        assert load(name) is model
        assert preset_title(name)


def test_planar_arms_of_any_size() -> None:
    assert load("planar-1").nq == 1
    assert load("planar-12").nq == 12
    assert load("planar-12").reach() == 12.0


@pytest.mark.parametrize(
    ("name", "message"),
    [
        (
            "pandas",
            "there is no preset 'pandas'; did you mean 'panda'.* known: planar-N, fr3, gen3, iiwa14,",
        ),
        ("UR5E", "there is no preset 'UR5E'; did you mean 'ur5e'"),
        ("planar-0", "planar-N needs a number of links for N, 1 to 9999, .*; found 'planar-0'"),
        ("planar-N", "planar-N needs a number of links for N, 1 to 9999, for example 'planar-3'"),
        ("../panda", "there is no preset '../panda'"),
        ("", "there is no preset ''"),
        (3, "there is no preset 3"),
    ],
)
def test_an_unknown_preset_is_answered_with_near_names(name: str, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        load(name)


def test_presets_are_read_from_a_zipped_package(tmp_path: Path) -> None:
    package = Path(limbik.model.__file__).parent.parent
    archive = tmp_path / "limbik.zip"
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr("limbik/__init__.py", "")
        results = ("solution", "joint_path", "checks")
        needed = ("deprecated", "errors", "lazy", "locks", "spatial", "options", "status", "diagnosis")
        parts = [*(package / "goals").glob("*"), *(package / "model").rglob("*")]
        for path in [*(package / f"{name}.py" for name in (*needed, *results)), *parts]:
            if path.suffix in (".py", ".toml"):
                file.write(path, Path("limbik") / path.relative_to(package))
    start = f"import sys; sys.path.insert(0, {str(archive)!r})"
    program = f"{start}; from limbik.model import load; print(load('panda').nq)"
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert found.stdout == "7\n"


# --- Franka Emika Panda -------------------------------------------------------------------------------------


def test_panda_ready_pose() -> None:
    # MoveIt's "ready" state of the Panda, as its tutorials print it for panda_link8, the flange.
    ready = [0, -math.pi / 4, 0, -3 * math.pi / 4, 0, HALF, math.pi / 4]
    expected = pose([0.306891, 0.0, 0.590282], [0.92388, -0.382683, 0.0, 0.0])
    assert_allclose(load("panda").pose(ready), expected, rtol=0, atol=1e-6)


def test_panda_as_in_the_tests_of_the_robotics_toolbox() -> None:
    # roboticstoolbox-python, tests/test_DHRobot.py: tool 0.103 m beyond the flange, turned by -45 degrees.
    q = np.arange(1.0, 8.0)
    c = math.sqrt(0.5)
    tool = np.array([[c, c, 0, 0], [-c, c, 0, 0], [0, 0, 1, 0.103], [0, 0, 0, 1]])
    published = [
        [-0.8583, 0.1178, 0.4994, 0.1372],
        [0.1980, 0.9739, 0.1106, 0.3246],
        [-0.4734, 0.1938, -0.8593, 0.4436],
        [0, 0, 0, 1],
    ]
    assert_allclose(load("panda").pose(q) @ tool, published, rtol=0, atol=6e-5)
    angular = [
        [-0.4734, 0.8292, -0.0732, 0.8991, -0.2788, -0.0685, 0],
        [0.1938, 0.4271, 0.7224, 0.3461, -0.0191, 0.9976, 0],
        [-0.8593, -0.3605, 0.6876, -0.2679, -0.9602, 0.0000, 1.0000],
    ]
    local = load("panda").jacobian(q, axes="local")
    assert_allclose(tool[:3, :3].T @ local[3:], angular, rtol=0, atol=6e-5)


def test_panda_limits_and_hand() -> None:
    panda = load("panda")
    assert_allclose(panda.lower, [-2.8973, -1.7628, -2.8973, -3.0718, -2.8973, -0.0175, -2.8973])
    assert_allclose(panda.upper, [2.8973, 1.7628, 2.8973, -0.0698, 2.8973, 3.7525, 2.8973])
    assert panda.joint_names == tuple(f"panda_joint{k}" for k in range(1, 8))
    hand = np.linalg.inv(panda.pose(panda.neutral)) @ panda.pose(panda.neutral, "hand_tcp")
    c = math.sqrt(0.5)
    assert_allclose(hand, [[c, c, 0, 0], [-c, c, 0, 0], [0, 0, 1, 0.1034], [0, 0, 0, 1]], rtol=0, atol=1e-15)
    # Upright, the flange points down beside the wrist: 333 + 316 + 384 - 107 mm above the floor (data sheet).
    assert_allclose(
        panda.pose(np.zeros(7))[:3, 3], [0.088, 0.0, 0.333 + 0.316 + 0.384 - 0.107], rtol=0, atol=1e-12
    )


# --- Universal Robots UR5e ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("q", "position", "quat_xyzw"),
    [
        ([0, 0, 0, 0, 0, 0], [-0.8172, -0.2329, 0.0628], [math.sqrt(0.5), 0, 0, math.sqrt(0.5)]),
        ([0, -HALF, 0, -HALF, 0, 0], [0.0, -0.2329, 1.0794], None),
        ([0, -HALF, HALF, -HALF, -HALF, 0], [-0.4919, -0.1333, 0.4879], None),
    ],
)
def test_ur5e_poses(q: list[float], position: list[float], quat_xyzw: list[float] | None) -> None:
    # Flange in the controller's base frame: all joints at zero, the upright home position, and bent.
    found = load("ur5e").pose(q)
    assert_allclose(found[:3, 3], position, rtol=0, atol=1e-9)
    if quat_xyzw is not None:
        assert_allclose(found, pose(position, quat_xyzw), rtol=0, atol=1e-9)


def test_ur5e_limits_and_names() -> None:
    ur5e = load("ur5e")
    assert_allclose(ur5e.upper, 2 * math.pi)
    assert_allclose(ur5e.lower, -2 * math.pi)
    assert ur5e.joint_names[2] == "elbow_joint"


@pytest.mark.parametrize(
    ("name", "shoulder", "upper_arm", "forearm"),
    [
        ("ur3", 0.1519, 0.24365, 0.21325),
        ("ur3e", 0.15185, 0.24355, 0.2132),
        ("ur5", 0.089159, 0.425, 0.39225),
        ("ur5e", 0.1625, 0.425, 0.3922),
        ("ur10", 0.1273, 0.612, 0.5723),
        ("ur10e", 0.1807, 0.6127, 0.57155),
        ("ur16e", 0.1807, 0.4784, 0.36),
        ("ur20", 0.2363, 0.862, 0.7287),
        ("ur30", 0.2363, 0.637, 0.5037),
    ],
)
def test_arms_of_universal_robots_stand_upright_as_high_as_their_links_are_long(
    name: str, shoulder: float, upper_arm: float, forearm: float
) -> None:
    robot = load(name)
    upright = robot.pose([0, -HALF, 0, -HALF, 0, 0], "link3")
    assert upright[2, 3] == pytest.approx(shoulder + upper_arm, abs=1e-12)
    wrist = robot.pose([0, -HALF, 0, -HALF, 0, 0], "link4")
    assert wrist[2, 3] == pytest.approx(shoulder + upper_arm + forearm, abs=1e-12)


# --- KUKA LBR iiwa 14 ---------------------------------------------------------------------------------------


def test_iiwa14_screw_axes() -> None:
    # Explicit Robotics, "Kuka LBR iiwa14": screw axes (linear at the base, angular) with all joints at zero.
    screws = [
        (0, 0, 0, 0, 0, 1),
        (-0.36, 0, 0, 0, 1, 0),
        (0, 0, 0, 0, 0, 1),
        (0.78, 0, 0, 0, -1, 0),
        (0, 0, 0, 0, 0, 1),
        (-1.18, 0, 0, 0, 1, 0),
        (0, 0, 0, 0, 0, 1),
    ]
    iiwa = load("iiwa14")
    jacobian = iiwa.jacobian(np.zeros(7))
    flange = iiwa.pose(np.zeros(7))[:3, 3]
    for column, screw in zip(jacobian.T, screws, strict=True):
        assert_allclose(column[3:], screw[3:], rtol=0, atol=1e-15)
        assert_allclose(column[:3] - np.cross(column[3:], flange), screw[:3], rtol=0, atol=1e-15)
    # Stretched upward it is 1306 mm high (KUKA's data sheet).
    assert_allclose(iiwa.pose(np.zeros(7)), pose([0, 0, 1.306], [0, 0, 0, 1]), rtol=0, atol=1e-15)


def test_iiwa14_limits() -> None:
    assert_allclose(np.degrees(load("iiwa14").upper), [170, 120, 170, 120, 170, 120, 175])
    assert_allclose(np.degrees(load("iiwa14").lower), [-170, -120, -170, -120, -170, -120, -175])


# --- Unimation Puma 560 -------------------------------------------------------------------------------------


def test_puma560_poses() -> None:
    # Corke, "Robotics, Vision and Control", where the base frame is in the shoulder, here 0.672 m lower.
    puma = load("puma560")
    nominal = [[0, 0, 1, 0.5963], [0, 1, 0, -0.1501], [-1, 0, 0, -0.01435 + 0.672], [0, 0, 0, 1]]
    assert_allclose(puma.pose([0, math.pi / 4, math.pi, 0, math.pi / 4, 0]), nominal, rtol=0, atol=6e-5)
    zero = [[1, 0, 0, 0.4521], [0, 1, 0, -0.1500], [0, 0, 1, 0.4318 + 0.672], [0, 0, 0, 1]]
    assert_allclose(puma.pose(np.zeros(6)), zero, rtol=0, atol=6e-5)


def test_puma560_limits() -> None:
    assert_allclose(np.degrees(load("puma560").lower), [-160, -45, -225, -110, -100, -266])
    assert_allclose(np.degrees(load("puma560").upper), [160, 225, 45, 170, 100, 266])
