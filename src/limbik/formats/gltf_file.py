"""Reads and writes glTF 2.0 files: the JSON and its buffers, leaving the rest unchanged.

GLB (and .vrm) is a header, a chunk of JSON and a chunk of bytes, which is the first buffer; .gltf is the JSON
alone. Other buffers stand in files beside it or as base64 in the JSON.
(glTF 2.0 specification, 3.6.1 and 4.4)
"""

from __future__ import annotations

import base64
import binascii
import copy
import json
import struct
from collections.abc import Sequence
from dataclasses import dataclass, field
from os import PathLike, fspath
from pathlib import Path
from typing import Any, NoReturn, TypeGuard
from urllib.parse import unquote

from limbik.errors import FormatError, shortened, unrepeated
from limbik.formats.source import is_text, write_bytes

ENDINGS = (".glb", ".gltf", ".vrm", ".vrma")
LARGEST = 2**30  # [bytes]
_HEADER = struct.Struct("<4sII")
_CHUNK = struct.Struct("<I4s")
_MAGIC, _JSON, _BIN = b"glTF", b"JSON", b"BIN\0"

LISTS = ("nodes", "skins", "accessors", "bufferViews", "buffers", "animations", "meshes", "scenes")
PACKED = ("EXT_meshopt_compression", "KHR_meshopt_compression")  # also times and values of animations


@dataclass(frozen=True, eq=False)
class GltfFile:
    """The content of a file."""

    name: str  # for messages
    folder: Path  # where files beside it are
    content: dict[str, Any]  # of the JSON
    binary: bytes | None  # the chunk of bytes of a GLB
    _buffers: dict[object, bytes] = field(default_factory=dict)  # those that were read

    def items(self, key: str) -> list[dict[str, Any]]:
        """A list of objects of the JSON, such as "nodes"; empty where there is none."""
        items = self.content.get(key, [])
        if not isinstance(items, list) or not all(isinstance(each, dict) for each in items):
            self.fail(f"{key} needs a list of objects")
        return items

    def item(self, key: str, index: object, where: str) -> dict[str, Any]:
        """One object of such a list. where: what has its number, for the message."""
        items = self.items(key)
        if not is_whole(index) or not 0 <= index < len(items):
            self.fail(f"there is no {key}[{shortened(index)}]; there are {len(items)}", where)
        return items[index]

    def buffer(self, index: object, where: str) -> bytes:
        """The bytes of a buffer."""
        uri = self.item("buffers", index, where).get("uri")
        where = f"buffers[{index}]"
        if uri is None:
            if index or self.binary is None:
                self.fail("has no uri, and is not the bytes of a GLB", where)
            return self.binary
        if index not in self._buffers:
            self._buffers[index] = self.resource(uri, where)
        return self._buffers[index]

    def resource(self, uri: object, where: str) -> bytes:
        """What a uri stands for: base64, or a file in the folder of this one or below."""
        if not isinstance(uri, str):
            self.fail(f"uri needs a text, found {shortened(uri)}", where)
        if uri.startswith("data:"):
            try:
                return base64.b64decode(uri.partition(",")[2], validate=True)
            except (binascii.Error, ValueError):
                self.fail("its base64 is broken", where)
        path = Path(unquote(uri))
        if path.is_absolute() or ".." in path.parts or "://" in uri:
            self.fail(f"needs a file in the same folder, found {shortened(uri)}", where)
        try:
            return _bytes_of(self.folder / path)
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or error
            self.fail(f"{shortened(uri)} cannot be read: {reason}", where)

    def fail(self, problem: str, where: str | None = None) -> NoReturn:
        raise FormatError(self.name, problem, element=where)


def is_gltf(file: object) -> bool:
    """Whether that is the path of a file whose ending or first bytes say glTF."""
    if not isinstance(file, str | PathLike) or (isinstance(file, str) and is_text(file)):
        return False
    path = Path(fspath(file))
    if path.suffix.lower() in ENDINGS:
        return True
    try:
        if not path.expanduser().is_file():  # a pipe may never begin to be read
            return False
        with path.expanduser().open("rb") as opened:
            return opened.read(4) == _MAGIC
    except (OSError, ValueError, RuntimeError):
        return False


