"""Real robots of an installed package (example-robot-data), checked against Pinocchio's reading of them."""

import sysconfig
import warnings
from pathlib import Path

import pytest

from limbik import load
from limbik.errors import FormatWarning, ModelError

ROBOTS = Path(sysconfig.get_path("purelib")) / "cmeel.prefix/share/example-robot-data/robots"
URDFS = {
    "panda": ("panda_description/urdf/panda.urdf", "panda_hand_tcp", 8),
    "ur5": ("ur_description/urdf/ur5_robot.urdf", "tool0", 6),
    "so101": ("so_arm_description/urdf/so101.urdf", "gripper_frame_link", 6),
    "xarm7": ("xarm_description/urdf/xarm7.urdf", "link_eef", 7),
    "z1": ("z1_description/urdf/z1.urdf", "gripperStator", 7),
    "kinova": ("kinova_description/robots/kinova.urdf", "j2s6s200_end_effector", 6),
    "tiago": ("tiago_description/robots/tiago.urdf", "hand_tool_link", 48),
    "tiago_no_hand": ("tiago_description/robots/tiago_no_hand.urdf", "wrist_ft_tool_link", 12),
    "baxter": ("baxter_description/urdf/baxter.urdf", "right_gripper", 17),
    "pr2": ("pr2_description/urdf/pr2.urdf", "r_gripper_tool_frame", 20),
    "talos": ("talos_data/robots/talos_full_v2.urdf", "gripper_left_base_link", 32),
    "anymal_kinova": ("anymal_b_simple_description/robots/anymal-kinova.urdf", "j2s6s200_end_effector", 18),
    "g1": ("g1_description/urdf/g1_29dof_rev_1_0.urdf", "left_rubber_hand", 29),
    "g1_hands": ("g1_description/urdf/g1_29dof_with_hand_rev_1_0.urdf", "left_hand_palm_link", 43),
    "romeo": ("romeo_description/urdf/romeo.urdf", "l_gripper", 33),
    "go2": ("go2_description/urdf/go2.urdf", "FL_foot", 12),
    "allegro": ("allegro_hand_description/urdf/allegro_right_hand.urdf", "link_3.0_tip", 16),
    "quadrotor": ("hector_description/robots/quadrotor_base.urdf", "base_link", 0),
}

pytestmark = pytest.mark.skipif(not ROBOTS.is_dir(), reason="needs the package example-robot-data")


@pytest.mark.parametrize("name", URDFS)
def test_every_link_of_a_real_robot_is_where_pinocchio_has_it(name: str) -> None:
    from formats.pinocchio_oracle import assert_moves_as_in_pinocchio

    path, end_effector, nq = URDFS[name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FormatWarning)  # PR2's fingers
        model = load(ROBOTS / path)
    assert (model.end_effector, model.nq) == (end_effector, nq)
    assert_moves_as_in_pinocchio(model, ROBOTS / path)


@pytest.mark.parametrize("name", ["panda", "g1", "go2"])
def test_no_warning_comes_with_a_robot_that_is_described_well(name: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        load(ROBOTS / URDFS[name][0])


def test_a_robot_that_stands_on_its_own_world_keeps_standing_there() -> None:
    with pytest.raises(ModelError, match="has a link 'world' of its own, so it cannot get a floating base"):
        load(ROBOTS / URDFS["ur5"][0], base="floating")
