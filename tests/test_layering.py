"""The order of the packages in src/limbik, that no imports go round in a circle, and what `import limbik` may
cost.
"""

import ast
import functools
import os
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

import limbik

PACKAGE = Path(limbik.__file__).parent

# Each room imports only from the rooms before it. `__init__` is the public front door.
ROOMS = (
    "_version",
    "errors",
    "number_text",
    "deprecated",
    "lazy",
    "locks",
    "spatial",
    "derivatives",
    "goals",
    "status",
    "options",
    "checks",
    "diagnosis",
    "solution",
    "joint_path",
    "model",
    "request",
    "measure",
    "formats",
    "compiler",
    "numerics",
    "serial",
    "tree",
    "analytic",
    "collision",
    "all_solutions",
    "solvers",
    "scene",
    "motion",
    "warmup_tasks",
    "scale",
    "__init__",
    "service",
    "app",
    "integrations",
    "commands",
    "cli",
    "__main__",
)

# What is asked of a model, and what it returns, has types of the rooms above.
DOORS = ("model/model.py", "options.py", "solution.py")

SOURCES = sorted(path.relative_to(PACKAGE).as_posix() for path in PACKAGE.rglob("*.py"))


def test_rooms_import_only_from_rooms_above_them() -> None:
    wrong = [
        f"{source}:{line} may not import limbik.{room}"
        for source in SOURCES
        for room, line in rooms_imported(source)
        if ROOMS.index(room) > ROOMS.index(room_of(source))
    ]
    assert wrong == []


FIRST_IMPORTS = """
import importlib, os, sys
import numpy
for name in sys.stdin.read().split():
    child = os.fork()
    if child == 0:
        try:
            importlib.import_module(name)
        except BaseException as error:
            print(name, repr(error), flush=True)
        os._exit(0)
    os.waitpid(child, 0)
"""


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_every_room_can_be_the_first_one_that_is_imported() -> None:
    names = [f"limbik.{room}" for room in ROOMS if room not in ("__init__", "__main__")]
    result = subprocess.run(
        [sys.executable, "-c", FIRST_IMPORTS],
        input="\n".join(names),
        capture_output=True,
        text=True,
        check=True,
    )
    assert result.stdout == ""


@pytest.mark.slow
def test_no_imports_go_round_in_a_circle() -> None:
    """Those inside functions and, but for `DOORS`, for types alone are counted, too."""
    waiting = {module_of(source): set(modules_imported(source)) - {module_of(source)} for source in SOURCES}
    while free := {module for module, needed in waiting.items() if not needed & waiting.keys()}:
        waiting = {module: needed for module, needed in waiting.items() if module not in free}
    assert waiting == {}, "these import each other, or what does"


@pytest.mark.slow
@pytest.mark.parametrize(
    "library",
    [
        *("numba", "scipy", "starlette", "typer", "rich"),
        *("limbik.solvers", "limbik.collision", "limbik.motion", "limbik.scene"),
    ],
)
def test_import_limbik_is_light(library: str) -> None:
    program = f"import sys, limbik; sys.exit('{library}' in sys.modules)"
    outcome = subprocess.run([sys.executable, "-c", program])
    assert outcome.returncode == 0, f"`import limbik` imports {library}"


def test_every_public_name_is_there() -> None:
    assert all(getattr(limbik, name) is not None for name in limbik.__all__)
    assert dir(limbik) == sorted(limbik.__all__)
    with pytest.raises(AttributeError, match="no attribute 'sovle'"):
        limbik.sovle  # noqa: B018


def test_imports_are_seen_where_they_hide() -> None:
    program = """
import limbik.spatial
from limbik import Model, app
from ..solvers import get
if TYPE_CHECKING:
    from limbik.goals import Goal
def late():
    from limbik.cli import app
"""
    assert list(imports(ast.parse(program), ("limbik", "model"))) == [
        ("limbik.spatial", 2),
        ("limbik.Model", 3),
        ("limbik.app", 3),
        ("limbik.solvers.get", 4),
        ("limbik.goals.Goal", 6),
        ("limbik.cli.app", 8),
    ]


def room_of(source: str) -> str:
    """The room of a file such as `model/joints.py` or `spatial.py`."""
    room = source.partition("/")[0].removesuffix(".py")
    assert room in ROOMS, f"{source}: the room {room!r} has no place in the order; give it one here"
    return room


def module_of(source: str) -> str:
    """The dotted name of a file."""
    return ".".join(("limbik", *source.removesuffix(".py").split("/"))).removesuffix(".__init__")


def rooms_imported(source: str) -> Iterator[tuple[str, int]]:
    """(room, line) of each import in a file; names that are no rooms come through the front door."""
    for name, line in imports_of(source):
        room = name.split(".")[1] if "." in name else "__init__"
        yield (room if room in ROOMS or is_room(room) else "__init__"), line


def test_no_two_classes_have_one_name():
    """Who reads a name anywhere knows which class it is."""
    sources_of = defaultdict(list)
    for source in SOURCES:
        for node in ast.walk(ast.parse((PACKAGE / source).read_text())):
            if isinstance(node, ast.ClassDef):
                sources_of[node.name].append(source)
    assert not {name: sources for name, sources in sources_of.items() if len(sources) > 1}


def modules_imported(source: str) -> Iterator[str]:
    """The modules that a file imports, of limbik's own; of a name in a module, that module."""
    known = set(map(module_of, SOURCES))
    for name, _ in imports_of(source):
        while name not in known:
            name = name.rpartition(".")[0]
        yield name


@functools.cache
def imports_of(source: str) -> list[tuple[str, int]]:
    """(dotted name, line) of each import of limbik's own in a file."""
    package, tree = ("limbik", *source.split("/")[:-1]), ast.parse((PACKAGE / source).read_text())
    unseen = set(imports(ast.Module(for_types(tree), []), package)) if source in DOORS else set()
    found = [each for each in imports(tree, package) if each not in unseen]
    return [(name, line) for name, line in found if name.split(".")[0] == "limbik"]


def for_types(tree: ast.Module) -> list[ast.stmt]:
    """What stands under `if TYPE_CHECKING`."""
    conditions = (node for node in tree.body if isinstance(node, ast.If))
    return [each for node in conditions if ast.unparse(node.test) == "TYPE_CHECKING" for each in node.body]


def imports(tree: ast.AST, package: tuple[str, ...]) -> Iterator[tuple[str, int]]:
    """(dotted name, line) of each import in a program that stands in a package."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.name, node.lineno
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) - node.level + 1] if node.level else ()
            start = [*above, *(node.module.split(".") if node.module else [])]
            for alias in node.names:
                yield ".".join([*start, alias.name]), node.lineno


def is_room(name: str) -> bool:
    return (PACKAGE / name).is_dir() or (PACKAGE / f"{name}.py").exists()
