"""The classic arm format: what is read, what is refused and how, and that what is written reads back."""

import dataclasses
import math
import re
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

import limbik
from formats.arm_files import arms
from limbik.errors import FormatError, FormatWarning, ModelError
from limbik.formats import arm as arm_format
from limbik.formats.arm import ArmDescription, ArmFile, ArmPart, ArmSegment
from limbik.formats.arm.model import arm_of, first_configuration, model_of
from limbik.formats.source import Source
from limbik.model import Model

ONE = "arm 2 0 0 0\nseg 1 0.5 0.5\nseg 1 0.5 0.5\n"


def read(text: str, **options) -> ArmFile:
    return arm_format.read(Source("three.arm", text), **options)


# --- what is read -------------------------------------------------------------------------------------------


def test_arms_segments_goals_and_nested_branches_are_read() -> None:
    file = read(
        """# two arms
        arm 2 -1 0 0.5      # at its base
        seg 1 1.5 1.2
        seg 0.5 1 1
        goal 0.5 0 1
        br 0 1
            seg 0.3 1 2
            goal 0 1 1
            br 0 1
                seg .2 3 3
            endbr
        endbr
        br 1 1
            seg 1e-1 +1 1.
        endbr
        arm 1 1 0 0
        seg 1 1 1
        """
    )
    first, second = file.arms
    assert first.base == (-1.0, 0.0, 0.5)
    assert first.parts == (
        ArmPart((ArmSegment(1.0, 1.5, 1.2), ArmSegment(0.5, 1.0, 1.0)), (0.5, 0.0, 1.0)),
        ArmPart((ArmSegment(0.3, 1.0, 2.0),), (0.0, 1.0, 1.0), 0, 0),
        ArmPart((ArmSegment(0.2, 3.0, 3.0),), None, 1, 0),
        ArmPart((ArmSegment(0.1, 1.0, 1.0),), None, 0, 1),
    )
    assert second == ArmDescription((1.0, 0.0, 0.0), (ArmPart((ArmSegment(1.0, 1.0, 1.0),)),))
    assert file.angles == "range"


def test_four_numbers_begin_with_the_index_of_the_segment_in_any_order() -> None:
    file = read("arm 3 0 0 0\nseg 2 3 0.1 0.1\nseg 0 1 0.1 0.1\nseg 1 2 0.1 0.1\n")
    assert [segment.length for segment in file.arms[0].parts[0].segments] == [1.0, 2.0, 3.0]


def test_branches_have_indices_of_their_own() -> None:
    file = read(ONE + "br 1 2\nseg 1 0.2 1 1\nseg 0 0.1 1 1\nendbr\n")
    assert [segment.length for segment in file.arms[0].parts[1].segments] == [0.1, 0.2]


def test_a_branch_may_begin_before_the_segments_of_its_arm_are_complete() -> None:
    file = read("arm 2 0 0 0\nseg 1 1 1\nbr 1 1\nseg 3 1 1\nendbr\nseg 2 1 1\ngoal 1 1 1\n")
    arm, branch = file.arms[0].parts
    assert [segment.length for segment in arm.segments] == [1.0, 2.0]
    assert (branch.parent, branch.segment, arm.goal) == (0, 1, (1.0, 1.0, 1.0))


@pytest.mark.parametrize(
    "text",
    [
        ONE.replace("\n", "\r\n"),
        ONE.replace("\n", "\r"),
        ONE.replace(" ", "\t"),
        ONE.replace(" ", " \t  "),
        "\ufeff" + ONE,
        ONE.upper(),
        ONE.replace("\n", "  # why: länge, 長さ\n"),
        ONE.replace("\n", "# close to it\n"),
        "\n\n   \n#\n" + ONE + "\n\n",
        ONE.rstrip("\n"),
        ONE.replace("\nseg", " seg"),
        ONE.replace("0.5", "5e-1"),
        ONE.replace("arm 2", "arm 2.0"),
    ],
    ids=[
        "CRLF", "CR", "tabs", "blanks", "byte order mark", "capitals", "comments", "comments without a space",
        "empty lines", "no last line break", "one line", "exponents", "a count with a point",
    ],
)  # fmt: skip
def test_the_same_arm_in_other_writings(text) -> None:
    assert read(text).arms == read(ONE).arms


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_encodings_of_files(tmp_path, encoding) -> None:
    path = tmp_path / "länge.arm"
    path.write_text("# Länge\n" + ONE, encoding=encoding)
    file = arm_format.read(path)
    assert (file.name, file.arms) == ("länge", read(ONE).arms)


