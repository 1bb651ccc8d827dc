"""What moves: joints, frames, models, and how to make them."""

from limbik.model.build import ModelBuilder, ball_arm, planar_arm
from limbik.model.euler import EulerLimits
from limbik.model.joints import Frame, Joint, JointKind, Mass, Mimic
from limbik.model.model import Model
from limbik.model.presets import load

__all__ = [
    "EulerLimits",
    "Frame",
    "Joint",
    "JointKind",
    "Mass",
    "Mimic",
    "Model",
    "ModelBuilder",
    "ball_arm",
    "load",
    "planar_arm",
]
