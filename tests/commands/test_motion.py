"""`limbik motion` measures and converts motion files."""

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from typer.testing import CliRunner

import limbik
from formats.gltf_files import Builder
from limbik.cli import app
from limbik.errors import FormatError, GoalError, LimbikError, ModelError
from motion.bodies import FAMILIES, bones, bvh
from motion.marked import hidden, marked_leg, thigh_and_shank
from motion.people import crouching
from walker import Gait, stretched, walk

GOLDEN = Path(__file__).parent.parent / "formats" / "golden.bvh"


def run(*arguments: str) -> str:
    result = CliRunner().invoke(app, ["motion", *arguments], catch_exceptions=False)
    assert result.exit_code == 0
    return result.stdout


def test_info_shows_what_is_measured() -> None:
    page = run("info", str(GOLDEN))
    assert page.startswith("2 frames of 0.008333 s, 0.008333 s; 4 links, y is up\n")
    assert "in its first frame 0 m from the lowest to the highest link" in page
    lines = [line.split() for line in page.splitlines()]
    assert ["foot", "stands", "slide", "at", "most", "below", "the", "ground"] in lines
    assert any(line[:3] == ["Left", "Foot", "0"] for line in lines)
    assert any(line[0] == "turning" and line[-3:] == ["Hips,", "frame", "1"] for line in lines if line)
    assert max(len(line) for line in page.splitlines()) <= 80


def test_the_data_are_those_of_measure() -> None:
    found = json.loads(
        run("info", str(GOLDEN), "--json", "--foot", "Left Foot.end", "--ground", "1", "--up", "y")
    )
    expected = limbik.motion.measure(limbik.load_motion(GOLDEN), feet=["Left Foot.end"], ground=1.0)
    assert found["links"] == ["Hips", "Left Leg", "Left Foot", "Chest"]
    assert found["feet"][0]["frame"] == "Left Foot.end"
    assert found["penetration_mm"] == expected.penetration_mm > 0.0
    assert found["jerk"] is None
    assert {name: found[name] for name in expected.to_dict()} == expected.to_dict()


def test_a_motion_goes_to_csv_and_back(tmp_path: Path) -> None:
    table, back = tmp_path / "motion.csv", tmp_path / "back.bvh"
    assert run("convert", str(GOLDEN), str(table)) == f"{table}: 2 frames of 14 numbers\n"
    run("convert", str(table), str(back), "--model", str(GOLDEN))
    assert back.read_text() == GOLDEN.read_text()


def test_the_axis_up_of_a_bvh_is_that_of_the_converted_motion(tmp_path: Path) -> None:
    out = tmp_path / "motion.glb"
    run("convert", str(GOLDEN), str(out), "--up", "z")
    written, source = limbik.load_motion(out), limbik.load_motion(GOLDEN)
    for link in source.links:
        height = written.model.pose(written.q, link)[:, 1, 3]
        assert height == pytest.approx(source.model.pose(source.q, link)[:, 2, 3], abs=1e-5)


def test_a_csv_of_a_robot_is_measured(tmp_path: Path) -> None:
    file = tmp_path / "arm.csv"
    file.write_text("time,joint1,joint2\n0,0,0\n0.1,0.2,0\n")
    page = run("info", str(file), "--model", "planar-2")
    assert "No link is called foot, toe or ankle" in page
    assert "turning                 2 rad/s     joint1, frame 1" in page


def test_feet_are_planted(tmp_path: Path) -> None:
    sliding, planted = tmp_path / "sliding.bvh", tmp_path / "planted.bvh"
    stretched(walk(Gait(duration=1.5), "euler").motion, 1.1).save(sliding)
    options = ["--unit", "m", "--foot", "LeftFoot", "--foot", "RightFoot", "--slope", "0", "1", "-0.1"]
    left, right, hips, written = run("ground", str(sliding), "--out", str(planted), *options).splitlines()
    assert written == f"{planted}: 91 frames of 30 numbers"
    for line, foot in ((left, "LeftFoot"), (right, "RightFoot")):
        found = re.match(
            rf"{foot} +stands +(\d+)%, slides (\S+) -> (\S+) cm/s, moved by (\S+) cm at most", line
        )
        assert found
        assert float(found[2]) > 5.0
        assert float(found[3]) < 0.01
    assert hips.startswith("hips")
    before, after = (limbik.load_motion(file, unit="m") for file in (sliding, planted))
    expected = limbik.motion.plant_feet(before, ground=limbik.motion.Ground.plane(normal=[0.0, 1.0, -0.1]))
    assert_allclose(after.q, expected.q, atol=1e-8)


