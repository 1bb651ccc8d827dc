"""`limbik ros`: MoveIt's services of kinematics, answered over rosbridge or as a node of ROS 2."""

from __future__ import annotations

import asyncio
import contextlib
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from limbik.errors import LimbikError, needs_extra

if TYPE_CHECKING:
    from limbik import Model
    from limbik.formats.srdf import Srdf

ROSBRIDGE = "ws://localhost:9090"


def ros(
    robot: Annotated[str, typer.Argument(help="A name, or the path of a URDF.")],
    srdf: Annotated[
        str | None, typer.Option(help="SRDF that names its groups. Default: the one beside the URDF.")
    ] = None,
    world: Annotated[
        str | None, typer.Option(metavar="FILE", help="What stands about it from the beginning.")
    ] = None,
    rosbridge: Annotated[
        str | None,
        typer.Option(metavar="ADDRESS", help=f"Of the rosbridge server. Default: {ROSBRIDGE}."),
    ] = None,
    node: Annotated[
        bool,
        typer.Option("--node", help="Be a node of ROS 2 itself, by rclpy of the ROS in this shell."),
    ] = False,
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
    rosbridge_websocket_launch.xml). With --node it is a node of ROS 2, and needs rclpy and moveit_msgs.

    For example: limbik ros panda.urdf --srdf panda.srdf
    """
    with needs_extra("ros", "`limbik ros`"):
        from limbik.service import ros_node
        from limbik.service.moveit.answers import MoveIt
        from limbik.service.rosbridge import serve
    from limbik.collision import load_world

    if node and rosbridge:
        raise LimbikError("--rosbridge and --node exclude each other: a node needs no rosbridge")

    if namespace and not namespace.startswith("/"):
        raise LimbikError(f"--namespace begins with a slash, as in /robot1; found {namespace!r}")
    has_words = not without_words and (not node or ros_node.has_messages_in_codes())
    model, groups = _robot(robot, srdf)
    moveit = MoveIt(model, groups, None if world is None else load_world(world), has_words=has_words)
    missing = "no SRDF was passed" if groups is None else "its SRDF names none"
    known = ", ".join(moveit.groups) or f"none: {missing}, so leave `group_name` empty"
    typer.echo(f"{model.name}: groups {known}")
    namespace = namespace.rstrip("/")
    if node:
        ros_node.serve(moveit, namespace=namespace, say=typer.echo)
    else:
        with contextlib.suppress(KeyboardInterrupt):
            asyncio.run(serve(moveit, rosbridge or ROSBRIDGE, namespace=namespace, say=typer.echo))
    typer.echo("Stopped.")


def _robot(robot: str, srdf: str | None) -> tuple[Model, Srdf | None]:
    """The model and its SRDF: the one of the option, else the one beside the description.

    A name stands for the installed description of that robot, whose links ROS knows, if there is one.
    """
    from limbik.formats import registry
    from limbik.formats import srdf as srdf_format
    from limbik.formats.load import load, srdf_beside
    from limbik.formats.source import is_text

    match = None if is_text(robot) else registry.find(robot)
    if match is not None and match.installed is not None:
        path = srdf or match.installed.srdf
        model = load(str(match.installed.path), srdf=path, end_effector=match.installed.end_effector)
    else:
        path = srdf or (None if match or is_text(robot) else srdf_beside(Path(robot).expanduser()))
        model = load(robot, srdf=path)
    return model, None if path is None else srdf_format.read(path)