def test_an_encoding_that_is_not_unicode_is_named_with_its_line(tmp_path) -> None:
    path = tmp_path / "latin.arm"
    path.write_bytes(ONE.encode() + "# Länge\n".encode("latin-1"))
    with pytest.raises(FormatError, match=r"latin\.arm:4: is not text in the encoding utf-8"):
        arm_format.read(path)


def test_half_ranges_are_limits_and_half_a_turn_is_none() -> None:
    model = model_of(read("arm 2 0 0 0\nseg 1 0.25 1.5\nseg 2 3.2 3.141592653589793\n").arms[0], "a")
    names = ("a.s0.theta", "a.s0.phi", "a.s1.theta", "a.s1.phi")
    assert model.joint_names == ("a.base", *names)
    assert_allclose(model.upper, [0.25, 1.5, math.inf, math.inf])
    assert_allclose(model.lower, -model.upper)


def test_at_zero_an_arm_stands_up_and_theta_turns_before_phi() -> None:
    model = model_of(read("arm 2 1 2 3\nseg 1 3 3\nseg 0.5 3 3\nbr 0 1\nseg 0.25 3 3\nendbr").arms[0], "a")
    assert_allclose(model.pose(np.zeros(6), "a.tip")[:3, 3], [1, 2, 4.5])
    assert_allclose(model.pose(np.zeros(6), "a.b1.tip")[:3, 3], [1, 2, 4.25])
    theta, phi = 0.4, 1.1
    direction = [math.sin(phi) * math.cos(theta), math.sin(phi) * math.sin(theta), math.cos(phi)]
    tip = model.pose([theta, phi, 0, 0, 0, 0], "a.tip")[:3, 3]
    assert_allclose(tip, np.array([1, 2, 3]) + 1.5 * np.array(direction))


def test_with_initial_angles_segments_begin_along_world_spherical_directions() -> None:
    file = read("arm 2 0 0 0\nseg 1 0.3 1.2\nseg 2 -2 0.5\nbr 0 1\nseg 3 4 -0.7\nendbr", angles="initial")
    model = model_of(file.arms[0], "a", "initial")
    q = first_configuration(file.arms[0], model)
    assert not model.has_limits

    def along(length, theta, phi):
        return length * np.array(
            [math.sin(phi) * math.cos(theta), math.sin(phi) * math.sin(theta), math.cos(phi)]
        )

    elbow = along(1, 0.3, 1.2)
    assert_allclose(model.pose(q, "a.tip")[:3, 3], elbow + along(2, -2, 0.5), atol=1e-15)
    assert_allclose(model.pose(q, "a.b1.tip")[:3, 3], elbow + along(3, 4, -0.7), atol=1e-15)


def test_a_comment_says_how_a_file_is_to_be_read_and_a_caller_may_say_otherwise() -> None:
    text = "# angles: initial\n" + ONE
    assert read(text).angles == "initial"
    assert read("# angles: of the joints, in radians\n" + ONE).angles == "range"
    for other in ("\ufeff#angles:initial\n", "\r  # Angles: INITIAL \r", ONE + "\t#\tangles :initial\n"):
        assert read(other + ONE).angles == "initial"
    with pytest.warns(
        FormatWarning, match=r"three\.arm: it says `# angles: initial`, and is read with angles 'range'"
    ):
        assert read(text, angles="range").angles == "range"


