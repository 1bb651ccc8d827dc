"""`measure`: quality of a motion in real units: foot sliding, penetration, jerk, jitter, peaks, limits, knee
pops.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from limbik.errors import GoalError, ModelError, mapping_of, members_of
from limbik.formats.motions import Motion, as_motion
from limbik.model import JointKind
from limbik.model.margins import limit_margins
from limbik.motion.articulation import Articulation
from limbik.motion.contacts import ContactRule, as_stands, detect_contacts, feet_of
from limbik.motion.feet.ground import FARTHEST
from limbik.motion.feet.soles import Sole, soles_of
from limbik.spatial import Array, as_number, as_numbers, check_largest, nearest_angles, norm, rotation_log

STILL = 1e-4  # [m] a step of the ankle below which the knee's is not compared with it
_NOISE = (1.0, -4.0, 6.0, -4.0, 1.0)  # fourth difference: of white noise of deviation 1 it is sqrt(70)


class FootMeasures(NamedTuple):
    """How one foot stands."""

    frame: str
    contact: float  # fraction of the frames in which it stands, 0 to 1
    slide_cm_s: float  # mean speed along the ground while it stands; nan where it never does
    slide_peak_cm_s: float  # the greatest
    penetration_mm: float  # how deep it gets below the ground; 0 where it does not
    penetration_s: float  # how long it is below, all together


class Peak(NamedTuple):
    """The greatest value of something, and where it is."""

    value: float
    joint: str
    frame: int


class LimbMeasures(NamedTuple):
    """The bones of a limb, and the step of its middle joint beside that of its end."""

    frames: tuple[str, str, str]  # root, mid, tip: hip, knee, ankle
    upper_m: tuple[float, float]  # shortest and longest distance of root and mid [m]
    lower_m: tuple[float, float]  # of mid and tip [m]
    knee_step: float  # greatest step of mid per step of tip, both seen from the root; 0 where tip rests


class Tracking(NamedTuple):
    """How far a frame is from where it was to be."""

    frame: str
    mean_mm: float
    peak_mm: float
    at: int  # the frame number of the peak


@dataclass(frozen=True)
class Measures:
    """What `measure` finds. Of a motion of one frame everything that needs several is 0 or nan."""

    frames: int
    duration: float  # [s]
    feet: tuple[FootMeasures, ...]
    jerk: float  # [m/s^3] root mean square of the third derivative of the coordinates of all links
    jitter_mm: float  # root mean square of noise from frame to frame: white noise of 1 mm gives 1
    speed: Peak | None  # of a joint that turns [rad/s]
    acceleration: Peak | None  # [rad/s^2]
    slide_speed: Peak | None  # of a joint that slides [m/s]
    slide_acceleration: Peak | None  # [m/s^2]
    limit_margin: Peak | None  # [rad or m] smallest distance to a limit, negative beyond; None without limits
    limbs: tuple[LimbMeasures, ...]
    tracking: tuple[Tracking, ...]

    @property
    def foot_slide_cm_s(self) -> float:
        """Mean speed of all feet along the ground while they stand; nan where none does."""
        weights = [foot.contact for foot in self.feet if foot.contact]
        slides = [foot.slide_cm_s for foot in self.feet if foot.contact]
        return float(np.average(slides, weights=weights)) if weights else math.nan

    @property
    def penetration_mm(self) -> float:
        """How deep the deepest foot gets below the ground."""
        return max((foot.penetration_mm for foot in self.feet), default=0.0)

    @property
    def tracking_error_mm(self) -> float:
        """Mean over all targets; nan without targets."""
        return float(np.mean([each.mean_mm for each in self.tracking])) if self.tracking else math.nan

    def to_dict(self) -> dict[str, Any]:
        """As data for JSON, where what is not a number is None."""
        totals = ("foot_slide_cm_s", "penetration_mm", "tracking_error_mm")
        values = {**vars(self), **{name: getattr(self, name) for name in totals}}
        return {name: _plain(value) for name, value in values.items()}


def measure(
    motion: Motion,
    *,
    feet: Sequence[str] | None = None,
    contacts: ArrayLike | ContactRule | None = None,
    ground: float = 0.0,
    limbs: Iterable[Sequence[str]] = (),
    targets: Mapping[str, ArrayLike] | None = None,
) -> Measures:
    """How good a motion is.

    feet: frames that are to stand without sliding or sinking, points of the sole rather than ankles; default:
    the ankles of `soles_of(motion)` for a robot, `feet_of(motion)` for others, or none where no name fits.
    contacts: whether each foot stands, [T, number of feet]; or the rule they are detected by; default:
    `ContactRule.for_legs` of the motion's.
    ground: height of the ground along `motion.up` [m].
    limbs: (root, mid, tip) of each limb, three names of frames, such as hip, knee and ankle.
    targets: for names of frames, the positions [T, 3] where they were to be [m]; a row of nan is left out.

    Slide is a speed in cm/s while a foot stands, along the ground or the belt of a rule, each step between
    two frames that both are in contact. How deep a foot is, is measured at heel, ball and tip of its sole
    where `feet` are the default (`soles_of`), else at its frame. Speeds of joints are differences of
    neighbouring frames over dt, accelerations second differences over dt^2; rotations count by the shorter
    arc, and of BVH as those of whole joints, whose angles may jump. Jerk is the third difference over dt^3,
    and jitter the fourth over sqrt(70), of the origins of all links.

    Raises ModelError for an unknown frame and GoalError for arrays of another shape.
    """
    motion = as_motion(motion)
    soles = {sole.ankle: sole for sole in _soles(motion)} if feet is None else {}
    names = _feet(motion, feet, soles)
    stands = _stands(motion, names, contacts)
    belt = contacts.ground_velocity if isinstance(contacts, ContactRule) else np.zeros(3)
    needed = "positions by the names of frames"
    wanted = {} if targets is None else mapping_of(targets, "targets", GoalError, needed)
    height = as_number(ground, "ground", "a height [m]", GoalError)
    check_largest(np.array(height), FARTHEST, "ground", "m", GoalError)
    speed, acceleration = _peaks(motion, slides=False)
    slide_speed, slide_acceleration = _peaks(motion, slides=True)
    return Measures(
        frames=len(motion),
        duration=motion.duration,
        feet=tuple(
            _foot(motion, name, soles.get(name), stands[:, k], height, np.asarray(belt))
            for k, name in enumerate(names)
        ),
        jerk=_rms(_link_differences(motion, (-1.0, 3.0, -3.0, 1.0))) / motion.dt**3,
        jitter_mm=1e3 * _rms(_link_differences(motion, _NOISE)) / math.sqrt(np.square(_NOISE).sum()),
        speed=speed,
        acceleration=acceleration,
        slide_speed=slide_speed,
        slide_acceleration=slide_acceleration,
        limit_margin=_limit_margin(motion),
        limbs=tuple(_limb(motion, each) for each in members_of(limbs, "limbs", GoalError)),
        tracking=tuple(_tracking(motion, *each) for each in wanted.items()),
    )


# --- feet ---------------------------------------------------------------------------------------------------


def _feet(motion: Motion, feet: Sequence[str] | None, soles: Collection[str]) -> tuple[str, ...]:
    if feet is not None:
        return tuple(motion.model.frame(name).name for name in members_of(feet, "feet", ModelError))
    if soles and motion.hierarchy is None and motion.scene is None:  # of a robot more may be called feet
        return tuple(soles)
    try:
        return feet_of(motion)
    except ModelError:
        return ()


def _stands(
    motion: Motion, names: tuple[str, ...], contacts: ArrayLike | ContactRule | None
) -> NDArray[np.bool_]:
    if contacts is None or isinstance(contacts, ContactRule):
        return detect_contacts(motion, names, contacts)
    return as_stands(contacts, len(motion), len(names), GoalError)


def _soles(motion: Motion) -> tuple[Sole, ...]:
    """What its feet stand on; none where no name tells."""
    try:
        return soles_of(motion)
    except ModelError:
        return ()


def _foot(
    motion: Motion, name: str, sole: Sole | None, stands: NDArray[np.bool_], ground: float, belt: Array
) -> FootMeasures:
    up = "xyz".index(motion.up)
    points = _positions(motion, name)
    velocities = np.delete(np.diff(points, axis=0) / motion.dt - belt, up, axis=1)
    both = stands[1:] & stands[:-1]
    slides = 1e2 * norm(velocities)[both]
    depth = ground - points[:, up]
    if sole is not None:
        sole_points = sole.points(*(motion.model.pose(motion.q, link) for link in sole.links))
        depth = (ground + sole.heights - sole_points[..., up]).max(axis=1)
    return FootMeasures(
        name,
        float(stands.mean()),
        float(slides.mean()) if slides.size else math.nan,
        float(slides.max()) if slides.size else math.nan,
        1e3 * max(0.0, float(depth.max())),
        float((depth > 0.0).sum()) * motion.dt,
    )


# --- joints and links ---------------------------------------------------------------------------------------


def _peaks(motion: Motion, *, slides: bool) -> tuple[Peak | None, Peak | None]:
    """Greatest speed and acceleration of the joints that slide, or turn; of a ball joint that of its turn."""
    model, dt = motion.model, motion.dt
    if len(motion) < 2:
        return None, None
    if motion.hierarchy is not None and not slides:
        return _peaks_of_rotation(motion)
    steps = model.difference(motion.q[:-1], motion.q[1:])
    turning = [joint.name for joint in model.joints if joint.nv and joint.kind is JointKind.CONTINUOUS]
    columns = [model.v_slice(name).start for name in turning]
    steps[:, columns] = nearest_angles(steps[:, columns])  # the shorter arc
    rates = steps / dt
    parts = []
    for joint in model.joints:
        part = model.v_slice(joint.name) if joint.nv else slice(0)
        if joint.kind is JointKind.FLOATING:
            middle = part.start + 3
            parts.append((joint.name, slice(part.start, middle) if slides else slice(middle, part.stop)))
        elif joint.nv and (joint.kind is JointKind.PRISMATIC) == slides:
            parts.append((joint.name, part))
    if not parts:
        return None, None
    return _peak(rates, parts), _peak(np.diff(rates, axis=0) / dt, parts)


def _peaks_of_rotation(motion: Motion) -> tuple[Peak | None, Peak | None]:
    """The same of the joints of a BVH that turn, as rotations: their angles jump beside a gimbal lock."""
    groups = [group for group in Articulation(motion).groups if group.freedom]
    rotations = [group.rotation_at(motion.q) for group in groups]
    rates = [rotation_log(np.swapaxes(turn[:-1], 1, 2) @ turn[1:]) / motion.dt for turn in rotations]
    parts = [(group.link, slice(3 * k, 3 * k + 3)) for k, group in enumerate(groups)]
    if not parts:
        return None, None
    together = np.concatenate(rates, axis=1)
    return _peak(together, parts), _peak(np.diff(together, axis=0) / motion.dt, parts)


def _peak(rates: Array, parts: Sequence[tuple[str, slice]]) -> Peak | None:
    if not len(rates):
        return None
    sizes = np.column_stack([norm(rates[:, part]) for _, part in parts])
    frame, joint = np.unravel_index(np.argmax(sizes), sizes.shape)
    return Peak(float(sizes.max()), parts[int(joint)][0], int(frame) + 1)


def _limit_margin(motion: Motion) -> Peak | None:
    if not motion.model.has_limits:
        return None
    margins = np.array([limit_margins(motion.model, q) for q in motion.q])
    frame, index = np.unravel_index(np.argmin(margins), margins.shape)
    joints = [name for name in motion.model.joint_names if motion.model.joint(name).nq]
    parts = {name: motion.model.q_slice(name) for name in joints}
    name = next(name for name, part in parts.items() if part.start <= index < part.stop)
    return Peak(float(margins.min()), name, int(frame))


def _link_differences(motion: Motion, weights: Sequence[float]) -> Array:
    """Differences of the positions of all links from frame to frame, [..., 3]; in pieces, to save memory."""
    width = len(weights)
    pieces = []
    links = [motion.model.frame_names.index(link) for link in motion.links]
    for begin in range(0, len(motion) - width + 1, 256):
        piece = motion.model.forward(motion.q[begin : begin + 256 + width - 1])[:, links][..., :3, 3]
        count = len(piece) - width + 1
        pieces.append(sum(weight * piece[k : k + count] for k, weight in enumerate(weights)))
    return np.concatenate(pieces) if pieces else np.zeros((0, 3))


def _rms(vectors: Array) -> float:
    return float(np.sqrt(np.square(vectors).sum(axis=-1).mean() / 3.0)) if vectors.size else math.nan


# --- limbs and targets --------------------------------------------------------------------------------------


def _limb(motion: Motion, frames: Sequence[str]) -> LimbMeasures:
    names = members_of(frames, "a limb", ModelError, "three frames: root, mid and tip")
    if len(names) != 3:
        raise ModelError(f"a limb needs three frames, root, mid and tip, found {len(names)}")
    root, mid, tip = (_positions(motion, name) for name in names)
    knee, ankle = norm(np.diff(mid - root, axis=0)), norm(np.diff(tip - root, axis=0))
    moves = ankle > STILL
    ratio = float((knee[moves] / ankle[moves]).max()) if moves.any() else 0.0
    return LimbMeasures(names, _range(norm(mid - root)), _range(norm(tip - mid)), ratio)


def _range(values: Array) -> tuple[float, float]:
    return float(values.min()), float(values.max())


def _tracking(motion: Motion, name: str, target: ArrayLike) -> Tracking:
    positions = _positions(motion, name)
    needed = f"positions [{len(motion)}, 3] in metres"
    wanted = as_numbers(target, f"the target of {name!r}", needed, GoalError)
    if wanted.shape != positions.shape:
        raise GoalError(f"the target of {name!r} needs {needed}, found shape {wanted.shape}")
    known = np.isfinite(wanted).all(axis=1)
    if not known.any():
        raise GoalError(f"the target of {name!r} has no frame without nan")
    errors = np.where(known, 1e3 * norm(positions - wanted), -1.0)
    return Tracking(name, float(errors[known].mean()), float(errors.max()), int(errors.argmax()))


def _positions(motion: Motion, frame: str) -> Array:
    """[T, 3] the origin of a frame in the world [m]."""
    return np.asarray(motion.model.pose(motion.q, frame)[:, :3, 3])


def _plain(value: Any) -> Any:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if hasattr(value, "_asdict"):
        return {name: _plain(each) for name, each in value._asdict().items()}
    if isinstance(value, tuple):
        return [_plain(each) for each in value]
    return value
