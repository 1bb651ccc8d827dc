"""Joint limits and the rest pose, as the page shows them."""

import numpy as np

from browser.playground import SOLVERS, Playground, near


def test_no_arm_ever_shows_a_joint_outside_its_limits(playground: Playground) -> None:
    playground.open(f"?race={','.join(SOLVERS)}&lm=1&ld=35&sl=1&n=6&L=60&it=8&cv=0")
    limit = np.deg2rad(35) + 1e-5
    for target in ((200, 420), (500, 200), (600, 480), (480, 300), (100, 480)):
        playground.page.mouse.click(*target)
        playground.wait_at(target)
        for _ in range(4):
            playground.page.wait_for_timeout(60)
            for solver, arm in playground.state["arms"].items():
                assert np.abs(arm["q"]).max() <= limit, (solver, target, arm["q"])
    rows = playground.find("#race-rows [data-cell=violations]").all_inner_texts()
    assert rows == ["0"] * len(SOLVERS)


def test_limits_can_be_tightened_and_opened_while_the_arm_stands(playground: Playground) -> None:
    playground.open("?algo=ccd&n=4&L=60&cv=0&mx=400&my=400&tx=430&ty=370")
    playground.wait_reached("ccd")
    assert np.abs(playground.q("ccd")).max() > np.deg2rad(40)
    playground.find("#lm").click()
    playground.type_number("ld", 25)
    playground.until(
        lambda: np.abs(playground.q("ccd")).max() <= np.deg2rad(25) + 1e-5, "all joints are inside"
    )
    playground.wait_query(lm="1", ld="25", sl="1")  # the arcs come with the limits
    playground.find("#lm").click()
    playground.wait_reached("ccd")


def test_arcs_are_drawn_where_they_are_asked_for(playground: Playground) -> None:
    playground.open("?lm=1&px=1&cv=0")
    area = {"x": 300, "y": 100, "width": 560, "height": 560}
    without = playground.page.screenshot(clip=area)
    playground.find("#sl").click()
    playground.page.mouse.move(5, 400)
    playground.until(lambda: playground.page.screenshot(clip=area) != without, "there are arcs")


def test_a_rest_pose_can_be_set_draws_the_arm_and_can_be_reset(playground: Playground) -> None:
    playground.open("?algo=dls&n=6&L=60&cv=0&mx=400&my=420&tx=560&ty=300")
    playground.wait_reached("dls", 0.1)  # the tolerance: it moves no more
    playground.find("#rest-set").click()
    rest = playground.q("dls")
    playground.until(
        lambda: playground.query.get("rq", "").count(",") == 5, "the rest pose is in the address bar"
    )
    assert np.allclose(np.deg2rad([float(x) for x in playground.query["rq"].split(",")]), rest, atol=2e-3)
    playground.type_number("rb", 0.2)
    for target in ((300, 250), (560, 300)):
        playground.page.mouse.click(*target)
        playground.wait_at(target)
        playground.page.wait_for_timeout(500)
    playground.wait_reached("dls", 20)
    playground.until(lambda: np.abs(playground.q("dls") - rest).max() < 0.35, "the arm is near its rest pose")
    playground.find("#rest-reset").click()
    playground.wait_query(rb="0", rq="")
    playground.wait_reached("dls")
    assert near(playground.target, (560, 300))
