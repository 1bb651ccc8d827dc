"""The server over real sockets: pages, hostile clients, many sessions, and what is freed when one leaves."""

import asyncio
import contextlib
import http.client
import json
import logging
import os
import re
import socket
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import urlsplit

import numpy as np
import pytest
from starlette.websockets import WebSocketDisconnect, WebSocketDisconnected
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect

from limbik import __version__, solvers
from limbik.app import connection
from limbik.app.connection import CLOSE_FULL, CLOSE_IDLE, FIRST, Bounds
from limbik.app.protocol import MAX_MESSAGE_BYTES, decode_plane_solve
from limbik.app.server import create_app, make_server, running
from limbik.app.session import SOLVERS
from limbik.service.address import AddressError, PortBusy, address_of, listen
from limbik.service.security import Gate

PATIENCE = 600.0  # [s] until a wait is given up: solvers may be compiled before an answer
SOLVE = {
    "type": "solve",
    "id": 1,
    "links": 6,
    "length": 80,
    "base": [400, 360],
    "target": [520, 200],
    "solvers": ["dls"],
    "settings": {"iterations": 64, "lambda": 0.5},
}
UPGRADE = (
    b"Upgrade: websocket\r\nConnection: Upgrade\r\n"
    b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
)
GREETING = b'{"type": "hello", "version": 1}'
HELLO = bytes([0x81, 0x80 | len(GREETING), 0, 0, 0, 0]) + GREETING  # as a frame of a WebSocket
PAGE = '<!doctype html><script type="importmap">{"imports": {}}</script><title>limbik</title>'


@pytest.fixture(scope="module")
def static(tmp_path_factory):
    """A folder with a small page, and a secret beside it."""
    folder = tmp_path_factory.mktemp("site") / "static"
    (folder / "css").mkdir(parents=True)
    (folder / "index.html").write_text(PAGE)
    (folder / "main.js").write_text("export const answer = 42;\n")
    (folder / "css" / "page.css").write_text("body { margin: 0 }\n")
    (folder.parent / "secret.txt").write_text("secret")
    (folder.parent / "static-secret.txt").write_text("secret")
    os.symlink(folder.parent / "secret.txt", folder / "link.txt")
    return folder


@pytest.fixture(scope="module")
def address(static):
    with running(static=static) as address:
        yield address


def open_page(address, **options):
    """A WebSocket as a browser opens it."""
    options.setdefault("origin", address)
    return connect(address.replace("http", "ws") + "/ws", compression=None, **options)


def ask(page, **changes):
    """Send a solve; wait for its frame or the error."""
    page.send(json.dumps({**SOLVE, **changes}))
    while True:
        answer = page.recv(timeout=PATIENCE)
        if isinstance(answer, bytes):
            return decode_plane_solve(answer)
        if json.loads(answer)["type"] == "error":
            return json.loads(answer)


def get(address, path, method="GET", **headers):
    """An HTTP request whose path is sent exactly as it is."""
    client = http.client.HTTPConnection(urlsplit(address).netloc, timeout=30)
    with contextlib.closing(client):
        client.putrequest(method, path, skip_host="Host" in headers)
        for name, value in headers.items():
            client.putheader(name.replace("_", "-"), value)
        client.endheaders()
        response = client.getresponse()
        response.text = response.read().decode()
        return response


def sessions(address):
    return json.loads(get(address, "/health").text)["sessions"]


def wait_for_sessions(address, count):
    """Wait until the server has that many sessions."""
    for _ in range(12_000):
        if sessions(address) == count:
            return
        time.sleep(0.01)
    raise AssertionError(f"{sessions(address)} sessions, expected {count}")


# Pages over HTTP


