"""`limbik collision`: what of a robot collides, and which pairs of its links are checked."""

from __future__ import annotations

import json
import textwrap
import warnings
from pathlib import Path
from typing import Annotated

import typer

from limbik.formats.source import write_text
from limbik.model import Model

collision = typer.Typer(
    name="collision",
    help="What of a robot collides, and which pairs of its links are checked.",
    no_args_is_help=True,
)

WIDTH = 80
_BEYOND = "Pieces contain the shapes, and spheres the pieces; beyond them they reach by no more than is said."

Robot = Annotated[str, typer.Argument(help="A name, or the path of a file.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")]
Srdf = Annotated[str | None, typer.Option("--with", help="SRDF whose disabled pairs are not checked.")]


@collision.command()
def info(robot: Robot, as_json: AsJson = False) -> None:
    """Show the bodies of a robot: their convex pieces, how far these reach beyond the shapes, their spheres.

    Concave meshes are cut into convex pieces when they are first met, which may take seconds each; what was
    made is stored in the cache folder.
    """
    from limbik.collision.capsules import shapes_or_capsules
    from limbik.collision.geometry import geometry_of

    model = _loaded(robot, None)
    geometry = geometry_of(model)
    if as_json:
        bodies = [
            {
                "name": body.name,
                "link": body.link,
                "pieces": len(body.pieces),
                "overshoot": body.overshoot,
                "spheres": len(body.cover.radii),
                "spheres_overshoot": body.cover.overshoot,
            }
            for body in geometry.bodies
        ]
        data = {
            "bodies": bodies,
            "overshoot": geometry.overshoot,
            "gaps": geometry.gaps,
            "note": geometry.note,
        }
        typer.echo(json.dumps(data, indent=2))
        return
    for note in (shapes_or_capsules(model)[1], *geometry.gaps):
        if note:
            typer.echo(_folded(f"Note: {note}.") + "\n")
    if not geometry.bodies:
        return
    width = max(len("body"), *(len(body.name) for body in geometry.bodies))
    typer.echo(f"{'body':<{width}}{'pieces':>8}{'beyond':>11}{'spheres':>9}{'beyond':>11}")
    for body in geometry.bodies:
        beyond, spheres = 1e3 * body.overshoot, 1e3 * body.cover.overshoot
        pieces, radii = len(body.pieces), len(body.cover.radii)
        typer.echo(f"{body.name:<{width}}{pieces:>8}{beyond:>8.1f} mm{radii:>9}{spheres:>8.1f} mm")
    typer.echo("\n" + _folded(_BEYOND))


@collision.command()
def pairs(
    robot: Robot,
    samples: Annotated[int, typer.Option(help="Random configurations to look at.")] = 1000,
    with_srdf: Srdf = None,
    srdf: Annotated[
        Path | None, typer.Option(help="SRDF to write, of pairs that need no check, with the reason of each.")
    ] = None,
    unseen: Annotated[
        bool, typer.Option("--unseen", help="Write also pairs that no sample showed touching.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Show the pairs of links that are checked for collisions, and why the others are not."""
    from limbik.collision.pair_study import study_pairs
    from limbik.formats.srdf_write import write

    model = _loaded(robot, with_srdf)
    study = study_pairs(model, samples)
    if srdf is not None:
        write_text(srdf, write(model.name, study.rules(with_unseen=unseen)))
    if as_json:
        data = {
            "samples": study.samples,
            "checked": [vars(pair) for pair in study.checked],
            "unchecked": [vars(pair) for pair in study.unchecked],
        }
        typer.echo(json.dumps(data, indent=2))
        return
    typer.echo(f"Checked pairs, and at how many of {study.samples} random configurations they touch:")
    for pair in sorted(study.checked, key=lambda pair: -pair.touching):
        said = "never (proved)" if pair.never else str(pair.touching)
        if not pair.never and not pair.touching:
            said = f"0 (less than {100.0 * study.rarely:.2g} % at 95 % confidence)"
        typer.echo(f"  {pair.first}, {pair.second}: {said}")
    typer.echo("Not checked:")
    for other in study.unchecked:
        typer.echo(f"  {other.first}, {other.second}: {other.reason}")


def _folded(text: str) -> str:
    return textwrap.fill(text, WIDTH, break_long_words=False, break_on_hyphens=False)


def _loaded(robot: str, srdf: str | None) -> Model:
    from limbik.formats import load

    with warnings.catch_warnings(record=True) as notes:
        warnings.simplefilter("always")
        model = load(robot, srdf=srdf)
    for note in notes:
        typer.echo(f"limbik: note: {note.message}", err=True)
    return model
