"""xacro: URDF with macros, expressions and includes (https://wiki.ros.org/xacro), through its own library.

xacro evaluates expressions and includes other files: process only files that you trust.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from limbik.errors import FormatError, MissingExtra, did_you_mean, shortened
from limbik.formats import urdf
from limbik.formats.elements import parse
from limbik.formats.packages import find_package
from limbik.formats.source import Source, SourceLike, open_source
from limbik.model import Model

_LOCK = threading.Lock()  # the library keeps its state in its module

# What a message of the library says, and the text of the file it is about.
_PLACES = {
    r"when evaluating expression '(.*)'": "${{{}}}",
    r"unknown macro name: (\S+)": "<{}",
    r"Undefined substitution argument (\S+)": "$(arg {})",
    r"\$\(find (\S+)\)": "$(find {})",
    r"there is no such file: .*?([^/]+)$": "{}",
}


def read(
    source: SourceLike, *, args: Mapping[str, object] | None = None, end_effector: str | None = None
) -> Model:
    """The model that a xacro file or text describes once it is processed.

    args: values for its <xacro:arg>s. end_effector: see `limbik.formats.urdf.read`.

    Raises FormatError, with the line where it is known, and MissingExtra without the library.
    """
    opened = open_source(source)
    robot = parse(process(opened, args=args))
    if not robot.all("link"):
        problem = "has no <link> once it is processed; read a file of macros through the file that uses them"
        raise FormatError(opened.name, problem)
    return urdf.from_element(robot, end_effector=end_effector)


def process(source: SourceLike, *, args: Mapping[str, object] | None = None) -> Source:
    """The URDF that xacro makes of a file or text.

    $(find NAME) is looked for as `limbik.formats.packages.find_package` says, so ROS need not be installed.
    """
    try:
        import xacro
        import xacro.substitution_args
    except ImportError:
        raise MissingExtra("robots", "reading xacro") from None
    opened = open_source(source)
    parse(opened)  # for its errors, and to refuse document types
    given = _Arguments({name: _as_text(value) for name, value in (args or {}).items()})
    with _LOCK:
        text = _processed(xacro, opened, given)
    for name in given.never_asked_for:
        known = did_you_mean(name, given.asked_for)
        raise FormatError(opened.name, f"has no <xacro:arg name={shortened(name)}>; {known}")
    return Source(f"{opened.name} (processed by xacro)", text, opened.path)


class _Arguments(dict[str, str]):
    """Values by name that remember which names the file asked for."""

    def __init__(self, values: Mapping[str, str]) -> None:
        super().__init__(values)
        self.never_asked_for = list(values)
        self.asked_for: dict[str, None] = {}  # an ordered set

    def __contains__(self, name: object) -> bool:
        self._note(str(name))
        return super().__contains__(name)

    def __getitem__(self, name: str) -> str:
        self._note(name)
        return super().__getitem__(name)

    def _note(self, name: str) -> None:
        self.asked_for[name] = None
        if name in self.never_asked_for:
            self.never_asked_for.remove(name)


def _as_text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _processed(xacro: Any, source: Source, given: _Arguments) -> str:
    path = source.path.resolve() if source.path else None
    substitution = xacro.substitution_args
    own_find = substitution._eval_find
    substitution._eval_find = substitution._eval_dict["find"] = lambda name: _found(name, path)
    xacro.init_stacks(str(path) if path else None)
    try:
        document = xacro.parse(source.text.lstrip("\ufeff \t\r\n"))
        xacro.process_doc(document, mappings=given, verbosity=0)
        return str(document.documentElement.toprettyxml(indent="  "))
    except Exception as error:  # it raises many kinds: a typo in an expression may be any
        raise _as_format_error(xacro, source, error) from None
    finally:
        substitution._eval_find = substitution._eval_dict["find"] = own_find


def _found(name: str, path: Path | None) -> str:
    folder = find_package(name, path.parent if path else None)
    if folder is None:
        above = f" and the folders above {path.name}" if path else ""
        raise LookupError(
            f"$(find {name}): no package of this name in AMENT_PREFIX_PATH, ROS_PACKAGE_PATH{above}; "
            "let ROS_PACKAGE_PATH name the folder it is in"
        )
    return str(folder)


def _as_format_error(xacro: Any, source: Source, error: Exception) -> FormatError:
    """The same with the file, which may be an included one, and the line if only one can be meant."""
    macros = xacro.macrostack
    place = macros[-1].history[-1][-1] if macros else xacro.filestack[-1]
    at_fault = source
    if place and Path(place).is_file() and (source.path is None or Path(place) != source.path.resolve()):
        at_fault = Source(str(place), Path(place).read_text(encoding="utf-8", errors="replace"))
    problem = _problem(error)
    line = (
        getattr(error, "lineno", None) if type(error).__name__ == "ExpatError" else _line(problem, at_fault)
    )
    return FormatError(at_fault.name, problem, line=line)


def _problem(error: Exception) -> str:
    """What the library says, on one line; the errors inside it where they are clearer."""
    cause = error
    while isinstance(getattr(cause, "exc", None), Exception):
        cause = cause.exc  # type: ignore[attr-defined]
    if isinstance(cause, OSError) and cause.filename:
        return f"there is no such file: {cause.filename}"
    if isinstance(cause, RecursionError):
        return "a macro calls itself without end, or a property is made of itself"
    if isinstance(cause, LookupError) and "$(find " in str(cause):
        return str(cause.args[0])
    return " ".join(str(error).split()) or type(error).__name__


def _line(problem: str, source: Source) -> int | None:
    for pattern, form in _PLACES.items():
        if match := re.search(pattern, problem):
            wanted = form.format(match[1])
            lines = [k for k, line in enumerate(source.text.splitlines(), start=1) if wanted in line]
            return lines[0] if len(lines) == 1 else None
    return None
