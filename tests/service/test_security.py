"""Which hosts and origins are admitted, and what the page may run."""

import base64
import hashlib

import pytest

from limbik.service.security import Gate, content_security_policy, is_loopback

LOCAL = Gate("127.0.0.1")
OPEN = Gate("0.0.0.0")


@pytest.mark.parametrize(
    "host", ["127.0.0.1:8000", "localhost:9000", "[::1]:8000", "LOCALHOST", "192.168.1.5:8000"]
)
def test_a_local_server_answers_to_localhost_and_to_addresses(host):
    assert LOCAL.admits_host(host)


@pytest.mark.parametrize(
    "host",
    [
        "",
        "evil.example",
        "evil.example:8000",
        "localhost.evil.example",
        "127.0.0.1.evil.example",
        "a@localhost",
        "localhost:port",
        "localhost:99999",
        "localhost/x",
        "[::1",
        " localhost",
    ],
)
def test_a_local_server_does_not_answer_to_foreign_names(host):
    assert not LOCAL.admits_host(host)


def test_a_server_open_to_the_network_answers_to_any_name():
    assert OPEN.admits_host("arm.lab.example:8000")
    assert not OPEN.admits_host("")


@pytest.mark.parametrize(
    ("origin", "host"),
    [
        (None, "localhost:8000"),
        ("http://localhost:8000", "localhost:8000"),
        ("http://127.0.0.1:8000", "localhost:8000"),
        ("http://[::1]:8000", "127.0.0.1:8000"),
        ("http://LocalHost:8000", "localhost:8000"),
        ("http://localhost", "localhost:80"),
        ("https://arm.example", "arm.example"),
        ("http://192.168.1.5:8000", "192.168.1.5:8000"),
    ],
)
def test_the_pages_own_origin_is_admitted(origin, host):
    assert LOCAL.admits_origin(origin, host)


@pytest.mark.parametrize(
    "origin",
    [
        "",
        "null",
        "http://evil.example",
        "http://evil.example:8000",
        "http://localhost",
        "http://localhost:8001",
        "https://localhost",
        "file://",
        "file://localhost:8000",
        "http://localhost:8000.evil.example",
        "http://localhost:8000@evil.example",
        "http://localhost:8000/path",
        "localhost:8000",
        "http://",
        "http://[::1",
    ],
)
def test_other_origins_are_refused(origin):
    assert not LOCAL.admits_origin(origin, "localhost:8000")
    assert not OPEN.admits_origin(origin, "localhost:8000")


def test_loopback_addresses_are_known():
    assert all(map(is_loopback, ("localhost", "127.0.0.1", "127.8.8.8", "::1")))
    assert not any(map(is_loopback, ("0.0.0.0", "::", "10.0.0.1", "example.org", "")))


def test_only_the_import_map_of_a_page_may_run_inline():
    import_map = '\n{"imports": {"plot": "/static/vendor/plot.js"}}\n'
    page = f'<script type="importmap">{import_map}</script><script>alert(1)</script><p>text</p>'
    policy = content_security_policy(page)
    digest = base64.b64encode(hashlib.sha256(import_map.encode()).digest()).decode()
    assert f"script-src 'self' 'sha256-{digest}';" in policy
    assert policy.count("sha256-") == 1
    assert "unsafe" not in policy
    assert "script-src 'self';" in content_security_policy()
