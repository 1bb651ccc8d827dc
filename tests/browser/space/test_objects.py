"""Objects around the arms: seen, dragged, carried, read from files; the arm keeps clear of them."""

import json
from typing import Any

import numpy as np
import pytest
import trimesh

import limbik
from browser.space.stage import Space
from limbik.checks import Check
from limbik.collision import Box, Cylinder, Sphere, World, load_world
from limbik.spatial import pose_from, quat_to_matrix

BEAM = "beam:box:0.1,0.6,0.1:-0.3,-0.1,0.5"  # where the elbow of a UR5e is as it stands
WIDE = "beam:box:0.1,0.6,0.1:-0.55,-0.1,0.6"  # the same for a UR10e, whose shapes no other test needs
CAN = "can:cylinder:0.03,0.12:0.58,0,0.49"  # below a Panda's flange
MOVEIT = "(kitchen)+\n* table\n1\nbox\n0.5 1 0.05\n0.6 0 -0.2\n0 0 0 1\n0 0 0 0\n.\n"
RING = trimesh.creation.torus(0.2, 0.05, major_sections=12, minor_sections=6).export(file_type="stl")
ROWS = "#solutions-list li"


def objects(space: Space) -> dict[str, Any]:
    return {each["name"]: each for each in space.state["objects"]}


def pose_of(each: dict[str, Any]) -> np.ndarray:
    return pose_from(quat_to_matrix(each["quat_xyzw"]), each["position"])


def world_of(space: Space) -> World:
    """What stands by itself on the page, built again."""
    kinds = {
        "box": lambda x, y, z: Box((x, y, z)),
        "sphere": Sphere,
        "cylinder": lambda radius, length: Cylinder(radius=radius, length=length),
    }
    world = World()
    for name, each in objects(space).items():
        if each["held"] is None:
            world.add(name, kinds[each["kind"]](*each["size"]), pose_of(each))
    return world


def judged(space: Space, robot: str) -> Check:
    return limbik.load(robot).check(space.q_of(0), world_of(space))


def wait_judged(space: Space) -> str:
    """What the page says of collisions when its arms rest."""
    space.wait_resting()
    space.until(lambda: "being made" not in space.state["verdict"], "there are collision shapes")
    space.wait_resting()
    return space.state["verdict"]


def drag_object(space: Space, place: int, dx: float, dy: float) -> None:
    before = space.state["objects"]
    at = space.ask("stage.thingPoint(argument)", place)
    space.drag((at["x"], at["y"]), (at["x"] + dx, at["y"] + dy), steps=4)
    space.until(lambda: space.state["objects"] != before, "the object has moved")


def put_object(space: Space, position: np.ndarray) -> None:
    for field, value in zip(space.find("#object-position input").all(), position, strict=True):
        field.fill(f"{value:.4f}")
        field.press("Enter")


def red_links(space: Space) -> list[str]:
    return [link for body in space.ask("stage.visibleBodies()") for link in body["collides"]]


def test_the_arm_keeps_clear_of_an_object_that_is_added_and_dragged(space: Space) -> None:
    space.show("robot=ur5e&cl=5")
    assert space.state["verdict"] == ""
    space.find("[data-object=sphere]").click()
    space.wait_query(co="1")
    assert wait_judged(space).startswith("Free of collision")
    before = space.q_of(0)
    put_object(space, limbik.load("ur5e").pose(before, "link3")[:3, 3])
    wait_judged(space)
    drag_object(space, 0, 12, 8)
    assert wait_judged(space).startswith("Free of collision")
    assert np.abs(space.q_of(0) - before).max() > 0.1
    assert space.status_of(0) == "solved"
    assert space.error_of(0) < 0.1
    assert judged(space, "ur5e").distance >= 0.005 - 1e-5
    space.press("Delete")
    space.until(lambda: objects(space) == {}, "it is removed")
    space.press("Control+z")
    space.until(lambda: list(objects(space)) == ["sphere"], "it is back")


def test_what_is_near_and_what_collides_is_named_with_its_distance(space: Space) -> None:
    space.show(f"robot=ur5e&co=1&obj={BEAM}")
    assert wait_judged(space).startswith("Free of collision")
    check, (nearest, *_) = judged(space, "ur5e"), space.state["near"]
    assert nearest["distance"] == pytest.approx(check.distance, abs=1e-4)
    assert nearest["pair"] == list(check.pair)
    assert red_links(space) == []
    assert space.ask("stage.solids.lines.children.length") > 0

    space.find("#objects .goal").click()
    put_object(space, np.array(space.goals[0]["position"]))  # where the flange is to be
    verdict = wait_judged(space)
    assert verdict.startswith("In collision: ")
    check = judged(space, "ur5e")
    assert all(name in verdict for name in check.pair)
    assert f"{-1000 * check.distance:.1f} mm deep" in verdict
    assert red_links(space)
    assert "is-hit" in (space.find("#objects li").get_attribute("class") or "")
    space.find("#co").click(force=True)
    space.until(lambda: space.state["verdict"] == "" and red_links(space) == [], "collisions are left aside")


