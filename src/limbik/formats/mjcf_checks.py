"""Refuses MJCF that would end the process or exhaust memory, before MuJoCo reads it.

MuJoCo 4.0 takes the names of unknown default classes for formats of printf, so that a "%n" in one ends the
process and a "%lx" shows its memory. And a few words in a file can ask for any amount of memory.
"""

from __future__ import annotations

import math
import os
from dataclasses import dataclass
from pathlib import Path

from limbik.errors import FormatError, shortened
from limbik.formats.elements import Element, parse
from limbik.formats.source import Source, bytes_of
from limbik.model.joints import FARTHEST

_MADE_BY_COUNT = ("composite", "flexcomp")  # elements that make as many bodies as `count` says
# Attributes that say where something is.
_POSITIONS = (
    "pos", "quat", "refpos", "refquat", "axis", "axisangle", "xyaxes", "zaxis", "euler", "fromto", "ref"
)  # fmt: skip
_FORMATS = ("class", "childclass")  # attributes that MuJoCo takes for formats


@dataclass(frozen=True, kw_only=True)
class FileLimits:
    """What one file may ask for, with what it includes."""

    copies: int  # of elements, that <replicate>, <composite> and <flexcomp> make
    fields: int  # numbers in all height fields
    finest: float  # largest parameter of a mesh that MuJoCo makes itself


ON_DISK = FileLimits(copies=10_000, fields=2**24, finest=1000.0)


def check(root: Element, limits: FileLimits) -> None:
    """Raise FormatError for what is refused in an MJCF, whose includes are expanded."""
    elements = list(root.walk())
    for element in elements:
        _refuse_formats(element)
        _refuse_fine_mesh(element, limits.finest)
        _refuse_far(element)
        if element.tag != "include" and element.tag.lower() == "include":
            raise element.error("unknown element; did you mean <include>?")
    for count, maximum, what in (
        (sum(map(_made, elements)), limits.copies, "copies of elements, by <replicate> and the like"),
        (sum(map(_numbers, elements)), limits.fields, "numbers in its height fields"),
    ):
        if count > maximum:
            raise root.error(f"has more than {maximum:,} {what}, found {count:,.0f}")


def check_files(source: Source) -> None:
    """Raise FormatError for what is refused in an MJCF, in the files that it includes and in the models that
    it attaches.
    """
    waiting = [_parsed(source)]
    if waiting[0] is not None and not is_xml_file(source.path):
        for element in waiting[0].walk():
            if element.tag == "include":
                others = "others MuJoCo reads as a text, and includes what is in the current folder"
                raise element.error(f"is for files whose name ends in .xml: {others}")
    while waiting:
        root = waiting.pop()
        if root is None:
            continue
        _expand_includes(root, source.path)
        check(root, ON_DISK)
        for element in root.walk():
            if element.tag == "model" and (path := _file_of(element, source.path)):
                waiting.append(_parsed(_as_mujoco_reads_it(path)))


def included_elements(source: Source) -> list[Element]:
    """Those of all files that an MJCF on disk includes, at any depth; none of files that are no XML."""
    root = _parsed(source) if source.files is None and is_xml_file(source.path) else None
    if root is None:
        return []
    _expand_includes(root, source.path)
    return [element for element in root.walk() if element.source != root.source]


def file_included_at(source: Source, line: int) -> str | None:
    """The file that is included in a line of an MJCF; None where there is none."""
    root = _parsed(source)
    for element in root.walk() if root else ():
        if element.tag == "include" and element.line == line and (path := _file_of(element, source.path)):
            return str(path)
    return None


def is_xml_file(path: Path | None) -> bool:
    """Whether MuJoCo reads it as a file: others as a text, which is in no folder."""
    return path is not None and path.suffix == ".xml"


def _expand_includes(root: Element, main: Path | None) -> None:
    """Hang what an MJCF includes under its <include>s; each file once, as in MuJoCo."""
    included: set[Path] = set()
    waiting = [element for element in root.walk() if element.tag == "include"]
    while waiting:
        element = waiting.pop()
        path = _file_of(element, main)
        if path is None or path in included:
            continue
        included.add(path)
        inner = _parsed(_as_mujoco_reads_it(path))
        if inner is not None:
            inner.parent = element
            element.children.append(inner)
            waiting += [each for each in inner.walk() if each.tag == "include"]


def _file_of(element: Element, main: Path | None) -> Path | None:
    """The file that an <include> or <model> names: beside the main file, or beside the one that names it."""
    name = element.attributes.get("file", "").replace("\\", "/")
    folders = [main.parent] if main else []
    folders += [Path(element.source).parent]
    paths = (folder / name for folder in folders if name)
    return next((path for path in paths if os.path.exists(path)), None)  # Path.exists raises for long names


def _as_mujoco_reads_it(path: Path) -> Source:
    """MuJoCo takes a file for UTF-8, whatever it declares."""
    name = str(path)
    return Source(name, bytes_of(path, name).decode("utf-8", errors="replace"), path)


def _parsed(source: Source) -> Element | None:
    """The root element; None for a text that only MuJoCo's reader, which forgives more, may understand."""
    if source.path is not None and is_xml_file(source.path):  # MuJoCo opens it by itself
        source = _as_mujoco_reads_it(source.path)
    try:
        return parse(source)
    except FormatError:
        if "%" in source.text or "&" in source.text or "<!DOCTYPE" in source.text:
            raise
        return None


def _refuse_formats(element: Element) -> None:
    for attribute in _FORMATS:
        value = element.attributes.get(attribute, "")
        if "%" in value:
            raise element.error(
                f"`{attribute}` needs a name without '%', which MuJoCo would take for a format of printf; "
                f"found {shortened(value)}"
            )


def _refuse_fine_mesh(element: Element, finest: float) -> None:
    is_made = element.tag == "mesh" and {"builtin", "params"} <= set(element.attributes)
    if is_made and max(map(abs, element.list_of_numbers("params"))) > finest:
        actual = shortened(element.attributes["params"])
        raise element.error(f"`params` needs numbers up to {finest:g}, found {actual}")


def _refuse_far(element: Element) -> None:
    """Refuse what MuJoCo would compute NaN from, or poses out of all reach."""
    for attribute in _POSITIONS:
        words = element.attributes.get(attribute, "").split()
        try:
            numbers = [float(word) for word in words]
        except ValueError:
            continue  # MuJoCo says what it does not understand
        if not all(abs(number) <= FARTHEST for number in numbers):
            raise element.error(
                f"`{attribute}` needs finite numbers up to {FARTHEST:g}, found {shortened(' '.join(words))}"
            )


def copies(element: Element) -> float:
    """How often an element stands in the model: once for each copy that the <replicate>s around it make."""
    number = 1.0
    ancestor = element.parent
    while ancestor is not None:
        if ancestor.tag == "replicate":
            number *= max(1.0, ancestor.number("count", 1.0))
        ancestor = ancestor.parent
    return number


def _made(element: Element) -> float:
    """The elements that this one becomes; 0 where it only becomes itself."""
    number = copies(element)
    if element.tag in _MADE_BY_COUNT and "count" in element.attributes:
        number *= math.prod(max(count, 1.0) for count in element.list_of_numbers("count"))
    return number if number > 1.0 else 0.0


def _numbers(element: Element) -> float:
    if element.tag != "hfield":
        return 0.0
    return math.prod(max(element.number(attribute, 1.0), 1.0) for attribute in ("nrow", "ncol"))
