"""A reach map about its robot: slices, and voxels that are clicked."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

import limbik
from browser.space.stage import Space
from limbik.app.reach_maps import ReachMap
from limbik.app.server import running
from limbik.collision import Box, World
from limbik.scale import reach_map

DAMAGED = "The server does not say what is reached in this voxel"
NO_MAP = "The reach map of this link is not on this server"


@pytest.fixture
def shown(tmp_path: Path) -> ReachMap:
    return ReachMap(reach_map(limbik.load("ur5e"), tmp_path / "map", voxel=0.15, orientations=12))


@pytest.fixture
def mapped(shown: ReachMap) -> Iterator[str]:
    with running(maps=[shown]) as address:
        yield address


def test_a_voxel_that_is_clicked_is_reached(
    make_space: Callable[..., Space], mapped: str, shown: ReachMap
) -> None:
    space = make_space(server=mapped).show(f"robot=ur5e&map={shown.key}")
    section = space.find("#map-section")
    space.until(section.is_visible, "there is a map")
    slices = space.ask("stage.voxels.shown")
    grid, model = shown.reach.grid, limbik.load("ur5e")
    height = shown.reach.best_slice()[0]
    assert f"z = {height:.3f} m" in section.inner_text()
    np.testing.assert_allclose([grid.centers(k, k + 1)[0, 2] for k in slices], height)

    wanted = slices[len(slices) // 4]
    at = space.ask("stage.screenPoint(argument)", grid.centers(wanted, wanted + 1)[0].tolist())
    space.page.mouse.click(at["x"], at["y"])
    space.until(lambda: "orientations are reached" in section.inner_text(), "the voxel is told")
    space.wait_resting()
    (goal,) = space.goals
    voxel = int(grid.index(np.array([goal["position"]]))[0])
    assert voxel in slices
    pose = model.pose(space.q_of(0))
    np.testing.assert_allclose(pose[:3, 3], grid.centers(voxel, voxel + 1)[0], atol=1e-4)
    assert space.status_of(0) == "solved"
    count = int(shown.reach.reachable(voxel, voxel + 1).sum())
    assert f"{count} of 12 orientations" in section.inner_text()

    space.find("#map-next").click()
    space.until(lambda: space.goals[0]["quat_xyzw"] != goal["quat_xyzw"], "the goal has turned")
    space.wait_resting()
    assert space.status_of(0) == "solved"
    space.find("label:has(input[name=ms][value=all])").click()
    every = np.count_nonzero(shown.reach.fraction)
    space.until(lambda: len(space.ask("stage.voxels.shown")) == every, "all are shown")


def test_a_map_beside_a_world_names_it_and_a_damaged_one_is_told(
    make_space: Callable[..., Space], tmp_path: Path
) -> None:
    world = World()
    world.add("wall", Box((0.1, 3.0, 3.0)), (-0.35, 0.0, 0.0))
    folder = tmp_path / "map"
    shown = ReachMap(reach_map(limbik.load("ur5e"), folder, voxel=0.3, orientations=5, world=world))
    with running(maps=[shown]) as address:
        space = make_space(server=address).show(f"robot=ur5e&map={shown.key}")
        section = space.find("#map-section")
        space.until(section.is_visible, "there is a map")
        assert "is proved to be out of reach, or not free of collision with wall." in section.inner_text()
        slices = space.ask("stage.voxels.shown")
        center = shown.reach.grid.centers(slices[0], slices[0] + 1)[0].tolist()
        shutil.rmtree(folder)
        at = space.ask("stage.screenPoint(argument)", center)
        space.page.mouse.click(at["x"], at["y"])
        space.until(lambda: DAMAGED in space.notices, "it is said")
        assert "404" in space.faults.pop()


def test_a_map_that_the_server_has_not_is_said(space: Space) -> None:
    space.show("robot=ur5e&map=nothing")
    space.until(lambda: NO_MAP in space.notices, "it is said")
    assert not space.find("#map-section").is_visible()
    assert "404" in space.faults.pop()  # the browser says it, too
