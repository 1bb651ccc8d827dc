"""`limbik solve` as a user meets it."""

import json
import math
import re

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.spatial.transform import Rotation

import limbik
from limbik import cli
from limbik.collision import Box, World, save_world
from limbik.solvers import diagnose


@pytest.fixture(autouse=True)
def short_searches(monkeypatch):
    """What runs interpreted takes milliseconds for an iteration."""
    monkeypatch.setattr(diagnose, "SEARCH", 150)
    monkeypatch.setattr(diagnose, "SHORT", 50)


@pytest.fixture
def run(capsys):
    """The exit status, what was printed, and what was said of errors."""

    def run(*arguments: str) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as ended:
            cli.app(["solve", *arguments])
        printed = capsys.readouterr()
        return ended.value.code or 0, printed.out, printed.err

    return run


def test_angles_of_more_than_a_turn_are_asked_about(run) -> None:
    where = ("ur5e", "--position", "-0.3", "0.2", "0.5", "--rpy", "180", "0", "0")
    status, out, err = run(*where)
    assert status == 0 and out
    assert err == "limbik: --rpy 180 0 0 is more than a turn in radians; in degrees? then add --degrees\n"
    assert run(*where, "--degrees")[::2] == (0, "")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (
            ["--position", "0.4,-0.2,0.5"],
            "--position needs 3 numbers with blanks between them: --position 0.4 -0.2 0.5",
        ),
        (
            ["--quat-xyzw", "0,0,0,1"],
            "--quat-xyzw needs 4 numbers with blanks between them: --quat-xyzw 0 0 0 1",
        ),
        (
            ["--position", "0.3", "0.2", "0.5", "--clearance", "-1"],
            "--clearance needs a length from 0 to 1e+06 [m], found -1.0",
        ),
    ],
)
def test_what_is_wrong_with_an_option_is_said_as_it_is_typed(run, arguments, said) -> None:
    assert run("ur5e", *arguments) == (2, "", f"limbik: {said}\n")


def test_an_answer_is_printed_with_its_errors_and_margins(run) -> None:
    status, out, err = run("ur5e", "--position", "-0.3", "0.2", "0.5")
    assert (status, err) == (0, "")
    lines = out.splitlines()
    assert lines[0] == "Solved: frame 'flange' at (-0.3, 0.2, 0.5) m."
    assert "mm off." in lines[1]
    assert "  joint                   value      to a limit" in lines
    q = [float(line.split()[1]) for line in lines if line.endswith(tuple("0123456789")) and " rad " in line][
        -6:
    ]
    assert_allclose(limbik.load("ur5e").pose(q)[:3, 3], [-0.3, 0.2, 0.5], atol=1e-4)
    assert max(map(len, lines)) <= 80


def test_json_holds_the_answer_in_full(run) -> None:
    target = ["0.4", "-0.2", "0.5"]
    status, out, _ = run("panda", "--position", *target, "--rpy", "180", "0", "-90", "--degrees", "--json")
    assert status == 0
    data = json.loads(out)
    panda = limbik.load("panda")
    there = panda.pose(data["q"])
    assert_allclose(there[:3, 3], [0.4, -0.2, 0.5], atol=1e-6)
    wanted = Rotation.from_euler("xyz", [180, 0, -90], degrees=True)
    assert (Rotation.from_matrix(there[:3, :3]) * wanted.inv()).magnitude() < 1e-6
    assert (data["status"], data["success"], data["diagnosis"]) == ("solved", True, None)
    assert data["names"] == list(panda.joint_names)
    assert data["units"] == ["rad"] * 7
    assert_allclose(data["limit_margins"], np.minimum(data["q"] - panda.lower, panda.upper - data["q"]))
    assert data["errors"][0]["position"] < 1e-6
    assert data["manipulability"] > 0.0


@pytest.mark.parametrize(
    ("option", "value", "expected"),
    [
        ("--rpy", ("3.0", "-0.5", "1.0"), Rotation.from_euler("xyz", [3.0, -0.5, 1.0])),
        ("--quat-xyzw", ("-1", "0.2", "0", "0.1"), Rotation.from_quat([-1, 0.2, 0, 0.1])),
    ],
)
def test_an_orientation_alone_can_be_asked_for(run, option, value, expected) -> None:
    status, out, _ = run("ur5e", option, *value, "--json")
    assert status == 0
    there = limbik.load("ur5e").pose(json.loads(out)["q"])[:3, :3]
    assert (Rotation.from_matrix(there) * expected.inv()).magnitude() < 1e-6


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("turns", [1e12, 1e160, 1e300, -1.7e308])
def test_angles_of_any_size_are_turns(run, turns) -> None:
    status, out, err = run("ur5e", "--rpy", str(turns), "0.3", "0", "--json")
    assert (status, err) == (0, "")
    there = limbik.load("ur5e").pose(json.loads(out)["q"])[:3, :3]
    expected = Rotation.from_euler("xyz", [math.remainder(turns, math.tau), 0.3, 0.0])
    assert (Rotation.from_matrix(there) * expected.inv()).magnitude() < 1e-6


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("solver", limbik.solvers.names())
@pytest.mark.parametrize("far", [1e60, 1e155, 1e308])
def test_a_target_of_any_size_is_out_of_reach_or_refused(run, solver, far) -> None:
    turn = ("--rpy", "0", "0", "0") if solver == "analytic" else ()  # which knows no points for such an arm
    where = ("--position", str(far), str(far), "0", *turn)
    status, out, err = run("panda", *where, "--solver", solver, "--json")
    if status == 1:
        assert err == ""
        assert json.loads(out)["errors"][0]["position"] > far
    else:
        assert (status, out) == (2, "")
        assert re.search(r"^limbik: .* (too large|up to 1e\+60).*", err) and len(err.splitlines()) == 1


