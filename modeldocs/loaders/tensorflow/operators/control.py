"""Branches and loops of TensorFlow 2, their functions as graphs within the graph."""

from __future__ import annotations

from typing import Any

import onnx_ir as ir

from modeldocs.loaders.tensorflow import attributes
from modeldocs.loaders.tensorflow.emission import Emission, Results, UnsupportedError, emits
from modeldocs.loaders.tensorflow.subgraphs import Argument, Subgraph


@emits("If", "StatelessIf")
def branch(emission: Emission) -> Results:
    """If; both branches read what they need of the graph around them."""
    condition = _truth(emission.value(0))
    given = [_argument(emission, slot) for slot in range(1, len(emission.operation.inputs))]
    graphs: dict[str, Any] = {}
    for name in ("then_branch", "else_branch"):
        inner = Subgraph(emission, _function(emission, name), given)
        graphs[name] = inner.graph([], inner.outputs(), f"{emission.name}/{name}")
    count = emission.drawing.typed.count(emission.name)
    shapes = [emission.drawing.typed.shape((emission.name, index)) for index in range(count)]
    types = [emission.made_dtype(index) for index in range(count)]
    return emission.node_of_several("If", [condition], count, shapes=shapes, dtypes=types, **graphs)


@emits("While", "StatelessWhile")
def loop(emission: Emission) -> Results:
    """Loop; its condition stands before it, and at the end of its body."""
    count = len(emission.operation.inputs)
    given = [_argument(emission, slot) for slot in range(count)]
    carried = [slot for slot in range(count) if given[slot].value is not None]
    test = _function(emission, "cond")
    first = Subgraph(emission, test, given)
    if len(first.outputs()) != 1:
        raise UnsupportedError("has a condition of several values, or none")
    start = _truth(first.outputs()[0])
    emission.nodes[:0] = first.nodes()
    inner = [given[slot].inside(emission, slot) for slot in range(count)]
    body = Subgraph(emission, _function(emission, "body"), inner)
    made = body.outputs()
    if len(made) != count:
        raise UnsupportedError(f"takes {count} values and its body gives {len(made)}")
    after = [inner[slot].then(made[slot]) for slot in range(count)]
    again = Subgraph(emission, test, after)
    more = _truth(again.outputs()[0])
    held = [inner[slot].value for slot in carried]
    ends = [more, *(made[slot] for slot in carried)]
    graph = body.graph([*_counters(emission), *held], ends, f"{emission.name}/body", again)
    shapes = [emission.drawing.typed.shape((emission.name, slot)) for slot in carried]
    types = [emission.made_dtype(slot) for slot in carried]
    starts = [given[slot].value for slot in carried]
    results = emission.node_of_several(
        "Loop", [None, start, *starts], len(starts), shapes=shapes, dtypes=types, body=graph
    )
    found: list[ir.Value | None] = [None] * count
    for slot, value in zip(carried, results, strict=True):
        found[slot] = value
    return found


def _counters(emission: Emission) -> list[ir.Value]:
    """What ONNX hands to a body besides: the number of the round, and the condition."""
    return [
        ir.Value(
            name=emission.drawing.names.unique(f"{emission.name}/{name}"),
            shape=ir.Shape([]),
            type=ir.TensorType(dtype),
        )
        for name, dtype in (("round", ir.DataType.INT64), ("going", ir.DataType.BOOL))
    ]


def _function(emission: Emission, name: str) -> str:
    return str(attributes.get(emission.operation.proto, name).func.name)


def _argument(emission: Emission, slot: int) -> Argument:
    """What is passed to a function: a tensor, or the variable that a handle stands for."""
    ref = emission.ref(slot)
    holder = emission.drawing.parameters.holder(ref)
    typed = emission.drawing.typed
    number = typed.dtype(ref)
    if holder is not None and attributes.onnx_type(number) is None:
        return Argument(None, holder, None, number)
    if attributes.onnx_type(number) is None:
        raise UnsupportedError("passes what is no tensor of ONNX's")
    return Argument(emission.value(slot), None, typed.shape(ref), number)


def _truth(value: ir.Value) -> ir.Value:
    """The value as ONNX wants a condition: one truth value."""
    if value.dtype == ir.DataType.BOOL and (value.shape is None or len(value.shape) == 0):
        return value
    raise UnsupportedError("has a condition that is no truth value")
