"""Several solvers at once: the same start, the same target, one table."""

import numpy as np

from browser.playground import SOLVERS, Playground


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
