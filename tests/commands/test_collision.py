"""`limbik collision`, as a user meets it."""

import json

import pytest
from typer.testing import CliRunner

from formats.test_collisions import DISABLED, URDF
from limbik import load
from limbik.cli import app
from limbik.collision.pair_study import study_pairs
from limbik.collision.programs import collisions
from limbik.compiler import native
from limbik.errors import CollisionError, LimbikError
from limbik.formats import srdf

WIDTH = 80
PLAIN = URDF.replace(
    '<mesh filename="meshes/hand.stl" scale="0.5 0.5 2"/>', '<box size="0.1 0.1 0.1"/>'
).replace('type="continuous"', 'type="revolute"').replace(
    "</joint>", '<origin xyz="2 0 0"/><axis xyz="0 0 1"/><limit lower="-0.2" upper="0.2"/></joint>'
)  # fmt: skip


@pytest.fixture(scope="module", autouse=True)
def _machine_code():
    native.compile_now(collisions())


@pytest.fixture
def robot(tmp_path):
    path = tmp_path / "plain.urdf"
    path.write_text(PLAIN)
    return path


def run(*arguments):
    return CliRunner().invoke(app, ["collision", *map(str, arguments)])


def test_info_shows_bodies_pieces_and_spheres(robot):
    told = run("info", robot)
    assert told.exit_code == 0
    rows = {line.split()[0]: line.split()[1:] for line in told.stdout.splitlines() if line.endswith("mm")}
    assert [*rows] == ["base", "arm", "hand"]
    assert rows["base"][:3] == ["2", "0.0", "mm"]
    assert "Note" not in told.stdout


def test_info_says_that_capsules_stand_for_what_is_not_described():
    told = run("info", "planar-3")
    assert "capsules of radius 0.15 m" in told.stdout
    assert all(len(line) <= WIDTH for line in told.stdout.splitlines())


def test_info_for_programs(robot):
    data = json.loads(run("info", robot, "--json").stdout)
    assert [body["name"] for body in data["bodies"]] == ["base", "arm", "hand"]
    assert [body["pieces"] for body in data["bodies"]] == [2, 2, 1]
    assert data["note"] == ""
    assert data["overshoot"] == 0.0


def test_pairs_are_those_of_the_study(robot):
    told = run("pairs", robot, "--samples", 40)
    assert told.exit_code == 0
    study = study_pairs(load(robot), 40)
    for pair in (*study.checked, *study.unchecked):
        assert f"  {pair.first}, {pair.second}: " in told.stdout
    assert "base, hand: never (proved)" in told.stdout
    assert "base, arm: adjacent" in told.stdout
    data = json.loads(run("pairs", robot, "--samples", 40, "--json").stdout)
    assert data["samples"] == 40
    assert data["checked"] == [vars(pair) for pair in study.checked]
    assert data["unchecked"] == [vars(pair) for pair in study.unchecked]


def test_pairs_of_an_srdf_are_named_and_an_srdf_is_written(robot, tmp_path):
    given, written = tmp_path / "given.srdf", tmp_path / "written.srdf"
    given.write_text(DISABLED)
    told = run("pairs", robot, "--samples", 5, "--with", given, "--srdf", written)
    assert told.exit_code == 0
    assert "base, hand: SRDF: Never" in told.stdout
    pairs = srdf.read(written, load(robot)).disabled_collisions
    assert {(one.link1, one.link2, one.reason) for one in pairs} == {
        ("base", "arm", "adjacent"),
        ("base", "hand", "Never"),
        ("arm", "hand", "adjacent"),
    }
    assert "base, hand" in run("pairs", robot, "--samples", 5, "--with", written).stdout


def test_pairs_that_no_sample_showed_are_written_only_when_asked(tmp_path):
    seen, unseen = tmp_path / "a.srdf", tmp_path / "b.srdf"
    arguments = ("pairs", "planar-6", "--samples", 1)
    told = run(*arguments, "--srdf", seen)
    assert "% at 95 % confidence" in told.stdout
    run(*arguments, "--srdf", unseen, "--unseen")
    assert "not seen touching in 1 samples" in unseen.read_text()
    assert "not seen" not in seen.read_text()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("info", "pandas"), "did you mean 'panda'"),
        (("pairs", "planar-2", "--samples", 0), "`samples` needs a whole number"),
        (("pairs", "planar-2", "--with", "/nowhere/a.srdf"), "there is no such file"),
        (("pairs", "planar-2", "--samples", 1, "--srdf", "/nowhere/a.srdf"), "cannot be written"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(arguments, words):
    error = run(*arguments).exception  # which the program prints
    assert isinstance(error, LimbikError)
    assert words in str(error)
    assert len(str(error).splitlines()) == 1


def test_a_mesh_that_is_missing_is_told_with_its_link(tmp_path):
    path = tmp_path / "shapes.urdf"
    path.write_text(URDF)
    told = run("info", path)
    assert "limbik: note: " in told.stderr
    assert "meshes are missing" in told.stderr
    assert isinstance(told.exception, CollisionError)
    assert "link 'hand': there is no mesh 'meshes/hand.stl'" in str(told.exception)
