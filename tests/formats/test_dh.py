"""Tables of Denavit-Hartenberg parameters: what they mean, what is written, and what errors say."""

import math
import re
import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from numpy.testing import assert_allclose
from scipy.spatial.transform import Rotation

from limbik import ModelBuilder, ball_arm
from limbik.errors import FormatError, ModelError
from limbik.formats import dh, load
from limbik.model import Frame, Joint, JointKind, Mimic, Model
from limbik.model.presets import load as load_preset
from strategies import SEEDS, chains, configuration

PUMA = """\
# Unimation Puma 560
# convention: standard
joint,  type,      theta, d,       a,      alpha, lower,  upper
waist,  revolute,  0,     0.672,   0,      pi/2,  -2.79,  2.79
lift,   revolute,  0,     0,       0.4318, 0,     -pi/4,  5*pi/4
elbow,  revolute,  0,     0.15005, 0.0203, -pi/2, ,
roll,   continuous,0,     0.4318,  0,      pi/2,  ,
bend,   revolute,  0,     0,       0,      -pi/2, -1.745, 1.745
turn,   revolute,  0,     0,       0,      0,     ,
"""
MOVES = "joint,type,theta,d,a,alpha\n"


def standard(theta: float, d: float, a: float, alpha: float) -> np.ndarray:
    return about("z", theta) @ along("z", d) @ along("x", a) @ about("x", alpha)


def modified(theta: float, d: float, a: float, alpha: float) -> np.ndarray:
    return about("x", alpha) @ along("x", a) @ about("z", theta) @ along("z", d)


def about(axis: str, angle: float) -> np.ndarray:
    pose = np.eye(4)
    pose[:3, :3] = Rotation.from_euler(axis, angle).as_matrix()
    return pose


def along(axis: str, length: float) -> np.ndarray:
    pose = np.eye(4)
    pose["xyz".index(axis), 3] = length
    return pose


# --- what a table means -------------------------------------------------------------------------------------


@pytest.mark.parametrize(("convention", "row"), [("standard", standard), ("modified", modified)])
def test_rows_are_what_the_convention_says(convention: str, row: object) -> None:
    table = f"# convention: {convention}\n{MOVES}a,revolute,0.1,0.2,0.3,0.4\nb,prismatic,0.5,0.6,0.7,0.8\n"
    model = dh.read(table + "tool,fixed,0.9,1.0,1.1,1.2\n")
    expected = row(2.1, 0.2, 0.3, 0.4) @ row(0.5, 3.6, 0.7, 0.8) @ row(0.9, 1.0, 1.1, 1.2)  # type: ignore[operator]
    assert_allclose(model.pose([2.0, 3.0]), expected, rtol=0, atol=1e-14)
    assert model.end_effector == "tool"


def test_a_table_gives_the_robot_that_has_these_parameters() -> None:
    model, puma = dh.read(PUMA), load_preset("puma560")
    q = puma.random(3, 20)
    assert_allclose(model.pose(q), puma.pose(q), rtol=0, atol=1e-15)
    assert model.joint_names == ("waist", "lift", "elbow", "roll", "bend", "turn")
    assert [joint.kind.value for joint in model.joints][3:5] == ["continuous", "revolute"]
    assert (model.joint("lift").lower, model.joint("lift").upper) == (-math.pi / 4, 5 * math.pi / 4)
    assert (model.joint("elbow").lower, model.joint("elbow").upper) == (-math.inf, math.inf)
    assert (model.name, model.root, model.end_effector) == ("chain", "base", "tool")


def test_yaml_says_the_same_as_csv() -> None:
    text = """
name: puma
convention: Standard
angles: degrees
rows:
  - {joint: waist, d: 0.672, alpha: 90, lower: -160, upper: 160}
  - joint: lift
    a: 0.4318
  - {type: fixed, theta: 45, joint: flange}
  - {type: prismatic, joint: slide, d: 1e-1, lower: 0, upper: .inf}
"""
    with pytest.raises(
        FormatError, match=r"^<text>:10: column 'upper' of 'slide': needs a number, found '\.inf'"
    ):
        dh.read(text)
    model = dh.read(text.replace(".inf", "inf"))
    assert model.name == "puma"
    assert model.joint_names == ("waist", "lift", "slide")
    assert_allclose(model.upper, [np.radians(160), math.inf, math.inf])
    assert model.frame("flange").link == "link2"
    expected = standard(0, 0.672, 0, np.pi / 2) @ standard(0, 0, 0.4318, 0) @ standard(np.pi / 4, 0.6, 0, 0)
    assert_allclose(model.pose([0, 0, 0.5]), expected, rtol=0, atol=1e-14)


