"""Writes measured tables between markers in documents, and finds the markers.

A marker names the script that fills it and the table:

    <!-- measured: benchmarks/classical.py solve-ball-10 -->
    ...
    <!-- /measured -->
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

OPENING = re.compile(r"^<!-- measured: (?P<script>\S+) (?P<table>\S+) -->$", re.MULTILINE)
CLOSING = "<!-- /measured -->"
BLOCK = re.compile(OPENING.pattern + r"\n(?P<body>.*?)^" + re.escape(CLOSING) + "$", re.MULTILINE | re.DOTALL)


class MarkerError(Exception):
    """A document and a script disagree about the tables; the message says which."""


def markers(text: str) -> list[tuple[str, str]]:
    """(script, table) of every marker in a document."""
    return [(m["script"], m["table"]) for m in OPENING.finditer(text)]


def check_blocks(text: str, path: str) -> None:
    """Every opening marker has its own closing one."""
    if not len(OPENING.findall(text)) == len(BLOCK.findall(text)) == text.count(CLOSING):
        raise MarkerError(f"{path}: a `<!-- measured: ... -->` and a `{CLOSING}` do not pair up")


def fill(text: str, script: str, tables: Mapping[str, str], path: str = "document") -> str:
    """The text with the script's tables replaced; a table without a marker, or the reverse, is an error."""
    check_blocks(text, path)
    expected = {table for owner, table in markers(text) if owner == script}
    if expected != set(tables):
        missing, surplus = sorted(expected - set(tables)), sorted(set(tables) - expected)
        raise MarkerError(f"{path}: {script} has no table for {missing} and no marker for {surplus}")

    def replace(match: re.Match[str]) -> str:
        if match["script"] != script:
            return match[0]
        opening = match[0].partition("\n")[0]
        return f"{opening}\n{tables[match['table']].strip()}\n{CLOSING}"

    return BLOCK.sub(replace, text)


def write(path: Path, script: str, tables: Mapping[str, str]) -> None:
    """Fill the script's markers in a file."""
    path.write_text(fill(path.read_text(encoding="utf-8"), script, tables, str(path)), encoding="utf-8")


def publish(path: Path, script: str, tables: Mapping[str, str], is_written: bool) -> None:
    """Print all tables, and fill the script's markers in a file where that is asked for."""
    for name, text in tables.items():
        print(f"\n## {name}\n\n{text}", flush=True)
    if is_written:
        write(path, script, tables)


def study_parser(description: str | None, path: Path) -> argparse.ArgumentParser:
    """The options that every study has: --seed, and --write for its tables in a file."""
    parser = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--write", action="store_true", help=f"store the tables in {path.name}")
    return parser


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table with aligned columns: the first to the left, the others to the right."""
    lines = [list(header), *(list(row) for row in rows)]
    widths = [max(3, *(len(line[i]) for line in lines)) for i in range(len(header))]
    rule = ["-" * widths[0], *("-" * (w - 1) + ":" for w in widths[1:])]
    pad = [
        [line[0].ljust(widths[0]), *(c.rjust(w) for c, w in zip(line[1:], widths[1:], strict=True))]
        for line in lines
    ]
    return "\n".join("| " + " | ".join(line) + " |" for line in [pad[0], rule, *pad[1:]])
