"""`limbik arm` as a user meets it, and robots in `limbik play`."""

import base64
import contextlib
import io
import json
import re
import shlex
import urllib.parse
import zlib
from pathlib import Path
from unittest import mock

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

import limbik
from limbik import cli
from limbik.commands import play
from limbik.commands.arm import split
from limbik.commands.scene_answers import text
from limbik.errors import FormatWarning, LimbikError

EXAMPLES = Path(__file__).parents[2] / "examples"
TWO_ARMS = EXAMPLES / "two_arms.arm"
BRANCHES = EXAMPLES / "branches.arm"
ONE = shlex.split("-arm 2 0 0 0 -seg 1 1.5 1.5 -seg 1 1.5 1.5 -goal -0.5 1 1")


@pytest.fixture
def run(capsys):
    """The exit status, what was printed, and what was said beside it."""

    def run(*arguments: object, command: str = "arm") -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as ended:
            cli.app([command, *map(str, arguments)])
        printed = capsys.readouterr()
        return ended.value.code or 0, printed.out, printed.err

    return run


@pytest.fixture
def opened(monkeypatch):
    """The addresses that were opened; nothing is served."""
    addresses: list[str] = []

    class Server:
        def run(self, sockets):
            for listener in sockets:
                listener.close()

    monkeypatch.setattr(play, "has_browser", lambda: True)
    monkeypatch.setattr(play, "open_browser", addresses.append)
    monkeypatch.setattr("limbik.app.server.make_server", lambda host, uploads, maps: Server())
    return addresses


def typed_in(path: Path) -> list[str]:
    """The command that the comments of an example give."""
    lines = re.findall(r"^#\s+(.*?)\s*\\?$", path.read_text().partition("limbik arm")[2], re.MULTILINE)
    first = path.read_text().partition("limbik arm")[2].partition("\n")[0].rstrip("\\")
    return shlex.split(" ".join([first, *lines]))


# --- solving ------------------------------------------------------------------------------------------------


def test_two_arms_of_four_segments_by_flags_with_indices_are_those_of_the_file(run) -> None:
    words = typed_in(TWO_ARMS)
    assert words.count("-seg") == 8 and words.count("-goal") == 2
    of_flags, of_file = (run(*given, "--solve", "--json") for given in (words, ["-f", TWO_ARMS]))
    assert of_flags[0] == of_file[0] == 0
    by_flags, by_file = json.loads(of_flags[1]), json.loads(of_file[1])
    for data, arm in zip(by_flags["arms"], limbik.load_scene(TWO_ARMS).arms, strict=True):
        assert_allclose(arm.model.pose(data["q"])[:3, 3], arm.goals[0].target, atol=1e-6)
    assert [arm["q"] for arm in by_flags["arms"]] == [arm["q"] for arm in by_file["arms"]]


@pytest.mark.parametrize("branches", ["independent", "coupled"])
def test_nested_branches_are_solved_and_each_is_told(run, branches) -> None:
    status, out, err = run("-f", BRANCHES, "--solve", "--branches", branches)
    assert (status, err) == (0, "")
    lines = out.splitlines()
    assert lines[0].startswith("theta and phi are half-ranges of motion; --angles initial takes")
    told = [line.split(" m off")[0] for line in lines if line.startswith("arm1")]
    assert [line.partition(",  ")[0].split(":")[0] for line in told] == [
        "arm1",
        "arm1.b1",
        "arm1.b2",
        "arm1.b3",
    ]
    assert told[1].startswith("arm1.b1: goal (1, 0.4, 2) m, solved, ")
    assert told[2] == "arm1.b2: no goal"
    assert max(map(len, lines)) <= 90


def test_json_holds_every_part_with_its_angles(run) -> None:
    status, out, _ = run("-f", BRANCHES, "--solve", "--json")
    data = json.loads(out)
    assert (status, data["success"], data["angles"], data["branches"]) == (0, True, "range", "independent")
    (arm,) = data["arms"]
    assert [part["name"] for part in arm["parts"]] == ["arm1", "arm1.b1", "arm1.b2", "arm1.b3"]
    assert [part["status"] for part in arm["parts"]] == ["solved", "solved", "no goal", "solved"]
    assert np.concatenate([np.ravel(part["angles"]) for part in arm["parts"]]).tolist() == arm["q"]
    (scene_arm,) = limbik.load_scene(BRANCHES).arms
    for part in arm["parts"]:
        if part["goal"]:
            there = scene_arm.model.pose(arm["q"], part["frame"])[:3, 3]
            assert_allclose(there, part["goal"], atol=1e-6)
            assert part["error"] <= 1e-6


