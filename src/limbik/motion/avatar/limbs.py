"""Arms and legs of an avatar, all in closed form at once (`two_bone`)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from limbik.motion import two_bone
from limbik.motion.avatar.body import Body, Limb
from limbik.motion.batches import two_bone_turns
from limbik.spatial import Array, Matrix3, quat_to_matrix


class Aim(NamedTuple):
    """Where a limb is to go."""

    root: Array  # [3, m] where it hangs
    carried: Matrix3  # turn in the world of what it hangs on, from rest
    target: Array  # [3, m] of the joint at its tip
    turn: Matrix3  # [3, 3] of the tip's link in the world
    pole: Array  # [3] a point on the side on which the middle is


def follow(body: Body, aims: Mapping[str, Aim], turns: Array) -> None:
    """Write the turns of the limbs' links into `turns` [n, 3, 3]."""
    for is_hinge in (False, True):
        names = [name for name in aims if body.limbs[name].is_hinge == is_hinge]
        if not names:
            continue
        problems = np.array([_problem(body.limbs[name], aims[name]) for name in names])
        answers = two_bone_turns(problems, np.array([float(is_hinge), 1.0, 0.0, 0.0]))
        made = quat_to_matrix(answers[:, : two_bone.FACTOR].reshape(-1, 2, 4))
        made[:, 1] = made[:, 0] @ made[:, 1]
        carried = np.array([aims[name].carried for name in names])[:, None]
        places = np.array([(body.limbs[name].root, body.limbs[name].mid) for name in names])
        turns[places] = made @ carried @ body.rig.turns[places]
        for name in names:
            turns[body.limbs[name].tip] = aims[name].turn


def _problem(limb: Limb, aim: Aim) -> Array:
    problem = np.zeros(two_bone.ROW)
    upper, lower, axis = (aim.carried @ limb.rest).T
    problem[two_bone.ROOT : two_bone.ROOT + 3] = aim.root
    problem[two_bone.MID : two_bone.MID + 3] = aim.root + upper
    problem[two_bone.TIP : two_bone.TIP + 3] = aim.root + upper + lower
    problem[two_bone.TARGET : two_bone.TARGET + 3] = aim.target
    problem[two_bone.AXIS : two_bone.AXIS + 3] = axis
    problem[two_bone.POLE : two_bone.POLE + 3] = aim.pole
    problem[two_bone.LEAST], problem[two_bone.MOST] = limb.room
    return problem
