"""A root on the floor, as capture and game engines put below the hips, changes nothing of a body's motion."""

import re

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import limbik
from limbik.motion import (
    Ground,
    detect_contacts,
    drag,
    fit_limb_lengths,
    grips_of,
    measure,
    plant_feet,
    solve_markers,
)
from limbik.motion.body.body_root import body_root
from limbik.motion.contacts import leg_length
from motion.people import crouching
from walker import Gait, walk

SIX = "CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation"
FEET = ("LeftFoot", "RightFoot")
TEXT = crouching(frames=13)


def on_root(text: str, kind: str) -> str:
    """A BVH whose hips are on a root at the origin: "moving" has channels of its own, "still" none, and
    "floor" those of the position, with the hips 95 above it.
    """
    head, values = text.split("MOTION")
    lines = values.strip().splitlines()
    rows = [[float(number) for number in line.split()] for line in lines[2:]]
    body = head.removeprefix("HIERARCHY").strip().replace("ROOT", "JOINT", 1)
    channels = {"moving": SIX, "still": "CHANNELS 0", "floor": "CHANNELS 3 Xposition Yposition Zposition"}
    if kind == "floor":
        body = body.replace("CHANNELS 6 Xposition Yposition Zposition", "CHANNELS 3", 1)
        body = re.sub(r"OFFSET \S+ \S+ \S+", "OFFSET 0 95 0", body, count=1)
        rows = [[x, y - 95.0, z, *rest] for x, y, z, *rest in rows]
    rows = [[*([0.0] * 6 if kind == "moving" else []), *row] for row in rows]
    root = f"HIERARCHY\nROOT Reference\n{{\nOFFSET 0 0 0\n{channels[kind]}\n{body}\n}}\n"
    values = "\n".join(" ".join(map(repr, row)) for row in rows)
    return f"{root}MOTION\n{lines[0]}\n{lines[1]}\n{values}\n"


def places(motion: limbik.Motion, link: str) -> np.ndarray:
    return motion.model.pose(motion.q, link)[:, :3, 3]


@pytest.fixture(scope="module")
def walker(tmp_path_factory):
    """A BVH in centimetres of a walk that begins 3 m from the origin."""
    path = tmp_path_factory.mktemp("walk") / "walk.bvh"
    walked = walk(Gait(duration=2.0), "ball").motion
    q = walked.q + np.eye(walked.q.shape[1])[0] * 3.0
    limbik.Motion(walked.model, q, walked.dt, up="y").save(path)
    return path.read_text()


@pytest.fixture(params=["moving", "still", "floor"])
def kind(request):
    return request.param


def test_contacts_and_measures_are_those_of_the_body(walker, kind):
    plain, rooted = limbik.load_motion(walker), limbik.load_motion(on_root(walker, kind))
    assert_allclose(places(rooted, "LeftFoot"), places(plain, "LeftFoot"), atol=1e-12)
    assert body_root(rooted.model, FEET) == "Hips"
    assert leg_length(rooted.model, FEET) == pytest.approx(leg_length(plain.model, FEET))
    assert_array_equal(detect_contacts(rooted, FEET), detect_contacts(plain, FEET))
    for mine, other in zip(measure(rooted).feet, measure(plain).feet, strict=True):
        assert_allclose(mine[1:], other[1:], atol=1e-9)


def test_feet_are_planted_alike(walker, kind):
    plain, rooted = limbik.load_motion(walker), limbik.load_motion(on_root(walker, kind))
    slope = Ground.plane(normal=[0.3, 1.0, -0.2])
    expected, planted = plant_feet(plain, ground=slope), plant_feet(rooted, ground=slope)
    for link in ("Hips", "LeftLeg", "RightLeg", *FEET):
        assert_allclose(places(planted, link), places(expected, link), atol=1e-7)


def test_hips_keep_their_position_channels_where_bones_get_one_length(kind):
    rooted = limbik.load_motion(on_root(TEXT, kind))
    fitted = fit_limb_lengths(rooted)
    assert fitted.motion.hierarchy == rooted.hierarchy
    assert_allclose(fitted.motion.q, rooted.q, atol=1e-9)
    assert not {"Reference", "mixamorig:Hips"} & {bone.link for bone in fitted.bones}


def test_the_hips_are_dragged(kind):
    rooted = limbik.load_motion(on_root(TEXT, kind))
    assert grips_of(rooted)[0] == "mixamorig:Hips"
    wanted = places(rooted, "mixamorig:Hips")[6] + [0.05, -0.1, 0.0]
    dragged = drag(rooted, "mixamorig:Hips", 6, wanted)
    assert_allclose(places(dragged, "mixamorig:Hips")[6], wanted, atol=1e-9)
    assert_allclose(places(dragged, "mixamorig:LeftFoot"), places(rooted, "mixamorig:LeftFoot"), atol=1e-6)


def test_a_body_without_names_is_found_far_from_its_root(kind):
    names = iter(range(99))
    text = re.sub(r"(ROOT|JOINT) \S+", lambda found: f"{found[1]} bone{next(names)}", TEXT)
    plain = limbik.load_motion(text)
    head, values = on_root(text, kind).split("Frame Time: ")
    first = 6 if kind == "moving" else 0
    lines = values.splitlines()
    for k, line in enumerate(lines[1:], start=1):
        numbers = line.split()
        numbers[first] = repr(float(numbers[first]) + 400.0)
        lines[k] = " ".join(numbers)
    rooted = limbik.load_motion(f"{head}Frame Time: " + "\n".join(lines))
    assert limbik.humanoid(rooted).frames == limbik.humanoid(plain).frames


def test_markers_move_a_body_as_without_the_root():
    plain, rooted = (limbik.load_motion(text) for text in (TEXT, on_root(TEXT, "still")))
    over_time = np.stack([places(plain, link) for link in plain.links], axis=1)
    markers = limbik.Markers(plain.links, over_time, plain.dt, up="y")
    marker_set = {link: link for link in plain.links}
    expected, solved = (
        solve_markers(markers, each, marker_set=marker_set).motion for each in (plain, rooted)
    )
    for link in plain.links:
        assert_allclose(places(solved, link), places(expected, link), atol=1e-6)
