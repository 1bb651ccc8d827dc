"""`numerics.least_change` for Python: by machine code, or by Python until there is some."""

from __future__ import annotations

import functools

import numpy as np

from limbik.collision.entries import shapes_of
from limbik.compiler import native
from limbik.compiler.kernel import compiled_text, view
from limbik.compiler.program import Program
from limbik.numerics.least_change import Multipliers, least_change
from limbik.spatial import Array
from limbik.tree.entries import views

ARRAYS = {
    "G": "n_inequalities, nv", "h": "n_inequalities,", "softness": "n_inequalities,", "x": "nv,",
    **shapes_of(Multipliers),
}  # fmt: skip
SIZES = ("n_inequalities", "nv")

changing = compiled_text(
    "changing",
    f"""
def changing({", ".join([*ARRAYS, *SIZES])}):
    least_change(
        {views({name: ARRAYS[name] for name in ("G", "h", "softness")})},
        Multipliers({views(shapes_of(Multipliers))}),
        {views({"x": ARRAYS["x"]})},
    )
    return 0
""",
    {"__name__": __name__, "Multipliers": Multipliers, "least_change": least_change, "view": view},
)


@functools.cache
def changes() -> Program:
    """The shortest step that keeps inequalities: `numerics.least_change`."""
    arguments = (*[np.dtype(np.float64)] * len(ARRAYS), *[None] * len(SIZES))
    return Program(name="changes", kernel=changing, arguments=arguments, is_watched=False)


def shortest_change(G: Array, h: Array, softness: Array) -> Array:
    """The x [n] for which |x|^2 + |s / softness^(1/2)|^2 is least with G x + s >= h; G [m, n].

    softness [m]: above 0.
    """
    m, n = G.shape
    G, h, softness = (np.ascontiguousarray(each, np.float64) for each in (G, h, softness))
    x = np.zeros(n)
    multipliers = Multipliers(*[np.zeros(m) for _ in range(5)], *[np.zeros((m, m)) for _ in range(2)])
    function = native.compiled(changes())
    if function is None:
        least_change.interpreted(G, h, softness, multipliers, x)
    else:
        function(*(each.ctypes.data for each in (G, h, softness, x, *multipliers)), m, n)
    return x
