"""MJCF, held against MuJoCo's own kinematics; names, couplings, and what a Model cannot hold."""

import importlib.metadata
import math
import re
import warnings
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from limbik.errors import ConfigurationError, FormatError, FormatWarning, ModelError
from limbik.formats import load, mjcf
from limbik.model import JointKind, Mimic, Model
from strategies import SEEDS, configuration

mujoco = pytest.importorskip("mujoco", reason="MJCF needs MuJoCo")


@pytest.fixture(autouse=True)
def no_log_of_mujoco() -> Iterator[None]:
    """It would write what it thinks of random masses to a file in the current folder."""
    mujoco.set_mju_user_warning(lambda message: None)
    yield
    mujoco.set_mju_user_warning(None)


def in_world(content: str, *, after: str = "", settings: str = "") -> str:
    """An MJCF text; angles are radians."""
    return (
        f'<mujoco model="robot"><compiler angle="radian" {settings}/>\n'
        f"<worldbody>\n{content}\n</worldbody>\n{after}</mujoco>"
    )


def compiled(text: str | Path) -> object:
    if isinstance(text, Path):
        return mujoco.MjModel.from_xml_path(str(text))
    return mujoco.MjModel.from_xml_string(text)


def assert_moves_like_mujoco(model: Model, text: str | Path, *, seed: int = 0, samples: int = 4) -> None:
    """Every named body and site stands where MuJoCo has it, and the center of mass too."""
    mj = compiled(text)
    data = mujoco.MjData(mj)
    for q in configuration(model, seed, samples):
        data.qpos[:] = mjcf.to_qpos(model, q)
        mujoco.mj_kinematics(mj, data)
        mujoco.mj_comPos(mj, data)
        for kind, count, positions, rotations in (
            ("body", mj.nbody, data.xpos, data.xmat),
            ("site", mj.nsite, data.site_xpos, data.site_xmat),
        ):
            for k in range(count):
                name = getattr(mj, kind)(k).name
                if not name or (kind == "site" and name in model_bodies(mj)):
                    continue
                pose = model.pose(q, name)
                assert_allclose(pose[:3, 3], positions[k], rtol=0, atol=1e-9, err_msg=name)
                assert_allclose(pose[:3, :3].ravel(), rotations[k], rtol=0, atol=1e-9, err_msg=name)
        if model.masses:
            moments = (mj.body_mass[:, None] * data.xipos).sum(axis=0)
            assert_allclose(model.center_of_mass(q), moments / mj.body_mass.sum(), rtol=0, atol=1e-9)


def model_bodies(mj: object) -> set[str]:
    return {mj.body(k).name for k in range(mj.nbody)}  # type: ignore[attr-defined]


# --- any tree -----------------------------------------------------------------------------------------------


@st.composite
def bodies(draw: st.DrawFn, depth: int = 3, name: str = "b") -> str:
    """A body with joints of any kinds, anchors, references, a site, and bodies on it."""
    rng = np.random.default_rng(draw(SEEDS))

    def numbers(size: int) -> str:
        return " ".join(f"{x:.17g}" for x in rng.normal(size=size))

    kinds = draw(st.lists(st.sampled_from(["hinge", "slide"]), max_size=3))
    if draw(st.booleans()) and len(kinds) < 2:
        kinds.append("ball")
    joints = []
    for k, kind in enumerate(kinds):
        anchor = f'pos="{numbers(3)}"' if draw(st.booleans()) else ""
        reference = f'axis="{numbers(3)}" ref="{rng.normal():.17g}"' if kind != "ball" else ""
        limits = 'range="-1 2"' if kind != "ball" and draw(st.booleans()) else ""
        joints.append(f'<joint name="{name}j{k}" type="{kind}" {anchor} {reference} {limits}/>')
    inner = "".join(
        draw(bodies(depth=depth - 1, name=f"{name}{k}"))
        for k in range(draw(st.integers(0, 2)) if depth else 0)
    )
    return (
        f'<body name="{name}" pos="{numbers(3)}" quat="{numbers(4)}">{"".join(joints)}'
        f'<geom size="0.1" pos="{numbers(3)}"/><site name="{name}s" pos="{numbers(3)}" quat="{numbers(4)}"/>'
        f"{inner}</body>\n"
    )


