"""`limbik info`: what a robot is made of, and which robots there are."""

from __future__ import annotations

import json
import warnings
from typing import Annotated

import typer

from limbik.errors import ModelError


def info(
    robot: Annotated[
        str | None, typer.Argument(help="A name, or the path of a file; default: list the names.")
    ] = None,
    end_effector: Annotated[
        str | None,
        typer.Option("--end-effector", help="Frame for reach and wrist; default: the robot's own."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")] = False,
) -> None:
    """Show a robot: its joints, limits, frames, reach, wrist and mass. Without one, list the names."""
    if robot is None:
        if end_effector is not None:
            raise ModelError("--end-effector is of a robot: name one, such as limbik info ur5e")
        _list(as_json)
        return
    from limbik.commands.robot_data import Portrait

    with warnings.catch_warnings(record=True) as notes:
        warnings.simplefilter("always")
        portrait = Portrait.of(robot, end_effector)
    if as_json:
        typer.echo(json.dumps(portrait.as_data(), indent=2))
    else:
        from limbik.commands.robot_page import show

        show(portrait)
    for note in notes:
        typer.echo(f"limbik: note: {note.message}", err=True)


def _list(as_json: bool) -> None:
    from limbik.formats.registry import robots

    if as_json:
        data = [
            {
                "name": robot.name,
                "title": robot.title,
                "aliases": robot.aliases,
                "source": robot.source,
                "available": robot.is_available,
            }
            for robot in robots()
        ]
        typer.echo(json.dumps(data, indent=2))
    else:
        from limbik.commands.robot_list import show

        show(robots())