def test_the_page_and_its_files_are_served_to_be_revalidated(address):
    page = get(address, "/")
    assert (page.status, page.text) == (200, PAGE)
    assert page.headers["Content-Type"] == "text/html; charset=utf-8"
    module = get(address, "/static/main.js")
    assert (module.status, module.text) == (200, "export const answer = 42;\n")
    assert module.headers["Content-Type"].startswith("text/javascript")
    assert get(address, "/static/css/page.css").headers["Content-Type"].startswith("text/css")
    for response in (page, module):
        assert response.headers["Cache-Control"] == "no-cache"
    again = get(address, "/static/main.js", If_None_Match=module.headers["ETag"])
    assert (again.status, again.text) == (304, "")
    assert get(address, "/", method="HEAD").status == 200


def test_the_files_of_a_page_are_kept_until_one_of_them_changes(tmp_path):
    (tmp_path / "main.js").write_text("export const answer = 41;\n")
    (tmp_path / "index.html").write_text('<script type="module" src="static/main.js"></script>')
    with running(static=tmp_path) as address:

        def files():
            return re.search(r'src="(static-\w+)/main\.js"', get(address, "/").text)[1]

        first = files()
        module = get(address, f"/{first}/main.js")
        assert (module.status, module.text) == (200, "export const answer = 41;\n")
        assert "immutable" in module.headers["Cache-Control"]
        assert files() == first
        (tmp_path / "main.js").write_text("export const answer = 4200;\n")
        second = files()
        assert second != first
        assert get(address, f"/{second}/main.js").text == "export const answer = 4200;\n"
        assert get(address, f"/{second}/nothing.js").status == 404
        assert get(address, "/").headers["Cache-Control"] == "no-cache"


def test_every_answer_has_security_headers(address):
    for path in ("/", "/static/main.js", "/health", "/nowhere"):
        headers = get(address, path).headers
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert headers["Referrer-Policy"] == "no-referrer"
        assert "default-src 'none'" in headers["Content-Security-Policy"]
        assert "unsafe" not in headers["Content-Security-Policy"]
    assert "'sha256-" in get(address, "/").headers["Content-Security-Policy"]
    assert "'sha256-" not in get(address, "/static/main.js").headers["Content-Security-Policy"]


def test_addresses_that_are_no_page_have_an_icon(address):
    answer = get(address, "/favicon.ico")
    assert answer.getheader("Location") == "/static/favicon.svg"


def test_health_counts_sessions(address):
    wait_for_sessions(address, 0)
    with open_page(address), open_page(address):
        wait_for_sessions(address, 2)
        assert json.loads(get(address, "/health").text) == {"status": "ok", "sessions": 2}
    wait_for_sessions(address, 0)


@pytest.mark.parametrize(
    "path",
    [
        "/static/../secret.txt",
        "/static/../../secret.txt",
        "/static/%2e%2e/secret.txt",
        "/static/..%2fsecret.txt",
        "/static/%2e%2e%2fsecret.txt",
        "/static/..%5csecret.txt",
        "/static/css/../../secret.txt",
        "/static//../secret.txt",
        "/static/../static-secret.txt",
        "/static-1/../secret.txt",
        "/static-1/%2e%2e/secret.txt",
        "/static-1/link.txt",
        "/static-secret.txt",
        "/static/link.txt",
        "/static//etc/passwd",
        "/static/%2fetc%2fpasswd",
        "/static/..%00/secret.txt",
        "/static/" + "a" * 5000,
        "/../../../../etc/passwd",
        "//etc/passwd",
        "/static/",
        "/static/css",
    ],
)
def test_nothing_outside_the_static_folder_is_served(address, path):
    response = get(address, path)
    assert response.status in (400, 404)
    assert "secret" not in response.text
    assert "root:" not in response.text


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS"])
def test_pages_can_only_be_read(address, method):
    for path in ("/", "/static/main.js", "/health"):
        assert get(address, path, method=method).status == 405


def test_a_foreign_host_name_is_refused(address):
    response = get(address, "/", Host="evil.example")
    assert response.status == 421
    assert PAGE not in response.text


