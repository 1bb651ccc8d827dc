"""The triangles of meshes, from files: STL at once; OBJ, COLLADA and PLY by trimesh."""

from __future__ import annotations

import contextlib
import io
import logging
import math
import re
import struct
from collections.abc import Iterator

import numpy as np

from limbik.errors import CollisionError, MissingExtra, did_you_mean, number_of, shortened
from limbik.model.shapes import LARGEST, Mesh
from limbik.number_text import number_from
from limbik.spatial import Array

FORMATS = ("stl", "obj", "dae", "ply")
LARGEST_FILE = 256 * 2**20  # [bytes]
MAX_TRIANGLES = 2_000_000
STL_TRIANGLE = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])
# Words of a facet in a text STL.
FACET = np.array(f"facet normal 0 0 0 outer loop {3 * 'vertex 0 0 0 '}endloop endfacet".encode().split())
PLY_FORMATS = [kind + b" 1.0" for kind in (b"ascii", b"binary_little_endian", b"binary_big_endian")]
OBJ_WORDS = (
    "v", "vt", "vn", "vp", "f", "fo", "l", "p", "g", "o", "s", "mg", "usemtl", "mtllib", "usemap", "maplib",
    "cstype", "deg", "bmat", "step", "curv", "curv2", "surf", "parm", "trim", "hole", "scrv", "sp", "end",
    "con", "bevel", "c_interp", "d_interp", "lod", "shadow_obj", "trace_obj", "ctech", "stech", "call", "csh",
)  # fmt: skip
_OBJ_FROM_ZERO = re.compile(rb"^f [^\n]*\b(?<![/\d])0+(?=[/\s])", re.MULTILINE)
_OBJ_SHORT = re.compile(rb"^f(?: \S+){0,2}$", re.MULTILINE)
_TEXT = re.compile(rb"[\t\r\n -~]*")
_UNIT = re.compile(rb"<unit\b[^>]*\bmeter\s*=\s*[\"']([^\"']*)[\"']")


def content_of(mesh: Mesh) -> bytes:
    """What the file of a mesh holds. Raises CollisionError where it cannot be read."""
    if mesh.data is not None:
        return mesh.data
    assert mesh.path is not None, "a mesh has a path or vertices"
    name = mesh.address
    try:
        if not mesh.path.is_file():
            raise CollisionError(f"there is no mesh {name!r}")
        if mesh.path.stat().st_size > LARGEST_FILE:
            raise CollisionError(f"mesh {name!r} is larger than {LARGEST_FILE // 2**20} MiB")
        return mesh.path.read_bytes()
    except (OSError, ValueError) as error:
        raise CollisionError(f"mesh {name!r} cannot be read: {error}") from None


def triangles_of(mesh: Mesh) -> Array:
    """The triangles [m, 3, 3] of a mesh in metres, each once, without those of no area.

    The unit in a COLLADA file is looked at; the axis that it calls up is not, as in ROS. Raises
    CollisionError for a file that is missing, broken or too large, MissingExtra without trimesh.
    """
    if mesh.vertices is not None:
        name, triangles = "given by vertices", mesh.vertices[mesh.triangles]
    else:
        assert mesh.path is not None, "a mesh has a path or vertices"
        name = repr(mesh.address)
        triangles = _read(content_of(mesh), mesh.path.suffix.removeprefix(".").lower(), name)
    triangles = triangles * np.array(mesh.scale)
    if not np.isfinite(triangles).all() or np.abs(triangles).max(initial=0.0) > LARGEST:
        raise CollisionError(f"mesh {name} has vertices that are no number, or larger than {LARGEST:.0e} m")
    u, v = triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0]
    triangles = triangles[(np.cross(u, v) != 0.0).any(axis=1)]
    if not len(triangles):
        raise CollisionError(f"mesh {name} has no triangle with an area")
    rows = np.ascontiguousarray(triangles.reshape(-1, 9)).view(np.dtype((np.void, 72))).ravel()
    return np.asarray(triangles[np.sort(np.unique(rows, return_index=True)[1])])