@settings(max_examples=40)
@given(bodies(), SEEDS)
def test_any_tree_moves_like_in_mujoco(body: str, seed: int) -> None:
    text = in_world(body)
    assert_moves_like_mujoco(mjcf.read(text), text, seed=seed)


@given(bodies(), SEEDS)
@settings(max_examples=15)
def test_q_and_qpos_are_the_same_configuration(body: str, seed: int) -> None:
    model = mjcf.read(in_world(body))
    q = configuration(model, seed, 3)
    assert_allclose(mjcf.from_qpos(model, mjcf.to_qpos(model, q)), q, rtol=0, atol=0)


FILES = {
    "mujoco": ["mujoco/testdata/model.xml"],
    "robosuite": [
        f"robosuite/models/assets/robots/{name}/robot.xml" for name in ("panda", "gr1", "spot", "tiago")
    ],
    "mjlab": [
        f"mjlab/asset_zoo/robots/{name}.xml"
        for name in ("unitree_g1/xmls/g1", "unitree_go1/xmls/go1", "i2rt_yam/xmls/yam")
    ],
    "gymnasium-robotics": [
        f"gymnasium_robotics/envs/assets/{name}.xml"
        for name in (
            "hand/reach",
            "fetch/push",
            "adroit_hand/adroit_pen",
            "kitchen_franka/kitchen_assets/kitchen_env_model",
        )
    ],
}


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize(
    ("package", "file"), [pytest.param(p, f, id=f"{p}-{Path(f).stem}") for p in FILES for f in FILES[p]]
)
def test_robots_of_other_packages_move_like_in_mujoco(package: str, file: str) -> None:
    try:
        path = Path(str(importlib.metadata.distribution(package).locate_file(file)))
    except importlib.metadata.PackageNotFoundError:
        pytest.skip(f"{package} is not installed")
    model = mjcf.read(path)
    assert model.masses
    assert_moves_like_mujoco(model, path)


# --- kinds of joints ----------------------------------------------------------------------------------------

GEOM = '<geom size="0.1"/>'


def test_a_free_joint_is_the_pose_in_the_world() -> None:
    text = in_world(f'<body name="base" pos="0 0 1" euler="0.1 0.2 0.3"><freejoint/>{GEOM}</body>')
    model = mjcf.read(text)
    assert model.joints[0].kind is JointKind.FLOATING
    assert_allclose(model.pose([1, 2, 3, 0, 0, 0, 1], "base")[:3, 3], [1, 2, 3])
    assert_allclose(mjcf.to_qpos(model, [1, 2, 3, 0.1, 0.2, 0.3, 0.9]), [1, 2, 3, 0.9, 0.1, 0.2, 0.3])
    assert_moves_like_mujoco(model, text)


def test_hinges_without_a_range_are_continuous() -> None:
    joints = '<joint name="a"/><joint name="b" range="-1 2"/><joint name="c" range="-1 2" limited="false"/>'
    model = mjcf.read(in_world(f'<body name="link">{joints}{GEOM}</body>'))
    assert [joint.kind.value for joint in model.joints] == ["continuous", "revolute", "continuous"]
    assert_allclose(model.lower, [-math.inf, -1, -math.inf])


def test_degrees_are_read_as_mujoco_reads_them() -> None:
    text = f'<mujoco><worldbody><body><joint name="a" range="-90 45"/>{GEOM}</body></worldbody></mujoco>'
    assert_allclose(mjcf.read(text).joint("a").lower, -math.pi / 2)


def test_several_joints_of_a_body_have_links_between_them() -> None:
    joints = '<joint name="x" type="slide" axis="1 0 0"/><joint name="turn" pos="0 0 1"/>'
    model = mjcf.read(in_world(f'<body name="torso">{joints}{GEOM}</body>'))
    assert [joint.name for joint in model.joints] == ["x", "turn", "torso.fixed"]
    assert [joint.child for joint in model.joints] == ["torso.x", "torso.turn", "torso"]


def test_bodies_without_joints_are_fixed_and_mocap_bodies_too() -> None:
    text = in_world(
        f'<body name="target" mocap="true" pos="1 2 3"/><body name="post">{GEOM}'
        f'<body name="arm"><joint/>{GEOM}</body></body>'
    )
    model = mjcf.read(text)
    assert (model.nq, model.root) == (1, "world")
    assert_allclose(model.pose([0.3], "target")[:3, 3], [1, 2, 3])
    assert_moves_like_mujoco(model, text)


