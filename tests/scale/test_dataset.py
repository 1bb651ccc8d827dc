"""Datasets: every row is true, whatever interrupts them they are the same, and odd requests are refused."""

import errno
import functools
import os
import sys
import warnings
from pathlib import Path

import numpy as np
import pyarrow.parquet
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import limbik
from limbik import Status
from limbik.errors import MissingExtra, ModelError, SolverError
from limbik.scale import Dataset, Reach, StoreError, dataset, dataset_job, folder, make_dataset
from limbik.spatial import quat_to_matrix
from scale.test_reach import content


def columns_of(data: Dataset) -> dict[str, np.ndarray]:
    """The columns as arrays, those of lists with a second axis; NaN for null."""
    table = data.table()
    columns = {name: table[name].to_pylist() for name in table.column_names}
    n = len(data.record["joints"])
    for name in ("q", "q16"):
        columns[name] = [[np.nan] * n if each is None else each for each in columns[name]]
    return {name: np.array(values) for name, values in columns.items()}


def poses_of(columns: dict[str, np.ndarray]) -> np.ndarray:
    poses = np.tile(np.eye(4), (len(columns["pose"]), 1, 1))
    poses[:, :3, 3] = columns["position"]
    turns = columns["quaternion"]
    poses[:, :3, :3] = quat_to_matrix(turns / np.linalg.norm(turns, axis=1, keepdims=True))
    return poses


def assert_true(model: limbik.Model, data: Dataset, columns: dict[str, np.ndarray]) -> None:
    """Every configuration is within the limits and leads to its pose, by `q16`, too."""
    record = data.record
    lower, upper = np.array(record["lower"]), np.array(record["upper"])
    q = np.zeros((len(columns["q"]), model.nq))
    q[:, [model.q_slice(name).start for name in record["joints"]]] = columns["q"]
    assert_allclose(model.poses(q, [record["frame"]])[:, 0], poses_of(columns), atol=5e-6)
    assert np.all(columns["q"] >= lower - 1e-6) and np.all(columns["q"] <= upper + 1e-6)
    decoded = lower + columns["q16"] / 65535.0 * (upper - lower)
    assert np.all(np.abs(decoded - columns["q"]) <= 0.51 * (upper - lower) / 65535.0 + 1e-6)


def test_all_solutions_are_those_of_solve_all(tmp_path):
    model = limbik.load("ur5e")
    data = make_dataset(model, tmp_path, poses=200, solutions="all")
    columns = columns_of(data)
    assert_true(model, data, columns)
    assert data.is_complete and data.rows == len(columns["pose"])
    first = np.flatnonzero(np.diff(columns["pose"], prepend=-1))
    assert_array_equal(columns["pose"][first], np.arange(200))
    counts = [len(model.solve_all(pose)) for pose in poses_of(columns)[first]]
    assert_array_equal(np.bincount(columns["pose"].astype(int)), counts)
    assert set(columns["status"]) == {"solved"}


@pytest.mark.parametrize("robot", ["ur5e", "panda", "so101"])
def test_one_solution_of_each_pose_is_near_the_neutral_configuration(robot, tmp_path):
    model = limbik.load(robot)
    data = make_dataset(model, tmp_path, poses=300)
    columns = columns_of(data)
    assert_true(model, data, columns)
    assert len(set(columns["pose"])) == len(columns["pose"]) >= 299
    if robot == "ur5e":
        nearest = [model.solve_all(pose, start=model.neutral).q[0] for pose in poses_of(columns)[:50]]
        assert_allclose(columns["q"][:50], nearest, atol=1e-4)


def test_a_joint_that_its_limits_hold_has_the_step_0(tmp_path):
    builder = (
        limbik.ModelBuilder("held")
        .revolute("a", limits=1)
        .revolute("b", limits=(0.3, 0.3), origin=(0.2, 0, 0))
    )
    model = builder.frame("tip", pose=(0.2, 0, 0)).build(end_effector="tip")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        steps = np.array(make_dataset(model, tmp_path, poses=5).table()["q16"].to_pylist())
    assert len(steps) and (steps[:, 1] == 0).all()


def test_several_solutions_of_a_redundant_arm_differ(tmp_path):
    model = limbik.load("panda")
    data = make_dataset(model, tmp_path, poses=100, solutions=4)
    columns = columns_of(data)
    assert_true(model, data, columns)
    assert 350 < data.rows <= 400
    for pose in range(100):
        q = columns["q"][columns["pose"] == pose]
        apart = np.abs(q[:, None] - q).max(axis=-1)[np.triu_indices(len(q), 1)]
        assert np.all(apart > dataset_job.DISTINCT)


