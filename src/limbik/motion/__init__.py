"""Motion over time.

tracker = limbik.Tracker(model, goals, dt=0.01)
"""

from limbik.model.model import track_by
from limbik.motion.tracker import Tracker

__all__ = ["Tracker"]

track_by(Tracker)
