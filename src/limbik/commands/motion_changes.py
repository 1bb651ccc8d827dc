"""`limbik motion clean`, `ground`, `lengths` and `retarget`: change a motion and write it."""

from __future__ import annotations

import math
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import typer

from limbik.commands.as_typed import number
from limbik.commands.motion import (
    AnimationName,
    File,
    ModelName,
    UnitName,
    UpName,
    in_columns,
    load_file,
    motion,
    size_of,
    write_file,
)
from limbik.commands.progress import progress_of
from limbik.errors import GoalError, ModelError
from limbik.formats.source import check_ending
from limbik.number_text import number_from


@motion.command()
def clean(
    file: File,
    out: Annotated[str, typer.Option("--out", help="Where to write: the ending says the format.")],
    model: ModelName = None,
    unit: UnitName = None,
    up: UpName = None,
    animation: AnimationName = None,
    method: Annotated[str, typer.Option(help="butterworth, savitzky-golay or one-euro.")] = "butterworth",
    cutoff: Annotated[
        float, typer.Option(parser=number, help="Frequency above which is smoothed, in Hz.")
    ] = 6.0,
) -> None:
    """Take the jitter out of a motion, and say what that changed.

    For example: limbik motion clean walk.bvh --out smooth.bvh --cutoff 8
    """
    from limbik.motion.measures import measure
    from limbik.motion.smoothing import smooth

    loaded = load_file(file, model, unit, up, animation, out)
    cleaned = smooth(loaded, method, cutoff_hz=cutoff)  # type: ignore[arg-type]
    cleaned.save(out)
    before, after = measure(loaded), measure(cleaned)
    typer.echo(f"{'':<10}  before     after")
    typer.echo(f"jitter     {in_columns(before.jitter_mm)} {in_columns(after.jitter_mm)} mm")
    typer.echo(f"jerk       {in_columns(before.jerk)} {in_columns(after.jerk)} m/s³")
    typer.echo(f"foot slide {in_columns(before.foot_slide_cm_s)} {in_columns(after.foot_slide_cm_s)} cm/s")


@motion.command()
def retarget(
    file: File,
    body: Annotated[str, typer.Argument(help="Who is to move so: a robot's name or file, a BVH or glTF.")],
    out: Annotated[str, typer.Option(help="Where to write: .csv, .bvh, .glb, or the format of the body.")],
    model: ModelName = None,
    unit: UnitName = None,
    up: UpName = None,
    animation: AnimationName = None,
    speed_limits: Annotated[bool, typer.Option(help="Keep the speed limits of the joints.")] = True,
) -> None:
    """Bring a motion from one body to another: from people to robots, from people to people.

    For example: limbik motion retarget walk.bvh g1 --out walk-g1.csv
    """
    from limbik.formats.gltf_file import ENDINGS
    from limbik.formats.load import load
    from limbik.formats.motions import load_motion, refuse_other_formats
    from limbik.motion.retargeting import retarget

    refuse_other_formats(body)
    ending = Path(body).suffix.lower()
    of_body = size_of(unit) if ending == ".bvh" else None
    has_own = Path(file).suffix.lower() in ENDINGS if model is None else Path(model).suffix.lower() != ".bvh"
    source = load_file(file, model, None if of_body and has_own else unit, up, animation, out)
    target = load_motion(body, unit=of_body) if ending in (".bvh", *ENDINGS) else load(body)
    with progress_of("retarget") as progress:
        moved = retarget(source, target, speed_limits=speed_limits, progress=progress)
    write_file(moved, out)


@motion.command()
def ground(
    file: File,
    out: Annotated[str, typer.Option("--out", help="Where to write: the ending says the format.")],
    model: ModelName = None,
    unit: UnitName = None,
    up: UpName = None,
    animation: AnimationName = None,
    feet: Annotated[
        list[str] | None, typer.Option("--foot", help="The link of a foot, once for each; default: by name.")
    ] = None,
    height: Annotated[float, typer.Option(parser=number, help="Height of the ground, in m.")] = 0.0,
    slope: Annotated[
        tuple[float, float, float] | None,
        typer.Option(parser=number, help="Direction across the ground, upwards: x y z."),
    ] = None,
    mesh: Annotated[str | None, typer.Option(help="A mesh in m to stand on, instead of a plane.")] = None,
    weight: Annotated[float, typer.Option(parser=number, help="0 to 1: how much is corrected.")] = 1.0,
    halflife: Annotated[
        float, typer.Option(parser=number, help="Of what is let go when a foot leaves, in s.")
    ] = 0.1,
    belt: Annotated[
        tuple[float, float, float] | None,
        typer.Option(parser=number, help="Velocity of the belt that it walks on, in m/s: x y z."),
    ] = None,
) -> None:
    """Stand on the ground: no sliding and sinking feet, on a plane, a slope or a mesh.

    For example: limbik motion ground walk.bvh --out planted.bvh --mesh stairs.obj
    """
    from limbik.motion.contacts import ContactRule
    from limbik.motion.feet.ground import Ground
    from limbik.motion.feet.plant import plant_feet
    from limbik.motion.feet.report import planting_report

    loaded = load_file(file, model, unit, up, animation, out)
    if mesh is not None and (slope is not None or height != 0.0):
        raise GoalError("--mesh stands instead of --height and --slope: give one of them")
    floor = Ground.plane(height, slope, up=loaded.up) if mesh is None else Ground.mesh(mesh, up=loaded.up)
    contacts = None if belt is None else ContactRule(ground_velocity=belt)
    planted = plant_feet(loaded, ground=floor, contacts=contacts, feet=feet, weight=weight, halflife=halflife)
    typer.echo(str(planting_report(loaded, planted, feet, contacts=contacts)))
    write_file(planted, out)


@motion.command()
def lengths(
    file: File,
    out: Annotated[str, typer.Option("--out", help="Where to write: .bvh or .glb, which hold lengths.")],
    unit: UnitName = None,
    up: UpName = None,
    given: Annotated[
        list[str] | None, typer.Option("--length", help="Of a bone by its end, in m: LeftLeg=0.43.")
    ] = None,
    symmetric: Annotated[bool, typer.Option(help="Left and right get the mean of both.")] = False,
) -> None:
    """Give every bone of a BVH one length; hands and feet stay where they were.

    For example: limbik motion lengths walk.bvh --out rigid.bvh --symmetric --length LeftLeg=0.43
    """
    from limbik.motion.limb_lengths import fit_limb_lengths

    check_ending(out, ".bvh", ".glb")
    loaded = load_file(file, None, unit, up, None, out)
    fitted = fit_limb_lengths(loaded, lengths=_as_metres(given or []), symmetric=symmetric)
    width = max((len(bone.link) for bone in fitted.bones), default=0)
    for bone in fitted.bones:
        was = f"was {100.0 * bone.min_m:.2f} to {100.0 * bone.max_m:.2f}"
        typer.echo(f"{bone.link:<{width}}  {100.0 * bone.length_m:6.2f} cm, {was}")
    typer.echo(str(fitted))
    write_file(fitted.motion, out)


def _as_metres(lengths: Iterable[str]) -> dict[str, float]:
    """The lengths of --length."""
    metres: dict[str, float] = {}
    for each in lengths:
        link, _, length = each.rpartition("=")
        if link in metres:
            raise ModelError(f"--length has {link!r} twice: {metres[link]:g} and {length}")
        metres[link] = number_from(length)
        if math.isnan(metres[link]):
            raise ModelError(f"--length needs LINK=METRES, found {each!r}")
    return metres
