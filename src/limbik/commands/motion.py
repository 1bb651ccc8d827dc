"""`limbik motion`: inspect and measure a motion file, or convert it to another format."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import typer

from limbik.commands.as_typed import number
from limbik.errors import ModelError, is_one_of, number_of
from limbik.number_text import number_from

if TYPE_CHECKING:
    from limbik.formats.motions import Motion, Up
    from limbik.motion.body.humanoid import Humanoid
    from limbik.motion.measures import Measures, Peak

motion = typer.Typer(
    name="motion",
    help="Motions in BVH, glTF and CSV files: what is in them and wrong with them, feet that stand, less "
    "jitter, bones of one length, other bodies, other formats; markers: their gaps, skeletons moved by them.",
    no_args_is_help=True,
)

File = Annotated[str, typer.Argument(help="A BVH or glTF file, or CSV with columns of time and joints.")]
ModelName = Annotated[
    str | None,
    typer.Option("--model", help="CSV only: a robot's name or file, or a BVH or glTF with the same joints."),
]
UnitName = Annotated[
    str | None,
    typer.Option("--unit", help="Of lengths in BVH: m, cm (the default), mm, inch, or its size in m."),
]
UpName = Annotated[
    str | None,
    typer.Option("--up", help="The axis against gravity: x, y or z; default: y for BVH and glTF, z for CSV."),
]


AnimationName = Annotated[
    str | None, typer.Option("--animation", help="glTF only: the name or number of one of several.")
]


@motion.command()
def info(
    file: File,
    model: ModelName = None,
    unit: UnitName = None,
    up: UpName = None,
    feet: Annotated[
        list[str] | None,
        typer.Option("--foot", help="A frame that is to stand, once for each; default: found by name."),
    ] = None,
    ground: Annotated[float, typer.Option(parser=number, help="Height of the ground, in m.")] = 0.0,
    animation: AnimationName = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")] = False,
) -> None:
    """Measure a motion: sliding and sinking feet, jerk, jitter, peaks, limits; name the parts of the body.

    For example: limbik motion info walk.bvh --foot LeftToe --foot RightToe
    """
    from limbik.motion.measures import measure

    loaded = load_file(file, model, unit, up, animation)
    measures = measure(loaded, feet=feet, ground=ground)
    parts = _parts(loaded)
    if as_json:
        head = {
            "file": file,
            "links": list(loaded.links),
            "nq": loaded.model.nq,
            "dt": loaded.dt,
            "up": loaded.up,
            "roles": dict(parts.frames) if parts else None,
        }
        typer.echo(json.dumps({**head, **measures.to_dict()}, indent=2))
        return
    for line in (*_text(loaded, measures), "", *_role_lines(parts)):
        typer.echo(line)


@motion.command()
def convert(
    file: File,
    out: Annotated[
        str, typer.Argument(help="Where to write: a file that ends in .bvh, .glb, .gltf, .vrm or .csv.")
    ],
    model: ModelName = None,
    unit: UnitName = None,
    up: UpName = None,
    animation: AnimationName = None,
) -> None:
    """Write a motion in another format: BVH to glTF and back, that of a robot to either, CSV to all of them.

    CSV needs --model: a robot, or a BVH or glTF, whose hierarchy and meshes stay.

    For example: limbik motion convert walk.bvh walk.glb
    """
    write_file(load_file(file, model, unit, up, animation, out), out)


def load_file(
    file: str,
    model: str | None,
    unit: str | None,
    up: str | None,
    animation: str | None,
    out: str | None = None,
) -> Motion:
    """The motion in a file, by what the options say of it; out: where it is to go, which is checked first."""
    from limbik.formats.gltf_file import ENDINGS
    from limbik.formats.motions import check_output, load_motion

    if out is not None:
        check_output(out)
    like: Any = model
    size = size_of(unit)
    chosen = int(animation) if animation is not None and animation.isdecimal() else animation
    if model is not None and Path(model).suffix.lower() in (".bvh", *ENDINGS):
        like, chosen, size = load_motion(model, unit=size, animation=chosen), None, None
    return load_motion(file, model=like, unit=size, up=as_up(up), animation=chosen)


def write_file(motion: Motion, out: str) -> None:
    """Write a motion, and say how large it is."""
    motion.save(out)
    frames = number_of(len(motion), "frame")
    typer.echo(f"{out}: {frames} of {motion.model.nq} numbers")


def as_up(up: str | None) -> Up | None:
    """The axis that is up, by its name. Raises ModelError for anything else."""
    if up is not None and not is_one_of(up, ("x", "y", "z")):
        raise ModelError(f"--up needs x, y or z, found {up!r}")
    return up  # type: ignore[return-value]


def size_of(unit: str | None) -> Any:
    """A unit by its name, or its size [m]."""
    size = math.nan if unit is None else number_from(unit)
    return unit if math.isnan(size) else size


def _text(loaded: Motion, measures: Measures) -> Iterator[str]:
    frames = number_of(measures.frames, "frame")
    links = f"{len(loaded.links)} links, {loaded.up} is up"
    yield f"{frames} of {loaded.dt:.6g} s, {measures.duration:.4g} s; {links}"
    yield f"in its first frame {_height(loaded):.3g} m from the lowest to the highest link"
    yield ""
    if measures.feet:
        width = max(4, *(len(foot.frame) for foot in measures.feet))
        yield f"{'foot':<{width}}  stands  slide  at most    below the ground"
        for foot in measures.feet:
            is_known = not math.isnan(foot.slide_cm_s)
            slide = f"{foot.slide_cm_s:6.2f} {foot.slide_peak_cm_s:8.2f} cm/s" if is_known else f"{'-':>6}"
            below = f"{foot.penetration_mm:7.1f} mm {foot.penetration_s:6.2f} s"
            yield f"{foot.frame:<{width}}  {100.0 * foot.contact:4.0f} %  {slide:<20}  {below}"
    else:
        yield "No link is called foot, toe or ankle: name the frames that are to stand with --foot."
    yield ""
    yield f"jerk            {in_columns(measures.jerk)} m/s³"
    yield f"jitter          {in_columns(measures.jitter_mm)} mm"
    yield from _peak("turning", measures.speed, "rad/s")
    yield from _peak("", measures.acceleration, "rad/s²")
    yield from _peak("sliding", measures.slide_speed, "m/s")
    yield from _peak("", measures.slide_acceleration, "m/s²")
    yield from _peak("limit margin", measures.limit_margin, "rad or m")


def _parts(loaded: Motion) -> Humanoid | None:
    """The parts of a human body; None for what is no humanoid."""
    from limbik.motion.body.humanoid import humanoid

    try:
        return humanoid(loaded)
    except ModelError:
        return None


def _role_lines(parts: Humanoid | None) -> Iterator[str]:
    if parts is None:
        yield "No human body: neither two legs nor two arms."
        return
    yield f"{'part':<24}  link"
    for role, frame in parts.frames.items():
        yield f"{role:<24}  {frame}"


def _height(loaded: Motion) -> float:
    """Of the skeleton in the first frame [m]: it tells a wrong unit."""
    heights = loaded.model.poses(loaded.q[0], loaded.links)[:, "xyz".index(loaded.up), 3]
    return float(np.ptp(heights)) if len(heights) else 0.0


def _peak(title: str, peak: Peak | None, unit: str) -> Iterator[str]:
    if peak is not None:
        yield f"{title:<14}  {in_columns(peak.value)} {unit:<8}  {peak.joint}, frame {peak.frame}"


def in_columns(value: float) -> str:
    """A number, or a dash where there is none, in nine columns."""
    return f"{'-' if math.isnan(value) else f'{value:.4g}':>9}"
