"""Cost of a layer: multiply-accumulates, and bytes of its outputs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from modeldocs.ir import Body, Dim, Operand, Parameter, TensorType
from modeldocs.ir.totals import known_sum


def activation_bytes(outputs: Sequence[TensorType]) -> int | None:
    """Bytes of all outputs; None where a shape or type is not known."""
    return known_sum(output.bytes for output in outputs)


_GATES = {"RNN": 1, "GRU": 3, "LSTM": 4}
"""Matrix products of a recurrent cell, by operator."""


def macs(
    operator: str,
    inputs: Sequence[Operand],
    parameters: Sequence[Parameter],
    outputs: Sequence[TensorType],
) -> int | None:
    """Multiply-accumulates of one call; 0 for operators that are not in `COUNTED`.

    A convolution has the size of one filter for each element of its output, a transposed one for
    each element of its input; a matrix product its inner dimension for each output element; a
    recurrent layer the input and hidden sizes for each gate of each state. Attention has two
    products: queries by keys, and weights by values.
    """
    if operator in _GATES:
        return _recurrent(_GATES[operator], inputs, outputs)
    if operator == "Attention":
        return _attention(inputs, outputs)
    if operator not in ("Conv", "ConvTranspose", "Gemm", "MatMul"):
        return 0
    data = next((o.type for o in inputs if o.slot == 0), None)
    weight = _weight_shape(inputs, parameters)
    if operator in ("Conv", "ConvTranspose"):
        output = outputs[0] if outputs else None
        return _times(
            data if operator == "ConvTranspose" else output,
            _product(weight[1:]) if weight else None,
        )
    has_weight = any(p.role == "weight" for p in parameters)
    if operator == "Gemm" and has_weight:
        inner = weight[-1] if weight else None
    elif operator == "Gemm":
        inner = _columns(data, outputs)
    else:
        inner = _inner(data, weight)
    return _times(outputs[0] if outputs else None, inner)


def of_bodies(operator: str, bodies: Mapping[str, Body]) -> int | None:
    """Multiply-accumulates of a layer with bodies.

    None where branches differ, and for a loop, whose body may run any number of times.
    """
    figures = {known_sum(layer.macs for layer in body.layers) for body in bodies.values()}
    runs_once = operator not in ("Loop", "Scan", "SequenceMap")
    return figures.pop() if len(figures) == 1 and (runs_once or figures == {0}) else None


def _recurrent(gates: int, inputs: Sequence[Operand], outputs: Sequence[TensorType]) -> int | None:
    """Each gate of each state reads the input and the previous state."""
    data = next((o.type for o in inputs if o.slot == 0), None)
    states = outputs[0] if outputs else None
    if data is None or states is None or not data.shape or not states.shape:
        return None
    width, hidden = data.shape[-1], states.shape[-1]
    if not isinstance(width, int) or not isinstance(hidden, int):
        return None
    return _times(states, gates * (width + hidden))


def _attention(inputs: Sequence[Operand], outputs: Sequence[TensorType]) -> int | None:
    """Each element of a query is multiplied for each key, each element of the output likewise.

    Tensors are (batch, heads, length, size) or (batch, length, heads · size).
    """
    types = {operand.slot: operand.type for operand in inputs}
    query, key = types.get(0), types.get(1)
    if query is None or key is None or not key.shape or len(key.shape) < 3:
        return None
    length = key.shape[-2]
    scores, weighted = _times(query, length), _times(outputs[0] if outputs else None, length)
    return scores + weighted if scores is not None and weighted is not None else None


def _weight_shape(
    inputs: Sequence[Operand], parameters: Sequence[Parameter]
) -> tuple[Dim, ...] | None:
    """Shape of the second operand: a parameter in normal order, or a computed tensor."""
    weight = next((p for p in parameters if p.role == "weight"), None)
    if weight is not None:
        return weight.shape
    return next((o.type.shape for o in inputs if o.slot == 1), None)


def _inner(data: TensorType | None, weight: tuple[Dim, ...] | None) -> Dim:
    """The dimension that a product of two tensors sums over, from either operand's shape."""
    if data is not None and data.shape:
        return data.shape[-1]
    return weight[max(0, len(weight) - 2)] if weight else None


def _columns(data: TensorType | None, outputs: Sequence[TensorType]) -> Dim:
    """Columns of a matrix that may be transposed: its elements by the rows of the result."""
    elements = data.elements if data is not None else None
    rows = outputs[0].shape[0] if outputs and outputs[0].shape else None
    return elements // rows if elements is not None and isinstance(rows, int) and rows else None


def _product(dims: Sequence[Dim]) -> int | None:
    return TensorType(shape=tuple(dims), dtype="").elements


def _times(tensor: TensorType | None, each: Dim) -> int | None:
    count = tensor.elements if tensor is not None else None
    return count * each if count is not None and isinstance(each, int) else None
