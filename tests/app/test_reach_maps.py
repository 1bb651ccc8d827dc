"""Reach maps that a server has from the beginning, over real sockets."""

from __future__ import annotations

import json
from collections.abc import Iterator
from urllib.error import HTTPError
from urllib.request import urlopen

import numpy as np
import pytest

import limbik
from limbik.app import connection, reach_maps
from limbik.app.reach_maps import ReachMap
from limbik.app.server import running
from limbik.errors import SolverError
from limbik.scale import Reach, reach_map


@pytest.fixture(scope="module")
def reach(tmp_path_factory: pytest.TempPathFactory) -> Reach:
    folder = tmp_path_factory.mktemp("maps") / "ur5e"
    return reach_map(limbik.load("ur5e"), folder, voxel=0.3, orientations=20)


@pytest.fixture(scope="module")
def address(reach: Reach) -> Iterator[str]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(connection, "warm_up", lambda name: None)
        patch.setattr(connection, "warm_up_in_space", lambda name: None)
        with running(maps=[ReachMap(reach)]) as address:
            yield address


def test_a_page_gets_the_map_and_what_is_reached_in_a_voxel(address: str, reach: Reach) -> None:
    shown = ReachMap(reach)
    with urlopen(f"{address}/reach/{shown.key}") as answer:
        content = answer.read()
    length = int.from_bytes(content[:4], "little")
    header, levels = json.loads(content[4 : 4 + length]), np.frombuffer(content[4 + length :], np.uint8)
    assert (header["robot"], header["frame"], header["orientations"]) == ("ur5e", "flange", 20)
    assert tuple(header["shape"]) == reach.grid.shape and header["complete"] and header["proved"]
    np.testing.assert_array_equal(levels > 0, reach.fraction > 0.0)
    np.testing.assert_allclose(levels / 255.0, reach.fraction, atol=1.0 / 255.0)
    for voxel in (int(reach.fraction.argmax()), 0):
        with urlopen(f"{address}/reach/{shown.key}/{voxel}") as answer:
            quats = np.array(json.load(answer)).reshape(-1, 4)
        np.testing.assert_allclose(quats, reach.quaternions[reach.reachable(voxel, voxel + 1)[0]])


@pytest.mark.parametrize("path", ["nothing", "nothing/0", "{key}/27000000", "{key}/999"])
def test_what_there_is_not_is_not_found(address: str, reach: Reach, path: str) -> None:
    with pytest.raises(HTTPError, match="404"):
        urlopen(f"{address}/reach/{path.format(key=ReachMap(reach).key)}")


def test_a_map_that_is_too_large_is_refused(reach: Reach, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reach_maps, "MAX_VOXELS", 100)
    with pytest.raises(SolverError, match=f"up to 100 voxels, found {reach.grid.size}"):
        ReachMap(reach)