def test_limits_of_a_ball_joint_are_inside_those_of_mujoco_and_said() -> None:
    text = in_world(f'<body name="arm"><joint name="hip" type="ball" range="0 1.2"/>{GEOM}</body>')
    with pytest.warns(
        FormatWarning, match=r"ball joint 'hip': MuJoCo limits its whole rotation to 68\.75 deg"
    ):
        model = mjcf.read(text)
    turns = model.random(1, 2000)
    angles = 2.0 * np.arccos(np.abs(turns[:, 3]))
    assert angles.max() <= 1.2
    assert angles.max() > 1.1


@pytest.mark.parametrize("upper", ["-200", "-1", "-1e308"])
def test_a_ball_joint_needs_a_range_above_0(upper) -> None:
    text = in_world(
        f'<body name="arm"><joint name="hip" type="ball" limited="true" range="0 {upper}"/>{GEOM}</body>'
    )
    with pytest.raises(FormatError, match="the range of the ball joint 'hip' needs an angle above 0, has -"):
        mjcf.read(text)


# --- couplings ----------------------------------------------------------------------------------------------

PAIR = (
    f'<body name="one"><joint name="a" ref="0.5"/>{GEOM}</body>'
    f'<body name="two"><joint name="b" ref="-0.2"/>{GEOM}</body>'
)


def equality(content: str, before: str = "") -> str:
    return in_world(PAIR, after=f"{before}<equality>{content}</equality>")


def assert_follows(rule: Mimic | None, joint: str, multiplier: float, offset: float) -> None:
    assert rule is not None
    assert rule.joint == joint
    assert (rule.multiplier, rule.offset) == pytest.approx((multiplier, offset))


def test_a_joint_equality_is_a_mimic_rule() -> None:
    text = equality('<joint joint1="b" joint2="a" polycoef="0.1 -2 0 0 0"/>')
    model = mjcf.read(text)
    # b + 0.2 = 0.1 - 2 (a - 0.5)
    assert_follows(model.joint("b").mimic, "a", -2.0, 0.9)
    assert model.nq == 1
    assert_allclose(mjcf.to_qpos(model, [0.5]), [0.5, -0.1])
    assert_allclose(mjcf.from_qpos(model, [0.3, 5.0]), [0.3])
    assert_moves_like_mujoco(model, text)


def test_couplings_hold_where_mujoco_sees_no_violation() -> None:
    text = equality('<joint joint1="a" joint2="b" polycoef="0.3 1.5 0 0 0"/>')
    model = mjcf.read(text)
    mj = compiled(text)
    data = mujoco.MjData(mj)
    data.qpos[:] = mjcf.to_qpos(model, [0.7])
    mujoco.mj_forward(mj, data)
    assert_allclose(data.efc_pos[: data.ne], 0.0, atol=1e-12)
    assert data.ne == 1


def test_what_a_flag_disables_is_off() -> None:
    text = equality('<joint joint1="b" joint2="a" polycoef="0 2 0 0 0"/>').replace(
        'name="a"', 'name="a" limited="true" range="-1 1"'
    )
    off = '<option><flag {}="disable"/></option><worldbody>'
    free, unlimited = (
        mjcf.read(text.replace("<worldbody>", off.format(what))) for what in ("equality", "limit")
    )
    assert (free.nq, unlimited.nq) == (2, 1)
    assert (free.joint("a").upper, unlimited.joint("a").upper) == (1.0, np.inf)


def test_a_tendon_equality_of_two_joints_is_a_mimic_rule() -> None:
    tendon = (
        '<tendon><fixed name="t"><joint joint="a" coef="0.5"/><joint joint="b" coef="-1"/></fixed></tendon>'
    )
    text = equality('<tendon tendon1="t"/>', tendon)
    model = mjcf.read(text)
    assert_follows(model.joint("b").mimic, "a", 0.5, -0.45)
    mj = compiled(text)
    data = mujoco.MjData(mj)
    data.qpos[:] = mjcf.to_qpos(model, [0.7])
    mujoco.mj_forward(mj, data)
    assert_allclose(data.efc_pos[: data.ne], 0.0, atol=1e-12)