def _read(content: bytes, ending: str, name: str) -> Array:
    if ending not in FORMATS:
        raise CollisionError(
            f"mesh {name} needs to be one of {', '.join(FORMATS)}, found {shortened(ending)}"
        )
    if ending == "stl":
        triangles = _text_stl(content, name) if _is_text(content) else _binary_stl(content, name)
    else:
        triangles = _by_trimesh(content, ending, name)
    if len(triangles) > MAX_TRIANGLES:
        raise CollisionError(
            f"mesh {name} has {len(triangles):,} triangles, more than {MAX_TRIANGLES:,}; simplify it"
        )
    unit = _UNIT.search(content[:65536]) if ending == "dae" else None
    return triangles * _number(unit[1], name) if unit else triangles


def _by_trimesh(content: bytes, ending: str, name: str) -> Array:
    try:
        import trimesh
    except ImportError:
        raise MissingExtra("collision", f"reading {ending.upper()} meshes") from None
    if ending == "ply":
        _check_ply(content, name)
    elif ending == "obj":
        content = _plain_obj(content, name)
    try:
        with _silent(trimesh.util.log), np.errstate(all="ignore"):
            read = trimesh.load_mesh(io.BytesIO(content), file_type=ending, process=False)
            triangles = np.asarray(read.triangles, dtype=np.float64)
            if ending == "ply" and (np.asarray(read.faces) < 0).any():
                raise ValueError("a face needs vertices by index, from 0 on")
        if triangles.shape[1:] != (3, 3):
            raise ValueError("a face needs three vertices, and a vertex three numbers")
    except ModuleNotFoundError:  # COLLADA needs pycollada, texture coordinates need pillow
        raise MissingExtra("collision", f"reading {ending.upper()} meshes") from None
    except MemoryError:
        raise CollisionError(f"mesh {name} needs more memory than there is") from None
    except Exception as error:  # of any kind, by what is broken in the file
        said = f": {shortened(str(error))}" if isinstance(error, ValueError) else ", or it is cut off"
        raise CollisionError(f"mesh {name} is no {ending.upper()} file{said}") from None
    return triangles


def _check_ply(content: bytes, name: str) -> None:
    """Raise CollisionError for a PLY of text that has other elements than it says, of which trimesh reads as
    many as it can.
    """
    header, _, body = content.partition(b"end_header")
    words = [line.split() for line in header.splitlines()]
    formats = [line[1:] for line in words if line[:1] == [b"format"]]
    if len(formats) != 1 or b" ".join(formats[0]) not in PLY_FORMATS:
        raise CollisionError(
            f"mesh {name} needs one line `format`, such as `format ascii 1.0`, in its header"
        )
    if formats[0][0] != b"ascii":
        return
    elements: list[tuple[bytes, int, list[bytes]]] = []  # what, how many, and the types of their properties
    for line in words:
        if line[:1] == [b"element"] and len(line) == 3 and line[2].isdigit():
            elements.append((line[1], int(line[2]), []))
        elif line[:1] == [b"property"] and elements:
            elements[-1][2].append(line[1] if len(line) > 1 else b"")
    lines = [line.split() for line in body.splitlines() if line.strip()]
    needed = sum(count for _, count, _ in elements)
    if len(lines) != needed:
        raise CollisionError(f"mesh {name} says that it has {needed:,} elements, found {len(lines):,}")
    first, vertices = 0, sum(count for kind, count, _ in elements if kind == b"vertex")
    for kind, count, types in elements:
        is_face = kind == b"face" and types[:1] == [b"list"]
        for line in lines[first : first + count]:
            if is_face and not _is_face(line, vertices):
                problem = "as many vertices as it says, by index"
            elif b"list" not in types and len(line) != len(types):
                problem = number_of(len(types), "number")
            else:
                continue
            text = f"{kind.decode(errors='replace')} {shortened(b' '.join(line).decode(errors='replace'))}"
            raise CollisionError(f"mesh {name} has the {text}, which needs {problem}")
        first += count


def _is_face(words: list[bytes], vertices: int) -> bool:
    """Whether a line is a count, and as many indices of vertices."""
    try:
        count = int(words[0])
        indices = [int(word) for word in words[1 : 1 + count]]
    except ValueError:
        return False
    return len(indices) == count and all(0 <= index < vertices for index in indices)


