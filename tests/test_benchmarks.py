"""The numbers in the documents come from scripts that exist and run."""

from __future__ import annotations

import importlib
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[1]
BENCHMARKS = ROOT / "benchmarks"
DOCUMENTS = sorted((ROOT / "docs").rglob("*.md"))


@pytest.fixture(autouse=True)
def benchmarks_on_the_path(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The scripts import each other by plain names, as they do when run."""
    before = set(sys.modules)
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    yield
    for name in set(sys.modules) - before:
        path = getattr(sys.modules[name], "__file__", None)
        if path and Path(path).is_relative_to(BENCHMARKS):
            del sys.modules[name]


def module(name: str) -> ModuleType:
    return importlib.import_module(name)


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_every_marker_names_a_script_that_exists(document: Path) -> None:
    report = module("report")
    text = document.read_text(encoding="utf-8")
    report.check_blocks(text, document.name)
    for script, _ in report.markers(text):
        assert (ROOT / script).is_file(), f"{document.name} names {script}"


def test_the_page_of_the_classical_benchmark_has_its_tables() -> None:
    text = (ROOT / "docs" / "benchmarks.md").read_text(encoding="utf-8")
    names = {table for script, table in module("report").markers(text) if script == "benchmarks/classical.py"}
    assert {"machine", "findings", "solve-ball-10", "solve-planar-10-limits", "iteration"} <= names


def test_the_page_has_all_tables_of_the_smaller_scripts() -> None:
    text = (ROOT / "docs" / "benchmarks.md").read_text(encoding="utf-8")
    for script, names in (
        ("benchmarks/whole_body.py", {"machine", "settings", "races"}),
        ("benchmarks/toolbox_study.py", {"machine", "panda", "human"}),
        ("benchmarks/ccd_study.py", {"machine", "directions", "annealing"}),
        ("benchmarks/ccd_peers.py", {"machine", "races"}),
        ("benchmarks/fabrik_tables.py", {"machine", "chain", "limits", "tips"}),
        ("benchmarks/bodies.py", {"machine", "methods"}),
        ("benchmarks/playground.py", {"machine", "objects", "plane", "space"}),
        ("benchmarks/characters.py", {"machine", "limb", "contacts", "sizes", "feet"}),
    ):
        assert {table for owner, table in module("report").markers(text) if owner == script} == names


def test_the_error_of_several_poses_is_that_of_the_worst() -> None:
    pose_error = module("global_race").pose_error
    turned, moved = np.eye(4), np.eye(4)
    turned[:3, :3] = [[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]
    moved[:3, 3] = [0.0, 3.0, 4.0]
    both = np.array([turned, np.eye(4), moved])
    assert pose_error(both, np.array([np.eye(4)] * 3)) == pytest.approx((5.0, np.pi / 2))
    assert pose_error(turned, np.eye(4)) == pytest.approx((0.0, np.pi / 2))


def test_the_tip_of_a_benchmark_arm_is_where_the_model_has_it() -> None:
    hinge_arms = module("hinge_arms")
    for arm in (
        hinge_arms.wristed(6, (0.5, 2.0), 1),
        hinge_arms.scrambled(7, (0.5, 2.0), 1),
        hinge_arms.plain(5, 1.0),
    ):
        q = arm.random(np.random.default_rng(0))
        np.testing.assert_allclose(arm.pose(q), arm.model().pose(q), atol=1e-14)
        assert arm.beyond(q) == 0.0
        assert arm.beyond(arm.upper + 0.1) == pytest.approx(0.1)


def test_a_table_replaces_what_stood_between_its_markers() -> None:
    report = module("report")
    other = "b\n<!-- measured: other.py t -->\nkept\n<!-- /measured -->\n"
    text = f"a\n<!-- measured: s.py t -->\nold\n<!-- /measured -->\n{other}"
    filled = report.fill(text, "s.py", {"t": "new"})
    assert filled == text.replace("old", "new")
    assert report.fill(filled, "s.py", {"t": "new"}) == filled


def test_a_table_without_a_marker_is_an_error() -> None:
    report = module("report")
    with pytest.raises(report.MarkerError, match="no marker for"):
        report.fill(
            "<!-- measured: s.py t -->\n<!-- /measured -->\n", "s.py", {"t": "1", "u": "2"}, "page.md"
        )
    with pytest.raises(report.MarkerError, match=r"page\.md"):
        report.check_blocks("<!-- measured: s.py t -->\n", "page.md")


@pytest.mark.parametrize("limit", [None, np.pi / 3])
def test_every_form_of_an_answer_is_placed_at_the_same_tip(limit: float | None) -> None:
    arms, problems = module("arms"), module("problems")
    rng = np.random.default_rng(0)
    for arm in (arms.planar(6).limited(limit), arms.ball(6).limited(limit)):
        d = problems.random_configuration(arm, rng)
        forms = [arms.directions_from_positions(arms.positions_from_directions(arm, d))]
        forms.append(arms.directions_from_universal(arms.universal_from_directions(d)))
        forms.append(arms.directions_from_quaternions(arms.quaternions_from_directions(d)))
        if arm.planar:
            forms.append(arms.directions_from_angles(arms.angles_from_directions(d)))
        for form in forms:
            np.testing.assert_allclose(form, d, atol=1e-12)
        assert arms.check(arm, arms.tip(arm, d), arms.Answer(directions=d)) == (
            pytest.approx(0.0, abs=1e-12),
            True,
        )


def test_the_check_sees_a_joint_outside_its_limit() -> None:
    arms = module("arms")
    arm = arms.planar(2).limited(np.pi / 3)
    bent = arms.directions_from_angles(np.array([0.0, 1.2]))
    assert arms.check(arm, arms.tip(arm, bent), arms.Answer(directions=bent))[1] is False
    turned = arms.Answer(
        directions=arms.directions_from_angles(np.zeros(2)), angles=np.array([2 * np.pi, -2 * np.pi])
    )
    assert arms.check(arm, np.array([1.0, 0.0, 0.0]), turned)[1] is False


def test_the_check_refuses_an_answer_that_is_not_finite() -> None:
    arms = module("arms")
    arm = arms.ball(3)
    answer = arms.Answer(directions=np.full((3, 3), np.nan))
    assert arms.check(arm, np.zeros(3), answer) == (float("inf"), False)


def test_the_quick_benchmark_runs_on_limbik_alone() -> None:
    few = ("--quick", "--only", "limbik,planar-10", "--problems", "4", "--seconds", "0.02")
    command = [sys.executable, str(BENCHMARKS / "classical.py"), *few]
    done = subprocess.run(command, capture_output=True, text=True, timeout=900, cwd=ROOT)
    assert done.returncode == 0, done.stderr[-4000:]
    for heading in (
        "## machine",
        "## solve-planar-10",
        "## solve-planar-10-limits",
        "## out-excess",
        "## findings",
    ):
        assert heading in done.stdout
    for solver in ("ccd", "fabrik", "jt", "dls"):
        assert f"| limbik {solver} " in done.stdout
    assert "claimed success" not in done.stdout
    assert "left the limits" not in done.stdout