def test_the_clearance_is_kept_or_the_page_says_what_is_nearer(space: Space) -> None:
    space.show(f"robot=ur5e&co=1&cl=10&obj={BEAM}")
    assert wait_judged(space).startswith("Free of collision")
    least = judged(space, "ur5e").distance
    assert 0.01 < least < 0.02
    space.type_number("cl", 20)  # every solution is nearer: two links, or the arm and the beam
    space.until(lambda: space.state["verdict"].startswith("Nearer than the clearance"), "it is too near")
    assert f"{1000 * judged(space, 'ur5e').distance:.1f} mm apart" in wait_judged(space)
    assert space.status_of(0) == "no_free_solution"


def test_solutions_that_collide_are_told_apart_and_not_taken(space: Space) -> None:
    space.show(f"robot=ur10e&co=1&all=1&obj={WIDE}")
    wait_judged(space)
    space.until(lambda: space.find(f"{ROWS}[aria-disabled=true]").count() > 0, "some collide")
    model, world = limbik.load("ur10e"), world_of(space)
    free = model.solve_all(pose_of(space.goals[0]), world=world)
    rows = space.find(ROWS)
    assert rows.count() - space.find(f"{ROWS}[aria-disabled=true]").count() == len(free.q)
    before = space.q_of(0)
    space.find(f"{ROWS}[aria-disabled=true]").first.click(force=True)
    space.wait_resting()
    np.testing.assert_array_equal(space.q_of(0), before)


def test_an_arm_carries_an_object_and_lets_it_go(space: Space) -> None:
    space.show(f"robot=panda&co=1&osel=0&obj={CAN};table:box:0.6,0.8,0.04:0.6,0,0.02")
    wait_judged(space)
    model = limbik.load("panda")
    can = pose_of(objects(space)["can"])
    space.find("#object-holder").select_option(label="flange")
    space.until(lambda: objects(space)["can"]["held"] == {"arm": 0, "frame": "flange"}, "it is carried")
    wait_judged(space)
    np.testing.assert_allclose(
        model.pose(space.q_of(0), "flange") @ pose_of(objects(space)["can"]), can, atol=1e-3
    )
    space.select(0)
    space.drag_goal("z", 0, 200)  # below the table
    verdict = wait_judged(space)
    each = objects(space)["can"]
    shape = Cylinder(radius=0.03, length=0.12)
    attached = model.attach("can", shape, frame="flange", pose=pose_of(each), touch=each["touch"])
    assert attached.check(space.q_of(0), world_of(space)).is_free == verdict.startswith("Free")
    link = space.copied_link()
    shown = space.state["objects"]
    space.open_link(link)
    wait_judged(space)
    assert space.state["objects"] == shown

    space.find("#objects .goal").first.click()
    at = model.pose(space.q_of(0), "flange") @ pose_of(objects(space)["can"])
    space.find("#object-holder").select_option(label="nothing")
    space.until(lambda: objects(space)["can"]["held"] is None, "it is let go")
    np.testing.assert_allclose(pose_of(objects(space)["can"]), at, atol=2e-3)


def test_objects_come_from_files_and_go_into_one(space: Space) -> None:
    space.show("robot=ur5e")
    space.drop(("kitchen.scene", MOVEIT))
    space.until(lambda: "table" in objects(space), "the scene is read")
    np.testing.assert_allclose(objects(space)["table"]["position"], [0.6, 0, -0.2])
    ball = {"objects": {"ball": {"sphere": 0.05, "position": [0.2, 0.5, 0.3]}}}
    space.drop(("world.json", json.dumps(ball)))
    space.until(lambda: "ball" in objects(space), "the world is read")
    with space.page.expect_download() as download:
        space.find("[data-export=world]").click()
    saved = load_world(download.value.path())
    assert sorted(saved.names) == ["ball", "table"]

    space.drop(("ring.stl", RING))
    space.until(lambda: objects(space).get("ring", {}).get("kind") == "stored", "the mesh is read")
    wait_judged(space)
    space.until(lambda: space.ask("stage.thingPoint(argument)", 2) is not None, "the mesh is seen")
    assert space.find("#scene-title").inner_text() == "Universal Robots UR5e"


FAULTY_FILES = {
    "bad.yaml": ("objects:\n  a: {mesh: {path: /etc/passwd}}\n", "passwd"),
    "bad.json": ('{"objects": {"a": {"box": [0, 1, 1]}}}', "bad.json"),
    "bad.scene": ("(noname)+\n* table\n1\nbox\n", "bad.scene"),
    "bad.stl": (b"solid nothing", "bad.stl"),
}


def test_files_of_objects_with_a_fault_are_refused_in_words(space: Space) -> None:
    space.show(f"robot=ur5e&obj={BEAM}")
    for name, (content, told) in FAULTY_FILES.items():
        space.drop((name, content))
        space.until(lambda told=told: told in space.notices, f"the page says why not {name}")
        assert list(objects(space)) == ["beam"]
        assert "Traceback" not in space.notices


def test_a_link_with_a_fault_keeps_the_objects_that_can_be_read(space: Space) -> None:
    space.show(
        f"robot=ur5e&obj={BEAM};ball:sphere:0:1,0,0;{BEAM};can:cylinder:0.03,0.12:1,1,0:0,0,0,1:0.nowhere"
    )
    assert list(objects(space)) == ["beam"]
    assert "ball:sphere:0" in space.notices
    assert "no arm 0 has a frame nowhere" in space.notices
