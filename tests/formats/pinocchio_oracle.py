"""Pinocchio reads the same URDF: poses of all links, and masses, by other people's code."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from limbik import Model

pin: Any = pytest.importorskip("pinocchio")


def assert_moves_as_in_pinocchio(model: Model, urdf: Path | str, seeds: tuple[int, ...] = (0, 1, 2)) -> None:
    """Every link's pose equals Pinocchio's to 1e-9 at random configurations; so do mass and center of mass.

    urdf: a path, or a text.
    """
    oracle = pin.buildModelFromUrdf(str(urdf)) if isinstance(urdf, Path) else pin.buildModelFromXML(urdf)
    data = oracle.createData()
    names = [
        frame.name for frame in model.frames if not frame.name.endswith((".x", ".y"))
    ]  # of planar joints
    frames = [oracle.getFrameId(name, pin.FrameType.BODY) for name in names]
    places = [model.frame_names.index(name) for name in names]
    for q in (model.neutral, *(model.random(seed) for seed in seeds)):
        pin.framesForwardKinematics(oracle, data, configuration(oracle, model, q))
        expected = np.array([data.oMf[frame].homogeneous for frame in frames])
        np.testing.assert_allclose(model.forward(q)[places], expected, rtol=0, atol=1e-9)
        assert_masses_agree(model, q, oracle, data)


def configuration(oracle: Any, model: Model, q: np.ndarray) -> np.ndarray:
    """q in Pinocchio's order and form: followers have their own place, unlimited revolute joints are (cos,
    sin).
    """
    out = pin.neutral(oracle)
    for name, joint in zip(oracle.names[1:], oracle.joints[1:], strict=True):
        value = _value(model, str(name), q, joint)
        out[joint.idx_q : joint.idx_q + joint.nq] = value
    return out


def _value(model: Model, name: str, q: np.ndarray, joint: Any) -> Any:
    ours = model.joint(name)
    value = q[model.q_slice(name)]
    if ours.mimic:
        value = ours.mimic.multiplier * value + ours.mimic.offset
    if joint.shortname() == "JointModelPlanar":
        along = [float(q[model.q_slice(f"{name}.{axis}")][0]) for axis in "xy"]
        return [*along, np.cos(value[0]), np.sin(value[0])]
    is_circle = (joint.nq, joint.nv) == (2, 1)
    return [np.cos(value[0]), np.sin(value[0])] if is_circle else value


def assert_masses_agree(model: Model, q: np.ndarray, oracle: Any, data: Any) -> None:
    masses = [inertia.mass for inertia in oracle.inertias]
    assert model.mass == pytest.approx(sum(masses), rel=1e-12, abs=1e-12)
    if sum(masses) > 0.0:
        centers = [place.act(inertia.lever) for place, inertia in zip(data.oMi, oracle.inertias, strict=True)]
        expected = np.average(centers, axis=0, weights=masses)
        np.testing.assert_allclose(model.center_of_mass(q), expected, rtol=0, atol=1e-9)
