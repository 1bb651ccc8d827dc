"""Motions from BVH and CSV: what they mean, that nothing is lost, and what is said of broken files."""

import dataclasses
import json
import math
import os
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

import limbik
from formats.bvh_files import Clip, clips, poses, text_of
from limbik.errors import ConfigurationError, FormatError, ModelError

GOLDEN = Path(__file__).parent / "golden.bvh"


def test_the_golden_file_means_what_the_format_says() -> None:
    motion = limbik.load_motion(GOLDEN)
    assert (len(motion), motion.dt, motion.up, motion.model.nq) == (2, 0.008333, "y", 14)
    hips, foot, toe, chest = (
        motion.model.pose(motion.q[0], frame) for frame in ("Hips", "Left Foot", "Left Foot.end", "Chest")
    )
    # the hips turn by 90 degrees about x, so that what was down (-y) is now backwards (-z)
    assert_allclose(hips[:3, 3], [0.015, 0.905, -0.0325], atol=1e-15)
    assert_allclose(foot[:3, 3], [0.115, 0.905, -0.0325 - 0.85], atol=1e-15)
    assert_allclose(toe[:3, 3], [0.115, 0.905 - 0.125, -0.0325 - 0.85], atol=1e-15)
    assert_allclose(chest[:3, 3], [0.015, 0.905, -0.0325 + 0.2], atol=1e-15)


def test_the_golden_file_is_written_as_it_was(tmp_path: Path) -> None:
    limbik.load_motion(GOLDEN).save(tmp_path / "again.bvh")
    assert (tmp_path / "again.bvh").read_text() == GOLDEN.read_text()


@given(clips(), st.sampled_from(["m", "cm", "mm", "inch", 0.056444]))
def test_bvh_loses_nothing_from_file_to_file(tmp_path_factory, clip: Clip, unit) -> None:
    assume(clip.rows)
    file = tmp_path_factory.mktemp("bvh") / "again.bvh"
    motion = limbik.load_motion(text_of(clip), unit=unit)
    motion.save(file)
    again = limbik.load_motion(file, unit=unit)
    assert again.hierarchy == motion.hierarchy
    assert again.dt == motion.dt == clip.dt
    assert_allclose(again.q, motion.q, rtol=0.0, atol=1e-9)
    first, second = text_of(clip).partition("MOTION"), file.read_text().partition("MOTION")
    assert second[0].split() == first[0].split()
    values = [[float(word) for word in line.split()] for line in second[2].splitlines()[3:]]
    assert values == clip.rows


@given(clips())
def test_joints_of_bvh_stand_where_their_channels_put_them(clip: Clip) -> None:
    assume(clip.rows)
    motion = limbik.load_motion(text_of(clip), unit="m")
    for q, row in zip(motion.q, clip.rows, strict=True):
        for bone, expected in zip(clip.bones, poses(clip, row), strict=True):
            assert_allclose(motion.model.pose(q, bone.name), expected, rtol=1e-9, atol=1e-9)


@given(clips(), st.sampled_from([" ", "\t\t", "  \t"]), st.sampled_from(["\n", "\r\n", " \n\n"]))
def test_blanks_and_ends_of_lines_mean_nothing(clip: Clip, blank: str, newline: str) -> None:
    assume(clip.rows)
    motion = limbik.load_motion(text_of(clip))
    again = limbik.load_motion("\ufeff" + text_of(clip, blank, newline))
    assert again.hierarchy == motion.hierarchy
    assert again.q.tolist() == motion.q.tolist()


def test_units_scale_lengths_and_not_angles() -> None:
    metres, inches = limbik.load_motion(GOLDEN, unit="m"), limbik.load_motion(GOLDEN, unit="inch")
    root = metres.model.q_slice("Hips.Xposition").start
    turn = metres.model.q_slice("Hips.Xrotation").start
    assert inches.q[0, root] == pytest.approx(0.0254 * metres.q[0, root])
    assert inches.q[0, turn] == metres.q[0, turn] == pytest.approx(np.pi / 2.0)


