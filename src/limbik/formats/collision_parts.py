"""Collision pair rules from an SRDF; and collision shapes of a built-in robot, moved onto its links from
another description of it.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable

from limbik.formats import srdf
from limbik.formats.preset_links import standing
from limbik.formats.registry import Description
from limbik.formats.source import SourceLike
from limbik.model import Model
from limbik.model.pair_rules import PairRule
from limbik.model.shapes import LinkShape


def rules_of(source: SourceLike, model: Model) -> list[PairRule]:
    """The pairs that an SRDF says not to look at.

    Raises FormatError for links that the model does not have.
    """
    return _rules(srdf.disabled_collisions(source, model))


def known_rules(source: SourceLike, names: Iterable[str]) -> list[PairRule]:
    """The pairs that an SRDF says not to look at, as far as there are such names."""
    known = set(names)
    pairs = srdf.disabled_collisions(source)
    return _rules([pair for pair in pairs if {pair.link1, pair.link2} <= known])


def preset_parts(
    model: Model, other: Model, description: Description
) -> tuple[list[LinkShape], list[PairRule]]:
    """The shapes of another model of the same robot on the links of one that limbik brings along, named as
    the links that they come from; and rules about them. None of either where the two do not move alike.
    """
    carriers = standing(model, other, {shape.link for shape in other.shapes})
    if carriers is None:
        return [], []
    shapes = [
        dataclasses.replace(
            shape,
            link=carriers[shape.link][0],
            pose_link_shape=carriers[shape.link][1] @ shape.pose_link_shape,
        )
        for shape in other.shapes
    ]
    named = [shape.name for shape in shapes]
    return shapes, [] if description.srdf is None else known_rules(description.srdf, named)


def _rules(pairs: Iterable[srdf.DisabledPair]) -> list[PairRule]:
    return [
        PairRule(
            first=pair.link1,
            second=pair.link2,
            is_checked=False,
            reason=f"SRDF: {pair.reason}" if pair.reason else "SRDF",
        )
        for pair in pairs
        if pair.link1 != pair.link2
    ]