def test_an_orientation_is_repeated_in_the_unit_it_was_typed_in(run) -> None:
    _, out, _ = run("ur5e", "--rpy", "1", "0", "-0.5")
    assert "(1, 0, -0.5) rad" in out
    _, out, _ = run("ur5e", "--rpy", "60", "0", "-20", "--degrees")
    assert "(60, 0, -20) deg" in " ".join(out.split())


@pytest.mark.parametrize("position", [(), ("--position", "0.3", "-0.2", "0.4")])
def test_a_direction_leaves_the_spin_free(run, position) -> None:
    status, out, _ = run("ur5e", "--direction", "0", "-1", "-1", *position, "--json")
    assert status == 0
    there = limbik.load("ur5e").pose(json.loads(out)["q"])
    assert_allclose(there[:3, 2], [0.0, -math.sqrt(0.5), -math.sqrt(0.5)], atol=1e-6)
    asked = run("ur5e", "--direction", "0", "-1", "-1", *position)[1].splitlines()[0]
    assert asked.endswith("z along (0, -0.7071, -0.7071).")
    if position:
        assert_allclose(there[:3, 3], [0.3, -0.2, 0.4], atol=1e-6)


def test_another_frame_can_be_named(run) -> None:
    status, out, _ = run("panda", "--frame", "link5", "--position", "0.2", "0.1", "0.6", "--json")
    assert status == 0
    assert_allclose(
        limbik.load("panda").pose(json.loads(out)["q"], "link5")[:3, 3], [0.2, 0.1, 0.6], atol=1e-6
    )


@pytest.mark.parametrize("start", ["0,-30,0,-90,0,90,0", "0 -30 0 -90 0 90 0", "-5,-30,0,-90,0,90,0"])
def test_the_answer_is_near_to_the_start(run, start) -> None:
    panda = limbik.load("panda")
    q = np.radians([0.0, -30.0, 0.0, -90.0, 0.0, 90.0, 0.0])
    target = panda.pose(q + 0.05)[:3, 3]
    status, out, _ = run("panda", "--position", *map(str, target), "--start", start, "--degrees", "--json")
    assert status == 0
    assert np.abs(np.array(json.loads(out)["q"]) - q).max() < 0.3


def test_without_a_solution_it_is_explained_and_the_status_is_1(run) -> None:
    status, out, err = run("ur5e", "--position", "-0.3", "0", "2")
    assert (status, err) == (1, "")
    assert out.startswith("Out of reach, whatever the joints do: frame 'flange' at (-0.3, 0, 2) m.\n")
    assert "The nearest configuration found:" in out
    status, out, _ = run("ur5e", "--position", "-0.3", "0", "2", "--json")
    assert status == 1
    data = json.loads(out)
    assert (data["status"], data["diagnosis"]["bound"]["kind"]) == ("unreachable", "too far")


def test_all_solutions_are_printed_with_their_branches(run) -> None:
    arguments = ("ur5e", "--position", "-0.4", "0.1", "0.3", "--rpy", "180", "10", "20", "--degrees", "--all")
    status, out, _ = run(*arguments)
    assert status == 0
    assert out.startswith("8 solutions, and there is no other: found in closed form: axes 2, 3 and 4")
    assert out.count("elbow up") == 4
    assert max(map(len, out.splitlines())) <= 80
    status, out, _ = run(*arguments, "--json")
    data = json.loads(out)
    assert data["complete"]
    arm = limbik.load("ur5e")
    places = [arm.pose(np.array(one["q"]))[:3, 3] for one in data["solutions"]]
    np.testing.assert_allclose(places, np.tile([-0.4, 0.1, 0.3], (8, 1)), atol=1e-12)


def test_all_solutions_of_an_arm_without_a_closed_form_are_those_found_with_an_estimate(run) -> None:
    status, out, _ = run("planar-3", "--position", "1.5", "1", "0", "--all")
    assert status == 0
    assert "There may be more: of " in out.replace("\n", " ")


def test_all_solutions_near_a_start_have_the_nearest_first(run) -> None:
    arguments = ("ur5e", "--position", "-0.4", "0.1", "0.3", "--rpy", "3", "0.1", "0.2", "--all", "--json")
    found = json.loads(run(*arguments)[1])["solutions"]
    last = ",".join(map(str, found[-1]["q"]))
    again = json.loads(run(*arguments, "--start", last)[1])["solutions"]
    np.testing.assert_allclose(again[0]["q"], found[-1]["q"], atol=1e-9)


