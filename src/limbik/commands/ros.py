"""`limbik ros`: MoveIt's services of kinematics, answered over rosbridge."""

from __future__ import annotations

import asyncio
import contextlib
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from limbik.errors import LimbikError, MissingExtra

if TYPE_CHECKING:
    from limbik import Model
    from limbik.formats.srdf import Srdf


def ros(
    robot: Annotated[str, typer.Argument(help="A name, or the path of a URDF.")],
    srdf: Annotated[
        str | None, typer.Option(help="SRDF that names its groups. Default: the one beside the URDF.")
    ] = None,
    world: Annotated[
        str | None, typer.Option(metavar="FILE", help="What stands about it from the beginning.")
    ] = None,
    rosbridge: Annotated[
        str, typer.Option(metavar="ADDRESS", help="Of the rosbridge server.")
    ] = "ws://localhost:9090",
    namespace: Annotated[str, typer.Option(help="Goes before the names of services: /robot1.")] = "",
    without_words: Annotated[
        bool,
        typer.Option(
            "--without-words",
            help="Codes without `message` and `source`, for moveit_msgs before ROS 2 Iron and of ROS 1.",
        ),
    ] = False,
) -> None:
    """Answer MoveIt's requests: compute_ik, compute_fk, check_state_validity, apply_planning_scene.

    Needs no ROS on this machine: it talks to a rosbridge server (ros2 launch rosbridge_server
    rosbridge_websocket_launch.xml).

    For example: limbik ros panda.urdf --srdf panda.srdf
    """
    try:
        from limbik.service.moveit.answers import MoveIt
        from limbik.service.rosbridge import serve
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] == "limbik":
            raise
        raise MissingExtra("ros", "`limbik ros`") from None
    from limbik.collision import load_world

    if namespace and not namespace.startswith("/"):
        raise LimbikError(f"--namespace begins with a slash, as in /robot1; found {namespace!r}")
    model, groups = _robot(robot, srdf)
    around = None if world is None else load_world(world)
    moveit = MoveIt(model, groups, around, has_words=not without_words)
    known = ", ".join(moveit.groups) or "none: no SRDF was given, so leave `group_name` empty"
    typer.echo(f"{model.name}: groups {known}")
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(serve(moveit, rosbridge, namespace=namespace.rstrip("/"), say=typer.echo))
    typer.echo("Stopped.")


def _robot(robot: str, srdf: str | None) -> tuple[Model, Srdf | None]:
    """The model, and what its SRDF says: the one that is given, else the one that is there for it.

    Of a robot by name it is the description that is installed, whose links ROS knows, if there is one.
    """
    from limbik.formats import registry
    from limbik.formats import srdf as srdf_format
    from limbik.formats.load import load, srdf_beside
    from limbik.formats.source import is_text

    found = None if is_text(robot) else registry.find(robot)
    description = None if found is None else found.description or found.robot.installed
    if description is not None:
        given = srdf or description.srdf
        model = load(str(description.path), srdf=given, end_effector=description.end_effector)
    else:
        given = srdf or (None if found or is_text(robot) else srdf_beside(Path(robot).expanduser()))
        model = load(robot, srdf=given)
    return model, None if given is None else srdf_format.read(given)
