"""Where a solve begins: tables of configurations that lead to the goal's neighbourhood."""

import math
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.transform import Rotation

import limbik
from fast_chains import NO_LIMITS, fast_chains, hinges
from limbik.model import ModelBuilder
from limbik.model.canonical import canonical
from limbik.model.chain import chain_to
from limbik.serial import stored_tables as tables
from limbik.serial.prepare import prepare, table_frame
from limbik.serial.seed_table import (
    HELD,
    METRES_PER_RADIAN,
    Shape,
    apart,
    arctangent,
    build,
    cell,
    compared,
    completed,
    key,
    toward,
)
from limbik.serial.step import JointFrame, LinkRow, SerialTuning, frames
from solvers.arms import pose
from strategies import unit_vectors

WIDE = (-2.8, 2.8)


@pytest.fixture
def cache(tmp_path, monkeypatch):
    """A cache folder of the test's own, and nothing in memory."""
    monkeypatch.setattr(tables, "_tables", {})
    monkeypatch.setattr(tables, "cache_folder", lambda content: tmp_path)
    monkeypatch.setattr(tables, "can_keep", lambda: True)
    return tmp_path


def prepared(model, **options):
    return prepare(canonical(chain_to(model)), **options)


def stand(height=0.3, base=None, tool=None, length=0.4, shift=0.0, limits=WIDE):
    """A prismatic joint, a base yaw joint above it, and four more revolute joints."""
    builder = ModelBuilder("stand")
    if base is not None:
        builder = builder.fixed("base_plate", origin=base)
    builder = (
        builder.prismatic("lift", axis="z", limits=(0.0, 0.5))
        .revolute("base_yaw", axis="z", origin=(shift, 0.0, height), limits=WIDE)
        .revolute("shoulder", axis="y", origin=(0.05, 0.0, 0.1), limits=limits)
        .revolute("elbow", axis="y", origin=(length, 0.0, 0.0), limits=WIDE)
        .revolute("wrist", axis="z", origin=(0.3, 0.02, 0.0), limits=WIDE)
        .revolute("tool_roll", axis="x", origin=(0.1, 0.0, 0.0), limits=WIDE)
    )
    return builder.frame("tip", pose=pose(0.05) if tool is None else tool).build(end_effector="tip")


# ------------------------------------------------------------------------------------------ tables


def build_for(model):
    chain = prepared(model)
    return build(
        tables._without_tool(chain),
        table_frame(chain),
        chain.shape,
        chain.lower,
        chain.upper,
        chain.circular,
    )


def test_a_table_is_the_same_every_time():
    model = limbik.load("panda")
    one, other = build_for(model), build_for(limbik.load("panda"))
    assert_array_equal(one.candidates, other.candidates)
    assert_array_equal(one.origin, other.origin)
    assert_array_equal(one.scale, other.scale)


MODELS = {
    "panda": lambda: limbik.load("panda"),
    "ur5e": lambda: limbik.load("ur5e"),
    "stand": stand,
    "turned": lambda: stand(base=pose(0.2, 0.1, 0.3, Rotation.from_rotvec([0.4, 1.0, 0.2]))),
    "hinges": lambda: hinges([WIDE] * 5),
}


@pytest.mark.parametrize("name", MODELS)
def test_held_values_are_finite_and_within_their_bounds(name):
    chain, table = prepared(MODELS[name]()), build_for(MODELS[name]())
    assert table.candidates.shape == (chain.shape.cells, chain.shape.depth, 8)
    assert np.isfinite(table.candidates).all()
    for row, i in enumerate(chain.shape.middle, start=HELD):
        values = table.candidates[:, row]
        assert values.min() >= chain.lower[i] - 1e-5
        assert values.max() <= chain.upper[i] + 1e-5


@pytest.mark.parametrize("name", MODELS)
def test_completed_candidates_end_where_they_are_said_to(name):
    model = MODELS[name]()
    chain, table = prepared(model), build_for(model)
    shape, rows = chain.shape, tables._without_tool(chain)
    links = [
        LinkRow(*row, 1.0 if kind == "R" else 0.0)
        for row, kind in zip(rows.tolist(), shape.kinds, strict=True)
    ]
    frame = table_frame(chain)
    ends = [shape.base_yaw or 0, shape.n - 1 if shape.tool_roll is None else shape.tool_roll]
    lower, upper = chain.lower[ends], chain.upper[ends]
    bounds = [*lower, *(0.5 * (lower + upper)), *upper]
    distances, checked = [], 0
    for q in model.random(0, size=40):
        goal, _ = frames(
            chain.chain.values(q[chain_to(model).q_indices]).tolist(), frame, links, SerialTuning()
        )
        at = key(goal, links[-1], shape)
        place = int(cell(at, table.origin.tolist(), table.scale.tolist(), shape))
        assert 0 <= place < shape.cells
        for candidate in table.candidates[place].T.astype(float):
            turn, spin, outside = completed(candidate[:HELD].tolist(), at, bounds)
            distance = apart(candidate[:HELD].tolist(), at)
            assert lower[0] <= turn <= upper[0]
            assert lower[1] <= spin <= upper[1]
            if outside > 0.0 or shape.base_yaw is None or shape.tool_roll is None:
                continue  # said to be out of its limits
            x = np.zeros(shape.n)
            x[list(shape.middle)] = candidate[HELD:]
            x[shape.base_yaw], x[shape.tool_roll] = turn, spin
            found = key(frames(x.tolist(), frame, links, SerialTuning())[0], links[-1], shape)
            off = np.array(compared(found)) - compared(at)
            assert abs(off @ off - distance) <= 1e-4
            assert abs(toward(found.heading - at.heading, 0.0)) <= 1e-4
            # Spun so that the x axes are as near as the directions allow.
            tilt = np.linalg.norm(np.subtract(found.direction, at.direction))
            assert np.linalg.norm(np.subtract(found.across, at.across)) <= 2.0 * tilt + 1e-3
            distances.append(math.sqrt(distance))
            checked += 1
    assert checked > 100 or shape.base_yaw is None or shape.tool_roll is None
    if distances:
        size = float(np.abs(chain.chain.a).sum() + np.abs(chain.chain.d).sum())
        assert np.median(distances) < 0.2 * (size + METRES_PER_RADIAN)


