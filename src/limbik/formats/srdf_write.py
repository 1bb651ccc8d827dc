"""Writes SRDF with the pairs of links whose collisions are disabled."""

from __future__ import annotations

from collections.abc import Iterable
from xml.sax.saxutils import quoteattr

from limbik.model.pair_rules import PairRule


def write(name: str, rules: Iterable[PairRule]) -> str:
    """The SRDF text of a robot's rules; of those that say to look at a pair nothing is written.

    name: of the robot, which is that of its URDF.
    """
    disabled = [rule for rule in rules if not rule.is_checked]
    lines = [
        '<?xml version="1.0" encoding="utf-8"?>',
        f"<robot name={quoteattr(name)}>",
        *(
            f"  <disable_collisions link1={quoteattr(rule.first)} link2={quoteattr(rule.second)}"
            f" reason={quoteattr(rule.reason.removeprefix('SRDF: '))}/>"
            for rule in disabled
        ),
        "</robot>",
    ]
    return "\n".join(lines) + "\n"
