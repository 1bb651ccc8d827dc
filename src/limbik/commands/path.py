"""`limbik path`: configurations along poses, from the command line or a CSV file, to a CSV file."""

from __future__ import annotations

import csv
import math
import textwrap
from collections.abc import Sequence
from pathlib import Path as FilePath
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from limbik.commands.answers import WIDTH, names
from limbik.errors import FormatError, GoalError, LimbikError

if TYPE_CHECKING:
    from limbik import Model, Path
    from limbik.spatial import Array

BROKEN = 1  # exit status

Six = tuple[float, float, float, float, float, float]

POSITION = ("x", "y", "z")
ROLL_PITCH_YAW = ("roll", "pitch", "yaw")
QUATERNION = ("qx", "qy", "qz", "qw")


class Waypoints(NamedTuple):
    """What a CSV file asks for."""

    poses: Array  # [N, 4, 4]
    times: list[float] | None  # [N] in seconds


def path(
    robot: Annotated[str, typer.Argument(help="A robot's name, or a file that describes one.")],
    begin: Annotated[
        Six | None,
        typer.Option("--from", metavar="X Y Z R P Y", help="Where a straight line begins, in m and rad."),
    ] = None,
    end: Annotated[
        Six | None, typer.Option("--to", metavar="X Y Z R P Y", help="Where it ends, in m and rad.")
    ] = None,
    given: Annotated[
        FilePath | None,
        typer.Option("--csv", help="Poses: columns x, y, z, roll, pitch, yaw or qx, qy, qz, qw, and time."),
    ] = None,
    out: Annotated[
        FilePath | None, typer.Option(help="Where to write the path: a column of times, one for each joint.")
    ] = None,
    frame: Annotated[str | None, typer.Option(help="What moves; default: the end effector.")] = None,
    velocity: Annotated[
        float | None, typer.Option(help="Greatest velocity of a joint, in rad/s or m/s; gives times.")
    ] = None,
    acceleration: Annotated[
        float | None, typer.Option(help="Greatest acceleration, in rad/s^2 or m/s^2.")
    ] = None,
) -> None:
    """Find configurations that lead a frame along a path, and say where it has to break and why.

    Exit status: 0 without a break, 1 with one, 2 the request has no meaning, 3 the output cannot be written.

    For example: limbik path ur5e --from 0.4 -0.2 0.5 3.14 0 0 --to 0.4 0.2 0.5 3.14 0 0 --out path.csv
    """
    import limbik

    model = limbik.load(robot)
    asked = _asked(begin, end, given)
    found = model.solve_path(
        asked.poses,
        times=asked.times,
        frame=frame,
        velocity_limits=velocity,
        acceleration_limits=acceleration,
    )
    typer.echo("\n".join(textwrap.wrap(found.explain(), WIDTH, break_on_hyphens=False)))
    if out is not None:
        _write(out, model, found)
    if not found.complete:
        raise typer.Exit(BROKEN)


def _asked(begin: Six | None, end: Six | None, given: FilePath | None) -> Waypoints:
    import numpy as np

    if given is not None:
        if begin is not None or end is not None:
            raise GoalError("--csv has all poses: leave out --from and --to, or --csv")
        return read_waypoints(given)
    if begin is None or end is None:
        raise GoalError("nothing is asked for: give --from and --to, or --csv")
    return Waypoints(np.stack([_pose(begin, "--from"), _pose(end, "--to")]), None)


# --- files --------------------------------------------------------------------------------------------------


def read_waypoints(file: FilePath) -> Waypoints:
    """The poses of a CSV file with a header, and their times where it has a column of them.

    Raises FormatError with the line.
    """
    import numpy as np

    try:
        rows = list(csv.reader(file.read_text(encoding="utf-8-sig").splitlines()))
    except (OSError, UnicodeDecodeError) as error:
        raise FormatError(str(file), f"cannot be read: {error}") from None
    header = [word.strip() for word in rows[0]] if rows else []
    turn = QUATERNION if "qw" in header else ROLL_PITCH_YAW
    missing = [word for word in (*POSITION, *turn) if word not in header]
    if missing:
        needed = f"x, y, z and roll, pitch, yaw or qx, qy, qz, qw; {', '.join(missing)} not found"
        raise FormatError(str(file), f"the header needs the columns {needed}", line=1)
    numbers = [_row(file, line, row, header) for line, row in enumerate(rows[1:], 2) if row]
    if not numbers:
        raise FormatError(str(file), "there are no poses below the header", line=1)
    poses = [_pose([each[word] for word in (*POSITION, *turn)], f"a pose of {file}") for each in numbers]
    return Waypoints(np.stack(poses), [each["time"] for each in numbers] if "time" in header else None)


def _row(file: FilePath, line: int, row: Sequence[str], header: Sequence[str]) -> dict[str, float]:
    if len(row) != len(header):
        raise FormatError(str(file), f"needs {len(header)} numbers, found {len(row)}", line=line)
    try:
        numbers = [float(word) for word in row]
    except ValueError:
        raise FormatError(str(file), f"needs numbers, found {','.join(row)!r}", line=line) from None
    if not all(map(math.isfinite, numbers)):
        raise FormatError(str(file), f"needs finite numbers, found {','.join(row)!r}", line=line)
    return dict(zip(header, numbers, strict=True))


def _pose(numbers: Sequence[float], name: str) -> Any:
    """4x4 of x y z and roll pitch yaw, or x y z and a quaternion."""
    import numpy as np

    from limbik.spatial import as_vector, pose_from, quat_normalise, quat_to_matrix, rotation_exp

    vector = as_vector(numbers, len(numbers), name, error=GoalError)
    if len(vector) == 7:
        if not vector[3:].any():
            raise GoalError(f"{name} needs a quaternion that is not all 0")
        return pose_from(quat_to_matrix(quat_normalise(vector[3:])), vector[:3])
    x, y, z = np.eye(3)
    roll, pitch, yaw = vector[3:]
    return pose_from(rotation_exp(yaw * z) @ rotation_exp(pitch * y) @ rotation_exp(roll * x), vector[:3])


def _write(file: FilePath, model: Model, found: Path) -> None:
    """One line for each knot: its time, where there are times, and its joints [rad or m]."""
    heads = [*(["time"] if found.times is not None else []), *names(model)]
    lines = [",".join(heads)]
    for k, q in enumerate(found.q):
        when = [] if found.times is None else [found.times[k]]
        lines.append(",".join(f"{value:.9g}" for value in (*when, *q)))
    try:
        file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    except OSError as error:
        raise LimbikError(f"--out {file} cannot be written: {error}") from None