def test_a_goal_out_of_reach_is_explained_with_exit_status_1(run) -> None:
    far = [*ONE[:-3], "0", "0", "5"]
    status, out, _ = run(*far, "--solve")
    assert status == 1
    assert "arm1: goal (0, 0, 5) m, unreachable, 3.00e+00 m off" in out
    assert "Out of reach, whatever the joints do: frame 'arm1.tip' at (0, 0, 5) m." in out
    assert "0 of 1 arms with goals solved by lm" in out
    status, out, _ = run(*far, "--solve", "--json")
    assert (status, json.loads(out)["success"]) == (1, False)


def test_a_branch_that_its_parent_keeps_from_its_goal_is_told_what_may_help() -> None:
    hint = "--branches coupled moves all joints of an arm together."
    words = shlex.split("-arm 1 0 0 0 -seg 1 3.2 3.2 -br 0 1 -seg 1 3.2 3.2 -goal 0 0 -2")
    with pytest.warns(FormatWarning, match="not closed"):
        scenes = [limbik.load_scene(words), limbik.load_scene([*words[:-1], "-3"])]
    told = [" ".join(text(scene, scene.solve(iterations=60, restarts=0), False)) for scene in scenes]
    assert [hint in one for one in told] == [True, False]
    assert "Its parents are in the way where they stand: frame 'arm1.b1.tip' at (0, 0, -2) m." in told[0]
    assert "ocked" not in told[0].partition("Its parents")[2]


def test_a_scene_without_goals_is_told_so(run) -> None:
    status, out, _ = run(*ONE[:-4], "--solve")
    assert (status, out.splitlines()[-1]) == (0, "No arm has a goal.")


def test_the_reading_is_told_and_can_be_chosen(run) -> None:
    status, out, _ = run(*ONE, "--angles", "initial", "--solve")
    assert status == 0
    assert out.startswith("theta and phi are the first directions of the segments;")
    _, out, _ = run("--solve", *ONE, "--json", "--angles=initial")
    assert json.loads(out)["angles"] == "initial"


def test_lenient_counts_are_notes_beside_the_answer(run) -> None:
    words = shlex.split("-arm 3 0 0 0 -seg 1 1.5 1.5 -seg 1 1.5 1.5 -goal -0.5 1 1")
    status, out, err = run(*words, "--solve")
    assert (status, out) == (2, "")
    assert err == "limbik: argument 1: `-arm` says that arm 1 has 3 segments, found 2\n"
    status, out, err = run(*words, "--lenient", "--solve")
    assert status == 0
    assert err == "limbik: note: argument 1: `-arm` says that arm 1 has 3 segments, found 2\n"


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("", "limbik: the command line: holds no arm; give -f FILE, or -arm ns bx by bz with its -seg"),
        ("-arm 1 0 0 0 -sge 1 1 1", "limbik: argument 6: unknown word '-sge'; did you mean '-seg'"),
        ("--solve -arm 1 0 0 0 -seg 1 1 x", "argument 7: `-seg` needs a half-range phi in radians, found"),
        ("-f missing.arm", "limbik: missing.arm: there is no such file"),
        ("-f", "limbik: argument 1: `-f` needs a file after it, found none"),
        ("-arm 1 0 0 0 -seg 1 1 1 --save a.txt", "a.txt: needs the ending .arm or .urdf, found '.txt'"),
        ("-arm 1 0 0 0 -seg 1 1 1 --json", "limbik: --json does nothing without --solve"),
        ("-arm 1 0 0 0 -seg 1 1 1 --degrees", "limbik: --degrees does nothing without --solve"),
        ("-arm 1 0 0 0 -seg 1 1 1 --seed 0", "limbik: --seed does nothing without --solve"),
        ("-arm 1 0 0 0 -seg 1 1 1 --save a.arm --solver lm", "--solver does nothing with --save alone"),
        ("-arm 1 0 0 0 -seg 1 1 1 --save a.arm --branches coupled", "--branches does nothing with --save al"),
        ("-arm 1 0 0 0 -seg 1 1 1 --solve --port 80", "--port does nothing with --solve, which opens"),
        ("-arm 1 0 0 0 -seg 1 1 1 --solver lmx", "limbik: there is no solver 'lmx'; did you mean 'lm'"),
        ("-arm 1 0 0 0 -seg 1 1 1 -solve", "argument 10: unknown word '-solve'; did you mean '--solve'?"),
        ("-goal -x 1 1", "limbik: argument 2: unknown word '-x'; known: -f, -arm"),
        ("-arm=1 0 0 0", "limbik: argument 1: unknown word '-arm=1'; did you mean '-arm'?"),
        ("arm 1 0 0 0", "limbik: the command line: 'arm' follows no word that takes it; words are -f FILE"),
        ("-f -arm 1 0 0 0", "limbik: argument 1: `-f` needs a file after it, found '-arm'"),
        ("-arm 1 0 0 0 -seg 1 1 1 -help", "argument 10: unknown word '-help'; did you mean '--help'?"),
        ("-arm 1 0 0 0 -seg 1 1 1 --save a", "a: needs the ending .arm or .urdf, found none"),
        ("-goal 1 1 1", "limbik: argument 1: `-goal` stands before any `-arm`\n"),
        (f"-f {TWO_ARMS} -goal 1 1 1", "`-goal` stands before any `-arm`; the arms of a file are complete"),
        (f"-f {TWO_ARMS} -arm 2 0 0 0 -seg 1 1 1", "3: `-arm` says that arm 3 has 2 segments, found 1"),
        ("-arm 1 0 0 0 -seg 1 1 1 -br 0 1 -seg 1 1 1 -arm 1 0 0 0", "`-br` is not closed by `-endbr` before"),
        ("-f= --solve", "limbik: argument 1: `-f` needs a file after it, found ''"),
        ("-arm 1 0 0 0 -seg 1 1 1 -- x --solve", "'x' follows no word that takes it"),
        ("-arm 1 0 0 0 -seg 1 1 1 --solve --solver lmx", "limbik: there is no solver 'lmx'"),
        ("-arm 1 0 0 0 -seg 1 1 1 --sovle", "No such option: --sovle"),
        ("-arm 1 0 0 0 -seg 1 1 1 --angles degrees", "Invalid value for '--angles'"),
    ],
)  # fmt: skip
def test_a_mistake_is_told_in_a_line_with_exit_status_2(run, line, message) -> None:
    status, out, err = run(*shlex.split(line))
    assert (status, out) == (2, "")
    assert message in err
    assert "Traceback" not in err


