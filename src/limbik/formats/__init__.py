"""Where models come from: one file for each format, and `load`, which finds out by itself."""

from __future__ import annotations

import importlib
from types import ModuleType

from limbik.formats.load import load

__all__ = ["load"]

_READERS = ("arm", "bvh", "dh", "mjcf", "path_csv", "srdf", "srdf_write", "urdf", "urdf_write", "xacro")


def __getattr__(name: str) -> ModuleType:
    """A reader or writer, such as `limbik.formats.srdf`, imported when it is first requested."""
    if name not in _READERS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return importlib.import_module(f"{__name__}.{name}")
