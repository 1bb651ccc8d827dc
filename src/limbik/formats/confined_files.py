"""Confines a description to the files that came with it: finds the one that an address means; expands MJCF
includes, gives MuJoCo the meshes, refuses the rest.

MuJoCo by itself would look on the disk for what an MJCF includes and for its meshes. So includes are put in
their places here, meshes are handed over under names that no file has, and what else could open a file, or
fill the memory by a few words, is refused.
"""

from __future__ import annotations

import posixpath
import re
import xml.parsers.expat as expat
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any
from urllib.parse import unquote

from limbik.errors import FormatError, did_you_mean
from limbik.formats.elements import Element, parse
from limbik.formats.mjcf_checks import FileLimits, check, copies
from limbik.formats.source import Source, decoded

LARGEST_TEXT = 8 * 2**20  # [characters] with all includes expanded
DEEPEST_INCLUDE = 20
MAX_ELEMENTS = 10_000  # of an MJCF, with the copies that <replicate> makes
MAX_ASSETS = 1000  # among them in <asset>: what is not needed is deleted one by one, each time through all
MAX_MADE_MESHES = 100  # that MuJoCo makes itself
LIMITS = FileLimits(copies=MAX_ELEMENTS, fields=2**20, finest=64.0)
LARGEST_MESHES = 128 * 2**20  # [bytes] of mesh files, each counted as often as it is named

_ATTRIBUTES = r"""(?:\s+[^\s=<>"'/]+\s*=\s*(?:"[^"]*"|'[^']*'))*\s*"""
_INCLUDE = re.compile(rf"<include{_ATTRIBUTES}(?:/>|>\s*</include\s*>)")
_OPENING = re.compile(rf"<[^\s<>/]+{_ATTRIBUTES}(/?)>")
_ADDRESS = re.compile(r"(?:package|model|file)://+", re.IGNORECASE)


def find_file(files: Iterable[str], folder: str, address: str) -> str | None:
    """The file that an address means: beside the description, or the one whose path ends most like it.

    files: paths with "/". folder: that of the description, "" for none. address: a path, or one after
    package://, model:// or file://. None where no file, or several alike, may be meant.
    """
    names = set(files)
    wanted = unquote(_ADDRESS.sub("", address)).replace("\\", "/")
    beside = posixpath.normpath(posixpath.join(folder, wanted))
    if beside in names:
        return beside
    parts = [part for part in wanted.split("/") if part not in ("", ".", "..")]
    for count in range(len(parts), 0, -1):
        tail = "/".join(parts[-count:])
        matches = [name for name in names if name == tail or name.endswith(f"/{tail}")]
        if matches:
            return matches[0] if len(matches) == 1 else None
    return None


def enclosed(source: Source) -> Source:
    """An MJCF with its includes expanded. Raises FormatError for what is not allowed in it."""
    text = _with_includes(source, source.name, [], 0)
    root = parse(Source(source.name, text))
    _refuse(root)
    return replace(source, text=text)


def give_files(spec: Any, source: Source) -> None:
    """Let the meshes of an MjSpec come from the source's files.

    Raises ValueError for one that is not there, as MuJoCo does for files that it cannot open.
    """
    files = _files(source)
    folder = posixpath.join(posixpath.dirname(source.name), spec.meshdir)
    sent: dict[str, bytes] = {}
    bytes_left = LARGEST_MESHES
    for part in [part for part in spec.meshes if part.file]:
        match = find_file(files, folder, part.file)
        if match is None:
            raise ValueError(f"there is no file {part.file!r} with it")
        part.name = part.name or posixpath.splitext(posixpath.basename(part.file))[0]
        stem, ending = posixpath.splitext(posixpath.basename(match))
        part.file = f"{len(sent)}-{stem}{ending.lower()}"
        sent[part.file] = files[match]
        bytes_left -= len(files[match])
        if bytes_left < 0:
            raise ValueError(f"its meshes are larger than {LARGEST_MESHES // 2**20} MiB together")
    spec.meshdir = spec.texturedir = spec.modelfiledir = ""
    spec.assets = sent


def _files(source: Source) -> Mapping[str, bytes]:
    assert source.files is not None, "only sources that list their files are read here"
    return source.files


# --- includes -----------------------------------------------------------------------------------------------


