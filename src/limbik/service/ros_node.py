"""MoveIt's services as a node of ROS 2: needs rclpy and moveit_msgs of a ROS in whose shell limbik runs."""

from __future__ import annotations

import contextlib
import importlib
from collections.abc import Callable, Mapping
from typing import Any

from limbik.errors import LimbikError
from limbik.service.moveit.answers import SERVICES, MoveIt

QUEUE_DEPTH = 1  # of joint states: the newest is enough
NEEDS_ROS = (
    "--node needs rclpy and moveit_msgs of ROS 2, and {name} is missing here: run `source "
    "/opt/ros/jazzy/setup.bash` first, and install ros-jazzy-moveit-msgs (or those of your version of ROS); "
    "without them leave out --node, and limbik talks to a rosbridge server"
)


def has_messages_in_codes() -> bool:
    """Whether this version's MoveItErrorCodes have `message` and `source`, which came with ROS 2 Iron.

    Raises LimbikError without ROS 2.
    """
    return hasattr(_module("moveit_msgs.msg").MoveItErrorCodes(), "message")


def serve(moveit: MoveIt, *, namespace: str = "", say: Callable[[str], None] = lambda _: None) -> None:
    """Answer what other nodes ask for, one request after the other, until an interrupt or ROS ends it.

    namespace: goes before the names of services, as in "/robot1/compute_ik". say: is told in words what
    happens. Raises LimbikError without ROS 2.
    """
    rclpy, types = _module("rclpy"), _module("moveit_msgs.srv")
    joint_state = _module("sensor_msgs.msg").JointState
    rclpy.init()
    try:
        try:
            node = rclpy.create_node("limbik", namespace=namespace or None)
        except _module("rclpy.exceptions").NameValidationException as error:
            raise LimbikError(f"--namespace {namespace} is no name in ROS: {error}") from None
        for name, kind in SERVICES.items():
            node.create_service(getattr(types, kind), name, _callback(moveit, name, say))

        def note(message: Any) -> None:
            try:
                moveit.note_joint_states(fields_of(message))
            except LimbikError as error:
                say(f"joint_states: {error}")

        node.create_subscription(joint_state, "joint_states", note, QUEUE_DEPTH)
        say("answering as node /limbik: " + ", ".join(f"{namespace}/{name}" for name in SERVICES))
        with contextlib.suppress(KeyboardInterrupt, _module("rclpy.executors").ExternalShutdownException):
            rclpy.spin(node)
    finally:
        rclpy.try_shutdown()


def _callback(moveit: MoveIt, name: str, say: Callable[[str], None]) -> Callable[[Any, Any], Any]:
    """What rclpy calls with a request and an answer to fill in.

    A request that has no meaning, in a service whose answer has no code, leaves it as it is: not valid, no
    success.
    """
    method = getattr(moveit, name)

    def answer(request: Any, response: Any) -> Any:
        try:
            fill(response, method(fields_of(request)))
        except LimbikError as error:
            say(f"{name}: {error}")
        return response

    return answer


def fields_of(message: Any) -> dict[str, Any]:
    """A message of rclpy as JSON has it."""
    return {name: _plain(getattr(message, name)) for name in message.get_fields_and_field_types()}


def _plain(value: Any) -> Any:
    if isinstance(value, bool | int | float | str):
        return value
    if hasattr(value, "tolist"):  # an array of numbers
        return value.tolist()
    if isinstance(value, bytes):  # ROS's type `byte`: one of them
        return value[0]
    if hasattr(value, "get_fields_and_field_types"):
        return fields_of(value)
    return [_plain(each) for each in value]


def fill(message: Any, values: Mapping[str, Any]) -> None:
    """Set fields of a message of rclpy, and of those inside it, from what JSON would have."""
    slots = dict(zip(message.get_fields_and_field_types(), message.SLOT_TYPES, strict=True))
    for name, value in values.items():
        if isinstance(value, Mapping):
            fill(getattr(message, name), value)
        elif isinstance(value, list) and value and isinstance(value[0], Mapping):
            kind = slots[name].value_type  # of an item: its package, and its name there
            items = [getattr(_module(".".join(kind.namespaces)), kind.name)() for _ in value]
            for item, each in zip(items, value, strict=True):
                fill(item, each)
            setattr(message, name, items)
        else:
            setattr(message, name, value)


def _module(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError:
        raise LimbikError(NEEDS_ROS.format(name=name)) from None
