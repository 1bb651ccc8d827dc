"""`smooth`: removes jitter from motions, by filters of SciPy and the One Euro filter."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from limbik.errors import FormatWarning, GoalError, ModelError, is_one_of, shortened
from limbik.formats.motions import Motion, as_motion
from limbik.model import JointKind, Model
from limbik.motion.articulation import Articulation, put
from limbik.motion.hinge_angles import MAX_HINGES
from limbik.spatial import Array, as_number, norm, quat_from_matrix, quat_to_matrix

Filter = Literal["butterworth", "savitzky-golay", "one-euro"]

ORDER = 2  # of the Butterworth filter, which runs forth and back
LOWEST = 1e-5  # of the frame rate: below it filters of doubles are rounding alone
POLYNOMIAL = 3  # degree of those that Savitzky and Golay fit
WINDOW = 0.9  # length of their window beside that of a period of the cutoff
SPEED_CUTOFF = 1.0  # [Hz] of the speed, by which the One Euro filter is opened
FLIP = math.radians(120.0)  # turn from frame to frame that is none of a body
OPENING = 0.5  # [Hz per rad/s or m/s] by which it is


def smooth(motion: Motion, method: Filter = "butterworth", *, cutoff_hz: float = 6.0) -> Motion:
    """The motion without what is faster than a frequency, within the joint limits.

    method: "butterworth", forth and back, so that nothing is late (Winter 2009, section 3.4.4.2);
    "savitzky-golay" (1964), which keeps the height of short peaks better, with a window to suit the cutoff;
    or "one-euro" (Casiez, Roussel & Vogel 2012), which looks at no later frame, as live filters have to: slow
    moves are smoothed by the cutoff, fast ones less, and come a little late.
    cutoff_hz: 6 for walking, 10 to 12 for running and throwing.

    Angles are taken without revolutions, and quaternions by their numbers; the three angles of a joint of BVH
    as a rotation, because they jump where it stays. A joint that turns by more than 120 degrees from one
    frame to the next is told in a warning: it may be a mistake of the capture, which smoothing would spread.
    Smoothed feet slide: `plant_feet` comes after it.

    Raises GoalError for another method or a cutoff that the frame rate does not hold, and ModelError for a
    motion that is too short.
    """
    motion = as_motion(motion)
    if not is_one_of(method, get_args(Filter)):
        raise GoalError(f"method needs one of {', '.join(get_args(Filter))}, found {shortened(method)}")
    highest = 0.5 / motion.dt
    lowest = LOWEST / motion.dt
    needed = f"a frequency above {lowest:g} Hz and below half the frame rate, {highest:g} Hz"
    cutoff = as_number(cutoff_hz, "cutoff_hz", needed, GoalError)
    if not lowest < cutoff < highest:
        raise GoalError(f"cutoff_hz needs {needed}, found {cutoff:g}")
    q = _unrolled(motion)
    for vectors in _vectors(motion.model):
        smoothed = _FILTERS[method](q[:, vectors], motion.dt, cutoff)
        is_rotation = vectors.shape[1] == 4
        q[:, vectors] = smoothed / norm(smoothed)[..., None] if is_rotation else smoothed
    for group in Articulation(motion).groups if motion.hierarchy is not None else ():
        if len(group.axes) == MAX_HINGES:
            rotations = _continuous(quat_from_matrix(group.rotation_at(motion.q)))
            _note_flips(motion, group.link, rotations)
            smoothed = _FILTERS[method](rotations, motion.dt, cutoff)
            q[:, group.hinge_indices] = motion.q[:, group.hinge_indices]
            put(motion.model, group, q, quat_to_matrix(smoothed / norm(smoothed)[:, None]))
    return replace(motion, q=motion.model.clip(q))


def _vectors(model: Model) -> Iterator[NDArray[np.intp]]:
    """Indices in q of vectors to filter: angles and travels [n, 1], positions [n, 3], quaternions [n, 4]."""
    whole = [model.q_slice(joint.name) for joint in model.joints if joint.nq]
    parts = [part for each in whole for part in np.split(np.arange(each.start, each.stop), [-4]) if len(part)]
    for width in (1, 3, 4):
        if vectors := [part for part in parts if len(part) == width]:
            yield np.array(vectors)


def _unrolled(motion: Motion) -> Array:
    """The configurations [T, nq] without jumps of revolutions, and with quaternions of one sign."""
    q = motion.q.copy()
    for joint in motion.model.joints:
        if not joint.nq:
            continue
        q_slice = motion.model.q_slice(joint.name)
        if joint.nq >= 4:
            part = slice(q_slice.stop - 4, q_slice.stop)
            q[:, part] = _continuous(q[:, part])
        elif joint.kind is not JointKind.PRISMATIC and not joint.has_limits:
            q[:, q_slice] = np.unwrap(q[:, q_slice], axis=0)
    return q


def _continuous(rotations: Array) -> Array:
    """Quaternions [T, 4] with the signs by which each is nearest to the one before."""
    turned = np.sum(rotations[1:] * rotations[:-1], axis=1) < 0.0
    signs = np.append(1.0, np.where(np.cumsum(turned) % 2, -1.0, 1.0))
    return np.asarray(signs[:, None] * rotations)


def _note_flips(motion: Motion, link: str, rotations: Array) -> None:
    """Warn of the greatest turn [T, 4] from frame to frame where it is a flip."""
    if len(rotations) < 2:
        return
    steps = 2.0 * np.arccos(np.clip(np.sum(rotations[1:] * rotations[:-1], axis=1), -1.0, 1.0))
    frame = int(steps.argmax())
    if steps[frame] > FLIP:
        count = int((steps > FLIP).sum())
        more = f", and {count - 1} more times" if count > 1 else ""
        turn = f"turns by {np.degrees(steps[frame]):.0f} degrees"
        note = f"{link!r} {turn} from frame {frame} to {frame + 1}{more}"
        warnings.warn(f"{note}: smoothing spreads what may be a flip", FormatWarning, stacklevel=3)


def _butterworth(q: Array, dt: float, cutoff: float) -> Array:
    from scipy.signal import butter, sosfiltfilt  # slow to import

    # Twice the filter takes its cutoff lower: Winter's correction.
    corrected = min(cutoff / (math.sqrt(2.0) - 1.0) ** (0.5 / ORDER), 0.49 / dt)
    sections = butter(ORDER, corrected, fs=1.0 / dt, output="sos")
    padding = min(len(q) - 1, 3 * math.ceil(1.0 / (dt * cutoff)))
    if padding < 1:
        raise _too_short(len(q), 2)
    return np.asarray(sosfiltfilt(sections, q, axis=0, padlen=padding))


def _savitzky_golay(q: Array, dt: float, cutoff: float) -> Array:
    from scipy.signal import savgol_filter

    window = 2 * round(0.5 * WINDOW / (dt * cutoff)) + 1
    if window < POLYNOMIAL + 2:
        highest = WINDOW / (POLYNOMIAL * dt)
        raise GoalError(
            f"savitzky-golay needs cutoff_hz up to {highest:.3g} at {1.0 / dt:g} frames a second, "
            f"not {cutoff:g}: take another method"
        )
    if len(q) < window:
        raise _too_short(len(q), window)
    return np.asarray(savgol_filter(q, window, POLYNOMIAL, axis=0, mode="interp"))


def _one_euro(q: Array, dt: float, cutoff: float) -> Array:
    smoothed, velocity = q.copy(), np.zeros_like(q[0])
    velocity_weight = _blend_weight(np.array(SPEED_CUTOFF), dt)
    for k in range(1, len(q)):
        velocity += velocity_weight * ((q[k] - q[k - 1]) / dt - velocity)
        speed = np.sqrt(np.sum(velocity * velocity, axis=-1, keepdims=True))  # the same in all axes
        weight = _blend_weight(cutoff + OPENING * speed, dt)
        smoothed[k] = smoothed[k - 1] + weight * (q[k] - smoothed[k - 1])
    return smoothed


def _blend_weight(cutoff: Array, dt: float) -> Array:
    """Of a new value that a low pass of first order takes over."""
    return 1.0 / (1.0 + 1.0 / (2.0 * math.pi * cutoff * dt))


def _too_short(frames: int, needed: int) -> ModelError:
    return ModelError(f"a motion of {frames} frames is too short for this filter: it needs {needed}")


_FILTERS: dict[str, Callable[[Array, float, float], Array]] = {
    "butterworth": _butterworth,
    "savitzky-golay": _savitzky_golay,
    "one-euro": _one_euro,
}
