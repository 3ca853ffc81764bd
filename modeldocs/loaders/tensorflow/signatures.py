"""Nodes held against what TensorFlow's own register says of their operators.

TensorFlow itself lets attributes of no kind pass, makes as many edges as a count says, and ends the
process at a loop of three ends.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from modeldocs.errors import ModeldocsError
from modeldocs.loaders.tensorflow import edges
from modeldocs.loaders.tensorflow.program import Program

MAX_OUTPUTS = 2**16
"""More values than an operator gives."""

_TURNS = ("NextIteration", "RefNextIteration")
_MERGES = ("Merge", "RefMerge")

_KINDS = {
    "string": "s",
    "int": "i",
    "float": "f",
    "bool": "b",
    "type": "type",
    "shape": "shape",
    "tensor": "tensor",
    "func": "func",
}


def check(program: Program, graph: Any) -> None:
    """Refuse attributes of another kind than the operator's, counts beyond its edges, odd loops,
    and operands of another type.

    Raises:
        ModeldocsError: with the node and what is wrong with it.
    """
    from tensorflow.python.framework import op_def_registry

    turns = {node.name for node in graph.node if node.op in _TURNS}
    for node in _nodes(graph):
        if node.op in _MERGES and _ends(node, turns) not in (0, 2):
            raise _wrong(program, node, "is where a loop turns, and does not read two values")
        signature = op_def_registry.get(node.op)
        if signature is None:
            continue
        for told in signature.attr:
            held = node.attr.get(told.name)
            kind = held.WhichOneof("value") if held is not None else ""
            if kind not in ("", "placeholder", _KINDS.get(told.type, "list")):
                raise _wrong(program, node, f"has {told.name!r} of the kind {kind or 'none'}")
        for end in (*signature.input_arg, *signature.output_arg):
            count = node.attr[end.number_attr].i if end.number_attr in node.attr else 0
            if count > max(len(node.input), MAX_OUTPUTS):
                raise _wrong(program, node, f"has {count:,} as {end.number_attr!r}")
    for node, what in edges.wrong(graph):
        raise _wrong(program, node, what)


def _ends(node: Any, turns: set[str]) -> int:
    """How many values a Merge reads of which one comes from a loop's end; 0 where none does."""
    read = [name.partition(":")[0] for name in node.input if not name.startswith("^")]
    return len(read) if turns.intersection(read) else 0


def _nodes(graph: Any) -> Iterator[Any]:
    yield from graph.node
    for function in graph.library.function:
        yield from function.node_def


def _wrong(program: Program, node: Any, what: str) -> ModeldocsError:
    reason = f"node {node.name[:100]!r} ({node.op[:100]}) {what}"
    return program.error(reason, at=node.name, fix="save the graph again")
