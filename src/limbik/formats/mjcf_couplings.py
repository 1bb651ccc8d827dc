"""Equality constraints of MJCF that are linear in at most two joints, as mimic rules and constants."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from limbik.errors import ModelError
from limbik.model.joints import Mimic


@dataclass
class Couplings:
    """By MuJoCo's number of the joint: the rule that it follows, or the value that it keeps."""

    mimic: dict[int, Mimic] = field(default_factory=dict)
    constant: dict[int, float] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)  # what the model does not hold


def couplings(mj: Any, joint_names: Sequence[str]) -> Couplings:
    """The active equalities of a compiled model, none where a <flag> disables them.

    `joint` and `tendon` equalities say y - y0 = a0 + a1 (x - x0) + ..., where y and x are joints or linear
    combinations of joints (fixed tendons) and y0, x0 their values at qpos0.
    """
    import mujoco

    result = Couplings()
    if mj.opt.disableflags & mujoco.mjtDisableBit.mjDSBL_EQUALITY:
        return result
    leaders: dict[int, int] = {}  # of the followers
    for k in range(mj.neq):
        if not mj.eq_active0[k]:
            continue
        terms = _linear_terms(mj, k)
        problem = None
        if terms is None:
            problem = "is not a linear coupling of joints"
        elif len(terms.factors) > 2:
            problem = f"couples {len(terms.factors)} joints, and a joint can follow only one"
        elif not _keep(terms, result, leaders, joint_names):
            problem = "is on joints that other equalities couple already"
        if problem:
            result.notes.append(f"{_described(mj, k)} {problem}; the model does not keep it")
    return result


@dataclass(frozen=True)
class _Terms:
    """The sum of factor * value over joints is `total`. Joints in the order in which they should follow."""

    factors: dict[int, float]
    total: float


def _linear_terms(mj: Any, k: int) -> _Terms | None:
    import mujoco

    kind = mujoco.mjtEq(int(mj.eq_type[k]))
    if kind not in (mujoco.mjtEq.mjEQ_JOINT, mujoco.mjtEq.mjEQ_TENDON):
        return None
    polynomial = mj.eq_data[k, :5]
    if not all(map(math.isfinite, polynomial)):
        raise ModelError(f"polycoef of an equality needs finite numbers, has {polynomial.tolist()}")
    first, second = int(mj.eq_obj1id[k]), int(mj.eq_obj2id[k])
    if second >= 0 and polynomial[2:].any():
        return None
    of_object = _of_joint if kind == mujoco.mjtEq.mjEQ_JOINT else _of_tendon
    factors = of_object(mj, first)
    led = of_object(mj, second) if second >= 0 else {}
    if factors is None or led is None:
        return None
    for joint, factor in led.items():
        factors[joint] = factors.get(joint, 0.0) - polynomial[1] * factor
    factors = {joint: factor for joint, factor in factors.items() if factor != 0.0}
    reference = sum(factor * mj.qpos0[mj.jnt_qposadr[joint]] for joint, factor in factors.items())
    return _Terms(factors, float(polynomial[0] + reference))


def _of_joint(mj: Any, joint: int) -> dict[int, float]:
    return {joint: 1.0}


def _of_tendon(mj: Any, tendon: int) -> dict[int, float] | None:
    """The joints of a fixed tendon, the last one first: it follows the others. None for a spatial one."""
    import mujoco

    start, count = mj.tendon_adr[tendon], mj.tendon_num[tendon]
    factors: dict[int, float] = {}
    for k in reversed(range(start, start + count)):
        if mujoco.mjtWrap(int(mj.wrap_type[k])) != mujoco.mjtWrap.mjWRAP_JOINT:
            return None
        joint = int(mj.wrap_objid[k])
        factors[joint] = factors.get(joint, 0.0) + float(mj.wrap_prm[k])
    return factors


def _keep(terms: _Terms, result: Couplings, leaders: dict[int, int], names: Sequence[str]) -> bool:
    """Write the coupling down; False where each of its joints is led by another already."""
    joints = list(terms.factors)
    if not joints:
        return True  # it says nothing
    if len(joints) == 1:
        if joints[0] in leaders or joints[0] in result.constant:
            return False
        result.constant[joints[0]] = terms.total / terms.factors[joints[0]]
        return True
    for follower, leader in (joints, joints[::-1]):
        if follower in leaders or follower in result.constant or _first_leader(leader, leaders) == follower:
            continue
        factor = terms.factors[follower]
        leaders[follower] = leader
        result.mimic[follower] = Mimic(
            joint=names[leader], multiplier=-terms.factors[leader] / factor, offset=terms.total / factor
        )
        return True
    return False


def _first_leader(joint: int, leaders: dict[int, int]) -> int:
    while joint in leaders:
        joint = leaders[joint]
    return joint


def _described(mj: Any, k: int) -> str:
    import mujoco

    tag = mujoco.mjtEq(int(mj.eq_type[k])).name.removeprefix("mjEQ_").lower()
    of_kind = {"joint": mujoco.mjtObj.mjOBJ_JOINT, "tendon": mujoco.mjtObj.mjOBJ_TENDON}
    object_kind = int(of_kind.get(tag, mj.eq_objtype[k]))
    numbers = [int(number) for number in (mj.eq_obj1id[k], mj.eq_obj2id[k]) if number >= 0]
    names = [mujoco.mj_id2name(mj, object_kind, number) for number in numbers]
    between = " and ".join(repr(name) for name in names if name)
    own = mj.equality(k).name
    return f"equality <{tag}{f' name={own!r}' if own else ''}>" + (f" of {between}" if between else "")