def test_a_missing_page_is_said(tmp_path):
    with running(static=tmp_path) as address:
        assert get(address, "/").status == 404
        assert "missing" in get(address, "/").text


# A session


def test_hello_is_welcomed_and_told_when_the_kernels_are_ready(address):
    with open_page(address) as page:
        page.send('{"type": "hello", "version": 1}')
        welcome = json.loads(page.recv(timeout=PATIENCE))
        assert (welcome["type"], welcome["version"], welcome["limbik"]) == ("welcome", 1, __version__)
        assert [solver["name"] for solver in welcome["solvers"]] == list(solvers.names(compiled=True))
        state = ""
        while state != "ready":
            status = json.loads(page.recv(timeout=PATIENCE))
            assert status["type"] == "status"
            assert status["message"]
            state = status["state"]


def test_a_solve_is_answered_for_every_solver(address):
    with open_page(address) as page:
        frame = ask(page, id=99, solvers=list(SOLVERS), trace=True)
    assert frame.id == 99
    assert [arm.solver for arm in frame.arms] == list(SOLVERS)
    assert frame.server_ms > 0
    for arm in frame.arms:
        assert arm.q.shape == (6,)
        assert arm.errors.shape == (arm.iterations + 1,)
        assert arm.trace.shape == (arm.iterations + 1, 6)
        assert arm.microseconds > 0


def test_a_session_remembers_its_arms_and_reset_forgets_them(address):
    def begin(page):
        return ask(page, settings={"iterations": 1}, trace=True).arms[0]

    with open_page(address) as page:
        first, second = begin(page), begin(page)
        np.testing.assert_allclose(second.trace[0], first.q, atol=1e-6)
        page.send('{"type": "reset"}')
        np.testing.assert_array_equal(begin(page).trace[0], first.trace[0])


def test_requests_that_queue_up_are_all_answered_in_order(address):
    with open_page(address) as page:
        for number in range(300):
            page.send(json.dumps({**SOLVE, "id": number}))
        answers = [page.recv(timeout=PATIENCE) for _ in range(300)]
    assert [decode_plane_solve(answer).id for answer in answers if isinstance(answer, bytes)] == list(
        range(300)
    )


def test_many_pages_work_at_once_each_with_its_own_arms(address):
    wait_for_sessions(address, 0)
    everyone = threading.Barrier(24)

    def visit(number):
        links = 2 + number
        with open_page(address) as page:
            everyone.wait(timeout=PATIENCE)
            frames = [ask(page, id=1000 * number + k, links=links, solvers=["ccd", "dls"]) for k in range(20)]
            everyone.wait(timeout=PATIENCE)
        assert [frame.id for frame in frames] == [1000 * number + k for k in range(20)]
        assert all(arm.q.shape == (links,) for frame in frames for arm in frame.arms)

    with ThreadPoolExecutor(24) as pool:
        list(pool.map(visit, range(24)))
    wait_for_sessions(address, 0)


# Hostile messages

HOSTILE = {
    "nothing": "",
    "not JSON": "drop table arms",
    "not an object": "[1, 2, 3]",
    "no type": "{}",
    "unknown type": '{"type": "shutdown"}',
    "type is an object": '{"type": {"type": "solve"}}',
    "lone surrogate": '{"type": "\\ud83d"}',
    "wrong types": json.dumps({**SOLVE, "links": "six", "base": "here"}),
    "out of range": json.dumps({**SOLVE, "links": 65}),
    "too many arms": json.dumps({**SOLVE, "solvers": ["ccd"] * 1000}),
    "NaN": json.dumps({**SOLVE, "length": float("nan")}),
    "Infinity": json.dumps({**SOLVE, "target": [float("inf"), 0]}),
    "1e999": json.dumps(SOLVE).replace("520", "1e999"),
    "endless integer": json.dumps(SOLVE).replace("520", "9" * 50_000),
    "deep lists": "[" * 60_000,
    "deep objects": '{"a":' * 12_000,
    "deep target": json.dumps(SOLVE).replace("[520, 200]", "[" * 900 + "]" * 900),
    "huge": '{"type": "' + "x" * MAX_MESSAGE_BYTES + '"}',
    "binary": b"\x00\x01\x02",
    "empty binary": b"",
    "JSON as binary": json.dumps(SOLVE).encode(),
    "old version": '{"type": "hello", "version": 0}',
}