def test_load_gives_the_model_of_one_arm_and_names_load_scene_for_several(tmp_path) -> None:
    path = tmp_path / "one.arm"
    path.write_text("# first a comment\n" + ONE)
    model = limbik.load(str(path))
    assert (model.name, model.nq, model.end_effector) == ("one", 4, "one.tip")
    path.write_text(ONE + ONE)
    with pytest.raises(FormatError, match=r"one\.arm: holds 2 arms; limbik.load_scene reads them all"):
        limbik.load(path)
    path.write_text("amr 2 0 0 0\n")
    with pytest.raises(FormatError, match=r"one\.arm:1: unknown word 'amr'; did you mean 'arm'"):
        limbik.load(path)


# --- what is refused ----------------------------------------------------------------------------------------

MALFORMED = [
    # words
    ("empty", "", None, "holds no arm; one begins with `arm ns bx by bz`"),
    ("comments only", "# nothing\n\n", None, "holds no arm"),
    ("misspelt word", ONE + "gaol 1 1 1\n", 4, "unknown word 'gaol'; did you mean 'goal'"),
    ("unknown word", ONE + "colour 1 0 0\n", 4, "unknown word 'colour'"),
    ("a word of the command line", "-arm 2 0 0 0\n", 1, "unknown word '-arm'; did you mean 'arm'"),
    ("a number first", "2 0 0 0\n", 1, "expected one of arm, seg, goal, br, endbr before the number '2'"),
    ("prose", "hello world\n", 1, "unknown word 'hello'"),
    ("a URDF", "<robot name='r'/>\n", 1, "unknown word '<robot'"),
    ("another comment sign", ONE + "// end\n", 4, "unknown word '//'"),
    ("a nul", ONE + "\0\n", 4, "unknown word '\\x00'"),
    # order
    ("segment before any arm", "seg 1 1 1\n", 1, "`seg` stands before any `arm`"),
    ("goal before any arm", "goal 1 1 1\n" + ONE, 1, "`goal` stands before any `arm`"),
    ("branch before any arm", "\nbr 0 1\n", 2, "`br` stands before any `arm`"),
    # numbers of values
    ("arm without values", "arm\n", 1, "`arm` needs 4 values, ns bx by bz, found none"),
    ("arm with few", "arm 2 0 0\n", 1, "`arm` needs 4 values, ns bx by bz, found 3: '2 0 0'"),
    ("arm with many", "arm 2 0 0 0 0\n", 1, "`arm` needs 4 values, ns bx by bz, found 5: '2 0 0 0 0'"),
    ("seg with few", "arm 1 0 0 0\nseg 1 1\n", 2,
        "`seg` needs 3 values, sr at ap, or 4 with the segment's index",
    ),
    ("seg with many", "arm 1 0 0 0\nseg 0 1 1 1 1\n", 2, "found 5: '0 1 1 1 1'"),
    ("goal with few", ONE + "goal 1 1\n", 4, "`goal` needs 3 values, x y z, found 2: '1 1'"),
    ("goal with many", ONE + "goal 1 1 1 m\n", 4, "`goal` needs 3 values, x y z, found 4: '1 1 1 m'"),
    ("br with few", ONE + "br 1\n", 4, "`br` needs 2 values, n ns, found 1: '1'"),
    ("endbr with one", ONE + "br 0 1\nseg 1 1 1\nendbr 0\n", 6, "`endbr` needs no values, found 1: '0'"),
    # numbers
    ("not a number", "arm 1 0 zero 0\n", 1, "`arm` needs a base bx by bz in metres, found 'zero'"),
    ("nan length", "arm 1 0 0 0\nseg nan 1 1\n", 2, "`seg` needs a positive length in metres, found 'nan'"),
    ("inf angle", "arm 1 0 0 0\nseg 1 inf 1\n", 2, "`seg` needs a half-range theta in radians, found 'inf'"),
    ("-inf goal", ONE + "goal 0 -inf 0\n", 4, "`goal` needs a point x y z in metres, found '-inf'"),
    ("overflow", ONE + "goal 1e400 0 0\n", 4, "a point x y z in metres, of at most 1e+09, found '1e400'"),
    ("too far", ONE + "goal 1e12 0 0\n", 4, "of at most 1e+09, found '1e12'"),
    ("underscore", ONE + "goal 1_0 0 0\n", 4, "found '1_0'"),
    ("other digits", ONE + "goal ١ 0 0\n", 4, "found '١'"),
    ("hexadecimal", ONE + "goal 0x1 0 0\n", 4, "found '0x1'"),
    ("decimal comma", ONE + "goal 1,5 0 0\n", 4, "found '1,5'; values have spaces between them, not commas"),
    ("commas without blanks", ONE + "goal 1,0,0\n", 4,
        "`goal` needs 3 values, x y z, found 1: '1,0,0'; values have spaces between them, not commas",
    ),
    ("commas throughout", "arm,1,0,0,0\n", 1, "endbr; values have spaces between them, not commas"),
    ("semicolons", "arm 1 0 0 0;\n", 1, "found '0;'; a statement ends with its line, without a semicolon"),
    ("commas", ONE + "goal 1, 0, 0\n", 4, "found '1,'; values have spaces between them, not commas"),
    ("zero length", "arm 1 0 0 0\nseg 0 1 1\n", 2, "`seg` needs a positive length in metres, found '0'"),
    ("a minus of typeset texts", ONE + "goal \u22121 0 0\n", 4,
        "found '\u22121'; a minus is the hyphen of the keyboard",
    ),
    ("a value without end", ONE + "goal 0 " + 10_000 * "x" + " 0\n", 4, 54 * "x" + "..."),
    ("length that is zero", "arm 1 0 0 0\nseg 1e-400 1 1\n", 2,
        "a positive length in metres, found '1e-400'",
    ),
    ("negative length", "arm 1 0 0 0\nseg -1 1 1\n", 2,
        "`seg` needs a positive length in metres, found '-1'",
    ),
    (
        "negative half-range", "arm 1 0 0 0\nseg 1 -0.5 1\n", 2,
        "a half-range theta of at least 0 radians, found '-0.5'; angles 'initial' reads it as the first",
    ),
    # counts and indices
    ("no segments", "arm 0 0 0 0\n", 1, "`arm` needs a whole number of segments, at least 1, found '0'"),
    ("negative count", "arm -1 0 0 0\n", 1, "a whole number of segments, at least 1, found '-1'"),
    ("half a segment", "arm 1.5 0 0 0\n", 1, "a whole number of segments, at least 1, found '1.5'"),
    ("a million segments", "arm 1000000 0 0 0\n", 1, "`arm` needs at most 1,000 segments, found '1000000'"),
    ("segments without end", "arm 1 0 0 0\nseg 1 1 1\n" + "br 0 1000\n" * 1000, 12,
        "`br` goes beyond the 10,000 segments that a scene can have",
    ),
    ("no only segment", "arm 1 0 0 0\n", 1, "`arm` says that arm 1 has 1 segment, found none"),
    ("no segment given", "arm 2 0 0 0\n", 1, "`arm` says that arm 1 has 2 segments, found none"),
    ("branch without segments", ONE + "br 0 2\nendbr\n", 4, "branch 1 of arm 1 has 2 segments, found none"),
    ("index twice", "arm 2 0 0 0\nseg 0 1 1 1\nseg 0 1 1 1\n", 3,
        "`seg` gives index 0 again, first at line 2",
    ),
    ("index that is no index", "arm 2 0 0 0\nseg 0.5 1 1 1\n", 2,
        "an index from 0 to 1 before three numbers, found '0.5'",
    ),
    ("negative index", "arm 2 0 0 0\nseg -1 1 1 1\n", 2,
        "an index from 0 to 1 before three numbers, found '-1'",
    ),
    ("some indices", "arm 2 0 0 0\nseg 0 1 1 1\nseg 1 1 1\n", 3,
        "an index throughout arm 1 or never; the first one has an index",
    ),
    ("some more indices", "arm 2 0 0 0\nseg 1 1 1\nseg 1 1 1 1\n", 3, "the first one has no index"),
    ("branch from nowhere", ONE + "br 2 1\nseg 1 1 1\nendbr\n", 4,
        "`br` needs a segment of arm 1, counted from 0, that there is: found 2; known: 0 to 1",
    ),
    ("branch from -1", ONE + "br -1 1\n", 4, "`br` needs a segment of arm 1, counted from 0, found '-1'"),
    ("branch from a branch's nowhere", ONE + "br 0 1\nseg 1 1 1\nbr 1 1\nseg 1 1 1\nendbr\nendbr\n", 6,
        "needs a segment of branch 1 of arm 1",
    ),
]  # fmt: skip
MISCOUNTED = [
    ("few segments", "arm 3 0 0 0\nseg 1 1 1\nseg 1 1 1\n", 1,
        "`arm` says that arm 1 has 3 segments, found 2",
    ),
    ("missing index", "arm 3 0 0 0\nseg 0 1 1 1\nseg 2 1 1 1\n", 1, "found 2, index 1 is missing"),
    ("many segments", "arm 1 0 0 0\nseg 1 1 1\nseg 1 1 1\n", 3,
        "`seg` is number 2, and `arm` (line 1) says that arm 1 has 1",
    ),
    ("index too large", "arm 1 0 0 0\nseg 0 1 1 1\nseg 7 1 1 1\n", 3,
        "`seg` index 7 is not one of 0 to 0, and `arm` (line 1)",
    ),
    ("few in a branch", ONE + "br 0 2\nseg 1 1 1\nendbr\n", 4,
        "`br` says that branch 1 of arm 1 has 2 segments, found 1",
    ),
    ("few before an arm", "arm 2 0 0 0\nseg 1 1 1\n" + ONE, 1, "has 2 segments, found 1"),
    ("endbr too many", ONE + "endbr\n", 4, "`endbr` has no branch to end"),
    ("endbr after its branch", ONE + "br 0 1\nseg 1 1 1\nendbr\nendbr\n", 7, "`endbr` has no branch to end"),
    ("branch open at an arm", ONE + "br 0 1\nseg 1 1 1\n" + ONE, 4,
        "`br` is not closed by `endbr` before the next arm, line 6",
    ),
    ("two goals", ONE + "goal 1 1 1\ngoal 2 2 2\n", 5,
        "`goal` is a second one for arm 1, the first is at line 4",
    ),
]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "line", "problem"), [case[1:] for case in MALFORMED], ids=[case[0] for case in MALFORMED]
)
@pytest.mark.parametrize("lenient", [False, True], ids=["strict", "lenient"])
def test_a_malformed_file_is_refused_with_line_and_word(text, line, problem, lenient) -> None:
    place = "three.arm" if line is None else f"three.arm:{line}"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FormatWarning)
        with pytest.raises(FormatError, match=f"^{re.escape(place)}: .*{re.escape(problem)}") as raised:
            read(text, lenient=lenient)
    assert raised.value.line == line


