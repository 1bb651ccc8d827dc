"""Reading the motion in an upload, in a process of its own."""

from __future__ import annotations

import contextlib
import posixpath
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from limbik.app.upload import Upload
from limbik.errors import FormatError, LimbikError
from limbik.formats import bvh, gltf_file
from limbik.formats.motions import Motion, load_motion
from limbik.formats.separate_process import apart
from limbik.formats.source import decoded

SECONDS = 60.0  # that a file may take to be read
MOST_NUMBERS = 8_000_000  # of a motion
ENDINGS = (".bvh", *gltf_file.ENDINGS)


def read_motion(
    upload: Upload, unit: str | float, up: str | None, animation: str | None
) -> tuple[Motion, str, Sequence[str]]:
    """The motion, the name of its file, and the names of its animations.

    Raises FormatError for a file that cannot be read, LimbikError where there is none or it is too long.
    """
    name = _motion_in(upload)
    motion, animations = apart(name, SECONDS, _read, dict(upload.files), name, unit, up, animation)
    if motion.q.size > MOST_NUMBERS:
        raise LimbikError(
            f"{name} has {len(motion):,} frames of {motion.model.nq} numbers; the page shows at most "
            f"{MOST_NUMBERS // motion.model.nq:,} frames of these, any number by limbik.load_motion()"
        )
    return motion, posixpath.basename(name), animations


def _motion_in(upload: Upload) -> str:
    found = sorted(name for name in upload.files if posixpath.splitext(name)[1].lower() in ENDINGS)
    if not found:
        held = ", ".join(sorted(upload.files)[:5])
        raise FormatError(upload.name, f"holds no motion: a BVH, GLB, glTF or VRM file; it has {held}")
    return found[0]


def _read(
    files: dict[str, bytes], name: str, unit: Any, up: Any, animation: str | None
) -> tuple[Motion, Sequence[str]]:
    if posixpath.splitext(name)[1].lower() == ".bvh":
        text = decoded(files[name], name)
        if not bvh.is_bvh(text):
            raise FormatError(name, "is no BVH, which begins with HIERARCHY", line=1)
        with _called(name, "<text>"):
            return load_motion(text, unit=unit, up=up), ()
    with tempfile.TemporaryDirectory() as folder:
        for path, content in files.items():  # the numbers of a glTF may be beside it
            place = Path(folder, path)
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(content)
        path = str(Path(folder, name))
        with _called(name, path):
            given = gltf_file.read(path).items("animations")
            names = [str(each.get("name") or f"animation {k}") for k, each in enumerate(given)]
            number = names.index(animation) if animation in names else 0
            return load_motion(path, up=up, animation=number if names else None), names


@contextlib.contextmanager
def _called(name: str, place: str) -> Iterator[None]:
    """Errors of a file call it by the name that it came with."""
    try:
        yield
    except FormatError as error:
        source = name if error.source == place else posixpath.basename(error.source)
        raise FormatError(source, error.problem, line=error.line, element=error.element) from None
