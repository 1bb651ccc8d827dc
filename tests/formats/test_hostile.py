"""Files that are made to hang, to fill the memory or to flood the screen: read, or refused in words."""

import os
import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest

from limbik import load
from limbik.errors import FormatError, FormatWarning, LimbikError
from limbik.formats import srdf
from limbik.model import Model

LONG = "n" * 20_000


@pytest.fixture(autouse=True)
def _without_remarks() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FormatWarning)
        yield


def refused(source: str | Path) -> FormatError:
    with pytest.raises(FormatError) as caught:
        load(source)
    return caught.value


# --- many of a kind -----------------------------------------------------------------------------------------


def followers(leaders: dict[int, int], count: int) -> str:
    """A URDF whose joint k follows joint leaders[k]."""
    links = [f'<link name="l{k}"/>' for k in range(count + 1)]
    rules = [f'<mimic joint="j{leaders[k]}"/>' if k in leaders else "" for k in range(count)]
    joints = [
        f'<joint name="j{k}" type="revolute"><parent link="l0"/><child link="l{k + 1}"/>'
        f'<limit lower="-1" upper="1"/>{rule}</joint>'
        for k, rule in enumerate(rules)
    ]
    return "\n".join(['<robot name="many">', *links, *joints, "</robot>"])


@pytest.mark.slow
@pytest.mark.parametrize("step", [-1, 1])
def test_a_line_of_thousands_of_followers_is_read(step: int) -> None:
    count = 2500
    first = 0 if step < 0 else count - 1
    model = load(followers({k: k + step for k in range(count) if k != first}, count))
    assert model.nq == 1
    assert {joint.mimic.joint for joint in model.joints if joint.mimic} == {f"j{first}"}


def test_a_spine_with_a_thousand_ribs_is_read() -> None:
    """Any joint of the spine might be the palm of a hand, of which all that follows is the fingers."""
    links = [f'<link name="s{k}"/><link name="rib{k}"/>' for k in range(1001)]
    joints = [
        f'<joint name="{child}" type="continuous"><parent link="s{k}"/><child link="{child}"/></joint>'
        for k in range(1000)
        for child in (f"s{k + 1}", f"rib{k + 1}")
    ]
    joints.append('<joint name="r" type="fixed"><parent link="s0"/><child link="rib0"/></joint>')
    model = load("\n".join(['<robot name="spine">', *links, *joints, "</robot>"]))
    assert model.nq == 2000
    assert model.end_effector == "s501"


def test_a_long_circle_of_followers_is_told_by_its_beginning() -> None:
    count = 2000
    message = str(refused(followers({k: (k + 1) % count for k in range(count)}, count)))
    assert "j0 -> j1 -> j2" in message
    assert message.endswith("and 1,991 more")


def test_remarks_on_thousands_of_lost_leaders_are_few() -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        load(followers({k: 10_000 + k for k in range(1500)}, 1500))
    assert len(caught) == 11
    assert "1,490 more joints" in str(caught[-1].message)


def test_groups_inside_groups_are_gathered_once() -> None:
    groups = [f'<group name="g{k}">{f"""<group name="g{k + 1}"/>""" * 2}</group>' for k in range(60)]
    robot = srdf.read("\n".join(['<robot name="r">', *groups, '<group name="g60"/></robot>']))
    assert robot.joints("g0", load("panda")) == ()


def test_a_line_of_thousands_of_groups_has_no_circle() -> None:
    count = 5000
    groups = [f'<group name="g{k}"><group name="g{k + 1}"/></group>' for k in range(count)]
    robot = srdf.read("\n".join(['<robot name="r">', *groups, f'<group name="g{count}"/></robot>']))
    assert robot.joints("g0", load("panda")) == ()
    closed = f'<group name="g{count}"><group name="g7"/></group></robot>'
    with pytest.raises(FormatError, match="a part of itself"):
        srdf.read("\n".join(['<robot name="r">', *groups, closed]))