def test_feet_are_planted_on_a_belt(tmp_path: Path) -> None:
    known = walk(Gait(heading=0.0), "euler").motion
    q = known.q.copy()
    speed = Gait().stride / Gait().cycle
    q[:, 2] -= speed * known.dt * np.arange(len(q))
    replace(known, q=q).save(tmp_path / "belt.bvh")
    belt = ["--belt", "0", "0", str(-speed), "--unit", "m"]
    page = run("ground", str(tmp_path / "belt.bvh"), "--out", str(tmp_path / "planted.bvh"), *belt)
    planted = limbik.load_motion(tmp_path / "planted.bvh", unit="m")
    assert "planted.bvh: 301 frames" in page
    assert "stands 0%" not in page
    assert np.abs(planted.q - q).max() < 0.2


def test_info_names_the_parts_of_a_human_body(tmp_path: Path) -> None:
    file = tmp_path / "walk.bvh"
    file.write_text(bvh(bones(FAMILIES["cmu"])))
    lines = [line.split() for line in run("info", str(file)).splitlines()]
    assert ["part", "link"] in lines
    assert ["leftUpperLeg", "LeftUpLeg"] in lines
    assert json.loads(run("info", str(file), "--json"))["roles"]["rightHand"] == "RightHand"
    assert "No human body: neither two legs nor two arms." in run("info", str(GOLDEN))
    assert json.loads(run("info", str(GOLDEN), "--json"))["roles"] is None


def test_an_animation_of_a_character_goes_to_csv_and_back(tmp_path: Path) -> None:
    builder = Builder()
    nodes = [builder.node("Hips")]
    nodes.append(builder.node("Head", nodes[0], translation=[0.0, 0.5, 0.0]))
    turn = [[0.0, 0.0, 0.0, 1.0], [0.0, 0.0, 0.6, 0.8]]
    for name in ("Nod", "Turn"):
        builder.animation(name, [(nodes[1], "rotation", np.array([0.0, 0.5]), np.array(turn), "LINEAR")])
    file = builder.save(tmp_path / "a.glb", nodes)
    table, back = tmp_path / "a.csv", tmp_path / "b.glb"
    assert run("info", str(file), "--animation", "Turn").startswith("2 frames of 0.5 s")
    assert run("convert", str(file), str(table), "--animation", "1") == f"{table}: 2 frames of 11 numbers\n"
    run("convert", str(file), str(tmp_path / "a.bvh"), "--animation", "Turn")
    assert limbik.load_motion(tmp_path / "a.bvh").links == ("Hips", "Head")
    with pytest.raises(ModelError, match="a glTF file is in metres: leave out `unit`"):
        run("info", str(file), "--animation", "Turn", "--unit", "mm")
    run("convert", str(table), str(back), "--model", str(file), "--animation", "Turn")
    assert limbik.load_motion(back, animation="Turn").q == pytest.approx(
        limbik.load_motion(file, animation="Turn").q, abs=1e-6
    )


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        (["info", "nowhere.bvh"], FormatError, "nowhere.bvh: there is no such file"),
        (["info", str(GOLDEN), "--unit", "foot"], ModelError, "unit needs one of m, cm, mm, inch"),
        (["info", str(GOLDEN), "--up", "north"], ModelError, "--up needs x, y or z, found 'north'"),
        (["info", str(GOLDEN), "--foot", "Left Feet"], ModelError, "has no frame 'Left Feet'"),
        (
            ["convert", str(GOLDEN), "motion.fbx"],
            FormatError,
            "needs the ending .bvh, .glb, .gltf, .vrm, .vrma or .csv",
        ),
        (
            ["ground", str(GOLDEN), "--out", "a.bvh", "--mesh", "a.obj", "--height", "1"],
            GoalError,
            "give one",
        ),
        (["ground", str(GOLDEN), "--out", "a.bvh", "--foot", "Left Feet"], ModelError, "a joint turns"),
        (["ground", "nowhere.bvh", "--out", "a.fbx"], FormatError, "a.fbx: needs the ending .bvh"),
        (
            ["retarget", str(GOLDEN), "body.fbx", "--out", "a.bvh"],
            FormatError,
            "body.fbx: is FBX",
        ),
    ],
)
def test_a_wrong_request_is_refused(arguments: list[str], error: type[LimbikError], message: str) -> None:
    result = CliRunner().invoke(app, ["motion", *arguments])
    assert isinstance(result.exception, error)
    assert message in str(result.exception)