@pytest.mark.parametrize(
    ("text", "line", "problem"), [case[1:] for case in MISCOUNTED], ids=[case[0] for case in MISCOUNTED]
)
def test_a_wrong_count_is_an_error_and_a_warning_for_lenient_readers(text, line, problem) -> None:
    said = f"^three.arm:{line}: .*{re.escape(problem)}"
    with pytest.raises(FormatError, match=said):
        read(text)
    with pytest.warns(FormatWarning, match=said):
        file = read(text, lenient=True)
    assert read(arm_format.write(file)).arms == file.arms


def test_lenient_readers_take_the_segments_that_there_are_and_the_last_goal() -> None:
    with pytest.warns(FormatWarning):
        file = read("arm 3 0 0 0\nseg 0 1 1 1\nseg 2 3 1 1\nbr 2 1\nseg 1 1 1\nendbr\n", lenient=True)
    arm, branch = file.arms[0].parts
    assert ([segment.length for segment in arm.segments], branch.segment) == ([1.0, 3.0], 1)
    with pytest.warns(FormatWarning, match="the last counts"):
        file = read(ONE + "goal 1 1 1\ngoal 2 2 2\n", lenient=True)
    assert file.arms[0].parts[0].goal == (2.0, 2.0, 2.0)


def test_after_a_hundred_warnings_a_wrong_count_is_an_error() -> None:
    told = r"three\.arm:104: `endbr` has no branch to end; 100 counts before it are wrong too"
    with pytest.warns(FormatWarning) as notes, pytest.raises(FormatError, match=told):
        read(ONE + "endbr\n" * 1000, lenient=True)
    assert len(notes) == 100


