"""Work beyond one solve: maps of all that a robot reaches, and datasets for learning.

reach = limbik.scale.reach_map(limbik.load("ur5e"), "ur5e-reach", voxel=0.02)
reach = limbik.scale.Reach.open("ur5e-reach")
data = limbik.scale.make_dataset(limbik.load("ur5e"), "ur5e-data", poses=1_000_000)
"""

from limbik.scale.dataset import Dataset, make_dataset
from limbik.scale.folder import StoreError
from limbik.scale.orientations import orientations
from limbik.scale.picture import save_picture
from limbik.scale.placements import Placement
from limbik.scale.reach import Reach, reach_map

__all__ = [
    "Dataset",
    "Placement",
    "Reach",
    "StoreError",
    "make_dataset",
    "orientations",
    "reach_map",
    "save_picture",
]
