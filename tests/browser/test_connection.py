"""What the page does when its server compiles, refuses, goes away and comes back."""

import json
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager

import numpy as np
import pytest
from playwright.sync_api import WebSocketRoute

from browser.playground import Playground, near


def free_port() -> int:
    with closing(socket.socket()) as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


@contextmanager
def serving(port: int) -> Iterator[str]:
    """`limbik play` in a process of its own."""
    command = [
        sys.executable,
        "-c",
        "from limbik.cli import app; app()",
        "play",
        "--no-browser",
        "--port",
        str(port),
    ]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    address = f"http://127.0.0.1:{port}"
    try:
        for _ in range(1200):
            try:
                urllib.request.urlopen(f"{address}/health").close()
                break
            except OSError:
                assert process.poll() is None, "the server ended"
                time.sleep(0.05)
        yield address
    finally:
        process.kill()
        process.wait()


def test_a_server_that_goes_away_is_said_and_the_page_reconnects_with_its_state(
    make_playground: Callable[..., Playground],
) -> None:
    port = free_port()
    with serving(port) as address:
        playground = make_playground(server=address)
        playground.is_offline_expected = True
        playground.open("?algo=ccd&race=ccd,dls&n=4&L=60&cv=0&mx=400&my=400")
        playground.until(lambda: playground.find("#status").is_hidden(), "all is well")
        playground.page.mouse.click(350, 250)
        playground.wait_at((350, 250))
        playground.wait_reached("ccd", 0.1)  # the tolerance: it moves no more
        before = playground.q("ccd")
    playground.until(lambda: "not answering" in playground.find("#status").inner_text(), "the page says so")
    assert playground.page.evaluate("window.limbikReady") is False
    assert playground.find("#retry").count() == 1
    said, tools = (playground.find(name).bounding_box() for name in ("#status", ".plane-tools"))
    assert said["x"] + said["width"] <= tools["x"] or said["y"] >= tools["y"] + tools["height"]
    playground.page.mouse.click(420, 240)
    playground.wait_at((420, 240))
    assert np.array_equal(playground.q("ccd"), before)
    asked = len(playground.requests)
    with serving(port):
        playground.wait_live()
        playground.wait_reached("ccd")
        playground.wait_reached("dls")
        playground.until(lambda: playground.find("#status").is_hidden(), "all is well again")
        assert near(playground.target, (420, 240))
        assert playground.q("ccd").size == 4
        # A fresh server knows no pose: the page has told it where the arms stood.
        first = next(request for request in playground.requests[asked:] if request["start"])
        assert np.allclose(first["start"]["ccd"], before, atol=1e-6)
        assert set(first["start"]) == {"ccd", "dls"}


@pytest.fixture
def fresh(make_playground: Callable[..., Playground]) -> Playground:
    """A tab whose messages are intercepted."""
    return make_playground(is_fresh=True)


def relay(
    playground: Playground,
    change: Callable[[WebSocketRoute, WebSocketRoute, str], None],
    answer: Callable[[WebSocketRoute, str | bytes], None] = WebSocketRoute.send,
) -> None:
    """Let `change` decide about every message of the page, and `answer` about every one of the server."""

    def connect(page_side: WebSocketRoute) -> None:
        server_side = page_side.connect_to_server()
        page_side.on_message(lambda message: change(page_side, server_side, str(message)))
        server_side.on_message(lambda message: answer(page_side, message))

    playground.page.route_web_socket("**/ws", connect)


