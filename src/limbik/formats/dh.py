"""Tables of Denavit-Hartenberg parameters: reads and writes them as CSV or YAML.

    # convention: standard
    joint,     type,      theta, d,     a,      alpha, lower, upper
    waist,     revolute,  0,     0.672, 0,      pi/2,  -2.79, 2.79
    shoulder,  revolute,  0,     0,     0.4318, 0,     -0.78, 3.92
    tip,       fixed,     0,     0.1,   0,      0,     ,

`convention` has no default: the same numbers are different robots in the two conventions, which
`limbik.model.denavit_hartenberg` defines. Lengths are metres; angles are radians, where pi/2 and the like may
be written, or degrees where `# angles: degrees` says so. What else may stand there: docs/robots.md.
"""

from __future__ import annotations

import csv
import io
import json
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import cast

from limbik.errors import FormatError, ModelError, did_you_mean, shortened
from limbik.formats.csv_rows import fits_a_cell
from limbik.formats.dh_rows import rows_of_chain
from limbik.formats.source import Source, SourceLike, open_source, write_text
from limbik.formats.table import Cell, TableRow, is_csv, read_table
from limbik.model.denavit_hartenberg import CONVENTIONS, Convention, Row, chain_of_rows
from limbik.model.joints import FARTHEST, JointKind, as_limits
from limbik.model.model import Model
from limbik.number_text import number_from

SETTINGS = ("convention", "angles", "name")
COLUMNS = ("joint", "type", "theta", "d", "a", "alpha", "offset", "lower", "upper")
_KINDS = {
    "revolute": JointKind.REVOLUTE,
    "continuous": JointKind.CONTINUOUS,
    "prismatic": JointKind.PRISMATIC,
    "fixed": JointKind.FIXED,
}
_BOTH = (
    "say `convention: standard` where a row is Rot(z, theta) Trans(z, d) Trans(x, a) Rot(x, alpha), so that "
    "a and alpha belong to the link after the joint, or `convention: modified` (Craig's) where it is "
    "Rot(x, alpha) Trans(x, a) Rot(z, theta) Trans(z, d), so that they belong to the link before it"
)
_PI = re.compile(r"(?P<sign>[+-]?)\s*(?:(?P<times>[0-9.]+)\s*\*?\s*)?(?:pi|π)\s*(?:/\s*(?P<over>[0-9.]+))?")


def is_table(text: str) -> bool:
    """Whether a text looks like a table of this format: no other one names the column alpha."""
    if text.lstrip().startswith("<"):
        return False
    if is_csv(text):
        return re.search(r"^[^#\n]*\balpha\b", text, re.MULTILINE | re.IGNORECASE) is not None
    return re.search(r"^[\"']?(rows|convention)[\"']?\s*:", text, re.MULTILINE) is not None


def read(source: SourceLike, *, end_effector: str | None = None) -> Model:
    """The chain in a table: links "base", "link1", "link2", ... and a frame for each fixed row with a name.

    end_effector: default the end of the table, which is the frame of the last row if that is fixed and has a
    name, and otherwise a frame "tool".

    Raises FormatError naming line and column, and MissingExtra for YAML without its library.
    """
    opened = open_source(source)
    table = read_table(opened, SETTINGS, COLUMNS)
    convention = _one_of(table.settings.get("convention"), CONVENTIONS, "convention", opened)
    angles = table.settings.get("angles", Cell("radians", 0))
    reader = _DhReader(opened, _one_of(angles, ("radians", "degrees"), "angles", opened) == "degrees")
    rows = [reader.row(row) for row in table.rows]
    _refuse_duplicates(table.rows, opened)
    if all(row.kind is JointKind.FIXED for row in rows):
        raise FormatError(opened.name, f"the table has no joint; its columns are {', '.join(COLUMNS)}")
    if rows[-1].kind is not JointKind.FIXED or rows[-1].name is None:
        rows.append(Row(name="tool", kind=JointKind.FIXED))
    name = table.settings["name"].text if "name" in table.settings else _stem(opened)
    try:
        return chain_of_rows(name, rows, cast(Convention, convention), end_effector=end_effector)
    except ModelError as error:
        raise FormatError(opened.name, str(error)) from None


