"""`limbik collision`: what of a robot collides, and which pairs of its links are checked."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Annotated, Any

import typer

from limbik.errors import FormatError

collision = typer.Typer(
    name="collision",
    help="What of a robot collides, and which pairs of its links are checked.",
    no_args_is_help=True,
)

Robot = Annotated[str, typer.Argument(help="A name, or the path of a file.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")]
Srdf = Annotated[str | None, typer.Option("--with", help="SRDF whose disabled pairs are not checked.")]


@collision.command()
def info(robot: Robot, as_json: AsJson = False) -> None:
    """Show the bodies of a robot: their convex pieces, how far these reach beyond the shapes, their spheres.

    Concave meshes are cut into convex pieces when they are first met, which may take seconds each; what was
    made is kept in the cache folder.
    """
    from limbik.collision.geometry import geometry_of

    geometry = geometry_of(_loaded(robot, None))
    data: dict[str, Any] = {
        "bodies": [
            {
                "name": body.name,
                "link": body.link,
                "pieces": len(body.pieces),
                "overshoot": body.overshoot,
                "spheres": len(body.cover.radii),
                "spheres_overshoot": body.cover.overshoot,
            }
            for body in geometry.bodies
        ],
        "overshoot": geometry.overshoot,
        "note": geometry.note,
    }
    if as_json:
        typer.echo(json.dumps(data, indent=2))
        return
    typer.echo(f"{'body':<30}{'pieces':>7}{'beyond it':>12}{'spheres':>9}{'beyond them':>13}")
    for body in data["bodies"]:
        beyond, spheres = 1e3 * body["overshoot"], 1e3 * body["spheres_overshoot"]
        typer.echo(
            f"{body['name']:<30}{body['pieces']:>7}{beyond:>9.1f} mm{body['spheres']:>9}{spheres:>10.1f} mm"
        )
    if geometry.note:
        typer.echo(f"\nNote: {geometry.note}.")


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
        _write(srdf, write(model.name, study.rules(with_unseen=unseen)))
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


def _loaded(robot: str, srdf: str | None) -> Any:
    from limbik.formats import load

    with warnings.catch_warnings(record=True) as notes:
        warnings.simplefilter("always")
        model = load(robot, srdf=srdf)
    for note in notes:
        typer.echo(f"limbik: note: {note.message}", err=True)
    return model


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise FormatError(str(path), f"cannot be written: {error.strerror}") from None