def test_an_error_of_the_server_is_shown_at_its_field_and_the_page_goes_on(fresh: Playground) -> None:
    def refuse_gamma(page_side: WebSocketRoute, server_side: WebSocketRoute, message: str) -> None:
        request = json.loads(message)
        if request.get("settings", {}).get("gamma") != 0.9:
            server_side.send(message)
            return
        text = "settings.gamma: this is refused, for a test"
        answer = {"type": "error", "id": request["id"], "message": text, "field": "settings.gamma"}
        page_side.send(json.dumps(answer))

    relay(fresh, refuse_gamma)
    fresh.open("?algo=jt&cv=0")
    fresh.type_number("g", 0.9)
    fresh.until(lambda: "this is refused, for a test" in fresh.notices, "the error is shown")
    assert fresh.find(".notice.is-error").count() == 1
    assert fresh.find("#g").get_attribute("aria-invalid") == "true"
    fresh.type_number("g", 0.5)
    assert fresh.find("#g").get_attribute("aria-invalid") is None
    fresh.page.mouse.click(400, 250)
    fresh.wait_at((400, 250))
    fresh.wait_reached("jt")


def test_what_failed_at_the_server_is_tried_again(fresh: Playground) -> None:
    failed: list[str] = []

    def fail_once(page_side: WebSocketRoute, server_side: WebSocketRoute, message: str) -> None:
        if '"solve"' in message and not failed:
            failed.append(message)
            answer = {"type": "error", "id": json.loads(message)["id"], "message": "it broke", "field": None}
            page_side.send(json.dumps(answer))
        else:
            server_side.send(message)

    relay(fresh, fail_once)
    fresh.open("?cv=0", live=False)
    fresh.until(lambda: "it broke" in fresh.notices, "the page says so")
    fresh.wait_live()
    fresh.wait_reached("dls")


def test_compiling_is_said_while_it_lasts(fresh: Playground) -> None:
    held: list[tuple[WebSocketRoute, str]] = []

    def hold_solves(page_side: WebSocketRoute, server_side: WebSocketRoute, message: str) -> None:
        if '"solve"' in message:
            held.append((server_side, message))
            page_side.send(json.dumps({"type": "status", "state": "compiling", "message": "compiling dls"}))
        else:
            server_side.send(message)

    def drop_status(page_side: WebSocketRoute, message: str | bytes) -> None:
        """The server is ready in truth, and may say so at any moment."""
        if not str(message).startswith('{"type":"status"'):
            page_side.send(message)

    relay(fresh, hold_solves, drop_status)
    fresh.open(live=False)
    fresh.until(lambda: "compiling dls" in fresh.find("#status").inner_text(), "the page says so")
    assert fresh.page.evaluate("window.limbikReady") is False
    assert fresh.find("#retry").is_hidden()
    while held:
        server_side, message = held.pop()
        server_side.send(message)
        fresh.page.wait_for_timeout(300)
    fresh.page.unroute_all()


def test_the_newest_target_wins_and_one_request_is_in_flight(fresh: Playground) -> None:
    waiting: list[int] = []
    most: list[int] = []

    def count(page_side: WebSocketRoute, server_side: WebSocketRoute, message: str) -> None:
        if '"solve"' in message:
            waiting.append(json.loads(message)["id"])
            most.append(len(waiting))
        server_side.send(message)

    def answer(page_side: WebSocketRoute, message: str | bytes) -> None:
        if isinstance(message, bytes):
            waiting.pop()
        page_side.send(message)

    relay(fresh, count, answer)
    fresh.open("?cv=0&n=6&L=60")
    for end in ((300, 300), (600, 250), (450, 200)):
        fresh.drag_target(end)
    fresh.wait_at((450, 200))
    fresh.wait_reached("dls")
    assert max(most) == 1


def test_garbage_on_another_socket_disturbs_no_page(playground: Playground) -> None:
    playground.open("?cv=0")
    answers = playground.page.evaluate(
        """() => new Promise((done) => {
          const socket = new WebSocket(location.origin.replace('http', 'ws') + '/ws');
          const heard = [];
          socket.onopen = () => {
            for (const text of ['{', '[]', '{"type":"solve"}', '{"type":"nonsense"}']) socket.send(text);
          };
          socket.onmessage = (event) => {
            heard.push(JSON.parse(event.data).type);
            if (heard.length === 4) done(heard);
          };
        })"""
    )
    assert answers == ["error"] * 4
    playground.page.mouse.click(400, 250)
    playground.wait_at((400, 250))
    playground.wait_reached("dls")
