"""The JSON of a graph: equal bytes for equal graphs, on every run and machine."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec

from modeldocs.ir.graph import LayerGraph
from modeldocs.ir.layer import GraphInput, GraphOutput, Layer, Operand
from modeldocs.ir.totals import Totals
from modeldocs.struct import Struct

FORMAT = 3
"""Version of the JSON format; raised when a field changes its meaning."""


class Document(Struct, frozen=True):
    """A graph with its totals."""

    format: int
    totals: Totals
    name: str
    inputs: tuple[GraphInput, ...] = ()
    layers: tuple[Layer, ...] = ()
    outputs: tuple[GraphOutput, ...] = ()
    notes: tuple[str, ...] = ()


class _FormatNumber(Struct, frozen=True):
    format: int = 1


def document(graph: LayerGraph) -> Document:
    """The graph with its totals, as its JSON holds it."""
    fields = {name: getattr(graph, name) for name in LayerGraph.__struct_fields__}
    return Document(**fields, format=FORMAT, totals=graph.totals())


def encode(graph: LayerGraph) -> bytes:
    """The graph's JSON, with its totals."""
    return msgspec.json.encode(document(graph), order="deterministic")


def decode(data: bytes) -> LayerGraph:
    """The graph that `encode` wrote.

    Raises:
        msgspec.DecodeError: it is not JSON or of another format, a field is invalid, or a layer
            reads a value that no earlier layer or input produces.
    """
    try:
        _check_format(msgspec.json.decode(data, type=_FormatNumber).format)
        graph = msgspec.json.decode(data, type=LayerGraph)
    except (UnicodeDecodeError, RecursionError) as error:
        raise msgspec.DecodeError(f"it cannot be decoded: {error}") from None
    _check_operands(graph)
    return graph


def _check_format(number: int) -> None:
    if number != FORMAT:
        raise msgspec.ValidationError(
            f"it is of format {number}, this version reads {FORMAT}: load the source again"
        )


def _check_operands(graph: LayerGraph) -> None:
    ids = {source.id for source in graph.inputs}
    if len(ids) != len(graph.inputs):
        raise msgspec.ValidationError("two inputs have one id")
    for layer in graph.layers:
        for name in layer.bodies:
            _check_operands(LayerGraph.of_body(layer, name))
        _check_ids(ids, layer.inputs, layer.id)
        if layer.id in ids:
            raise msgspec.ValidationError(f"two layers have the id {layer.id[:100]!r}")
        ids.add(layer.id)
    _check_ids(ids, [output.source for output in graph.outputs], "an output")


def _check_ids(ids: set[str], operands: Iterable[Operand], reader: str) -> None:
    for operand in operands:
        if operand.value not in ids:
            raise msgspec.ValidationError(
                f"{reader[:100]} reads {operand.value[:100]!r}, which does not come before it"
            )


def schema() -> dict[str, Any]:
    """JSON Schema (draft 2020-12) of `encode`'s output."""
    definition = msgspec.json.schema(Document)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "modeldocs LayerGraph",
        **definition,
    }
