"""Anderson acceleration of an iterative method: extrapolates q from the differences between its last
iterations.

An iteration takes q to g(q) and moves it by f(q) = g(q) - q, which is nothing where the method comes to rest.
Near there both are almost linear. The differences between the last iterations then say what a change of f
does to g, and so what g is where f is smallest (Anderson 1965; as a secant method: Walker & Ni 2011). That
guess is taken where it is worth more than g(q), as do Peng et al. (2018).
"""

from __future__ import annotations

import math

from limbik.compiler.kernel import Floats, compiled
from limbik.numerics.linear import add, copy, dot, fill, squared_length
from limbik.tree.classical_loop import merit
from limbik.tree.evaluation import accept, evaluate, evaluate_posed
from limbik.tree.joints import SPHERICAL, set_spherical
from limbik.tree.workspace import DEPTH, Objectives, Tree, Workspace

# Of the history, by row.
MOVES = 0  # q before the iteration; then f
LAST_MOVES = 1  # f one iteration ago
LAST = 2  # and g
DIFFERENCES = 3  # of f, DEPTH of them, and then of g
ORTHONORMAL = DIFFERENCES + 2 * DEPTH  # the same, those of f made orthonormal

NEW = 1e-8  # of the square of a difference of f: less than this is known from the others


@compiled(inline=False)
def accelerate(
    tree: Tree, objectives: Objectives, workspace: Workspace, use_limits: bool, count: int, q: Floats
) -> None:
    """Take q [nq], as an iteration has left it, to where such iterations lead to, if that is worth more.

    workspace.history[MOVES]: q before the iteration. count: iterations before it, in the same descent. The
    frames are those of q before, and the whole workspace is afterwards.
    """
    moves = workspace.history[MOVES]
    for i in range(q.size):
        moves[i] = q[i] - moves[i]
    learn(workspace.history, count, q)
    evaluate_posed(tree, objectives, workspace, q, 0)
    if count == 0:
        return
    copy(q, workspace.trial)
    guess(workspace.history, count, workspace.trial)
    keep_within(tree, use_limits, workspace.trial)
    evaluate(tree, objectives, workspace, workspace.trial, 1)
    if merit(objectives, workspace, 1) < merit(objectives, workspace, 0):
        accept(workspace, q)
    else:
        evaluate(tree, objectives, workspace, q, 0)


@compiled(inline=False)
def learn(history: Floats, count: int, q: Floats) -> None:
    """Put the newest differences in the row of the oldest; the first iteration of a descent has none."""
    row = DIFFERENCES + count % DEPTH
    for i in range(q.size):
        history[row, i] = history[MOVES, i] - history[LAST_MOVES, i]
        history[row + DEPTH, i] = q[i] - history[LAST, i]
    copy(history[MOVES], history[LAST_MOVES])
    copy(q, history[LAST])


@compiled(inline=False)
def guess(history: Floats, count: int, q: Floats) -> None:
    """Take q [nq] to where f is smallest.

    The differences of f are made orthonormal, the newest first, and those of g go with them. What is to be
    taken of each is then one product.
    """
    for age in range(min(count, DEPTH)):
        row = DIFFERENCES + (count - age) % DEPTH
        moves, goes = history[ORTHONORMAL + age], history[ORTHONORMAL + DEPTH + age]
        copy(history[row], moves)
        copy(history[row + DEPTH], goes)
        threshold = NEW * squared_length(moves)
        for k in range(ORTHONORMAL, ORTHONORMAL + age):
            part = dot(moves, history[k])
            add(-part, history[k], moves)
            add(-part, history[k + DEPTH], goes)
        squared = squared_length(moves)
        if squared > threshold:
            scale = 1.0 / math.sqrt(squared)
            add(scale - 1.0, moves, moves)
            add(scale - 1.0, goes, goes)
            add(-dot(history[MOVES], moves), goes, q)
        else:
            fill(0.0, moves)
            fill(0.0, goes)


@compiled(inline=False)
def keep_within(tree: Tree, use_limits: bool, q: Floats) -> None:
    """Bring the joints that may move within their limits, and their quaternions to length 1."""
    for j in range(tree.movers.size - 1):
        mover = tree.movers[j]
        i = mover.q
        if tree.units[mover.v] == 0.0:
            continue
        if mover.kind == SPHERICAL:
            set_spherical(mover, (q[i], q[i + 1], q[i + 2], q[i + 3]), use_limits, q)
        elif use_limits:
            q[i] = min(max(q[i], mover.lower), mover.upper)
