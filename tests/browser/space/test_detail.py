"""Where software draws there is less to draw, and the page says so."""

from collections.abc import Callable

import pytest

from browser.space.stage import Space

DETAIL = """async (times) => {
  const { Detail } = await import('/static/space/detail.js');
  const detail = new Detail(false);
  const steps = [];
  let now = 0;
  for (const time of times) {
    now += time;
    if (detail.drew(now)) steps.push(detail.step);
  }
  return { steps, note: detail.note, pixels: detail.pixels };
}"""


def test_software_draws_without_shadow_and_says_so(space: Space) -> None:
    space.open("?view=3d&robot=puma560&cv=0", live=False)
    space.wait_scene()
    assert space.ask("stage.detail.isSoftware") is True
    assert space.ask("stage.studio.lamp.castShadow") is False
    assert not space.find("#sh").is_checked()
    assert "sh" not in space.query
    assert space.find("#detail-note").inner_text().startswith("Drawn without a graphics card: no shadow")
    space.find("#sh").check(force=True)
    space.until(lambda: space.ask("stage.studio.lamp.castShadow"), "the shadow that was asked for is there")


def test_the_arm_is_drawn_where_it_is(make_space: Callable[..., Space]) -> None:
    space = make_space(is_drawn=True).show("robot=puma560")
    at_rest = space.page.screenshot()
    space.drag_goal("x", 60, 0)
    moved = space.page.screenshot()
    assert moved != at_rest
    space.find("#view").evaluate("(view) => { view.style.visibility = 'hidden'; }")
    empty = space.page.screenshot()
    assert len(moved) > len(empty) + 2000  # bytes of a PNG: there is something to see


@pytest.mark.parametrize(
    ("times", "steps"),
    [
        ([16] * 200, []),
        ([120] * 13, [1]),
        ([120] * 200, [1, 2, 3, 4]),  # and no further
        ([120] * 26 + [16] * 400, [1, 2]),  # what has gone does not come back
        (([16] * 11 + [400]) * 10, []),  # a single long one counts for nothing
        ([5000] * 40, []),  # nor do pauses
    ],
)
def test_detail_goes_in_steps_and_does_not_come_back(
    space: Space, times: list[int], steps: list[int]
) -> None:
    space.open_bare()
    found = space.page.evaluate(DETAIL, times)
    assert found["steps"] == steps
    assert bool(found["note"]) == (len(steps) > 1)


def test_the_picture_has_no_gizmo_and_the_page_has_it_again(space: Space) -> None:
    space.show("robot=puma560")
    drawn = """(async () => {
      const seen = [];
      const draw = stage.studio.draw;
      stage.studio.draw = function (camera) {
        seen.push(stage.gizmo.visible);
        return draw.call(this, camera);
      };
      await stage.snapshot();
      await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
      delete stage.studio.draw;
      return seen;
    })()"""
    assert space.ask(drawn) == [False, True]
