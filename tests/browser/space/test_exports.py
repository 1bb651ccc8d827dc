"""What the page gives away: programs that run, scenes that read back, pictures, recordings."""

import contextlib
import csv
import io
import json
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import limbik
from browser.space.stage import Space, arm_query

EXAMPLES = Path(__file__).parents[3] / "examples"
BRANCHES = (EXAMPLES / "branches.arm").read_text()


def saved(space: Space, what: str) -> bytes:
    with space.page.expect_download() as download:
        space.find(f"[data-export={what}]").click()
    return Path(download.value.path()).read_bytes()


def run(program: str) -> dict[str, Any]:
    """What a program leaves behind."""
    names: dict[str, Any] = {}
    with contextlib.redirect_stdout(io.StringIO()) as told:
        exec(compile(program, "scene.py", "exec"), names)
    assert told.getvalue()
    return names


def program_of(space: Space) -> str:
    space.find("[data-export=python]").click()
    space.until(lambda: space.find("#snippet").is_visible(), "the program is shown")
    program = space.find("#snippet-text").inner_text()
    space.press("Escape")
    return program


def test_a_scene_of_arms_is_given_away_in_every_form(space: Space) -> None:
    space.show(arm_query(BRANCHES, "branches.arm") + "&branches=coupled")
    assert saved(space, "motion").splitlines()[1].startswith(b"0.0000,")
    space.drag_goal("x", 20, 5)
    q = space.q_of(0)

    names = run(program_of(space))
    assert all(solution.success for solution in names["solutions"])
    np.testing.assert_allclose(names["solutions"][0].q, q, atol=1e-5)

    scene = limbik.load_scene(saved(space, "arm").decode())
    np.testing.assert_allclose(scene.arms[0].goals[0].target, space.goals[0]["position"], atol=1e-6)
    model = limbik.load(saved(space, "urdf").decode())
    np.testing.assert_allclose(model.pose(q, "arm1.tip"), scene.arms[0].model.pose(q, "arm1.tip"), atol=1e-9)

    configuration = json.loads(saved(space, "json"))
    found = np.concatenate(list(configuration["arms"][0]["q"].values()))
    np.testing.assert_allclose(found, q, atol=1e-7)
    rows = list(csv.reader(io.StringIO(saved(space, "csv").decode())))
    assert [float(row[2]) for row in rows[1:]] == pytest.approx(list(q))
    motion = list(csv.DictReader(io.StringIO(saved(space, "motion").decode())))
    assert len(motion) > 1
    assert {row["solver"] for row in motion} == {"lm"}
    assert [float(value) for value in list(motion[-1].values())[2:]] == pytest.approx(list(q))
    assert saved(space, "png").startswith(b"\x89PNG")


def test_the_program_for_robots_finds_their_answers_again(space: Space) -> None:
    space.show("robot=puma560,puma560&q=0:0.1,0.5,-1,0.2,0.6,0;1:0.1,0.5,-1,0.2,0.6,0&algo=dls&d=0.5&g=0.9")
    space.select(1)
    space.find("#goal-kind input[value=direction]").check(force=True)
    space.wait_resting()
    program = program_of(space)
    assert program.count("limbik.load(") == 2
    assert program.count('solver=limbik.solvers.get("dls", damping=0.5),') == 2
    assert run(program)["solution"].success


def test_a_program_for_files_of_the_server_holds_all_their_arms_or_says_why_not(space: Space) -> None:
    def zipped(name: str, text: str) -> bytes:
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w") as archive:
            archive.writestr(name, text)
        return buffer.getvalue()

    space.show(arm_query(BRANCHES, "branches.arm") + "&pw=0.2")
    space.drop(("arms.zip", zipped("two_arms.arm", (EXAMPLES / "two_arms.arm").read_text())))
    space.until(lambda: len(space.state["arms"]) == 2, "two arms stand there")
    space.wait_resting()
    names = run(program_of(space))
    assert len(names["solutions"]) == 2
    assert [goals[-1].weight for goals in names["goals"]] == [0.2, 0.2]
    inside = '<body name="a"><joint name="b" type="ball"/><geom size=".1"/></body>'
    ball = f"<mujoco><worldbody>{inside}</worldbody></mujoco>"
    space.drop(("ball.zip", zipped("ball.xml", ball)))
    space.until(lambda: space.find("#scene-title").inner_text() == "ball.zip", "the ball is open")
    space.find("[data-export=python]").click()
    space.until(lambda: "no ball joints" in space.notices, "the page says why not")


def test_keys_do_nothing_behind_a_dialog(space: Space) -> None:
    space.show(arm_query(BRANCHES, "branches.arm"))
    space.find("[data-export=python]").click()
    space.until(lambda: space.find("#snippet").is_visible(), "the program is shown")
    for key in ("c", "p", "?"):
        space.press(key)
    space.press("Escape")
    assert not space.find("#help").is_visible()
    assert space.query.get("mv", "none") == "none"
    assert "px" not in space.query


def test_the_program_keeps_clear_of_the_objects_of_the_page(space: Space) -> None:
    beam, can = (
        "beam:box:0.1,0.6,0.1:-0.3,-0.1,0.5",
        "can:cylinder:0.03,0.1:0,0,0.06:0.70710678,0,0,0.70710678:0.flange",
    )
    space.show(f"robot=ur5e&co=1&cl=5&obj={beam};{can};ball:sphere:0.05:0.3,0.3,0.3")
    space.until(lambda: "being made" not in space.state["verdict"], "there are collision shapes")
    space.wait_resting()
    names = run(program_of(space))
    solution, model, world = (names[name] for name in ("solution", "model", "world"))
    assert solution.success
    assert world.names == ("beam", "ball")
    assert model.check(solution.q, world, clearance=0.005).is_free
    np.testing.assert_allclose(solution.q, space.q_of(0), atol=1e-3)


def test_the_program_of_a_scene_has_its_objects_too(space: Space) -> None:
    space.show(
        arm_query(BRANCHES, "branches.arm")
        + "&co=1&obj=ball:sphere:0.05:9,9,9;can:sphere:0.01:0,0,0.5::0.tip"
    )
    space.until(lambda: "being made" not in space.state["verdict"], "there are collision shapes")
    space.wait_resting()
    names = run(program_of(space))
    assert names["world"].names == ("ball",)
    assert len(names["solutions"]) == 1