BROKEN = [
    ("OFFSET 10.0 -5.0 0.0", "OFFSET 10.0 -5.0", "8: joint 'Left Leg': OFFSET: needs three finite numbers"),
    ("OFFSET 10.0", "OFFSET nan", "8: joint 'Left Leg': OFFSET: needs three finite numbers, found 'nan'"),
    ("OFFSET 10.0", "OFFSET -1e308", "8: joint 'Left Leg': OFFSET: needs numbers up to 1e+09, found"),
    (
        "CHANNELS 1 Xrotation",
        "CHANNELS one Xrotation",
        "13: joint 'Left Foot': CHANNELS needs a number from 0",
    ),
    (
        "CHANNELS 1 Xrotation",
        "CHANNELS 1 Xrotatoin",
        "there is no channel 'Xrotatoin'; did you mean 'Xrotation'",
    ),
    ("CHANNELS 1 Xrotation", "CHANNELS 2 Xrotation", "14: joint 'Left Foot': there is no channel 'End'"),
    ("CHANNELS 1 Xrotation", "CHANNELS 2 Xrotation Xrotation", "has the channel Xrotation twice"),
    ("JOINT Chest", "JOINT Left Foot", "20: two joints have the name 'Left Foot', the first on line 10"),
    ("JOINT Chest", "JOINT", "20: JOINT needs a name"),
    ("JOINT Chest", "BONE Chest", "20: joint 'Hips' needs JOINT, End Site or }, found 'BONE'"),
    ("Frames: 2", "Frames: 3", "34: `Frames:` says 3, which needs 3 lines of values, found 2"),
    ("Frames: 2", "Frames: 1", "34: `Frames:` says 1, which needs 1 line of values, found 2"),
    ("Frames: 2", "Frames: two", "31: `Frames:` needs a whole number from 0 to 999999999, found 'two'"),
    ("Frames: 2", "Frames: 9999999999", "31: `Frames:` needs a whole number from 0 to 999999999, found"),
    ("Frames: 2\n", "", "31: needs Frames: and a whole number, found 'Frame Time: 0.008333'"),
    ("0.008333", "0", "32: `Frame Time:` needs a positive number of seconds, from 1e-09 to 1e+09, found '0'"),
    ("91.123457", "nan", "34: frame 1: 'Hips' Yposition needs a finite number, found 'nan'"),
    ("91.123457", "91_1.2", "34: frame 1: 'Hips' Yposition needs a finite number, found '91_1.2'"),
    ("91.123457", "٩١", "34: frame 1: 'Hips' Yposition needs a finite number, found '٩١'"),
    (
        "0.008333",
        "1_0",
        "32: `Frame Time:` needs a positive number of seconds, from 1e-09 to 1e+09, found '1_0'",
    ),
    ("Frames: 2", "Frames: ٢", "31: `Frames:` needs a whole number from 0 to 999999999, found '٢'"),
    ("CHANNELS 1 Xrotation", "CHANNELS ١ Xrotation", "CHANNELS needs a number from 0 to 6, found '١'"),
    ("91.123457", "-1.#IND", "34: frame 1: 'Hips' Yposition needs a finite number, found '-1.#IND'"),
    ("91.123457", "91,123457", "found '91,123457'"),
    (
        " 90.0 -170.0",
        "",
        "34: frame 1: needs 14 values, one per channel, found 12; the values end before 'Chest' X",
    ),
    (" 90.0 -170.0", " 90.0 -170.0 5", "34: frame 1: needs 14 values, one per channel, found 15"),
    ("JOINT Chest", "JOINT Left Leg.Zrotation", "its joints make no model"),
]


@pytest.mark.parametrize(("right", "wrong", "message"), BROKEN)
def test_a_broken_file_is_refused_with_line_and_joint(
    tmp_path: Path, right: str, wrong: str, message: str
) -> None:
    file = tmp_path / "broken.bvh"
    text = GOLDEN.read_text()
    assert right in text
    file.write_text(text.replace(right, wrong))
    with pytest.raises(FormatError) as caught:
        limbik.load_motion(file)
    assert str(caught.value).startswith(str(file))
    assert message in str(caught.value)