def test_jitter_is_taken_out_and_what_that_changed_is_said(tmp_path: Path) -> None:
    person, smooth = tmp_path / "person.bvh", tmp_path / "smooth.bvh"
    person.write_text(crouching(frames=31))
    page = run("clean", str(person), "--out", str(smooth), "--cutoff", "5")
    assert [line.split()[0] for line in page.splitlines()] == ["before", "jitter", "jerk", "foot"]
    assert page.splitlines()[1].endswith(" mm")
    assert len(limbik.load_motion(smooth)) == 31
    with pytest.raises(LimbikError, match="method needs one of butterworth"):
        run("clean", str(person), "--out", str(smooth), "--method", "median")


def test_a_person_moves_a_robot_and_another_person(tmp_path: Path) -> None:
    person, other = tmp_path / "person.bvh", tmp_path / "other.bvh"
    person.write_text(crouching("mixamo", frames=5))
    other.write_text(crouching("biovision", frames=2))
    table, moved = tmp_path / "g1.csv", tmp_path / "moved.bvh"
    assert run("retarget", str(person), "g1", "--out", str(table)) == f"{table}: 5 frames of 36 numbers\n"
    assert len(limbik.load_motion(table, model=limbik.load("g1", base="floating"))) == 5
    assert "39 links, z is up" in run("info", str(table), "--model", "g1")  # it floats in the file
    run("retarget", str(person), str(other), "--out", str(moved))
    assert limbik.load_motion(moved).links[0] == "Hips"
    run(
        "retarget", str(table), str(other), "--model", "g1", "--unit", "mm", "--out", str(moved)
    )  # of the body
    with pytest.raises(ModelError, match="model 'panda' is no humanoid"):
        run("retarget", str(person), "panda", "--out", str(table))


