"""Chooses the default end effector of a model: the tool of the longest arm.

1. The arm is the path with the most joints that move on their own (the first in the file among equals).
2. Its gripper is taken off: the arm ends where it splits into fingers, that is, into branches which each have
   fewer joints than stand before them; and before a joint that is named for a gripper's jaw.
3. Of the links that are fixed to the one at its end, the tool is one that is named so (tcp, tool, grasp, end
   effector, tip, in this order), otherwise the one at the end of the longest line of fixed joints that is not
   named for a sensor or a finger.
4. A frame that is no link, such as a site of an MJCF, comes before these links if it stands on one of them
   and is called tcp or tool: the last one in the file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from limbik.locks import cached_property
from limbik.model import Frame, Joint, JointKind

_JAW = re.compile(r"finger|gripper|jaw|claw|thumb", re.IGNORECASE)
_NO_TOOL = re.compile(r"imu|camera|optical|sensor|laser|lidar|finger|thumb", re.IGNORECASE)
_TOOL_WORDS = ("tcp", "tool", "grasp[a-z]*", "ee|eef|end_?effector", "tip")
_TOOL_FRAME = re.compile(r"(?<![a-z])(tcp|tool)(?![a-z])", re.IGNORECASE)
_TOOLS = [re.compile(rf"(?<![a-z])({words})(?![a-z])", re.IGNORECASE) for words in _TOOL_WORDS]


def default_end_effector(joints: Sequence[Joint], root: str, frames: Sequence[Frame] = ()) -> str:
    """The name of a link, or of one of the frames. joints: of one tree with that root link, in any order."""
    tree = _Tree(joints)
    arm = tree.without_gripper(tree.arm(root))
    if not arm:
        return tree.tool(root)
    return tree.tool_frame(arm[-1].child, frames) or tree.tool(arm[-1].child)


def tips(joints: Sequence[Joint], root: str) -> tuple[str, ...]:
    """The ends of all arms and legs, as links, in the order of the joints: what goals are for at first.

    Each by the rules above, with the path to each moving end instead of the longest arm.
    """
    tree = _Tree(joints)
    ends = [joint for joint in joints if _leads(joint) and tree.length(joint) == 1]
    arms = [tree.without_gripper(tree.arm_to(end.child)) for end in ends]
    return tuple(dict.fromkeys(tree.tool(arm[-1].child) for arm in arms if arm))


class _Tree:
    def __init__(self, joints: Sequence[Joint]) -> None:
        self.mover = {joint.child: joint for joint in joints}
        self.moved_by: dict[str, list[Joint]] = {}  # the joints on each link
        for joint in joints:
            self.moved_by.setdefault(joint.parent, []).append(joint)

    def below(self, link: str, *, fixed_only: bool = False) -> Iterator[tuple[str, int]]:
        """(link, number of joints before it) of a link and of all after it; those before others come first.

        With fixed_only, of the links that are fixed to it, and the number counts fixed joints.
        """
        waiting = [(link, 0)]
        while waiting:
            name, depth = waiting.pop()
            yield name, depth
            for joint in reversed(self.moved_by.get(name, [])):
                if not fixed_only:
                    waiting.append((joint.child, depth + _leads(joint)))
                elif _is_fixed(joint):
                    waiting.append((joint.child, depth + 1))

    def arm(self, root: str) -> list[Joint]:
        """The joints that move on their own, on the path from the root that has most of them."""
        link, _ = max(self.below(root), key=lambda link_and_count: link_and_count[1])
        return self.arm_to(link)

    def arm_to(self, link: str) -> list[Joint]:
        """The joints that move on their own, on the path from the root to a link."""
        path = []
        while link in self.mover:
            if _leads(self.mover[link]):
                path.append(self.mover[link])
            link = self.mover[link].parent
        return path[::-1]

    def without_gripper(self, arm: list[Joint]) -> list[Joint]:
        for count, joint in enumerate(arm, start=1):
            branches = self.moving_on(joint.child)
            if len(branches) > 1 and all(self.length(branch) < count for branch in branches):
                return arm[:count]
        while len(arm) > 1 and _JAW.search(arm[-1].name):
            arm = arm[:-1]
        return arm

    def moving_on(self, link: str) -> list[Joint]:
        """The moving joints, followers too, on a link and on what is fixed to it."""
        return [
            joint
            for name, _ in self.below(link, fixed_only=True)
            for joint in self.moved_by.get(name, [])
            if not _is_fixed(joint)
        ]

    def length(self, branch: Joint) -> int:
        """The most joints that move on their own on a path that begins with `branch`."""
        return _leads(branch) + self._count_below.get(branch.child, 0)

    @cached_property
    def _count_below(self) -> dict[str, int]:
        """The most joints that move on their own on a path that begins with a link, by its name."""
        counts: dict[str, int] = {}
        roots = [link for link in self.moved_by if link not in self.mover]
        for link, _ in reversed([visited for root in roots for visited in self.below(root)]):
            joints = self.moved_by.get(link, [])
            counts[link] = max((_leads(joint) + counts[joint.child] for joint in joints), default=0)
        return counts

    def tool(self, link: str) -> str:
        fixed = list(self.below(link, fixed_only=True))
        ends = [name for name, _ in fixed if not any(map(_is_fixed, self.moved_by.get(name, [])))]
        for pattern in _TOOLS:
            for name in ends:
                if pattern.search(name):
                    return name
        return max(
            fixed, key=lambda name_and_depth: 0 if _NO_TOOL.search(name_and_depth[0]) else name_and_depth[1]
        )[0]

    def tool_frame(self, link: str, frames: Sequence[Frame]) -> str | None:
        """The last frame named for a tool on a link or on what is fixed to it; None without one."""
        fixed = {name for name, _ in self.below(link, fixed_only=True)}
        named = [frame.name for frame in frames if frame.link in fixed and _TOOL_FRAME.search(frame.name)]
        return named[-1] if named else None


def _is_fixed(joint: Joint) -> bool:
    return joint.kind is JointKind.FIXED


def _leads(joint: Joint) -> bool:
    return not _is_fixed(joint) and joint.mimic is None
