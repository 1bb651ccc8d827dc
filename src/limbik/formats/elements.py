"""XML elements that know their line, read with expat, the parser of the standard library.

Numbers, names and children are read by what they must be; whatever is missing, twice there, misspelt
or no number raises a FormatError that names the line and the element. Document types are refused: robots
need none, and entities that expand to other entities can fill the memory.
"""

from __future__ import annotations

import difflib
import math
import xml.parsers.expat as expat
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field

from limbik.errors import FormatError, did_you_mean, shortened
from limbik.formats.source import Source
from limbik.number_text import number_from

DEEPEST = 1000  # elements inside each other; MuJoCo's own reader takes 500


@dataclass(eq=False, slots=True)
class Element:
    """One element: its tag with any prefix, its attributes, its children in order."""

    source: str  # name of the file, for messages
    line: int  # of the start tag, from 1
    tag: str
    attributes: dict[str, str]
    parent: Element | None = None
    children: list[Element] = field(default_factory=list)

    def __repr__(self) -> str:
        """How messages call the element: "<joint name='elbow'>", "<limit> of <joint name='elbow'>"."""
        words: list[str] = []
        element: Element | None = self
        while element is not None and len(words) < 3:
            name = element.attributes.get("name")
            words.append(f"<{element.tag}>" if name is None else f"<{element.tag} name={shortened(name)}>")
            is_enough = name is not None or element.parent is None or element.parent.parent is None
            element = None if is_enough else element.parent
        return " of ".join(words)

    def error(self, problem: str) -> FormatError:
        """The error to raise about this element."""
        return FormatError(self.source, problem, line=self.line, element=repr(self))

    def walk(self) -> Iterator[Element]:
        """This element and all inside it, in the order of the file."""
        waiting = [self]
        while waiting:
            element = waiting.pop()
            yield element
            waiting.extend(reversed(element.children))

    # --- children -------------------------------------------------------------------------------------------

    def all(self, *tags: str) -> list[Element]:
        """The children with one of those tags."""
        return [child for child in self.children if child.tag in tags]

    def by_name(self, tag: str) -> dict[str, Element]:
        """The children of that tag, which must have different names."""
        named: dict[str, Element] = {}
        for child in self.all(tag):
            name = child.text("name")
            if name in named:
                raise child.error(f"a second <{tag}> of this name, the first is in line {named[name].line}")
            named[name] = child
        return named

    def one(self, tag: str) -> Element | None:
        """The child of that tag, if there is one; two are an error."""
        children = self.all(tag)
        if len(children) > 1:
            raise children[1].error(f"a second <{tag}>, the first is in line {children[0].line}")
        return children[0] if children else None

    def need(self, tag: str) -> Element:
        """The one child of that tag."""
        child = self.one(tag)
        if child is None:
            raise self.error(f"needs a <{tag}>, found none")
        return child

    def refuse_misspelt(self, tags: Collection[str]) -> None:
        """Raise for a child whose tag is nearly one of these: it would be overlooked."""
        for child in self.children:
            if child.tag not in tags and (near := _nearest(child.tag, tags)):
                raise child.error(f"unknown element; did you mean <{near}>?")

    # --- attributes -----------------------------------------------------------------------------------------

    def text(self, attribute: str) -> str:
        """An attribute that must be there and not be blank."""
        if attribute not in self.attributes:
            hint = f", found {', '.join(self.attributes)}" if self.attributes else ""
            raise self.error(f"needs the attribute `{attribute}`{hint}")
        value = self.attributes[attribute]
        if not value.strip():
            raise self.error(f"`{attribute}` needs a text that is not empty, found {value!r}")
        return value

    def number(self, attribute: str, default: float | None = None, *, finite: bool = True) -> float:
        """An attribute that is one number; without a default it must be there."""
        if attribute not in self.attributes and default is not None:
            return default
        return self._numbers(attribute, self.text(attribute), 1, finite)[0]

    def numbers(self, attribute: str, count: int) -> list[float] | None:
        """An attribute of `count` finite numbers with spaces between them; None if it is not there."""
        if attribute not in self.attributes:
            return None
        return self._numbers(attribute, self.attributes[attribute], count, finite=True)

    def list_of_numbers(self, attribute: str) -> list[float]:
        """An attribute of one or more finite numbers that must be there."""
        text = self.text(attribute)
        return self._numbers(attribute, text, len(text.split()), finite=True)

    def only(self, *attributes: str) -> None:
        """Raise for an attribute that is none of these: it would be overlooked."""
        for attribute in self.attributes:
            if attribute not in attributes:
                raise self.error(f"unknown attribute `{attribute}`; {did_you_mean(attribute, attributes)}")

    def refuse_misspelt_attributes(self, *attributes: str) -> None:
        """Raise for an attribute that is nearly one of these: it would be overlooked."""
        for attribute in self.attributes:
            if attribute not in attributes and (near := _nearest(attribute, attributes)):
                raise self.error(f"unknown attribute `{attribute}`; did you mean `{near}`?")

    def _numbers(self, attribute: str, text: str, count: int, finite: bool) -> list[float]:
        numbers = [number_from(word) for word in text.split()]
        is_good = all(math.isfinite(x) or (not finite and math.isinf(x)) for x in numbers)
        if len(numbers) == count and is_good:
            return numbers
        kind = "finite number" if finite else "number"
        needed = f"a {kind}" if count == 1 else f"{count} {kind}s with spaces between them"
        hint = "; this is xacro that was not processed" if "${" in text or "$(" in text else ""
        raise self.error(f"`{attribute}` needs {needed}, found {shortened(text)}{hint}")


