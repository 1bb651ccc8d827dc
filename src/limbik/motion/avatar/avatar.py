"""`Avatar`: a character that follows trackers of a person: head and hands, or more."""

from __future__ import annotations

import copy
import math
from collections.abc import Mapping
from typing import Any

from numpy.typing import ArrayLike

from limbik.errors import GoalError, is_one_of, shortened
from limbik.formats.motions import Motion
from limbik.model import Model
from limbik.motion.avatar.angles import heading_of
from limbik.motion.avatar.arms import Arms
from limbik.motion.avatar.body import AvatarBody
from limbik.motion.avatar.calibration import calibrated
from limbik.motion.avatar.hips import Hips
from limbik.motion.avatar.legs import Legs
from limbik.motion.avatar.limbs import follow
from limbik.motion.avatar.postures import Posed, posed
from limbik.motion.avatar.trackers import FARTHEST, TrackerCalibration, lifted, read
from limbik.motion.avatar.trunk import bent
from limbik.spatial import Array, Matrix4, as_number, as_vector


class Avatar:
    """A character that follows trackers, from one frame to the next.

        avatar = limbik.motion.Avatar(limbik.load_motion("avatar.vrm"))
        avatar.calibrate(trackers)  # while the person stands with arms to the sides
        for trackers in stream:
            q = avatar.update(trackers, dt=1 / 90)

    body: a Model or a Motion of a character whose hips, shoulders and hips' joints turn freely.
    roles: frames by VRM's names of bones; default: as `limbik.humanoid` finds them.
    ground: height of the ground along the axis that is up [m].

    Trackers are poses [4, 4] by role, in a world with the same axis up as the character's: "head" always, and
    any of "leftHand", "rightHand", "hips", "leftFoot", "rightFoot"; "leftLowerArm" and "leftLowerLeg" (and
    right) are elbows and knees.

    The head comes first, then the hands and the feet; the hips give way. Without a tracker the hips are
    below the head, and feet step when the balance asks for it. All that it remembers of the frames before is
    in this object: the same trackers give the same configurations.

    Raises ModelError for what is no such character.
    """

    def __init__(
        self, body: Model | Motion, *, roles: Mapping[str, str] | None = None, ground: float = 0.0
    ) -> None:
        self._body = AvatarBody(body, roles)
        needed = f"a height up to {FARTHEST:g} [m]"
        self.ground = as_number(ground, "ground", needed, GoalError)
        if abs(self.ground) > FARTHEST:
            raise GoalError(f"ground needs {needed}, found {self.ground:g}")
        self._calibration: TrackerCalibration | None = None
        self._begin(posed(self._body, "standing"))

    def __copy__(self) -> Avatar:
        return copy.deepcopy(self)

    def _begin(self, stands: Posed) -> None:
        """Forget all frames."""
        self._q = self._body.anatomy.upright.copy()
        self._hips: Hips | None = None
        self._arms = Arms(self._body)
        self._legs = Legs(self._body, stands, self.ground)

    @property
    def model(self) -> Model:
        """The model of the character, with hips that go anywhere."""
        return self._body.model

    @property
    def q(self) -> Array:
        """The configuration [nq] of the last update."""
        return self._q.copy()

    @property
    def calibration(self) -> TrackerCalibration | None:
        """What the last calibration has found."""
        return self._calibration

    def calibrate(
        self, trackers: Mapping[str, ArrayLike], posture: Any = "T", *, scale: float | None = None
    ) -> TrackerCalibration:
        """Begin, with a person who stands in a known posture on the ground.

        posture: "T" with arms to the sides, "standing" with arms down, or a configuration q [nq] of the
        character. scale: size of the person beside that of the character; default: by the height of the
        head's tracker, which counts as that of the eyes where the character has some.

        What is found is the size, the length of the arms beside the character's, and where each bone is
        in its tracker. Trackers that are passed here have to be there in all updates.

        Raises GoalError for what is no posture, and for trackers that are missing or no poses.
        """
        if not isinstance(posture, str):
            posture = as_vector(posture, self.model.nq, "posture", error=GoalError)
        elif not is_one_of(posture, ("T", "standing")):
            raise GoalError(f"posture needs 'T', 'standing' or q [nq], found {shortened(posture)}")
        if scale is not None:
            scale = as_number(scale, "scale", "a positive number", GoalError)
        poses = read(trackers, ("head",))
        stands = posed(self._body, posture)
        self._calibration = calibrated(self._body, stands, poses, scale, self.ground)
        self._begin(stands)
        return self._calibration

    def update(self, trackers: Mapping[str, ArrayLike], dt: float) -> Array:
        """The configuration [nq] that follows the trackers, dt [s] after the update before.

        Raises GoalError before a calibration, and for trackers that are missing or no poses; then nothing has
        changed.
        """
        if self._calibration is None:
            raise GoalError("an avatar needs `calibrate` before `update`")
        seconds = as_number(dt, "dt", "a time [s], not negative", GoalError)
        if not 0.0 <= seconds < math.inf:
            raise GoalError(f"dt needs a time [s], not negative, found {shortened(dt)}")
        calibration = self._calibration
        poses = read(trackers, tuple(calibration.offsets))
        if others := [role for role in poses if role not in calibration.offsets]:
            raise GoalError(f"the tracker {others[0]!r} was not there when the avatar was calibrated")
        seen = lifted(poses, self._body.anatomy.upward, calibration.scale, self.ground)
        self._q = self._followed(seen, calibration, seconds)
        return self._q.copy()

    def _followed(self, seen: Mapping[str, Matrix4], calibration: TrackerCalibration, dt: float) -> Array:
        body = self._body
        bones = {role: pose @ calibration.offsets[role] for role, pose in seen.items()}
        head = bones["head"]
        face = head[:3, :3] @ body.axes["head"]
        if "hips" in bones:
            pelvis = bones["hips"]
            axes = pelvis[:3, :3] @ body.axes["hips"]
            trunk, positions = bent(body, axes, face, pelvis[:3, 3], head[:3, 3])
        else:
            if self._hips is None:
                self._hips = Hips(heading_of(face))
            height = head[2, 3] - self.ground
            sunk = max(0.0, 1.0 - height / calibration.head_height)
            trunk, positions = bent(body, self._hips.turn(face, sunk, dt), face, None, None)
            positions = self._hips.seated(positions, trunk, face, height - body.seat, dt)
        positions += head[:3, 3] - positions[-1]  # the head is where it is to be, and the hips give way
        rotations = body.rig.rest_rotations.copy()
        rotations[: len(trunk)] = trunk
        aims = self._arms.aims(seen, bones, calibration.arm_ratio, rotations, positions, dt)
        aims |= self._legs.aims(bones, rotations, positions, dt)
        follow(body, aims, rotations)
        return body.rig.configuration(self._q, positions[0], rotations)