def _with_includes(source: Source, name: str, included: list[str], depth: int) -> str:
    """The text of a source, each <include> replaced by what it includes, so that all lines keep
    their numbers.

    included: the files that are included already; none is included twice, as in MuJoCo. depth: how many
    files around this one include it.
    """
    text = source.text.lstrip("\ufeff \t\r\n")
    skipped = source.text[: len(source.text) - len(text)]
    parse(source)  # for its errors, and to refuse document types
    parts, end = [skipped.replace("\ufeff", "")], 0
    for element, offset in _includes(text, source):
        match = _INCLUDE.match(text, offset)
        if match is None:
            raise element.error("an <include> holds nothing but the attribute `file`")
        parts += [
            text[end:offset],
            _included(element, source, name, included, depth + 1),
            "\n" * match[0].count("\n"),
        ]
        end = match.end()
    whole = "".join([*parts, text[end:]])
    if len(whole) > LARGEST_TEXT:
        raise FormatError(name, f"is larger than {LARGEST_TEXT:,} characters with what it includes")
    return whole


def _includes(text: str, source: Source) -> list[tuple[Element, int]]:
    """The <include>s in a text and where they begin."""
    elements: list[tuple[Element, int]] = []
    parser = expat.ParserCreate("utf-8")
    data = text.encode()

    def start(tag: str, attributes: dict[str, str]) -> None:
        if tag == "include":
            offset = len(data[: parser.CurrentByteIndex].decode())
            elements.append((Element(source.name, parser.CurrentLineNumber, tag, attributes), offset))

    parser.StartElementHandler = start
    parser.Parse(data, True)
    return elements


def _included(element: Element, source: Source, main: str, included: list[str], depth: int) -> str:
    element.only("file")
    files = _files(source)
    address = element.text("file")
    match: str | None = posixpath.normpath(posixpath.join(posixpath.dirname(main), address))
    if match not in files:  # beside the main file first, as MuJoCo does
        match = find_file(files, posixpath.dirname(source.name), address)
    if match is None:
        raise element.error(f"there is no file {address!r} with it; {did_you_mean(address, files)}")
    if match in included:
        raise element.error(f"the file {match!r} is included twice")
    if depth > DEEPEST_INCLUDE:
        raise element.error(f"files are included in each other more than {DEEPEST_INCLUDE} deep")
    included.append(match)
    inner = Source(match, decoded(files[match], match), files=files)
    root = parse(inner)
    if root.tag not in ("mujoco", "mujocoinclude"):
        raise root.error("an included file needs <mujocoinclude> as its root")
    return _content(_with_includes(inner, main, included, depth)).replace("\n", " ")


def _content(text: str) -> str:
    """What stands inside the root element."""
    parser = expat.ParserCreate("utf-8")
    data = text.lstrip().encode()
    offsets: list[int] = []
    parser.StartElementHandler = lambda tag, attributes: offsets.append(parser.CurrentByteIndex)
    parser.Parse(data, True)
    opening = _OPENING.match(data.decode(), len(data[: offsets[0]].decode()))
    if opening is None or opening[1]:
        return ""
    return data.decode()[opening.end() : data.decode().rindex("</")]


# --- what is refused ----------------------------------------------------------------------------------------


def _refuse(root: Element) -> None:
    elements = list(root.walk())
    for element in elements:
        _refuse_element(element)
    meshes = [element for element in elements if element.tag == "mesh" and "builtin" in element.attributes]
    assets = [element for element in elements if element.parent and element.parent.tag == "asset"]
    for count, maximum, what in (
        (sum(map(copies, elements)), MAX_ELEMENTS, "elements, with the copies of <replicate>"),
        (len(assets), MAX_ASSETS, "elements in <asset>"),
        (len(meshes), MAX_MADE_MESHES, "meshes for MuJoCo to make"),
    ):
        if count > maximum:
            raise root.error(f"has more than {maximum:,} {what}")
    check(root, LIMITS)


def _refuse_element(element: Element) -> None:
    opens_files = element.tag == "model" and "file" in element.attributes
    if opens_files or element.tag in ("flexcomp", "composite"):
        raise element.error("is not read here: it can open files, or make any number of bodies")
    if element.tag == "hfield" and "file" in element.attributes:
        raise element.error("a height field needs its numbers in `elevation`: no file is read for it")
