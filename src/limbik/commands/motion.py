"""`limbik motion`: what is in a motion file and wrong with it, other formats, and feet on the ground."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from limbik.errors import GoalError, ModelError, is_one_of

if TYPE_CHECKING:
    from limbik.formats.motions import Motion
    from limbik.motion.measures import Measures, Peak

motion = typer.Typer(
    name="motion",
    help="Motions in BVH and CSV files: what is in them and wrong with them, feet that stand on the ground, "
    "and from one format to another.",
    no_args_is_help=True,
)

File = Annotated[str, typer.Argument(help="A BVH file, or CSV with columns of time and joints.")]
ModelName = Annotated[
    str | None,
    typer.Option("--model", help="CSV only: a robot's name or file, or a BVH with the same joints."),
]
UnitName = Annotated[
    str, typer.Option("--unit", help="Of lengths in BVH: m, cm, mm, inch, or its size in m.")
]
UpName = Annotated[
    str | None,
    typer.Option("--up", help="The axis against gravity: x, y or z; default: y for BVH, z for CSV."),
]


@motion.command()
def info(
    file: File,
    model: ModelName = None,
    unit: UnitName = "cm",
    up: UpName = None,
    feet: Annotated[
        list[str] | None,
        typer.Option("--foot", help="A frame that is to stand, once for each; default: found by name."),
    ] = None,
    ground: Annotated[float, typer.Option(help="Height of the ground, in m.")] = 0.0,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")] = False,
) -> None:
    """Measure a motion: sliding and sinking feet, jerk, jitter, peaks of speed and acceleration, limits.

    For example: limbik motion info walk.bvh --foot LeftToe --foot RightToe
    """
    from limbik.motion.measures import measure

    loaded = _loaded(file, model, unit, up)
    found = measure(loaded, feet=feet, ground=ground)
    if as_json:
        head = {
            "file": file,
            "links": list(loaded.links),
            "nq": loaded.model.nq,
            "dt": loaded.dt,
            "up": loaded.up,
        }
        typer.echo(json.dumps({**head, **found.to_dict()}, indent=2))
        return
    for line in _text(loaded, found):
        typer.echo(line)


@motion.command()
def convert(
    file: File,
    out: Annotated[str, typer.Argument(help="Where to write: a file that ends in .bvh or .csv.")],
    model: ModelName = None,
    unit: UnitName = "cm",
) -> None:
    """Write a motion in another format. BVH needs the hierarchy of one: give it as --model for CSV.

    For example: limbik motion convert walk.csv walk.bvh --model original.bvh
    """
    loaded = _loaded(file, model, unit, None)
    loaded.save(out)
    typer.echo(f"{out}: {len(loaded)} frames of {loaded.model.nq} numbers")


@motion.command()
def clean(
    file: File,
    out: Annotated[str, typer.Option("--out", help="Where to write: the ending says the format.")],
    model: ModelName = None,
    unit: UnitName = "cm",
    up: UpName = None,
    method: Annotated[str, typer.Option(help="butterworth, savitzky-golay or one-euro.")] = "butterworth",
    cutoff: Annotated[float, typer.Option(help="Frequency above which is smoothed, in Hz.")] = 6.0,
) -> None:
    """Take the jitter out of a motion, and say what that changed.

    For example: limbik motion clean walk.bvh --out smooth.bvh --cutoff 8
    """
    from limbik.motion.measures import measure
    from limbik.motion.smoothing import smooth

    loaded = _loaded(file, model, unit, up)
    cleaned = smooth(loaded, method, cutoff_hz=cutoff)  # type: ignore[arg-type]
    cleaned.save(out)
    before, after = measure(loaded), measure(cleaned)
    typer.echo(f"{'':<10}  before     after")
    typer.echo(f"jitter     {_number(before.jitter_mm)} {_number(after.jitter_mm)} mm")
    typer.echo(f"jerk       {_number(before.jerk)} {_number(after.jerk)} m/s³")
    typer.echo(f"foot slide {_number(before.foot_slide_cm_s)} {_number(after.foot_slide_cm_s)} cm/s")


@motion.command()
def retarget(
    file: File,
    body: Annotated[str, typer.Argument(help="Who is to move so: a robot's name or file, or a BVH.")],
    out: Annotated[str, typer.Option(help="Where to write: .csv, or .bvh for the skeleton of a BVH.")],
    model: ModelName = None,
    unit: UnitName = "cm",
    up: UpName = None,
    speed_limits: Annotated[bool, typer.Option(help="Keep the speed limits of the joints.")] = True,
) -> None:
    """Bring a motion from one body to another: from people to robots, from people to people.

    For example: limbik motion retarget walk.bvh g1 --out walk-g1.csv
    """
    from limbik.formats.load import load
    from limbik.formats.motions import load_motion
    from limbik.motion.retargeting import retarget

    source = _loaded(file, model, unit, up)
    is_bvh = Path(body).suffix.lower() == ".bvh"
    target = load_motion(body, unit=_size(unit)) if is_bvh else load(body)
    moved = retarget(source, target, speed_limits=speed_limits)
    moved.save(out)
    typer.echo(f"{out}: {len(moved)} frames of {moved.model.nq} numbers")


@motion.command()
def ground(
    file: File,
    out: Annotated[str, typer.Option("--out", help="Where to write: a file that ends in .bvh or .csv.")],
    model: ModelName = None,
    unit: UnitName = "cm",
    up: UpName = None,
    feet: Annotated[
        list[str] | None, typer.Option("--foot", help="The link of a foot, once for each; default: by name.")
    ] = None,
    height: Annotated[float, typer.Option(help="Height of the ground, in m.")] = 0.0,
    slope: Annotated[
        tuple[float, float, float] | None, typer.Option(help="Direction across the ground, upwards: x y z.")
    ] = None,
    mesh: Annotated[str | None, typer.Option(help="A mesh in m to stand on, in place of a plane.")] = None,
    weight: Annotated[float, typer.Option(help="0 to 1: how much is corrected.")] = 1.0,
    halflife: Annotated[float, typer.Option(help="Of what is let go when a foot leaves, in s.")] = 0.1,
) -> None:
    """Stand on the ground: no sliding and sinking feet, on a plane, a slope or a mesh.

    For example: limbik motion ground walk.bvh --out planted.bvh --mesh stairs.obj
    """
    from limbik.motion.ground import Ground
    from limbik.motion.plant import plant_feet

    loaded = _loaded(file, model, unit, up)
    if mesh is not None and (slope is not None or height != 0.0):
        raise GoalError("--mesh stands in place of --height and --slope: give one of them")
    floor = Ground.plane(height, slope, up=loaded.up) if mesh is None else Ground.mesh(mesh, up=loaded.up)
    planted = plant_feet(loaded, ground=floor, feet=feet, weight=weight, halflife=halflife)
    planted.save(out)
    typer.echo(f"{out}: {len(planted)} frames of {planted.model.nq} numbers")


def _loaded(file: str, model: str | None, unit: str, up: str | None) -> Motion:
    from limbik.formats.motions import load_motion

    if up is not None and not is_one_of(up, ("x", "y", "z")):
        raise ModelError(f"--up needs x, y or z, found {up!r}")
    like: Any = model
    size = _size(unit)
    if model is not None and Path(model).suffix.lower() == ".bvh":
        like = load_motion(model, unit=size)
    return load_motion(file, model=like, unit=size, up=up)  # type: ignore[arg-type]


def _size(unit: str) -> Any:
    try:
        return float(unit)
    except ValueError:
        return unit


def _text(loaded: Motion, found: Measures) -> Iterator[str]:
    frames = "1 frame" if found.frames == 1 else f"{found.frames} frames"
    links = f"{len(loaded.links)} links, {loaded.up} is up"
    yield f"{frames} of {loaded.dt:.6g} s, {found.duration:.4g} s; {links}"
    yield f"in its first frame {_height(loaded):.3g} m from the lowest to the highest link"
    yield ""
    if found.feet:
        width = max(4, *(len(foot.frame) for foot in found.feet))
        yield f"{'foot':<{width}}  stands  slide  at most    below the ground"
        for foot in found.feet:
            slide = f"{foot.slide_cm_s:6.2f} {foot.slide_peak_cm_s:8.2f} cm/s" if foot.contact else ""
            below = f"{foot.penetration_mm:7.1f} mm {foot.penetration_s:6.2f} s"
            yield f"{foot.frame:<{width}}  {100.0 * foot.contact:4.0f} %  {slide:<20}  {below}"
    else:
        yield "No link is called foot, toe or ankle: name the frames that are to stand with --foot."
    yield ""
    yield f"jerk            {_number(found.jerk)} m/s³"
    yield f"jitter          {_number(found.jitter_mm)} mm"
    yield from _peak("turning", found.speed, "rad/s")
    yield from _peak("", found.acceleration, "rad/s²")
    yield from _peak("sliding", found.slide_speed, "m/s")
    yield from _peak("", found.slide_acceleration, "m/s²")
    yield from _peak("limit margin", found.limit_margin, "rad or m")


def _height(loaded: Motion) -> float:
    """Of the skeleton in the first frame [m]: it tells a wrong unit."""
    up = "xyz".index(loaded.up)
    heights = [float(loaded.model.pose(loaded.q[0], link)[up, 3]) for link in loaded.links]
    return max(heights, default=0.0) - min(heights, default=0.0)


def _peak(title: str, peak: Peak | None, unit: str) -> Iterator[str]:
    if peak is not None:
        yield f"{title:<14}  {_number(peak.value)} {unit:<8}  {peak.joint}, frame {peak.frame}"


def _number(value: float) -> str:
    return f"{'-' if math.isnan(value) else f'{value:.4g}':>9}"
