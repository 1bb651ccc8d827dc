"""Motion over time: trackers, and paths along poses.

tracker = limbik.Tracker(model, goals, dt=0.01)
path = limbik.solve_path(model, poses)
"""

from limbik.model.model import Motions, move_by
from limbik.motion.paths import solve_path
from limbik.motion.tracker import Tracker

__all__ = ["Tracker", "solve_path"]

move_by(Motions(Tracker, solve_path))
