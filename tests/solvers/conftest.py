"""What the tests of the fast core share."""

import pytest

import limbik
from fast_chains import interpreted, only_closed_programs
from limbik.compiler import native
from limbik.solvers import get
from limbik.solvers.classical_plan import method_of
from limbik.tree.programs import by_method, general


@pytest.fixture(scope="module")
def interpreted_core():
    """The fast core runs interpreted: random chains would start a compiler each."""
    with interpreted():
        yield


@pytest.fixture(scope="session")
def compiled_panda():
    """The drivers of chains of seven revolute joints are machine code from here on."""
    limbik.warmup(limbik.load("panda"))


@pytest.fixture(scope="session")
def compiled_trees():
    """The driver of trees and of several goals is machine code from here on."""
    native.compile_now(general())


@pytest.fixture(scope="session")
def compiled_best():
    """What solves for the least errors is machine code from here on."""
    native.compile_now(general())


@pytest.fixture(scope="session")
def compiled_methods():
    """The Jacobian methods on trees, and on chains in space, are machine code from here on."""
    native.compile_now(by_method(method_of(get("dls"))))


@pytest.fixture(params=["interpreted", "compiled"])
def tier(request, monkeypatch):
    """Each tier in turn, for arms of seven revolute joints."""
    if request.param == "compiled":
        request.getfixturevalue("compiled_panda")
    else:
        only_closed_programs(monkeypatch)
    return request.param
