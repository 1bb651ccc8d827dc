"""`limbik solve`: prints a solution, or all with `--all`, or why there is none."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from limbik.commands.answers import listed, text
from limbik.commands.as_typed import number, warn_of_degrees
from limbik.errors import ConfigurationError, GoalError, LimbikError
from limbik.number_text import number_from
from limbik.service.plain import all_data, data, units

if TYPE_CHECKING:
    from limbik import Goal, Model
    from limbik.spatial import Array, Matrix3

NO_SOLUTION = 1  # exit status

Three = tuple[float, float, float]
Four = tuple[float, float, float, float]


def solve(
    robot: Annotated[str, typer.Argument(help="A robot's name, or a file that describes one.")],
    frame: Annotated[str | None, typer.Option(help="What is to go there; default: the end effector.")] = None,
    position: Annotated[
        Three | None,
        typer.Option(parser=number, metavar="X Y Z", help="Where its origin is to be, in metres."),
    ] = None,
    rpy: Annotated[
        Three | None,
        typer.Option(
            parser=number,
            metavar="R P Y",
            help="How it is to be turned: roll, pitch, yaw about x, y, z, in rad.",
        ),
    ] = None,
    quat_xyzw: Annotated[
        Four | None,
        typer.Option(parser=number, metavar="X Y Z W", help="How it is to be turned, as a quaternion."),
    ] = None,
    direction: Annotated[
        Three | None,
        typer.Option(parser=number, metavar="X Y Z", help="Where its z axis is to point, with any spin."),
    ] = None,
    start: Annotated[
        str | None,
        typer.Option(metavar="Q1,Q2,...", help="Where the joints are, in rad or m; the answer stays near."),
    ] = None,
    solver: Annotated[str, typer.Option(help="The method; see the README for their names.")] = "auto",
    seed: Annotated[
        int, typer.Option(min=0, help="Of the random choices: the same one, the same answer.")
    ] = 0,
    degrees: Annotated[
        bool, typer.Option("--degrees", help="Read and print angles in degrees. (JSON stays in radians.)")
    ] = False,
    every: Annotated[
        bool, typer.Option("--all", help="Every solution, by branch; with --start the nearest first.")
    ] = False,
    world: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Objects that nothing may touch: JSON, YAML or MoveIt's scenes."),
    ] = None,
    clearance: Annotated[
        float | None,
        typer.Option(
            parser=number,
            metavar="D",
            help="By how much all is to be apart, in metres; alone: the robot itself.",
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print data instead of text.")] = False,
) -> None:
    """Solve for a position, an orientation or both, and print the answer or why there is none.

    Without a solution, --all too prints the explanation. Six revolute joints with a closed form have all of
    theirs printed; other arms have those that 200 random starts lead to, and an estimate of what is missing.

    Exit status: 0 solved, 1 no solution, 2 the request has no meaning, 3 the output cannot be written.

    For example: limbik solve panda --position 0.4 -0.2 0.5 --rpy 3.14 0 0
    """
    import limbik

    model = limbik.load(robot)
    scale = math.pi / 180.0 if degrees else 1.0
    if rpy is not None and not degrees:
        warn_of_degrees("--rpy", rpy)
    turn = None if rpy is None else tuple(scale * angle for angle in rpy)
    goal = _goal(frame, position, turn, quat_xyzw, direction)
    if every and solver != "auto":
        raise LimbikError("--all finds them by the arm's geometry: leave out --solver, or --all")
    q = None if start is None else _start(start, model, scale)
    free = _free(world, clearance)
    solution = model.solve(goal, start=q, seed=seed, solver=solver, **free)
    if every and solution.success:
        answers = model.solve_all(goal, start=q, seed=seed, **free)
        if as_json:
            _print_json(all_data(model, answers))
        else:
            typer.echo("\n".join(listed(model, answers, degrees)))
    elif as_json:
        _print_json(data(model, solution))
    else:
        typer.echo("\n".join(text(model, solution, degrees)))
    if not solution.success:
        raise typer.Exit(NO_SOLUTION)


# --- requests -----------------------------------------------------------------------------------------------


def _goal(
    frame: str | None,
    position: Three | None,
    rpy: Sequence[float] | None,
    quat_xyzw: Four | None,
    direction: Three | None,
) -> Goal:
    from limbik import Orientation, Pose, Position
    from limbik.spatial import as_vector, pose_from

    options = {"--rpy": rpy, "--quat-xyzw": quat_xyzw, "--direction": direction}
    orientations = [(name, numbers) for name, numbers in options.items() if numbers is not None]
    if len(orientations) > 1:
        both = " and ".join(name for name, _ in orientations)
        raise GoalError(f"{both} each say how the frame is to be turned: give one of them")
    if not orientations and position is None:
        raise GoalError("nothing is requested: give --position X Y Z, or --rpy, --quat-xyzw or --direction")
    point = None if position is None else as_vector(position, 3, "--position", error=GoalError)
    if point is not None and not orientations:
        return Position(frame=frame, target=point)
    rotation = _rotation(*orientations[0])
    if direction is None and point is None:
        return Orientation(frame=frame, target=rotation)
    weights = (*(float(point is not None),) * 3, 1.0, 1.0, float(direction is None))
    return Pose(frame=frame, target=pose_from(rotation, point), weights=weights)


def _free(world: Path | None, clearance: float | None) -> dict[str, Any]:
    """What is to be avoided, as `solve` takes it."""
    if world is None and clearance is None:
        return {}
    from limbik.collision import World, load_world

    return {"world": World() if world is None else load_world(world), "clearance": clearance or 0.0}


def _rotation(name: str, numbers: Sequence[float]) -> Matrix3:
    """The rotation requested; for a direction, one of those that turn z along it."""
    import numpy as np

    from limbik.spatial import as_vector, quat_normalise, quat_to_matrix, rotation_between, rotation_rpy

    vector = as_vector(numbers, len(numbers), name, error=GoalError)
    if name == "--rpy":
        return rotation_rpy(*(math.remainder(angle, 2.0 * math.pi) for angle in vector))
    if not vector.any():
        raise GoalError(f"{name} needs numbers that are not all 0")
    if name == "--quat-xyzw":
        return quat_to_matrix(quat_normalise(vector))
    return rotation_between(np.array([0.0, 0.0, 1.0]), vector)


def _start(text: str, model: Model, scale: float) -> Array:
    """q [nq] from numbers with commas or spaces between them; angles times `scale` are radians."""
    import numpy as np

    words = re.split(r"\s*,\s*|\s+", text.strip())
    q = np.array([number_from(word) for word in words])
    if not np.isfinite(q).all():
        raise ConfigurationError(f"--start needs numbers with commas or spaces between them, found {text!r}")
    if q.size != model.nq:
        raise ConfigurationError(f"--start needs {model.nq} numbers for {model.name!r}, found {q.size}")
    return q * [scale if unit == "rad" else 1.0 for unit in units(model)]


def _print_json(value: Any) -> None:
    typer.echo(json.dumps(value, indent=2, allow_nan=False))