def _stem(source: Source) -> str:
    return source.path.stem if source.path else "chain"


def _refuse_duplicates(rows: list[TableRow], source: Source) -> None:
    lines: dict[str, int] = {}
    for name in (row.cells["joint"] for row in rows if "joint" in row.cells):
        if name.text in lines:
            problem = f"two rows have the name {name.text!r}, the first on line {lines[name.text]}"
            raise FormatError(source.name, problem, line=name.line, element="column 'joint'")
        lines[name.text] = name.line


def _one_of(cell: Cell | None, known: tuple[str, ...], setting: str, source: Source) -> str:
    if cell is None:
        raise FormatError(source.name, f"does not say which convention its rows follow: {_BOTH}")
    word = cell.text.lower()
    if word not in known:
        problem = f"needs {' or '.join(known)}, found {cell.text!r}"
        if setting == "convention":
            problem += f": {_BOTH}"
        raise FormatError(source.name, problem, line=cell.line, element=f"setting {setting!r}")
    return word


@dataclass(frozen=True)
class _DhReader:
    """From cells to rows."""

    source: Source
    in_degrees: bool

    def row(self, row: TableRow) -> Row:
        kind = self._kind(row)
        name = row.cells["joint"].text if "joint" in row.cells else None
        if name is None and kind is not JointKind.FIXED:
            raise self._error("every joint needs a name", row, "joint")
        is_prismatic = kind is JointKind.PRISMATIC
        geometry = {key: self._number(row, key, is_angle=key in ("theta", "alpha")) for key in _GEOMETRY}
        lower, upper = (
            self._number(row, key, is_angle=not is_prismatic, default=default)
            for key, default in (("lower", -math.inf), ("upper", math.inf))
        )
        moving = "d" if is_prismatic else "theta"
        if "offset" in row.cells:
            if kind is JointKind.FIXED:
                raise self._error("a fixed row has no joint; leave it empty", row, "offset")
            geometry[moving] = self._offset(row, moving)
        limit = next((key for key in ("lower", "upper") if key in row.cells), None)
        if limit and kind in (JointKind.FIXED, JointKind.CONTINUOUS):
            raise self._error(f"a {kind.value} row has no limits; leave it empty", row, limit)
        try:
            as_limits(lower, upper, f"joint {name!r}")
        except ModelError as error:
            raise FormatError(self.source.name, str(error), line=row.line) from None
        return Row(name=name, kind=kind, lower=lower, upper=upper, **geometry)

    def _kind(self, row: TableRow) -> JointKind:
        cell = row.cells.get("type")
        if cell is None:
            return JointKind.REVOLUTE
        kind = _KINDS.get(cell.text.lower())
        if kind is None:
            raise self._error(
                f"there is no type {cell.text!r}; {did_you_mean(cell.text, _KINDS)}", row, "type"
            )
        return kind

    def _offset(self, row: TableRow, moving: str) -> float:
        """The offset stands for the value at q = 0, which may also be given in the column that moves."""
        if self._number(row, moving, is_angle=moving == "theta") != 0.0:
            problem = f"the value at q = 0 stands here and in column {moving!r}; leave one of them empty"
            raise self._error(problem, row, "offset")
        return self._number(row, "offset", is_angle=moving == "theta")

    def _number(self, row: TableRow, column: str, *, is_angle: bool, default: float = 0.0) -> float:
        """A number [rad or m]; limits may be infinite."""
        cell = row.cells.get(column)
        if cell is None:
            return default
        number = _fraction_of_pi(cell.text) if is_angle else None
        if number is not None and self.in_degrees:
            raise self._error(f"angles are in degrees here, found {cell.text!r}", row, column)
        if number is None:
            number = number_from(cell.text)
            number = math.radians(number) if is_angle and self.in_degrees else number
        if math.isnan(number):
            raise self._error(f"needs a number, found {shortened(cell.text)}", row, column)
        if math.isinf(number) and math.isfinite(default):
            raise self._error(f"needs a finite number, found {shortened(cell.text)}", row, column)
        if column in ("theta", "alpha") and abs(number) > 2.0 * math.pi + 1e-9:
            hint = "" if self.in_degrees else "; if these are degrees, say `angles: degrees`"
            raise self._error(f"is more than a full turn, {cell.text}{hint}", row, column)
        if column in ("d", "a", "offset") and abs(number) > FARTHEST:
            raise self._error(f"needs at most {FARTHEST:.0e}, found {cell.text!r}", row, column)
        return number

    def _error(self, problem: str, row: TableRow, column: str) -> FormatError:
        cell = row.cells.get(column)
        name = row.cells.get("joint")
        element = f"column {column!r}" + (f" of {name.text!r}" if name and column != "joint" else "")
        return FormatError(self.source.name, problem, line=cell.line if cell else row.line, element=element)


