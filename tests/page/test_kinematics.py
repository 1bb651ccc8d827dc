"""The page's forward kinematics is that of the models."""

import math
from dataclasses import asdict
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from limbik.model import Frame, Joint, JointKind, Mimic, Model
from limbik.spatial import Array
from page.modules import Modules
from strategies import configuration, models

NEAR = 1e-12  # [m or 1]

POSES = """async ([arm, q]) => {
  const { Kinematics } = await import('/static/space/kinematics.js');
  const poses = new Kinematics(arm).poses(q);
  return Object.fromEntries([...poses].map(([name, pose]) => [name, pose.clone().transpose().elements]));
}"""


def description(model: Model) -> dict[str, Any]:
    """What the page is told of a model's kinematics, as the protocol has it."""
    return {
        "name": model.name,
        "root": model.root,
        "joints": [
            {
                "name": joint.name,
                "kind": joint.kind.value,
                "parent": joint.parent,
                "child": joint.child,
                "origin": joint.origin.ravel().tolist(),
                "axis": joint.axis.tolist(),
                "q": model.q_slice(joint.name).start if joint.nq else -1,
                "mimic": joint.mimic and asdict(joint.mimic),
            }
            for joint in model.joints
        ],
        "frames": [
            {"name": frame.name, "link": frame.link, "pose": frame.pose_link_frame.ravel().tolist()}
            for frame in model.frames
        ],
    }


def poses(modules: Modules, model: Model, q: Array) -> dict[str, Array]:
    """The poses [4, 4] of all links and frames as the page computes them."""
    found = modules.evaluate(POSES, [description(model), q.tolist()])
    return {name: np.array(rows).reshape(4, 4) for name, rows in found.items()}


def check(modules: Modules, model: Model, q: Array) -> None:
    found = poses(modules, model, q)
    assert set(found) == set(model.frame_names)
    expected = dict(zip(model.frame_names, model.forward(q), strict=True))
    for name, pose in found.items():
        np.testing.assert_allclose(pose, expected[name], atol=NEAR, rtol=NEAR, err_msg=name)


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(model=models(), seed=st.integers(0, 2**32 - 1))
def test_the_page_places_every_frame_of_any_tree_where_the_model_does(
    modules: Modules, model: Model, seed: int
) -> None:
    check(modules, model, configuration(model, seed))


@pytest.mark.parametrize("kind", [JointKind.REVOLUTE, JointKind.PRISMATIC, JointKind.CONTINUOUS])
def test_followers_move_with_their_leader(modules: Modules, kind: JointKind) -> None:
    origin = np.eye(4)
    origin[:3, 3] = 0.3, -0.1, 0.2
    leader = Joint(name="leader", kind=kind, parent="base", child="a", axis=[0.6, 0.0, 0.8])
    rules = [Mimic(joint="leader", multiplier=-1.5, offset=0.25), Mimic(joint="first", multiplier=2.0)]
    followers = [
        Joint(name=name, kind=kind, parent=parent, child=child, origin=origin, axis="y", mimic=rule)
        for name, parent, child, rule in zip(("first", "second"), "ab", "bc", rules, strict=True)
    ]
    model = Model("gripper", [leader, *followers], [Frame(name="tip", link="c", pose_link_frame=origin)])
    for value in (-1.0, 0.0, 0.7):
        check(modules, model, np.array([value]))


def test_a_quaternion_need_not_have_length_1(modules: Modules) -> None:
    ball = Joint(name="ball", kind=JointKind.BALL, parent="base", child="a")
    model = Model("ball", [ball])
    q = 3.0 * np.array([0.0, 0.0, math.sin(0.3), math.cos(0.3)])
    np.testing.assert_allclose(poses(modules, model, q)["a"], model.pose(q), atol=NEAR)
