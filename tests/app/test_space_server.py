"""Space over real sockets: a page opens, moves and asks; uploads and meshes; hostile clients."""

import contextlib
import http.client
import io
import json
import logging
import socket
import threading
import time
import zipfile
from urllib.parse import urlsplit

import numpy as np
import pytest
from websockets.sync.client import connect

from limbik.app import connection
from limbik.app import upload as uploads
from limbik.app.connection import Bounds
from limbik.app.protocol import MAX_MESSAGE_BYTES, MAX_OPEN_BYTES
from limbik.app.protocol.space import LONGEST_TEXT, decode_move
from limbik.app.server import running
from limbik.app.space_session import SpaceSession
from space_scenes import ARM, URDF, goal, moving, opening

PATIENCE = 600.0  # [s] until a wait is given up, on a machine that has much else to do
MESHED = URDF.replace('<box size="1 1 0.1"/>', '<mesh filename="package://crane/meshes/base.stl"/>')
FILES = {"crane/urdf/crane.urdf": MESHED.encode(), "crane/meshes/base.stl": b"solid base"}


@pytest.fixture(scope="module")
def address():
    """A server that compiles nothing ahead."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(connection, "warm_up", lambda name: None)
        patch.setattr(connection, "warm_up_in_space", lambda name: None)
        with running() as address:
            yield address


def open_page(address, **options):
    options.setdefault("origin", address)
    return connect(address.replace("http", "ws") + "/ws", compression=None, max_size=None, **options)


def ask(page, message):
    """Send a message; what comes back for it."""
    page.send(message if isinstance(message, str | bytes) else json.dumps(message))
    return answer(page)


def answer(page):
    while True:
        told = page.recv(timeout=PATIENCE)
        if isinstance(told, bytes):
            return decode_move(told)
        told = json.loads(told)
        if told["type"] != "status":
            return told


def send(address, method, path, body=None, **headers):
    """An HTTP request; the response with its content in `data`."""
    client = http.client.HTTPConnection(urlsplit(address).netloc, timeout=60)
    with contextlib.closing(client):
        client.request(method, path, body, {name.replace("_", "-"): value for name, value in headers.items()})
        response = client.getresponse()
        response.data = response.read()
        return response


def post(address, body, **headers):
    response = send(address, "POST", "/upload", body, **{"Origin": address, **headers})
    return response.status, json.loads(response.data)


def until(condition):
    """Return when it holds."""
    for _ in range(12_000):
        if condition():
            return
        time.sleep(0.01)
    raise AssertionError("it did not come to hold")


def zipped(files):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return buffer.getvalue()


# A page


def test_the_welcome_names_the_robots(address):
    with open_page(address) as page:
        welcome = ask(page, {"type": "hello", "version": 1})
    panda = next(robot for robot in welcome["robots"] if robot["name"] == "panda")
    assert panda == {
        "name": "panda",
        "title": "Franka Emika Panda",
        "kind": "arm",
        "aliases": ["franka", "franka_panda", "franka_emika_panda"],
        "picture": "/static/robots/panda.webp",
        "source": "limbik",
        "installed": True,
        "advice": None,
    }


def test_a_page_opens_a_scene_moves_slides_asks_and_exports(address):
    asked = [goal("hook", (0.6, 0.6, 1.4))]
    with open_page(address) as page:
        scene = ask(page, opening(URDF))
        assert (scene["type"], scene["id"], len(scene["arms"])) == ("scene", 1, 1)
        motion = ask(page, moving(asked, ["lm", "ccd"]))
        assert motion.id == 2
        assert [arm.status for arm in motion.arms] == ["solved", "solved"]
        assert motion.server_ms > 0
        q = motion.arms[0].q.tolist()
        turned = {"type": "nullspace", "id": 3, "arm": 0, "q": q, "along": 0, "amount": 0.1}
        luffing = [goal("boom", (0.0, 0.0, 1.0))]
        assert ask(page, {**turned, "goals": luffing}).arms[0].solver == "nullspace"
        told = ask(page, {"type": "explain", "id": 4, "arm": 0, "q": q, "goals": asked})
        assert (told["type"], told["id"], told["status"]) == ("explanation", 4, "solved")
        text = ask(page, {"type": "export", "id": 5, "format": "urdf", "q": [q], "goals": [asked]})
        assert (text["type"], text["name"]) == ("exported", "crane.urdf")
        assert ask(page, opening(text["text"]))["arms"][0]["nq"] == 3


def test_every_page_has_its_own_scene(address):
    with open_page(address) as one, open_page(address) as other:
        ask(one, opening(URDF))
        ask(other, opening(ARM))
        assert ask(one, moving([])).arms[0].q.size == 3
        assert ask(other, moving([])).arms[0].q.size == 6


def test_a_long_description_fits_and_a_longer_one_is_told(address):
    padding = "<!--" + "x" * (LONGEST_TEXT - len(URDF) - 7) + "-->"
    with open_page(address) as page:
        assert ask(page, opening(URDF + padding))["type"] == "scene"
        assert "1000000" in ask(page, opening(URDF + padding + "  "))["message"]
        assert str(MAX_OPEN_BYTES) in ask(page, "x" * (MAX_OPEN_BYTES + 1))["message"]


HOSTILE = {
    "a list": "[1, 2]",
    "a list of messages": json.dumps([opening(URDF)]),
    "a move that is too long": json.dumps(moving([], entry={"locked": ["x" * 100] * 512}))
    + " " * MAX_MESSAGE_BYTES,
    "a source that is a list": json.dumps({**opening(URDF), "source": [["panda"]]}),
    "a path for a source": json.dumps({**opening(URDF), "source": {"kind": "text", "path": "/etc/passwd"}}),
    "a text that is a path": json.dumps(opening("/etc/passwd")),
    "a robot that is a path": json.dumps(opening(names=["../../../etc/passwd"])),
    "a robot of a package that is a path": json.dumps(opening(names=["../../x:panda"])),
    "a robot that is a number": json.dumps({**opening(URDF), "source": {"kind": "robot", "names": [7]}}),
    "a token that is a path": json.dumps(opening(token="../../etc/passwd")),
    "an unknown frame": json.dumps(moving([goal("crook", (0, 0, 0))])),
    "NaN for a place": json.dumps(moving([goal("hook", (float("nan"), 0, 0))])),
    "a move of lists": json.dumps({**moving([]), "arms": [[0]]}),
    "a q of lists": json.dumps(
        {"type": "explain", "id": 1, "arm": 0, "q": [[0]], "goals": [goal("hook", (1, 0, 1))]}
    ),
    "deep lists": '{"type": "open", "id": 1, "source": ' + "[" * 60_000,
    "entities": json.dumps(
        opening('<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><robot>&b;</robot>')
    ),
    "an include": json.dumps(opening('<mujoco><include file="/etc/passwd"/></mujoco>')),
    "xacro": json.dumps(opening('<robot xmlns:xacro="a"><xacro:include filename="/etc/passwd"/></robot>')),
    "binary": b"\x00\x01",
}


@pytest.mark.parametrize("message", HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_message_is_answered_and_the_scene_stays(address, message):
    with open_page(address) as page:
        ask(page, opening(URDF))
        told = ask(page, message)
        assert told["type"] == "error"
        assert 0 < len(told["message"]) < 1000
        for secret in ("root:", "/work", "/usr/", "site-packages", "Traceback"):
            assert secret not in told["message"]
        assert ask(page, moving([])).arms[0].status == "still"


def test_an_error_finds_its_request_and_names_the_field(address):
    with open_page(address) as page:
        told = ask(page, {**moving([]), "id": 12})
        assert (told["id"], told["field"]) == (12, "type")
        told = ask(page, {**opening("nonsense\n", name="my.arm"), "id": 13})
        assert told["id"] == 13
        assert told["message"].startswith("my.arm: ")


# What takes long


def test_a_search_of_one_page_does_not_hold_up_another(address, monkeypatch):
    with open_page(address) as slow, open_page(address) as quick:
        ask(slow, opening(URDF))
        ask(quick, opening(URDF))
        searching, move = threading.Event(), SpaceSession.move
        done = threading.Event()

        def waiting(session, request, *limits):
            if request.search:
                searching.set()
                assert done.wait(timeout=120)
            return move(session, request, *limits)

        monkeypatch.setattr(SpaceSession, "move", waiting)
        pages = [slow, *(open_page(address) for _ in range(4))]
        with contextlib.ExitStack() as stack:
            for page in pages[1:]:
                stack.enter_context(page)
                ask(page, opening(URDF))
            for page in pages:
                page.send(json.dumps(moving([], search=True)))
            assert searching.wait(timeout=PATIENCE)
            assert ask(quick, moving([])).arms[0].status == "still"
            done.set()
            for page in pages:
                assert answer(page).arms[0].status == "still"


def test_a_page_goes_on_moving_while_it_waits_for_a_reason(address, monkeypatch):
    asked = {"type": "explain", "arm": 0, "q": [0, 0, 0], "goals": [goal("hook", (9, 0, 1))]}
    done, explain = threading.Event(), SpaceSession.explain

    def waiting(session, request):
        assert done.wait(timeout=120)
        return explain(session, request)

    monkeypatch.setattr(SpaceSession, "explain", waiting)
    with open_page(address) as page:
        ask(page, opening(URDF))
        page.send(json.dumps({**asked, "id": 7}))
        assert ask(page, moving([])).id == 2
        assert "one explanation at a time" in ask(page, {**asked, "id": 8})["message"]
        done.set()
        assert answer(page)["id"] == 7
        assert ask(page, {**asked, "id": 9})["id"] == 9


def test_pages_that_leave_take_no_more_threads_than_those_that_stay(monkeypatch):
    monkeypatch.setattr(connection, "warm_up", lambda name: None)
    monkeypatch.setattr(connection, "warm_up_in_space", lambda name: None)
    began, done = [], threading.Event()

    def waiting(session, request, *limits):
        began.append(request.id)
        assert done.wait(timeout=120)
        return move(session, request, *limits)

    move = SpaceSession.move
    monkeypatch.setattr(SpaceSession, "move", waiting)
    with running(bounds=Bounds(searches=1)) as address:
        for k in range(4):
            with open_page(address) as page:
                ask(page, opening(URDF))
                page.send(json.dumps({**moving([], search=True), "id": k}))
                until(lambda: began)
            until(lambda: json.loads(send(address, "GET", "/health").data)["sessions"] == 0)
        assert began == [0]
        done.set()
        with open_page(address) as page:
            ask(page, opening(URDF))
            assert ask(page, moving([], search=True)).arms[0].status == "still"
        assert began == [0, 2]


def test_neither_a_drag_nor_a_search_waits_for_the_compiler(monkeypatch):
    allowed = threading.Event()
    monkeypatch.setattr(connection, "warm_up", lambda name: None)
    monkeypatch.setattr(connection, "warm_up_in_space", lambda name: allowed.wait(timeout=PATIENCE))
    asked = [goal("hook", (0.6, 0.6, 1.4))]
    with running() as address, open_page(address) as page:
        ask(page, opening(URDF))
        page.send('{"type": "hello", "version": 1}')
        while "in space" not in (told := page.recv(timeout=PATIENCE)):
            assert json.loads(told)["type"] in ("welcome", "status")
        assert ask(page, moving(asked)).arms[0].status == "solved"
        assert ask(page, moving(asked, search=True)).arms[0].status == "solved"
        allowed.set()


# Uploads


def test_an_upload_is_opened_by_its_token_with_its_meshes(address):
    status, told = post(address, zipped(FILES), X_Name="crane%20two.zip")
    assert (status, told["name"], told["files"]) == (200, "crane two.zip", 2)
    with open_page(address) as page:
        scene = ask(page, opening(token=told["token"]))
    assert scene["token"] == told["token"]
    (visual,) = scene["arms"][0]["visuals"]
    response = send(address, "GET", visual["url"])
    assert (response.status, response.data) == (200, b"solid base")
    assert response.headers["Content-Type"] == "application/octet-stream"
    assert "immutable" in response.headers["Cache-Control"]
    assert "default-src 'none'" in response.headers["Content-Security-Policy"]
    assert response.headers["X-Content-Type-Options"] == "nosniff"
    again = send(address, "GET", visual["url"], If_None_Match=response.headers["ETag"])
    assert (again.status, again.data) == (304, b"")


def test_a_form_is_taken_too(address):
    head = '--XX\r\nContent-Disposition: form-data; name="files"; filename="{}"\r\n\r\n'
    body = b"".join(head.format(name).encode() + data + b"\r\n" for name, data in FILES.items())
    status, told = post(address, body + b"--XX--\r\n", Content_Type="multipart/form-data; boundary=XX")
    assert (status, told["name"], told["files"]) == (200, "crane", 2)


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "http://localhost:1", "file://"])
def test_a_foreign_origin_may_not_upload(address, origin):
    status, told = post(address, zipped(FILES), Origin=origin)
    assert (status, list(told)) == (403, ["error"])


def test_programs_without_an_origin_may_upload(address):
    assert send(address, "POST", "/upload", zipped(FILES)).status == 200


REFUSED = {
    "nothing": (lambda: b"", 400),
    "a path that leads elsewhere": (lambda: zipped({"../../etc/passwd": b"x"}), 400),
    "a zip that is cut off": (lambda: zipped(FILES)[:-10], 400),
    "too many files": (lambda: zipped({f"{k}.stl": b"" for k in range(uploads.MAX_FILES + 1)}), 413),
    "a bomb": (lambda: zipped({"zeros": bytes(uploads.MAX_UNPACKED + 1)}), 413),
    "too much": (lambda: bytes(uploads.MAX_PACKED + 1), 413),
}


@pytest.mark.parametrize(("make", "status"), REFUSED.values(), ids=REFUSED)
def test_an_upload_that_is_refused_says_why(address, make, status):
    body = make()
    with contextlib.suppress(BrokenPipeError, ConnectionResetError):  # the server may not read to the end
        found, told = post(address, body)
        assert found == status
        assert told["error"]
    assert send(address, "GET", "/health").status == 200


def test_an_upload_without_end_is_stopped(address):
    def endless():
        for _ in range(100):
            yield bytes(2**20)

    with contextlib.suppress(BrokenPipeError, ConnectionResetError):
        assert send(address, "POST", "/upload", endless(), Origin=address).status == 413
    assert send(address, "GET", "/health").status == 200


def test_an_upload_that_takes_too_long_is_given_up(monkeypatch):
    monkeypatch.setattr(connection, "warm_up", lambda name: None)
    with running(bounds=Bounds(upload_seconds=0.2)) as address:
        client = http.client.HTTPConnection(urlsplit(address).netloc, timeout=60)
        with contextlib.closing(client):
            client.putrequest("POST", "/upload")
            client.putheader("Content-Length", "1000")
            client.endheaders()
            client.send(b"PK")
            assert client.getresponse().status == 408


@pytest.mark.parametrize("before", ["", "GET /health HTTP/1.1\r\nHost: {host}\r\n\r\n"])
def test_a_header_that_does_not_come_ends_the_connection(before, monkeypatch):
    monkeypatch.setattr("limbik.service.patience.HEADER_SECONDS", 0.2)
    with running() as address:
        host = urlsplit(address).netloc
        name, port = host.split(":")
        with socket.create_connection((name, int(port)), timeout=5) as client:
            if before:
                client.sendall(before.format(host=host).encode())
                assert b"200 OK" in client.recv(4096)
            client.sendall(b"GET / HTTP/1.1\r\nHost: ")
            while client.recv(4096):
                pass  # until it is closed
        with open_page(address) as page:  # a WebSocket stays
            time.sleep(0.4)
            ask(page, opening(URDF))


@pytest.mark.parametrize("body", ["zz\r\nxx", "5\r\nhelloXX\r\n0\r\n\r\n"])
def test_a_faulty_body_is_refused_without_a_stack_trace(body, monkeypatch):
    said = []
    monkeypatch.setattr(logging.getLogger("uvicorn.error"), "handle", lambda record: said.append(record))
    with running() as address:
        host = urlsplit(address).netloc
        name, port = host.split(":")
        with socket.create_connection((name, int(port)), timeout=5) as client:
            head = f"POST / HTTP/1.1\r\nHost: {host}\r\nTransfer-Encoding: chunked\r\n\r\n"
            client.sendall((head + body).encode())
            answer = b"".join(iter(lambda: client.recv(4096), b""))
    assert answer.startswith(b"HTTP/1.1 400 ")
    assert [record.levelname for record in said] == ["WARNING"]
    assert all(record.exc_info is None for record in said)


def test_stalled_uploads_keep_no_other_one_out(monkeypatch):
    monkeypatch.setattr(connection, "warm_up", lambda name: None)
    with running(bounds=Bounds(upload_pause=0.2)) as address, contextlib.ExitStack() as stalled:
        clients = [http.client.HTTPConnection(urlsplit(address).netloc, timeout=60) for _ in range(20)]
        for client in map(stalled.enter_context, map(contextlib.closing, clients)):
            client.putrequest("POST", "/upload")
            client.putheader("Content-Length", "1000")
            client.endheaders()
            client.send(b"PK")
        status, told = post(address, zipped(FILES))
        assert status == 200, told
        assert {client.getresponse().status for client in clients} == {408}


@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE"])
def test_the_upload_takes_only_posts(address, method):
    assert send(address, method, "/upload").status == 405


@pytest.mark.parametrize(
    "path",
    [
        "/mesh/",
        "/mesh/a/0",
        "/mesh/../secret/0",
        "/mesh/%2e%2e%2f%2e%2e%2fetc%2fpasswd/0",
        "/mesh/a/-1",
        "/mesh/a/1e3",
        "/mesh/a/99999999999999999999",
        "/mesh/a/0/../../etc/passwd",
        "/mesh/" + "a" * 5000 + "/0",
    ],
)
def test_only_meshes_that_the_server_listed_are_sent(address, path):
    response = send(address, "GET", path)
    assert response.status == 404
    assert b"root:" not in response.data


def test_a_mesh_of_an_installed_robot_is_sent(address):
    with open_page(address) as page:
        (arm,) = ask(page, opening(names=["panda"]))["arms"]
    if not arm["visuals"]:
        pytest.skip("example-robot-data is not installed")
    response = send(address, "GET", arm["visuals"][0]["url"])
    assert response.status == 200
    assert b"COLLADA" in response.data[:1000]
    assert "immutable" in response.headers["Cache-Control"]


def test_many_pages_drag_at_once(address):
    def drag(number):
        with open_page(address) as page:
            ask(page, opening(URDF))
            for k in range(10):
                (arm,) = ask(page, moving([goal("hook", (0.5, 0.05 * k, 1.3))])).arms
                assert np.isfinite(arm.q).all()
        done.append(number)

    done = []
    threads = [threading.Thread(target=drag, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=PATIENCE)
    assert sorted(done) == list(range(6))


def test_a_page_that_leaves_frees_its_session(address):
    with open_page(address) as page:
        ask(page, opening(URDF))
    until(lambda: json.loads(send(address, "GET", "/health").data)["sessions"] == 0)