@pytest.mark.parametrize("line", ["-h", "-arm 2 0 0 -h", "-arm 1 0 0 0 -seg 1 1 1 --help --solve"])
def test_help_is_given_wherever_it_is_asked_for(run, line) -> None:
    status, out, err = run(*line.split())
    assert (status, err) == (0, "")
    assert "-seg [INDEX] LENGTH TH PHI" in out


# --- saving -------------------------------------------------------------------------------------------------


def test_a_solved_scene_is_saved_with_its_configuration_where_there_is_a_place_for_it(run, tmp_path) -> None:
    path = tmp_path / "out.arm"
    status, _, err = run(*ONE, "--angles", "initial", "--solve", "--save", path)
    assert (status, err) == (0, f"Saved {path}\n")
    (arm,) = limbik.load_scene(path).arms
    assert_allclose(arm.model.pose(arm.start)[:3, 3], [-0.5, 1, 1], atol=2e-6)
    _, _, err = run(*ONE, "--solve", "--save", path)
    assert "note: the configuration is not in it: where theta and phi are ranges" in err
    assert limbik.load_scene(path).to_arm() == limbik.load_scene(ONE).to_arm()


def test_without_solve_saving_converts_and_opens_nothing(run, tmp_path, opened) -> None:
    urdf, arm = tmp_path / "out.urdf", tmp_path / "out.arm"
    status, _, err = run("-f", BRANCHES, "--save", urdf, "--save", arm)
    assert (status, err, opened) == (0, f"Saved {urdf}\nSaved {arm}\n", [])
    scene = limbik.load_scene(BRANCHES)
    robot = limbik.load(urdf)
    assert robot.nq == scene.arms[0].model.nq
    assert "arm1.b2.tip" in robot.frame_names
    assert limbik.load_scene(arm).to_arm() == scene.to_arm()


def test_a_place_that_cannot_be_written_is_told(run, tmp_path) -> None:
    status, _, err = run(*ONE, "--save", tmp_path / "no" / "out.arm")
    assert (status, "cannot be written" in err) == (3, True)


# --- opening ------------------------------------------------------------------------------------------------


def test_the_playground_opens_on_the_scene(run, opened) -> None:
    status, out, _ = run("-f", BRANCHES, "--angles", "initial", "--branches", "coupled", "--port", "0")
    assert status == 0
    (address,) = opened
    assert address in out
    query = urllib.parse.parse_qs(urllib.parse.urlsplit(address).query)
    assert (query["view"], query["angles"], query["branches"]) == (["3d"], ["initial"], ["coupled"])
    assert query["name"] == ["branches.arm"]
    packed = query["arm"][0]
    assert re.fullmatch(r"[\w-]+", packed)
    text = zlib.decompress(base64.urlsafe_b64decode(packed + "=" * (-len(packed) % 4)), -zlib.MAX_WBITS)
    scene = limbik.load_scene(BRANCHES, angles="initial")
    assert limbik.load_scene(text.decode()).to_arm() == scene.to_arm()


