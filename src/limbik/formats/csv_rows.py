"""Rows of a CSV file with their line numbers, without empty lines and comments."""

from __future__ import annotations

import csv
import math
from collections.abc import Iterator
from typing import NamedTuple

from limbik.errors import FormatError
from limbik.number_text import number_from


class CsvRow(NamedTuple):
    """The cells of one row."""

    line: int  # counted from 1
    words: list[str]


def rows_of(name: str, text: str) -> Iterator[CsvRow]:
    """The rows of the file `name`. Raises FormatError where it is not CSV."""
    reader = csv.reader(text.splitlines(), strict=True)
    while True:
        try:
            words = [word.strip() for word in next(reader)]
        except StopIteration:
            return
        except csv.Error as error:
            raise FormatError(name, f"is not CSV: {error}", line=reader.line_num) from None
        if any(words) and not words[0].startswith("#"):
            yield CsvRow(reader.line_num, words)


def number_in(name: str, row: CsvRow, column: str, text: str) -> float:
    """A finite number. Raises FormatError, which names line and column, for all else."""
    number = number_from(text)
    if not math.isfinite(number):
        raise FormatError(name, f"{column} needs a finite number, found {text!r}", line=row.line)
    return number


def fits_a_cell(name: str) -> bool:
    """Whether a name is read back as it is written: in one line, without blanks around."""
    return name == name.strip() and name.isprintable()


def quoted(word: str) -> str:
    """A cell as it is written."""
    return '"' + word.replace('"', '""') + '"' if any(mark in word for mark in ',"\n\r') else word