def test_a_file_of_blank_lines_is_soon_read() -> None:
    with pytest.raises(FormatError, match="holds no arm"):
        read("\n" * 300_000)


def test_a_branch_that_is_open_at_the_end_is_a_warning() -> None:
    with pytest.warns(FormatWarning) as notes:
        file = read(ONE + "br 0 1\nseg 1 1 1\nbr 0 1\nseg 1 1 1\n")
    assert [str(note.message) for note in notes] == [
        f"three.arm:{line}: `br` is not closed by `endbr`; taken as closed at the end" for line in (6, 4)
    ]
    assert len(file.arms[0].parts) == 3


def test_an_arm_whose_half_ranges_are_all_zero_is_a_warning() -> None:
    text = "arm 1 0 0 0\nseg 1 0 0\n"
    with pytest.warns(FormatWarning, match=r"three\.arm:1: .*cannot move; angles 'initial'"):
        read(text)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        read(text, angles="initial")


@pytest.mark.parametrize("angles", ["range", "initial"])
def test_angles_that_look_like_degrees_are_a_warning(angles) -> None:
    said = r"three\.arm:1: `arm` begins arm 1, which has an angle of 90 radians; if that is in degrees"
    with pytest.warns(FormatWarning, match=said):
        read("arm 2 0 0 0\nseg 1 1 1\nseg 1 45 90\n", angles=angles)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        read("arm 1 0 0 0\nseg 1 6.2832 12.5\n", angles=angles)


