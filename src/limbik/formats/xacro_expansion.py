"""Runs xacro's own library, in the process that `formats.xacro` starts.

The library is changed here so that its elements know where they stand, for messages and warnings, and so that
it opens no pipes and devices. It is imported only where it works.
"""

from __future__ import annotations

import io
import traceback
import warnings
import xml.dom.minidom as minidom
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any
from xml.dom import expatbuilder

from limbik.errors import FormatError, FormatWarning
from limbik.formats.elements import parse
from limbik.formats.packages import find_package
from limbik.formats.source import LARGEST, Source, bytes_of, decoded

_IN_FRAMES = ("node", "elt", "tag")  # what the library calls the element that it works on


@dataclass(frozen=True)
class Processed:
    """The URDF, and the names of the arguments that the file has."""

    text: str
    arguments: tuple[str, ...]


def processed(source: Source, arguments: Mapping[str, str]) -> Processed:
    """The URDF that xacro makes of a source. Raises FormatError, with the line where there is one."""
    import xacro
    from xacro import substitution_args

    path = source.path.resolve() if source.path else None
    checked = _Arguments(arguments)
    minidom._clone_node = _clone_with_line  # type: ignore[attr-defined]
    xacro.parse = _parsed_file
    xacro.open = _opened
    xacro.warning = _warn
    substitution_args._eval_find = substitution_args._eval_dict["find"] = lambda name: _package_path(
        name, path
    )
    xacro.init_stacks(str(path) if path else None)
    try:
        document = _parsed(source)
        xacro.process_doc(document, mappings=checked, verbosity=0)
        text = document.documentElement.toprettyxml(indent="  ")
    except MemoryError:
        raise
    except Exception as error:  # it raises many kinds: a typo in an expression may be any
        raise _as_format_error(source, error) from None
    if len(text) > LARGEST:
        raise FormatError(source.name, f"becomes longer than {LARGEST:,} characters, found {len(text):,}")
    return Processed(text, tuple(checked.requested))


class _Arguments(dict[str, str]):
    """Values by name that remember which names the file has read."""

    def __init__(self, values: Mapping[str, str]) -> None:
        super().__init__(values)
        self.requested: dict[str, None] = {}  # an ordered set

    def __contains__(self, name: object) -> bool:
        self.requested[str(name)] = None
        return super().__contains__(name)

    def __getitem__(self, name: str) -> str:
        self.requested[name] = None
        return super().__getitem__(name)


def _package_path(name: str, path: Path | None) -> str:
    folder = find_package(name, path.parent if path else None)
    if folder is None:
        above = f" and the folders above {path.name}" if path else ""
        raise LookupError(
            f"$(find {name}): no package of this name in AMENT_PREFIX_PATH, ROS_PACKAGE_PATH{above}; "
            "let ROS_PACKAGE_PATH name the folder it is in"
        )
    return str(folder)


# --- files --------------------------------------------------------------------------------------------------


def _parsed(source: Source) -> Any:
    """A document whose elements know where they stand."""
    parse(source)  # for its errors, and to refuse document types
    text = source.text.lstrip("\ufeff \t\r\n")
    skipped = source.text[: len(source.text) - len(text)].count("\n")
    return _ElementBuilder(source.name, skipped).parseString(text)


def _parsed_file(text: None, filename: str) -> Any:
    """What an <xacro:include> names, instead of the library's `parse`."""
    import xacro

    try:
        return _parsed(Source(filename, _opened(filename).read(), Path(filename)))
    except OSError as error:
        xacro.filestack.pop()
        raise xacro.XacroException(exc=error) from None


def _opened(filename: str) -> io.StringIO:
    """A file's text, instead of Python's `open`."""
    if not Path(filename).exists():
        raise FileNotFoundError(2, "there is no such file", filename)
    file = io.StringIO(decoded(bytes_of(Path(filename), filename), filename))
    file.name = filename
    return file


class _ElementBuilder(expatbuilder.ExpatBuilderNS):
    def __init__(self, source: str, skipped: int) -> None:
        super().__init__()
        self.source = source
        self.skipped = skipped  # lines that expat does not see

    def start_element_handler(self, name: str, attributes: list[str]) -> None:
        super().start_element_handler(name, attributes)
        element: Any = self.curNode
        element.origin = (self.source, self.getParser().CurrentLineNumber + self.skipped)


_clone = minidom._clone_node  # type: ignore[attr-defined]


def _clone_with_line(node: Any, deep: bool, document: Any) -> Any:
    clone = _clone(node, deep, document)
    if hasattr(node, "origin"):
        clone.origin = node.origin
    return clone


# --- errors -------------------------------------------------------------------------------------------------


def _as_format_error(source: Source, error: Exception) -> FormatError:
    """The same with the file and line of the element that the library was working on, or of the file that it
    could not read.
    """
    cause = _cause(error)
    if isinstance(cause, FormatError) and cause.line is not None:
        return cause
    if mark := getattr(cause, "problem_mark", None):  # of PyYAML
        return FormatError(mark.name, f"is not YAML: {cause.problem}", line=mark.line + 1)  # type: ignore[attr-defined]
    locations = list(_locations(frame for frame, _ in traceback.walk_tb(error.__traceback__)))
    name, line = locations[-1] if locations else (source.name, getattr(cause, "lineno", None))
    return FormatError(name, _problem(error, cause), line=line)


def _warn(message: object) -> None:
    """What the library warns of, with the file and line of the element that it is working on."""
    said = " ".join(str(message).split())
    where = next(_locations(frame for frame, _ in traceback.walk_stack(None)), None)
    warnings.warn(f"{where[0]}:{where[1]}: {said}" if where else said, FormatWarning, stacklevel=2)


def _locations(frames: Iterable[FrameType]) -> Iterator[tuple[str, int]]:
    """Where the elements stand that the library works on in these frames."""
    for frame in frames:
        for node in (frame.f_locals.get(name) for name in _IN_FRAMES):
            while node is not None and not hasattr(node, "origin"):
                # A text has the origin of what stands before it, or around it.
                node = getattr(node, "previousSibling", None) or getattr(node, "parentNode", None)
            if node is not None:
                yield node.origin


def _cause(error: Exception) -> Exception:
    """The error inside the library's own ones."""
    while isinstance(inner := getattr(error, "exc", None), Exception):
        error = inner
    return error


def _problem(error: Exception, cause: Exception) -> str:
    """What the library says, on one line; the errors inside it where they are clearer."""
    if isinstance(cause, OSError) and cause.filename:
        return f"there is no such file: {cause.filename}"
    if isinstance(cause, RecursionError):
        return "a macro calls itself without end, a file includes itself, or a property is made of itself"
    if isinstance(cause, LookupError) and "$(find " in str(cause):
        return str(cause.args[0])
    if isinstance(cause, FormatError):
        return str(cause)
    if isinstance(cause, MemoryError):
        return "there is not enough memory for what it makes"
    said = str(cause if str(error).startswith("<class ") else error)
    return " ".join(said.split()) or type(cause).__name__