def test_all_of_nothing_is_explained(run) -> None:
    arguments = ("ur5e", "--position", "0", "0", "2", "--all")
    status, out, _ = run(*arguments)
    assert status == 1
    assert out.startswith("Out of reach")
    status, out, _ = run(*arguments, "--json")
    assert status == 1
    assert json.loads(out)["diagnosis"]["sentences"][0].startswith("Out of reach")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("no-such-robot", "--position", "0", "0", "0"), "no-such-robot"),
        (("ur5e",), "nothing is requested"),
        (("ur5e", "--rpy", "0", "0", "0", "--direction", "0", "0", "1"), "--rpy and --direction"),
        (("ur5e", "--direction", "0", "0", "0"), "--direction needs"),
        (("ur5e", "--quat-xyzw", "0", "0", "0", "0"), "--quat-xyzw needs"),
        (("ur5e", "--rpy", "inf", "0", "0"), "--rpy"),
        (("ur5e", "--position", "0", "0", "0.5", "--start", "1,2"), "--start needs 6 numbers"),
        (
            ("ur5e", "--position", "0", "0", "0.5", "--start", "a,b"),
            "--start needs numbers with commas or spaces",
        ),
        (
            ("ur5e", "--position", "0", "0", "0.5", "--start", "0,0,0,0,0,1_0"),
            "--start needs numbers with commas or spaces",
        ),
        (
            ("ur5e", "--position", "0", "0", "0.5", "--start", "0,0,0,0,0,0,"),
            "--start needs numbers with commas or spaces",
        ),
        (("ur5e", "--position", "0", "0", "0.5", "--solver", "best"), "no solver 'best'"),
        (("ur5e", "--position", "0", "0", "0.5", "--frame", "hand"), "no frame 'hand'"),
        (("ur5e", "--position", "0", "0", "0.5", "--all", "--solver", "ccd"), "--all"),
    ],
)
def test_what_has_no_meaning_is_said_in_one_line_with_status_2(run, arguments, said) -> None:
    status, out, err = run(*arguments)
    assert (status, out) == (2, "")
    assert said in err
    assert err.startswith("limbik: ")
    assert len(err.splitlines()) == 1


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("ur5e", "--position", "0", "0"), "'--position' requires 3 arguments"),
        (("ur5e", "--position", "a", "0", "0"), "'--position': needs a number, found 'a'"),
        (
            ("ur5e", "--position", "1", "--rpy", "0", "0", "0"),
            "'--position': needs more numbers before '--rpy'",
        ),
        (("ur5e", "--position", "nan", "0", "0"), "'--position': needs a number, found 'nan'"),
        (("ur5e", "--position", "1_0", "0", "0"), "'--position': needs a number, found '1_0'"),
        ((), "Missing argument"),
    ],
)
def test_a_usage_error_has_status_2(run, arguments, said) -> None:
    status, _, err = run(*arguments)
    assert status == 2
    assert said in err
    assert "Traceback" not in err


def test_sampled_solutions_differ_by_more_than_turns() -> None:
    arm = limbik.planar_arm(2, 1.0, limits=6.0)
    pose = np.eye(4)
    pose[:2, 3] = 1.0
    found = arm.solve_all(limbik.Pose(target=pose, weights=(1.0, 1.0, 1.0, 0.0, 0.0, 0.0)), starts=30)
    assert not found.complete
    assert {round(q[1], 3) for q in found} == {-1.571, 1.571}


# --- free of collision --------------------------------------------------------------------------------------


def test_an_answer_is_free_of_what_a_file_of_objects_holds(run, tmp_path) -> None:
    arm, goal = limbik.load("ur5e"), ("--position", "0.4", "0.2", "0.3", "--rpy", "3.14", "0", "0")
    world, path = World(), str(tmp_path / "kitchen.json")
    world.add("shelf", Box((0.05, 0.5, 0.05)), (0.25, 0.2, 0.6))
    save_world(world, path)
    status, out, _ = run("ur5e", *goal, "--world", path, "--json")
    answer = json.loads(out)
    assert (status, answer["status"]) == (0, "solved")
    assert arm.check(answer["q"], world).is_free
    status, out, _ = run("ur5e", *goal, "--world", path, "--all", "--json")
    found = [each["q"] for each in json.loads(out)["solutions"]]
    assert found
    assert arm.check_batch(found, world).is_free.all()
    world.move("shelf", (0.4, 0.2, 0.32))
    save_world(world, path)
    status, out, _ = run("ur5e", *goal, "--world", path)
    assert status == 1
    assert "free of collision was found" in " ".join(out.split())
    assert "deep in 'shelf'" in " ".join(out.split())


def test_a_clearance_alone_is_that_of_the_robot_and_bad_files_are_refused(run, tmp_path) -> None:
    status, out, _ = run("ur5e", "--position", "-0.3", "0.2", "0.5", "--clearance", "0")
    assert status == 0
    assert "Free of collision" in out
    status, out, err = run("ur5e", "--position", "0", "0", "1", "--world", str(tmp_path / "none.json"))
    assert (status, out) == (2, "")
    assert "there is no such file" in err
