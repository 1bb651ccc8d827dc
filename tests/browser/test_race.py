"""Several solvers at once: the same start, the same target, one table."""

import numpy as np

from browser.playground import SOLVERS, Playground, Point, tip


def cell(playground: Playground, solver: str, name: str) -> str:
    return playground.find(f"#race-rows tr[data-solver={solver}] [data-cell={name}]").inner_text()


def test_all_solvers_reach_the_target_and_fill_the_table(playground: Playground) -> None:
    playground.open(f"?race={','.join(SOLVERS)}&n=5&L=60&it=32&cv=0")
    assert not playground.find("#hud").is_visible()
    playground.page.mouse.click(520, 260)
    playground.wait_at((520, 260))
    for solver in SOLVERS:
        playground.wait_reached(solver)
        playground.until(
            lambda solver=solver: float(cell(playground, solver, "error")) < 1, f"{solver}'s row says so"
        )
        playground.until(
            lambda solver=solver: cell(playground, solver, "tolerance").isdigit(), "iterations stand there"
        )
        playground.until(
            lambda solver=solver: cell(playground, solver, "cost") != "–", "an iteration is measured"
        )
        assert float(cell(playground, solver, "cost")) > 0
        assert cell(playground, solver, "violations") == "–"
        assert cell(playground, solver, "tracking") == "–"
    colours = playground.page.evaluate(
        """[...document.querySelectorAll('#race-rows tr')]
          .map((row) => getComputedStyle(row).getPropertyValue('--colour'))"""
    )
    assert len(set(colours)) == len(SOLVERS)


def test_every_arm_starts_from_the_same_pose_whenever_the_set_changes(playground: Playground) -> None:
    playground.open("?algo=dls&n=4&cv=0")
    playground.page.mouse.click(300, 250)
    playground.wait_at((300, 250))
    playground.wait_reached("dls")

    def starts() -> list[dict[str, list[float]]]:
        return [request["start"] for request in playground.requests if request["start"]]

    playground.find("#race-switch").click()
    playground.until(lambda: 4 in map(len, starts()), "four solvers are asked")
    playground.find(".chip[data-solver=newton]").click()
    playground.find("#race-restart").click()
    playground.until(lambda: "newton" in playground.state["arms"], "Newton has joined")
    playground.wait_reached("newton")
    assert 5 in map(len, starts())
    for start in starts():
        poses = np.array(list(start.values()))
        assert np.ptp(poses, axis=0).max() == 0
    assert all(len(request["solvers"]) == len(set(request["solvers"])) for request in playground.requests)


def test_any_subset_can_race_and_one_can_be_brought_to_the_front(playground: Playground) -> None:
    playground.open("?algo=ccd")
    playground.find("#race-switch").click()
    playground.wait_query(race="ccd,fabrik,jt,dls")
    playground.find(".chip[data-solver=jt]").click()
    playground.find(".chip[data-solver=ccd]").click()
    playground.wait_query(race="fabrik,dls")
    playground.find("tr[data-solver=dls]").click()
    assert "is-front" in (playground.find("tr[data-solver=dls]").get_attribute("class") or "")
    playground.press("6")
    playground.wait_query(race="fabrik,dls,sdls", algo="sdls")
    for solver in ("fabrik", "dls", "sdls"):
        playground.find(f".chip[data-solver={solver}]").click()
    playground.wait_query(race="sdls")  # the last one stays
    playground.find("#race-switch").click()
    playground.wait_query(race="", algo="sdls")
    assert playground.find("#hud").is_visible()


def test_the_table_counts_limits_and_tracks_a_moving_target(playground: Playground) -> None:
    playground.open("?race=ccd,fabrik,jt,dls&lm=1&ld=60&mv=eight&sp=0.5&it=32&cv=0")
    for solver in ("ccd", "fabrik", "jt", "dls"):
        playground.until(
            lambda solver=solver: cell(playground, solver, "tracking") != "–", "the tracking error is there"
        )
        assert float(cell(playground, solver, "tracking")) >= 0
        assert cell(playground, solver, "violations").isdigit()


# A race in slow motion

SOME = ("ccd", "fabrik", "jt", "dls")
FIRST = np.full(5, np.pi / 2 / 5)  # the first pose of five links


def shown(playground: Playground) -> int | None:
    """The step that is shown; None: the present."""
    words = playground.find("#scrub-text").inner_text().split()
    return int(words[1]) if words[0] == "step" else None


def begin_race(playground: Playground, query: str = "?n=5&L=60&cv=1", click: Point = (520, 300)) -> None:
    """Solve, then have a race that stands at its first pose."""
    playground.open(query)
    playground.page.mouse.click(*click)
    playground.wait_at(click)
    playground.wait_reached("dls")
    playground.press("p")
    playground.press("r")
    playground.until(lambda: shown(playground) == 0, "the race begins")
    playground.until(
        lambda: int(playground.find("#scrub").get_attribute("max") or 0) > 3, "there is something to show"
    )
    playground.wait_readout()


def place(playground: Playground, solver: str) -> str:
    return cell(playground, solver, "place").strip()


