"""A point on a line as 15 numbers, on which rotations and translations act linearly.

Of a point p and a unit vector l these are the 14 sides of the equations of Raghavan & Roth ("Inverse
kinematics of the general 6R manipulator and related linkages", 1993), and a one:

    l,  p,  p x l,  (p.p) l - 2 (p.l) p,  p.p,  p.l,  1

A rotation turns the four vectors, so the numbers are linear in its cosine and sine; a translation adds to
each what is linear in the others. What follows a chain of joints is therefore linear in the cosine and sine
of each.
"""

from __future__ import annotations

from limbik.compiler.kernel import Floats, compiled

VECTORS = 4
SIZE = 15
SQUARE, ALONG, ONE = 12, 13, 14  # p.p, p.l and the one


@compiled
def line_coordinates(l: Floats, p: Floats, v: Floats) -> None:  # noqa: E741
    """v [15] of a unit vector and a point [3]."""
    square = p[0] * p[0] + p[1] * p[1] + p[2] * p[2]
    along = p[0] * l[0] + p[1] * l[1] + p[2] * l[2]
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        v[i] = l[i]
        v[3 + i] = p[i]
        v[6 + i] = p[j] * l[k] - p[k] * l[j]
        v[9 + i] = square * l[i] - 2.0 * along * p[i]
    v[SQUARE], v[ALONG], v[ONE] = square, along, 1.0


@compiled
def translate(d: Floats, v: Floats, to: Floats) -> None:
    """to [15]: of the point moved by d [3]. The numbers may be arrays, for many lines."""
    square = d[0] * d[0] + d[1] * d[1] + d[2] * d[2]
    along_l = d[0] * v[0] + d[1] * v[1] + d[2] * v[2]
    along_p = d[0] * v[3] + d[1] * v[4] + d[2] * v[5]
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        to[i] = v[i]
        to[3 + i] = v[3 + i] + d[i] * v[ONE]
        to[6 + i] = v[6 + i] + d[j] * v[k] - d[k] * v[j]
        turned = d[j] * v[6 + k] - d[k] * v[6 + j]
        to[9 + i] = v[9 + i] - 2.0 * (turned + v[ALONG] * d[i] + along_l * d[i]) + square * v[i]
    to[SQUARE] = v[SQUARE] + 2.0 * along_p + square * v[ONE]
    to[ALONG] = v[ALONG] + along_l
    to[ONE] = v[ONE]


@compiled
def turned_parts(h: Floats, v: Floats, still: Floats, cosine: Floats, sine: Floats) -> None:
    """Of the line turned about a unit vector h [3] by an angle: still + cosine cos + sine sin, each [15]."""
    for i in range(SIZE):
        still[i] = v[i]
        cosine[i] = 0.0 * v[i]
        sine[i] = 0.0 * v[i]
    for part in range(VECTORS):
        at = 3 * part
        along = h[0] * v[at] + h[1] * v[at + 1] + h[2] * v[at + 2]
        for i in range(3):
            j, k = (i + 1) % 3, (i + 2) % 3
            still[at + i] = along * h[i]
            cosine[at + i] = v[at + i] - along * h[i]
            sine[at + i] = h[j] * v[at + k] - h[k] * v[at + j]
