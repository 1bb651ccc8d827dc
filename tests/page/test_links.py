"""What the settings of a link are read as, and written."""

from typing import Any

import pytest

from page.modules import Modules

READ = """async ([view, query]) => {
  const { SETTINGS } = await import(`/static/${view}/settings.js`);
  const { readQuery } = await import('/static/urlstate.js');
  return readQuery(query, SETTINGS);
}"""
DEFAULTS = """async (view) => {
  const { SETTINGS } = await import(`/static/${view}/settings.js`);
  return SETTINGS;
}"""


def read(modules: Modules, view: str, query: str) -> tuple[dict[str, Any], list[str]]:
    """The values that a link's query has on a view, and what is said of it."""
    found = modules.evaluate(READ, [view, query])
    return found["values"], found["notes"]


@pytest.mark.parametrize("side", ["min", "max"])
@pytest.mark.parametrize("view", ["plane", "space", "motion"])
def test_numbers_out_of_range_are_clamped_and_said_so(modules: Modules, view: str, side: str) -> None:
    ranges = {name: setting for name, setting in modules.evaluate(DEFAULTS, view).items() if side in setting}
    assert len(ranges) > 5
    for name, setting in ranges.items():
        beyond = setting[side] + (-7.5 if side == "min" else 7.5)
        values, (told,) = read(modules, view, f"{name}={beyond!r}")
        assert values == {name: setting[side]}
        low, high = (f"{setting[end]:.15g}" for end in ("min", "max"))
        assert told.startswith(f"{name}={beyond:.15g} is outside {low} to {high}")


@pytest.mark.parametrize(
    ("view", "query", "told"),
    [
        ("plane", "tx=1e9", "tx=1000000000 is outside -100000 to 100000 px; 100000 is used"),
        (
            "plane",
            "q=1,2;3",
            "q is not how an arm stands: angles in degrees, of several arms with ; between them",
        ),
        ("plane", "cam=here", "cam=here is not a view: x, y and scale, such as 400,300,0.5"),
        ("plane", "it=1e999", "it=1e999 is not a number"),
        ("plane", "L=", "L= is not a number"),
        ("plane", "rg=maybe", "rg=maybe is neither 0 nor 1"),
        (
            "plane",
            "race=ccd,magic",
            "race: magic is not one of ccd, fabrik, jt, dls, pinv, sdls, newton, lm, transpose-classic",
        ),
        ("plane", "rq=1,x", "rq is not a list of angles in degrees"),
        ("motion", "ch=fly:1", "ch: fly:1 is no change of a motion"),
        ("motion", "ch=drag:LeftHand:1:2,3", "ch: drag:LeftHand:1:2,3 is no change of a motion"),
        ("motion", "ch=stand:moon:1:1", "ch: stand:moon:1:1 is no change of a motion"),
    ],
)
def test_what_makes_no_sense_is_said(modules: Modules, view: str, query: str, told: str) -> None:
    assert read(modules, view, query)[1] == [told]


@pytest.mark.parametrize("view", ["plane", "space", "motion"])
def test_unknown_names_are_ignored(modules: Modules, view: str) -> None:
    unknown = "utm_source=x&constructor=1&__proto__=2&toString=3"
    assert read(modules, view, f"{unknown}&sp=1.5") == ({"sp": 1.5}, [])


LINKED = """async (goals) => {
  const { GOALS } = await import('/static/space/codec.js');
  return GOALS.read('goal', GOALS.write(goals)).value;
}"""


def test_goals_come_out_of_a_link_as_they_went_in(modules: Modules) -> None:
    place = {"arm": 1, "frame": "a:b; c", "position": [0.1, -2, 0]}
    goals = [
        place | {"kind": "position", "quat_xyzw": [0.0008, 0, 0, 1]},
        place | {"kind": "pose", "quat_xyzw": [0, 0, 0.6, 0.8]},
        place | {"kind": "direction", "quat_xyzw": [0, 0, 0, 1], "axis": "y"},
    ]
    assert modules.evaluate(LINKED, goals) == goals


STEM = "async (name) => (await import('/static/space/names.js')).stemOf(name)"


@pytest.mark.parametrize(
    ("name", "stem"),
    [
        ("two_arms.arm", "two_arms"),
        ("-.arm", "scene"),
        (" My  robot - 2 .arm", "my-robot-2"),
        ("--a--b--", "a-b"),
    ],
)
def test_names_of_files_have_no_stray_hyphens(modules: Modules, name: str, stem: str) -> None:
    assert modules.evaluate(STEM, name) == stem


STANDING = """async (arms) => {
  const { SETTINGS } = await import('/static/plane/settings.js');
  const { readQuery, writeQuery } = await import('/static/urlstate.js');
  return readQuery(writeQuery({ q: arms }, SETTINGS), SETTINGS).values.q;
}"""


def test_arms_come_out_of_a_link_of_the_plane_as_they_stood(modules: Modules) -> None:
    arms = [[0.1, -2.5, 3.0], [1.0, 0.0, -0.25]]
    found = modules.evaluate(STANDING, arms)
    assert [pytest.approx(q, abs=1e-5) for q in arms] == found
