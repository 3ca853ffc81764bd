"""Multiply-accumulates of convolutions, matrix products and recurrent layers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from modeldocs.ir import Dim, Operand, Parameter, TensorType, operators


@dataclass(frozen=True)
class OperatorCall:
    """One call of an operator: its settings, operands and outputs."""

    operator: str
    attributes: Mapping[str, Any]
    inputs: Sequence[Operand]
    parameters: Sequence[Parameter]
    outputs: Sequence[TensorType]

    def operand(self, slot: int) -> TensorType | None:
        """The type of a computed operand."""
        return next((one.type for one in self.inputs if one.slot == slot), None)

    @property
    def output(self) -> TensorType | None:
        """The type of the first output."""
        return self.outputs[0] if self.outputs else None

    @property
    def weight(self) -> tuple[Dim, ...] | None:
        """Shape of the weight: a parameter in normal order, or a computed tensor."""
        stored = self.stored_weight
        if stored is not None:
            return stored.shape
        found = self.operand(operators.weighted_slot(self.operator) or 1)
        return None if found is None else found.shape

    @property
    def stored_weight(self) -> Parameter | None:
        """The weight, where it is a parameter."""
        return next((one for one in self.parameters if one.role == "weight"), None)

    def number(self, name: str) -> int:
        """An attribute that is a whole number, 0 where it is missing."""
        value = self.attributes.get(name, 0)
        return value if isinstance(value, int) else 0


def times(tensor: TensorType | None, each: Dim) -> int | None:
    """The elements of a tensor, so many each; None where a size is unknown."""
    count = tensor.elements if tensor is not None else None
    return count * each if count is not None and isinstance(each, int) else None


def convolution(call: OperatorCall) -> int | None:
    """One filter for each element of the output."""
    return times(call.output, _filter_size(call))


def transposed_convolution(call: OperatorCall) -> int | None:
    """One filter for each element of the input."""
    return times(call.operand(0), _filter_size(call))


def _filter_size(call: OperatorCall) -> int | None:
    return _product(call.weight[1:]) if call.weight else None


def gemm(call: OperatorCall) -> int | None:
    """The inner dimension for each element of the output; a stored weight is out x in."""
    if call.stored_weight is not None:
        weight = call.stored_weight.shape
        return times(call.output, weight[-1] if weight else None)
    return times(call.output, _columns(call))


def stored_gemm(call: OperatorCall) -> int | None:
    """The same of a Gemm whose weight is in the order in which it is stored."""
    weight = call.weight
    if not weight or len(weight) != 2:
        return None
    output = call.output
    if output is None or output.elements is None:
        columns = weight[0] if call.number("transB") else weight[1]
        return times(call.operand(0), columns)
    return times(output, weight[1] if call.number("transB") else weight[0])


def matrix_product(call: OperatorCall) -> int | None:
    """The inner dimension for each element of the output.

    Where that is unknown, the columns of a matrix for each element of what is multiplied by it.
    """
    data, weight = call.operand(0), call.weight
    if call.number("transBatchA") or call.number("transBatchB"):
        return None
    if call.output is not None and call.output.elements is not None:
        return times(call.output, _inner(data, weight, turned=bool(call.number("transA"))))
    if data is None or not weight or len(weight) != 2:
        return None
    return times(data, weight[0] if call.number("transB") else weight[1])


def packed_product(call: OperatorCall) -> int | None:
    """`N` columns for each element of the input, whatever the weights are packed as."""
    return times(call.operand(0), call.number("N") or None)


def recurrent(call: OperatorCall) -> int | None:
    """Each gate of each state reads the input and the previous state."""
    data, states = call.operand(0), call.output
    if data is None or states is None or not data.shape or not states.shape:
        return None
    width, hidden = data.shape[-1], states.shape[-1]
    if not isinstance(width, int) or not isinstance(hidden, int):
        return None
    return times(states, operators.of(call.operator).gates * (width + hidden))


def _inner(data: TensorType | None, weight: tuple[Dim, ...] | None, *, turned: bool) -> Dim:
    """The dimension that a product of two tensors sums over, from either operand's shape."""
    if data is not None and data.shape:
        return data.shape[-2 if turned and len(data.shape) > 1 else -1]
    return weight[max(0, len(weight) - 2)] if weight else None


def _columns(call: OperatorCall) -> Dim:
    """Columns of a matrix that may be transposed: its elements by the rows of the result."""
    data, output = call.operand(0), call.output
    elements = data.elements if data is not None else None
    rows = output.shape[0] if output is not None and output.shape else None
    return elements // rows if elements is not None and isinstance(rows, int) and rows else None


def _product(dims: Sequence[Dim]) -> int | None:
    return TensorType(shape=tuple(dims), dtype="").elements
