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
        names = [name for name in aims if _is_hinge(body, body.limbs[name]) == is_hinge]
        if not names:
            continue
        problems = np.array([_problem(body, body.limbs[name], aims[name]) for name in names])
        answers = two_bone_turns(problems, np.array([float(is_hinge), 1.0, 0.0, 0.0]))
        roots = quat_to_matrix(answers[:, two_bone.TURN_ROOT : two_bone.TURN_ROOT + 4])
        mids = quat_to_matrix(answers[:, two_bone.TURN_MID : two_bone.TURN_MID + 4])
        for name, root, mid in zip(names, roots, mids, strict=True):
            limb, aim = body.limbs[name], aims[name]
            turns[limb.root] = root @ aim.carried @ body.rig.turns[limb.root]
            turns[limb.mid] = root @ mid @ aim.carried @ body.rig.turns[limb.mid]
            turns[limb.tip] = aim.turn


def _is_hinge(body: Body, limb: Limb) -> bool:
    return body.rig.groups[limb.mid].freedom == 1


def _problem(body: Body, limb: Limb, aim: Aim) -> Array:
    problem = np.zeros(two_bone.ROW)
    upper = aim.carried @ (body.rig.turns[limb.root] @ limb.upper)
    lower_turn = aim.carried @ body.rig.turns[limb.mid]
    mid = aim.root + upper
    for begin, value in (
        (two_bone.ROOT, aim.root),
        (two_bone.MID, mid),
        (two_bone.TIP, mid + lower_turn @ limb.lower),
        (two_bone.TARGET, aim.target),
        (two_bone.AXIS, lower_turn @ limb.axis),
        (two_bone.POLE, aim.pole),
    ):
        problem[begin : begin + 3] = value
    problem[two_bone.LEAST], problem[two_bone.MOST] = limb.room
    return problem
