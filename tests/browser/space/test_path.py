"""A path that is followed: chosen, drawn or dropped, played, and marked where it breaks."""

from typing import Any

import numpy as np
from numpy.testing import assert_allclose

from browser.space.stage import Space, settings_in

SEEN = "[...stage.crew.arms[0].bodies.get('lm').q]"
MARKS = "stage.path.drawn.marks.map(({ colour }) => colour)"
POSES = "time,x,y,z,roll,pitch,yaw\n0,-0.6,-0.133,0.5,0,0,1.5708\n2,-0.6,0.133,0.5,0,0,1.5708\n"


def path_of(space: Space) -> dict[str, Any]:
    return space.state["path"] or {}


def verdict(space: Space) -> str:
    return space.find("#path-verdict").inner_text()


def test_a_path_is_chosen_played_drawn_and_dropped_and_says_where_it_breaks(space: Space) -> None:
    space.show("robot=ur5e")
    rest = space.q_of(0)
    space.find("[name=path][value=circle]").check(force=True)
    space.until(lambda: path_of(space).get("complete"), "the circle is planned")
    assert "without a break" in verdict(space)
    assert space.find("#path-joints canvas").count() == 6
    space.wait_query(path="circle")
    space.find("#view").focus()
    space.press("w")
    space.until(lambda: path_of(space)["time"] > 0.2, "it is played")
    space.press("w")
    space.until(lambda: not path_of(space)["isPlaying"], "it pauses")
    assert_allclose(space.ask(SEEN), path_of(space)["q"], atol=1e-6)
    assert np.abs(space.ask(SEEN) - rest).max() > 0.01
    space.wait_readout()
    told = [
        float(field.get_attribute("value") or field.input_value())
        for field in space.find("#joints input[type=number]").all()
    ]
    assert_allclose(np.radians(told), path_of(space)["q"], atol=1e-3)
    assert space.find("#hud-error").inner_text() == "–"

    space.find("#ps").fill("0.45")
    space.press("Enter")
    space.until(lambda: path_of(space).get("reasons") == ["no solution"], "the large one leaves the reach")
    assert space.ask(MARKS) == ["out-of-reach"]
    assert "No configuration reaches" in space.find("#path-breaks").inner_text()
    space.find("#path-breaks button").click()
    at_break = space.until(lambda: path_of(space)["isHeld"] and path_of(space)["time"], "it is shown")
    space.find("#path-time").focus()
    space.press("Home")
    space.until(lambda: path_of(space)["time"] == 0, "the slider leads to the beginning")
    plot = space.find("#path-joints canvas").first
    part = at_break / path_of(space)["duration"]
    plot.click(position={"x": part * plot.evaluate("plot => plot.clientWidth"), "y": 5})
    space.until(lambda: abs(path_of(space)["time"] - at_break) < 0.1, "so does a click on a plot")
    space.find("#view").focus()
    space.press("Escape")
    space.until(lambda: not path_of(space)["isHeld"], "it is left")
    space.wait_resting()
    assert_allclose(space.ask(SEEN), rest, atol=1e-6)

    space.press("d")
    x, y = space.goal_point(0)
    space.drag((x, y), (x + 40, y + 30), steps=5)
    space.until(lambda: space.query.get("path") == "drawn", "a stroke is drawn")
    space.until(lambda: path_of(space).get("duration"), "it is planned")
    points = np.array([list(map(float, each.split(","))) for each in space.query["pts"].split(";")])
    assert_allclose(points[0], space.goals[0]["position"], atol=5e-3)
    assert len(points) > 3

    space.drop(("poses.csv", POSES))
    space.until(lambda: space.query.get("path") == "file", "a file is dropped")
    space.until(lambda: path_of(space).get("duration") == 2, "its times are kept")
    link = settings_in(space.copied_link())
    assert (link["path"], link["csvname"]) == ("file", "poses.csv")
    space.drop(("bad.csv", POSES.replace(",0.133", ",a")))
    space.until(lambda: "bad.csv:3: y needs a finite number" in verdict(space), "it is refused by the line")


def test_a_link_opens_the_path(space: Space) -> None:
    space.show("robot=ur5e&path=drawn&pts=-0.6,-0.133,0.5;-0.6,0.133,0.5&pr=2")
    space.until(lambda: path_of(space).get("complete"), "it is planned")
    assert space.find("#pr").input_value() == "2"
    space.find("[name=path][value=none]").check(force=True)
    space.until(lambda: space.state["path"] is None, "there is none")
    assert space.ask("stage.path.drawn.lines.length") == 0
