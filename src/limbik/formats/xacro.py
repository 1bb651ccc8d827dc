"""Expands xacro, URDF with macros (https://wiki.ros.org/xacro), through its own library.

A xacro file is a program: it evaluates Python's expressions, reads environment variables and includes other
files. Process only those that you trust. It runs in a process of its own, which ends after `SECONDS`, or with
too much memory: that bounds what a mistake can cost, and is no cage for a file that means harm.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping

from limbik.errors import FormatError, MissingExtra, ModelError, did_you_mean, mapping_of, shortened
from limbik.formats import urdf
from limbik.formats.elements import parse
from limbik.formats.separate_process import apart
from limbik.formats.source import Source, SourceLike, open_source
from limbik.formats.xacro_expansion import processed
from limbik.model import Model

SECONDS = 30.0  # that xacro may take


def read(
    source: SourceLike, *, args: Mapping[str, object] | None = None, end_effector: str | None = None
) -> Model:
    """The model that a xacro file or text describes once it is processed.

    args: values for its <xacro:arg>s. end_effector: see `limbik.formats.urdf.read`.

    Raises FormatError, with the line where it is known, and MissingExtra without the library.
    """
    opened = open_source(source)
    made = process(opened, args=args)
    robot = parse(made)
    if not robot.all("link"):
        problem = "has no <link> once it is processed; read a file of macros through the file that uses them"
        raise FormatError(opened.name, problem)
    return urdf.from_element(robot, made, end_effector=end_effector)


def process(source: SourceLike, *, args: Mapping[str, object] | None = None) -> Source:
    """The URDF that xacro makes of a file or text.

    $(find NAME) is looked for as `limbik.formats.packages.find_package` says, so ROS need not be installed.
    Raises as `read` does, also for what takes more than `SECONDS`.
    """
    if importlib.util.find_spec("xacro") is None:
        raise MissingExtra("robots", "reading xacro")
    opened = open_source(source)
    parse(opened)  # for its errors, before a process is started
    by_name = {} if args is None else mapping_of(args, "args", ModelError, "values by the names of arguments")
    values = {name: _as_text(value) for name, value in by_name.items()}
    made = apart(opened.name, SECONDS, processed, opened, values)
    for name in values:
        if name not in made.arguments:
            known = did_you_mean(name, made.arguments)
            raise FormatError(opened.name, f"has no <xacro:arg name={shortened(name)}>; {known}")
    return Source(f"{opened.name} (processed by xacro)", made.text, opened.path)


def _as_text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