def test_an_equality_of_one_joint_keeps_its_value() -> None:
    model = mjcf.read(equality('<joint joint1="b" polycoef="0.3 0 0 0 0"/>'))
    assert (model.joint("b").lower, model.joint("b").upper) == pytest.approx((0.1, 0.1))


@pytest.mark.parametrize(
    ("constraint", "message"),
    [
        (
            '<joint name="bent" joint1="b" joint2="a" polycoef="0 1 2 0 0"/>',
            "<joint name='bent'> of 'b' and 'a'",
        ),
        ('<connect body1="one" body2="two" anchor="0 0 0"/>', "<connect> of 'one' and 'two' is not a linear"),
        ('<weld body1="one" body2="two"/>', "<weld> of 'one' and 'two'"),
        (
            '<joint joint1="b" joint2="a"/><joint joint1="a" joint2="b" polycoef="0 3 0 0 0"/>',
            "<joint> of 'a' and 'b' is on joints that other equalities couple already",
        ),
    ],
)
def test_constraints_that_a_model_cannot_hold_are_named(constraint: str, message: str) -> None:
    with pytest.warns(FormatWarning, match=message):
        mjcf.read(equality(constraint))


def test_inactive_constraints_say_nothing() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = mjcf.read(
            equality('<joint joint1="b" joint2="a" active="false"/><weld body1="one" active="false"/>')
        )
    assert model.nq == 2


# --- names --------------------------------------------------------------------------------------------------


def test_parts_without_names_are_called_after_their_parents() -> None:
    text = in_world(
        f'<body name="arm"><joint/><joint axis="1 0 0"/>{GEOM}<site/><site name="tip"/>'
        f"<body>{GEOM}</body><body><joint/>{GEOM}</body></body><site/>"
    )
    model = mjcf.read(text)
    links = {joint.child for joint in model.joints}
    assert links == {"arm.arm.joint1", "arm", "arm.body1", "arm.body2"}
    assert [joint.name for joint in model.joints] == [
        "arm.joint1",
        "arm.joint2",
        "arm.body1.fixed",
        "arm.body2.joint1",
    ]
    assert {frame.name for frame in model.frames} - links == {"world", "world.site1", "arm.site1", "tip"}


def test_a_site_with_the_name_of_a_body_is_renamed() -> None:
    model = mjcf.read(in_world(f'<body name="hand"><joint/>{GEOM}<site name="hand" pos="0 0 1"/></body>'))
    assert_allclose(model.frame("hand.site").pose_link_frame[:3, 3], [0, 0, 1])
    assert model.frame("hand").link == "hand"


def test_made_names_make_way_for_given_ones() -> None:
    text = in_world(f'<body name="arm"><joint/>{GEOM}<body>{GEOM}</body></body><body name="arm.body1"/>')
    model = mjcf.read(text)
    assert {"arm.body1", "arm.body2"} <= set(model.frame_names)


def test_the_end_effector_may_be_a_site() -> None:
    text = in_world(f'<body name="arm"><joint/>{GEOM}<site name="tip" pos="1 0 0"/></body>')
    assert mjcf.read(text, end_effector="tip").end_effector == "tip"
    with pytest.raises(FormatError, match="has no frame 'top'; did you mean 'tip'"):
        mjcf.read(text, end_effector="top")


def test_a_site_called_tool_at_the_end_of_the_arm_is_the_end_effector() -> None:
    hand = '<body name="hand" pos="1 0 0"><site name="grip"/><site name="tool" pos="0.1 0 0"/></body>'
    arm = f'<body name="arm"><joint/>{GEOM}<site name="ee_x"/>{hand}</body>'
    assert mjcf.read(in_world(arm)).end_effector == "tool"
    elsewhere = f'<body name="arm"><joint/>{GEOM}<body name="hand"/></body><site name="tool"/>'
    assert mjcf.read(in_world(elsewhere)).end_effector == "hand"


# --- what the compiler expands ------------------------------------------------------------------------------