def wait_over(playground: Playground) -> None:
    playground.until(lambda: shown(playground) is None, "the race is over")
    playground.wait_readout()


def test_a_race_begins_at_the_first_pose_of_all_arms(playground: Playground) -> None:
    begin_race(playground)
    for solver in SOME:
        assert np.allclose(playground.q(solver), FIRST, atol=1e-6)
        assert float(cell(playground, solver, "error")) > 50
        assert (place(playground, solver), cell(playground, solver, "tolerance")) == ("–", "–")
    assert playground.find("#race-news").inner_text() == "0 of 4 have finished"
    assert playground.requests[-1]["settings"]["iterations"] == 64
    assert playground.requests[-1]["trace"]


def test_a_race_goes_step_by_step_and_its_table_with_it(playground: Playground) -> None:
    begin_race(playground)
    before = {solver: playground.error(solver) for solver in SOME}
    for step in (1, 2):
        playground.press(".")
        playground.until(lambda step=step: shown(playground) == step, f"step {step} is shown")
        playground.wait_readout()
        for solver in SOME:
            end = tip(playground.q(solver), 60, playground.problem["base"])
            missed = np.hypot(*np.subtract(end, playground.problem["target"]))
            assert abs(playground.error(solver) - missed) < 0.01
            assert abs(float(cell(playground, solver, "error")) - missed) < 0.6
            assert missed < before[solver] + 1e-3
            is_met = missed <= 0.1
            assert cell(playground, solver, "tolerance").isdigit() == is_met or step == 2
            assert place(playground, solver).isdigit() == cell(playground, solver, "tolerance").isdigit()
    playground.find("#race-speed").fill("6")
    playground.press("p")  # on it goes
    wait_over(playground)
    assert playground.find("#race-news").inner_text()


def test_places_follow_the_iterations_to_the_tolerance_and_equal_ones_share_them(
    playground: Playground,
) -> None:
    begin_race(playground)
    playground.press("p")
    playground.find("#race-speed").focus()
    for _ in range(3):
        playground.press("ArrowRight")
    wait_over(playground)
    needed = {solver: int(cell(playground, solver, "tolerance")) for solver in SOME}
    for solver in SOME:
        ahead = sum(other < needed[solver] for other in needed.values())
        assert place(playground, solver) == str(1 + ahead)
        assert playground.find(f"tr[data-solver={solver}] td .icon").is_visible()
    news = playground.find("#race-news")  # which is written a frame later
    playground.until(
        lambda: any(word in news.inner_text() for word in ("wins", "share first place")), "it says who wins"
    )


def test_as_fast_as_it_goes_there_is_no_slow_motion(playground: Playground) -> None:
    begin_race(playground)
    playground.find("#race-speed").fill("7")
    wait_over(playground)
    assert playground.find("#race-speed").get_attribute("aria-valuetext") == "as fast as it goes"
    playground.press("p")
    playground.find("#race-restart").click()
    playground.wait_reached("jt")
    assert shown(playground) is None
    assert playground.requests[-1]["settings"]["iterations"] == 8


def test_out_of_reach_the_table_says_that_nobody_finishes(playground: Playground) -> None:
    playground.open("?n=2&L=40&cv=1&race=ccd,dls&mx=400&my=400&tx=700&ty=200&px=1")
    playground.find("#race-restart").click()
    playground.until(lambda: shown(playground) == 0, "the race begins")
    playground.until(
        lambda: playground.find("#race-news").inner_text() == "Out of reach: nobody finishes", "it says so"
    )
    playground.press("p")  # on it goes
    playground.find("#scrub-live").click()
    wait_over(playground)
    assert playground.find("#race-news").inner_text() == "Out of reach: nobody finishes"
    assert [place(playground, solver) for solver in ("ccd", "dls")] == ["–", "–"]


def test_a_hand_ends_the_slow_motion_and_the_arms_follow(playground: Playground) -> None:
    begin_race(playground)
    playground.press("p")
    playground.page.mouse.click(560, 340)
    playground.wait_at((560, 340))
    for solver in SOME:
        playground.wait_reached(solver)
    assert shown(playground) is None


def test_columns_with_nothing_to_say_are_left_out_and_the_table_folds(playground: Playground) -> None:
    playground.open("?race=ccd,dls&cv=0")
    heads = playground.find("#race-table th[data-column]")

    def columns() -> list[str]:
        return [head.get_attribute("data-column") or "" for head in heads.all() if head.is_visible()]

    assert columns() == ["place", "error", "tolerance", "cost"]
    playground.find("#lm").click()
    playground.press("c")
    playground.until(
        lambda: columns() == ["place", "error", "tolerance", "cost", "violations", "tracking"],
        "limits and tracking are there",
    )
    height = playground.find("#race").bounding_box()["height"]
    playground.find("#race-fold").click()
    assert playground.find("#race-fold").get_attribute("aria-expanded") == "false"
    assert playground.find("#race").bounding_box()["height"] < height / 1.5
    assert playground.find("#race-restart").is_visible()
    playground.find("#race-fold").click()
    assert playground.find("#race").bounding_box()["height"] == height
