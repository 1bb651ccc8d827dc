"""Random BVH files, and what they mean, worked out without limbik's reader."""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from hypothesis import strategies as st

CHANNELS = ("Xposition", "Yposition", "Zposition", "Xrotation", "Yrotation", "Zrotation")
decimals = st.integers(-(10**9), 10**9).map(lambda number: number / 10**6)


class Bone(NamedTuple):
    """A joint of a random skeleton."""

    name: str
    parent: int
    offset: tuple[float, ...]
    channels: tuple[str, ...]
    end: tuple[float, ...] | None  # offset of its end site


class Clip(NamedTuple):
    """A random motion."""

    bones: list[Bone]  # parents before children, depth first
    rows: list[list[float]]
    dt: float


@st.composite
def clips(draw) -> Clip:
    count = draw(st.integers(1, 7))
    bones = []
    line: list[int] = []  # the joints that are still open
    for place in range(count):
        line = line[: draw(st.integers(0, len(line)))]
        channels = draw(st.permutations(CHANNELS))[: draw(st.integers(0, 6))]
        offset = draw(st.one_of(st.just((0.0, 0.0, 0.0)), st.tuples(decimals, decimals, decimals)))
        end = draw(st.none() | st.tuples(decimals, decimals, decimals))
        bones.append(Bone(f"bone {place}", line[-1] if line else -1, offset, tuple(channels), end))
        line.append(place)
    width = sum(len(bone.channels) for bone in bones)
    frames = draw(st.integers(1, 4))
    rows = draw(
        st.lists(st.lists(decimals, min_size=width, max_size=width), min_size=frames, max_size=frames)
    )
    return Clip(bones, rows if width else [], draw(st.integers(1, 1000)) / 7200)


def text_of(clip: Clip, blank: str = " ", newline: str = "\n") -> str:
    """The clip as BVH, with any blanks and ends of lines."""
    lines = ["HIERARCHY"]

    def write(place: int) -> None:
        bone = clip.bones[place]
        lines.append(f"{'ROOT' if bone.parent < 0 else 'JOINT'} {bone.name}")
        lines.append("{")
        lines.append(blank.join(["OFFSET", *map(repr, bone.offset)]))
        lines.append(blank.join(["CHANNELS", str(len(bone.channels)), *bone.channels]))
        if bone.end is not None:
            lines.extend(["End Site", "{", blank.join(["OFFSET", *map(repr, bone.end)]), "}"])
        for child, other in enumerate(clip.bones):
            if other.parent == place:
                write(child)
        lines.append("}")

    for place, bone in enumerate(clip.bones):
        if bone.parent < 0:
            write(place)
    lines += ["MOTION", f"Frames:{blank}{len(clip.rows)}", f"Frame Time:{blank}{clip.dt!r}"]
    lines += [blank.join(map(repr, row)) for row in clip.rows]
    return newline.join([*lines, ""])


def poses(clip: Clip, row: Sequence[float]) -> list[np.ndarray]:
    """[4, 4] of each joint in the world, in the file's unit."""
    values = iter(row)
    found: list[np.ndarray] = []
    for bone in clip.bones:
        local = np.eye(4)
        local[:3, 3] = bone.offset
        for channel in bone.channels:
            value = next(values)
            axis = "XYZ".index(channel[0])
            if channel.endswith("position"):
                local[axis, 3] = value
                continue
            turn = np.eye(4)
            j, k = (axis + 1) % 3, (axis + 2) % 3
            turn[j, j] = turn[k, k] = math.cos(math.radians(value))
            turn[k, j] = math.sin(math.radians(value))
            turn[j, k] = -turn[k, j]
            local[:3, :3] = local[:3, :3] @ turn[:3, :3]
        found.append(found[bone.parent] @ local if bone.parent >= 0 else local)
    return found