def test_every_truncated_file_is_refused_or_lacks_only_digits(tmp_path: Path) -> None:
    text = GOLDEN.read_text()
    last_value = text.rindex("-170.0") + 2  # from there on, only digits of the last value are lost
    for end in range(1, last_value):
        file = tmp_path / "cut.bvh"
        file.write_text(text[:end])
        with pytest.raises(FormatError, match=r"cut\.bvh"):
            limbik.load_motion(file)


@given(st.binary(min_size=1, max_size=200))
def test_rubbish_is_refused(tmp_path_factory, content: bytes) -> None:
    for beginning in (b"", b"HIERARCHY\n"):
        file = tmp_path_factory.mktemp("rubbish") / "motion.bvh"
        file.write_bytes(beginning + content)
        with pytest.raises((FormatError, ModelError)):
            limbik.load_motion(file)


# --- CSV ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["panda", "planar-2"])
def test_csv_keeps_every_bit_of_q(tmp_path: Path, name: str) -> None:
    model = limbik.load(name, base="floating")
    motion = limbik.Motion(model, model.random(np.random.default_rng(1), size=5), 1.0 / 60.0)
    motion.save(tmp_path / "motion.csv")
    again = limbik.load_motion(tmp_path / "motion.csv", model=model)
    assert again.q.tolist() == motion.q.tolist()
    assert again.dt == pytest.approx(motion.dt, rel=1e-12)


def test_a_motion_goes_through_csv_and_back_to_bvh(tmp_path: Path) -> None:
    motion = limbik.load_motion(GOLDEN)
    motion.save(tmp_path / "motion.csv")
    back = limbik.load_motion(tmp_path / "motion.csv", model=motion)
    back.save(tmp_path / "back.bvh")
    assert (tmp_path / "back.bvh").read_text() == GOLDEN.read_text()


def test_csv_columns_stand_in_any_order_and_others_are_left_aside() -> None:
    text = "# made by hand\njoint2,note,time,joint1\n0.2,a,1.0,0.1\n0.4,b,1.5,0.3\n"
    motion = limbik.load_motion(text, model="planar-2")
    assert motion.q.tolist() == [[0.1, 0.2], [0.3, 0.4]]
    assert motion.dt == 0.5


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "time,joint1\n0,0\n1,0\n",
            "<text>:1: the header needs the column 'joint2' once, found it not at all",
        ),
        ("time,joint1,joint2\n0,0,0\n", "needs a line that names the columns, time and joints, and two rows"),
        ("time,joint1,joint2\n0,0,0\n1,0\n", "<text>:3: needs 3 columns, found 2"),
        ("time,joint1,joint2\n0,0,0\n1,nan,0\n", "<text>:3: joint1 needs a finite number, found 'nan'"),
        (
            "time,joint1,joint2\n0,0,0\n1,0,0\n3,0,0\n",
            "<text>:3: the times need even steps of 1.5 s, here 1.5",
        ),
        ("time,joint1,joint2\n1,0,0\n0,0,0\n", "the times need to increase"),
        (
            "no motion\nat all\n",
            "<text>:1: expected BVH (begins with HIERARCHY), CSV (the first line names the columns, 'time' "
            "among them) or glTF; found 'no motion'",
        ),
    ],
)
def test_a_broken_csv_is_refused_with_its_line(text: str, message: str) -> None:
    with pytest.raises(FormatError) as caught:
        limbik.load_motion(text, model="planar-2")
    assert message in str(caught.value)


# --- motions ------------------------------------------------------------------------------------------------