def test_show_opens_the_file_in_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from limbik.commands import motion_show

    opened: dict[str, Any] = {}
    monkeypatch.setattr(motion_show, "open_playground", lambda *at, **more: opened.update(more))
    file = tmp_path / "crouch.bvh"
    file.write_text(crouching())
    run("show", str(file), "--unit", "m", "--robot", "g1")
    (upload,) = opened["uploads"]
    assert upload.files == {"crouch.bvh": file.read_bytes()}
    assert f"view=motion&token={upload.token}&name=crouch.bvh&unit=m&robot=g1" in opened["query"]
    assert opened["command"] == ["limbik", "motion", "show", str(file), "--unit", "m", "--robot", "g1"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["no.bvh"], "no.bvh: cannot be read"),
        (["motion.csv"], "needs one of the endings .bvh"),
        (["no.bvh", "--unit", "ell"], "--unit needs one of m, cm, mm, inch here"),
        (["empty.bvh"], "empty.bvh:1: is no BVH"),
        (["walk.bvh", "--robot", "g2"], "there is no robot 'g2'"),
    ],
)
def test_what_cannot_be_shown_is_said(
    words: list[str], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("empty.bvh").touch()
    Path("walk.bvh").write_text(crouching())
    with pytest.raises(LimbikError, match=said):
        run("show", *words)


def test_gaps_of_markers_are_filled_and_listed(tmp_path: Path) -> None:
    spoilt, filled = tmp_path / "spoilt.trc", tmp_path / "filled.trc"
    replace(hidden(thigh_and_shank(), ("shank2", 60, 109)), up="y").save(spoilt)
    page = run("fill", str(spoilt), "--out", str(filled)).splitlines()
    assert page[0].startswith("shank2, frames 60 to 109: ")
    assert page[1] == f"{filled}: 1 of 1 gaps filled"
    assert np.isfinite(limbik.load_markers(filled).positions).all()


def test_bones_get_one_length(tmp_path: Path) -> None:
    person, rigid = tmp_path / "person.bvh", tmp_path / "rigid.bvh"
    person.write_text(crouching("biovision", frames=3))
    page = run("lengths", str(person), "--out", str(rigid), "--symmetric", "--length", "LeftKnee=0.40")
    assert "LeftKnee        40.00 cm, was 42.00 to 42.00" in page
    assert page.splitlines()[-1] == f"{rigid}: 3 frames of 66 numbers"
    twice = ("--length", "LeftKnee=0.4", "--length", "LeftKnee=0.5")
    with pytest.raises(ModelError, match=r"--length has 'LeftKnee' twice: 0\.4 and 0\.5"):
        run("lengths", str(person), "--out", str(rigid), *twice)
    with pytest.raises(ModelError, match="--length needs LINK=METRES, found 'LeftKnee'"):
        run("lengths", str(person), "--out", str(rigid), "--length", "LeftKnee")
    with pytest.raises(FormatError, match=r"needs the ending \.bvh or \.glb, found '\.csv'"):
        run("lengths", str(person), "--out", str(tmp_path / "rigid.csv"))  # which would lose them


def test_a_skeleton_is_moved_by_markers(tmp_path: Path) -> None:
    markers, links, out = tmp_path / "walk.trc", tmp_path / "set.json", tmp_path / "walk.csv"
    person = tmp_path / "person.bvh"
    person.write_text(
        "HIERARCHY\nROOT pelvis\n{\nOFFSET 0 0 0\n"
        "CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation\n"
        "JOINT thigh\n{\nOFFSET 0 10 -10\nCHANNELS 3 Zrotation Xrotation Yrotation\n"
        "JOINT shank\n{\nOFFSET 0 0 -42\nCHANNELS 3 Zrotation Xrotation Yrotation\n"
        "End Site\n{\nOFFSET 0 0 -42\n}\n}\n}\n}\n"
        "MOTION\nFrames: 1\nFrame Time: 0.1\n" + "0 " * 12 + "\n"
    )
    replace(marked_leg(11)[2], up="y").save(markers)
    names = {f"{link}{k}": link for link in ("pelvis", "thigh", "shank") for k in range(4)}
    links.write_text(json.dumps(names))
    arguments = ("solve", str(markers), str(person), "--set", str(links), "--out")
    page = run(*arguments, str(tmp_path / "walk.bvh")).splitlines()
    assert page[0].startswith("pelvis0 ")
    assert page[0].endswith(" mm  pelvis")
    assert page[-2].startswith("11 frames, 12 markers, residual ")
    assert page[-1] == f"{tmp_path / 'walk.bvh'}: 11 frames of 12 numbers"
    seen = limbik.load_markers(markers)
    positions = seen.positions.copy()
    positions[:, seen.names.index("shank3")] = np.nan
    replace(seen, positions=positions).save(tmp_path / "gap.trc")
    gap = run("solve", str(tmp_path / "gap.trc"), *arguments[2:], str(tmp_path / "gap.bvh"))
    assert "shank3   never seen  shank" in gap.splitlines()
    page = run(*arguments, str(tmp_path / "z.bvh"), "--up", "z").splitlines()
    assert page[-1] == "z is up in it, as in the markers, which a BVH cannot say: read it with --up z"
    lying, standing = tmp_path / "lying.glb", tmp_path / "standing.glb"
    run(*arguments, str(lying))
    run(*arguments, str(standing), "--up", "z")  # glTF is y up
    turned = limbik.load_motion(standing).model.pose(limbik.load_motion(standing).q, "shank")[:, :3, 3]
    along_z = limbik.load_motion(lying).model.pose(limbik.load_motion(lying).q, "shank")[:, 2, 3]
    assert turned[:, 1] == pytest.approx(along_z, abs=1e-5)
    with pytest.raises(ModelError, match="--up needs x, y or z, found 'north'"):
        run(*arguments, str(out), "--up", "north")
    with pytest.raises(ModelError, match="--unit is that of a BVH, and 'human' is none: leave it out"):
        run("solve", str(markers), "human", "--set", str(links), "--out", str(out), "--unit", "mm")
    links.write_text("{")
    with pytest.raises(FormatError, match="is not JSON"):
        run(*arguments, str(out))
    links.write_text('{"A": "Hips", "A": "Head"}')
    with pytest.raises(FormatError, match="the name 'A' twice in one object"):
        run(*arguments, str(out))


def test_a_picture_is_drawn(tmp_path: Path) -> None:
    out = tmp_path / "walk.svg"
    assert run("picture", str(GOLDEN), "--out", str(out), "--figures", "2") == f"{out}: 2 figures\n"
    assert out.read_text().startswith("<svg ")
    with pytest.raises(FormatError, match=r"needs the ending \.svg, found '\.png'"):
        run("picture", str(GOLDEN), "--out", str(tmp_path / "walk.png"))