def test_quarter_turns_are_exact() -> None:
    model = dh.read(f"# convention: standard\n{MOVES}a,revolute,pi,0,1,-pi/2\n")
    assert model.pose([0.0])[0, 3] == -1.0
    assert model.pose([0.0])[1, 3] == 0.0


def test_an_offset_is_the_value_at_zero() -> None:
    rows = "joint,type,d,a,alpha,offset\na,revolute,1,0,0,0.3\nb,prismatic,,0,0,0.4\n"
    model = dh.read("# convention: standard\n" + rows)
    assert_allclose(model.pose([0, 0]), standard(0.3, 1.0, 0, 0) @ standard(0, 0.4, 0, 0), atol=1e-15)


def test_the_end_effector_may_be_any_frame() -> None:
    table = f"# convention: standard\n{MOVES}a,,0,0,1,0\nflange,fixed,0,0,1,0\ncamera,fixed,0,1,0,0\n"
    assert dh.read(table).end_effector == "camera"
    assert dh.read(table, end_effector="flange").end_effector == "flange"


def test_load_knows_tables_by_their_content(tmp_path: Path) -> None:
    (tmp_path / "arm.txt").write_text(PUMA)
    assert load(tmp_path / "arm.txt").joint_names[0] == "waist"
    assert load("rows:\n - {joint: a, d: 1}\nconvention: modified\n").nq == 1
    assert not dh.is_table("<robot name='alpha, a, d'/>")
    assert not dh.is_table("name: x\nversion: 2\n")


def test_the_tables_in_the_documents_are_the_same_arm() -> None:
    page = (Path(__file__).parents[2] / "docs" / "robots.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```(?:yaml)?\n((?:# )?convention: .*?)^```$", page, re.MULTILINE | re.DOTALL)
    from_csv, from_yaml = (load(block) for block in blocks)
    q = from_csv.random(1, 5)
    assert (from_csv.name, from_yaml.end_effector) == ("scara", "tip")
    assert_allclose(from_csv.pose(q), from_yaml.pose(q), rtol=0, atol=0)
    assert_allclose([from_csv.lower, from_csv.upper], [from_yaml.lower, from_yaml.upper], rtol=0, atol=0)


# --- writing ------------------------------------------------------------------------------------------------


@pytest.mark.slow
@settings(max_examples=60)
@given(chains(), SEEDS)
def test_what_is_written_moves_alike_when_it_is_read(model: Model, seed: int) -> None:
    if all(joint.kind is JointKind.FIXED for joint in model.joints):
        return
    q = configuration(model, seed, 3)
    with tempfile.TemporaryDirectory() as folder:
        for convention, ending in (("standard", "csv"), ("modified", "yaml")):
            path = Path(folder) / f"chain.{ending}"
            dh.write(model, path, convention=convention)
            again = dh.read(path)
            assert_allclose(again.pose(q), model.pose(q), rtol=0, atol=1e-11)
            assert_allclose(again.lower, model.lower)
            assert_allclose(again.upper, model.upper)
            moving = [joint for joint in model.joints if joint.kind is not JointKind.FIXED]
            assert [(joint.name, joint.kind) for joint in again.joints] == [(j.name, j.kind) for j in moving]
            assert again.end_effector == "tool"


@pytest.mark.parametrize("angle", [1e-14, 1e-12, 1e-10, 1e-7, math.pi - 1e-10, math.pi - 1e-12])
def test_a_tool_that_leans_by_next_to_nothing_is_written_as_exactly_as_any(
    angle: float, tmp_path: Path
) -> None:
    lean = about("y", 0.9) @ about("x", 0.4)  # so that axis and tool are rounded
    pose = lean @ about("z", 0.7) @ about("x", angle) @ about("z", -1.9) @ along("x", 0.2)
    model = Model(
        "leaning",
        [Joint(name="a", kind=JointKind.REVOLUTE, parent="base", child="link", axis=lean[:3, 2])],
        [Frame(name="tool", link="link", pose_link_frame=pose)],
        root="base",
        end_effector="tool",
    )
    dh.write(model, tmp_path / "leaning.csv", convention="standard")
    q = np.array([0.3])
    assert_allclose(dh.read(tmp_path / "leaning.csv").pose(q), model.pose(q), rtol=0, atol=1e-14)