_GEOMETRY = ("theta", "d", "a", "alpha")


def _fraction_of_pi(text: str) -> float | None:
    """The angle of a text such as "pi", "-pi/2", "2*pi/3"; None for another text."""
    match = _PI.fullmatch(text.strip().lower())
    if match is None:
        return None
    try:
        size = float(match["times"] or 1.0) * math.pi / float(match["over"] or 1.0)
    except (ValueError, ZeroDivisionError):
        return None
    return -size if match["sign"] == "-" else size


# --- writing ------------------------------------------------------------------------------------------------

# The type leads, so that no line begins with the "#" of a comment, whatever a joint is called.
_WRITTEN = ("type", "joint", "theta", "d", "a", "alpha", "lower", "upper")


def write(
    model: Model, path: str | PathLike[str], *, convention: Convention, frame: str | None = None
) -> None:
    """Write the chain from the world to a frame (default: the end effector) as a table: YAML where the path
    ends in .yaml or .yml, CSV otherwise. `read` gives a model that moves alike, with other link names.

    Raises ModelError for a chain that has no such table: with ball or floating joints, or joints that follow
    others.
    """
    if convention not in CONVENTIONS:
        raise ModelError(f"convention needs 'standard' or 'modified', found {convention!r}")
    chain = rows_of_chain(model, frame, convention)
    for row in chain:
        if not fits_a_cell(row.name or ""):
            problem = "a table needs names in one line, without blanks around"
            raise ModelError(f"joint {row.name!r} of model {model.name!r} cannot be written: {problem}")
    rows = [_written(row) for row in chain]
    is_yaml = Path(path).suffix.lower() in (".yaml", ".yml")
    text = _as_yaml(model.name, convention, rows) if is_yaml else _as_csv(model.name, convention, rows)
    write_text(path, text)


def _written(row: Row) -> dict[str, str]:
    limits = {key: getattr(row, key) for key in ("lower", "upper")}
    return {
        "type": row.kind.value,
        "joint": row.name or "",
        "theta": _angle(row.theta),
        "d": _length(row.d),
        "a": _length(row.a),
        "alpha": _angle(row.alpha),
        **{key: "" if math.isinf(x) else repr(x) for key, x in limits.items()},
    }


def _length(length: float) -> str:
    return f"{length:.15g}"  # without the rounding of what it was computed from


def _angle(angle: float) -> str:
    for text in ("pi", "-pi", "pi/2", "-pi/2"):
        if math.isclose(angle, _fraction_of_pi(text) or 0.0, rel_tol=1e-15):
            return text
    return f"{angle:.15g}"


def _as_csv(name: str, convention: Convention, rows: Sequence[dict[str, str]]) -> str:
    out = io.StringIO()
    out.write(f"# name: {' '.join(name.split())}\n# convention: {convention}\n# angles: radians\n")
    writer = csv.DictWriter(out, _WRITTEN, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


def _as_yaml(name: str, convention: Convention, rows: Sequence[dict[str, str]]) -> str:
    lines = [f"name: {json.dumps(name)}", f"convention: {convention}", "angles: radians", "rows:"]
    for row in rows:
        cells = {**row, "joint": json.dumps(row["joint"])}
        lines.append("  - {" + ", ".join(f"{key}: {text}" for key, text in cells.items() if row[key]) + "}")
    return "\n".join(lines) + "\n"
