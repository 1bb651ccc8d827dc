"""Scenes that are opened, dragged, shared by a link and opened again, identically."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import limbik
from browser.space.stage import Space, arm_query, assert_alike, settings_in
from limbik.formats import registry

EXAMPLES = Path(__file__).parents[3] / "examples"
TWO_ARMS = (EXAMPLES / "two_arms.arm").read_text()
BRANCHES = (EXAMPLES / "branches.arm").read_text()
SCENES = {
    "two arms": (arm_query(TWO_ARMS, "two_arms.arm"), 1),
    "nested branches": (arm_query(BRANCHES, "branches.arm") + "&branches=coupled", 2),
    "panda": ("robot=panda&q=0.2,-0.4,0.1,-2,0,1.7,0.8", 0),
    "g1 with both hands": (
        "robot=g1&goal=0:left_rubber_hand:position:0.3,0.2,0.15;0:right_rubber_hand:position:0.3,-0.2,0.15",
        1,
    ),
}


@pytest.mark.parametrize("name", SCENES)
def test_a_scene_is_opened_dragged_shared_and_opened_again_identically(
    make_space: Callable[[], Space], name: str
) -> None:
    query, goal = SCENES[name]
    if name.startswith("g1") and not registry.find("g1").robot.is_available:
        pytest.skip("the package with the G1 is not installed")
    first, second = make_space(), make_space()
    first.show(query)
    before = first.goals[goal]["position"]
    first.select(goal)
    first.drag_goal("z", 0, -25)
    moved = np.subtract(first.goals[goal]["position"], before)
    assert moved[2] > 0.01
    assert abs(moved[0]) < 1e-5
    assert abs(moved[1]) < 1e-5
    for arm in range(len(first.state["arms"])):
        assert first.status_of(arm) == "solved"
    link = first.copied_link()
    assert settings_in(link)["view"] == "3d"
    second.open_link(link)
    assert_alike(first, second)
    assert settings_in(second.copied_link()) == settings_in(link)


def test_what_is_shown_is_true(space: Space) -> None:
    """The tips that limbik computes from the page's configurations are at the page's goals."""
    space.show(arm_query(TWO_ARMS, "two_arms.arm"))
    scene = limbik.load_scene(TWO_ARMS)
    for goal in space.goals:
        arm = scene.arms[goal["arm"]]
        tip = arm.model.pose(space.q_of(goal["arm"]), goal["frame"])[:3, 3]
        assert np.linalg.norm(tip - goal["position"]) < 1e-4


def test_the_other_view_is_as_it_was_left(space: Space) -> None:
    space.show(arm_query(TWO_ARMS, "two_arms.arm"))
    space.select(1)
    space.find("#to-plane").click()
    space.until(lambda: space.page.title() == "limbik playground", "the plane is open")
    space.wait_live()
    space.type_number("n", 6)
    space.wait_query(n="6")
    space.find("#to-space").click()
    space.until(lambda: space.page.title() == "limbik playground in space", "space is open")
    space.wait_scene()
    assert space.state["selected"] == 1
    assert len(space.state["arms"]) == 2
    space.find("#to-plane").click()
    space.until(lambda: space.page.title() == "limbik playground", "the plane is open")
    space.wait_live()
    assert space.value("n") == 6


def act(space: Space, rng: np.random.Generator) -> None:
    """What a person might do next."""
    x, y = float(rng.integers(200, 420)), float(rng.integers(230, 420))
    match rng.choice(["key", "flag", "drag", "camera", "number"]):
        case "key":
            space.press(str(rng.choice(list("12345689"))))
        case "flag":
            name = rng.choice(["lm", "sl", "tr", "ma", "mg", "rg", "fr"])
            flag = space.find(f"#{name}")
            flag.set_checked(not flag.is_checked(), force=True)
        case "drag":
            space.drag(space.grip("z"), (x, y), steps=4)
        case "camera":
            space.drag((120, 480), (120 + 0.2 * x, 480 - 0.1 * y), steps=3)
        case "number":
            name, value = [("it", 33), ("tol", 0.5), ("d", 0.4), ("sp", 1.5), ("ps", 0.2)][rng.integers(5)]
            if space.find(f"#{name}").is_visible():
                space.type_number(name, value)


@pytest.mark.parametrize("seed", range(2))
def test_whatever_was_done_its_link_opens_the_same_in_another_window(
    make_space: Callable[..., Space], seed: int
) -> None:
    rng = np.random.default_rng(seed)
    first, second = make_space(), make_space(viewport={"width": 700, "height": 500})
    first.show(f"robot={('ur5e', 'panda')[seed % 2]}&pn=1")
    for _ in range(10):
        act(first, rng)
        first.wait_resting()
    first.find("#pause").click()  # methods that creep would go on
    first.wait_query(px="1")
    link = first.copied_link()
    second.page.goto(link)
    second.until(lambda: second.state.get("arms") and second.view == first.view, "it is open")
    second.wait_readout()
    before, after = first.state, second.state
    for name in ("goals", "selected"):
        assert after[name] == before[name]
    for arm, other in zip(before["arms"], after["arms"], strict=True):
        assert {solver: each["q"] for solver, each in other.items()} == {
            solver: each["q"] for solver, each in arm.items()
        }
    assert settings_in(second.copied_link()) == settings_in(link)
