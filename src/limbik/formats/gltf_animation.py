"""Animations of glTF: reads channels, evaluates them at any time, and finds their frame rate (specification
2.0, 3.11 and appendix C).
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from limbik.errors import FormatError, FormatWarning, did_you_mean, is_one_of, listed, shortened
from limbik.formats.gltf_accessors import read_accessor
from limbik.formats.gltf_file import GltfFile, is_whole
from limbik.formats.gltf_nodes import Node, unit_quaternions
from limbik.spatial import Array, quat_conjugate, quat_exp, quat_log, quat_multiply

Target = Literal["translation", "rotation", "scale"]
TARGETS: tuple[Target, ...] = ("translation", "rotation", "scale")
NO_LINKS = ("weights", "pointer")  # paths of morph targets, and of what an extension moves
RATES = (24.0, 25.0, 30.0, 50.0, 60.0, 100.0, 120.0)  # [1/s] that keys often have
MIN_STEP = 1e-5  # [s] between keys that are not one
RATE = 60.0  # [1/s] for keys at uneven times
ROUNDED = 0.1  # of a step: how far steps may differ that are meant to be the same
SNAP = 0.01  # of a frame: a frame that is nearer to a key than this has the key's value
MAX_FRAMES = 10**6
SHORTEST = 1e-9  # quaternion that has a direction


@dataclass(frozen=True, eq=False)
class Channel:
    """How one property of a node moves."""

    times: Array  # [n] [s], increasing
    values: Array  # [n, 3 or 4]; of a cubic spline [3 n, 3 or 4]: tangent, value, tangent
    interpolation: str
    is_rotation: bool

    @property
    def keys(self) -> Array:
        """Values at the keys [n, 3 or 4]."""
        return self.values[1::3] if self.interpolation == "CUBICSPLINE" else self.values

    def at(self, times: Array) -> Array:
        """Values [T, 3 or 4] at times [T] [s]; before the first key and after the last one these."""
        keys = self.keys
        if len(self.times) == 1:
            return np.repeat(keys, len(times), axis=0)
        times = np.clip(times, self.times[0], self.times[-1])
        before = np.clip(np.searchsorted(self.times, times, side="right") - 1, 0, len(self.times) - 2)
        length = self.times[before + 1] - self.times[before]
        fraction = ((times - self.times[before]) / length)[:, None]
        if self.interpolation == "STEP":
            return np.asarray(np.where(fraction < 1.0, keys[before], keys[before + 1]))
        if self.interpolation == "CUBICSPLINE":
            values = self._spline(before, fraction, length[:, None])
            return _normalised(values, keys[before]) if self.is_rotation else values
        if self.is_rotation:
            return _slerp(keys[before], keys[before + 1], fraction)
        return np.asarray(keys[before] + fraction * (keys[before + 1] - keys[before]))

    def _spline(self, before: NDArray[np.intp], fraction: Array, length: Array) -> Array:
        start, end = self.values[3 * before + 1], self.values[3 * before + 4]
        out, into = length * self.values[3 * before + 2], length * self.values[3 * before + 3]
        square, cube = fraction**2, fraction**3
        return np.asarray(
            (2.0 * cube - 3.0 * square + 1.0) * start
            + (cube - 2.0 * square + fraction) * out
            + (3.0 * square - 2.0 * cube) * end
            + (cube - square) * into
        )


def _normalised(quaternions: Array, otherwise: Array) -> Array:
    """Quaternions [T, 4] of length 1; others where these have none, as between q and -q."""
    lengths = np.linalg.norm(quaternions, axis=1, keepdims=True)
    return np.where(lengths > SHORTEST, quaternions / np.maximum(lengths, SHORTEST), otherwise)


Channels = dict[tuple[int, Target], Channel]
"""Of nodes, by their number, and what moves."""


def choose(file: GltfFile, animation: str | int | None) -> int | None:
    """The number of an animation; without a choice the only one, or None where there is none.

    Raises FormatError, which names them, where there are several or no such one.
    """
    names = [each.get("name") or f"animation {k}" for k, each in enumerate(file.items("animations"))]
    if animation is None:
        if len(names) > 1:
            problem = (
                f"has {len(names)} animations; say which as `animation`: {', '.join(map(str, names[:20]))}"
            )
            raise FormatError(file.name, problem)
        return 0 if names else None
    if isinstance(animation, str) and animation in names:
        return names.index(animation)
    if isinstance(animation, int) and not isinstance(animation, bool) and 0 <= animation < len(names):
        return animation
    raise FormatError(
        file.name, f"has no animation {shortened(animation)}; {did_you_mean(animation, map(str, names))}"
    )


def read_channels(file: GltfFile, nodes: Sequence[Node], index: int) -> Channels:
    """What moves in an animation. Raises FormatError, which names animation and node."""
    animation = file.items("animations")[index]
    where = f"animation {animation.get('name') or index!r}"
    samplers, channels = (
        _list(file, animation.get(key), f"{where}: {key}") for key in ("samplers", "channels")
    )
    by_target: Channels = {}
    for channel in channels:
        node, path = target_of(channel)
        said = channel["target"].get("path") if isinstance(channel.get("target"), dict) else None
        if path is None and said is not None and said not in NO_LINKS:
            known = (*TARGETS, *NO_LINKS)
            file.fail(f"there is no path {shortened(said)}; {did_you_mean(said, known)}", where)
        if node is None or path is None:
            continue  # of a morph target or an extension
        file.item("nodes", node, where)
        of = f"{where}: {path} of node {nodes[node].name!r}"
        sampler = channel.get("sampler")
        if not is_whole(sampler) or not 0 <= sampler < len(samplers):
            file.fail(f"there is no sampler {shortened(sampler)}", of)
        if (node, path) in by_target:
            file.fail("moves twice", of)
        by_target[node, path] = _channel(file, samplers[sampler], path == "rotation", of)
    if pointers := list(filter(None, map(_pointer, channels))):
        left_out = f"what moves {listed(pointers)} by KHR_animation_pointer is left out"
        warnings.warn(f"{file.name}: {where}: {left_out}", FormatWarning, stacklevel=2)
    return by_target


def _pointer(channel: dict[str, Any]) -> str:
    """What of a node a channel moves by an extension, such as "/nodes/3/rotation"; "" for nothing."""
    value: Any = channel
    for key in ("target", "extensions", "KHR_animation_pointer", "pointer"):
        value = value.get(key) if isinstance(value, dict) else None
    moves_node = isinstance(value, str) and value.startswith("/nodes/") and value.endswith(TARGETS)
    return value if moves_node else ""


def target_of(channel: dict[str, Any]) -> tuple[Any, Target | None]:
    """Which node a channel moves, and what of it; None for what does not move links."""
    target = channel.get("target")
    target = target if isinstance(target, dict) else {}
    return target.get("node"), next((each for each in TARGETS if each == target.get("path")), None)


def key_times(file: GltfFile, start: float, dt: float, count: int) -> Array:
    """The times of keys [count, 1] [s]. Raises FormatError for those that single precision cannot tell apart,
    or that would be read back as one.
    """
    times = start + dt * np.arange(float(count))
    rounding = np.abs(times.astype(np.float32) - times).max()
    if dt <= MIN_STEP or rounding > SNAP * dt:
        file.fail(
            f"glTF cannot hold {count} frames {dt:.3g} s apart: its times have single precision, and keys "
            f"need more than {MIN_STEP:g} s between them"
        )
    return times[:, None]


def frames_of(file: GltfFile, channels: Channels) -> tuple[float, float, int]:
    """The time of the first frame [s], the time between frames [s], and their number.

    Keys at even times are the frames themselves; if their smallest step is none that all are multiples of, a
    usual rate is taken, or else 60 frames per second.
    """
    times = np.unique(np.concatenate([channel.times for channel in channels.values()]))
    start, end = float(times[0]), float(times[-1])
    if start == end:
        return start, 1.0 / 30.0, 1
    steps = np.diff(times)
    steps = np.append(steps[steps > MIN_STEP], end - start)
    min_step = float(steps[steps < (1.0 + ROUNDED) * steps.min()].mean())  # single precision rounds each
    for step in (min_step, *(1.0 / rate for rate in RATES)):
        count = max(1, round((end - start) / step))
        even = (end - start) / count
        frame_numbers = (times - start) / even
        if np.abs(frame_numbers - np.round(frame_numbers)).max() < SNAP and abs(even - step) < ROUNDED * step:
            return start, even, _bounded(file, count + 1)
    return start, 1.0 / RATE, _bounded(file, int(np.ceil((end - start) * RATE - 1e-6)) + 1)


def sampled(channel: Channel, start: float, dt: float, count: int) -> Array:
    """Values [T, 3 or 4] at even times; at a key exactly what it has."""
    times = start + dt * np.arange(float(count))
    index = np.clip(np.searchsorted(channel.times, times), 1, max(1, len(channel.times) - 1))
    for near in (np.minimum(index, len(channel.times) - 1), index - 1):
        keys = channel.times[near]
        times = np.where(np.abs(times - keys) < SNAP * dt, keys, times)
    return channel.at(times)


def _channel(file: GltfFile, sampler: dict[str, Any], is_rotation: bool, where: str) -> Channel:
    times = read_accessor(file, sampler.get("input"), "SCALAR", where)[:, 0]
    values = read_accessor(file, sampler.get("output"), "VEC4" if is_rotation else "VEC3", where)
    interpolation = sampler.get("interpolation", "LINEAR")
    if not is_one_of(interpolation, ("LINEAR", "STEP", "CUBICSPLINE")):
        file.fail(f"interpolation needs LINEAR, STEP or CUBICSPLINE, found {shortened(interpolation)}", where)
    if (np.diff(times) <= 0.0).any():
        file.fail("its times need to increase", where)
    each = 3 if interpolation == "CUBICSPLINE" else 1
    if len(values) != each * len(times):
        file.fail(f"needs {each * len(times)} values for {len(times)} times, found {len(values)}", where)
    if is_rotation and each == 1:
        values = unit_quaternions(file, values, where)
    elif is_rotation:
        values = values.copy()
        values[1::3] = unit_quaternions(file, values[1::3], where)
    return Channel(times, values, interpolation, is_rotation)


def _slerp(start: Array, end: Array, fraction: Array) -> Array:
    """Along the shorter arc between quaternions [T, 4]; at both ends exactly these."""
    between = quat_multiply(quat_conjugate(start), end)
    between = np.where(between[:, 3:] < 0.0, -between, between)
    rotated = quat_multiply(start, quat_exp(fraction * quat_log(between)))
    return np.asarray(np.where(fraction == 0.0, start, np.where(fraction == 1.0, end, rotated)))


def _list(file: GltfFile, value: object, where: str) -> list[dict[str, Any]]:
    if not isinstance(value, list) or not all(isinstance(each, dict) for each in value):
        file.fail(f"needs a list of objects, found {shortened(value)}", where)
    return value


def _bounded(file: GltfFile, count: int) -> int:
    if count > MAX_FRAMES:
        file.fail(f"an animation of {count:,} frames is too long; at most {MAX_FRAMES:,} are read")
    return count


def moving(channels: Channels, path: Target) -> Iterable[tuple[int, Channel]]:
    """The nodes of which this moves."""
    return ((node, channel) for (node, each), channel in channels.items() if each == path)
