"""Types and ranks of a graph's edges, checked against TensorFlow's register of operators.

TensorFlow ends the process where a constant operand has a wrong type or rank.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from modeldocs.loaders.dims import MAX_RANK

_REFERENCE = 100
"""Added to the number of a type, it makes that of a reference to such a value."""

_LISTS = {("SplitV", 1): "sizes of parts"}
"""Constant operands that must be lists of numbers, by operator and slot."""

_INDICES = {"GatherV2": 1, "ResourceGather": 1}
"""The operand whose leading dimensions `batch_dims` counts, by operator."""


def wrong(graph: Any) -> Iterator[tuple[Any, str]]:
    """Nodes of a graph with an invalid operand, each with the reason."""
    from tensorflow.python.framework import op_def_registry

    nodes = {node.name: node for node in graph.node}
    output_types: dict[str, list[int]] = {}
    for node in graph.node:
        signature = op_def_registry.get(node.op)
        output_types[node.name] = _types(node, signature, signature.output_arg) if signature else []
    for node in graph.node:
        signature = op_def_registry.get(node.op)
        if signature is None:
            continue
        input_types = _types(node, signature, signature.input_arg)
        references = [name.partition(":") for name in node.input if not name.startswith("^")]
        for slot, ((name, _, index), want) in enumerate(zip(references, input_types, strict=False)):
            have = _at(output_types.get(name, []), index)
            if want and have and want != have:
                yield (
                    node,
                    f"reads {_type_name(have)} from {name[:100]!r} and takes {_type_name(want)}",
                )
            rank = _rank(nodes.get(name))
            if rank is not None and rank != 1 and (node.op, slot) in _LISTS:
                yield node, f"does not read a list of {_LISTS[node.op, slot]}"
        yield from _batch(node, [_rank(nodes.get(name)) for name, _, _ in references])


def _types(node: Any, signature: Any, arguments: Any) -> list[int]:
    """The types of a node's operands or outputs, 0 where the node does not say."""
    defaults = {attribute.name: attribute.default_value for attribute in signature.attr}

    def setting(name: str) -> Any:
        return node.attr[name] if name in node.attr else defaults[name]

    types: list[int] = []
    for argument in arguments:
        if argument.type_list_attr:
            types += setting(argument.type_list_attr).list.type
            continue
        dtype = argument.type or (setting(argument.type_attr).type if argument.type_attr else 0)
        types += [dtype] * (setting(argument.number_attr).i if argument.number_attr else 1)
    return [dtype - _REFERENCE if dtype > _REFERENCE else dtype for dtype in types]


def _type_name(dtype: int) -> str:
    """The name of a type, `int32` for example."""
    from tensorflow.core.framework import types_pb2

    names: dict[int, str] = {number: name for name, number in types_pb2.DataType.items()}
    return names.get(dtype, f"type {dtype}").removeprefix("DT_").lower()


def _at(types: list[int], index: str) -> int:
    position = int(index) if index.isdecimal() else 0
    return types[position] if position < len(types) else 0


def _rank(node: Any) -> int | None:
    """The rank of a constant; None for any other node."""
    if node is None or node.op != "Const" or "value" not in node.attr:
        return None
    return len(node.attr["value"].tensor.tensor_shape.dim)


def _batch(node: Any, ranks: list[int | None]) -> Iterator[tuple[Any, str]]:
    """A gather with more batch dimensions than its indices have."""
    slot = _INDICES.get(node.op)
    if slot is None or "batch_dims" not in node.attr:
        return
    rank = ranks[slot] if slot < len(ranks) else None
    count = node.attr["batch_dims"].i
    if abs(count) > (MAX_RANK if rank is None else rank):
        yield node, f"has {count} as 'batch_dims'"