def test_poses_that_are_not_reached_have_the_reason(tmp_path):
    model = limbik.load("puma560")
    data = make_dataset(model, tmp_path, poses=400, sample="space", unreached=True)
    columns = columns_of(data)
    assert_array_equal(columns["pose"], np.arange(400))
    is_solved = columns["status"] == "solved"
    assert_array_equal(is_solved, ~np.isnan(columns["q"][:, 0]))
    assert_true(model, data, {name: values[is_solved] for name, values in columns.items()})
    for pose, status in zip(poses_of(columns), columns["status"], strict=True):
        assert (len(model.solve_all(pose)) > 0) == (status == "solved")
        assert (len(model.solve_all(pose, limits=False)) > 0) == (Status(status) is not Status.UNREACHABLE)
    assert {"solved", "unreachable", "limits bind"} <= set(columns["status"])


def test_a_dataset_without_an_answer_has_no_row_or_the_reason_alone(tmp_path):
    model = limbik.load("ur5e")
    options = {"poses": 1, "sample": "space", "solutions": "all"}
    seed = next(k for k in range(50) if not make_dataset(model, tmp_path / f"{k}", seed=k, **options).rows)
    told = make_dataset(model, tmp_path / "told", seed=seed, unreached=True, **options)
    assert columns_of(told)["status"].tolist() in (["unreachable"], ["limits bind"])


def test_an_interrupted_dataset_goes_on_and_is_the_same_to_the_bit(tmp_path, monkeypatch):
    model = limbik.load("panda")
    monkeypatch.setattr(dataset, "CHUNK_POSES", 300)
    monkeypatch.setattr(dataset_job, "POSES_AT_A_TIME", 100)
    options = {"poses": 1000, "sample": "space", "unreached": True}
    make_dataset(model, tmp_path / "whole", threads=1, **options)
    whole = folder.write_whole

    def full(file: Path, data: bytes) -> None:
        if file.name == "000000002.parquet":
            raise OSError(errno.ENOSPC, "No space left on device")
        whole(file, data)

    with monkeypatch.context() as patched:
        patched.setattr(folder, "write_whole", full)
        with pytest.raises(StoreError, match="cannot be written: No space left on device"):
            make_dataset(model, tmp_path / "cut", **options)
    cut = Dataset.open(tmp_path / "cut")
    assert not cut.is_complete and len(cut.files) == 2
    make_dataset(model, tmp_path / "cut", **options)
    assert content(tmp_path / "cut") == content(tmp_path / "whole")
    read = pyarrow.parquet.read_table(tmp_path / "cut" / "tables")
    assert read.num_rows == cut.rows >= 1000


def test_a_folder_of_something_else_is_left_alone(tmp_path):
    model = limbik.load("ur5e")
    make_dataset(model, tmp_path / "data", poses=10)
    before = content(tmp_path / "data")
    for options in ({"poses": 11}, {"seed": 1}, {"solutions": 2}, {"sample": "space"}, {"unreached": True}):
        with pytest.raises(StoreError, match="another job"):
            make_dataset(model, tmp_path / "data", **{"poses": 10, **options})
    with pytest.raises(StoreError, match="no map, but a dataset of 'ur5e', 10 poses"):
        Reach.open(tmp_path / "data")
    assert content(tmp_path / "data") == before
    with pytest.raises(StoreError, match="holds no result"):
        Dataset.open(tmp_path)


@pytest.mark.parametrize(
    ("robot", "options", "said"),
    [
        ("ur5e", {"poses": 0}, "`poses` needs a whole number"),
        ("ur5e", {"poses": 1e6}, "`poses` needs a whole number"),
        ("ur5e", {"solutions": "some"}, "if not 'nearest' or 'all', needs a whole number from 1 to 1,000"),
        ("panda", {"solutions": "all"}, "needs an arm with a closed form"),
        ("ur5e", {"solutions": np.arange(3)}, "if not 'nearest' or 'all', needs a whole number"),
        ("ur5e", {"sample": np.arange(3)}, "'joints' or 'space', found"),
        ("ur5e", {"sample": "cube"}, "'joints' or 'space', found 'cube'"),
        ("ur5e", {"unreached": 1}, "True or False"),
        ("ur5e", {"seed": -1}, "`seed` needs a whole number"),
        ("ur5e", {"frame": "elbow"}, "elbow"),
        ("ur5e", {"frame": "base"}, "no joint moves"),
        ("ball-3", {}, "joints that turn, or slide between limits"),
    ],
)
def test_options_without_a_meaning_are_refused(robot, options, said, tmp_path):
    model = limbik.ball_arm([0.3, 0.3, 0.3]) if robot == "ball-3" else limbik.load(robot)
    with pytest.raises((SolverError, ModelError), match=said):
        make_dataset(model, tmp_path / "data", **options)
    assert not (tmp_path / "data").exists()


