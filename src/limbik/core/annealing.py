"""Random offsets, ever smaller, from the best configuration of a search that is stuck."""

from __future__ import annotations

from limbik.core.compiled import Floats, compiled
from limbik.core.desk import Tree
from limbik.core.whole_body import begin_elsewhere

COOLING = 0.95  # of the amplitude, from one offset to the next


@compiled(inline=False)
def scatter(tree: Tree, settings: Floats, best: Floats, amplitude: float, q: Floats) -> None:
    """q [nq]: every joint a share, the amplitude, of the way from `best` to a random place within its limits;
    what is locked stays.
    """
    begin_elsewhere(tree, settings, best, amplitude, q)
