"""Count words that the field does not use, and hold the counts of each room against `words.tsv`.

    python tools/words.py             fails where a room has more of a word than the table allows
    python tools/words.py --write     lowers the table to what there is

Identifiers count part by part: `kept_shapes` has "kept". Not counted are "at most", "at least",
"least squares", and ", found" of messages. The table only falls.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "src" / "limbik"
TABLE = Path(__file__).with_name("words.tsv")
ENDINGS = ".py", ".js", ".html"
# The field's word for each, by how ours is written.
INSTEAD = {
    "place": "index, offset, position",
    "places": "indices, offsets, positions",
    "asked": "requested, goal",
    "way": "path, direction, displacement, method",
    "ways": "paths, directions, methods",
    "turns": "rotations, revolutions",
    "most": "max",
    "least": "min",
    "share": "fraction, weight",
    "shares": "fractions, weights",
    "room": "margin, capacity",
    "facts": "result, record",
    "kept": "stored, cached",
    "given": "argument, or its own name",
    "found": "the thing itself",
}
OF_THE_FIELD = re.compile(r"\bat\s+(?:most|least)\b|least[-_ ]squares|, found\b", re.IGNORECASE)
PART = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")


def counts() -> Counter[tuple[str, str]]:
    """How often each word stands in each room."""
    found: Counter[tuple[str, str]] = Counter()
    for file in SOURCE.rglob("*"):
        if file.suffix in ENDINGS and "vendor" not in file.parts:
            room = file.relative_to(SOURCE).parts[0].removesuffix(".py")
            text = OF_THE_FIELD.sub("", file.read_text(encoding="utf-8"))
            words = map(str.lower, PART.findall(text))
            found.update((room, word) for word in words if word in INSTEAD)
    return found


def allowed() -> dict[tuple[str, str], int]:
    """The table."""
    rows = (line.split("\t") for line in TABLE.read_text().splitlines())
    return {(room, word): int(count) for room, word, count in rows}


def main(arguments: list[str]) -> None:
    now, before = counts(), allowed() if TABLE.exists() else None
    over = {key: count for key, count in now.items() if before is not None and count > before.get(key, 0)}
    for (room, word), count in sorted(over.items()):
        limit = (before or {}).get((room, word), 0)
        sys.stderr.write(f"{room}/ has {word!r} {count} times, {limit} are left: {INSTEAD[word]}\n")
    if over:
        sys.exit("fewer words of our own, please: see tools/words.py")
    if "--write" in arguments:
        TABLE.write_text("".join(f"{room}\t{word}\t{count}\n" for (room, word), count in sorted(now.items())))
    totals = Counter[str]()
    for (_, word), count in now.items():
        totals[word] += count
    sys.stdout.write(", ".join(f"{word} {count}" for word, count in totals.most_common()) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
