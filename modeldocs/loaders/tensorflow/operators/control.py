"""Emitters of TensorFlow 2's branches and loops, whose functions become graphs in the graph."""

from __future__ import annotations

from typing import Any

import onnx_ir as ir

from modeldocs.loaders.tensorflow.graphdef import attributes
from modeldocs.loaders.tensorflow.operation import (
    Outputs,
    TensorFlowOperation,
    UnsupportedError,
    emits,
)
from modeldocs.loaders.tensorflow.subgraphs import Argument, Subgraph


@emits("If", "StatelessIf")
def branch(op: TensorFlowOperation) -> Outputs:
    """If; both branches may read values of the graph around them."""
    condition = _truth(op.input(0))
    arguments = [_argument(op, slot) for slot in range(1, len(op.source.inputs))]
    graphs: dict[str, Any] = {}
    for name in ("then_branch", "else_branch"):
        subgraph = Subgraph(op, _function(op, name), arguments)
        graphs[name] = subgraph.graph([], subgraph.outputs(), f"{op.name}/{name}")
    count = op.graph.typed.count(op.name)
    shapes = [op.graph.typed.shape((op.name, index)) for index in range(count)]
    types = [op.output_dtype(index) for index in range(count)]
    return op.node_of_several("If", [condition], count, shapes=shapes, dtypes=types, **graphs)


@emits("While", "StatelessWhile")
def loop(op: TensorFlowOperation) -> Outputs:
    """Loop; its condition is computed before it, and again at the end of its body."""
    count = len(op.source.inputs)
    arguments = [_argument(op, slot) for slot in range(count)]
    carried = [slot for slot in range(count) if arguments[slot].value is not None]
    test = _function(op, "cond")
    first = Subgraph(op, test, arguments)
    if len(first.outputs()) != 1:
        raise UnsupportedError("has a condition of several values, or none")
    start = _truth(first.outputs()[0])
    op.nodes[:0] = first.nodes()
    inner = [arguments[slot].inside(op, slot) for slot in range(count)]
    body = Subgraph(op, _function(op, "body"), inner)
    results_of_body = body.outputs()
    if len(results_of_body) != count:
        raise UnsupportedError(
            f"has {count} loop variables, but its body returns {len(results_of_body)}"
        )
    after = [inner[slot].then(results_of_body[slot]) for slot in range(count)]
    next_test = Subgraph(op, test, after)
    next_condition = _truth(next_test.outputs()[0])
    inner_values = [inner[slot].value for slot in carried]
    ends = [next_condition, *(results_of_body[slot] for slot in carried)]
    graph = body.graph([*_counters(op), *inner_values], ends, f"{op.name}/body", next_test)
    shapes = [op.graph.typed.shape((op.name, slot)) for slot in carried]
    types = [op.output_dtype(slot) for slot in carried]
    starts = [arguments[slot].value for slot in carried]
    results = op.node_of_several(
        "Loop", [None, start, *starts], len(starts), shapes=shapes, dtypes=types, body=graph
    )
    outputs: list[ir.Value | None] = [None] * count
    for slot, value in zip(carried, results, strict=True):
        outputs[slot] = value
    return outputs


def _counters(op: TensorFlowOperation) -> list[ir.Value]:
    """The other inputs of a loop's body in ONNX: the iteration and the condition."""
    return [
        ir.Value(
            name=op.graph.names.unique(f"{op.name}/{name}"),
            shape=ir.Shape([]),
            type=ir.TensorType(dtype),
        )
        for name, dtype in (("round", ir.DataType.INT64), ("going", ir.DataType.BOOL))
    ]


def _function(op: TensorFlowOperation, name: str) -> str:
    return str(attributes.get(op.source.proto, name).func.name)


def _argument(op: TensorFlowOperation, slot: int) -> Argument:
    """What is passed to a function: a tensor, or the variable that a handle refers to."""
    ref = op.ref(slot)
    variable = op.graph.parameters.variable(ref)
    typed = op.graph.typed
    dtype = typed.dtype(ref)
    if variable is not None and attributes.onnx_type(dtype) is None:
        return Argument(None, variable, None, dtype)
    if attributes.onnx_type(dtype) is None:
        raise UnsupportedError("passes a value that is no tensor of ONNX")
    return Argument(op.input(slot), None, typed.shape(ref), dtype)


def _truth(value: ir.Value | None) -> ir.Value:
    """The value as ONNX wants a condition: a boolean scalar."""
    if value is None or value.dtype != ir.DataType.BOOL or (value.shape or ()):
        raise UnsupportedError("has a condition that is no boolean scalar")
    return value