@pytest.mark.parametrize("message", HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_message_is_answered_and_the_session_goes_on(address, message):
    with open_page(address) as page:
        before = ask(page)
        page.send(message)
        answer = json.loads(page.recv(timeout=PATIENCE))
        assert answer["type"] == "error"
        assert 0 < len(answer["message"]) < 500
        after = ask(page, settings={"iterations": 1}, trace=True)
        np.testing.assert_allclose(after.arms[0].trace[0], before.arms[0].q, atol=1e-6)


def test_an_error_finds_its_request_and_names_the_field(address):
    with open_page(address) as page:
        answer = ask(page, id=12, settings={"gamma": 7})
    assert (answer["id"], answer["field"]) == (12, "settings.gamma")
    assert "0.02 to 1" in answer["message"]


def test_a_message_beyond_all_bounds_ends_only_its_own_session(address):
    with open_page(address) as bystander, open_page(address) as page:
        with contextlib.suppress(ConnectionClosed):
            page.send("x" * (Bounds().message_bytes + 1))
        with pytest.raises(ConnectionClosed) as caught:
            page.recv(timeout=PATIENCE)
        assert caught.value.rcvd is None or caught.value.rcvd.code == 1009
        assert ask(bystander).id == 1


def test_a_failure_inside_the_server_is_an_error_and_the_session_goes_on(address, monkeypatch):
    def fail(session, request, *limits):
        raise ZeroDivisionError("inside")

    with open_page(address) as page:
        with monkeypatch.context() as patch:
            patch.setattr(connection.Session, "solve", fail)
            answer = ask(page, id=5)
            assert (answer["type"], answer["id"]) == ("error", 5)
            assert "inside" not in answer["message"]
        assert ask(page, id=6).id == 6


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "http://localhost:1", "file://"])
def test_a_foreign_origin_is_refused(address, origin, monkeypatch):
    said = []
    monkeypatch.setattr(logging.getLogger("uvicorn.error"), "error", said.append)
    with pytest.raises(InvalidStatus) as caught:
        open_page(address, origin=origin)
    assert caught.value.response.status_code == 403
    with open_page(address):  # by then the server has nothing more to do for the one that was refused
        assert not said


def test_a_foreign_host_is_refused_even_with_its_own_origin(address):
    place = urlsplit(address)
    with socket.create_connection((place.hostname, place.port), timeout=30) as raw:
        raw.sendall(b"GET /ws HTTP/1.1\r\nHost: evil.example\r\nOrigin: http://evil.example\r\n" + UPGRADE)
        assert raw.recv(100).startswith(b"HTTP/1.1 403")


def test_localhost_names_and_programs_without_an_origin_are_admitted(address):
    port = urlsplit(address).port
    for origin in (None, address, f"http://localhost:{port}", f"http://[::1]:{port}"):
        with open_page(address, origin=origin) as page:
            assert ask(page).id == 1


# What is bounded and freed


def test_a_page_that_vanishes_frees_its_session(address):
    wait_for_sessions(address, 0)
    with open_page(address) as page:
        ask(page)
        wait_for_sessions(address, 1)
        page.socket.shutdown(socket.SHUT_RDWR)  # no closing handshake
        wait_for_sessions(address, 0)


