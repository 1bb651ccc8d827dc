"""The second derivatives of the error of a direction: an axis a that is to be along t.

Half the squared error is a function of the cosine a . t. Joints turn a and, where the axis looks at a point,
move the origin that t begins at.
"""

from __future__ import annotations

import math

from limbik.compiler.kernel import Floats, Records, compiled
from limbik.goals.task import AIM
from limbik.numerics.rotation import Vector, times
from limbik.numerics.vectors import cross, dot, plus, scaled, vector
from limbik.tree.joints import ROTATION, SPHERICAL
from limbik.tree.residuals import FRAME, WANTED, resolve_frames
from limbik.tree.workspace import Tree, Workspace

SMALL_SINE = 1e-4  # of an angle under which the error is a x t, to the second order


@compiled(inline=False)
def add_direction(tree: Tree, workspace: Workspace, task: Records, target: Floats, forces: Floats) -> None:
    """Add to `workspace.hessian` what forces along the rows of a direction change.

    A force along the error has the second derivatives of half its square, less what the Jacobian has of them;
    one across it, which multipliers have, those of a x t. With a tolerance the force is along the error, and
    has the second derivatives of the angle.
    """
    resolved, row, H, J = workspace.resolved, task.row, workspace.hessian, workspace.J
    resolve_frames(task, target, workspace.frames, workspace.total, resolved)
    p = vector(resolved, FRAME)
    a = times(resolved, FRAME + ROTATION, task.axis[0], task.axis[1], task.axis[2])
    t, nearness = vector(resolved, WANTED), 0.0
    if task.kind == AIM:
        t = plus(t, -1.0, p)
        nearness = 1.0 / max(math.sqrt(dot(t, t)), 1e-9)
        t = scaled(nearness, t)
    across = cross(a, t)
    sine, cosine = math.sqrt(dot(across, across)), dot(a, t)
    left, is_cone = math.atan2(sine, cosine), task.tolerance[0] > 0.0
    if sine <= SMALL_SINE and (is_cone or cosine < 0.0):
        return
    force = (0.0, 0.0, 0.0)
    for i in range(2):
        wrench = workspace.wrenches[row + i]
        force = plus(force, forces[row + i], plus(vector(wrench, 0), -1.0, cross(p, vector(wrench, 3))))
    along = rate = change = 0.0  # of the force per error; derivatives of half its square by the cosine
    if is_cone:
        along = task.weights[0] * forces[row]
        force = (0.0, 0.0, 0.0)
        rate, change = -1.0 / sine, -cosine / (sine * sine * sine)
    elif sine > SMALL_SINE:
        n = scaled(1.0 / sine, across)
        along = dot(force, n) / left if left > 0.0 else 0.0
        force = plus(force, -along * left, n)
        rate, change = -left / sine, (sine - left * cosine) / (sine * sine * sine)
        scale = along / (task.weights[0] * task.weights[0])
        for v in range(H.shape[0]):
            for w in range(H.shape[0]):
                H[v, w] -= scale * (J[row, v] * J[row, w] + J[row + 1, v] * J[row + 1, w])
    j = task.link
    while j >= 0:
        before = j
        while before >= 0:
            for i in range(3 if tree.links[before].kind == SPHERICAL else 1):
                for k in range(3 if tree.links[j].kind == SPHERICAL else 1):
                    first, last = workspace.screws[3 * before + i], workspace.screws[3 * j + k]
                    cu, cw, cuw, across = derivatives(first, last, p, a, t, nearness)
                    total = along * (change * cu * cw + rate * cuw) + dot(force, across)
                    add_change(tree, workspace, before, i, j, k, total)
            before = tree.links[before].parent
        j = tree.links[j].parent


@compiled
def derivatives(
    first: Floats, last: Floats, p: Vector, a: Vector, t: Vector, nearness: float
) -> tuple[float, float, float, Vector]:
    """Of the cosine a . t by two screws of which the first carries the last, and by both; of a x t by both.

    nearness [1/m]: of the point that t leads to from p; 0 where t does not move.
    """
    u, w = vector(first, 0), vector(last, 0)
    pu, pw = plus(vector(first, 3), 1.0, cross(u, p)), plus(vector(last, 3), 1.0, cross(w, p))
    au, aw = cross(u, a), cross(w, a)
    puw, auw = cross(u, pw), cross(u, aw)
    # Of the unit vector along the point less p.
    eu, ew = plus(pu, -dot(t, pu), t), plus(pw, -dot(t, pw), t)
    tu, tw = scaled(-nearness, eu), scaled(-nearness, ew)
    bend = plus(plus(scaled(dot(t, pu), ew), dot(t, pw), eu), dot(eu, ew), t)
    tuw = plus(scaled(-nearness, plus(puw, -dot(t, puw), t)), -nearness * nearness, bend)
    cuw = dot(t, auw) + dot(au, tw) + dot(aw, tu) + dot(a, tuw)
    across = plus(plus(plus(cross(auw, t), 1.0, cross(au, tw)), 1.0, cross(aw, tu)), 1.0, cross(a, tuw))
    return dot(t, au) + dot(a, tu), dot(t, aw) + dot(a, tw), cuw, across


@compiled
def add_change(tree: Tree, workspace: Workspace, before: int, i: int, j: int, k: int, change: float) -> None:
    """Add a second derivative, by velocity i of a joint and k of one that it carries, or of itself."""
    first, last, H = tree.links[before], tree.links[j], workspace.hessian
    v, w = first.v + i, last.v + k
    change *= first.multiplier * tree.units[v] * last.multiplier * tree.units[w]
    if before == j:
        change *= 0.5  # each pair of velocities of one joint is met twice
    H[v, w] += change
    H[w, v] += change
