"""Objects of MoveIt's planning scene: on the robot, in the world, and what may touch what."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

import limbik
from limbik.collision import World
from limbik.errors import LimbikError
from limbik.model.shapes import Box
from limbik.service.moveit.answers import MoveIt

Message = dict[str, Any]

SLIDER = """<robot name="slider"><link name="rail"/>
<link name="hand"><collision><geometry><box size="0.1 0.1 0.1"/></geometry></collision></link>
<joint name="slide" type="prismatic"><parent link="rail"/><child link="hand"/><axis xyz="1 0 0"/>
<limit lower="0" upper="1"/></joint></robot>"""
ADD, REMOVE, APPEND, MOVE = range(4)
ON_HAND = {"link_name": "hand", "touch_links": ["hand"]}
IN_HAND = {"frame_id": "hand"}


def slider(world: World | None = None) -> MoveIt:
    """A hand of 10 cm that slides along x, at 0."""
    return MoveIt(limbik.load(SLIDER), world=world)


def box(name: str, x: float = 0.0, parts: int = 1, **fields: Any) -> Message:
    """An object of so many boxes of 10 cm, all of them at x [m]."""
    return {
        "id": name,
        "primitives": [{"type": 1, "dimensions": [0.1] * 3}] * parts,
        "primitive_poses": [{"position": {"x": x}, "orientation": {"w": 1.0}}] * parts,
        **fields,
    }


def held(thing: Message, **fields: Any) -> Message:
    return {**ON_HAND, "object": thing, **fields}


def matrix(first: str, second: str) -> Message:
    rows = [{"enabled": [False, True]}, {"enabled": [True, False]}]
    return {"allowed_collision_matrix": {"entry_names": [first, second], "entry_values": rows}}


def change(
    service: MoveIt, objects: Sequence[Message] = (), attached: Sequence[Message] = (), **fields: Any
) -> None:
    state = {"is_diff": True, "attached_collision_objects": list(attached)}
    world = {"collision_objects": list(objects)}
    scene = {"is_diff": True, "world": world, "robot_state": state, **fields}
    assert service.apply_planning_scene({"scene": scene})["success"]


def contacts(service: MoveIt, *attached: Message, **joints: float) -> set[tuple[str, str]]:
    state: Message = {"joint_state": {"name": list(joints), "position": list(joints.values())}}
    state["attached_collision_objects"] = list(attached)
    found = service.check_state_validity({"robot_state": state})
    pairs = {(each["contact_body_1"], each["contact_body_2"]) for each in found["contacts"]}
    assert found["valid"] == (not pairs)
    return pairs


def test_what_was_put_down_is_an_obstacle_for_the_hand_that_held_it() -> None:
    service = slider()
    change(service, [box("cup")])
    assert contacts(service) == {("hand", "cup")}
    change(service, attached=[held({"id": "cup"})])
    assert not contacts(service)
    change(service, attached=[held({"id": "cup", "operation": REMOVE})])
    assert contacts(service) == {("hand", "cup")}
    assert not contacts(service, slide=0.5)


def test_shapes_are_added_to_what_is_attached() -> None:
    service = slider()
    change(service, [box("wall", 0.9)], [held(box("tool", 0.9, header=IN_HAND))])
    assert contacts(service) == {("tool", "wall")}
    change(service, attached=[held(box("tool", 0.3, header=IN_HAND, operation=APPEND))])
    assert contacts(service) == {("tool/1", "wall")}
    assert contacts(service, slide=0.6) == {("tool/2", "wall")}
    with pytest.raises(LimbikError, match="'tool' moves with its link: detach it to move it"):
        change(service, attached=[held({"id": "tool", "operation": MOVE})])


def test_what_is_attached_goes_over_to_another_link() -> None:
    service = slider()
    change(service, [box("wall", 0.5)], [held(box("tool", 0.5, header=IN_HAND))])
    change(service, attached=[{"link_name": "rail", "object": {"id": "tool"}}])
    assert contacts(service, slide=0.9) == {("tool", "wall")}


def test_objects_stand_in_frames_that_are_fixed() -> None:
    service = slider()
    fixed = [
        {"header": {"frame_id": "rail"}, "child_frame_id": "rail", "transform": {}},  # as MoveIt sends it
        {
            "header": {"frame_id": "camera"},
            "child_frame_id": "rail",
            "transform": {"translation": {"x": 0.5}, "rotation": {"w": 1.0}},
        },
    ]
    change(service, fixed_frame_transforms=fixed)
    change(service, [box("cup", 0.2, header={"frame_id": "camera"})])
    assert not contacts(service, slide=0.2)
    assert contacts(service, slide=0.7) == {("hand", "cup")}
    with pytest.raises(
        LimbikError, match="the planning frame 'rail' as `child_frame_id`, not 'rail' and 'a'"
    ):
        change(service, fixed_frame_transforms=[{"header": {"frame_id": "rail"}, "child_frame_id": "a"}])
    change(service, is_diff=False)
    with pytest.raises(LimbikError, match="there is no frame 'camera'"):
        change(service, [box("cup", header={"frame_id": "camera"})])


def test_subframes_go_with_their_object() -> None:
    service = slider()
    grip = {
        "subframe_names": ["grip"],
        "subframe_poses": [{"position": {"x": 0.3}, "orientation": {"w": 1.0}}],
    }
    pose = {"pose": {"position": {"x": 0.2}, "orientation": {"w": 1.0}}}
    change(service, [box("tool", 0.9, **grip, **pose)])
    change(service, [box("cup", 0.1, header={"frame_id": "tool/grip"})])
    assert contacts(service, slide=0.6) == {("hand", "cup")}
    change(service, [{"id": "cup", "operation": REMOVE}], [held({"id": "tool"})])
    change(service, [box("wall", header={"frame_id": "tool/grip"})])
    assert contacts(service, slide=0.5) == {("hand", "wall")}
    with pytest.raises(LimbikError, match="there is no frame 'tool/gripp'; did you mean 'tool/grip'"):
        change(service, [box("cup", header={"frame_id": "tool/gripp"})])
    with pytest.raises(LimbikError, match="object 'lid' has 1 names and 0 `subframe_poses`"):
        change(service, [box("lid", subframe_names=["top"])])


@pytest.mark.parametrize("parts", [1, 2])
def test_the_matrix_is_about_all_parts_of_a_tool(parts: int) -> None:
    service, tool = slider(), held(box("tool", 0.9, parts, header=IN_HAND))
    change(service, [box("wall", 0.9)])
    assert len(contacts(service, tool)) == parts
    change(service, **matrix("tool", "wall"))
    assert not contacts(service, tool)  # of that request alone
    change(service, attached=[tool])
    assert not contacts(service)


def test_what_one_request_may_touch_the_next_may_not() -> None:
    service = slider()
    change(service, [box("wall", 0.9)])
    tool = box("tool", 0.9, header=IN_HAND)
    assert not contacts(service, held(tool, touch_links=["hand", "wall"]))
    assert contacts(service, held(tool)) == {("tool", "wall")}


def test_the_matrix_is_about_two_that_are_attached() -> None:
    service = slider()
    rail = {
        "link_name": "rail",
        "touch_links": ["hand"],
        "object": box("gate", 0.5, header={"frame_id": "rail"}),
    }
    change(service, attached=[held(box("tool", 0.5, header=IN_HAND)), rail])
    assert contacts(service) == {("tool", "gate")}
    change(service, **matrix("tool", "gate"))
    assert not contacts(service)


def test_an_object_is_on_the_robot_or_in_the_world() -> None:
    service = slider()
    change(service, [box("cup", 0.3)])
    assert not contacts(service, held({"id": "cup"}))
    change(service, attached=[held({"id": "cup"})])
    with pytest.raises(LimbikError, match="'cup' is attached to 'hand': detach it first"):
        change(service, [box("cup", 0.3)])
    change(service, [box("cup", 0.5)], [held({"id": "cup", "operation": REMOVE})])  # both in one message
    assert contacts(service, slide=0.5) == {("hand", "cup")}


def test_what_an_object_may_touch_it_may_touch_on_the_robot() -> None:
    world = World()
    world.add("table", Box((0.5, 0.5, 0.1)), [0.5, 0.0, 0.0])
    world.add("cup", Box((0.1, 0.1, 0.1)), [0.4, 0.0, 0.05], touch=["table"])
    service = slider(world)
    change(service, attached=[held({"id": "cup"})])
    assert not contacts(service)


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ([{"enabled": [True]}], "has 2 names and 1 rows"),
        ([{"enabled": [True]}, {"enabled": [True, False]}], "row 'cup', has 2 names and 1 values"),
    ],
)
def test_a_matrix_with_missing_values_is_refused(values: list[Message], said: str) -> None:
    matrix = {"entry_names": ["cup", "hand"], "entry_values": values}
    with pytest.raises(LimbikError, match=f"`allowed_collision_matrix`.* {said}"):
        change(slider(), allowed_collision_matrix=matrix)


def test_a_constraint_on_a_joint_that_follows_names_its_leader() -> None:
    twin = SLIDER.replace(
        "</robot>",
        """<link name="twin"/><joint name="shadow" type="prismatic"><parent link="rail"/>
<child link="twin"/><axis xyz="1 0 0"/><limit lower="0" upper="1"/><mimic joint="slide"/></joint></robot>""",
    )
    request = {
        "ik_link_name": "hand",
        "pose_stamped": {"pose": {"orientation": {"w": 1.0}}},
        "constraints": {"joint_constraints": [{"joint_name": "shadow"}]},
    }
    code = MoveIt(limbik.load(twin)).compute_ik({"ik_request": request})["error_code"]
    assert code["message"] == "joint 'shadow' follows 'slide': constrain that one"