def test_an_unknown_reading_is_refused() -> None:
    with pytest.raises(FormatError, match="angles: needs 'range' or 'initial', found 'degrees'"):
        read(ONE, angles="degrees")


PIECES = """
arm 1 0 0 0; arm 2 -1 .5 -1e-3; seg 1 1 1; seg 1 1 1; seg 0 1 0.5 0; seg 1 1 0.5 0; goal -0.5 0 -1; br 0 1
endbr; SEG 1 -1 1; br 1 2; br -1 1; arm 1e9 0 0 0; seg 99999 1 1 1; seg nan 1 1; goal 1e999 0 0; goal; gaol
7; -arm; #; # angles: initial; // x; \0; \ufeff; \u22121
""".strip()


@given(
    st.lists(st.sampled_from(re.split("; |\n", PIECES))),
    st.sampled_from(["\n", "\r\n", "\r", " ", "\n\n"]),
    st.booleans(),
)
def test_whatever_the_text_the_answer_is_arms_or_a_format_error(pieces, between, lenient) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FormatWarning)
        try:
            file = read(between.join(pieces), lenient=lenient)
        except FormatError as error:
            assert str(error).startswith("three.arm:")
            return
        assert file.arms and all(part.segments for arm in file.arms for part in arm.parts)
        assert read(arm_format.write(file)) == file