def test_defaults_includes_attached_models_and_replicates_are_expanded(tmp_path: Path) -> None:
    (tmp_path / "part.xml").write_text(
        f"<mujocoinclude><body name='leg'><joint name='knee'/>{GEOM}</body></mujocoinclude>"
    )
    (tmp_path / "hand.xml").write_text(in_world(f'<body name="palm"><joint name="grip"/>{GEOM}</body>'))
    (tmp_path / "robot.xml").write_text(
        """<mujoco>
        <compiler angle="radian"/>
        <default><default class="arm"><joint axis="0 1 0" range="-1 1"/></default></default>
        <asset><model name="hand" file="hand.xml"/></asset>
        <worldbody>
          <body name="arm" childclass="arm"><joint name="elbow"/><geom size="0.1"/>
            <site name="wrist" pos="0 0 1"/>
            <frame pos="1 0 0"><attach model="hand" body="palm" prefix="right_"/></frame>
          </body>
          <replicate count="3" offset="0 1 0">
            <body name="toe"><joint name="bend"/><geom size="0.1"/></body>
          </replicate>
          <include file="part.xml"/>
        </worldbody></mujoco>"""
    )
    model = mjcf.read(tmp_path / "robot.xml")
    assert model.name == "robot"
    assert model.joint_names == ("elbow", "right_grip", "bend0", "bend1", "bend2", "knee")
    assert model.joint("elbow").upper == 1.0
    assert_moves_like_mujoco(model, tmp_path / "robot.xml")


def test_what_is_no_configuration_of_mujoco_is_refused() -> None:
    model = load(in_world(PAIR))
    for convert in (mjcf.to_qpos, mjcf.from_qpos):
        with pytest.raises(ModelError, match="`model` needs a Model"):
            convert("ur5e", [0.0])
        for wrong, said in (
            ("x", "needs"),
            ([math.nan] * 9, "needs"),
            ({}, "needs"),
            ([math.inf] * 2, "needs finite"),
        ):
            with pytest.raises(ConfigurationError, match=said):
                convert(model, wrong)
    keys = '<keyframe><key name="home" qpos="inf 0.12"/></keyframe>'
    with pytest.raises(FormatError, match="keyframe 'home'"):
        mjcf.keyframes(in_world(PAIR, after=keys))


def test_keyframes_are_configurations_of_the_model() -> None:
    keys = '<keyframe><key name="home" qpos="0.7 0.1"/><key qpos="0.2 0.3"/></keyframe>'
    rule = '<equality><joint joint1="b" joint2="a"/></equality>'
    found = mjcf.keyframes(in_world(PAIR, after=keys))
    assert {name: list(q) for name, q in found.items()} == {"home": [0.7, 0.1], "key2": [0.2, 0.3]}
    assert list(mjcf.keyframes(in_world(PAIR, after=keys + rule))["home"]) == [0.7]
    named = mjcf.keyframes(in_world(PAIR, after=keys.replace("home", "key2")))
    assert {name: list(q) for name, q in named.items()} == {"key2": [0.7, 0.1], "key2 (2)": [0.2, 0.3]}
    assert mjcf.read(in_world(PAIR, after='<keyframe><key qpos="1 2 3"/></keyframe>')).nq == 2


# --- masses and files that are not there --------------------------------------------------------------------

MESHES = (
    '<asset><mesh name="shell" file="missing.stl"/><texture name="t" type="2d" file="missing.png"/>'
    '<material name="m" texture="t"/></asset>'
)
INERTIAL = '<inertial pos="0 0 0.5" mass="2" diaginertia="1 1 1"/>'
SHELL = '<geom type="mesh" mesh="shell" material="m"/>'


def test_kinematics_needs_no_meshes_and_textures() -> None:
    text = in_world(f'<body name="arm"><joint/>{INERTIAL}{SHELL}</body>', after=MESHES)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = mjcf.read(text)
    assert (model.nq, model.mass) == (1, 2.0)


def test_masses_of_missing_meshes_are_not_guessed() -> None:
    text = in_world(
        f'<body name="arm"><joint/>{INERTIAL}<body name="hand"><joint/>{SHELL}</body></body>', after=MESHES
    )
    with pytest.warns(
        FormatWarning, match=r"masses of 'hand' come from .*'missing\.stl'.*; the model has no masses"
    ):
        model = mjcf.read(text)
    assert (model.nq, model.masses) == (2, ())


def test_masses_come_from_inertials_or_geoms_as_in_mujoco() -> None:
    geoms = '<geom size="0.1" mass="3" pos="0 0 1"/><geom size="0.1" mass="0"/><geom size="0.2" group="4"/>'
    for group in ("0 5", "0 3"):
        text = in_world(
            f'<body name="arm"><joint/>{INERTIAL}{geoms}<body name="hand"><joint/>{geoms}</body></body>',
            settings=f'inertiagrouprange="{group}"',
        )
        model = mjcf.read(text)
        assert model.mass == pytest.approx(compiled(text).body_mass.sum())
        assert_moves_like_mujoco(model, text)


