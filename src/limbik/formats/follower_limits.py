"""Removes limits of mimic joints that contradict their leader's."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from limbik.model import Joint
from limbik.model.followers import rules_on_first_leaders


def without_contradicting_limits(joints: Sequence[Joint]) -> tuple[list[Joint], list[str]]:
    """The joints without those limits of followers that leave their leader no range, and a remark on each.

    joints: with mimic rules on joints that are among them, not in a circle.
    """
    rules = rules_on_first_leaders(joints)
    by_name = {joint.name: joint for joint in joints}
    ranges = {joint.name: (joint.lower, joint.upper) for joint in joints}
    remarks = []
    for joint in joints:
        if joint.mimic is None or not joint.has_limits:
            continue
        rule = rules[joint.name]
        leader = rule.joint
        needed_lower, needed_upper = sorted((rule.leading(joint.lower), rule.leading(joint.upper)))
        lower, upper = ranges[leader]
        narrowed = max(lower, needed_lower), min(upper, needed_upper)
        if narrowed[0] > narrowed[1] or (lower < upper and narrowed[0] == narrowed[1]):
            by_name[joint.name] = replace(joint, lower=-math.inf, upper=math.inf)
            remarks.append(
                f"joint {joint.name!r} follows {leader!r}, and its limits {joint.lower:g} to {joint.upper:g} "
                f"would leave that one no range; its limits are not looked at"
            )
        else:
            ranges[leader] = narrowed
    return [by_name[joint.name] for joint in joints], remarks
