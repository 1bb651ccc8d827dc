"""Shapes, worlds, and checks of whether a robot touches itself or what stands around it."""

from limbik.collision.check import check, check_batch
from limbik.collision.check_path import check_path
from limbik.collision.world import Revision, World, WorldObject
from limbik.collision.world_files import load_world, save_world, world_of
from limbik.model.shapes import (
    Box,
    Capsule,
    ConvexHull,
    Cylinder,
    DistanceGrid,
    LinkShape,
    Mesh,
    Points,
    Shape,
    Sphere,
)

__all__ = [
    "Box",
    "Capsule",
    "ConvexHull",
    "Cylinder",
    "DistanceGrid",
    "LinkShape",
    "Mesh",
    "Points",
    "Revision",
    "Shape",
    "Sphere",
    "World",
    "WorldObject",
    "check",
    "check_batch",
    "check_path",
    "load_world",
    "save_world",
    "world_of",
]