def test_the_page_opens_with_the_solver_that_was_asked_for(run, opened) -> None:
    run(*ONE, "--solver", "transpose-classic", "--port", "0")
    run(*ONE, "--port", "0")
    queries = [urllib.parse.parse_qs(urllib.parse.urlsplit(address).query) for address in opened]
    assert [query.get("algo") for query in queries] == [["transpose-classic"], None]


def test_a_scene_too_large_for_the_page_is_told(run, opened, tmp_path) -> None:
    path = tmp_path / "large.arm"
    path.write_text("arm 300 0 0 0\n" + 300 * "seg 1 1 1\n")
    status, _, err = run("-f", path, "--port", "0")
    assert (status, opened) == (2, [])
    assert err == "limbik: the playground shows up to 500 joints, found 601\n"
    path.write_text(17 * "arm 1 0 0 0\nseg 1 1 1\n")
    assert run("-f", path)[2] == "limbik: the playground shows up to 16 arms, found 17\n"


def test_an_address_too_large_is_told() -> None:
    with pytest.raises(LimbikError, match=r"too large for an address .* drop the file on the page"):
        play.open_playground("127.0.0.1", 0, True, query="?" * 40_000)


def test_a_busy_port_is_answered_with_the_command_to_type(run) -> None:
    from limbik.service.address import listen

    with listen("127.0.0.1", 0) as taken:
        port = taken.getsockname()[1]
        status, _, err = run(*ONE, "--port", port, "--no-browser")
    assert status == 2
    assert f"Type: limbik arm {shlex.join(ONE)} --port " in err and err.rstrip().endswith("--no-browser")


def test_robots_open_side_by_side(run, opened) -> None:
    status, _, _ = run("--robot", "panda", "--robot", "ur5e", "--port", "0", command="play")
    assert status == 0
    assert opened[0].endswith("/?view=3d&robot=panda,ur5e")
    status, _, err = run("--robot", "pandra", command="play")
    assert (status, "there is no robot 'pandra'; did you mean 'panda'" in err) == (2, True)
    status, _, err = run(*["--robot", "panda"] * 5, command="play")
    assert (status, "up to 4 robots at once, found 5" in err) == (2, True)


def test_words_of_the_scene_are_told_from_options_wherever_they_stand() -> None:
    line = "--solver dls -arm 1 -0.5 0 0 --port 8 -seg 1 -1e-3 1 --file=a.arm -f b.arm 1 -b --json"
    words, places, others = split(shlex.split(line))
    assert words == shlex.split("-arm 1 -0.5 0 0 -seg 1 -1e-3 1 --file a.arm -f b.arm -b")
    assert places == [3, 4, 5, 6, 7, 10, 11, 12, 13, 14, 14, 15, 16, 18]
    assert others == ["--solver", "dls", "--port", "8", "1", "--json"]


# --- any words ----------------------------------------------------------------------------------------------

PIECES = (
    """
-arm 1 0 0 0; -arm 2 -1 .5 -1e-3; -seg 1 1 1; -seg 1 1 1; -seg 0 1 0.5 0; -goal -0.5 0 -1; -br 0 1; -endbr
-seg 1 nan 1; -goal 1e12 0 -inf; -br -1 1; -arm 1000000000 0 0 0; -SEG 1 1 1; --goal 0 0 1; -gaol; -goal; -f=
-f missing.arm; -x; -; --; 1; 1,5; ; \u22121; arm; #; --lenient; --angles initial; --angles; --seed; --sovle
""".strip()
    .replace("\n", "; ")
    .split("; ")
)


@given(st.lists(st.sampled_from(PIECES), max_size=12))
@example(["--lenient", "-arm 1 0 0 0", "-seg 1 1 1", "-seg 1 1 1", "-br 0 1", "-seg 0 1 0.5 0", "-endbr"])
def test_any_words_of_the_command_line_end_in_a_scene_or_a_sentence(pieces) -> None:
    words = [word for piece in pieces for word in piece.split(" ")]
    printed = io.StringIO()
    with (
        mock.patch("limbik.commands.arm.open_playground") as opening,
        contextlib.redirect_stdout(printed),
        contextlib.redirect_stderr(printed),
        pytest.raises(SystemExit) as ended,
    ):
        cli.app(["arm", *words])
    assert (ended.value.code or 0) == (0 if opening.called else 2)
    assert printed.getvalue().strip() and "Traceback" not in printed.getvalue()
