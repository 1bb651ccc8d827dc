"""Write the tables of README.md from what limbik says about itself.

Run it as `.venv/bin/python tools/readme_tables.py`; a test tells when that is due.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
README = ROOT / "README.md"

BLOCK = re.compile(
    r"(?P<begin><!-- begin: tools/readme_tables\.py (?P<name>\w+) -->\n).*?(?P<end><!-- end -->)", re.DOTALL
)


def with_tables(text: str) -> str:
    """The text with every table between markers written anew."""
    return BLOCK.sub(lambda block: block["begin"] + TABLES[block["name"]]() + block["end"], text)


def solvers() -> str:
    return ""


TABLES: dict[str, Callable[[], str]] = {"solvers": solvers}


def main() -> None:
    README.write_text(with_tables(README.read_text()))


if __name__ == "__main__":
    main()