def test_a_motion_refuses_what_is_none() -> None:
    model = limbik.load("planar-2", base="floating")
    good = np.tile(model.neutral, (3, 1))
    for q, dt, message in (
        (good[0], 0.1, r"needs numbers of shape \[T, 9\]"),
        (good[:, 1:], 0.1, r"needs numbers of shape \[T, 9\]"),
        (good[:0], 0.1, "T at least 1"),
        (good, 0.0, "dt needs a number of seconds from"),
        (np.where(np.arange(9) < 1, np.nan, good), 0.1, "frame 0: 'root_joint.x' needs a finite number"),
        (
            good + np.eye(1, 9, 1) * 1e10,
            0.1,
            r"'root_joint.y' needs a finite number up to 1e\+09, found 1e\+10",
        ),
        (2.0 * good, 0.1, "frame 0: the quaternion of joint 'root_joint' needs the length 1, found 2"),
    ):
        with pytest.raises(ConfigurationError, match=message):
            limbik.Motion(model, q, dt)
    with pytest.raises(ConfigurationError, match="up needs 'x', 'y' or 'z'"):
        limbik.Motion(model, good, 0.1, up="north")  # type: ignore[arg-type]
    for metres in (0.0, -1.0, math.nan, math.inf, "a", None):
        with pytest.raises(
            ConfigurationError, match="metres needs the metres of one unit, a positive number"
        ):
            limbik.Motion(model, good, 0.1, metres=metres)  # type: ignore[arg-type]


def test_files_that_cannot_be_written_are_refused(tmp_path: Path) -> None:
    motion = limbik.load_motion(GOLDEN)
    for each, name, message in (
        (
            motion,
            "motion.vrm",
            r"only a motion that was read from VRM can be written as VRM; \.glb takes every",
        ),
        (motion, "motion.vrma", "only a motion that was read from VRMA can be written as VRMA"),
        (
            motion,
            "motion.fbx",
            r"needs the ending \.bvh, \.glb, \.gltf, \.vrm, \.vrma or \.csv, found '\.fbx'",
        ),
        (motion, "nowhere/motion.bvh", "cannot be written: No such file"),
    ):
        with pytest.raises(FormatError, match=message):
            each.save(tmp_path / name)


def test_arguments_that_have_no_meaning_are_refused() -> None:
    with pytest.raises(ModelError, match="unit needs one of m, cm, mm, inch, or a positive number"):
        limbik.load_motion(GOLDEN, unit="foot")  # type: ignore[arg-type]
    with pytest.raises(ModelError, match="a positive number of metres, found -1"):
        limbik.load_motion(GOLDEN, unit=-1.0)
    with pytest.raises(FormatError, match="expected BVH"):
        limbik.load_motion("neither\nnor", unit="mm")
    with pytest.raises(ModelError, match="a BVH file has its own model"):
        limbik.load_motion(GOLDEN, model="g1")
    with pytest.raises(ModelError, match="needs `model`"):
        limbik.load_motion("time,joint1\n0,0\n1,0\n")
    with pytest.raises(ModelError, match="a motion from CSV is in metres: leave out `unit`"):
        limbik.load_motion("time,joint1\n0,0\n1,0\n", model="planar-1", unit="mm")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes here")
@pytest.mark.parametrize("name", ["walk.bvh", "walk.csv", "walk.glb", "walk"])
def test_a_pipe_is_refused_and_not_waited_for(tmp_path, name) -> None:
    os.mkfifo(tmp_path / name)
    with pytest.raises(FormatError, match=r"is a pipe, not a file|is no file"):
        limbik.load_motion(tmp_path / name)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes here")
@pytest.mark.parametrize("name", ["walk.bvh", "walk.csv", "walk.glb"])
def test_a_pipe_that_nobody_reads_is_not_waited_for(tmp_path, name) -> None:
    os.mkfifo(tmp_path / name)
    motion = limbik.load_motion(GOLDEN)
    with pytest.raises(FormatError, match="cannot be written: No such device"):
        motion.save(tmp_path / name)
    reader = os.open(tmp_path / name, os.O_RDONLY | os.O_NONBLOCK)
    dataclasses.replace(motion, q=motion.q[:2]).save(tmp_path / name)
    assert os.read(reader, 9)
    os.close(reader)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("walk.trc", "has markers, not joints: limbik.load_markers reads it"),
        ("walk.c3d", "has markers, not joints: limbik.load_markers reads it"),
        ("walk.FBX", "is FBX, which is not read: export BVH or glTF"),
    ],
)
def test_files_of_other_formats_are_known(tmp_path: Path, name: str, words: str) -> None:
    (tmp_path / name).write_bytes(b"Kaydara FBX Binary  \0")
    with pytest.raises(FormatError, match=words):
        limbik.load_motion(tmp_path / name)


