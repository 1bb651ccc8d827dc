"""Work beyond one solve: maps of all that a robot reaches.

reach = limbik.scale.reach_map(limbik.load("ur5e"), "ur5e-reach", voxel=0.02)
reach = limbik.scale.Reach.open("ur5e-reach")
"""

from limbik.scale.orientations import orientations
from limbik.scale.reach import Reach, reach_map
from limbik.scale.store import StoreError

__all__ = ["Reach", "StoreError", "orientations", "reach_map"]