def read(file: str | PathLike[str]) -> GltfFile:
    """Read a file. Raises FormatError for one that cannot be read or is broken."""
    name = str(fspath(file))
    path = Path(name).expanduser()
    try:
        content = _bytes_of(path)
    except (OSError, ValueError) as error:
        raise FormatError(name, f"cannot be read: {getattr(error, 'strerror', None) or error}") from None
    text, binary = _chunks(name, content) if content[:4] == _MAGIC else (content, None)
    try:
        decoded = text.decode("utf-8-sig")
        data = json.loads(decoded, parse_constant=_refuse_constant, object_pairs_hook=unrepeated)
    except (ValueError, RecursionError) as error:
        raise FormatError(name, f"its JSON is broken: {error}") from None
    asset = data.get("asset") if isinstance(data, dict) else None
    version = asset.get("version") if isinstance(asset, dict) else None
    if not isinstance(version, str) or version.split(".")[0] != "2":
        raise FormatError(name, f"needs glTF 2.0, found version {shortened(version)}")
    needed = data.get("extensionsRequired")
    if isinstance(needed, list) and (packed := [each for each in PACKED if each in needed]):
        raise FormatError(name, f"needs {packed[0]}, by which its numbers are packed: save it without")
    opened = GltfFile(name, path.parent, data, binary)
    for key in LISTS:
        opened.items(key)
    return opened


def write(file: GltfFile, path: Path, added: bytes = b"") -> None:
    """Write a file, as GLB unless the ending is .gltf.

    added: what comes after the bytes of the first buffer of a GLB, where the JSON counts it already.
    What stands in files beside the old one goes into the new one if that is in another folder.
    """
    content = copy.deepcopy(file.content)
    binary = None if file.binary is None else file.binary + added
    if path.parent.resolve() != file.folder.resolve():
        _embed(file, content)
    if path.suffix.lower() == ".gltf":
        if binary is not None:
            content["buffers"][0]["uri"] = data_uri(binary[: content["buffers"][0]["byteLength"]])
        write_bytes(path, _as_json(content, indent=1))
        return
    text = _as_json(content, separators=(",", ":"))
    parts = [_chunk(_JSON, text, b" ")] + ([] if binary is None else [_chunk(_BIN, binary, b"\0")])
    size = _HEADER.size + sum(map(len, parts))
    write_bytes(path, b"".join([_HEADER.pack(_MAGIC, 2, size), *parts]))


def _as_json(content: Any, **style: Any) -> bytes:
    try:
        return json.dumps(content, ensure_ascii=False, **style).encode()
    except UnicodeEncodeError:  # half of a pair, which JSON can hold and UTF-8 cannot
        return json.dumps(content, **style).encode()


def is_whole(value: object) -> TypeGuard[int]:
    """Whether a value of the JSON is a whole number."""
    return isinstance(value, int) and not isinstance(value, bool)


def data_uri(content: bytes) -> str:
    """Bytes as a uri of base64."""
    return "data:application/octet-stream;base64," + base64.b64encode(content).decode()


def _embed(file: GltfFile, content: dict[str, Any]) -> None:
    for key in ("buffers", "images"):
        for index, each in enumerate(content.get(key, [])):
            if "uri" in each and not str(each["uri"]).startswith("data:"):
                each["uri"] = data_uri(file.resource(each["uri"], f"{key}[{index}]"))


def _chunks(name: str, content: bytes) -> tuple[bytes, bytes | None]:
    """The JSON and the bytes of a GLB."""
    if len(content) < _HEADER.size:
        raise FormatError(name, "the GLB ends within its header")
    _, version, size = _HEADER.unpack_from(content)
    if version != 2 or size > len(content):
        actual = f"version {version}" if version != 2 else f"{len(content)} of {size} bytes"
        raise FormatError(name, f"needs a whole GLB of version 2, found {actual}")
    chunks: list[tuple[bytes, bytes]] = []
    at = _HEADER.size
    while at + _CHUNK.size <= size:
        length, kind = _CHUNK.unpack_from(content, at)
        at += _CHUNK.size
        if at + length > size:
            raise FormatError(name, f"the GLB ends within chunk {len(chunks)}")
        chunks.append((kind, content[at : at + length]))
        at += length
    if not chunks or chunks[0][0] != _JSON:
        raise FormatError(name, "the first chunk of a GLB needs to be JSON")
    has_bytes = len(chunks) > 1 and chunks[1][0] == _BIN
    return chunks[0][1], chunks[1][1] if has_bytes else None


def _chunk(kind: bytes, content: bytes, padding: bytes) -> bytes:
    content += padding * (-len(content) % 4)
    return _CHUNK.pack(len(content), kind) + content


def _bytes_of(path: Path) -> bytes:
    if path.exists() and not path.is_file():
        raise OSError(0, "is no file")
    with path.open("rb") as file:
        content = file.read(LARGEST + 1)
    if len(content) > LARGEST:
        raise ValueError(f"is larger than {LARGEST >> 20} MB")
    return content


def _refuse_constant(word: str) -> Sequence[float]:
    raise ValueError(f"{word} is no number")
