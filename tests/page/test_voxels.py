"""The page counts the voxels of a reach map as the map does."""

from __future__ import annotations

import numpy as np

from limbik.scale.grid import Grid
from page.modules import Modules

COUNTED = """async (map) => {
  const { allOf, centreOf, indexOf, cellOf, sliceOf } = await import('/static/space/voxels.js');
  const every = map.levels.map((_, index) => index);
  return {
    centres: every.map((index) => centreOf(map, index)),
    again: every.map((index) => indexOf(map, cellOf(map, index))),
    slices: [0, 1, 2].map((axis) => map.shape[axis] > 1 ? sliceOf(map, axis, 1) : []),
    all: allOf(map),
  };
}"""


def test_voxels_are_where_the_map_has_them(modules: Modules) -> None:
    grid = Grid((-0.3, 0.1, -1.0), 0.05, (3, 4, 5))
    levels = np.random.default_rng(0).choice([0, 3, 255], grid.size)
    header = {"corner": grid.corner, "voxel": grid.voxel, "shape": grid.shape, "levels": levels.tolist()}
    found = modules.evaluate(COUNTED, header)
    np.testing.assert_allclose(found["centres"], grid.centers(0, grid.size), atol=1e-12)
    assert found["again"] == list(range(grid.size))
    reached = np.flatnonzero(levels)
    assert found["all"] == reached.tolist()
    for axis in range(3):
        at = np.unravel_index(reached, grid.shape)[axis]
        assert sorted(found["slices"][axis]) == reached[at == 1].tolist()
