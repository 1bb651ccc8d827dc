"""`periodic`, `endless`: which numbers of q are angles whose revolutions leave every link where it is."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from limbik.model.joints import HINGES
from limbik.model.model import Model


def periodic(model: Model, frame: str | None = None) -> NDArray[np.bool_]:
    """[nq] which numbers are angles of hinges whose revolutions change no pose, or not that of a frame.

    A hinge that others follow is one where all of these are hinges, too, and turn by whole multiples of it.
    """
    is_periodic = np.zeros(model.nq, dtype=np.bool_)
    for joint in model.joints:
        if joint.kind in HINGES and joint.mimic is None:
            is_periodic[model.q_slice(joint.name)] = True
    for joint in model.joints if frame is None else model.path(frame):
        if joint.mimic and not joint.follows_whole_revolutions:
            is_periodic[model.q_slice(joint.mimic.joint)] = False
    return is_periodic


def endless(model: Model, frame: str | None = None) -> NDArray[np.bool_]:
    """[nq] which numbers are periodic angles without limits: all their revolutions are one value."""
    return np.asarray(periodic(model, frame) & np.isinf(model.lower) & np.isinf(model.upper))