def test_only_a_first_revolute_joint_behind_parallel_prismatic_ones_is_a_base_yaw_joint():
    assert prepared(stand()).shape == Shape("PRRRRR", 1)
    crooked = (
        ModelBuilder("crooked")
        .prismatic("slide", axis="x", limits=(0.0, 0.5))
        .revolute("hinge", axis="z", origin=(0.0, 0.1, 0.0))
        .revolute("other", axis="y", origin=(0.3, 0.0, 0.0))
        .build()
    )
    assert prepared(crooked).shape.base_yaw is None
    assert prepared(limbik.planar_arm(1, 1.0)).shape.tool_roll is None


@given(st.floats(-1e3, 1e3), st.floats(-1e3, 1e3))
def test_headings_are_those_of_the_arc_tangent(y, x):
    if math.hypot(x, y) > 1e-6:
        assert abs(toward(arctangent(y, x) - math.atan2(y, x), 0.0)) <= 1e-6


@given(unit_vectors())
def test_every_direction_has_a_cell(direction):
    from limbik.serial.seed_table import _unfolded

    assert all(-1e-9 <= value <= 1.0 + 1e-9 for value in _unfolded(direction.tolist()))


def test_a_goal_without_a_direction_stops_nothing():
    shape = Shape("RRRRRR", 0)
    at = key(
        JointFrame([0.0] * 3, [0.0] * 3, [0.0] * 3, [0.0] * 3), LinkRow(0.0, 0.0, 1.0, 0.0, 0.0, 1.0), shape
    )
    assert 0 <= cell(at, [0.0] * 3, [1.0] * 3, shape) < shape.cells


# ------------------------------------------------------------------------------------------ kept on disk


def name_of(model):
    return tables._content_hash(prepared(model))


def test_a_table_has_another_name_where_it_would_be_another_table():
    names = [
        name_of(model)
        for model in (
            stand(),
            stand(length=0.41),
            stand(limits=(-2.8, 2.7)),
            stand(shift=0.1),
            stand(limits=NO_LIMITS),
            hinges([WIDE] * 6),
        )
    ]
    assert len(set(names)) == len(names)


def test_a_table_serves_wherever_the_arm_stands_and_whatever_it_holds():
    first = name_of(stand())
    assert name_of(stand(base=pose(turn=Rotation.from_rotvec([0.0, 0.0, math.pi / 2.0])))) == first
    assert name_of(stand(tool=pose(0.3))) == first


def test_a_table_is_built_once_and_then_read(cache, monkeypatch):
    model = stand()
    table = tables.table_for(prepared(model))
    assert tables.table_for(prepared(stand())) is table
    (file,) = cache.iterdir()
    assert file.suffix == ".table"
    tables._tables.clear()
    monkeypatch.setattr(tables, "_built", None)  # nothing is built again
    again = tables.table_for(prepared(model))
    for part in ("candidates", "origin", "scale"):
        assert_array_equal(getattr(again, part), getattr(table, part))