@pytest.mark.parametrize(
    ("ending", "changes", "said"),
    [
        ("csv", {"count": 1}, "CSV needs two frames, whose times say the step"),
        ("gltf", {"dt": 1e-6}, "glTF cannot hold 9 frames 1e-06 s apart"),
        ("glb", {"dt": 1e-6}, "glTF cannot hold 9 frames 1e-06 s apart"),
    ],
)
def test_what_a_format_cannot_hold_is_refused_and_nothing_written(ending, changes, said, tmp_path):
    model = limbik.ModelBuilder("box").floating("base", child="body").build()
    motion = limbik.Motion(model, _rising(model, changes.get("count", 9)), changes.get("dt", 0.01))
    with pytest.raises(FormatError, match=said):
        motion.save(tmp_path / f"motion.{ending}")
    assert not (tmp_path / f"motion.{ending}").exists()


def test_a_motion_without_joints_is_not_written(tmp_path):
    motion = limbik.Motion(limbik.Model("rock", [], root="rock"), np.zeros((2, 0)), 0.1)
    for ending in ("bvh", "glb", "csv"):
        with pytest.raises(FormatError, match="model 'rock' has no joints: there is no motion to write"):
            motion.save(tmp_path / f"walk.{ending}")


def test_bvh_has_names_that_are_read_again(tmp_path):
    model = limbik.ModelBuilder("arm").revolute("a\0b").build()
    limbik.Motion(model, [[0.1], [0.2]], 0.1).save(tmp_path / "walk.bvh")
    assert limbik.load_motion(tmp_path / "walk.bvh").links == ("a_b",)


def test_csv_refuses_a_joint_that_is_called_as_its_times(tmp_path):
    model = limbik.ModelBuilder("arm").revolute("time").build()
    with pytest.raises(FormatError, match="CSV has its times in the column 'time'"):
        limbik.Motion(model, [[0.1], [0.2]], 0.1).save(tmp_path / "walk.csv")


@pytest.mark.parametrize("name", ["a\nb", "a\0b", " a"])
def test_csv_refuses_names_that_would_not_be_read_again(name, tmp_path):
    model = limbik.ModelBuilder("arm").revolute(name).build()
    with pytest.raises(FormatError, match="CSV needs names of joints in one line"):
        limbik.Motion(model, [[0.1], [0.2]], 0.1).save(tmp_path / "walk.csv")


def test_a_gltf_in_the_smallest_units_cannot_hold_great_lengths(tmp_path):
    model = limbik.ModelBuilder("box").floating("base", child="body").build()
    limbik.Motion(model, _rising(model, 9), 0.01).save(tmp_path / "box.gltf")
    content = json.loads((tmp_path / "box.gltf").read_text())
    content["nodes"].append({"children": content["scenes"][0]["nodes"], "scale": [1e-35] * 3})
    content["scenes"][0]["nodes"] = [len(content["nodes"]) - 1]
    (tmp_path / "small.gltf").write_text(json.dumps(content))
    small = limbik.load_motion(tmp_path / "small.gltf")
    far = dataclasses.replace(small, q=_rising(small.model, 9, 1e8))
    with pytest.raises(FormatError, match=r"glTF holds numbers up to 3.4e38, not 1e\+43"):
        far.save(tmp_path / "far.gltf")
    assert not (tmp_path / "far.gltf").exists()


def test_a_vrm_is_written_only_from_one(tmp_path):
    model = limbik.ModelBuilder("box").floating("base", child="body").build()
    limbik.Motion(model, _rising(model, 9), 0.01).save(tmp_path / "box.glb")
    with pytest.raises(FormatError, match="only a motion that was read from VRM can be written as VRM"):
        limbik.load_motion(tmp_path / "box.glb").save(tmp_path / "box.vrm")
    assert not (tmp_path / "box.vrm").exists()
    with pytest.raises(ModelError, match="a glTF file is in metres: leave out `unit`"):
        limbik.load_motion(tmp_path / "box.glb", unit="cm")