def test_bodies_without_mass_are_no_hindrance() -> None:
    text = in_world('<body name="arm"><joint name="a"/><body name="hand"><joint name="b"/></body></body>')
    model = mjcf.read(text)
    assert (model.nq, model.masses) == (2, ())


def test_tendons_around_geoms_do_not_matter() -> None:
    tendon = '<spatial name="t"><site site="s0"/><geom geom="g"/><site site="s1"/></spatial>'
    content = (
        f'<site name="s0"/><body name="arm"><joint name="a"/>{INERTIAL}<geom name="g" size="0.1"/>'
        '<site name="s1" pos="0 0 1"/></body>'
    )
    assert mjcf.read(in_world(content, after=f"<tendon>{tendon}</tendon>")).nq == 1
    coupled = f'<tendon>{tendon}</tendon><equality><tendon tendon1="t"/></equality>'
    with pytest.warns(FormatWarning, match="<tendon> of 't' is not a linear coupling of joints"):
        assert mjcf.read(in_world(content, after=coupled)).nq == 1


def test_sensors_actuators_and_keys_do_not_matter() -> None:
    text = in_world(
        f'<body name="arm"><joint name="a"/>{INERTIAL}<geom name="g" size="0.1"/></body>',
        after=(
            '<actuator><motor joint="a"/></actuator><keyframe><key name="home" qpos="1"/></keyframe>'
            '<contact><pair geom1="g" geom2="g2"/></contact><sensor><jointpos joint="a"/></sensor>'
        ),
    ).replace("<worldbody>", '<worldbody><geom name="g2" type="plane" size="1 1 1"/>')
    assert mjcf.read(text).nq == 1


# --- errors -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "<mujoco>\n<worldbody>\n<bodyy/></worldbody></mujoco>",
            r"^<text>:3: <bodyy>: MuJoCo: .*unrecognized element",
        ),
        (
            "<mujoco>\n<worldbody>\n<body></worldbody></mujoco>",
            r"^<text>:3: is not well-formed XML: mismatched",
        ),
        (
            "<mujoco>\n<include file='none.xml'/></mujoco>",
            r"^<text>:2: <include>: is for files whose name ends",
        ),
        ("<mujoco>\n<worldbody><body><joint axis='0 0 0'/></body></worldbody></mujoco>", "^<text>:2: .*axis"),
        ("<!-- a\n b -->\n<robot name='x'/>", r"^<text>:3: needs <mujoco> as its root, found <robot>"),
        ("<mujocoinclude/>", r"^<text>:1: <mujocoinclude>: is a part of MJCF that other files include"),
        ("name: value\n", r"^<text>: is not XML"),
        ("<!-- a -->" * 50 + " " * 50 + "\nx", r"^<text>: is not XML"),
        ("/no/such/robot.xml", r"^/no/such/robot\.xml: there is no such file"),
    ],
)
def test_errors_say_where(text: str, message: str) -> None:
    with pytest.raises(FormatError, match=message):
        mjcf.read(text)


def test_what_is_included_does_not_depend_on_the_current_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """MuJoCo reads a file of another name as a text, which is in no folder."""
    (tmp_path / "part.xml").write_text(
        f"<mujocoinclude><worldbody><body>{GEOM}</body></worldbody></mujocoinclude>"
    )
    (tmp_path / "robot").write_text('<mujoco>\n<include file="part.xml"/></mujoco>')
    monkeypatch.chdir(tmp_path)
    with pytest.raises(
        FormatError, match=r"robot:2: <include>: is for files whose name ends in \.xml: others"
    ):
        mjcf.read(tmp_path / "robot")


