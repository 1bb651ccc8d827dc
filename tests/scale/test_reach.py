"""Reach maps: what they say is what solves say, and no interruption changes a bit of them."""

import errno
import functools
import itertools
import json
import os
import shutil
import subprocess
import sys
import textwrap
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import matplotlib.image
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import limbik
from limbik import cli
from limbik.collision import Box, Mesh, World
from limbik.commands import reach as reach_command
from limbik.errors import CollisionError, GoalError, MissingExtra, ModelError, SolverError
from limbik.formats.urdf_write import write as to_urdf
from limbik.scale import Reach, StoreError, folder, make_dataset, orientations, reach_job, reach_map
from limbik.scale import reach as reach_module
from limbik.scale.picture import save_picture
from limbik.spatial import pose_from, quat_to_matrix, rotation_rpy


def content(folder):
    """The bytes of every file of a folder, by its path."""
    return {str(file.relative_to(folder)): file.read_bytes() for file in folder.rglob("*") if file.is_file()}


def poses_of(reach, voxels):
    """The pose of each orientation in some voxels [voxels, n, 4, 4]."""
    centers = reach.grid.centers(0, reach.grid.size)[voxels]
    poses = np.tile(np.eye(4), (len(voxels), len(reach.quaternions), 1, 1))
    poses[..., :3, :3], poses[..., :3, 3] = quat_to_matrix(reach.quaternions), centers[:, None]
    return poses


# --- orientations -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("count", [100, 1000, 5000])
def test_orientations_cover_all_rotations_evenly(count):
    quaternions = orientations(count)
    assert_allclose(np.linalg.norm(quaternions, axis=1), 1.0, atol=1e-14)
    assert_allclose(quaternions.T @ quaternions / count, np.eye(4) / 4.0, atol=1.0 / count**0.5 / 4.0)
    probes = np.random.default_rng(0).normal(size=(500, 4))
    probes /= np.linalg.norm(probes, axis=1, keepdims=True)
    farthest = np.degrees(2.0 * np.arccos(np.abs(probes @ quaternions.T).max(axis=1))).max()
    # A ball of rotations of this radius has count times less than all of them, at twice its volume.
    even = np.degrees(2.0 * np.cbrt(3.0 * np.pi / (4.0 * count)))
    assert farthest < 1.5 * even


