"""`Layers`: the layered graph of a path: configurations at poses along it and the steps between, and its best
route.

It is refined where a step is too great, or where its straight line in joint space leaves the path.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from limbik.compiler.kernel import Watch
from limbik.errors import GoalError
from limbik.model.periodic import endless
from limbik.motion.candidates import FULL_TURN, Candidates, distinct
from limbik.motion.graph import Edges, Route, best_route
from limbik.motion.preferences import Preference
from limbik.motion.task_space import apart, interpolated, steps
from limbik.spatial import Array, Matrix4

APART = 0.02  # of the reach, between poses at first
APART_ROTATION = 0.1  # [rad] likewise
HALVINGS = 10  # of a stretch, before a step that is too great is a break
MEASURED = 2  # halvings where a step deviates, before those of all branches are measured, and left out
MAX_LAYERS = 20_000
MAX_FIRST = 2_000  # of them at first, for steps shorter than usual
USUAL_STEP = 0.25  # [rad or m] that poses at first are near enough for
PARTS = np.linspace(0.0, 1.0, 11)  # of a step, where it is measured
TIGHTER = 0.9  # of the allowed deviation: between the measured parts it may be a little more
WINDOWS = 0.2 * 0.5 ** np.arange(6)  # [rad or m] around a redundant path, in which it is improved
MAX_FREE = 12  # directions of self-motion that are tried: pairs of what they lead to are compared
TIE = 1e-6  # cost per radian or metre from neutral of a beginning: of equal paths, the same one every time
NO_EDGES = Edges(np.empty(0, dtype=np.intp), np.empty(0, dtype=np.intp), np.empty(0))


class Rules(NamedTuple):
    """What a path has to keep."""

    max_step: float  # [rad or m] of every joint, from knot to knot
    deviation: tuple[float, float]  # [m], [rad]
    preference: Preference


@dataclass(eq=False)
class Layer:
    """One pose of the path, and the configurations there."""

    position: float  # counted in poses
    pose: Matrix4
    q: Array  # [m, nq]
    halvings: int  # of the stretch behind it
    deviations: int = 0  # how many of these because a step deviated
    penalty: Array | None = None  # [m], once it is known
    tree: Any = None
    is_fixed: bool = False  # to its one configuration
    edges: tuple[Array, Array, Edges] | None = None  # of its q and that of a layer behind it


class Layers:
    """The graph for poses [N, 4, 4] of a frame. When the watch ends it, the positions that are left have no
    configuration, and stretches whose steps are too great are breaks.
    """

    def __init__(
        self, poses: Array, candidates: Candidates, rules: Rules, start: Array | None, watch: Watch
    ) -> None:
        self.poses = poses
        self.candidates = candidates
        self._model = candidates.model
        self._frame = candidates.frame
        self._rules = rules
        self._start = start
        self._watch = watch
        self.is_cut_short = False  # by the watch, or at MAX_LAYERS
        moving = [joint for joint in self._model.path(self._frame) if joint.nq]
        self._q_indices = [self._model.q_slice(joint.name).start for joint in moving]
        self.turning = endless(self._model, self._frame)
        self.layers = self._new(self._first_positions(), 0)
        if not candidates.is_complete:
            self._track_neighbours()

    def fix(self, layer: int, q: Array) -> None:
        """Have only q [nq] at one of the layers."""
        self.layers[layer].q = q[None]
        self.layers[layer].is_fixed = True
        if not self.candidates.is_complete:
            self._follow(self.layers if layer == 0 else self.layers[::-1])

    def solve(self) -> tuple[list[Layer], Route]:
        """The layers that have configurations, and the best route through them."""
        self._refine(measured=False)
        if len(self._q_indices) > 6:
            self._improve()
        route = self._refine(measured=True)
        return self._reached(), route

    def difference(self, a: Array, b: Array) -> Array:
        """[..., nq] from a to b, by the shorter arc for joints that may turn forever."""
        between = b - a
        windings = FULL_TURN * np.round(between[..., self.turning] / FULL_TURN)
        between[..., self.turning] -= windings
        return np.asarray(between)

    def deviation(self, begin: ArrayLike, end: ArrayLike, q0: Array, q1: Array) -> tuple[Array, Array]:
        """[e] greatest distances [m] and angles [rad] from the path, on steps from q0 to q1 [e, nq] between
        positions [e], or all between the same two.
        """
        q = q0[:, None] + PARTS[:, None] * self.difference(q0, q1)[:, None]
        between = np.linspace(np.atleast_1d(begin), np.atleast_1d(end), len(PARTS), axis=1)
        wanted = interpolated(self.poses, between.ravel()).reshape(*between.shape, 4, 4)
        metres, radians = apart(wanted, self._model.pose(q, self._frame))
        return metres.max(axis=1), radians.max(axis=1)

    # --- the poses ------------------------------------------------------------------------------------------

    def _first_positions(self) -> Array:
        if not self.candidates.is_full:  # the arm has hardly a configuration in between
            return np.arange(len(self.poses), dtype=float)
        metres, radians = steps(self.poses)
        reach = APART * max(self._model.reach(self._frame), 1e-9)
        pieces = np.maximum(metres / reach, radians / APART_ROTATION)
        pieces = np.minimum(np.maximum(np.ceil(pieces), 1), 2**40).astype(int)
        count = int(pieces.sum())
        if count and self._rules.max_step < USUAL_STEP and self._has_all():
            # Halving shortens the steps of the best route alone, not of those that it is compared with.
            finer = max(1, int(min(np.ceil(USUAL_STEP / self._rules.max_step), MAX_FIRST / count)))
            pieces, count = finer * pieces, finer * count
        if count > MAX_LAYERS:
            raise GoalError(
                f"`poses` needs a path of up to {MAX_LAYERS:,} positions, {reach:.3g} m or {APART_ROTATION} "
                f"rad apart, found one of {count:,}: {metres.sum():.4g} m, {radians.sum():.4g} rad"
            )
        between = [k + np.arange(n) / n for k, n in enumerate(pieces)]
        return np.concatenate([*between, [float(len(self.poses) - 1)]])

    def _has_all(self) -> bool:
        """Whether the configurations of the first pose are all known."""
        self.candidates.of(self.poses[0])
        return self.candidates.is_complete

    def _new(self, positions: Array, halvings: int) -> list[Layer]:
        nothing = np.empty((0, self._model.nq))
        return [
            Layer(at, pose, nothing if self.ends() else self.candidates.of(pose), halvings)
            for at, pose in zip(positions.tolist(), interpolated(self.poses, positions), strict=True)
        ]

    def ends(self) -> bool:
        """Whether the watch, or the number of layers, has ended the search."""
        self.is_cut_short = self.is_cut_short or self._watch()
        return self.is_cut_short

    def _track_neighbours(self) -> None:
        """Configurations from those of the neighbours, forward and back: a search misses some."""
        for order in (self.layers, self.layers[::-1]):
            for a, b in itertools.pairwise(order):
                if len(a.q) and len(b.q) < 8 and not self.ends():
                    self._add(b, self._near(b, a.q))

    def _follow(self, layers: list[Layer]) -> None:
        """Configurations from the one at a fixed end, layer after layer: samples may have none near it."""
        first_q = layers[0].q
        for layer in layers[1:]:
            first_q = self._near(layer, first_q)
            if not len(first_q) or self.ends():
                break
            self._add(layer, first_q)

    def _near(self, layer: Layer, starts: Array) -> Array:
        return self.candidates.near(layer.pose, layer.position, starts)

    def _add(self, layer: Layer, q: Array) -> None:
        more = distinct(np.concatenate([layer.q, q]))
        if len(more) > len(layer.q) and not layer.is_fixed:
            layer.q, layer.penalty, layer.tree = more, None, None

    def _reached(self) -> list[Layer]:
        return [layer for layer in self.layers if len(layer.q)]

    def _index_of_layers(self) -> dict[int, int]:
        """The index of each layer, by its `id`."""
        return {id(layer): k for k, layer in enumerate(self.layers)}

    # --- refinement -----------------------------------------------------------------------------------------

    def _refine(self, measured: bool) -> Route:
        """Halve stretches until nothing can be improved; `measured`: also where steps deviate."""
        while True:
            route = self._route()
            wanted, deviating = self._broken(route), self._deviating(route) if measured else set()
            indices = [
                k for k in sorted(wanted | deviating, reverse=True) if self.layers[k].halvings < HALVINGS
            ]
            if not indices:
                return route
            self.is_cut_short = self.is_cut_short or len(self.layers) + len(indices) > MAX_LAYERS
            if self.ends():
                return self._without(route, deviating)
            chosen = {id(each): each.q[node] for each, node in zip(self._reached(), route.nodes, strict=True)}
            for k in indices:
                if self.ends():
                    break
                self.layers[k].deviations += k in deviating
                self._halve(k, chosen)

    def _without(self, route: Route, deviating: set[int]) -> Route:
        """The route with breaks at stretches whose steps deviate."""
        index = self._index_of_layers()
        reached = self._reached()
        removed = {k for k in range(1, len(reached)) if index[id(reached[k - 1])] in deviating}
        breaks = sorted({*route.breaks, *removed})
        return route._replace(breaks=breaks, reached=min([route.reached, *(k - 1 for k in breaks)]))

    def _halve(self, k: int, chosen: dict[int, Array]) -> None:
        a, b = self.layers[k], self.layers[k + 1]
        a.halvings += 1
        (middle,) = self._new(np.array([0.5 * (a.position + b.position)]), a.halvings)
        middle.deviations = a.deviations
        ends = [chosen[id(each)] for each in (a, b) if id(each) in chosen]
        if len(ends) == 2:
            ends.append(ends[0] + 0.5 * self.difference(*ends))
        starts = np.array(ends).reshape(-1, self._model.nq)
        for layer in (a, middle, b):  # the ends, too: a closed form has few of those at a singularity
            self._add(layer, self._near(layer, starts))
        self.layers.insert(k + 1, middle)

    def _broken(self, route: Route) -> set[int]:
        """The stretches beside breaks, and beside where the path begins or ends to have configurations."""
        filled = [k for k, layer in enumerate(self.layers) if len(layer.q)]
        broken: set[int] = set()
        for k in route.breaks:
            before, after = filled[k - 1], filled[k]
            broken |= {before, after - 1}
        if filled and filled[0] > 0:
            broken.add(filled[0] - 1)
        if filled and filled[-1] < len(self.layers) - 1:
            broken.add(filled[-1])
        return broken

    def _deviating(self, route: Route) -> set[int]:
        reached = self._reached()
        index = self._index_of_layers()
        edges = set()
        if len(reached) > 1:
            position = np.array([layer.position for layer in reached])
            q = np.array([layer.q[node] for layer, node in zip(reached, route.nodes, strict=True)])
            stays = self._is_near(position[:-1], position[1:], q[:-1], q[1:])
            for k in range(1, len(reached)):
                if k not in route.breaks:
                    is_fine = stays[k - 1] and self._are_free(q[[k - 1]], q[[k]])[0]
                    if not is_fine:
                        edges.add(index[id(reached[k - 1])])
        return edges

    def _is_near(self, begin: ArrayLike, end: ArrayLike, q0: Array, q1: Array) -> NDArray[np.bool_]:
        """[e] which steps from q0 to q1 [e, nq] stay near the path."""
        metres, radians = self.deviation(begin, end, q0, q1)
        limit = self._rules.deviation
        return np.asarray((metres <= TIGHTER * limit[0]) & (radians <= TIGHTER * limit[1]))

    def _are_free(self, q0: Array, q1: Array) -> NDArray[np.bool_]:
        """[e] which steps from q0 to q1 [e, nq] are free of collision; none once the watch has ended."""
        if self.candidates.free is None:
            return np.ones(len(q0), bool)
        pairs = zip(q0, q0 + self.difference(q0, q1), strict=True)
        return np.array([not self._watch() and self.candidates.is_step_free(*pair) for pair in pairs], bool)

    def _improve(self) -> None:
        """Self-motions of the best path, in windows that become smaller."""
        for width in WINDOWS:
            if self.ends():
                return
            route = self._route()
            reached = self._reached()
            for layer, node in zip(reached, route.nodes, strict=True):
                if layer.is_fixed:
                    continue
                if self.ends():
                    return
                q = layer.q[node]
                starts = q + width * self._self_motions(q)
                layer.q = distinct(np.concatenate([q[None], self._near(layer, starts)]))
                layer.penalty = layer.tree = None

    def _self_motions(self, q: Array) -> Array:
        """[k, nq] of length up to 1, to and fro along MAX_FREE directions at most."""
        jacobian = self._model.jacobian(q, self._frame)[:, self._q_indices]
        directions = np.linalg.svd(jacobian)[2][6 : 6 + MAX_FREE]
        free = np.zeros((len(directions), self._model.nq))
        free[:, self._q_indices] = directions
        return np.concatenate([part * free for part in (-1.0, -0.5, 0.5, 1.0)])

    # --- the graph ------------------------------------------------------------------------------------------

    def _route(self) -> Route:
        reached = self._reached()
        if not reached:
            return Route([], [], 0.0, 0)
        first = TIE * np.linalg.norm(reached[0].q - self._model.neutral, axis=1)
        if self._start is not None:
            first = np.linalg.norm(self.difference(self._start, reached[0].q), axis=1)
        index = self._index_of_layers()
        edges = [
            self._edges_of(a, b) if index[id(b)] == index[id(a)] + 1 else NO_EDGES
            for a, b in itertools.pairwise(reached)
        ]
        doubts = [
            HALVINGS - min(a.halvings, self.layers[index[id(b)] - 1].halvings)
            for a, b in itertools.pairwise(reached)
        ]
        return best_route(first, [len(layer.q) for layer in reached], edges, doubts)

    def _edges_of(self, a: Layer, b: Layer) -> Edges:
        known = a.edges
        if known is None or known[0] is not a.q or known[1] is not b.q:
            if self.ends():
                return NO_EDGES
            known = a.edges = a.q, b.q, self._new_edges(a, b)
        return known[2]

    def _new_edges(self, a: Layer, b: Layer) -> Edges:
        pairs = self._tree(a).sparse_distance_matrix(
            self._tree(b), self._rules.max_step, p=np.inf, output_type="ndarray"
        )
        before, after = pairs["i"], pairs["j"]
        is_last = a.halvings >= HALVINGS
        if is_last or a.deviations >= MEASURED:  # else a step across branches is tried all along the path
            stays = self._is_near(a.position, b.position, a.q[before], b.q[after])
            before, after = before[stays], after[stays]
        if is_last:
            is_free = self._are_free(a.q[before], b.q[after])
            before, after = before[is_free], after[is_free]
        cost = np.linalg.norm(self.difference(a.q[before], b.q[after]), axis=1)
        fraction = (b.position - a.position) / max(len(self.poses) - 1, 1)
        penalty = 0.5 * (self._penalty(a)[before] + self._penalty(b)[after])
        return Edges(before, after, cost + fraction * penalty)

    def _penalty(self, layer: Layer) -> Array:
        if layer.penalty is None:
            layer.penalty = self._rules.preference(layer.q)
        return layer.penalty

    def _tree(self, layer: Layer) -> Any:
        from scipy.spatial import cKDTree

        if layer.tree is None:
            turned = layer.q.copy()
            turned[:, self.turning] = np.mod(turned[:, self.turning], FULL_TURN) % FULL_TURN
            layer.tree = cKDTree(turned, boxsize=np.where(self.turning, FULL_TURN, 0.0))
        return layer.tree
