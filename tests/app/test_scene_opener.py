"""Opening scenes: robots, texts of every format, uploads; what is told, and what is never opened."""

import itertools
import json
import warnings

import numpy as np
import pytest

from limbik import load
from limbik.app import scene_opener as room
from limbik.app.bounded_cache import BoundedCache
from limbik.app.open_scene import MAX_JOINTS
from limbik.app.scene_description import described
from limbik.app.scene_opener import SceneOpener
from limbik.app.upload import Upload
from limbik.errors import LimbikError
from limbik.formats import registry
from space_scenes import ARM, MJCF, TABLE, URDF, opening, request

DESCRIPTIONS = pytest.mark.skipif(
    registry.find("panda").robot.installed is None, reason="example-robot-data is not installed"
)


def opened(*, workshop=None, **asked):
    return (workshop or SceneOpener()).open(request(**opening(**asked)))


def scene(**asked):
    """What the page is told, as it reads it."""
    return json.loads(described(opened(**asked), 1).encode())


def refused(**asked):
    with pytest.raises(LimbikError) as caught:
        opened(**asked)
    message = str(caught.value)
    assert "/work" not in message
    assert "/usr" not in message
    assert "site-packages" not in message
    return message


def placed(arm, q):
    """Where the page draws the links and frames of an arm, from what it is told alone."""
    poses = {arm["root"]: np.eye(4)}
    values = {}
    for joint in arm["joints"]:
        mimic = joint["mimic"]
        if mimic:
            value = mimic["multiplier"] * values[mimic["joint"]] + mimic["offset"]
        else:
            value = 0.0 if joint["q"] < 0 else q[joint["q"]]
        values[joint["name"]] = value
        motion, axis = np.eye(4), np.array(joint["axis"])
        if joint["kind"] == "prismatic":
            motion[:3, 3] = value * axis
        elif joint["kind"] in ("revolute", "continuous"):
            cross = np.cross(np.eye(3), axis)
            motion[:3, :3] += np.sin(value) * cross + (1 - np.cos(value)) * cross @ cross
        origin = np.reshape(joint["origin"], (4, 4))
        poses[joint["child"]] = poses[joint["parent"]] @ origin @ motion
    for frame in arm["frames"]:
        poses[frame["name"]] = poses[frame["link"]] @ np.reshape(frame["pose"], (4, 4))
    return poses


# Texts

TEXTS = {"arm": ARM, "urdf": URDF, "mjcf": MJCF, "table": TABLE}


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_a_text_of_every_format_is_opened_by_what_it_holds(text):
    if text is MJCF:
        pytest.importorskip("mujoco")
    (arm,) = scene(text=text)["arms"]
    assert arm["nq"] == len(arm["q"]) == len(arm["lower"]) == len(arm["upper"]) == len(arm["neutral"])
    assert arm["end_effector"] == arm["tips"][0]
    assert {"lm", "dls", "ccd"} <= set(arm["solvers"])
    assert set(arm["solvers"]).isdisjoint(arm["reason"])


@pytest.mark.parametrize("text", [ARM, URDF, TABLE], ids=["arm", "urdf", "table"])
def test_the_page_can_draw_the_scene_from_what_it_is_told(text):
    found = opened(text=text)
    (arm,) = json.loads(described(found, 1).encode())["arms"]
    model = found.arms[0].model
    for q in model.random(0, 3):
        poses = placed(arm, q)
        for frame in model.frame_names:
            np.testing.assert_allclose(poses[frame], model.pose(q, frame), atol=1e-9)


def test_an_arm_file_has_its_goals_branches_and_segments():
    found = scene(text=ARM, name="two.arm")
    (arm,) = found["arms"]
    assert [goal["position"] for goal in arm["goals"]] == [[0.5, 0.5, 1], [-0.5, 0.4, 1.2]]
    assert [branch["tip"] for branch in arm["branches"]] == ["arm1.b1.tip"]
    assert arm["tips"] == ["arm1.tip", "arm1.b1.tip"]
    assert [(one["from"], one["to"], one["index"]) for one in arm["segments"]] == [
        ("arm1.s0", "arm1.s1", 0),
        ("arm1.s1", "arm1.tip", 1),
        ("arm1.b1.s0", "arm1.b1.tip", 0),
    ]
    assert "half-ranges" in found["notes"][0]
    initial = scene(text=ARM, angles="initial")
    assert "first directions" in initial["notes"][0]
    assert (found["angles"], initial["angles"], scene(text=URDF)["angles"]) == ("range", "initial", None)
    assert initial["arms"][0]["q"] != arm["q"]


