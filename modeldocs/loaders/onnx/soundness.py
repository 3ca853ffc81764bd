"""Checks of an ONNX file before it becomes a graph: bounded sizes, and sound names.

A file may come from anywhere. Nothing here recurses into the file's own nesting, and no other file
is read.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TypeAlias

import onnx

from modeldocs.errors import ModeldocsError
from modeldocs.loaders import dims
from modeldocs.loaders.onnx import signatures, tensors
from modeldocs.loaders.onnx.signatures import AGAIN

MAX_NODES = 1_000_000
"""Most nodes of a graph once its functions are inlined: far more than any real network has."""

Body: TypeAlias = "onnx.GraphProto | onnx.FunctionProto"


def check(proto: onnx.ModelProto, folder: Path) -> None:
    """Refuse a model that cannot be a graph, or that reads files outside its folder.

    Raises:
        ModeldocsError: with the tensor, value or function that is wrong; it names no file.
    """
    _check_text(proto)
    _check_versions(proto)
    bodies = [proto.graph, *proto.functions]
    for body in bodies:
        for graph in _graphs(body):
            for tensor in _tensors(graph):
                tensors.check(tensor, folder)
            _check_values(graph)
        _check_names(body)
        _check_nodes(body, proto)
    _check_functions(proto)


def _check_text(proto: onnx.ModelProto) -> None:
    """Refuse text that is not UTF-8, which protobuf returns as bytes."""
    pending = [proto]
    while pending:
        for field, value in pending.pop().ListFields():
            if field.type == field.TYPE_STRING:
                texts = (value,) if isinstance(value, str | bytes) else value
                if any(isinstance(text, bytes) for text in texts):
                    raise ModeldocsError(f"its field {field.name!r} is no UTF-8 text", fix=AGAIN)
            elif field.type == field.TYPE_MESSAGE:
                pending.extend((value,) if hasattr(value, "ListFields") else value)


def _check_versions(proto: onnx.ModelProto) -> None:
    for body in (proto, *proto.functions):
        for opset in body.opset_import:
            if not 0 <= opset.version <= signatures.MAX_VERSION:
                raise ModeldocsError(
                    f"asks for version {opset.version} of the operators of {opset.domain!r}",
                    fix=AGAIN,
                )


def _inner(graph: Body) -> Iterator[onnx.GraphProto]:
    """The graphs in the attributes of a graph's own nodes."""
    for node in graph.node:
        for attribute in node.attribute:
            yield from attribute.graphs
            if attribute.HasField("g"):
                yield attribute.g


def _graphs(body: Body) -> Iterator[Body]:
    """A graph and all graphs nested in it."""
    pending = [body]
    while pending:
        graph = pending.pop()
        yield graph
        pending.extend(_inner(graph))


def _tensors(graph: Body) -> Iterator[onnx.TensorProto]:
    yield from getattr(graph, "initializer", ())
    for sparse in getattr(graph, "sparse_initializer", ()):
        yield from (sparse.values, sparse.indices)
    for node in graph.node:
        for attribute in node.attribute:
            yield from attribute.tensors
            if attribute.HasField("t"):
                yield attribute.t


def _check_values(graph: Body) -> None:
    for value in (*getattr(graph, "input", ()), *graph.output, *graph.value_info):
        if isinstance(value, str):  # a function names its inputs and outputs only
            continue
        shape = [dim.dim_value for dim in value.type.tensor_type.shape.dim]
        if dims.is_absurd(shape):
            raise ModeldocsError(
                f"value {value.name!r} has the impossible shape {dims.as_text(shape)}",
                fix=AGAIN,
            )


def _check_names(body: Body) -> None:
    """Check that each value has one definition, here or in an outer graph."""
    pending: list[tuple[Body, frozenset[str]]] = [(body, frozenset())]
    while pending:
        graph, outer = pending.pop()
        known = outer | _defined(graph)
        for node in graph.node:
            for name in node.input:
                _check_known(name, known, f"node {(node.name or node.op_type)!r} reads")
        for value in graph.output:
            name = value if isinstance(value, str) else value.name
            _check_known(name, known, "the graph gives out")
        pending.extend((inner, known) for inner in _inner(graph))


def _defined(graph: Body) -> frozenset[str]:
    """Names of a graph's inputs, initializers and computed values."""
    inputs = [v if isinstance(v, str) else v.name for v in graph.input]
    stored = [tensor.name for tensor in getattr(graph, "initializer", ())]
    stored += [sparse.values.name for sparse in getattr(graph, "sparse_initializer", ())]
    computed = [name for node in graph.node for name in node.output if name]
    # An initializer may be the default of an input of its name.
    for names in (inputs, stored, [*{*inputs, *stored}, *computed]):
        name, times = max(Counter(names).items(), key=lambda item: item[1], default=("", 1))
        if times > 1:
            raise ModeldocsError(f"the value {_short(name)} is made twice", fix=AGAIN)
    return frozenset((*inputs, *stored, *computed))


def _check_known(name: str, known: frozenset[str], what: str) -> None:
    if name and name not in known:
        raise ModeldocsError(f"{what[:200]} {_short(name)}, which nothing makes", fix=AGAIN)


def _short(name: str) -> str:
    return repr(name if len(name) <= 100 else name[:100] + "…")


def _check_nodes(body: Body, proto: onnx.ModelProto) -> None:
    imports = proto.opset_import if body is proto.graph else body.opset_import
    opset = next((item.version for item in imports if item.domain in ("", "ai.onnx")), 1)
    for graph in _graphs(body):
        for node in graph.node:
            signatures.check(node, opset)
            if body is proto.graph and any(attribute.ref_attr_name for attribute in node.attribute):
                raise ModeldocsError(
                    f"node {(node.name or node.op_type)[:100]!r} takes an attribute of a function, "
                    "and stands in none",
                    fix=AGAIN,
                )


Call = tuple[str, str, str]


def _check_functions(proto: onnx.ModelProto) -> None:
    """Check that functions are not recursive, and that inlined they stay below `MAX_NODES`."""
    functions = {(f.domain, f.name, f.overload): f for f in proto.functions}
    sizes: dict[Call, int] = {}
    open_calls: set[Call] = set()
    pending = list(functions)
    while pending:
        call = pending[-1]
        called = [c for c in _calls(functions[call]) if c in functions]
        missing = [c for c in called if c not in sizes]
        if call in sizes or not missing:
            pending.pop()
            open_calls.discard(call)
            if call not in sizes:
                sizes[call] = _size(functions[call], sizes)
            continue
        open_calls.add(call)
        if open_calls.intersection(missing):
            raise ModeldocsError(f"its functions are cyclic: {call[1]!r} calls itself", fix=AGAIN)
        pending.extend(missing)
    if (total := _size(proto.graph, sizes)) > MAX_NODES:
        raise ModeldocsError(
            f"has {total:,} nodes when its functions are written out, more than {MAX_NODES:,}",
            fix="export a smaller part of the model",
        )


def _calls(body: Body) -> Iterator[Call]:
    for graph in _graphs(body):
        for node in graph.node:
            yield (node.domain, node.op_type, node.overload)


def _size(body: Body, sizes: dict[Call, int]) -> int:
    return sum(sizes.get(call, 1) for call in _calls(body))