@pytest.mark.slow
def test_many_arms_and_deeply_nested_branches_are_read() -> None:
    assert len(read(ONE * 1000).arms) == 1000
    with pytest.raises(FormatError, match=r"three\.arm:3001: `arm` is more than the 1,000 arms"):
        read(ONE * 1001)
    depth = 3000
    nested = "arm 1 0 0 0\nseg 1 1 1\n" + "br 0 1\nseg 1 1 1\n" * depth + "endbr\n" * depth
    file = read(nested)
    assert len(file.arms[0].parts) == depth + 1
    assert read(arm_format.write(file)).arms == file.arms


# --- the command line's words -------------------------------------------------------------------------------


def test_arguments_say_the_same_as_a_file_and_negative_numbers_are_values() -> None:
    line = "-arm 2 -1 0 .5 -seg 1 1 1 -seg 1 1 1 -goal -0.5 -1e-1 1 -br 0 1 -seg 0 1 1 1 -endbr"
    text = "arm 2 -1 0 .5\nseg 1 1 1\nseg 1 1 1\ngoal -0.5 -1e-1 1\nbr 0 1\nseg 0 1 1 1\nendbr\n"
    assert arm_format.read_arguments(line.split()) == read(text).arms


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("-arm 1 0 0 0 -sge 1 1 1", "argument 6: unknown word '-sge'; did you mean '-seg'"),
        ("-arm 1 0 0 0 -seg 1 1 nan", "argument 6: `-seg` needs a half-range phi in radians, found 'nan'"),
        (
            "-arm 1 0 0 0 -seg 1 -inf 1",
            "argument 6: `-seg` needs a half-range theta in radians, found '-inf'",
        ),
        ("-arm 1 0 0", "argument 1: `-arm` needs 4 values, ns bx by bz, found 3: '1 0 0'"),
        ("1 0 0 0", "argument 1: expected one of -arm, -seg, -goal, -br, -endbr before the number '1'"),
        ("-goal 1 1 1", "argument 1: `-goal` stands before any `-arm`"),
        ("-arm 2 0 0 0 -seg 1 1 1", "argument 1: `-arm` says that arm 1 has 2 segments, found 1"),
        ("-arm 1 0 0 0 -seg 1 1 1 -endbr", "argument 10: `-endbr` has no branch to end"),
    ],
)
def test_a_malformed_argument_is_refused_with_its_number_and_word(words, message) -> None:
    with pytest.raises(FormatError, match=re.escape(message)):
        arm_format.read_arguments(words.split())


# --- what is written ----------------------------------------------------------------------------------------


@pytest.mark.slow
@given(st.lists(arms(), min_size=1, max_size=3).map(tuple), st.sampled_from(["range", "initial"]))
def test_what_is_written_reads_back_to_the_same(several, angles) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FormatWarning)  # of arms that cannot move
        file = read(arm_format.write(ArmFile("three", several, angles)))
    assert (file.arms, file.angles) == (several, angles)


@pytest.mark.slow
@given(arms())
def test_the_arm_of_a_model_is_the_one_it_was_made_of(arm) -> None:
    model = model_of(arm, "a")
    goals = {f"a.b{k}.tip" if k else "a.tip": part.goal for k, part in enumerate(arm.parts) if part.goal}
    assert arm_of(model, model.neutral, goals=goals) == arm


_NEAR = st.floats(-2.0, 2.0)


@given(arms(st.floats(-4.0, 4.0), st.floats(0.1, 2.0), st.tuples(_NEAR, _NEAR, _NEAR)))
def test_first_directions_survive_writing_and_reading(arm) -> None:
    model = model_of(arm, "a", "initial")
    q = first_configuration(arm, model)
    again = arm_of(model, q, "initial")
    q_again = first_configuration(again, model)
    assert_allclose(model.forward(q_again)[:, :3, 3], model.forward(q)[:, :3, 3], atol=1e-12)


def test_first_directions_are_written_without_digits_of_rounding() -> None:
    text = "seg 1 3 0.6\nseg 0.8 0 0.6\nseg 1 1e-09 1.6\nseg 1 -0.3 3.1331853071796\n"
    written = limbik.load_scene("arm 4 0 0 0\n" + text, angles="initial").to_arm()
    assert text in written.replace("  seg", "seg")


