"""Resolves file URIs in robot descriptions (package://, file://, relative) without a ROS installation."""

from __future__ import annotations

import os
import re
from pathlib import Path
from urllib.parse import unquote, urlsplit

_PACKAGE_NAME = re.compile(r"<name>\s*([^<\s]+)\s*</name>")


def resolve(uri: str, folder: Path | None) -> Path | None:
    """The file that an address in a description means, or None if there is none.

    uri: "package://NAME/path", "model://NAME/path", "file:///path", or a path, which may be relative to
    `folder`, the folder of the description (None when the description is a text).
    """
    try:
        address = urlsplit(uri) if "://" in uri else None
    except ValueError:  # a bracket without its other one
        return None
    if address is None:
        path = Path(os.path.expanduser(uri))  # which leaves the home of nobody as it is
        resolved = path if path.is_absolute() else folder and folder / path
    elif address.scheme in ("package", "model"):
        package = find_package(address.netloc, folder)
        resolved = package and package / unquote(address.path).lstrip("/")
    elif address.scheme == "file":
        resolved = Path(unquote(address.netloc + address.path))
    else:
        resolved = None
    return resolved if resolved and resolved.is_file() else None


def find_package(name: str, folder: Path | None) -> Path | None:
    """The folder of a ROS package, or None.

    Looked for in AMENT_PREFIX_PATH (ROS 2), in ROS_PACKAGE_PATH (ROS 1), then in `folder` and upward: a
    folder of that name, or one whose package.xml has it.
    """
    if not re.fullmatch(r"\w[\w.-]*", name):
        return None
    prefixes = [Path(prefix) / "share" / name for prefix in _paths("AMENT_PREFIX_PATH")]
    for root in _paths("ROS_PACKAGE_PATH"):
        prefixes += [Path(root) / name, Path(root)]
    for candidate in prefixes:
        if (candidate.name == name and candidate.is_dir()) or _is_package(candidate, name):
            return candidate
    return _above(name, folder.resolve()) if folder else None


def _above(name: str, folder: Path) -> Path | None:
    for parent in (folder, *folder.parents):
        if parent.name == name or _is_package(parent, name):
            return parent
        if (parent / name).is_dir():
            return parent / name
    return None


def _is_package(folder: Path, name: str) -> bool:
    manifest = folder / "package.xml"
    if not manifest.is_file():
        return False
    match = _PACKAGE_NAME.search(manifest.read_text(encoding="utf-8", errors="replace"))
    return match is not None and match[1] == name


def _paths(variable: str) -> list[str]:
    return [path for path in os.environ.get(variable, "").split(os.pathsep) if path]
