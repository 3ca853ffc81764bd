"""YAML files as plain data of bounded size, with the line of each field."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any, Final

import yaml

from modeldocs import machine
from modeldocs.errors import ModeldocsError
from modeldocs.formatting import cut, is_text
from modeldocs.struct import Struct

Place = tuple[str | int, ...]
"""Path of a value: names of fields and indices of lists, outermost first."""

MAX_DEPTH = 20
MAX_VALUES = 20_000
"""Maximum of values in one document; an alias counts each time it is used."""

MAX_BYTES = 1024 * 1024
_PLAIN_TAGS: Final = ("tag:yaml.org,2002:map", "tag:yaml.org,2002:seq")
_INTEGERS: Final = range(-(2**63), 2**63)


class ParsedDocument(Struct, frozen=True):
    """The content of a file, and the 1-based line on which each of its values begins."""

    file: str
    data: Any
    lines: dict[Place, int] = {}

    def line(self, place: Place) -> int | None:
        """The line of a value, or of the nearest one around it."""
        for length in range(len(place), -1, -1):
            if place[:length] in self.lines:
                return self.lines[place[:length]]
        return None


def read(path: Path) -> ParsedDocument:
    """The document in a file; its `data` is None where the file is empty.

    Raises:
        ModeldocsError: it is not YAML, exceeds a limit, or holds more than plain data.
    """
    text = _text(path)
    try:
        node = yaml.compose(text, _YamlLoader)
        return (
            ParsedDocument(file=path.name, data=None)
            if node is None
            else _YamlReader(path).read(node)
        )
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise ModeldocsError(
            f"is not valid YAML: {error.problem or error.context}",
            file=path.name,
            line=mark.line + 1 if mark else None,
            column=mark.column + 1 if mark else None,
            fix="correct it there",
        ) from None
    except yaml.reader.ReaderError as error:
        raise ModeldocsError(
            f"holds the character U+{error.character:04X}, which YAML does not allow",
            file=path.name,
            line=text.count("\n", 0, error.position) + 1,
            fix="save it as plain text",
        ) from None
    except RecursionError:
        raise _too_deep(path, None) from None


def _text(path: Path) -> str:
    try:
        data = path.read_bytes()
        if len(data) > MAX_BYTES:
            raise ModeldocsError(f"is larger than {MAX_BYTES // 1024} KiB", file=path.name)
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise ModeldocsError("is not UTF-8 text", file=path.name, fix="save it as UTF-8") from None
    except OSError as error:
        if machine.cause_in_ours(error) is not None:  # it is no mistake of the model
            raise
        raise ModeldocsError(f"cannot be read: {error.strerror}", file=path.name) from None


class _YamlLoader(yaml.SafeLoader):
    """Refuses deeply nested brackets, on which PyYAML would take minutes."""

    def fetch_flow_collection_start(self, token: Any) -> None:
        if self.flow_level > MAX_DEPTH:
            raise RecursionError
        super().fetch_flow_collection_start(token)


class _YamlReader:
    """Converts YAML nodes to plain data, and records the line of each."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.lines: dict[Place, int] = {}
        self.values = 0
        self.scalars = yaml.SafeLoader("")

    def read(self, node: yaml.Node) -> ParsedDocument:
        return ParsedDocument(file=self.path.name, data=self._value(node, ()), lines=self.lines)

    def _value(self, node: yaml.Node, place: Place) -> Any:
        self.values += 1
        if self.values > MAX_VALUES:
            raise self._mistake(
                f"holds more than {MAX_VALUES:,} values", node, "write fewer, or fewer aliases"
            )
        if len(place) > MAX_DEPTH:
            raise _too_deep(self.path, _line(node))
        self.lines.setdefault(place, _line(node))
        if isinstance(node, yaml.CollectionNode) and node.tag not in _PLAIN_TAGS:
            raise self._mistake(f"the tag {cut(node.tag, 60)} is not supported", node, "remove it")
        if isinstance(node, yaml.MappingNode):
            return self._mapping(node, place)
        if isinstance(node, yaml.SequenceNode):
            return [self._value(item, (*place, i)) for i, item in enumerate(node.value)]
        return self._scalar(node)

    def _mapping(self, node: yaml.MappingNode, place: Place) -> dict[str, Any]:
        mapping: dict[str, Any] = {}
        for key_node, value_node in node.value:
            key = self._key(key_node)
            here = (*place, key)
            if key in mapping:
                raise self._mistake(
                    f"`{dotted(here)}` is given twice, first on line {self.lines[here]}",
                    key_node,
                    "keep one of the two",
                )
            self.lines[here] = _line(key_node)
            mapping[key] = self._value(value_node, here)
        return mapping

    def _key(self, node: yaml.Node) -> str:
        if not isinstance(node, yaml.ScalarNode):
            raise self._mistake("a field's name is not text", node, "write `name: value`")
        if node.tag == "tag:yaml.org,2002:merge":
            raise self._mistake("`<<` is not supported", node, "write the fields out")
        return self._encodable(str(node.value), node)

    def _scalar(self, node: yaml.Node) -> Any:
        try:
            value = self.scalars.construct_object(node)
        except (ValueError, TypeError, AttributeError, KeyError, OverflowError):
            text = cut(node.value, 60)
            raise self._mistake(f"{text!r} is not a value", node, "quote it") from None
        if isinstance(value, int) and value not in _INTEGERS:
            raise self._mistake("a number is too large", node, "quote it, or correct it")
        if isinstance(value, float) and not math.isfinite(value):
            raise self._mistake(f"{node.value} is not a finite number", node, "quote it")
        if isinstance(value, str):
            return self._encodable(value, node)
        return value if value is None or isinstance(value, bool | int | float) else node.value

    def _encodable(self, text: str, node: yaml.Node) -> str:
        """The text, of which an escape (`\\ud800`) may have made one that is no Unicode."""
        if not is_text(text):
            raise self._mistake("holds half of a surrogate pair", node, "write the character")
        return text

    def _mistake(self, reason: str, node: yaml.Node, fix: str) -> ModeldocsError:
        return ModeldocsError(reason, file=self.path.name, line=_line(node), fix=fix)


def dotted(place: Place) -> str:
    """A place as text: `ports.caffe.inputs.data[1]`."""
    text = "".join(f"[{step}]" if isinstance(step, int) else f".{cut(step, 60)}" for step in place)
    return text.removeprefix(".")


def _too_deep(path: Path, line: int | None) -> ModeldocsError:
    return ModeldocsError(
        "is nested too deeply", file=path.name, line=line, fix="write it with fewer levels"
    )


def _line(node: yaml.Node) -> int:
    return int(node.start_mark.line) + 1
