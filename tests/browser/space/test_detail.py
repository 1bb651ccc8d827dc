"""Where software draws there is less to draw, and the page says so."""

from collections.abc import Callable

from browser.space.stage import Space


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


def test_less_detail_leaves_no_empty_picture_and_at_rest_there_are_all_pixels(space: Space) -> None:
    """Another number of pixels empties the canvas: a picture follows before the display sees it."""
    space.show("robot=puma560")
    seen = space.ask("""(async () => {
      const seen = [];
      const { draw, setPixels } = stage.studio;
      stage.studio.draw = function (camera) { seen.push('drawn'); return draw.call(this, camera); };
      stage.studio.setPixels = function (ratio) { seen.push(ratio); return setPixels.call(this, ratio); };
      const count = () => { seen.push('shown'); if (seen.length < 200) requestAnimationFrame(count); };
      Object.defineProperty(window, 'devicePixelRatio', { value: 1 }); // tests have half of it
      stage.detail.step = 4;
      stage.reduce();
      requestAnimationFrame(count);
      await new Promise((done) => setTimeout(done, 1500));
      delete stage.studio.draw;
      delete stage.studio.setPixels;
      return seen;
    })()""")
    assert isinstance(seen, list)
    ratios = [each for each in seen if each not in ("drawn", "shown")]
    assert ratios[0] == 0.5 and ratios[-1] == 1  # at rest all of them
    for place, each in enumerate(seen):
        assert each in ("drawn", "shown") or seen[place + 1] == "drawn"
