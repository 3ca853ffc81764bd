"""Edges of a graph held against what TensorFlow's register says of their two ends.

TensorFlow ends the process where a constant of another type or rank says how an operator works.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from modeldocs.loaders.dims import MAX_RANK

_REFERENCE = 100
"""Added to the number of a type, it is of a reference to such a value."""

_LISTS = {("SplitV", 1): "sizes of parts"}
"""Constants by operator and operand that are a list of numbers."""

_INDICES = {"GatherV2": 1, "ResourceGather": 1}
"""The operand whose first dimensions `batch_dims` counts."""


def wrong(graph: Any) -> Iterator[tuple[Any, str]]:
    """Nodes of a graph that read what they cannot, each with what is wrong with it."""
    from tensorflow.python.framework import op_def_registry

    nodes = {node.name: node for node in graph.node}
    given: dict[str, list[int]] = {}
    for node in graph.node:
        signature = op_def_registry.get(node.op)
        given[node.name] = _types(node, signature, signature.output_arg) if signature else []
    for node in graph.node:
        signature = op_def_registry.get(node.op)
        if signature is None:
            continue
        wanted = _types(node, signature, signature.input_arg)
        read = [name.partition(":") for name in node.input if not name.startswith("^")]
        for slot, ((name, _, index), want) in enumerate(zip(read, wanted, strict=False)):
            have = _at(given.get(name, []), index)
            if want and have and want != have:
                yield node, f"reads {_named(have)} from {name[:100]!r} and takes {_named(want)}"
            rank = _rank(nodes.get(name))
            if rank is not None and rank != 1 and (node.op, slot) in _LISTS:
                yield node, f"reads no list of the {_LISTS[node.op, slot]}"
        yield from _batch(node, [_rank(nodes.get(name)) for name, _, _ in read])


def _types(node: Any, signature: Any, ends: Any) -> list[int]:
    """The types of a node's operands or outputs, 0 where the node does not tell."""
    defaults = {told.name: told.default_value for told in signature.attr}

    def setting(name: str) -> Any:
        return node.attr[name] if name in node.attr else defaults[name]

    found: list[int] = []
    for end in ends:
        if end.type_list_attr:
            found += setting(end.type_list_attr).list.type
            continue
        kind = end.type or (setting(end.type_attr).type if end.type_attr else 0)
        found += [kind] * (setting(end.number_attr).i if end.number_attr else 1)
    return [kind - _REFERENCE if kind > _REFERENCE else kind for kind in found]


def _named(kind: int) -> str:
    """A type as it is written: `int32`."""
    from tensorflow.core.framework import types_pb2

    known: dict[int, str] = {number: name for name, number in types_pb2.DataType.items()}
    return known.get(kind, f"type {kind}").removeprefix("DT_").lower()


def _at(kinds: list[int], index: str) -> int:
    place = int(index) if index.isdecimal() else 0
    return kinds[place] if place < len(kinds) else 0


def _rank(node: Any) -> int | None:
    """The rank of a constant; None for all else."""
    if node is None or node.op != "Const" or "value" not in node.attr:
        return None
    return len(node.attr["value"].tensor.tensor_shape.dim)


def _batch(node: Any, ranks: list[int | None]) -> Iterator[tuple[Any, str]]:
    """A gather over more dimensions than its indices have."""
    slot = _INDICES.get(node.op)
    if slot is None or "batch_dims" not in node.attr:
        return
    rank = ranks[slot] if slot < len(ranks) else None
    count = node.attr["batch_dims"].i
    if abs(count) > (MAX_RANK if rank is None else rank):
        yield node, f"has {count} as 'batch_dims'"
