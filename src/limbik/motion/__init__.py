"""Motion over time: trackers, paths along poses, and measures of motions.

tracker = limbik.Tracker(model, goals, dt=0.01)
path = limbik.solve_path(model, poses)
limbik.motion.measure(limbik.load_motion("walk.bvh")).foot_slide_cm_s
limbik.motion.plant_feet(limbik.load_motion("walk.bvh")).save("planted.bvh")
limbik.motion.fill_gaps(limbik.load_markers("walk.c3d")).markers.save("filled.trc")
"""

from limbik.motion.aim import Aim, AimSolution
from limbik.motion.articulation import Articulation
from limbik.motion.avatar.avatar import Avatar
from limbik.motion.contacts import ContactRule, detect_contacts, feet_of
from limbik.motion.drag import drag, grips_of
from limbik.motion.feet.ground import Ground
from limbik.motion.feet.plant import plant_feet
from limbik.motion.feet.report import PlantingReport, planting_report
from limbik.motion.feet.soles import Sole, sole_contacts, soles_of
from limbik.motion.hands.hand import Hand, HandSolution
from limbik.motion.hands.retargeter import HandRetargeter
from limbik.motion.limb import Limb, LimbSolution
from limbik.motion.limb_lengths import BoneLength, FittedLimbs, FrameDeviation, fit_limb_lengths
from limbik.motion.markers.calibration import Calibration
from limbik.motion.markers.gaps import FilledMarkers, Gap, fill_gaps
from limbik.motion.markers.solve import Ghost, SolvedMarkers, Swap, solve_markers
from limbik.motion.measures import Measures, measure
from limbik.motion.paths import solve_path
from limbik.motion.picture import picture
from limbik.motion.retargeting import retarget
from limbik.motion.smoothing import smooth
from limbik.motion.spline import Spline, SplineSolution
from limbik.motion.tracker import Tracker

__all__ = [
    "Aim",
    "AimSolution",
    "Articulation",
    "Avatar",
    "BoneLength",
    "Calibration",
    "ContactRule",
    "FilledMarkers",
    "FittedLimbs",
    "FrameDeviation",
    "Gap",
    "Ghost",
    "Ground",
    "Hand",
    "HandRetargeter",
    "HandSolution",
    "Limb",
    "LimbSolution",
    "Measures",
    "PlantingReport",
    "Sole",
    "SolvedMarkers",
    "Spline",
    "SplineSolution",
    "Swap",
    "Tracker",
    "detect_contacts",
    "drag",
    "feet_of",
    "fill_gaps",
    "fit_limb_lengths",
    "grips_of",
    "measure",
    "picture",
    "plant_feet",
    "planting_report",
    "retarget",
    "smooth",
    "sole_contacts",
    "soles_of",
    "solve_markers",
    "solve_path",
]