def test_a_full_server_says_so_and_has_room_again_when_a_page_leaves(static):
    with running(static=static, bounds=Bounds(sessions=2)) as address:
        with open_page(address) as page, open_page(address):
            wait_for_sessions(address, 2)
            with open_page(address) as late, pytest.raises(ConnectionClosed) as caught:
                late.recv(timeout=PATIENCE)
            assert caught.value.rcvd.code == CLOSE_FULL
            assert "2 sessions" in caught.value.rcvd.reason
            assert ask(page).id == 1
        wait_for_sessions(address, 0)
        with open_page(address) as page:
            assert ask(page).id == 1


def test_a_silent_page_is_closed(static):
    with running(static=static, bounds=Bounds(idle_seconds=0.1)) as address:
        with open_page(address) as page, pytest.raises(ConnectionClosed) as caught:
            page.recv(timeout=PATIENCE)
        assert caught.value.rcvd.code == CLOSE_IDLE
        wait_for_sessions(address, 0)


@contextlib.contextmanager
def raw_page(address):
    """The socket of a page that reads nothing more than that it is connected."""
    place = urlsplit(address)
    with socket.create_connection((place.hostname, place.port), timeout=30) as raw:
        raw.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        raw.sendall(f"GET /ws HTTP/1.1\r\nHost: {place.netloc}\r\n".encode() + UPGRADE)
        assert raw.recv(1000).startswith(b"HTTP/1.1 101")
        yield raw


def test_a_page_that_does_not_read_is_dropped(static):
    with running(static=static, bounds=Bounds(send_seconds=0.2)) as address, raw_page(address) as page:
        wait_for_sessions(address, 1)
        with contextlib.suppress(OSError):  # the server has stopped to read, or is gone
            page.settimeout(5)
            page.sendall(HELLO * 20_000)
        wait_for_sessions(address, 0)


def test_a_page_that_does_not_read_leaves_no_stack_trace_when_the_server_stops(static, capsys):
    with contextlib.ExitStack() as pages, running(static=static) as address:
        page = pages.enter_context(raw_page(address))
        page.settimeout(2)
        with contextlib.suppress(OSError):
            while True:  # until the server does not read either
                page.sendall(HELLO * 1000)
    assert "Traceback" not in capsys.readouterr().err


def test_a_page_that_sends_no_utf8_ends_its_own_session_and_leaves_no_stack_trace(static, capsys):
    with running(static=static) as address, raw_page(address) as page, open_page(address) as bystander:
        page.sendall(bytes([0x81, 0x82, 0, 0, 0, 0, 0xFF, 0xFE]))
        page.settimeout(PATIENCE)
        while page.recv(4096):
            pass
        assert ask(bystander).id == 1
    assert "Traceback" not in capsys.readouterr().err


@pytest.mark.parametrize("error", [WebSocketDisconnect, WebSocketDisconnected])
def test_a_page_that_leaves_with_requests_open_is_no_failure_of_the_server(error):
    class Page:
        received = 0

        async def receive(self):
            self.received += 1
            return {"type": "websocket.receive", "text": GREETING.decode()}

        async def send_text(self, text):
            while self.received < 3:  # one is answered, one waits, one is read
                await asyncio.sleep(0)
            await asyncio.sleep(0.01)  # and held up
            raise error

    async def serve():
        playground = connection.Playground(Bounds(), Gate("127.0.0.1"))
        await connection.Connection(Page(), playground, connection.Session()).run()

    with ThreadPoolExecutor(1) as thread:  # that of the tests may have a loop already
        thread.submit(asyncio.run, serve()).result(PATIENCE)


def test_a_page_whose_pongs_wait_behind_its_requests_is_not_taken_for_lost():
    assert make_server("127.0.0.1").config.ws_ping_timeout is None


# While kernels are being compiled


@pytest.fixture
def compiler(monkeypatch):
    """Compiles one solver for each `release()` of the semaphore."""
    allowed = threading.Semaphore(0)

    def compile_when_allowed(name):
        assert allowed.acquire(timeout=300)

    monkeypatch.setattr(connection, "warm_up", compile_when_allowed)
    yield allowed
    allowed.release(100)