@pytest.mark.parametrize("damage", ["empty", "cut", "garbage", "zeros", "folder"])
def test_a_damaged_file_is_built_again(cache, damage):
    chain = prepared(stand())
    table = tables.table_for(chain)
    (file,) = cache.iterdir()
    whole = file.read_bytes()
    if damage == "folder":
        file.unlink()
        file.mkdir()
    elif damage == "zeros":
        file.write_bytes(bytes(len(whole)))
    else:
        file.write_bytes({"empty": b"", "cut": whole[: len(whole) // 2], "garbage": b"garbage" * 99}[damage])
    tables._tables.clear()
    assert_array_equal(tables.table_for(chain).candidates, table.candidates)
    if damage != "folder":
        assert file.read_bytes() == whole
    assert [each.name for each in cache.iterdir()] == [file.name]


def test_the_folder_does_not_grow_without_end(cache, monkeypatch):
    monkeypatch.setattr(tables, "MAX_ON_DISK", 3)
    for k in range(5):
        tables.table_for(prepared(stand(length=0.3 + 0.01 * k)))
    assert len(list(cache.iterdir())) == 3


def test_a_table_from_disk_leads_to_the_same_answers(cache):
    target = stand().pose(stand().random(0))
    first = stand().solve(target).q
    tables._tables.clear()
    assert_array_equal(stand().solve(target).q, first)


# ------------------------------------------------------------------------------------------ seed bounds


@settings(max_examples=60)
@given(fast_chains(), st.booleans(), st.booleans())
def test_seed_bounds_are_finite_and_within_limits(model, use_limits, keep_windings):
    chain = prepared(model, use_limits=use_limits, keep_windings=keep_windings)
    form = chain.chain
    assert np.isfinite(chain.lower).all()
    assert np.isfinite(chain.upper).all()
    assert (chain.lower <= chain.upper).all()
    scale = 1e-12 * (1.0 + np.abs(chain.lower) + np.abs(chain.upper))
    if use_limits:
        assert (chain.lower >= chain.scale * form.lower - scale).all()
        assert (chain.upper <= chain.scale * form.upper + scale).all()
    assert not (chain.circular & form.is_prismatic).any()


UNUSUAL = [
    NO_LIMITS,
    (20.0, math.inf),
    (-math.inf, -20.0),
    (0.3, math.inf),
    (-9.0, 9.0),
    (1.0, 1.0),
    (0.1, 0.1 + 1e-9),
]


@pytest.mark.parametrize("pair", UNUSUAL)
@pytest.mark.filterwarnings("error")
def test_a_hinge_is_searched_over_one_turn_at_most(pair):
    chain = prepared(hinges([WIDE, pair, WIDE]))
    low, high = chain.lower[1] - chain.chain.offset[1], chain.upper[1] - chain.chain.offset[1]
    assert math.isfinite(low)
    assert math.isfinite(high)
    assert pair[0] - 1e-12 <= low <= high <= pair[1] + 1e-12
    expected = min(pair[1] - pair[0], 2.0 * math.pi)
    assert_allclose(high - low, expected, rtol=0.0, atol=1e-9)


@pytest.mark.parametrize("pair", [*UNUSUAL, (0.0, 0.5)])
@pytest.mark.filterwarnings("error")
def test_a_slide_is_searched_over_its_limits_or_the_arms_size(pair):
    model = (
        ModelBuilder("slide")
        .prismatic("slide", axis="z", limits=pair)
        .revolute("hinge", axis="z", origin=(0.2, 0.0, 0.1), limits=WIDE)
        .frame("tip", pose=pose(0.3))
        .build(end_effector="tip")
    )
    chain = prepared(model)
    low, high = (np.array([chain.lower[0], chain.upper[0]]) - chain.offset[0]) / chain.scale[0]
    assert math.isfinite(low)
    assert math.isfinite(high)
    assert pair[0] - 1e-12 <= low <= high <= pair[1] + 1e-12
    assert not chain.circular[0]
    if math.isinf(pair[1] - pair[0]):
        assert high - low >= 0.3


def test_keeping_turns_only_a_hinge_without_any_limit_is_circular():
    chain = prepared(hinges([NO_LIMITS, (-9.0, 9.0), (0.3, math.inf), WIDE]), keep_windings=True)
    assert chain.circular.tolist() == [True, False, True, False]
    chain = prepared(hinges([NO_LIMITS, (-9.0, 9.0), (0.3, math.inf), WIDE]))
    assert chain.circular.tolist() == [True, True, True, False]


def test_without_limits_every_hinge_is_circular():
    chain = prepared(hinges([WIDE] * 3), use_limits=False)
    assert chain.circular.all()


def test_a_locked_row_is_searched_nowhere_else():
    form = canonical(chain_to(limbik.load("ur5e"))).with_tool_in_rows()
    chain = prepare(replace(form))
    assert_array_equal(chain.lower[-2:], chain.upper[-2:])
    assert_array_equal(prepare(form, use_limits=False).lower[-2:], chain.lower[-2:])


def test_threads_that_need_the_same_table_build_it_once(monkeypatch):
    built, together = [], threading.Barrier(8)

    def build_slowly(name, prepared):
        built.append(name)
        time.sleep(0.05)  # [s]
        return tables.SeedTable(np.zeros((1, 1, 1), np.float32), np.zeros(3), np.ones(3))

    def table(_):
        together.wait(60.0)
        return tables.table_for(prepared)

    monkeypatch.setattr(tables, "_tables", {})
    monkeypatch.setattr(tables, "_read", lambda name, shape: None)
    monkeypatch.setattr(tables, "_built", build_slowly)
    chain = canonical(chain_to(limbik.load("puma560")))
    prepared = prepare(chain, 1.0, True)
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(table, range(8)))
    assert len(built) == 1
    assert all(each is found[0] for each in found)
