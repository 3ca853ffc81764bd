"""Layers that make one tensor of several."""

from __future__ import annotations

import functools

import onnx_ir as ir

from modeldocs.loaders.keras.call import Call
from modeldocs.loaders.keras.emitters import emits

_ELEMENTWISE = {
    "Add": "Add",
    "Subtract": "Sub",
    "Multiply": "Mul",
    "Average": "Mean",
    "Maximum": "Max",
    "Minimum": "Min",
}


def _merged(call: Call, operator: str) -> ir.Value:
    """One operator over all inputs; several in turn where it takes two."""
    values = _ranked(call, call.values("inputs"))
    if len(values) == 1:
        return call.node("Identity", [values[0]])
    if operator in ("Max", "Min", "Mean"):
        return call.node(operator, [*values])
    return functools.reduce(lambda a, b: call.node(operator, [a, b]), values)


def _ranked(call: Call, values: list[ir.Value]) -> list[ir.Value]:
    """Inputs of the same rank: those of a smaller one get axes behind the batch."""
    most = max(len(call.shape(value)) for value in values)
    made = []
    for value in values:
        missing = most - len(call.shape(value))
        if missing:
            value = call.node("Unsqueeze", [value, call.integers(range(1, 1 + missing), "axes")])
        made.append(value)
    return made


for _layer, _operator in _ELEMENTWISE.items():
    emits(_layer)(functools.partial(_merged, operator=_operator))


@emits("Concatenate")
def concatenate(call: Call) -> ir.Value:
    """One behind the other along an axis."""
    return call.node("Concat", [*call.values("inputs")], axis=int(call.operation.axis))


@emits("Dot")
def dot(call: Call) -> ir.Value:
    """Products summed along one axis of each, after scaling each to unit length if asked."""
    layer = call.operation
    left, right = call.values("inputs")
    axes = layer.axes if isinstance(layer.axes, list | tuple) else (layer.axes, layer.axes)
    ranks = [len(call.shape(value)) for value in (left, right)]
    one, two = (int(axis) % rank for axis, rank in zip(axes, ranks, strict=True))
    if layer.normalize:
        left, right = _unit(call, left, one), _unit(call, right, two)
    names = "abcdefghijklmnopqrstuvwxyz"
    first = list(names[: ranks[0]])
    second = [first[0], *names[ranks[0] : ranks[0] + ranks[1] - 1]]
    second[two] = first[one]
    kept = [c for i, c in enumerate(first) if i != one] + [
        c for i, c in enumerate(second) if i not in (0, two)
    ]
    out = "".join(kept)
    equation = f"{''.join(first)},{''.join(second)}->{out}"
    made = call.node("Einsum", [left, right], equation=equation)
    wanted = call.output_shape()
    return made if len(out) == len(wanted) else call.reshape(made, wanted)


def _unit(call: Call, value: ir.Value, axis: int) -> ir.Value:
    """The value divided by its length along an axis, which counts as 1e-6 at least."""
    axes = call.integers([axis], "axes")
    squares = call.node("ReduceSumSquare", [value, axes], keepdims=1)
    least = call.node("Max", [squares, call.number(1e-12, value.dtype, "epsilon")])
    return call.node("Div", [value, call.node("Sqrt", [least])])
