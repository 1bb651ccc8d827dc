"""Applies the changes that a page requests to a motion: smoothing, planting feet, dragging."""

from __future__ import annotations

import numpy as np

from limbik.app.motions.grounds import ground_of
from limbik.app.protocol.motion import Change, Clean, Drag, Stand
from limbik.formats.motions import Motion
from limbik.motion.body.anatomy import UPWARD
from limbik.motion.drag import drag
from limbik.motion.feet.plant import plant_feet
from limbik.motion.smoothing import smooth


def changed(motion: Motion, change: Change, before: tuple[Change, ...] = ()) -> Motion:
    """The motion after a change. A link stays where it was put in other frames before.

    Raises LimbikError where that cannot be done.
    """
    if isinstance(change, Clean):
        return smooth(motion, change.method, cutoff_hz=change.cutoff_hz)  # type: ignore[arg-type]
    if isinstance(change, Stand):
        return plant_feet(motion, ground=ground_of(motion, change)[0])
    position = np.array(change.place) @ UPWARD[motion.up]
    frames = {each.frame for each in before if isinstance(each, Drag) and each.link == change.link}
    keep = sorted(frames - {change.frame})
    return drag(motion, change.link, change.frame, position, falloff=change.falloff, keep=keep)


def ground_under(changes: tuple[Change, ...]) -> Stand | None:
    """The ground that the feet were put on last."""
    return next((each for each in reversed(changes) if isinstance(each, Stand)), None)
