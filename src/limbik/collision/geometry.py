"""The collision geometry of a model: its bodies, their convex pieces and the spheres about them."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from time import perf_counter

import numpy as np

from limbik.collision.capsules import shapes_or_capsules
from limbik.collision.convex import ConvexPiece
from limbik.collision.covers import Spheres, cover, smallest_sphere
from limbik.collision.pieces import measured_pieces_of
from limbik.errors import CollisionError, listed
from limbik.locks import fork_safe
from limbik.model import JointKind, Model
from limbik.model.shapes import LinkShape
from limbik.model.slots import Slot
from limbik.spatial import Array, Matrix4, Vector3, unit


@dataclass(frozen=True, kw_only=True, eq=False)
class CheckedBody:
    """What is checked under one name: the shapes of a link, or an attached object.

    name: of the link or object. link: that carries it; of links on fixed joints the first, so that bodies
    with the same one never move against each other. Everything is in the frame of `link`.
    """

    name: str
    link: str
    pieces: tuple[ConvexPiece, ...]
    cover: Spheres
    center: Vector3  # [3] of one sphere about all [m]
    radius: float  # [m]
    overshoot: float  # [m] how far the pieces reach beyond the shapes at most
    notes: tuple[str, ...] = ()  # what was made of its shapes, where that is not themselves
    gaps: tuple[str, ...] = ()  # what of its shapes the pieces do not contain


@dataclass(frozen=True, eq=False)
class Geometry:
    """The bodies of a model."""

    bodies: tuple[CheckedBody, ...]
    note: str = ""  # what the bodies are not, or are instead

    @property
    def overshoot(self) -> float:
        """How far the pieces reach beyond the shapes of the model, at most [m]."""
        return max((body.overshoot for body in self.bodies), default=0.0)

    @property
    def gaps(self) -> tuple[str, ...]:
        """What the pieces do not contain, with the names of the links."""
        return tuple(f"{body.name}: {what}" for body in self.bodies for what in body.gaps)


def geometry_of(model: Model) -> Geometry:
    """The bodies of a model, made once for it.

    Raises CollisionError, which names the link, for a mesh that cannot be read, and MissingExtra where that
    needs a library that is not installed.
    """
    made = _GEOMETRY.get(model)
    if made is not None:
        return made
    with _CUTTING.of(model, lambda: fork_safe(threading.Lock())):  # one thread cuts, others wait for it
        return _GEOMETRY.of(model, lambda: _made(model))


def keep_geometry(model: Model, geometry: Geometry) -> None:
    """Take what was made elsewhere, for a model with the same shapes on the same links."""
    _GEOMETRY.put(model, geometry)


_GEOMETRY: Slot[Geometry] = Slot(of_shapes=True)
_CUTTING: Slot[threading.Lock] = Slot(of_shapes=True)
FEW = 8  # corners: the middle of their extent will do for the center of a sphere about them
LONG = 3.0  # [s] after which somebody who waits is told what for
logger = logging.getLogger(__name__)


def _made(model: Model) -> Geometry:
    shapes, note = shapes_or_capsules(model)
    carriers = poses_on_carriers(model)
    named: dict[tuple[str, str], list[LinkShape]] = {}
    for shape in shapes:
        named.setdefault((shape.name, carriers[shape.link][0]), []).append(shape)
    bodies = tuple(_bodies(model, named, carriers))
    made = Geometry(bodies)
    notes = [note] if note else []
    notes += [*made.gaps, *(f"{body.name}: {what}" for body in bodies for what in body.notes)]
    return replace(made, note=listed(notes, limit=5, between="; "))


def _bodies(
    model: Model,
    named: dict[tuple[str, str], list[LinkShape]],
    carriers: dict[str, tuple[str, Matrix4]],
) -> Iterator[CheckedBody]:
    """The body of each name and link; a log tells of it where that takes long, as it does once for meshes."""
    began, is_told = perf_counter(), False
    for k, ((name, link), shapes) in enumerate(named.items()):
        if not is_told and perf_counter() - began > LONG:
            logger.warning(
                "limbik is cutting the shapes of %r into convex parts, which it keeps: %d of %d links to go",
                model.name,
                len(named) - k,
                len(named),
            )
            is_told = True
        yield _body(name, link, shapes, carriers)


def _body(
    name: str, link: str, shapes: Sequence[LinkShape], carriers: dict[str, tuple[str, Matrix4]]
) -> CheckedBody:
    pieces: list[ConvexPiece] = []
    overshoot, notes, gaps = 0.0, [], []
    for shape in shapes:
        try:
            shape_pieces = measured_pieces_of(shape.shape)
        except CollisionError as error:
            raise CollisionError(f"link {shape.link!r}: {error}") from None
        pose = carriers[shape.link][1] @ shape.pose_link_shape
        pieces += [piece.moved(pose) for piece in shape_pieces.pieces]
        overshoot = max(overshoot, shape_pieces.overshoot)
        notes += [shape_pieces.note] if shape_pieces.note else []
        gaps += [shape_pieces.gap] if shape_pieces.gap else []
    center, radius = bounding_sphere(pieces)
    return CheckedBody(
        name=name,
        link=link,
        pieces=tuple(pieces),
        cover=cover(pieces),
        center=center,
        radius=radius,
        overshoot=overshoot,
        notes=tuple(notes),
        gaps=tuple(gaps),
    )


def bounding_sphere(pieces: Sequence[ConvexPiece]) -> tuple[Array, float]:
    """Center [3] and radius [m] of a sphere that contains all pieces."""
    vertices = np.concatenate([piece.vertices for piece in pieces])
    if len(vertices) > FEW:
        center, _ = smallest_sphere(vertices)
    else:
        center = 0.5 * (vertices.min(axis=0) + vertices.max(axis=0))
    return center, max(_reach(piece, center) for piece in pieces) * (1.0 + 1e-9) + 1e-9


def _reach(piece: ConvexPiece, center: Vector3) -> float:
    """How far the farthest point of a piece is from a center [m]."""
    offsets = piece.vertices - center
    if piece.disc == 0.0:
        return float(np.linalg.norm(offsets, axis=1).max()) + piece.radius
    axis = unit(offsets[1] - offsets[0])
    along = offsets @ axis
    across = np.linalg.norm(offsets - along[:, None] * axis, axis=1)
    return float(np.hypot(along, across + piece.disc).max()) + piece.radius


def poses_on_carriers(model: Model) -> dict[str, tuple[str, Matrix4]]:
    """For each link the first of those on fixed joints with it, and pose_first_link."""
    carriers: dict[str, tuple[str, Matrix4]] = {model.root: (model.root, np.eye(4))}
    for joint in model.joints:
        if joint.kind is JointKind.FIXED:
            link, pose = carriers[joint.parent]
            carriers[joint.child] = link, pose @ joint.origin
        else:
            carriers[joint.child] = joint.child, np.eye(4)
    return carriers
