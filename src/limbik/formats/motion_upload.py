"""Reads a motion from files in memory, such as those of an upload."""

from __future__ import annotations

import contextlib
import posixpath
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from limbik.errors import FormatError
from limbik.formats import bvh, gltf_file
from limbik.formats.motions import Motion, load_motion
from limbik.formats.source import decoded

ENDINGS = (".bvh", *gltf_file.ENDINGS)


def read_from(
    files: Mapping[str, bytes], name: str, unit: Any, up: Any, animation: str | None
) -> tuple[Motion, Sequence[str]]:
    """The motion in one of some files, and the names of its animations; the first one without a choice.

    What it returns can be pickled. Raises FormatError, which calls the file by its name.
    """
    if posixpath.splitext(name)[1].lower() == ".bvh":
        text = decoded(files[name], name)
        if not bvh.is_bvh(text):
            raise FormatError(name, "is no BVH, which begins with HIERARCHY", line=1)
        with _called(name, "<text>"):
            return load_motion(text, unit=unit, up=up), ()
    with tempfile.TemporaryDirectory() as folder:
        for path, content in files.items():  # the numbers of a glTF may be beside it
            target = Path(folder, path)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)
        path = str(Path(folder, name))
        with _called(name, path):
            animations = gltf_file.read(path).items("animations")
            names = [str(each.get("name") or f"animation {k}") for k, each in enumerate(animations)]
            number = names.index(animation) if animation in names else 0
            motion = load_motion(path, up=up, animation=number if names else None)
            return replace(motion, roles=motion.roles and dict(motion.roles)), names


@contextlib.contextmanager
def _called(name: str, temporary: str) -> Iterator[None]:
    """Errors of a file call it by the name that it came with."""
    try:
        yield
    except FormatError as error:
        source = name if error.source == temporary else posixpath.basename(error.source)
        raise FormatError(source, error.problem, line=error.line, element=error.element) from None
