"""Nodes checked against TensorFlow's register of operators.

TensorFlow itself accepts attributes of a wrong kind, allocates as many edges as a count says, and
ends the process at a malformed loop.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from modeldocs.errors import ModeldocsError
from modeldocs.loaders.tensorflow.graphdef import edges
from modeldocs.loaders.tensorflow.program import LOOP_ENDS, MERGES, GraphDefProgram

MAX_OUTPUTS = 2**16
"""More outputs than any operator has."""


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


def check(program: GraphDefProgram, graph: Any) -> None:
    """Check attributes, counts of operands, loops, and types of operands.

    Raises:
        ModeldocsError: with the node and what is wrong with it.
    """
    from tensorflow.python.framework import op_def_registry

    loop_ends = {node.name for node in graph.node if node.op in LOOP_ENDS}
    for node in _nodes(graph):
        if node.op in MERGES and _merged(node, loop_ends) not in (0, 2):
            raise _wrong(
                program, node, "merges the iterations of a loop, but does not read two values"
            )
        signature = op_def_registry.get(node.op)
        if signature is None:
            continue
        for attribute in signature.attr:
            value = node.attr.get(attribute.name)
            kind = value.WhichOneof("value") if value is not None else ""
            if kind not in ("", "placeholder", _KINDS.get(attribute.type, "list")):
                raise _wrong(program, node, f"has {attribute.name!r} of the kind {kind or 'none'}")
        for argument in (*signature.input_arg, *signature.output_arg):
            count = node.attr[argument.number_attr].i if argument.number_attr in node.attr else 0
            if count > max(len(node.input), MAX_OUTPUTS):
                raise _wrong(program, node, f"has {count:,} as {argument.number_attr!r}")
    for node, reason in edges.wrong(graph):
        raise _wrong(program, node, reason)


def _merged(node: Any, loop_ends: set[str]) -> int:
    """How many values a Merge reads if one of them comes from a loop's end, else 0."""
    read = [name.partition(":")[0] for name in node.input if not name.startswith("^")]
    return len(read) if loop_ends.intersection(read) else 0


def _nodes(graph: Any) -> Iterator[Any]:
    yield from graph.node
    for function in graph.library.function:
        yield from function.node_def


def _wrong(program: GraphDefProgram, node: Any, reason: str) -> ModeldocsError:
    message = f"node {node.name[:100]!r} ({node.op[:100]}) {reason}"
    return program.error(message, at=node.name, fix="save the graph again")
