"""Reads the motion of an upload, in a process of its own."""

from __future__ import annotations

import posixpath
from collections.abc import Sequence
from dataclasses import replace

from limbik.app.upload import Upload
from limbik.errors import FormatError, LimbikError
from limbik.formats.motion_upload import ENDINGS, read_from
from limbik.formats.motions import Motion
from limbik.formats.separate_process import apart

SECONDS = 60.0  # that a file may take to be read
MAX_NUMBERS = 8_000_000  # of a motion


def read_motion(
    upload: Upload, unit: str | float, up: str | None, animation: str | None
) -> tuple[Motion, str, Sequence[str]]:
    """The motion, the name of its file, and the names of its animations.

    Raises FormatError for a file that cannot be read, LimbikError where there is none or it is too long.
    """
    name = _motion_in(upload)
    motion, animations = apart(name, SECONDS, read_from, dict(upload.files), name, unit, up, animation)
    motion = replace(motion)  # which protects its numbers
    if motion.q.size > MAX_NUMBERS:
        raise LimbikError(
            f"{name} has {len(motion):,} frames of {motion.model.nq} numbers; the page shows at most "
            f"{MAX_NUMBERS // motion.model.nq:,} frames of these, any number by limbik.load_motion()"
        )
    return motion, posixpath.basename(name), animations


def _motion_in(upload: Upload) -> str:
    files = sorted(name for name in upload.files if posixpath.splitext(name)[1].lower() in ENDINGS)
    if not files:
        held = ", ".join(sorted(upload.files)[:5])
        raise FormatError(upload.name, f"holds no motion: a BVH, GLB, glTF or VRM file; it has {held}")
    return files[0]
