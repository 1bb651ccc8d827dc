"""Write the tables of README.md from what limbik says about itself.

Run it as `.venv/bin/python tools/readme_tables.py`; a test tells when that is due.
"""

from __future__ import annotations

import inspect
import re
import sys
from pathlib import Path

from limbik import solvers

ROOT = Path(__file__).resolve().parents[1]
sys.path.append(str(ROOT / "benchmarks"))

import report  # noqa: E402

README = ROOT / "README.md"
SCRIPT = "tools/readme_tables.py"


def with_tables(text: str) -> str:
    """The text of the README with its tables written anew."""
    return report.fill(text, SCRIPT, {"solvers": solver_table()}, README.name)


def _words(name: str) -> str:
    """The name of a class in words: "point on line"."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).lower()


def solver_table() -> str:
    described = solvers.describe()
    goals = {goal for info in described for goal in info.goals}
    lines = ["| solver | what it does | arms | goals | parameters |", "|---|---|---|---|---|"]
    for info in described:
        cells = (
            f"[`{info.name}`]({source_file(info.name)}) {info.title} ({info.source})",
            info.summary,
            "any" if "any tree" in info.chains else ", ".join(info.chains),
            "all" if set(info.goals) == goals else ", ".join(_words(goal) for goal in info.goals),
            ", ".join(f"`{parameter.name}`" for parameter in info.parameters) or "none",
        )
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def source_file(name: str) -> str:
    """The file of a solver, from the root of the repository."""
    return Path(inspect.getfile(type(solvers.get(name)))).relative_to(ROOT).as_posix()


def main() -> None:
    README.write_text(with_tables(README.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