# --- what a map says ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["ur5e", "panda", "puma560"])
def test_a_map_says_what_solves_say(name, tmp_path):
    model = limbik.load(name)
    reach = reach_map(model, tmp_path, voxel=model.reach() / 3.0, orientations=20)
    assert reach.is_complete
    bits, fraction = reach.reachable(), reach.fraction
    assert_allclose(bits.mean(axis=1), fraction, atol=1e-6)
    chosen = np.random.default_rng(1).permutation(np.flatnonzero(fraction > 0.0))[:6]
    for voxel, poses in zip(chosen, poses_of(reach, chosen), strict=True):
        solved = [model.solve(pose, restarts=200).success for pose in poses]
        assert_array_equal(bits[voxel], solved)
    is_unreached = np.flatnonzero(fraction == 0.0)
    for poses in poses_of(reach, is_unreached[:: len(is_unreached) // 4]):
        assert not model.solve_batch(poses, restarts=20).success.any()


def test_solutions_are_counted_and_measured(tmp_path):
    model = limbik.load("ur5e")
    reach = reach_map(model, tmp_path, voxel=0.4, orientations=10)
    assert reach.record["proved"]
    voxel = int(reach.solutions.argmax())
    count, margin, manipulability = 0, 0.0, 0.0
    for pose in poses_of(reach, [voxel])[0]:
        every = np.array(list(model.solve_all(pose)))
        if not len(every):
            continue
        count += len(every)
        margins = (np.minimum(every - model.lower, model.upper - every) / (model.upper - model.lower)).min(
            axis=1
        )
        J = model.jacobian(every[margins.argmax()])
        margin = max(margin, margins.max())
        manipulability = max(manipulability, np.sqrt(np.linalg.det(J @ J.T)))
    assert reach.solutions[voxel] == count
    assert_allclose([reach.margin[voxel], reach.manipulability[voxel]], [margin, manipulability], rtol=1e-5)


def test_pieces_of_which_nothing_is_reached_are_part_of_a_map(tmp_path, monkeypatch):
    model = limbik.load("ur5e")
    reach_map(model, tmp_path / "whole", voxel=0.3, orientations=10)
    monkeypatch.setattr(reach_job, "POSES_AT_A_TIME", 10)
    reach = reach_map(model, tmp_path / "pieces", voxel=0.3, orientations=10)
    near = np.linalg.norm(reach.grid.centers(0, reach.grid.size) - reach.record["center"], axis=1)
    assert ((near < reach.record["radius"]) & (reach.fraction == 0.0)).any()
    assert content(tmp_path / "pieces") == content(tmp_path / "whole")


@pytest.mark.parametrize(("name", "orientations"), [("ur5e", 10), ("panda", 2)])
def test_what_is_reached_beside_a_world_is_free_of_collision(name, orientations, tmp_path, monkeypatch):
    model, world = limbik.load(name), World()
    world.add("wall", Box((0.1, 2.0, 2.0)), (0.4, 0.0, 0.5))
    world.add("table", Box((2.0, 2.0, 0.1)), (0.0, 0.0, -0.2))
    monkeypatch.setattr(reach_module, "CHUNK_IN_WORLD", 1_000)
    options = {"voxel": 0.4, "orientations": orientations}
    reach = reach_map(model, tmp_path / "map", world=world, clearance=0.01, restarts=4, **options)
    without = reach_map(model, tmp_path / "without", restarts=4, **options)
    bits, anywhere = reach.reachable(), without.reachable()
    assert bits.any() and not np.any(bits & ~anywhere) and np.any(anywhere & ~bits)
    voxels = np.flatnonzero(anywhere.any(axis=1))[::5]
    for voxel, poses in zip(voxels, poses_of(reach, voxels), strict=True):
        for pose, is_reached in zip(poses, bits[voxel], strict=True):
            if reach.record["proved"]:
                assert len(model.solve_all(pose, world=world, clearance=0.01)) == 0 or is_reached
            if is_reached:
                found = model.solve(pose, world=world, clearance=0.01)
                assert found.success and model.check(found.q, world, clearance=0.01).is_free
    if name == "ur5e":
        solutions = sum(len(model.solve_all(each, world=world, clearance=0.01)) for each in poses)
        assert reach.solutions[voxels[-1]] == solutions
        assert reach_map(
            model, tmp_path / "map", world=world, clearance=0.01, restarts=4, **options
        ).is_complete
        world.move("wall", (0.5, 0.0, 0.5))
        with pytest.raises(StoreError, match="another job"):
            reach_map(model, tmp_path / "map", world=world, clearance=0.01, restarts=4, **options)


def test_a_map_beside_a_mesh_is_another_one_when_its_file_changes(tmp_path):
    model, world, file = limbik.load("puma560"), World(), tmp_path / "obstacle.obj"
    file.write_text("v 0 0 0\nv 0.1 0 0\nv 0 0.1 0\nv 0 0 0.1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n")
    world.add("obstacle", Mesh(path=file), (0.4, 0.0, 0.3))
    options = {"voxel": 0.5, "orientations": 5, "world": world}
    assert reach_map(model, tmp_path / "map", **options).is_complete
    assert reach_map(model, tmp_path / "map", **options).is_complete
    file.write_text(file.read_text().replace("0.1", "1.5"))
    with pytest.raises(StoreError, match="another job"):
        reach_map(model, tmp_path / "map", **options)


def test_points_are_looked_up_in_their_voxels(tmp_path):
    reach = reach_map(limbik.load("panda"), tmp_path, voxel=0.25, orientations=5)
    grid = reach.grid
    centers = grid.centers(0, grid.size)
    assert_array_equal(grid.index(centers), np.arange(grid.size))
    assert_array_equal(grid.index(centers + 0.49 * grid.voxel), np.arange(grid.size))
    assert_allclose(reach.fraction_at(centers), reach.fraction)
    assert_array_equal(reach.fraction_at([[9.0, 0.0, 0.0], [0.0, 0.0, -9.0]]), [0.0, 0.0])
    with pytest.raises(GoalError, match=r"\[N, 3\]"):
        reach.fraction_at([0.0, 0.0, 0.0])


@pytest.fixture(scope="module")
def puma(tmp_path_factory):
    """A model and its map."""
    model = limbik.load("puma560")
    return model, reach_map(model, tmp_path_factory.mktemp("puma") / "map", voxel=0.25, orientations=30)


def test_poses_are_looked_up_by_voxel_and_orientation(puma):
    _, reach = puma
    voxels = np.arange(0, reach.grid.size, 37)
    poses = poses_of(reach, voxels).reshape(-1, 4, 4)
    is_reached = reach.is_reached(poses)
    assert_array_equal(is_reached, reach.reachable()[voxels].ravel())
    poses[:, :3, 3] += 0.4 * reach.grid.voxel * np.random.default_rng(0).uniform(-1.0, 1.0, (len(poses), 3))
    assert_array_equal(reach.is_reached(poses), is_reached)


def test_a_base_is_placed_where_most_poses_are_reached(puma):
    model, reach = puma
    away = pose_from(rotation_rpy(0.0, 0.0, 2.0), (3.0, -1.0, 0.3))
    poses = away @ model.poses(model.random(4, 6), [model.end_effector])[:, 0]
    found = reach.placements(poses, height=0.3, yaws=8, count=3)
    for each in found:
        assert reach.is_reached(np.linalg.inv(each.pose) @ poses).mean() == each.fraction
    fractions = [
        reach.is_reached(np.linalg.inv(pose_from(rotation_rpy(0.0, 0.0, yaw), (x, y, 0.3))) @ poses).mean()
        for x in np.arange(1.0, 5.0, 0.25)
        for y in np.arange(-3.0, 1.0, 0.25)
        for yaw in np.arange(8) * np.pi / 4
    ]
    assert found[0].fraction >= max(fractions) - 1.0 / 6.0 > 0.5
    assert [each.fraction for each in found] == sorted((each.fraction for each in found), reverse=True)
    apart = [np.linalg.norm(a.pose[:2, 3] - b.pose[:2, 3]) for a, b in itertools.combinations(found, 2)]
    assert min(apart) > 0.1
    assert reach.placements(poses + np.eye(4)[2, :, None] @ np.eye(4)[3:] * 50.0) == []


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_the_best_slice_is_that_of_which_most_is_reached(puma, axis):
    _, reach = puma
    at, fraction = reach.best_slice(axis)
    means = {}
    for coordinate in np.unique(reach.grid.centers(0, reach.grid.size)[:, axis]):
        is_here = np.isclose(reach.grid.centers(0, reach.grid.size)[:, axis], coordinate)
        means[float(coordinate)] = reach.fraction[is_here].mean()
    assert_allclose(fraction, max(means.values()))
    assert_allclose(min(means, key=lambda each: abs(each - at)), at)


@pytest.mark.parametrize(
    ("query", "said"),
    [
        (lambda reach: reach.placements(np.empty((0, 4, 4))), "at least one pose"),
        (lambda reach: reach.placements(np.ones((1, 4, 4))), "pose 0"),
        (lambda reach: reach.placements(np.eye(4)[None], height=np.inf), "`height` needs finite numbers"),
        (
            lambda reach: reach.placements([np.eye(4), pose_from(None, (1e6, 0, 0))]),
            "more than 10,000,000 positions",
        ),
        (lambda reach: reach.placements(np.eye(4)[None], yaws=0), "`yaws` needs a whole number"),
        (lambda reach: reach.is_reached(np.eye(4)), r"\(N, 4, 4\)"),
        (lambda reach: reach.best_slice(3), "`axis` needs a whole number from 0 to 2"),
        (lambda reach: save_picture(reach, "map.bmp"), "ends in .png, .svg, .pdf, found 'map.bmp'"),
    ],
)
def test_queries_without_a_meaning_are_refused(puma, query, said):
    with pytest.raises((GoalError, SolverError), match=said):
        query(puma[1])


def test_a_map_is_drawn(puma, tmp_path):
    save_picture(puma[1], tmp_path / "map.png")
    drawn = matplotlib.image.imread(tmp_path / "map.png")
    assert drawn.shape[0] > 300 and len(np.unique(drawn.reshape(-1, 4), axis=0)) > 20


def test_a_frame_inside_a_tree_of_joints_is_mapped_by_the_joints_that_move_it(tmp_path):
    model = limbik.load("g1")
    reach = reach_map(model, tmp_path, frame="left_rubber_hand", voxel=0.3, orientations=5)
    assert 0.0 < reach.fraction.max() <= 1.0
    assert not reach.record["proved"]


# --- interruptions ------------------------------------------------------------------------------------------

KILLED = """
    import os, signal, sys
    from pathlib import Path
    import numpy as np
    import limbik
    from limbik.scale import folder, reach, reach_map

    place, times = Path(sys.argv[1]), int(sys.argv[2])
    reach.CHUNK_POSES = 2_000
    model = limbik.load("ur5e")
    rng = np.random.default_rng(3)
    for _ in range(times):
        child = os.fork()
        if not child:
            steps, sync = int(rng.integers(1, 60)), folder.sync

            def until(path):
                global steps
                steps -= 1
                if steps <= 0:
                    os.kill(os.getpid(), signal.SIGKILL)
                sync(path)

            folder.sync = until
            reach_map(model, place, voxel=0.3, orientations=20)
            os._exit(0)
        rng.integers(1, 60)  # as the child has drawn
        os.waitpid(child, 0)
    print(reach_map(model, place, voxel=0.3, orientations=20).is_complete)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="needs fork")
def test_a_map_that_is_killed_twenty_times_is_the_same_to_the_bit(tmp_path, monkeypatch):
    program = textwrap.dedent(KILLED)
    command = [sys.executable, "-c", program, str(tmp_path / "killed"), "20"]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert ended.stdout.strip() == "True", ended.stderr
    monkeypatch.setattr(reach_module, "CHUNK_POSES", 2_000)
    reach_map(limbik.load("ur5e"), tmp_path / "undisturbed", voxel=0.3, orientations=20)
    killed = content(tmp_path / "killed")
    assert killed == content(tmp_path / "undisturbed")
    assert len([name for name in killed if name.startswith("done/")]) == 6


def test_a_full_disk_is_an_error_and_the_map_goes_on_later(tmp_path, monkeypatch):
    model = limbik.load("ur5e")

    def full(path: Path) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(folder, "sync", full)
        with pytest.raises(StoreError, match="cannot be written: No space left on device"):
            reach_map(model, tmp_path / "map", voxel=0.5, orientations=5)
    assert reach_map(model, tmp_path / "map2", voxel=0.5, orientations=5).is_complete


@pytest.mark.parametrize("left", [None, 0, 20])  # bytes; None: the file is lost
@pytest.mark.parametrize("layer", ["fraction", "reachable"])
def test_a_chunk_that_is_damaged_is_told_and_made_again(tmp_path, layer, left):
    words = {"voxel": 0.5, "orientations": 5}
    reach_map(limbik.load("ur5e"), tmp_path / "map", **words)
    before = content(tmp_path / "map")
    (file,) = (file for file in (tmp_path / "map" / layer / "c").rglob("*") if file.is_file())
    if left is None:
        file.unlink()
    else:
        file.write_bytes(file.read_bytes()[:left])
    damaged = Reach.open(tmp_path / "map")
    with pytest.raises(StoreError, match=r"is damaged.*; the same command as before mends it"):
        damaged.reachable() if layer == "reachable" else damaged.fraction
    reach_map(limbik.load("ur5e"), tmp_path / "map", **words)
    assert content(tmp_path / "map") == before


@pytest.mark.parametrize(
    "change",
    [{"shape": None}, {"voxel": 1.5}, {"shape": [1, 2, 3]}, {"chunks": 0}, {"orientations": 10**18}],
)
def test_a_record_that_is_damaged_is_told(tmp_path, change):
    reach_map(limbik.load("ur5e"), tmp_path / "map", voxel=0.5, orientations=5)
    file = tmp_path / "map" / "job.json"
    file.write_text(json.dumps({**json.loads(file.read_text()), **change}))
    with pytest.raises(StoreError, match=r"map is damaged: job\.json is not as it was written"):
        Reach.open(tmp_path / "map")


def test_another_robot_than_that_of_the_map_is_refused(tmp_path):
    reach = reach_map(limbik.load("ur5e"), tmp_path / "map", voxel=0.5, orientations=5)
    reach.check_robot(limbik.load("ur5e"))
    with pytest.raises(SolverError, match="'panda' is another robot: its 'flange' moves within other bounds"):
        reach.check_robot(limbik.load("panda"))
    with pytest.raises(ModelError, match="`model` needs a Model"):
        reach.check_robot("ur5e")


def test_a_map_whose_folder_is_gone_says_so(tmp_path):
    reach = reach_map(limbik.load("ur5e"), tmp_path / "map", voxel=0.5, orientations=5)
    shutil.rmtree(tmp_path / "map")
    with pytest.raises(StoreError, match=r"map is gone, or damaged: there is no job\.json in it"):
        reach.reachable(0, 1)


@pytest.mark.parametrize("make", [reach_map, make_dataset])
def test_of_two_that_begin_at_once_one_is_told(make, tmp_path, monkeypatch):
    words = {"voxel": 0.5, "orientations": 5} if make is reach_map else {"poses": 10}
    is_begun = folder.is_begun

    def late(where, *job):
        found = is_begun(where, *job)
        monkeypatch.setattr(folder, "is_begun", is_begun)
        with pytest.raises(StoreError, match=r"another run is making .*map: wait for its end"):
            make(limbik.load("ur5e"), where, **words)
        return found

    monkeypatch.setattr(folder, "is_begun", late)
    assert make(limbik.load("ur5e"), tmp_path / "map", **words).is_complete


@pytest.mark.parametrize("make", [reach_map, make_dataset])
def test_two_that_go_on_at_once_both_end_well(make, tmp_path):
    words = {"voxel": 0.5, "orientations": 5} if make is reach_map else {"poses": 3000}
    done = "done/*" if make is reach_map else "tables/*"
    make(limbik.load("ur5e"), tmp_path / "map", **words)
    before = content(tmp_path / "map")
    for _ in range(5):
        for file in (tmp_path / "map").glob(done):
            file.unlink()
        start = threading.Barrier(2)

        def go_on(start=start):
            start.wait()
            return make(limbik.load("ur5e"), tmp_path / "map", **words).is_complete

        with ThreadPoolExecutor(2) as pool:
            assert all(each.result() for each in [pool.submit(go_on), pool.submit(go_on)])
        assert content(tmp_path / "map") == before


def test_a_part_of_another_run_that_is_whole_before_it_is_synced_is_passed_over(tmp_path, monkeypatch):
    part = tmp_path / ".00001.npz.part"
    part.write_bytes(b"")
    opened = os.open

    def open_late(path, *flags):
        if path == part:
            part.rename(tmp_path / "00001.npz")
        return opened(path, *flags)

    monkeypatch.setattr(os, "open", open_late)
    folder.sync(tmp_path)
    assert not part.exists()


def test_what_could_not_be_written_leaves_nothing(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(OSError, match="too large"):
        folder.write_whole(tmp_path / "table", b"rows")
    assert not [*tmp_path.iterdir()]


def fail(_):
    raise OSError("File too large")


def test_a_folder_of_something_else_is_left_alone(tmp_path):
    model = limbik.load("ur5e")
    reach_map(model, tmp_path / "map", voxel=0.5, orientations=5)
    before = content(tmp_path / "map")
    for options in ({"voxel": 0.4}, {"orientations": 6}, {"seed": 1}, {"frame": "wrist_3_link"}):
        with pytest.raises((StoreError, ModelError)):
            reach_map(model, tmp_path / "map", **{"voxel": 0.5, "orientations": 5, **options})
    with pytest.raises(StoreError, match="another job"):
        reach_map(limbik.load("panda"), tmp_path / "map", voxel=0.5, orientations=5)
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.tex").write_text("x")
    with pytest.raises(StoreError, match="not empty"):
        reach_map(model, tmp_path / "mine", voxel=0.5, orientations=5)
    assert content(tmp_path / "map") == before
    with pytest.raises(StoreError, match="holds no result"):
        Reach.open(tmp_path / "mine")
    assert Reach.open(tmp_path / "map").fraction.max() > 0.0
    assert content(tmp_path / "map") == before


def test_whole_numbers_of_numpy_are_whole_numbers(tmp_path):
    words = {"voxel": 0.5, "orientations": 5}
    reach_map(limbik.load("ur5e"), tmp_path / "map", **words, seed=3, restarts=2)
    before = content(tmp_path / "map")
    numpy = {"seed": np.int64(3), "restarts": np.int64(2)}
    assert reach_map(limbik.load("ur5e"), tmp_path / "map", **words, **numpy).is_complete
    assert content(tmp_path / "map") == before


# --- requests without a meaning -----------------------------------------------------------------------------


@pytest.mark.parametrize("folder", [None, 3, ["map"]])
def test_a_folder_is_a_path(folder):
    for ask in (Reach.open, functools.partial(reach_map, limbik.load("ur5e"))):
        with pytest.raises(StoreError, match="`folder` needs the path of a folder, found"):
            ask(folder)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"voxel": 0.0}, "positive length"),
        ({"voxel": float("nan")}, "positive length"),
        ({"voxel": 1e-5}, "100,000,000 voxels"),
        ({"voxel": 1e308}, "larger than the whole reach"),
        ({"orientations": 2**40}, "from 1 to"),
        ({"orientations": 0}, "`orientations` needs a whole number"),
        ({"restarts": -1}, "`restarts` needs a whole number"),
        ({"frame": "elbow"}, "elbow"),
        ({"frame": "base"}, "no joint moves"),
        ({"restarts": 10**30}, "`restarts` needs a whole number"),
        ({"engine": np.arange(3)}, "`engine` needs one of"),
        ({"engine": "spark"}, "'threads', 'processes', 'ray', found 'spark'"),
        ({"address": "10.0.0.1:6379"}, "`engine` 'ray', too"),
        ({"engine": "ray", "threads": 2}, "not for `engine` 'ray', where each core"),
        ({"threads": 0}, "`threads` needs a whole number"),
        ({"world": "shelf"}, "shelf"),
        ({"clearance": 0.1}, "`clearance` needs a `world`"),
    ],
)
def test_options_without_a_meaning_are_refused(options, said, tmp_path):
    with pytest.raises((SolverError, ModelError, CollisionError), match=said):
        reach_map(limbik.load("ur5e"), tmp_path / "map", **options)
    assert not (tmp_path / "map").exists()


def test_an_arm_of_five_joints_is_refused(tmp_path):
    with pytest.raises(SolverError, match="six joints or more, found 5 that move 'gripper_frame_link'"):
        reach_map(limbik.load("so101"), tmp_path / "map")


def test_without_zarr_the_extra_is_named(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "zarr", None)
    with pytest.raises(MissingExtra, match=r"pip install limbik\[scale\]"):
        reach_map(limbik.load("ur5e"), tmp_path / "map")


def test_without_ray_the_extra_is_named(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(MissingExtra, match=r"pip install limbik\[ray\]"):
        reach_map(limbik.load("ur5e"), tmp_path / "map", engine="ray")


def test_the_room_is_there_when_it_is_used():
    program = """
import sys, limbik
assert "limbik.scale" not in sys.modules
assert callable(limbik.scale.reach_map) and not hasattr(limbik, "scales")
"""
    subprocess.run([sys.executable, "-c", program], check=True)


# --- the command line ---------------------------------------------------------------------------------------


def run(capsys, *arguments):
    with pytest.raises(SystemExit) as ended:
        cli.app(["reach", *arguments])
    printed = capsys.readouterr()
    return ended.value.code or 0, printed.out, printed.err


def test_the_command_makes_a_map_and_shows_it(capsys, tmp_path):
    folder = str(tmp_path / "map")
    words = ("ur5e", "--voxel", "0.4", "--orientations", "10", "--out", folder)
    status, out, err = run(capsys, *words)
    assert (status, err) == (0, "")
    assert out.startswith("ur5e, flange: 216 voxels of 0.4 m\nReached: ")
    assert "proved to be out of reach" in out
    assert run(capsys, *words) == (0, out, "")
    assert run(capsys, "show", folder) == (0, out, "")
    status, _, err = run(capsys, "ur5e", "--voxel", "-1", "--out", folder)
    assert (status, err) == (2, "limbik: --voxel needs a positive length [m], found -1.0\n")


def test_maps_are_compared_drawn_and_asked_for_a_base(capsys, tmp_path):
    maps = [str(tmp_path / name) for name in ("ur5e", "panda")]
    for name, out in zip(("ur5e", "panda"), maps, strict=True):
        run(capsys, name, "--voxel", "0.4", "--orientations", "10", "--out", out)
    status, out, err = run(capsys, "show", *maps)
    assert (status, err) == (0, "")
    assert out.split()[:2] == ["ur5e", "panda"] and "reached [m^3]" in out
    assert run(capsys, "show", *maps, "--plot", "map.png")[0] == 2
    status, _, err = run(capsys, "show", maps[0], "--plot", str(tmp_path / "map.svg"))
    assert (status, err) == (0, "") and "<svg" in (tmp_path / "map.svg").read_text()
    poses = tmp_path / "poses.csv"
    poses.write_text("x,y,z,roll,pitch,yaw\n0.5,0.2,0.4,0,3,0\n0.6,0.3,0.4,0,3,0\n")
    status, out, err = run(capsys, "base", maps[0], str(poses), "--count", "2")
    assert (status, err) == (0, "")
    assert "x [m]" in out and out.count("2 of 2") == 2


def test_a_map_is_opened_about_its_robot(capsys, tmp_path, monkeypatch):
    folder, opened = str(tmp_path / "map"), {}
    run(capsys, "puma560", "--voxel", "0.4", "--orientations", "10", "--out", folder)
    monkeypatch.setattr(reach_command, "open_playground", lambda *at, **more: opened.update(more))
    assert run(capsys, "open", folder) == (0, "", "")
    (shown,) = opened["maps"]
    assert opened["query"] == f"/?view=3d&robot=puma560&map={shown.key}"
    assert shown.reach.record["robot"] == "puma560"
    status, _, err = run(capsys, "open", folder, "nowhere.urdf")
    assert (status, err) == (2, "limbik: nowhere.urdf: there is no such file\n")
    file = tmp_path / "arm.urdf"
    file.write_text(to_urdf(limbik.load("puma560")))
    assert run(capsys, "open", folder, str(file)) == (0, "", "")
    assert f"token={opened['uploads'][0].token}&name=arm.urdf" in opened["query"]
    status, _, err = run(capsys, "open", folder, "panda")
    said = "limbik: the map is of 'puma560', and 'panda' is another robot: it has no frame 'wrist'\n"
    assert (status, err) == (2, said)
    record = dict(shown.reach.record, robot="mine")
    monkeypatch.setattr(Reach, "record", property(lambda reach: record))
    status, _, err = run(capsys, "open", folder)
    assert (status, err) == (
        2,
        "limbik: the map is of 'mine', which is no robot's name: give its file after the folder\n",
    )


def test_voxels_that_a_map_has_not_and_progress_that_is_no_function_are_refused(tmp_path):
    model = limbik.load("ur5e")
    with pytest.raises(SolverError, match="progress needs a function of two counts, found 3"):
        reach_map(model, tmp_path / "none", voxel=1.0, orientations=2, progress=3)
    reach = reach_map(model, tmp_path / "map", voxel=0.5, orientations=4)
    for first, last, name in ((-1, None, "first"), (0, -1, "last"), (0, reach.grid.size + 1, "last")):
        with pytest.raises(SolverError, match=f"`{name}` needs a whole number from 0 to {reach.grid.size}"):
            reach.reachable(first, last)
        with pytest.raises(SolverError, match=f"`{name}` needs a whole number from 0 to {reach.grid.size}"):
            reach.grid.centers(first, reach.grid.size if last is None else last)