def test_the_goal_of_an_mjcf_is_for_the_site_called_tool():
    pytest.importorskip("mujoco")
    site = '<site name="tool" pos="1 0 0"/></body>\n    <body name="right">'
    (arm,) = scene(text=MJCF.replace('</body>\n    <body name="right">', site))["arms"]
    assert arm["end_effector"] == arm["tips"][0] == "tool"


def test_lenient_turns_a_wrong_number_of_segments_into_a_note():
    text = ARM.replace("arm 2", "arm 3")
    assert "two.arm:2" in refused(text=text, name="two.arm")
    assert any("two.arm:2" in note for note in scene(text=text, name="two.arm", lenient=True)["notes"])


def test_a_floating_base_stands_on_the_world():
    (arm,) = scene(text=URDF, base="floating")["arms"]
    assert (arm["root"], arm["joints"][0]["kind"], arm["nq"]) == ("world", "floating", 10)
    assert arm["lower"][:3] == [None] * 3


def test_the_shapes_of_a_description_are_told():
    (arm,) = scene(text=URDF)["arms"]
    (box,) = arm["visuals"]
    assert (box["link"], box["shape"], box["size"]) == ("base", "box", [1, 1, 0.1])


def test_a_remark_of_a_reader_is_a_note_that_names_the_file():
    text = URDF.replace('<limit lower="0" upper="1"/>', "")
    (note,) = scene(text=text, name="crane.urdf")["notes"]
    assert note.startswith("crane.urdf: ")
    assert "lift" in note


def test_of_many_remarks_the_first_are_told_and_how_many_more_there_are():
    branches = "br 0 1\nseg 1 1 1\n" * 40  # none of them closed
    _, *notes, last = scene(text="arm 1 0 0 0\nseg 1 1 1\n" + branches)["notes"]
    assert len(notes) == room.MAX_NOTES
    assert last == f"and {40 - room.MAX_NOTES} more remarks of this kind"


WRONG = {
    "nothing known": ("hello\n", "hello.txt: expected"),
    "a path": ("/etc/passwd", "expected"),
    "a name": ("panda", "expected"),
    "an arm with a wrong number": ("arm 1 0 0 0\nseg 1 x 2\n", "hello.txt:2"),
    "a URDF with a wrong number": (
        URDF.replace("-1.5", "low"),
        "hello.txt:9: <limit> of <joint name='luff'>",
    ),
    "xacro": ('<robot xmlns:xacro="a"><xacro:include filename="/etc/passwd"/></robot>', "xacro"),
    "a table without a convention": (TABLE.split("\n", 1)[1], "convention"),
    "XML that ends early": ("<robot>", "hello.txt:1: not well-formed"),
    "elements without end": ("<robot>" + "<a>" * 5000, "deep"),
    "a list without end": ("rows: " + "[" * 20000, ""),
    "too many joints": ("<robot>" + "<joint/>" * 5000 + "</robot>", "5,000"),
    "a table without end": ("theta, alpha\n" + "0, 0\n" * 60000, "longer than"),
    "too many segments": (f"arm {MAX_JOINTS} 0 0 0\n" + "seg 1 1 1\n" * MAX_JOINTS, "up to 500 joints"),
}


@pytest.mark.parametrize(("text", "told"), WRONG.values(), ids=WRONG)
def test_a_text_that_cannot_be_opened_says_where_and_why(text, told):
    assert told in refused(text=text, name="folder/hello.txt")


# Uploads


def keep(workshop, files, name="robot.zip"):
    return workshop.keep(Upload(name, files))


def test_an_upload_is_opened_with_its_meshes():
    workshop = SceneOpener()
    text = URDF.replace('<box size="1 1 0.1"/>', '<mesh filename="package://crane/meshes/base.stl"/>')
    files = {"crane/urdf/crane.urdf": text.encode(), "crane/meshes/base.stl": b"solid base"}
    found = opened(workshop=workshop, token=keep(workshop, files))
    (visual,) = json.loads(described(found, 1).encode())["arms"][0]["visuals"]
    _, _, key, number = visual["url"].split("/")
    assert workshop.mesh(key, int(number)).data == b"solid base"
    assert workshop.mesh(key, 1) is None
    assert workshop.mesh("0" * 40, 0) is None


def test_the_likeliest_description_is_opened_and_the_others_are_named():
    pytest.importorskip("mujoco")
    workshop = SceneOpener()
    files = {
        "scene.xml": b'<mujoco><include file="robot.xml"/></mujoco>',
        "robot.xml": MJCF.encode(),
        "notes.txt": b"hello",
        "part.xml": b"<mujocoinclude/>",
    }
    found = opened(workshop=workshop, token=keep(workshop, files))
    assert found.scene.name == "twin"
    assert found.notes == ("This is robot.xml; there is also scene.xml.",)