@pytest.mark.parametrize(
    ("part", "message"),
    [
        ("\n<bdy/>", r"part\.xml:2: <bdy>: MuJoCo: Schema violation: unrecognized element$"),
        ("\n<bdy>", r"part\.xml:2: is not well-formed XML: mismatched element"),
        ("<worldbody><body>\n<joint typ='a'/></body></worldbody>", r"part\.xml:2: <joint>: MuJoCo: .*'typ'$"),
        ("<worldbody><body><joint axis='0 0 0'/></body></worldbody>", r"main\.xml: .*, in an included file$"),
    ],
)
def test_errors_in_included_files_are_said_to_be_there(part: str, message: str, tmp_path: Path) -> None:
    """As far as MuJoCo's words tell which element it is."""
    whole = f"<mujocoinclude><worldbody><body name='a'><joint/>{GEOM}</body></worldbody></mujocoinclude>"
    (tmp_path / "whole.xml").write_text(whole)
    (tmp_path / "part.xml").write_text(f"<mujocoinclude>{part}</mujocoinclude>")
    includes = '<include file="whole.xml"/>\n<include file="part.xml"/>'
    (tmp_path / "main.xml").write_text(f"<mujoco>\n{includes}</mujoco>")
    with pytest.raises(FormatError, match=message):
        mjcf.read(tmp_path / "main.xml")


def test_a_nan_is_an_error_and_nothing_else_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    body = '<body name="nan"><joint/><geom size="nan"/></body>'
    text = f"<mujoco><worldbody>\n{body}</worldbody></mujoco>"
    with pytest.raises(FormatError, match=r"^<text>:2: needs numbers, found nan$"):
        mjcf.read(text)
    assert list(tmp_path.iterdir()) == []
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("body", "joint", "said"),
    [
        (
            'pos="1e308 0 0"',
            "",
            "2: <body name='arm'>: `pos` needs finite numbers up to 1e+09, found '1e308 0 0'",
        ),
        ('quat="1e308 1e308 0 0"', "", "2: <body name='arm'>: `quat` needs finite numbers up to 1e+09"),
        ('euler="inf 0 0"', "", "2: <body name='arm'>: `euler` needs finite numbers up to 1e+09"),
        (
            "",
            'pos="0 nan 0"',
            "3: <joint name='turn'>: `pos` needs finite numbers up to 1e+09, found '0 nan 0'",
        ),
        ("", 'axis="inf 0 0"', "3: <joint name='turn'>: `axis` needs finite numbers up to 1e+09"),
        ("", 'ref="inf"', "3: <joint name='turn'>: `ref` needs finite numbers up to 1e+09, found 'inf'"),
    ],
)
@pytest.mark.filterwarnings("error")
def test_a_place_out_of_all_reach_is_told_with_file_and_line(
    tmp_path: Path, body: str, joint: str, said: str
) -> None:
    text = f"""<mujoco><worldbody>
<body name="arm" {body}>
<joint name="turn" {joint}/><geom size=".1"/></body></worldbody></mujoco>"""
    (tmp_path / "far.xml").write_text(text)
    for source, name in ((text, "<text>"), (tmp_path / "far.xml", f"{tmp_path}/far.xml")):
        with pytest.raises(FormatError, match=re.escape(f"{name}:{said}")):
            mjcf.read(source)


def test_a_configuration_of_the_wrong_size_is_refused() -> None:
    model = mjcf.read(in_world(PAIR))
    with pytest.raises(
        ConfigurationError, match=r"qpos needs 2 numbers on its last axis, found shape \(3,\)"
    ):
        mjcf.from_qpos(model, [1, 2, 3])
    with pytest.raises(ConfigurationError, match="q needs 2 numbers"):
        mjcf.to_qpos(model, 1.0)


def test_load_knows_mjcf_by_its_content(tmp_path: Path) -> None:
    (tmp_path / "robot.txt").write_text(in_world(PAIR))
    assert load(tmp_path / "robot.txt").nq == 2
    assert load(in_world(PAIR)).nq == 2


@pytest.mark.parametrize("limited", ['range="-0.5 0.5"', 'limited="true" range="-0.5 0.5"', None])
def test_limits_of_tendons_are_told_to_be_missing(limited: str | None) -> None:
    tendon = f'<fixed name="t" {limited or ""}><joint joint="j" coef="1"/></fixed>'
    text = (
        '<mujoco><worldbody><body name="a"><joint name="j" range="-90 90"/><geom size="0.1"/></body>'
        f"</worldbody><tendon>{tendon}</tendon></mujoco>"
    )
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        mjcf.read(text)
    told = ["<text>: limits of tendons are not in the model: 't'"] if limited else []
    assert [str(each.message) for each in said] == told
