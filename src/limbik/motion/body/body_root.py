"""`body_root`: the link at which a body begins, which may stand on a root that is none of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from limbik.errors import ModelError
from limbik.formats.motions import Motion
from limbik.model import Model
from limbik.motion.body.humanoid import humanoid
from limbik.motion.body.roles import SIDES

HELD_ROLES = ("Hand", "Foot")


def hands_and_feet(motion: Motion) -> list[str]:
    """Those of a humanoid; of other skeletons all links at an end."""
    try:
        frames = humanoid(motion).frames
    except ModelError:
        parents = {joint.parent for joint in motion.model.joints}
        return [link for link in motion.links if link not in parents]
    return [frames[side + role] for role in HELD_ROLES for side in SIDES if side + role in frames]


def root_links(motion: Motion) -> frozenset[str]:
    """The links that go anywhere, at which no bone ends: the hips, and what carries them."""
    model = motion.model
    above = {joint.child for joint in model.path(body_root(model, hands_and_feet(motion)))}
    return frozenset(above | {joint.name for joint in motion.hierarchy or () if joint.parent < 0})


def body_root(model: Model, ends: Sequence[str]) -> str:
    """The link that carries the whole body, as hips do: also where a root on the floor carries them, such as
    "Reference" or "root" of a capture or a game engine.

    ends: feet, or all ends. From the root of the model down to the last link that parts, while one link
    carries all of the ends and more than half of the links.
    """
    paths = [[joint.child for joint in model.path(end)] for end in ends]
    carried = Counter(above.child for joint in model.joints for above in model.path(joint.child))
    branches = Counter(joint.parent for joint in model.joints)
    carried[model.root] = len(model.joints)
    at = root = model.root
    for links in zip(*paths, strict=False):
        if len(set(links)) > 1 or 2 * carried[links[0]] <= carried[at]:
            break
        at = links[0]
        if branches[at] > 1:
            root = at
    return root