@pytest.mark.parametrize("name", ["panda", "planar-3"])
def test_a_model_of_another_kind_cannot_be_written(name) -> None:
    model = limbik.load(name)
    with pytest.raises(ModelError, match=r"cannot be written as \.arm"):
        arm_of(model, model.neutral)


def test_limits_cannot_be_written_where_angles_are_first_directions() -> None:
    model = model_of(read(ONE).arms[0], "a")
    with pytest.raises(ModelError, match="without limits where theta and phi are first directions"):
        arm_of(model, model.neutral, "initial")


ORIGIN = (0.0, 0.0, 0.0)
STUMP = ArmSegment(1.0, 1.0, 1.0)


def one_segment(*numbers: float) -> ArmDescription:
    """An arm of one segment, by its length and half-ranges."""
    return ArmDescription(ORIGIN, (ArmPart((ArmSegment(*numbers),)),))


@pytest.mark.parametrize(
    ("arm", "problem"),
    [
        (
            ArmDescription(ORIGIN, (ArmPart((STUMP,), (0.0, 1e12, 0.0)),)),
            "`goal` needs a point.*, found '1000000000000'",
        ),
        (ArmDescription((math.nan, 0.0, 0.0), (ArmPart((STUMP,)),)), "`arm` needs a base bx by bz .* 'nan'"),
        (one_segment(0.0, 1.0, 1.0), "`seg` needs a positive length .* '0'"),
        (one_segment(1.0, math.inf, 1.0), "`seg` needs a half-range .* 'inf'"),
        (ArmDescription(ORIGIN, (ArmPart((STUMP,) * 1001),)), "`arm` needs at most 1,000 segments"),
        (
            ArmDescription(ORIGIN, (ArmPart((STUMP,)), ArmPart((STUMP,), None, 0, 1))),
            "`br` needs a segment of arm 1",
        ),
        (ArmDescription(ORIGIN, (ArmPart(()),)), "`arm` needs a whole number of segments"),
    ],
    ids=["far", "nan", "no length", "no end", "too many", "from nowhere", "none"],
)  # fmt: skip
def test_what_a_reader_would_refuse_cannot_be_written(arm, problem) -> None:
    with pytest.raises(ModelError, match=f"this scene cannot be written as .arm: {problem}"):
        arm_format.write(ArmFile("three", (arm,)))


def test_a_model_with_a_branch_on_a_segment_that_is_not_counted_cannot_be_written() -> None:
    model = model_of(read(ONE + "br 1 1\nseg 1 1 1\nendbr").arms[0], "a")
    renamed = {"a.s1": "a.s7", "a.s1.theta": "a.s7.theta", "a.s1.phi": "a.s7.phi"}
    joints = [
        dataclasses.replace(
            joint,
            name=renamed.get(joint.name, joint.name),
            parent=renamed.get(joint.parent, joint.parent),
            child=renamed.get(joint.child, joint.child),
        )
        for joint in model.joints
    ]
    tips = [
        dataclasses.replace(frame, link=renamed.get(frame.link, frame.link))
        for frame in model.frames[len(joints) + 1 :]
    ]
    odd = Model("a", joints, tips)
    with pytest.raises(ModelError, match=r"model 'a' cannot be written as \.arm"):
        arm_of(odd, odd.neutral)


def test_branches_out_of_order_cannot_be_written() -> None:
    one = ArmSegment(1.0, 1.0, 1.0)
    parts = (
        ArmPart((one,)),
        ArmPart((one,), None, 0, 0),
        ArmPart((one,), None, 0, 0),
        ArmPart((one,), None, 1, 0),
    )
    with pytest.raises(ModelError, match="branch 3 of an arm needs to stand after"):
        arm_format.write(ArmFile("three", (ArmDescription((0.0, 0.0, 0.0), parts),)))