@pytest.mark.parametrize(
    ("rate", "count"), [(120.0, 40_000), (240.0, 5_000), (500.0, 10_000), (1000.0, 10_000)]
)
def test_frames_of_a_long_and_fast_motion_are_read_from_a_gltf(tmp_path, rate, count):
    model = limbik.ModelBuilder("box").floating("base", child="body").build()
    limbik.Motion(model, _rising(model, count), 1.0 / rate).save(tmp_path / "box.glb")
    again = limbik.load_motion(tmp_path / "box.glb")
    assert (len(again), again.dt) == (count, pytest.approx(1.0 / rate, rel=1e-5))


@pytest.mark.parametrize("ending", ["glb", "gltf", "bvh", "csv"])
def test_a_motion_that_rests_keeps_its_frames(tmp_path, ending):
    arm = limbik.load("panda")
    limbik.Motion(arm, np.tile(arm.neutral, (40, 1)), 0.01).save(tmp_path / f"rests.{ending}")
    like = {"model": arm} if ending == "csv" else {}
    again = limbik.load_motion(tmp_path / f"rests.{ending}", **like)
    assert (len(again), again.dt) == (40, pytest.approx(0.01, rel=1e-5))


def test_half_of_a_pair_in_a_gltf_is_written_as_it_was_read(tmp_path):
    nodes = [{"name": "Hips", "children": [1]}, {"name": "Spine", "translation": [0, 0.4, 0]}]
    content = {"asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}], "nodes": nodes}
    content |= {"skins": [{"joints": [0, 1]}], "extras": {"a": "\ud800"}}
    (tmp_path / "half.gltf").write_text(json.dumps(content))
    for name in ("again.gltf", "again.glb"):
        limbik.load_motion(tmp_path / "half.gltf").save(tmp_path / name)
        assert len(limbik.load_motion(tmp_path / name)) == 1
    assert json.loads((tmp_path / "again.gltf").read_text())["extras"] == {"a": "\ud800"}


@pytest.mark.filterwarnings("error")
def test_a_quaternion_too_long_for_a_number_is_refused_by_its_node(tmp_path):
    nodes = [{"name": "Hips", "rotation": [1e308] * 4}]
    content = {"asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}], "nodes": nodes}
    (tmp_path / "far.gltf").write_text(json.dumps(content | {"skins": [{"joints": [0]}]}))
    with pytest.raises(
        FormatError, match="node 'Hips': a rotation needs a quaternion of the length 1, found inf"
    ):
        limbik.load_motion(tmp_path / "far.gltf")


def _rising(model, count, height=1.0):
    """Configurations of a body that rises."""
    q = np.tile(model.neutral, (count, 1))
    q[:, 2] = height * np.linspace(0.5, 1.0, count)
    return q


def test_numbers_farther_away_than_any_room_name_the_file(tmp_path):
    path = tmp_path / "far.bvh"
    path.write_text(
        "HIERARCHY\nROOT Hips\n{\nOFFSET 0 0 0\nCHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation "
        "Yrotation\n}\nMOTION\nFrames: 1\nFrame Time: 0.1\n0 1e12 0 0 0 0\n"
    )
    with pytest.raises(FormatError, match=r"<text>:3: joint1 needs a number up to 1e\+09, found 1e\+30"):
        limbik.load_motion("time,joint1\n0,0\n1,1e30\n", model="planar-1")
    with pytest.raises(
        FormatError, match=r"far.bvh: frame 0: 'Hips.Yposition' needs a finite number up to 1e\+09"
    ):
        limbik.load_motion(path)


def test_a_csv_whose_numbers_make_no_motion_is_named(tmp_path: Path) -> None:
    (tmp_path / "arm.csv").write_text("time,joint1\n0,0\n1e-320,0\n")
    with pytest.raises(FormatError, match=r"arm\.csv: dt needs a number of seconds from 1e-09"):
        limbik.load_motion(tmp_path / "arm.csv", model=limbik.planar_arm(1))
