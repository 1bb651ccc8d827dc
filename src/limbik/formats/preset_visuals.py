"""Visual shapes for preset robots, from another description of the same robot."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from limbik.formats.preset_links import standing
from limbik.formats.visual import Visual
from limbik.model import Model


def dressed(model: Model, other: Model, visuals: Sequence[Visual]) -> tuple[Visual, ...] | None:
    """The other model's shapes on the links of this one; None where the two do not move alike."""
    carriers = standing(model, other, {visual.link for visual in visuals})
    if carriers is None:
        return None
    return tuple(
        dataclasses.replace(
            visual,
            link=carriers[visual.link][0],
            pose_link_visual=carriers[visual.link][1] @ visual.pose_link_visual,
        )
        for visual in visuals
    )
