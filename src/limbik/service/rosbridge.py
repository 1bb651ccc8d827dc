"""MoveIt's services over rosbridge: JSON by a WebSocket, for which no ROS needs to be installed.

limbik is the client: it connects to a rosbridge server, advertises the services there and answers what ROS
calls (rosbridge protocol 2.1: `advertise_service`, `call_service`, `service_response`, `subscribe`).
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping
from typing import Any

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake, InvalidURI

from limbik.errors import LimbikError, shortened
from limbik.service.moveit.answers import SERVICES, MoveIt

MAX_SIZE = 16 * 2**20  # [bytes] of a message
RETRY_TIME = 2.0  # [s] until a lost server is tried again


async def serve(
    moveit: MoveIt, address: str, *, namespace: str = "", say: Callable[[str], None] = lambda _: None
) -> None:
    """Answer what comes from a rosbridge server, "ws://localhost:9090", until the task is cancelled.

    namespace: goes before the names of services, as in "/robot1/compute_ik". say: is told in words what
    happens. A server that goes away is tried again; one that was never there raises LimbikError.
    """
    has_met = False
    while True:
        try:
            async with connect(address, max_size=MAX_SIZE) as server:
                has_met = True
                say(f"answering at {address}: " + ", ".join(f"{namespace}/{name}" for name in SERVICES))
                try:
                    await _answer_all(moveit, server, namespace, say)
                except asyncio.CancelledError:
                    await server.close()  # in good order, not as after an error
                    raise
        except (InvalidURI, ValueError):  # ValueError: of a port or a host that none can have
            if not has_met:  # else it sends elsewhere
                raise LimbikError(
                    f"{address!r} is no address of a rosbridge; it is like ws://localhost:9090"
                ) from None
        except (OSError, InvalidHandshake, TimeoutError) as error:
            if not has_met:
                reason = getattr(error, "strerror", None) or str(error)
                raise LimbikError(f"no rosbridge answers at {address}: {reason}") from None
        except ConnectionClosed:
            pass
        say(f"the rosbridge at {address} is gone; trying again")
        await asyncio.sleep(RETRY_TIME)


async def _answer_all(
    moveit: MoveIt, server: ClientConnection, namespace: str, say: Callable[[str], None]
) -> None:
    for name, kind in SERVICES.items():
        await server.send(
            json.dumps(
                {"op": "advertise_service", "service": f"{namespace}/{name}", "type": f"moveit_msgs/{kind}"}
            )
        )
    topic = f"{namespace}/joint_states"
    await server.send(
        json.dumps({"op": "subscribe", "topic": topic, "type": "sensor_msgs/JointState", "throttle_rate": 20})
    )
    async for text in server:
        message = _parsed(text)
        if message.get("op") == "publish" and message.get("topic") == topic:
            try:
                moveit.note_joint_states(message.get("msg") or {})
            except (LimbikError, RecursionError) as error:
                say(f"{topic}: {error}")
        elif message.get("op") == "call_service":
            # In a thread, so that the connection stays alive; one after the other, as they came.
            await server.send(await asyncio.to_thread(answer, moveit, message, namespace, say))


def answer(moveit: MoveIt, call: Mapping[str, Any], namespace: str, say: Callable[[str], None]) -> str:
    """The `service_response` to a call, as JSON."""
    service = call.get("service", "")
    if not isinstance(service, str):
        service = shortened(service)
    name = service.removeprefix(f"{namespace}/")
    arguments = call.get("args")
    if arguments is None or arguments == []:  # both may stand for a request without fields
        arguments = {}
    response: dict[str, Any] = {"op": "service_response", "service": service, "result": True}
    if isinstance(call.get("id"), str | int):  # and no more: NaN is no JSON, a list may be too deep
        response["id"] = call["id"]
    if name not in SERVICES:
        return json.dumps({**response, "result": False, "values": f"there is no service {service!r} here"})
    try:
        if not isinstance(arguments, Mapping):
            raise LimbikError(f"`args` needs the fields of the request by name, found {shortened(arguments)}")
        values = getattr(moveit, name)(arguments)
    except LimbikError as error:
        say(f"{service}: {error}")
        return json.dumps({**response, "result": False, "values": f"{service}: {error}"})
    return json.dumps({**response, "values": values})


def _parsed(text: str | bytes) -> Mapping[str, Any]:
    """A message; an empty one for what is none."""
    try:
        message = json.loads(text)
    except (ValueError, RecursionError):  # RecursionError: lists too deep inside each other
        return {}
    return message if isinstance(message, dict) else {}