def test_an_upload_without_a_description_says_what_it_holds():
    workshop = SceneOpener()
    told = refused(workshop=workshop, token=keep(workshop, {"a.stl": b"solid", "b.txt": b"hello"}))
    assert "a.stl, b.txt" in told


def test_a_token_that_is_forgotten_asks_for_the_files_again():
    assert "again" in refused(token="0" * 40)


def test_a_text_has_a_token_that_opens_it_again():
    workshop = SceneOpener()
    first = opened(workshop=workshop, text=URDF)
    assert opened(workshop=workshop, token=first.token) is opened(workshop=workshop, text=URDF)
    assert opened(workshop=workshop, token=first.token).scene.name == "crane"


# Robots


def test_robots_stand_side_by_side_each_with_a_name_of_its_own():
    arms = scene(names=["ur5e", "ur5e", "planar-3"])["arms"]
    assert [arm["name"] for arm in arms] == ["ur5e", "ur5e 2", "planar-3"]
    bases = [placed(arm, arm["q"])[arm["joints"][0]["child"]][1, 3] for arm in arms]
    assert bases == sorted(bases)
    assert all(b - a > 0.2 for a, b in itertools.pairwise(bases))


def test_a_robot_stands_where_it_can_move_to_all_sides():
    for name in ("panda", "ur5e", "planar-4", "iiwa14"):
        (arm,) = opened(names=[name]).arms
        model, q = arm.model, arm.start
        assert model.is_within_limits(q, 0.05)
        values = np.linalg.svd(model.jacobian(q)[:3], compute_uv=False)
        assert values[1 if name.startswith("planar") else 2] > 0.02 * model.reach()


def test_an_unknown_robot_is_told_with_those_that_are_known():
    assert "panda" in refused(names=["pandda"])
    assert "/" not in refused(names=["../../etc/passwd"]).replace("../../etc/passwd", "")
    assert "planar" in refused(names=["planar-0"])


@DESCRIPTIONS
def test_the_panda_shows_the_meshes_of_its_description_without_its_fingers_joints():
    found = opened(names=["panda"])
    (arm,) = json.loads(described(found, 1).encode())["arms"]
    assert arm["nq"] == load("panda").nq == 7
    assert {visual["format"] for visual in arm["visuals"]} == {"dae"}
    assert {visual["link"] for visual in arm["visuals"]} <= {frame["link"] for frame in arm["frames"]}
    assert found.notes == ()


@DESCRIPTIONS
def test_a_humanoid_has_its_hands_and_feet_as_tips():
    (arm,) = scene(names=["g1"])["arms"]
    assert arm["tips"][:2] == ["left_rubber_hand", "right_rubber_hand"]
    assert len(arm["tips"]) == 4
    assert arm["mass_known"]


@DESCRIPTIONS
def test_a_robot_without_its_description_has_no_shapes(monkeypatch):
    monkeypatch.setattr(registry.Package, "locate", lambda package, path: None)
    (arm,) = scene(names=["panda"])["arms"]
    assert arm["visuals"] == []
    assert "pip install" in refused(names=["g1"])


def test_no_warning_leaves_the_workshop():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        scene(text=URDF.replace('<limit lower="0" upper="1"/>', ""))


def test_messages_name_files_without_their_folders():
    for text in ("/home/me/a.urdf: no", "cannot open '/usr/lib/x/b.stl'", "C:\\Users\\me\\c.xml is bad"):
        told = room.without_folders(text)
        assert not {"home", "usr", "Users"} & set(told.replace("\\", "/").replace("'", "/").split("/"))
    for text in ("1/2 of a turn, and/or more", "robot/urdf/a.urdf:3: no", "package://a/b/c.stl"):
        assert room.without_folders(text) == text


def test_a_file_of_an_upload_is_named_with_its_folders():
    workshop = SceneOpener()
    token = keep(workshop, {"crane/urdf/crane.urdf": b"<robot><link/></robot>", "crane/a.stl": b""})
    assert refused(workshop=workshop, token=token).startswith("crane/urdf/crane.urdf:1: <link>")


# The shelf


def test_a_shelf_forgets_what_was_not_asked_for_longest():
    shelf = BoundedCache(max_items=2, max_bytes=100)
    shelf.put("a", 1, 10)
    shelf.put("b", 2, 10)
    assert shelf.get("a") == 1
    shelf.put("c", 3, 10)
    assert (shelf.get("a"), shelf.get("b"), shelf.get("c")) == (1, None, 3)
    shelf.put("d", 4, 95)
    assert (shelf.get("a"), shelf.get("c"), shelf.get("d"), len(shelf)) == (None, None, 4, 1)
    shelf.put("d", 5, 10)
    shelf.put("e", 6, 85)
    assert len(shelf) == 2
