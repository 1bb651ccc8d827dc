"""`limbik path`: configurations along poses, from the command line or a CSV file, to a CSV file."""

from __future__ import annotations

import textwrap
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from limbik.commands.answers import WIDTH
from limbik.commands.as_typed import number, warn_of_degrees
from limbik.errors import GoalError
from limbik.formats.source import check_ending, write_text
from limbik.options import SLOWEST_RATE

if TYPE_CHECKING:
    from limbik.formats.path_csv import Waypoints
    from limbik.spatial import Matrix4

BROKEN = 1  # exit status

Six = tuple[float, float, float, float, float, float]


def _rate(text: str | float) -> float:
    """The greatest velocity or acceleration of an option; see `number`."""
    value = number(text)
    if value < SLOWEST_RATE:
        raise typer.BadParameter(f"needs a number of at least {SLOWEST_RATE:g}, found {text}")
    return value


def path(
    robot: Annotated[str, typer.Argument(help="A robot's name, or a file that describes one.")],
    begin: Annotated[
        Six | None,
        typer.Option(
            "--from", parser=number, metavar="X Y Z R P Y", help="Where a straight line begins, in m and rad."
        ),
    ] = None,
    end: Annotated[
        Six | None,
        typer.Option("--to", parser=number, metavar="X Y Z R P Y", help="Where it ends, in m and rad."),
    ] = None,
    given: Annotated[
        Path | None,
        typer.Option("--csv", help="Poses: columns x, y, z, roll, pitch, yaw or qx, qy, qz, qw, and time."),
    ] = None,
    out: Annotated[
        str | None, typer.Option(help="Where to write the path, as CSV: columns of times, joints and poses.")
    ] = None,
    frame: Annotated[str | None, typer.Option(help="What moves; default: the end effector.")] = None,
    velocity: Annotated[
        float | None,
        typer.Option(parser=_rate, help="Greatest velocity of a joint, in rad/s or m/s; gives times."),
    ] = None,
    acceleration: Annotated[
        float | None,
        typer.Option(parser=_rate, help="Greatest acceleration, in rad/s^2 or m/s^2."),
    ] = None,
    degrees: Annotated[
        bool, typer.Option("--degrees", help="Read the angles of --from and --to in degrees.")
    ] = False,
) -> None:
    """Find configurations that lead a frame along a path, and say where it has to break and why.

    Exit status: 0 without a break, 1 with one, 2 the request has no meaning, 3 the output cannot be written.

    For example: limbik path ur5e --from 0.4 -0.2 0.5 3.14 0 0 --to 0.4 0.2 0.5 3.14 0 0 --out path.csv
    """
    import limbik
    from limbik.formats.path_csv import path_csv

    if out is not None:
        check_ending(out, ".csv")
    model = limbik.load(robot)
    waypoints = _waypoints(begin, end, given, degrees)
    answer = model.solve_path(
        waypoints.poses,
        times=waypoints.times,
        frame=frame,
        velocity_limits=velocity,
        acceleration_limits=acceleration,
    )
    typer.echo("\n".join(textwrap.wrap(answer.explain(), WIDTH, break_on_hyphens=False)))
    if out is not None:
        write_text(out, path_csv(model, answer))
    if not answer.complete:
        raise typer.Exit(BROKEN)


def _waypoints(begin: Six | None, end: Six | None, file: Path | None, degrees: bool) -> Waypoints:
    import numpy as np

    from limbik.formats.path_csv import Waypoints, read_poses

    if file is not None:
        if begin is not None or end is not None:
            raise GoalError("--csv has all poses: leave out --from and --to, or --csv")
        if degrees:
            raise GoalError("--degrees is for --from and --to: the angles of --csv are in radians")
        return read_poses(file)
    if begin is None or end is None:
        raise GoalError("nothing is requested: give --from and --to, or --csv")
    return Waypoints(np.stack([_pose(begin, "--from", degrees), _pose(end, "--to", degrees)]), None)


def _pose(numbers: Six, name: str, degrees: bool) -> Matrix4:
    import numpy as np

    from limbik.spatial import as_vector, pose_from, rotation_rpy

    vector = as_vector(numbers, 6, name, error=GoalError)
    if not degrees:
        warn_of_degrees(name, numbers[3:])
    turn = np.radians(vector[3:]) if degrees else vector[3:]
    return pose_from(rotation_rpy(*turn), vector[:3])
