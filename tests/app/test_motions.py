"""Motions for the page, over a real socket: opened, changed, brought to robots, saved; hostile files."""

import json
import urllib.error
import urllib.request

import numpy as np
import pytest
from websockets.sync.client import connect

import limbik
from limbik.app import connection
from limbik.app.motions import opener
from limbik.app.motions import upload as reading
from limbik.app.motions.changes import changed
from limbik.app.motions.example import example
from limbik.app.protocol.motion import Drag
from limbik.app.server import running
from limbik.errors import FormatError
from limbik.motion.body.anatomy import UPWARD
from motion.people import crouching

PATIENCE = 300.0  # [s]
STAND = {"kind": "stand"}


@pytest.fixture(scope="module")
def address():
    """A server that compiles nothing ahead."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(connection, "warm_up", lambda name: None)
        patch.setattr(connection, "warm_up_in_space", lambda name: None)
        with running() as address:
            yield address


@pytest.fixture
def page(address):
    with connect(address.replace("http", "ws") + "/ws", origin=address, max_size=None) as page:
        yield page


def ask(page, **message):
    page.send(json.dumps({"type": "motion", "id": 7, **message}))
    while (told := json.loads(page.recv(timeout=PATIENCE)))["type"] == "status":
        pass
    return told


def upload(address, name, content):
    request = urllib.request.Request(f"{address}/upload", content, {"X-Name": name, "Origin": address})
    with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
        return json.loads(answer.read())["token"]


def get(address, path):
    with urllib.request.urlopen(f"{address}/{path}", timeout=PATIENCE) as answer:
        return answer.read(), answer.headers


def numbers(address, shown):
    """q of the parts, each [T, nq]."""
    flat = np.frombuffer(get(address, f"motion/{shown['key']}")[0], "<f4")
    widths = [shown["arms"][0]["nq"], *(arm["nq"] for arm in shown["arms"])]
    ends = np.cumsum([shown["frames"] * width for width in widths])
    assert len(flat) == ends[-1]
    pieces = np.split(flat, ends[:-1])
    return [piece.reshape(shown["frames"], width) for piece, width in zip(pieces, widths, strict=True)]


def test_the_example_has_the_defects_it_is_there_to_show_and_standing_mends_them(page, address):
    shown = ask(page, changes=[STAND])
    assert (shown["type"], shown["id"], shown["name"]) == ("shown", 7, "walk.bvh")
    before, after = shown["measures"]
    assert before["slide_cm_s"] > 5.0
    assert before["depth_mm"] > 10.0
    assert after["slide_cm_s"] < 0.05
    assert after["depth_mm"] < 1.0
    assert len(shown["curves"]["slide_after"]) == shown["frames"]
    assert [foot["name"] for foot in shown["feet"]] == ["LeftFoot", "RightFoot"]
    assert all(first <= last for foot in shown["feet"] for first, last in foot["spans"])
    assert {"Hips", "LeftHand", "RightFoot"} <= set(shown["links"])
    old, new = numbers(address, shown)
    assert np.abs(old - new).max() > 0.01


@pytest.mark.parametrize("ground", ["slope", "stairs", "hills"])
def test_feet_stand_on_every_ground_that_is_drawn(page, ground):
    shown = ask(page, changes=[{**STAND, "ground": ground}])
    after = shown["measures"][1]
    assert after["slide_cm_s"] < 0.05
    assert after["depth_mm"] < 25.0
    vertices = np.reshape(shown["ground"]["vertices"], (-1, 3))
    assert np.ptp(vertices[:, 2]) > 0.1
    assert max(shown["ground"]["faces"]) < len(vertices)


def test_changes_follow_each_other_and_can_be_taken_back(page, address):
    place = [0.9, 0.3, 1.4]
    drag = {"kind": "drag", "link": "LeftHand", "frame": 60, "place": place, "falloff": 0.2}
    both = ask(page, changes=[STAND, drag])
    one = ask(page, changes=[STAND])
    assert both["key"] != one["key"]
    q, without = numbers(address, both)[1], numbers(address, one)[1]
    changed = np.flatnonzero(np.abs(q - without).max(axis=1) > 1e-6)
    assert 60 in changed
    assert abs(changed - 60).max() * both["dt"] <= 0.2
    assert ask(page, changes=[STAND, drag])["key"] == both["key"]


def test_a_robot_does_the_same_beside_it_and_is_saved(page, address, tmp_path):
    shown = ask(page, changes=[STAND], robot="g1")
    assert [arm["title"] for arm in shown["arms"]] == ["walk.bvh", "Unitree G1 (29 joints)"]
    assert shown["measures"][2]["slide_cm_s"] < 1.0
    content, headers = get(address, f"motion/{shown['key']}/robot")
    assert "attachment" in headers["Content-Disposition"]
    file = tmp_path / "robot.csv"
    file.write_bytes(content)
    saved = limbik.load_motion(file, model="g1")
    assert saved.q == pytest.approx(numbers(address, shown)[2], abs=1e-6)


def test_a_file_is_opened_and_saved_in_its_own_format(page, address):
    token = upload(address, "crouch.bvh", crouching().encode())
    shown = ask(page, token=token, changes=[{"kind": "clean", "cutoff_hz": 5.0}])
    assert (shown["name"], shown["frames"], shown["up"]) == ("crouch.bvh", 61, "y")
    text, _ = get(address, f"motion/{shown['key']}/body")
    assert limbik.load_motion(text.decode()).q == pytest.approx(numbers(address, shown)[1], abs=1e-5)
    large = ask(page, token=token, unit="m")
    places = [np.array(each["arms"][0]["q"][:3]) for each in (shown, large)]  # of the hips
    assert places[1] == pytest.approx(100.0 * places[0])
    assert not shown["notes"]
    for _ in range(2):  # the second time it is kept
        planted = ask(page, token=token, unit="m", changes=[STAND])
        assert any("legs are" in note and "give the unit" in note for note in planted["notes"])


def test_of_one_frame_no_table_is_offered(page, address, tmp_path):
    text = crouching(frames=2).replace("Frames: 2", "Frames: 1").rstrip("\n").rpartition("\n")[0]
    token = upload(address, "still.bvh", text.encode())
    shown = ask(page, token=token, robot="g1")
    assert set(shown["files"]) == {"body", "robot"}
    robot = tmp_path / shown["files"]["robot"]
    robot.write_bytes(get(address, f"motion/{shown['key']}/robot")[0])
    assert len(limbik.load_motion(robot)) == 1


def test_a_file_that_cannot_hold_a_motion_is_told_of_by_its_name(address, page, monkeypatch):
    def save(motion, path):
        raise FormatError(str(path), "CSV needs names of joints in one line")

    key = ask(page)["key"]
    monkeypatch.setattr(limbik.Motion, "save", save)
    with pytest.raises(urllib.error.HTTPError) as told:
        get(address, f"motion/{key}/table")
    assert told.value.code == 409
    assert told.value.read().decode() == "walk-changed.csv: CSV needs names of joints in one line\n"


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("broken.bvh", crouching().replace("CHANNELS 3", "CHANNELS three", 1), "broken.bvh:"),
        ("nan.bvh", crouching()[:-20] + " nan\n", "frame 60"),
        ("text.bvh", "hello", "begins with HIERARCHY"),
        ("robot.urdf", "<robot/>", "holds no motion"),
        ("cut.glb", "glTF", "cut.glb"),
    ],
)
def test_a_file_that_cannot_be_read_is_told_of_by_its_name(page, address, name, content, words):
    told = ask(page, token=upload(address, name, content.encode()))
    assert told["type"] == "error"
    assert words in told["message"]
    assert "/tmp" not in told["message"]


def test_a_file_that_is_too_long_is_refused(page, address, monkeypatch):
    monkeypatch.setattr(reading, "MAX_NUMBERS", 1000)
    told = ask(page, token=upload(address, "long.bvh", crouching(family="biovision").encode()))
    assert "the page shows at most" in told["message"]


@pytest.mark.parametrize(
    ("message", "words"),
    [
        ({"token": "0" * 40}, "no longer has these files"),
        ({"changes": [{"kind": "jump"}]}, "clean, stand or drag"),
        ({"changes": [{"kind": "stand", "slope": 80}]}, "slope"),
        ({"changes": [{"kind": "stand", "ground": "ice"}]}, "ground"),
        ({"changes": [{"kind": "drag", "link": "Nose", "frame": 0, "place": [0, 0, 0]}]}, "LeftFoot"),
        ({"changes": [{"kind": "drag", "link": "Hips", "frame": 999, "place": [0, 0, 0]}]}, "0 to 180"),
        ({"changes": [{"kind": "clean", "cutoff_hz": 400}]}, "cutoff"),
        ({"changes": [STAND] * 101}, "at most 100"),
        ({"robot": "nobody"}, "there is no robot"),
        ({"robot": "pnada"}, "there is no robot 'pnada'; did you mean 'panda'"),
        ({"unit": "ell"}, "unit"),
        ({"unit": -1}, "unit"),
        ({"up": "w"}, "up"),
        ({"more": 1}, "more"),
    ],
)
def test_what_cannot_be_done_is_said(page, message, words):
    told = ask(page, **message)
    assert (told["type"], told["id"]) == ("error", 7)
    assert words in told["message"]


@pytest.mark.parametrize("path", ["motion/0000", "motion/0000/body", "motion/../secret"])
def test_what_is_not_open_is_not_there(address, path):
    with pytest.raises(urllib.error.HTTPError) as error:
        get(address, path)
    assert error.value.code == 404


def test_what_is_dragged_again_in_the_same_frame_goes_where_it_is_put_last():
    """Another change in between."""
    motion, done = example(), ()
    places = [("LeftHand", (0.9, 0.3, 1.4)), ("Hips", (0.9, 0.1, 0.9)), ("LeftHand", (0.9, 0.35, 1.3))]
    for link, place in places:
        drag = Drag(link=link, frame=60, place=place, falloff=0.2)
        motion, done = changed(motion, drag, done), (*done, drag)
    hand = motion.model.pose(motion.q[60], "LeftHand")[:3, 3]
    np.testing.assert_allclose(hand @ UPWARD[motion.up].T, places[-1][1], atol=1e-6)


def test_a_motion_that_is_too_long_for_a_robot_is_shown_without_it(page, monkeypatch):
    monkeypatch.setattr(opener, "LONGEST_RETARGET", 10)
    told = ask(page, robot="g1")
    assert told["type"] == "shown" and len(told["arms"]) == 1
    assert any("the page brings at most 10 frames to a robot" in note for note in told["notes"])


def test_a_body_that_a_robot_cannot_follow_is_shown_without_it(page, address):
    """An arm is no humanoid, and legs alone are no body: the robot says why it is off."""
    told = ask(page, robot="panda")
    assert told["type"] == "shown" and len(told["arms"]) == 1
    (note,) = [note for note in told["notes"] if "does not follow" in note]
    assert note.startswith("Franka Emika Panda does not follow: ") and "no humanoid" in note
