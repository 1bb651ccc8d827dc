"""The order of the rooms in src/limbik, and what `import limbik` may cost."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import limbik

PACKAGE = Path(limbik.__file__).parent

# Each room imports only from the rooms before it. `__init__` is the public front door.
ROOMS = (
    "_version",
    "errors",
    "spatial",
    "model",
    "formats",
    "goals",
    "solution",
    "diagnosis",
    "compiler",
    "core",
    "solvers",
    "scene",
    "collision",
    "motion",
    "scale",
    "__init__",
    "app",
    "integrations",
    "commands",
    "cli",
    "__main__",
)

# Imports against that order: inside a function or for type checking only, never when the module is loaded.
DEFERRED = {
    ("model/model.py", "solvers"),  # Model.solve, .trace and .iterate
    ("model/model.py", "goals"),
    ("model/model.py", "solution"),
    ("solution.py", "diagnosis"),  # Solution.explain
    ("solution.py", "solvers"),  # what it derives, when it is asked for
}

SOURCES = sorted(path.relative_to(PACKAGE).as_posix() for path in PACKAGE.rglob("*.py"))


@pytest.mark.parametrize("source", SOURCES)
def test_rooms_import_only_from_rooms_above_them(source: str) -> None:
    own = room_of(source)
    for room, line, deferred in imports(source):
        if ROOMS.index(room) <= ROOMS.index(own):
            continue
        assert deferred and (source, room) in DEFERRED, f"{source}:{line} may not import limbik.{room}"


def test_every_deferred_import_is_still_needed() -> None:
    used = {(source, room) for source in SOURCES for room, _, deferred in imports(source) if deferred}
    assert used >= DEFERRED


@pytest.mark.parametrize("library", ["numba", "scipy", "starlette", "typer", "rich"])
def test_import_limbik_is_light(library: str) -> None:
    program = f"import sys, limbik; sys.exit('{library}' in sys.modules)"
    outcome = subprocess.run([sys.executable, "-c", program])
    assert outcome.returncode == 0, f"`import limbik` imports {library}"


def test_the_order_is_checked_where_imports_hide() -> None:
    program = """
import limbik.spatial
from limbik import Model, app
from ..solvers import get
if TYPE_CHECKING:
    from limbik.goals import Goal
def late():
    from limbik.cli import app
"""
    found = list(imports_of(ast.parse(program), ("limbik", "model")))
    assert [(room, deferred) for room, _, deferred in found] == [
        ("spatial", False),
        ("__init__", False),
        ("app", False),
        ("solvers", False),
        ("goals", True),
        ("cli", True),
    ]


def room_of(source: str) -> str:
    """The room of a file such as `model/joints.py` or `spatial.py`."""
    room = source.partition("/")[0].removesuffix(".py")
    assert room in ROOMS, f"{source}: the room {room!r} has no place in the order; give it one here"
    return room


def imports(source: str) -> Iterator[tuple[str, int, bool]]:
    """(room, line, deferred) of each import of a limbik room in a file."""
    package = ("limbik", *source.split("/")[:-1])
    return imports_of(ast.parse((PACKAGE / source).read_text()), package)


def imports_of(
    node: ast.AST, package: tuple[str, ...], deferred: bool = False
) -> Iterator[tuple[str, int, bool]]:
    match node:
        case ast.Import(names=names):
            for alias in names:
                yield from named(alias.name.split("."), node.lineno, deferred)
        case ast.ImportFrom(module=module, names=names, level=level):
            above = package[: len(package) - level + 1] if level else ()
            start = [*above, *(module.split(".") if module else [])]
            for alias in names:
                yield from named([*start, alias.name], node.lineno, deferred)
        case ast.If(test=ast.Name(id="TYPE_CHECKING") | ast.Attribute(attr="TYPE_CHECKING")):
            for child in node.body:
                yield from imports_of(child, package, True)
            for child in node.orelse:
                yield from imports_of(child, package, deferred)
        case _:
            inside = deferred or isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
            for child in ast.iter_child_nodes(node):
                yield from imports_of(child, package, inside)


def named(path: list[str], line: int, deferred: bool) -> Iterator[tuple[str, int, bool]]:
    """The room that a dotted name lies in; names that are no rooms come through the front door."""
    if path[0] == "limbik":
        room = path[1] if len(path) > 1 and is_room(path[1]) else "__init__"
        yield room, line, deferred


def is_room(name: str) -> bool:
    return name in ROOMS or (PACKAGE / name).is_dir() or (PACKAGE / f"{name}.py").exists()