# --- what is no file ----------------------------------------------------------------------------------------


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes here")
def test_a_pipe_is_refused_and_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "arm.urdf")
    assert "is a pipe, not a file" in str(refused(tmp_path / "arm.urdf"))


@pytest.mark.skipif(not os.path.exists("/dev/zero"), reason="there are no devices here")
def test_a_device_is_refused() -> None:
    assert "is a device" in str(refused("/dev/zero"))


@pytest.mark.skipif(not hasattr(os, "symlink"), reason="there are no links here")
def test_links_in_a_circle_are_refused(tmp_path: Path) -> None:
    (tmp_path / "a.urdf").symlink_to(tmp_path / "b.urdf")
    (tmp_path / "b.urdf").symlink_to(tmp_path / "a.urdf")
    assert "cannot be read" in str(refused(tmp_path / "a.urdf"))


# --- deep inside each other ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "rows",
    [
        "{a: " * 600 + "1" + "}" * 600,
        "[" * 1000,
        "\n" + "\n".join(" " * k + f"k{k}:" for k in range(1, 600)),
    ],
    ids=["mappings", "lists", "indented"],
)
def test_yaml_that_is_nested_too_deep_is_refused(rows: str) -> None:
    pytest.importorskip("yaml")
    assert "too deep inside each other" in str(refused(f"convention: standard\nrows: {rows}\n"))


# --- long names ---------------------------------------------------------------------------------------------

CONNECTED = '<parent link="a"/><child link="b"/></joint></robot>'
LINKS = '<robot name="r">\n<link name="a"/><link name="b"/>'
NAMED = {
    "an attribute's name": f'<robot>\n<link {LONG}="a"/></robot>',
    "a tag": f"<{LONG}/>",
    "an open tag": f"<robot>\n<{LONG}></robot>",
    "a joint and its type": f'{LINKS}<joint name="{LONG}" type="{LONG}"/></robot>',
    "a link": f'{LINKS}<joint name="{LONG}" type="fixed">' + CONNECTED.replace('"b"', f'"{LONG}"'),
    "known links": f'<robot><link name="{LONG}"/><joint name="j" type="fixed">{CONNECTED}',
    "a leader": f'{LINKS}<joint name="{LONG}" type="continuous"><parent link="a"/><child link="b"/>'
    f'<mimic joint="{LONG}"/></joint></robot>',
    "words in a name": f'{LINKS}<joint name="j" type="{"a b " * 5000}">{CONNECTED}',
    "quotes in a name": f'{LINKS}<joint name="j" type="{"&quot; &apos; " * 5000}">{CONNECTED}',
    "a convention": f"# convention: {LONG}\njoint,alpha,d\na,0,1\n",
    "a column": f"# convention: standard\njoint,alpha,{LONG}\na,1,1\n",
    "rows": f"# convention: standard\njoint,alpha,d\n{LONG},0,1\n{LONG},0,1\n",
    "a number": f"# convention: standard\njoint,alpha,d\na,0,{'9' * 20_000}\n",
    "a word of an arm": f"arm 1 0 0 0\n{LONG} 1 1 1\n",
}


@pytest.mark.parametrize("text", NAMED.values(), ids=NAMED)
def test_a_message_quotes_the_beginning_of_a_long_name(text: str) -> None:
    message = str(refused(text))
    assert len(message) < 11_000 if "&quot;" in text else len(message) < 1000
    assert "..." in message


def test_a_warning_quotes_the_beginning_of_a_long_name() -> None:
    text = f'{LINKS}<joint name="{LONG}" type="revolute">{CONNECTED}'
    with pytest.warns(FormatWarning) as caught:
        load(text)
    assert all(len(str(one.message)) < 1000 for one in caught)


def test_what_is_asked_of_a_model_is_quoted_by_its_beginning() -> None:
    model: Model = load("panda")
    with pytest.raises(LimbikError) as caught:
        model.pose(model.neutral, LONG)
    assert "(20,000 characters)" in str(caught.value)
    assert len(str(caught.value)) < 1000