@pytest.mark.parametrize("convention", ["standard", "modified"])
@pytest.mark.parametrize("ending", ["csv", "yaml"])
def test_an_end_effector_called_as_its_joint_is_written_and_read(tmp_path: Path, convention, ending) -> None:
    builder = ModelBuilder("arm").revolute("j0", axis="y", origin=(0.3, 0.0, 0.2), limits=(-1.0, 1.0))
    model = builder.prismatic("j1", axis="x", origin=(0.1, 0.2, 0.3), limits=(0.0, 1.0)).build()
    dh.write(model, tmp_path / f"arm.{ending}", convention=convention)
    again = dh.read(tmp_path / f"arm.{ending}")
    assert again.joint_names == model.joint_names
    for q in model.random(0, 5):
        assert_allclose(again.pose(q), model.pose(q), atol=1e-12)


def test_the_written_table_reads_as_in_a_book(tmp_path: Path) -> None:
    dh.write(load_preset("panda"), tmp_path / "panda.csv", convention="modified", frame="flange")
    lines = (tmp_path / "panda.csv").read_text().splitlines()
    assert lines[:4] == [
        "# name: panda",
        "# convention: modified",
        "# angles: radians",
        "type,joint,theta,d,a,alpha,lower,upper",
    ]
    assert lines[5] == "revolute,panda_joint2,0,0,0,pi/2,-1.7628,1.7628"
    assert lines[-1] == "fixed,flange,0,0,0,0,,"


def test_names_survive_whatever_they_are(tmp_path: Path) -> None:
    names = ['# "one", two', "null", "3", "ä: [b]"]
    joints = [
        Joint(name=name, kind=JointKind.REVOLUTE, parent=f"l{k}", child=f"l{k + 1}")
        for k, name in enumerate(names)
    ]
    for ending in ("csv", "yml"):
        dh.write(Model("m: #1", joints), tmp_path / f"a.{ending}", convention="standard")
        again = dh.read(tmp_path / f"a.{ending}")
        assert again.joint_names == tuple(names)
        assert again.name == "m: #1"


def test_chains_without_a_table_are_refused(tmp_path: Path) -> None:
    leader = Joint(name="a", kind=JointKind.REVOLUTE, parent="base", child="one")
    follower = Joint(name="b", kind=JointKind.REVOLUTE, parent="one", child="two", mimic=Mimic(joint="a"))
    free = Joint(name="root", kind=JointKind.FLOATING, parent="world", child="base")
    for model, message in (
        (ball_arm([1.0]), "'joint1' is a ball joint"),
        (Model("pair", [leader, follower]), "joint 'b' follows 'a', which no table can say"),
        (Model("free", [free, leader]), "is a ball joint"),
        (Model("stone", [], root="base"), "no joint moves the frame 'base'"),
    ):
        with pytest.raises(ModelError, match=message):
            dh.write(model, tmp_path / "a.csv", convention="standard")
    with pytest.raises(ModelError, match="convention needs 'standard' or 'modified', found 'craig'"):
        dh.write(load_preset("panda"), tmp_path / "a.csv", convention="craig")  # type: ignore[arg-type]
    assert not (tmp_path / "a.csv").exists()


