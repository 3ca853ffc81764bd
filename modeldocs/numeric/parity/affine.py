"""Groups of layers as one affine function, `scale * (W x) + shift`, and back.

A convolution with a bias is one, and so is one with a batch normalization behind it. What one port
has in pieces and the other fused is transferred exactly in this form.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from modeldocs.ir import operators
from modeldocs.numeric.parity.expression import Expression, broadcast, full, number, sqrt
from modeldocs.numeric.parity.runnable_graph import RunnableGraph, Weight
from modeldocs.numeric.parity.scales import epsilon

Expressions = dict[str, Expression]
_ONE, _ZERO = full((1,), 1.0), full((1,), 0.0)

LINEAR = operators.named(projection=True)
_NORMS = operators.named(own_statistics=True)
_SCALES = operators.named(affine="scale")
_SHIFTS = operators.named(affine="shift")


@dataclass
class AffineMap:
    """`scale * (weight x) + shift`; `weight` is out x in x window, or None."""

    weight: Expression | None
    scale: Expression = _ONE
    shift: Expression = _ZERO

    def then(self, scale: Expression, shift: Expression) -> None:
        """Scale and shift the output."""
        self.shift = self.shift * scale + shift
        self.scale = self.scale * scale

    @property
    def is_identity(self) -> bool:
        """Whether nothing is scaled or shifted."""
        return self.scale.constant == 1 and self.shift.constant == 0


class NotAffineError(Exception):
    """A group that is not a weighted layer with a scale and a shift."""


def read(
    graph: RunnableGraph, ids: tuple[str, ...], expressions: Mapping[str, Expression]
) -> AffineMap:
    """The affine function of a group, of its stored weights.

    Raises:
        NotAffineError: it has weights of another kind.
    """
    affine = AffineMap(None)
    for name in ids:
        roles = {w.role: w.normal(expressions[w.name]) for w in graph.weights[name]}
        operator = graph.layers[name].operator
        if operator in LINEAR and "weight" in roles:
            if affine.weight is not None or not affine.is_identity:
                raise NotAffineError
            weight = roles["weight"]
            affine.weight = weight.T if operator == "MatMul" and weight.ndim == 2 else weight
            affine.then(_ONE, _flat(roles.get("bias"), _ZERO))
        elif operator == "BatchNormalization":
            root = sqrt(roles.get("var", _ONE) + number(epsilon(graph.layers[name], 0.0, 1.0)))
            scale = roles.get("scale", _ONE) / root
            affine.then(scale, roles.get("bias", _ZERO) - roles.get("mean", _ZERO) * scale)
        elif operator in _NORMS:
            affine.then(_flat(roles.get("scale"), _ONE), _flat(roles.get("bias"), _ZERO))
        elif roles:
            _elementwise(affine, operator, [_flat(array, _ONE) for array in roles.values()])
    return affine


def _elementwise(affine: AffineMap, operator: str, operands: list[Expression]) -> None:
    if operator not in _SCALES | _SHIFTS or len(operands) != 1:
        raise NotAffineError
    operand = operands[0]
    if operator in _SCALES:
        affine.then(number(1.0) / operand if operator == "Div" else operand, _ZERO)
    else:
        affine.then(_ONE, -operand if operator == "Sub" else operand)


def _flat(array: Expression | None, default: Expression) -> Expression:
    return default if array is None else array.reshape(-1)


def write(graph: RunnableGraph, ids: tuple[str, ...], affine: AffineMap) -> Expressions:
    """Stored weights with which a group computes an affine function.

    Each part goes into the first layer that can hold it. A scale or shift that no layer can hold is
    left out, and shows as a difference.

    Raises:
        NotAffineError: no layer of the group can hold the weight, or its parameters are of
            another kind.
    """
    written: Expressions = {}
    rest = AffineMap(None, affine.scale, affine.shift)
    linear = [name for name in ids if _weight(graph, name, "weight") and _is_linear(graph, name)]
    if bool(linear) != (affine.weight is not None) or len(linear) > 1:
        raise NotAffineError
    if affine.weight is not None:
        if affine.scale.size not in (1, affine.weight.shape[0]):
            raise NotAffineError
        tall = (-1, *(1,) * (affine.weight.ndim - 1))
        written |= _linear(graph, linear[0], affine.weight * affine.scale.reshape(tall))
        rest.scale = _ONE
    for name in ids:
        for weight in graph.weights[name]:
            if weight.name not in written:
                written[weight.name] = weight.stored(_take_up(graph, name, weight, rest))
    return written


def _take_up(graph: RunnableGraph, name: str, weight: Weight, rest: AffineMap) -> Expression:
    """A parameter's value, which is then taken out of the `rest` of the scale and shift."""
    operator = graph.layers[name].operator
    if weight.role == "mean":
        return full(weight.shape, 0.0)
    if weight.role == "var":
        return full(weight.shape, 1 - epsilon(graph.layers[name], 0.0, 0.5))
    if weight.role == "bias" or operator in _SHIFTS:
        if (
            rest.scale.constant != 1
        ):  # a scale goes into a layer before the shift that was scaled with it
            raise NotAffineError
        value, rest.shift = rest.shift, _ZERO
        return _shaped(-value if operator == "Sub" else value, weight)
    if weight.role == "scale" or operator in _SCALES:
        value, rest.scale = rest.scale, _ONE
        return _shaped(number(1.0) / value if operator == "Div" else value, weight)
    raise NotAffineError


def _shaped(array: Expression, weight: Weight) -> Expression:
    count = full(weight.shape, 0.0).size
    if array.size not in (1, count):
        raise NotAffineError
    return broadcast(array.reshape(weight.shape if array.size == count else ()), weight.shape)


def _linear(graph: RunnableGraph, name: str, array: Expression) -> Expressions:
    weight = _weight(graph, name, "weight")
    assert weight is not None
    if graph.layers[name].operator == "MatMul" and array.ndim == 2:
        array = array.T
    if array.size != full(weight.shape, 0.0).size:
        raise NotAffineError
    return {weight.name: weight.stored(array.reshape(weight.shape))}


def _is_linear(graph: RunnableGraph, name: str) -> bool:
    return graph.layers[name].operator in LINEAR


def _weight(graph: RunnableGraph, name: str, role: str) -> Weight | None:
    return next((one for one in graph.weights[name] if one.role == role), None)