def test_a_drag_does_not_wait_for_the_compiler(static, compiler):
    with running(static=static) as address, open_page(address) as page:
        page.send('{"type": "hello", "version": 1}')
        assert json.loads(page.recv(timeout=PATIENCE))["type"] == "welcome"
        status = json.loads(page.recv(timeout=PATIENCE))
        assert (status["type"], status["state"]) == ("status", "compiling")
        assert FIRST in status["message"]
        page.send(json.dumps({**SOLVE, "id": 2, "solvers": list(SOLVERS)}))
        assert (
            decode_plane_solve(page.recv(timeout=PATIENCE)).id == 2
        )  # while the compiler is still held back
        compiler.release(len(SOLVERS))


def test_a_page_that_leaves_while_it_waits_frees_its_session(static, compiler):
    with running(static=static) as address:
        with open_page(address) as page:
            page.send(json.dumps(SOLVE))
            wait_for_sessions(address, 1)
        wait_for_sessions(address, 0)


def test_a_solver_that_cannot_be_compiled_ahead_does_not_stop_the_others(static, monkeypatch):
    def fail(name):
        raise RuntimeError("no compiler")

    monkeypatch.setattr(connection, "warm_up", fail)
    with running(static=static) as address, open_page(address) as page:
        assert ask(page).id == 1


def test_a_command_that_ends_while_the_compiler_works_does_not_wait_for_it():
    script = """
import threading
from limbik.app import connection, server
from limbik.service.address import listen

connection.warm_up = lambda name: threading.Event().wait()
command = server.make_server("127.0.0.1")
command.should_exit = True
command.run(sockets=[listen("127.0.0.1", 0)])
print("Stopped.", flush=True)
"""
    command = [sys.executable, "-c", script]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE)
    assert (done.returncode, done.stdout) == (0, "Stopped.\n"), done.stderr


# Addresses


def test_a_busy_port_names_the_next_free_one():
    with listen("127.0.0.1", 0) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(
            PortBusy, match=rf"port {port} on 127.0.0.1 is in use; port \d+ is free"
        ) as caught:
            listen("127.0.0.1", port)
        assert caught.value.free > port
        listen("127.0.0.1", caught.value.free).close()


@pytest.mark.parametrize("host", ["no-such-host.invalid", "203.0.113.1", "a" * 64])
def test_an_address_of_another_machine_is_an_error_in_words(host):
    with pytest.raises(AddressError, match=f"cannot listen on {host}"):
        listen(host, 8000)


def test_a_host_without_a_name_is_an_error_in_words():
    with pytest.raises(AddressError, match="a host needs a name or an address"):
        listen("", 8000)


def test_the_address_is_one_that_a_browser_can_open():
    with listen("127.0.0.1", 0) as listener:
        port = listener.getsockname()[1]
        assert address_of("127.0.0.1", listener) == f"http://127.0.0.1:{port}"
        assert address_of("localhost", listener) == f"http://localhost:{port}"
        assert address_of("::1", listener) == f"http://[::1]:{port}"
    for host in ("0.0.0.0", "0"):
        with listen(host, 0) as listener:
            assert address_of(host, listener) == f"http://127.0.0.1:{listener.getsockname()[1]}"


def test_what_stands_for_a_loopback_address_is_as_closed_as_that():
    def admits(host):
        return create_app(host).state.playground.gate.admits_host("evil.example")

    assert [admits(host) for host in ("127.0.0.1", "localhost", "127.1")] == [False] * 3
    assert [admits(host) for host in ("0.0.0.0", "0", "no-such-host.invalid")] == [True] * 3


def test_a_stopped_server_closes_its_pages_and_frees_its_port(static):
    with contextlib.ExitStack() as pages:
        with running(static=static) as address:
            page = pages.enter_context(open_page(address))
            ask(page)
        with pytest.raises(ConnectionClosed):
            page.recv(timeout=PATIENCE)
    listen("127.0.0.1", urlsplit(address).port).close()