# --- errors -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            "# convention: standard",
            "",
            "^<text>: does not say which convention its rows follow: say `convention",
        ),
        (
            "standard",
            "craig",
            "^<text>:2: setting 'convention': needs standard or modified, found 'craig': say",
        ),
        (
            "# Uni",
            "# angles: grad\n# Uni",
            "^<text>:1: setting 'angles': needs radians or degrees, found 'grad'",
        ),
        ("alpha,", "apha,", "^<text>:3: there is no column 'apha'; did you mean 'alpha'"),
        ("theta,", "d,", "^<text>:3: two columns have the name 'd'"),
        ("0.672", "O.672", "^<text>:4: column 'd' of 'waist': needs a number, found 'O.672'"),
        ("0.672", "pi", "^<text>:4: column 'd' of 'waist': needs a number, found 'pi'"),
        ("0.672", "nan", "^<text>:4: column 'd' of 'waist': needs a number, found 'nan'"),
        ("0.672", "6_72", "^<text>:4: column 'd' of 'waist': needs a number, found '6_72'"),
        ("pi/2", "\u0661*pi/2", "^<text>:4: column 'alpha' of 'waist': needs a number, found"),
        ("0.672", "-1e10", "^<text>:4: column 'd' of 'waist': needs at most 1e\\+09, found '-1e10'"),
        ("-2.79,  2.79", "2,1", "^<text>:4: joint 'waist': the limits are the wrong way round"),
        ("-2.79,  2.79", "2", "^<text>:4: needs 8 cells, for joint, type, .*, found 7"),
        ("lift", "waist", "^<text>:5: column 'joint': two rows have the name 'waist', the first on line 4"),
        ("lift", "", "^<text>:5: column 'joint': every joint needs a name"),
        ("revolute", "slide", "^<text>:4: column 'type' of 'waist': there is no type 'slide'"),
        ("revolute", "continuous", "^<text>:4: column 'lower' of 'waist': a continuous row has no limits"),
        (
            "# Uni",
            "# angles: degrees\n# Uni",
            "^<text>:5: column 'alpha' of 'waist': angles are in degrees here",
        ),
        ("waist,", '"waist"x,', "^<text>:4: is not CSV"),
        ("# Uni", "# angle: degrees\n# Uni", "^<text>:1: there is no setting 'angle'; did you mean 'angles'"),
        (
            "pi/2",
            "90",
            "^<text>:4: column 'alpha' of 'waist': is more than a full turn, 90; if these are degrees",
        ),
    ],
)
def test_errors_name_line_and_column(old: str, new: str, message: str) -> None:
    assert old in PUMA
    with pytest.raises(FormatError, match=message):
        dh.read(PUMA.replace(old, new))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("convention: standard\nrows: 3\n", "^<text>:2: `rows` needs a list of rows"),
        (
            "convention: standard\nrow:\n - 1\n",
            "^<text>:2: there is no 'row' in the document; did you mean 'rows'",
        ),
        ("convention: standard\nrows:\n - {joint: a, d: [1]}\n", "^<text>:3: column 'd': needs one value"),
        ("convention: standard\nrows:\n - {joint: a,\n", r"^<text>:4: is not YAML"),
        ("convention: standard\nrows:\n - a\n", "^<text>:3: row 1 needs `name: value` pairs"),
        ("convention: standard\nrows: []\n", "^<text>: the table has no joint"),
        (
            "convention: standard\nname: a\nname: b\n",
            "^<text>:3: the setting 'name' is given twice, first on line 2",
        ),
        (
            "convention: standard\nrows:\n - {joint: a, theta: 3, offset: 2}\n",
            "^<text>:3: column 'offset' of 'a': the value at q = 0 stands here and in column 'theta'",
        ),
        (
            "convention: standard\nrows:\n - {joint: a}\n - {joint: t, type: fixed, offset: 2}\n",
            "^<text>:4: column 'offset' of 't': a fixed row has no joint",
        ),
        ("\n", "^<text>: "),
        ("# convention: standard\njoint,d,a,alpha\nlink1,0,0,0\nbase,0,0,0\n", "OK"),
        (
            "# convention: standard\njoint,type,d,a,alpha\na,,0,0,0\nbase,fixed,0,0,0\n",
            "frame 'base' has the name of",
        ),
    ],
)
def test_errors_in_tables_of_any_kind(text: str, message: str) -> None:
    if message == "OK":
        assert dh.read(text).nq == 2
        return
    with pytest.raises(FormatError, match=message):
        dh.read(text)


@pytest.mark.parametrize("name", ["a\nb", " a", "a\t"])
def test_names_that_a_table_cannot_hold_are_refused(name: str, tmp_path: Path) -> None:
    joint = Joint(name=name, kind=JointKind.REVOLUTE, parent="world", child="link")
    with pytest.raises(ModelError, match="cannot be written: a table needs names in one line"):
        dh.write(Model("m", [joint]), tmp_path / "m.csv", convention="standard")
