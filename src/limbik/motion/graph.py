"""The best path through layers of nodes, as in the Cartesian planner Descartes: dynamic programming (Bellman
1957), with the number of breaks before the cost.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from limbik.spatial import Array

Indices = NDArray[np.intp]


class Edges(NamedTuple):
    """The steps that are possible from one layer to the next."""

    before: Indices  # [e] node in the one layer
    after: Indices  # [e] node in the next
    cost: Array  # [e] at least 0


class Route(NamedTuple):
    """A route through all layers."""

    nodes: list[int]  # [n] one of each layer
    breaks: list[int]  # layers that are entered by no edge
    cost: float  # of its edges, and of its first node
    reached: int  # the last layer that some route gets to without a break


def best_route(
    first: Array, counts: Sequence[int], edges: Sequence[Edges], doubts: Sequence[int] | None = None
) -> Route:
    """The route with the fewest breaks, of these with the smallest doubt about them, of these the cheapest.

    first [m]: the cost of beginning at each node of the first layer. counts [n]: the nodes of each layer, at
    least 1. edges [n - 1]: between neighbouring layers. doubts [n - 1]: of whether a
    break there cannot be mended, from 0 (the default). A break leads to any node and costs nothing.
    """
    doubts = [0] * len(edges) if doubts is None else doubts
    max_cost = first.max() + sum(each.cost.max(initial=0.0) for each in edges)
    doubt = 1.0 + max_cost  # more than all edges of a route together
    one_break = doubt * (1.0 + sum(doubts))  # more than these and all doubts
    values, parents, reached = first, [], 0
    for layer, (count, each, doubts_here) in enumerate(zip(counts[1:], edges, doubts, strict=True), 1):
        best = int(values.argmin())
        parent = np.full(count, -1 - best)
        after = np.full(count, values[best] + one_break + doubt * doubts_here)
        totals = values[each.before] + each.cost
        order = np.lexsort((totals, each.after))
        nodes, starts = np.unique(each.after[order], return_index=True)
        cheapest = order[starts]
        is_better = totals[cheapest] < after[nodes]
        after[nodes[is_better]] = totals[cheapest][is_better]
        parent[nodes[is_better]] = each.before[cheapest][is_better]
        values = after
        parents.append(parent)
        reached = layer if values.min() < one_break else reached
    node = int(values.argmin())
    cost = float(values[node])
    nodes_back, breaks = [node], []
    for layer in range(len(parents), 0, -1):
        node = int(parents[layer - 1][node])
        if node < 0:
            breaks.append(layer)
            node = -1 - node
        nodes_back.append(node)
    doubted = sum(doubts[layer - 1] for layer in breaks)
    return Route(nodes_back[::-1], breaks[::-1], cost - one_break * len(breaks) - doubt * doubted, reached)
