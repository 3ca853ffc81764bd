"""What a layer costs: multiply-accumulates and bytes of its outputs."""

from __future__ import annotations

from collections.abc import Sequence

from modeldocs.ir import Dim, Operand, Parameter, TensorType
from modeldocs.ir.totals import known_sum


def activation_bytes(outputs: Sequence[TensorType]) -> int | None:
    """Bytes of all outputs; None where a shape or type is not known."""
    return known_sum(output.bytes for output in outputs)


COUNTED = ("Conv", "ConvTranspose", "Gemm", "MatMul", "Attention", "RNN", "GRU", "LSTM")
"""Operators that multiply and accumulate."""

_GATES = {"RNN": 1, "GRU": 3, "LSTM": 4}
"""Matrix products of a recurrent cell, by operator."""


def macs(
    operator: str,
    inputs: Sequence[Operand],
    parameters: Sequence[Parameter],
    outputs: Sequence[TensorType],
) -> int | None:
    """Multiply-accumulates of one call, 0 for operators that are no convolution or product.

    A convolution does (weights of one filter) for every element of its output; a transposed one
    for every element of its input; a matrix product (its inner dimension) per output element; a
    recurrent layer (input and hidden size) for every gate of every state. Attention does two
    products: queries by keys, and the weights by the values.
    """
    if operator in _GATES:
        return _recurrent(_GATES[operator], inputs, outputs)
    if operator == "Attention":
        return _attention(inputs, outputs)
    if operator not in ("Conv", "ConvTranspose", "Gemm", "MatMul"):
        return 0
    read = next((o.type for o in inputs if o.slot == 0), None)
    weight = _weight(inputs, parameters)
    if operator in ("Conv", "ConvTranspose"):
        counted = read if operator == "ConvTranspose" else (outputs[0] if outputs else None)
        return _times(counted, _product(weight[1:]) if weight else None)
    stored = any(p.role == "weight" for p in parameters)
    if operator == "Gemm" and stored:
        inner = weight[-1] if weight else None
    elif operator == "Gemm":
        inner = _summed(read, outputs)
    else:
        inner = _inner(read, weight)
    return _times(outputs[0] if outputs else None, inner)


def _recurrent(gates: int, inputs: Sequence[Operand], outputs: Sequence[TensorType]) -> int | None:
    """For each state that is made, each gate reads the input and the state before it."""
    read = next((o.type for o in inputs if o.slot == 0), None)
    states = outputs[0] if outputs else None
    if read is None or states is None or not read.shape or not states.shape:
        return None
    width, hidden = read.shape[-1], states.shape[-1]
    if not isinstance(width, int) or not isinstance(hidden, int):
        return None
    return _times(states, gates * (width + hidden))


def _attention(inputs: Sequence[Operand], outputs: Sequence[TensorType]) -> int | None:
    """Each element of each query meets each key, and each weight a row of values.

    Tensors are batch x heads x length x size, or batch x length x all sizes of all heads.
    """
    told = {held.slot: held.type for held in inputs}
    query, key = told.get(0), told.get(1)
    if query is None or key is None or not key.shape or len(key.shape) < 3:
        return None
    length = key.shape[-2]
    scores, weighted = _times(query, length), _times(outputs[0] if outputs else None, length)
    return scores + weighted if scores is not None and weighted is not None else None


def _weight(inputs: Sequence[Operand], parameters: Sequence[Parameter]) -> tuple[Dim, ...] | None:
    """Shape of the second operand: a parameter in normal order, or a tensor that is computed."""
    stored = next((p for p in parameters if p.role == "weight"), None)
    if stored is not None:
        return stored.shape
    return next((o.type.shape for o in inputs if o.slot == 1), None)


def _inner(read: TensorType | None, weight: tuple[Dim, ...] | None) -> Dim:
    """The dimension that a product of two tensors sums over, from whichever side knows it."""
    if read is not None and read.shape:
        return read.shape[-1]
    return weight[max(0, len(weight) - 2)] if weight else None


def _summed(read: TensorType | None, outputs: Sequence[TensorType]) -> Dim:
    """Columns of a matrix that may stand on its side: its elements by the rows of the result."""
    elements = read.elements if read is not None else None
    rows = outputs[0].shape[0] if outputs and outputs[0].shape else None
    return elements // rows if elements is not None and isinstance(rows, int) and rows else None


def _product(dims: Sequence[Dim]) -> int | None:
    return TensorType(shape=tuple(dims), dtype="").elements


def _times(tensor: TensorType | None, each: Dim) -> int | None:
    made = tensor.elements if tensor is not None else None
    return made * each if made is not None and isinstance(each, int) else None
