"""The error over two joints."""

import numpy as np

from browser.playground import Playground

# The blue of a pixel of the map's ground less its red, near (x, y) as shares of its sides.
BLUE = """([x, y]) => {
  const map = document.querySelector('#landscape-map');
  const at = [Math.round(x * map.width), Math.round(y * map.height), 1, 1];
  const [red, , blue] = map.getContext('2d').getImageData(...at).data;
  return blue - red;
}"""


def share(q: np.ndarray) -> list[float]:
    """Where on the map a configuration of two joints is."""
    angle = np.arctan2(np.sin(q), np.cos(q)) / (2 * np.pi)
    return [0.5 + float(angle[0]), 0.5 - float(angle[1])]


def test_the_map_is_lowest_at_the_solutions_and_a_press_sends_the_arm_there(playground: Playground) -> None:
    playground.open("?n=2&algo=lm")
    playground.wait_reached("lm")
    q = playground.q("lm")
    playground.press("e")
    playground.wait_query(es="1")
    playground.until(
        lambda: "°" in (playground.find("#landscape-map").get_attribute("aria-label") or ""), "it is drawn"
    )
    (x0, y0), (x1, y1) = playground.state["base"], playground.state["target"]
    direction = np.arctan2(y0 - y1, x1 - x0)
    other = np.array([2 * direction - q[0], -q[1]])  # mirrored at the line to the target
    assert playground.page.evaluate(BLUE, share(other)) > 100
    assert playground.page.evaluate(BLUE, [0.02, 0.6]) < 60

    playground.find("#landscape-map").scroll_into_view_if_needed()
    box = playground.find("#landscape-map").bounding_box()
    assert box
    near = share(other + 0.3)
    playground.page.mouse.click(box["x"] + near[0] * box["width"], box["y"] + near[1] * box["height"])
    playground.until(lambda: np.abs(playground.q("lm") - q).max() > 0.5, "the arm sets out from there")
    playground.wait_reached("lm")
    assert np.sign(playground.q("lm")[1]) == -np.sign(q[1])


def test_the_joints_of_the_map_can_be_chosen_and_are_two_different_ones(playground: Playground) -> None:
    playground.open("?n=4&es=1")
    playground.find("#landscape-x").select_option("3")
    playground.wait_query(ex="3", ey="2")
    playground.find("#landscape-y").select_option("3")
    playground.wait_query(ex="2", ey="3")
    playground.type_number("n", 2)
    playground.until(
        lambda: {playground.find(f"#landscape-{axis}").input_value() for axis in "xy"} == {"1", "2"},
        "they are joints of the arm",
    )