def test_without_pyarrow_the_extra_is_named(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingExtra, match=r"pip install limbik\[scale\]"):
        make_dataset(limbik.load("ur5e"), tmp_path / "data", poses=10)
    assert not (tmp_path / "data").exists()


def test_a_table_that_is_damaged_is_told_and_made_again(tmp_path):
    model, words = limbik.load("ur5e"), {"poses": 50}
    data = make_dataset(model, tmp_path / "data", **words)
    before = data.table()
    (file,) = data.files
    file.write_bytes(file.read_bytes()[:40])
    for ask in (data.table, lambda: data.rows):
        with pytest.raises(StoreError, match="data is damaged"):
            ask()
    assert make_dataset(model, tmp_path / "data", **words).table().equals(before)
    pyarrow.parquet.write_table(before.select(["pose"]), file)
    with pytest.raises(StoreError, match=r"needs the columns pose, position, .* found pose"):
        data.table()
    assert make_dataset(model, tmp_path / "data", **words).table().equals(before)
    pyarrow.parquet.write_table(before, file.with_name("another.parquet"))
    assert data.rows == len(before)
    file.unlink()
    with pytest.raises(StoreError, match="has no table yet"):
        data.table()


def test_a_bit_that_has_changed_is_told_and_mended(tmp_path):
    model = limbik.load("ur5e")
    data = make_dataset(model, tmp_path / "data", poses=200)
    before = data.table()
    (file,) = data.files
    whole = file.read_bytes()
    for at in range(8, len(whole) // 2, len(whole) // 23):
        file.write_bytes(whole[:at] + bytes([whole[at] ^ 4]) + whole[at + 1 :])
        try:
            assert data.table().equals(before)
        except StoreError as error:
            assert "data is damaged" in str(error)
        assert make_dataset(model, tmp_path / "data", poses=200).table().equals(before)


def test_whole_numbers_of_numpy_are_whole_numbers(tmp_path):
    words = {"poses": 40, "seed": 2, "restarts": 3, "solutions": 2}
    before = make_dataset(limbik.load("ur5e"), tmp_path / "data", **words).table()
    numpy = {name: np.int64(value) for name, value in words.items()}
    assert make_dataset(limbik.load("ur5e"), tmp_path / "data", **numpy).table().equals(before)


@pytest.mark.parametrize("folder", [None, 3, ""])
def test_a_folder_is_a_path(folder):
    for ask in (Dataset.open, functools.partial(make_dataset, limbik.load("ur5e"), poses=5)):
        with pytest.raises(StoreError, match="`folder` needs the path of a folder, found"):
            ask(folder)


def test_a_folder_that_cannot_even_be_looked_at_is_told(tmp_path):
    with pytest.raises(StoreError, match="cannot be written: File name too long"):
        make_dataset(limbik.load("ur5e"), tmp_path / ("a" * 300), poses=5)


@pytest.mark.parametrize("record", ["[" * 100_000, None])
def test_a_record_that_is_damaged_or_a_pipe_is_told(tmp_path, record):
    if record is None:
        os.mkfifo(tmp_path / "job.json")
    else:
        (tmp_path / "job.json").write_text(record)
    with pytest.raises(StoreError, match=r"there is no job\.json in it that can be read"):
        Dataset.open(tmp_path)


@pytest.mark.parametrize(
    ("columns", "said"), [(["postion"], "did you mean 'position'"), ("q", "needs some of pose, ")]
)
def test_columns_that_there_are_not_are_refused(tmp_path, columns, said):
    data = make_dataset(limbik.load("ur5e"), tmp_path / "data", poses=5)
    with pytest.raises(SolverError, match=said):
        data.table(columns)
