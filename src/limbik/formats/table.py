"""Reads tables with settings above them, as CSV or YAML, with line numbers.

CSV: settings are comments such as `# convention: standard`; the first other line names the columns.
YAML: settings are keys of the document; the rows are a list of mappings under `rows`.
"""

from __future__ import annotations

import csv
import difflib
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any

from limbik.errors import FormatError, did_you_mean
from limbik.formats.documents import errors_of_yaml, yaml_module
from limbik.formats.source import Source

_SEPARATORS = ",;\t"  # the last two are only known to say that commas are needed
_SETTING = re.compile(r"#\s*(\w+)\s*:\s*(.*?)\s*$")


@dataclass(frozen=True)
class Cell:
    """A text and its line, counted from 1."""

    text: str
    line: int


@dataclass(frozen=True)
class TableRow:
    """The cells of one row that are not empty, by column."""

    cells: dict[str, Cell]
    line: int


@dataclass(frozen=True)
class Table:
    """Settings by name, and rows."""

    settings: dict[str, Cell]
    rows: list[TableRow]


def is_csv(text: str) -> bool:
    """Whether the first line that says something names columns, and not a key of YAML."""
    first = next((line for _, line in _content_lines(text)), "")
    return any(mark in first for mark in _SEPARATORS) and not re.match(r"[\s{]*[\w\"']+\s*:", first)


def read_table(source: Source, settings: Collection[str], columns: Collection[str]) -> Table:
    """The table in a source.

    settings, columns: the names that are known. A column or key of another name is an error. A comment in CSV
    that begins with another word is only a comment, unless the word is nearly a setting.
    """
    return (_read_csv if is_csv(source.text) else _read_yaml)(source, settings, columns)


# --- CSV ----------------------------------------------------------------------------------------------------


def _content_lines(text: str) -> Iterator[tuple[int, str]]:
    """(line, text) of lines that are neither empty nor comments."""
    for line, content in enumerate(text.splitlines(), start=1):
        if content.strip() and not content.lstrip().startswith("#"):
            yield line, content


def _read_csv(source: Source, settings: Collection[str], columns: Collection[str]) -> Table:
    row_cells: dict[str, Cell] = {}
    for line, content in enumerate(source.text.splitlines(), start=1):
        match = _SETTING.match(content.strip())
        if match and match[1].lower() in settings:
            _add(row_cells, match[1].lower(), Cell(match[2], line), source, "setting")
        elif match and (near := difflib.get_close_matches(match[1].lower(), settings, n=1, cutoff=0.75)):
            raise FormatError(
                source.name, f"there is no setting {match[1]!r}; did you mean {near[0]!r}?", line=line
            )
    header: list[str] = []
    rows = []
    for line, content in _content_lines(source.text):
        try:
            cells = [cell.strip() for cell in next(csv.reader([content], strict=True, skipinitialspace=True))]
        except csv.Error as error:
            raise FormatError(source.name, f"is not CSV: {error}", line=line) from None
        if not header:
            header = _checked_header(cells, line, source, columns)
        elif len(cells) != len(header):
            problem = f"needs {len(header)} cells, for {', '.join(header)}, found {len(cells)}"
            raise FormatError(source.name, problem, line=line)
        else:
            named = zip(header, cells, strict=True)
            rows.append(TableRow({key: Cell(text, line) for key, text in named if text}, line))
    return Table(row_cells, rows)


def _checked_header(cells: list[str], line: int, source: Source, columns: Collection[str]) -> list[str]:
    if len(cells) == 1:
        wrong = next(mark for mark in _SEPARATORS if mark in cells[0])
        raise FormatError(source.name, f"columns need commas between them, found {wrong!r}", line=line)
    header = [cell.lower() for cell in cells]
    for k, name in enumerate(header):
        if name not in columns:
            problem = f"there is no column {cells[k]!r}; {did_you_mean(name, columns)}"
            raise FormatError(source.name, problem, line=line)
        if name in header[:k]:
            raise FormatError(source.name, f"two columns have the name {name!r}", line=line)
    return header


# --- YAML ---------------------------------------------------------------------------------------------------


def _read_yaml(source: Source, settings: Collection[str], columns: Collection[str]) -> Table:
    document = _composed(source)
    row_cells: dict[str, Cell] = {}
    rows: list[TableRow] = []
    for key, line, value in _pairs(document, source, "the document", [*settings, "rows"]):
        if key != "rows":
            _add(row_cells, key, _scalar(value, source, f"setting {key!r}"), source, "setting")
            continue
        if not isinstance(value, yaml_module().SequenceNode):
            raise FormatError(source.name, "`rows` needs a list of rows", line=line)
        for k, node in enumerate(value.value):
            cells: dict[str, Cell] = {}
            for column, _, cell in _pairs(node, source, f"row {k + 1}", columns):
                _add(cells, column, _scalar(cell, source, f"column {column!r}"), source, "column")
            filled = {column: cell for column, cell in cells.items() if cell.text}
            rows.append(TableRow(filled, node.start_mark.line + 1))
    return Table(row_cells, rows)


def _composed(source: Source) -> Any:
    yaml = yaml_module()
    with errors_of_yaml(source):
        return yaml.compose(source.text, Loader=yaml.SafeLoader)


def _pairs(node: Any, source: Source, what: str, known: Collection[str]) -> Iterator[tuple[str, int, Any]]:
    """(key, line, node of the value) of a mapping whose keys are all known."""
    if not isinstance(node, yaml_module().MappingNode):
        line = node.start_mark.line + 1 if node else None
        raise FormatError(source.name, f"{what} needs `name: value` pairs, of {', '.join(known)}", line=line)
    for key, value in node.value:
        line = key.start_mark.line + 1
        name = key.value.lower() if isinstance(key.value, str) else "?"
        if name not in known:
            raise FormatError(
                source.name, f"there is no {name!r} in {what}; {did_you_mean(name, known)}", line=line
            )
        yield name, line, value


def _scalar(node: Any, source: Source, what: str) -> Cell:
    line = node.start_mark.line + 1
    if not isinstance(node, yaml_module().ScalarNode):
        raise FormatError(source.name, "needs one value, found a list or mapping", line=line, element=what)
    is_null = node.tag == "tag:yaml.org,2002:null"
    return Cell("" if is_null else node.value.strip(), line)


def _add(cells: dict[str, Cell], name: str, cell: Cell, source: Source, what: str) -> None:
    if name in cells:
        problem = f"the {what} {name!r} is given twice, first on line {cells[name].line}"
        raise FormatError(source.name, problem, line=cell.line)
    cells[name] = cell
