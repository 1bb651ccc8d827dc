"""Reads JSON and YAML as plain data, and looks up entries with clear errors."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from limbik.errors import FormatError, MissingExtra, did_you_mean, repeated, shortened, unrepeated
from limbik.formats.source import Source

TOO_DEEP = "has lists or mappings too deep inside each other"


def plain_data(source: Source) -> Any:
    """What a JSON or YAML text holds, as mappings, lists, texts and numbers.

    Raises FormatError for what is neither, and MissingExtra for YAML without its library.
    """
    text = source.text.lstrip("\ufeff \t\r\n")
    return _json(text, source) if text.startswith(("{", "[")) else _yaml(source)


def _json(text: str, source: Source) -> Any:
    try:
        return json.loads(text, object_pairs_hook=unrepeated)
    except json.JSONDecodeError as error:
        raise FormatError(source.name, f"is not JSON: {error.msg}", line=error.lineno) from None
    except ValueError as error:  # a name twice, a number of thousands of digits
        raise FormatError(source.name, f"is not JSON: {error}") from None
    except RecursionError:
        raise FormatError(source.name, TOO_DEEP) from None


def yaml_module() -> Any:
    """PyYAML. Raises MissingExtra without it."""
    try:
        import yaml
    except ImportError:
        raise MissingExtra("robots", "reading YAML") from None
    return yaml


@contextlib.contextmanager
def errors_of_yaml(source: Source) -> Iterator[None]:
    """Raise FormatError, with the line, for what PyYAML raises inside the block."""
    yaml = yaml_module()
    try:
        yield
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = mark.line + 1 if mark else None
        raise FormatError(source.name, f"is not YAML: {error.problem or error.context}", line=line) from None
    except (yaml.YAMLError, ValueError) as error:  # ValueError: of dates and long numbers
        raise FormatError(source.name, f"is not YAML: {error}") from None
    except RecursionError:
        raise FormatError(source.name, TOO_DEEP) from None


def _yaml(source: Source) -> Any:
    yaml = yaml_module()

    class Loader(yaml.SafeLoader):  # type: ignore[misc,name-defined]  # of a library without types
        """Without aliases, with which a short text may mean an endless one, and repeated names, of which only
        the last would count.
        """

        def construct_mapping(self, node: Any, deep: bool = False) -> Any:
            name = repeated(key.value for key, _ in node.value if isinstance(key.value, str))
            if name is not None:
                again = [key for key, _ in node.value if key.value == name][1]
                mark = again.start_mark
                raise yaml.MarkedYAMLError(problem=f"{shortened(name)} stands twice", problem_mark=mark)
            return super().construct_mapping(node, deep)

        def compose_node(self, parent: Any, index: Any) -> Any:
            if self.check_event(yaml.AliasEvent):
                mark = self.peek_event().start_mark
                raise yaml.MarkedYAMLError(problem="aliases are not read in a world", problem_mark=mark)
            return super().compose_node(parent, index)

    with errors_of_yaml(source):
        return yaml.load(source.text, Loader=Loader)


def mapping_of(value: Any, source: Source, what: str) -> Mapping[str, Any]:
    """A mapping; anything else raises FormatError."""
    if not isinstance(value, Mapping):
        raise FormatError(source.name, f"{what} needs `name: value` pairs, found {shortened(value)}")
    return value


def list_of(value: Any, source: Source, what: str) -> list[Any]:
    """A list, or an empty one for None; anything else raises FormatError."""
    if value is None:
        return []
    if not isinstance(value, list):
        raise FormatError(source.name, f"{what} needs a list, found {shortened(value)}")
    return value


def refuse_unknown(
    parts: Mapping[str, Any], known: Collection[str], of: str, source: Source, what: str | None = None
) -> None:
    """Raise FormatError for an entry that would be overlooked. of: what has it; what: which one."""
    for key in parts:
        if key not in known:
            problem = f"there is no {shortened(key)} in {of}; {did_you_mean(key, known)}"
            raise FormatError(source.name, problem, element=what)
