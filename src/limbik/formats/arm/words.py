"""Statements of the classic arm format: a word and the values after it, in a file or on the command line.

    seg 0.5 1.2 1.2     # in a file
    -seg 0.5 1.2 1.2    on the command line, where -0.5 is a value and not a word

In a file a statement ends with its line, or where the next one begins on the same line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from limbik.errors import FormatError, did_you_mean, shortened
from limbik.formats.source import Source

WORDS = ("arm", "seg", "goal", "br", "endbr")
LARGEST = 1e9  # [m or rad] beyond it, sums of squares lose their meaning

_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?", re.ASCII | re.IGNORECASE)
_HINTS = {
    ",": "values have spaces between them, not commas",
    ";": "a statement ends with its line, without a semicolon",
    "\u2212": "a minus is the hyphen of the keyboard",  # found: the minus of typeset texts
    "\u2013": "a minus is the hyphen of the keyboard",  # found: the dash that word processors make of it
}
_LINE_END = re.compile(r"\r\n|\r|\n")
_NOT_A_WORD = re.compile(r"-?(nan|inf(inity)?)", re.IGNORECASE)  # what other programs print for no number


@dataclass(frozen=True)
class Statement:
    """One word with its values, and where it stands."""

    word: str  # one of WORDS
    written: str  # as the user wrote it: "seg" or "-seg"
    values: tuple[str, ...]
    source: str  # name of the file, or "argument 7"
    line: int | None = None

    @property
    def location(self) -> str:
        """For a message: "line 7" or "argument 7"."""
        return self.source if self.line is None else f"line {self.line}"

    def called(self, word: str) -> str:
        """Another word as the user would write it here: "`arm`" or "`-arm`"."""
        return f"`-{word}`" if self.written.startswith("-") else f"`{word}`"

    def error(self, problem: str) -> FormatError:
        """The error to raise about this statement: "three.arm:7: `seg` needs ..."."""
        return FormatError(self.source, f"`{self.written}` {problem}", line=self.line)

    def need(self, needed: str, *counts: int) -> None:
        """Raise unless there are as many values as one of `counts`."""
        if len(self.values) not in counts:
            text = " ".join(self.values)
            actual = f"found {len(self.values)}: {shortened(text)}" if self.values else "found none"
            raise self.error(_hinted(f"needs {needed}, {actual}", text))

    def number(self, index: int, needed: str) -> float:
        """The value at an index as a finite number; `needed` says what it should be."""
        text = self.values[index]
        if not _NUMBER.fullmatch(text):
            raise self.error(_hinted(f"needs {needed}, found {shortened(text)}", text))
        value = float(text)
        if abs(value) > LARGEST:
            raise self.error(f"needs {needed}, of at most {LARGEST:.0e}, found {shortened(text)}")
        return value

    def whole(self, index: int, needed: str, minimum: int) -> int:
        """The value at an index as a whole number from `minimum` on."""
        value = self.number(index, needed)
        if not value.is_integer() or value < minimum:
            raise self.error(f"needs {needed}, found {shortened(self.values[index])}")
        return int(value)


def lines(text: str) -> Iterator[str]:
    """The lines of a file, whatever ends them."""
    start = 0
    for end in _LINE_END.finditer(text):
        yield text[start : end.start()]
        start = end.end()
    yield text[start:]


def in_text(source: Source) -> Iterator[Statement]:
    """The statements of a file. Raises FormatError for a line that begins with none of the words."""
    for line, content in enumerate(lines(source.text), start=1):
        words = content.partition("#")[0].split()
        if not words:
            continue
        if words[0].casefold() not in WORDS:
            raise FormatError(source.name, _unknown(words[0]), line=line)
        starts = [k for k, word in enumerate(words) if word.casefold() in WORDS]
        for start, stop in zip(starts, [*starts[1:], len(words)], strict=True):
            yield Statement(
                words[start].casefold(), words[start], tuple(words[start + 1 : stop]), source.name, line
            )


def in_arguments(arguments: Sequence[str], positions: Sequence[int]) -> Iterator[Statement]:
    """The statements of a command line. positions: of the arguments, for messages.

    Raises FormatError for an argument that is neither a known word nor a value of one.
    """
    starts = [k for k, argument in enumerate(arguments) if is_word(argument)]
    if arguments and (not starts or starts[0] > 0):
        raise FormatError(f"argument {positions[0]}", _unknown(arguments[0], "-"))
    words = [arguments[start].lstrip("-").casefold() for start in starts]
    for word, start in zip(words, starts, strict=True):
        if word not in WORDS:  # told before a word that for its sake has too few values
            raise FormatError(f"argument {positions[start]}", _unknown(arguments[start], "-"))
    for word, start, stop in zip(words, starts, [*starts[1:], len(arguments)], strict=True):
        values = tuple(arguments[start + 1 : stop])
        yield Statement(word, arguments[start], values, f"argument {positions[start]}")


def is_word(argument: str) -> bool:
    """Whether an argument begins a statement, known or not: -seg, and not -0.5 or -inf."""
    return bool(re.match(r"--?[^\W\d]", argument)) and not _NOT_A_WORD.fullmatch(argument)


def plain(value: float) -> str:
    """A number as the format has it, so that it reads back to the same."""
    return repr(float(value)).removesuffix(".0")


def _hinted(problem: str, text: str) -> str:
    """The problem, and what the signs in a text suggest."""
    return "; ".join([problem, *(hint for sign, hint in _HINTS.items() if sign in text)])


def _unknown(word: str, dash: str = "") -> str:
    known = [dash + name for name in WORDS]
    if _NUMBER.fullmatch(word):
        return f"expected one of {', '.join(known)} before the number {word!r}"
    if dash:
        known.insert(0, "-f")
    return _hinted(f"unknown word {shortened(word)}; {did_you_mean(word, known)}", word)
