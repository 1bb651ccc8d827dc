"""`Followers`: values and velocities of mimic joints (URDF, MuJoCo); resolves rules on followers and narrows
the limits of leaders.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from limbik.errors import ModelError, did_you_mean, listed
from limbik.model.joints import SCALAR, Joint, JointKind, Mimic
from limbik.spatial import Array


class Followers:
    """The values of the joints that follow, as linear functions of q.

    joints: resolved, see `resolved`. q_starts, v_starts: where the parts of joints lie.
    """

    def __init__(self, joints: Sequence[Joint], q_starts: Sequence[int], v_starts: Sequence[int]) -> None:
        indices = {joint.name: k for k, joint in enumerate(joints)}
        rules = [joint.mimic for joint in joints if joint.mimic]
        leaders = [indices[rule.joint] for rule in rules]
        self.count = len(rules)
        self.nv = v_starts[-1]
        self.leading_q = np.array([q_starts[k] for k in leaders], dtype=np.intp)
        self.multiplier = np.array([rule.multiplier for rule in rules])
        self.offset = np.array([rule.offset for rule in rules])
        self.rates = np.zeros((self.count, self.nv))  # of the followers, for the rates v
        self.rates[np.arange(self.count), [v_starts[k] for k in leaders]] = self.multiplier

    def append(self, q: Array) -> Array:
        """q [..., nq] with the followers' values behind it [..., nq + count]."""
        if not self.count:
            return q
        return np.concatenate([q, self.multiplier * q[..., self.leading_q] + self.offset], axis=-1)

    def fold(self, columns: Array) -> Array:
        """A Jacobian's columns [..., nv + count], where each follower has its own, for v alone [..., nv]."""
        if not self.count:
            return columns
        return np.asarray(columns[..., : self.nv] + columns[..., self.nv :] @ self.rates)


def resolved(joints: Sequence[Joint]) -> tuple[Joint, ...]:
    """The joints with every mimic rule on a joint that does not follow, and with the leaders' limits narrowed
    to what keeps their followers within theirs.

    A continuous joint whose followers have limits becomes a revolute one. Raises ModelError for a leader that
    is unknown or cannot lead, for rules in a circle, and where no value of the leader is left.
    """
    rules = rules_on_first_leaders(joints)
    by_name = {
        joint.name: replace(joint, mimic=rules[joint.name]) if joint.mimic else joint for joint in joints
    }
    for joint in joints:
        follower = by_name[joint.name]
        if follower.mimic and follower.has_limits:
            by_name[follower.mimic.joint] = _narrowed(by_name[follower.mimic.joint], follower, follower.mimic)
    return tuple(by_name[joint.name] for joint in joints)


def value_range(joint: Joint, leader: Joint) -> tuple[float, float]:
    """The smallest and greatest value [rad or m] that a follower takes within the limits of its leader."""
    if joint.mimic is None:
        return joint.lower, joint.upper
    low, high = sorted((joint.mimic.value(leader.lower), joint.mimic.value(leader.upper)))
    return low, high


def rules_on_first_leaders(joints: Sequence[Joint]) -> dict[str, Mimic]:
    """The rule of each joint that follows, made one on the joint at the end of its line of leaders.

    Raises ModelError for a leader that is unknown or cannot lead, and for rules in a circle.
    """
    by_name = {joint.name: joint for joint in joints}
    rules: dict[str, Mimic] = {}
    for joint in joints:
        line: dict[str, Mimic] = {}  # of the joint and its leaders, whose rules are not known yet
        while joint.mimic and joint.name not in rules:
            if joint.name in line:
                raise ModelError(f"joints follow each other in a circle: {circle_of(line, joint.name)}")
            line[joint.name] = joint.mimic
            joint = _leader(joint, joint.mimic, by_name)
        for name, rule in reversed(line.items()):
            before = rules.get(rule.joint)
            rules[name] = _through(rule, before) if before else rule
    return rules


def circle_of(walked: Iterable[str], name: str) -> str:
    """The joints of a circle for a message: those that were walked since `name`, which came again."""
    names = list(walked)
    return listed(itertools.chain(names[names.index(name) :], [name]), between=" -> ")


def _through(rule: Mimic, before: Mimic) -> Mimic:
    """A rule on a joint that itself follows by the rule `before`, as one on that one's leader."""
    multiplier = rule.multiplier * before.multiplier
    return Mimic(joint=before.joint, multiplier=multiplier, offset=rule.value(before.offset))


def _leader(joint: Joint, rule: Mimic, by_name: dict[str, Joint]) -> Joint:
    if rule.joint not in by_name:
        hint = did_you_mean(rule.joint, [name for name in by_name if name != joint.name])
        raise ModelError(f"joint {joint.name!r} follows the unknown joint {rule.joint!r}; {hint}")
    leader = by_name[rule.joint]
    if leader.kind not in SCALAR:
        raise ModelError(
            f"joint {joint.name!r} follows {leader.name!r}, a {leader.kind.value} joint; "
            "revolute, continuous and prismatic ones can lead"
        )
    return leader


def _narrowed(leader: Joint, follower: Joint, rule: Mimic) -> Joint:
    """The leader with the limits that also keep the follower within its own."""
    low, high = sorted((rule.leading(follower.lower), rule.leading(follower.upper)))
    if max(low, leader.lower) > min(high, leader.upper):
        raise ModelError(
            f"joint {follower.name!r} follows {leader.name!r}, and their limits leave no value: "
            f"{leader.name!r} has {leader.lower:g} to {leader.upper:g}, {follower.name!r} needs it in "
            f"{low:g} to {high:g}"
        )
    kind = JointKind.REVOLUTE if leader.kind is JointKind.CONTINUOUS else leader.kind
    return replace(leader, kind=kind, lower=max(low, leader.lower), upper=min(high, leader.upper))
