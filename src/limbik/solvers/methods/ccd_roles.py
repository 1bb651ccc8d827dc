"""Which joints serve directions and orientations, and which positions, for methods that move one joint at a
time.

A joint's role is the part of its attention that directions get: 1 for them alone, 0 for positions alone, 1/2
for both by their weights.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from limbik.compiler.kernel import Floats, Records
from limbik.compiler.records import as_records
from limbik.errors import SolverError, did_you_mean
from limbik.goals.task import AXIS, POINT, TURN
from limbik.model.model import Model
from limbik.spatial import Array, quat_normalise
from limbik.tree.joints import FRAME_SIZE, REVOLUTE, ROTATION, SPHERICAL
from limbik.tree.kinematics import pose_links
from limbik.tree.pack import WORLD, PackedTree

BOTH = 0.5
SINGULAR = 1e-6  # of the greatest singular value: what another joint can do already


def roles_of_last(tree: PackedTree, tasks: Records, units: Floats) -> Floats:
    """Roles [links] that give every direction or orientation the last joints that turn it in every direction.

    Counted from the tip at a configuration in general position: a joint that adds nothing to what those after
    it can do (a roll about the direction itself) is left to positions, and so are all before. Joints that
    serve no position as well as a direction serve both, as do those that lead or follow others.
    """
    roles = np.full(len(tree.links), BOTH)
    moving = {k for k, link in enumerate(tree.links) if link["mover"] >= 0 and units[link["v"]] > 0.0}
    moving -= {k for k in moving if tree.movers[tree.links[k]["mover"]]["has_mimics"]}
    points = {k for task in tasks if task["kind"] == POINT for k in _path(tree, task["link"])} & moving
    rotations = _rotations(tree)
    turning: set[int] = set()
    before: set[int] = set()
    for task in tasks:
        if task["kind"] not in (AXIS, TURN):
            continue
        path = [k for k in _path(tree, task["link"]) if k in moving]
        last = _last_turning(tree, task, path, rotations)
        others = {k for k in path if k not in last} & points
        if others:
            turning |= last
            before |= others
    roles[list(before)] = 0.0
    roles[list(turning)] = 1.0
    return roles


def roles_of_chosen(model: Model, tree: PackedTree, names: Sequence[str]) -> Floats:
    """Roles [links] where the named joints serve directions and all others positions; without names, all
    serve both. Raises SolverError for a name that is no joint that moves.
    """
    if not names:
        return np.full(len(tree.links), BOTH)
    roles = np.zeros(len(tree.links))
    for name in names:
        if name not in tree.joint_links:
            hint = did_you_mean(name, tuple(tree.joint_links))
            raise SolverError(
                f"`direction_joints` names {name!r}, which is no joint of {model.name!r} that moves; {hint}"
            )
        roles[tree.joint_links[name]] = 1.0
    return roles


def _path(tree: PackedTree, link: int) -> Iterator[int]:
    """The links from one to the base."""
    while link != WORLD:
        yield link
        link = int(tree.links[link]["parent"])


def _last_turning(tree: PackedTree, task: Records, path: Sequence[int], rotations: Array) -> set[int]:
    """The links nearest to the tip whose joints turn what a task asks for in every direction, as far as there
    are.
    """
    needed = 2 if task["kind"] == AXIS else 3
    direction = rotations[task["link"]] @ task["pose"][ROTATION:].reshape(3, 3) @ task["axis"]
    last: set[int] = set()
    joint_axes: list[Array] = []
    for k in path:
        kind = tree.links[k]["kind"]
        if kind not in (REVOLUTE, SPHERICAL):
            continue
        axes = rotations[k].T if kind == SPHERICAL else rotations[k].T[2:]
        more = [*joint_axes, *(np.cross(axes, direction) if task["kind"] == AXIS else axes)]
        if _rank(more) > _rank(joint_axes):
            joint_axes = more
            last.add(k)
        if _rank(joint_axes) == needed:
            break
    return last


def _rank(rows: Sequence[Array]) -> int:
    return int(np.linalg.matrix_rank(np.array(rows), tol=SINGULAR)) if rows else 0


def _rotations(tree: PackedTree) -> Array:
    """World rotations of all links [links, 3, 3] at a configuration in general position."""
    q = np.random.default_rng(0).uniform(-1.0, 1.0, int(tree.movers[-1]["q"]))
    for mover in tree.movers[:-1]:
        if mover["kind"] == SPHERICAL:
            part = slice(mover["q"], mover["q"] + 4)
            q[part] = quat_normalise(q[part])
    frames = np.zeros(len(tree.links) * FRAME_SIZE)
    pose_links.interpreted(as_records(tree.links), q, frames)
    return frames.reshape(-1, FRAME_SIZE)[:, ROTATION:].reshape(-1, 3, 3)
