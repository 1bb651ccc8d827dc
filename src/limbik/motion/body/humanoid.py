"""`humanoid`: finds by names and by structure which link of a model is the hips, which the left upper arm,
and so on.
"""

from __future__ import annotations

import warnings
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from limbik.errors import FormatWarning, ModelError, did_you_mean, is_one_of, mapping_of, shortened
from limbik.formats.motions import Motion
from limbik.model import Model
from limbik.motion.body.find_fingers import find_small_parts
from limbik.motion.body.find_limbs import Limbs, find_limbs
from limbik.motion.body.find_trunk import find_trunk
from limbik.motion.body.hinges import with_hinges
from limbik.motion.body.names import labels
from limbik.motion.body.roles import FINGER_ROLES, ROLES, SIDES
from limbik.motion.body.skeleton import skeleton_of

_LIMB_ROLES = {
    "leg": {"upper": "UpperLeg", "lower": "LowerLeg", "end": "Foot", "last": "Toes"},
    "arm": {"first": "Shoulder", "upper": "UpperArm", "lower": "LowerArm", "end": "Hand"},
}

MIN_VELOCITIES = 4  # two limbs with a joint at the top and one in the middle, each moving on its own


@dataclass(frozen=True, eq=False)
class Humanoid:
    """A model, and which of its frames has which role in a human body.

    Roles are the names of the humanoid bones of VRM 1.0: "hips", "leftUpperLeg", "rightHand" and so on, of
    which `limbik.motion.body.roles.ROLES` has all. Where a joint of the body is several hinges, as in
    robots, the role has the link that carries the bone: the thigh for "leftUpperLeg".
    """

    model: Model
    frames: Mapping[str, str]  # of each role that was found the frame of the model, in the order of ROLES
    found_by: Mapping[str, str]  # of each of these how: "name", "structure: ...", "VRM" or "given"

    @property
    def missing(self) -> tuple[str, ...]:
        """The roles that were not found, in the order of ROLES."""
        return tuple(role for role in ROLES if role not in self.frames)

    def with_(self, roles: Mapping[str, str | None]) -> Humanoid:
        """The same with other frames for some roles; None takes a role away.

        Raises ModelError for a role or a frame that does not exist.
        """
        frames, found_by = dict(self.frames), dict(self.found_by)
        for role, frame in as_roles(roles, "roles").items():
            frames.pop(role, None)
            found_by.pop(role, None)
            if frame is not None:
                frames[role], found_by[role] = self.model.frame(frame).name, "given"
        return _humanoid(self.model, frames, found_by)

    def __str__(self) -> str:
        wide = max((len(role) for role in self.frames), default=0)
        long = max((len(frame) for frame in self.frames.values()), default=0)
        lines = [
            f"{role:<{wide}}  {frame:<{long}}  {self.found_by[role]}" for role, frame in self.frames.items()
        ]
        body = [role for role in self.missing if role not in FINGER_ROLES]
        fingers = len(self.missing) - len(body)
        rest = [*body, *([f"{fingers} bones of fingers"] if fingers else [])]
        return "\n".join([*lines, *([f"not found: {', '.join(rest)}"] if rest else [])])


def as_roles(value: object, name: str) -> Mapping[str, Any]:
    """Frames by role. Raises ModelError for what is no mapping, and for a role that does not exist."""
    frames = mapping_of(value, name, ModelError, "a mapping of roles to frames")
    for role in frames:
        if not is_one_of(role, ROLES):
            raise ModelError(f"{name}: there is no role {shortened(role)}; {did_you_mean(role, ROLES)}")
    return frames


def humanoid(model: Model | Motion) -> Humanoid:
    """Find the parts of a human body in a model: a character, a motion capture or a robot.

        print(limbik.humanoid(limbik.load("g1")))

    model: a Model, looked at in its neutral configuration, or a Motion, in its first frame.

    Names come first, in the words of Mixamo, CMU, Biovision, VRM, Unity, SMPL, Rigify, MakeHuman, Biped,
    Unreal and of robots. Limbs without such names are found by structure: two branches of one link with equal
    bones are legs, two on a link farther from the root arms. The feet point forward, which tells left from
    right; feet that point nowhere go by the axes, where forward is +x if z is up and +z if y is up. Fingers,
    eyes and the jaw are found by names alone.

    A motion from a VRM file has the roles that the file gives.

    Of a part of a body there is what it has. Raises ModelError, which says what is missing, where there are
    neither two legs nor two arms.
    """
    if not isinstance(model, Model | Motion):
        raise ModelError(f"model needs a Model or a Motion, found {shortened(model)}")
    own = model.model if isinstance(model, Motion) else model
    if isinstance(model, Motion) and model.roles:
        own_roles = {role: frame for role, frame in model.roles.items() if role in ROLES}
        for role in sorted(model.roles.keys() - own_roles)[:1]:
            note = f"the VRM has a bone {shortened(role)}, which is none of a human and is left out; "
            warnings.warn(note + did_you_mean(role, ROLES), FormatWarning, stacklevel=2)
        return _humanoid(own, own_roles, dict.fromkeys(own_roles, "VRM"))
    if isinstance(model, Motion):
        model = with_hinges(model)
        skeleton, up = skeleton_of(model.model, model.q[0]), np.eye(3)["xyz".index(model.up)]
    else:
        skeleton, up = skeleton_of(own, own.neutral), None
    named = labels(skeleton.links)
    limbs = find_limbs(skeleton, named, up)
    if own.nv < MIN_VELOCITIES:  # a gripper, whose fingers follow one joint
        raise ModelError(_what_is_missing(own, ()))
    if not len(limbs.both("leg")) == 2 and not len(limbs.both("arm")) == 2:
        raise ModelError(_what_is_missing(own, limbs.of))
    frames, found_by = _limb_roles(limbs)
    for role, (link, reason) in find_trunk(skeleton, named, limbs).items():
        frames[role], found_by[role] = link, reason
    for role, link in find_small_parts(skeleton, named, frames).items():
        frames[role], found_by[role] = link, "name"
    return _humanoid(own, frames, found_by)


def _humanoid(model: Model, frames: Mapping[str, str], found_by: Mapping[str, str]) -> Humanoid:
    ordered = [role for role in ROLES if role in frames]
    return Humanoid(
        model,
        {role: frames[role] for role in ordered},
        {role: found_by[role] for role in ordered},
    )


def _limb_roles(limbs: Limbs) -> tuple[dict[str, str], dict[str, str]]:
    frames, found_by = {}, {}
    for (side, kind), limb in limbs.of.items():
        for part, role in _LIMB_ROLES[kind].items():
            if link := getattr(limb, part):
                frames[f"{side}{role}"], found_by[f"{side}{role}"] = link, limbs.reasons[side, kind]
    return frames, found_by


def _what_is_missing(model: Model, limbs: Collection[tuple[str, str]]) -> str:
    present = [f"the {side} {kind}" for kind in ("leg", "arm") for side in SIDES if (side, kind) in limbs]
    return (
        f"model {model.name!r} is no humanoid: it needs two legs (upper leg, lower leg) or two arms (upper "
        f"arm, lower arm), by name or as two branches of equal bones; "
        f"found {' and '.join(present) if present else 'none of these'}"
    )