def _plain_obj(content: bytes, name: str) -> bytes:
    """The lines of an OBJ without comments, and with one blank between words: trimesh leaves out others.

    Raises CollisionError for a face of fewer than three vertices, or with the vertex 0, and for a line that
    no OBJ has, such as a misspelt face.
    """
    content = content.removeprefix(b"\xef\xbb\xbf")  # with which some editors begin a text
    content = re.sub(rb"\\\r?\n", b" ", content)  # a line that goes on in the next one
    lines = [b" ".join(line.partition(b"#")[0].split()) for line in content.splitlines()]
    plain = b"\n".join(lines) + b"\n"
    for pattern, problem in (
        (_OBJ_FROM_ZERO, "has the vertex 0; they count from 1"),
        (_OBJ_SHORT, "needs at least three vertices"),
    ):
        if match := pattern.search(plain):
            line = plain[: match.start()].count(b"\n") + 1
            raise CollisionError(f"mesh {name}, line {line}: a face {problem}")
    for number, text in enumerate(lines, 1):
        word = text.partition(b" ")[0].decode(errors="replace")
        if word and word not in OBJ_WORDS:
            hint = did_you_mean(word, OBJ_WORDS)
            raise CollisionError(
                f"mesh {name}, line {number}: no line of an OBJ begins with {shortened(word)}; {hint}"
            )
    return plain


@contextlib.contextmanager
def _silent(log: logging.Logger) -> Iterator[None]:
    """A library says what is broken in an error alone, and not on the screen, too."""
    was, log.disabled = log.disabled, True
    try:
        yield
    finally:
        log.disabled = was


def _is_text(stl: bytes) -> bool:
    begin = stl[:2048].lower()
    return begin[:512].lstrip().startswith(b"solid") and b"facet" in begin


def _text_stl(content: bytes, name: str) -> Array:
    """The triangles of an STL of text. Raises CollisionError for a facet that is none."""
    lines = content.lower().splitlines()  # some programs write its words in capitals
    body = b" ".join(line for line in lines if line.split()[:1] not in ([b"solid"], [b"endsolid"]))
    words, size = body.split(), len(FACET)
    facets = np.array([*words, *[b""] * (-len(words) % size)]).reshape(-1, size)
    is_word = FACET != b"0"
    is_broken = (facets[:, is_word] != FACET[is_word]).any(axis=1)
    corners = facets[:, ~is_word][:, 3:]  # without normals, which some programs leave as nan
    if not is_broken.any() and b"_" not in body:  # which `float` takes between digits
        with contextlib.suppress(ValueError):
            return corners.astype(np.float64).reshape(-1, 3, 3)
    is_broken |= [
        any(math.isnan(number_from(word.decode("ascii", "replace"))) for word in each) for each in corners
    ]
    problem = "needs `facet normal`, three numbers, and three times `vertex` and three numbers in a loop"
    raise CollisionError(f"mesh {name}: facet {int(is_broken.argmax()) + 1} {problem}")


def _binary_stl(content: bytes, name: str) -> Array:
    """The triangles of a binary STL, whatever some programs write behind them; without trimesh, whose import
    takes longer than a first solve beside a world may.

    Raises CollisionError for fewer bytes than the number of triangles needs.
    """
    count = struct.unpack_from("<I", content, 80)[0] if len(content) >= 84 else -1
    if count < 0 or 84 + 50 * count > len(content):
        said = (
            "is cut off" if count < 0 else f"says that it has {count:,} triangles, and is too short for them"
        )
        raise CollisionError(f"mesh {name} {said}")
    more, rest = divmod(len(content) - 84 - 50 * count, 50)
    if more and not rest and not _TEXT.fullmatch(content, 84 + 50 * count):
        raise CollisionError(f"mesh {name} says that it has {count:,} triangles, found {count + more:,}")
    with np.errstate(invalid="ignore"):  # of NaNs that signal
        return np.frombuffer(content, STL_TRIANGLE, count, 84)["corners"].astype(np.float64)


def _number(text: bytes, name: str) -> float:
    word = text.decode("ascii", "replace")
    unit = number_from(word)
    if not 0.0 < unit < LARGEST:
        needed = f"a `unit` above 0 and below {LARGEST:.0e} [m]"
        raise CollisionError(f"mesh {name} needs {needed}, found {shortened(word)}")
    return unit
