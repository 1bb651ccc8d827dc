"""A motion as a picture."""

import xml.etree.ElementTree as ElementTree
from dataclasses import replace

import numpy as np
import pytest

import limbik
import walker
from limbik.errors import GoalError, ModelError
from limbik.motion import picture
from motion.people import crouching

SVG = "{http://www.w3.org/2000/svg}"


def read(text):
    """The root, and x of the text below each figure."""
    root = ElementTree.fromstring(text)
    assert root.tag == f"{SVG}svg"
    return root, [float(each.get("x")) for each in root.iter(f"{SVG}text")]


def lines(root):
    """Ends of bones [n, 2, 2], and their colours."""
    paths = [each for each in root.iter(f"{SVG}path") if "L" in each.get("d")]
    ends = [[[float(x) for x in point.split()] for point in each.get("d")[1:].split("L")] for each in paths]
    return np.array(ends), [each.get("stroke") for each in paths]


def test_a_walk_goes_from_left_to_right_on_the_ground():
    root, across = read(picture(walker.walk().motion, figures=7))
    assert len(across) == 7
    assert (np.diff(across) > 0.0).all()
    ends, colours = lines(root)
    _, _, width, height = map(float, root.get("viewBox").split())
    assert (ends >= 0.0).all()
    assert (ends <= [width, height]).all()
    assert len({*colours}) == 3  # both legs, and the hips
    assert [text.text for text in root.iter(f"{SVG}text")][::6] == ["0.00 s", "5.00 s"]


@pytest.mark.parametrize("along", ["y", "z"])
def test_who_stays_in_place_stands_side_by_side_upright(along):
    person = limbik.load_motion(crouching(along=along), up=along)
    root, across = read(picture(person))
    assert np.diff(across).min() > 50.0
    ends, _ = lines(root)
    assert np.ptp(ends[..., 1]) > 200.0


def test_of_few_frames_there_are_few_figures():
    walk = walker.walk().motion
    assert len(read(picture(replace(walk, q=walk.q[:3]), figures=9))[1]) == 3


@pytest.mark.parametrize("figures", [0, -1, 61, 2.5, True, "9"])
def test_another_number_of_figures_is_refused(figures):
    with pytest.raises(GoalError, match="figures"):
        picture(walker.walk().motion, figures=figures)


def test_what_has_no_bones_is_refused():
    slider = limbik.Model(
        "slider", [limbik.Joint(name="x", kind=limbik.JointKind.PRISMATIC, parent="base", child="block")]
    )
    with pytest.raises(ModelError, match="no bones"):
        picture(limbik.Motion(slider, np.zeros((2, 1)), 0.1))
    with pytest.raises(ModelError, match="Motion"):
        picture(slider)