def parse(source: Source) -> Element:
    """The root element of an XML text.

    Blanks before the XML declaration are forgiven: texts in programs often start with a line break.
    """
    text = source.text.lstrip("\ufeff \t\r\n")
    skipped = source.text[: len(source.text) - len(text)].count("\n")
    if not text:
        raise FormatError(source.name, "is empty")
    builder = _ElementTreeBuilder(source.name, skipped)
    try:
        builder.parser.Parse(text, True)
    except expat.ExpatError as error:
        inside = f", in {builder.open[-1]!r} of line {builder.open[-1].line}" if builder.open else ""
        problem = f"not well-formed XML: {expat.ErrorString(error.code)} in column {error.offset + 1}{inside}"
        raise FormatError(source.name, problem, line=error.lineno + skipped) from None
    except UnicodeEncodeError:
        raise FormatError(source.name, "holds characters that are no text: halves of others") from None
    assert builder.root is not None, "expat accepts no text without an element"
    return builder.root


class _ElementTreeBuilder:
    """Makes elements of what expat finds."""

    def __init__(self, source: str, skipped: int) -> None:
        self.source = source
        self.skipped = skipped  # lines that expat does not see
        self.root: Element | None = None
        self.open: list[Element] = []
        self.parser = expat.ParserCreate()
        self.parser.StartElementHandler = self.start
        self.parser.EndElementHandler = self.end
        self.parser.StartDoctypeDeclHandler = self.refuse

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        parent = self.open[-1] if self.open else None
        element = Element(self.source, self.line, tag, attributes, parent)
        if len(self.open) == DEEPEST:
            raise element.error(f"elements stand more than {DEEPEST} deep inside each other")
        if parent is None:
            self.root = element
        else:
            parent.children.append(element)
        self.open.append(element)

    def end(self, tag: str) -> None:
        self.open.pop()

    def refuse(self, name: str, system: str | None, public: str | None, has_subset: bool) -> None:
        raise FormatError(
            self.source,
            "document types are not read, they can hide other files and endless texts; remove the line",
            line=self.line,
            element=f"<!DOCTYPE {name}>",
        )

    @property
    def line(self) -> int:
        return self.parser.CurrentLineNumber + self.skipped


def _nearest(name: str, known: Collection[str]) -> str | None:
    near = difflib.get_close_matches(name.casefold(), known, n=1, cutoff=0.75)
    return near[0] if near else None
