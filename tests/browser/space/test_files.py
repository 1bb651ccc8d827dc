"""Files that are dropped on the page, good and bad ones, and robots that are chosen."""

import io
import zipfile
from pathlib import Path

import numpy as np
import pytest

from browser.space.stage import Space, arm_query

EXAMPLES = Path(__file__).parents[3] / "examples"
TWO_ARMS = (EXAMPLES / "two_arms.arm").read_text()
URDF = (EXAMPLES / "arm.urdf").read_text()
MJCF = """<mujoco model="hook"><worldbody><body name="upper">
  <joint name="swing" axis="0 1 0"/><geom type="capsule" size=".03" fromto="0 0 0 0 0 .4"/>
  <body name="lower" pos="0 0 .4">
    <joint name="bend" axis="0 1 0"/><geom type="capsule" size=".03" fromto="0 0 0 0 0 .3"/>
  </body>
</body></worldbody></mujoco>"""


def zipped(name: str, text: str) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr(name, text)
    return buffer.getvalue()


def opened(space: Space, name: str) -> None:
    space.until(lambda: space.find("#scene-title").inner_text() == name, f"{name} is open")
    space.wait_resting()


def test_files_of_every_format_are_opened_and_bad_ones_are_explained_in_place(space: Space) -> None:
    space.show(arm_query(TWO_ARMS, "two_arms.arm"))
    kept = space.goals
    bad = TWO_ARMS.replace("seg 2 0.8", "seg 2 long")
    space.drop(("bad.arm", bad))
    space.until(lambda: space.find("#fault").is_visible(), "the fault is shown")
    fault = space.find("#fault").inner_text()
    assert "bad.arm could not be opened" in fault
    assert "'long'" in fault
    assert str(1 + bad.splitlines().index("seg 2 long 1.57 1.57")) in fault
    space.until(lambda: space.goals == kept, "the scene before is still there")
    space.find("#fault-close").click()
    for name, content in (
        ("arm.urdf", URDF),
        ("scara.csv", (EXAMPLES / "scara.csv").read_text()),
        ("hook.xml", MJCF),
        ("stone.urdf", '<robot name="stone"><link name="stone"/></robot>'),
        ("robot.zip", zipped("robot/urdf/arm.urdf", URDF)),
    ):
        space.drop((name, content))
        opened(space, name)
        assert not space.find("#fault").is_visible()
        assert "refused" not in space.notices
    assert "token=" in space.copied_link()
    assert "while the server keeps them" in space.notices
    for name, content, told in (("nothing.txt", "hello", "found 'hello'"), ("empty.urdf", "", "is empty")):
        space.drop((name, content))
        space.until(lambda told=told: told in space.find("#fault").inner_text(), "the fault is shown")


def test_a_long_file_with_a_wrong_count_is_opened_leniently(space: Space) -> None:
    space.show(arm_query(TWO_ARMS, "two_arms.arm"))
    noise = np.random.default_rng(0).random((400, 3))
    remarks = "\n".join(f"# {a} {b} {c}" for a, b, c in noise)  # which no link can carry
    space.drop(("long.arm", f"{remarks}\narm 3 0 0 0\nseg 1 1 1\nseg 1 1 1\ngoal 1 0 1\n"))
    space.until(lambda: space.find("#fault").is_visible(), "the fault is shown")
    space.find("#fault-lenient").click()
    opened(space, "long.arm")
    space.wait_query(lenient="1")
    assert "found 2" in space.find("#scene-notes").inner_text()


@pytest.mark.parametrize("query", ["robot=nobody", "arm=AAAA"])
def test_links_that_open_nothing_say_why(space: Space, query: str) -> None:
    space.open(f"?view=3d&{query}", live=False)
    space.until(lambda: space.find("#fault").is_visible(), "the fault is shown")
    assert "could not be opened" in space.find("#fault").inner_text()


def test_robots_are_found_by_their_names_and_stand_side_by_side(space: Space) -> None:
    space.show(arm_query(TWO_ARMS, "two_arms.arm"))
    space.press("b")
    assert space.find("#robots").is_visible()
    total = space.find("#robots-list li").count()
    space.find("#robots-search").fill("puma")
    assert 0 < space.find("#robots-list li").count() < total
    space.press("Enter")
    space.until(lambda: space.find("#scene-title").inner_text().startswith("Unimation"), "it is open")
    space.wait_resting()
    space.drag_goal("z", 0, -10)
    goal, q = space.goals[0], space.q_of(0)
    space.find("#robots-open").click()
    space.find("#robots-search").fill("puma")
    space.find("#robots-list [data-beside=puma560]").click()
    space.until(lambda: len(space.state["arms"]) == 2, "two stand there")
    space.wait_resting()
    assert (space.goals[0], space.state["selected"]) == (goal, 1)
    assert np.array_equal(space.q_of(0), q)
    first, second = (goal["position"] for goal in space.goals)
    assert abs(second[1] - first[1]) > 0.3
    assert len(space.goals) == 2
    space.wait_query(robot="puma560,puma560")


def test_the_scene_that_is_shown_stays_when_a_later_one_fails_after_another_was_asked_for(
    space: Space,
) -> None:
    space.show(arm_query(TWO_ARMS, "two_arms.arm"))
    space.find("#robots-open").click()
    space.page.evaluate(
        """() => {
          document.querySelector('#robots-list [data-robot=puma560]').click();
          const transfer = new DataTransfer();
          transfer.items.add(new File(['arm 2 0 0 0\\nseg long 1 1\\n'], 'bad.arm'));
          const event = { dataTransfer: transfer, bubbles: true, cancelable: true };
          document.body.dispatchEvent(new DragEvent('drop', event));
        }"""
    )
    space.until(lambda: space.find("#fault").is_visible(), "the fault is shown")
    space.find("#fault-close").click()
    space.wait_resting()  # on the robot, where its answer came before the file was read; else on the two arms
    lower = round(space.goals[0]["position"][2] - 0.05, 3)
    field = space.find("#goal-position input").nth(2)
    field.fill(str(lower))
    field.press("Enter")
    space.until(lambda: space.goals[0]["position"][2] == lower, "the goal is where it was typed")
    space.wait_resting()
    assert space.status_of(0) == "solved"
    assert "refused" not in space.notices


def test_another_scene_begins_on_a_fixed_base(space: Space) -> None:
    space.show("robot=puma560&base=floating")
    assert space.find("#floating").is_checked()
    space.drop(("arm.urdf", URDF))
    opened(space, "arm.urdf")
    assert not space.find("#floating").is_checked()
    space.until(lambda: "base" not in space.query, "the address has forgotten the base")


def test_what_a_link_says_of_joints_that_are_not_there_is_left_out_and_told(space: Space) -> None:
    query = arm_query(TWO_ARMS, "two_arms.arm") + "&lock=0:nothing;5:arm1.s0.phi&q=0:1,2"
    space.open(f"?view=3d&{query}", live=False)
    space.until(lambda: space.notices, "the page says so")
    notices = space.notices
    for told in ("has no joint nothing", "there is no arm 5", "numbers, found 2"):
        assert told in notices
    space.wait_query(lock="")
