"""Groups of layers as one weighted layer with a scale and a shift, and back.

A convolution with a batch normalisation behind it is `scale * (W x) + shift`; one with a bias is
that too. What one port has in pieces, the other may have fused: carried over as this, exactly.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from modeldocs.parity.recipe import Recipe, broadcast, full, number, sqrt
from modeldocs.parity.side import Side, Weight
from modeldocs.parity.sizes import epsilon

Recipes = dict[str, Recipe]
_ONE, _ZERO = full((1,), 1.0), full((1,), 0.0)

LINEAR = ("Conv", "Gemm", "MatMul")
_NORMS = ("LayerNormalization", "RMSNormalization", "GroupNormalization", "InstanceNormalization")
_SCALES, _SHIFTS = ("Mul", "Div"), ("Add", "Sub", "Sum")


@dataclass
class Affine:
    """`scale * (weight x) + shift`; `weight` is out x in x window, None where there is none."""

    weight: Recipe | None
    scale: Recipe = _ONE
    shift: Recipe = _ZERO

    def then(self, scale: Recipe, shift: Recipe) -> None:
        """Scale and shift what it gives."""
        self.shift = self.shift * scale + shift
        self.scale = self.scale * scale

    @property
    def plain(self) -> bool:
        """Whether nothing is scaled or shifted."""
        return self.scale.constant == 1 and self.shift.constant == 0


class UnsuitableError(Exception):
    """A group that is no weighted layer with a scale and a shift."""


def read(side: Side, ids: tuple[str, ...], held: Mapping[str, Recipe]) -> Affine:
    """What a group computes, of its stored values.

    Raises:
        UnsuitableError: it has weights of another kind.
    """
    made = Affine(None)
    for name in ids:
        roles = {w.role: w.normal(held[w.name]) for w in side.weights[name]}
        operator = side.layers[name].operator
        if operator in LINEAR and "weight" in roles:
            if made.weight is not None or not made.plain:
                raise UnsuitableError
            weight = roles["weight"]
            made.weight = weight.T if operator == "MatMul" and weight.ndim == 2 else weight
            made.then(_ONE, _flat(roles.get("bias"), _ZERO))
        elif operator == "BatchNormalization":
            root = sqrt(roles.get("var", _ONE) + number(epsilon(side.layers[name], 0.0, 1.0)))
            scale = roles.get("scale", _ONE) / root
            made.then(scale, roles.get("bias", _ZERO) - roles.get("mean", _ZERO) * scale)
        elif operator in _NORMS:
            made.then(_flat(roles.get("scale"), _ONE), _flat(roles.get("bias"), _ZERO))
        elif roles:
            _elementwise(made, operator, [_flat(array, _ONE) for array in roles.values()])
    return made


def _elementwise(made: Affine, operator: str, operands: list[Recipe]) -> None:
    if operator not in (*_SCALES, *_SHIFTS) or len(operands) != 1:
        raise UnsuitableError
    operand = operands[0]
    if operator in _SCALES:
        made.then(number(1.0) / operand if operator == "Div" else operand, _ZERO)
    else:
        made.then(_ONE, -operand if operator == "Sub" else operand)


def _flat(array: Recipe | None, default: Recipe) -> Recipe:
    return default if array is None else array.reshape(-1)


def write(side: Side, ids: tuple[str, ...], given: Affine) -> Recipes:
    """Stored values with which a group computes `given`: all of it in its first layer that can.

    A scale or shift that no layer has a place for is left out, and shows in the numbers.

    Raises:
        UnsuitableError: no layer of the group can hold the weight, or its parameters are of
            another kind.
    """
    made: Recipes = {}
    left = Affine(None, given.scale, given.shift)
    linear = [name for name in ids if _weight(side, name, "weight") and _is_linear(side, name)]
    if bool(linear) != (given.weight is not None) or len(linear) > 1:
        raise UnsuitableError
    if given.weight is not None:
        if given.scale.size not in (1, given.weight.shape[0]):
            raise UnsuitableError
        tall = (-1, *(1,) * (given.weight.ndim - 1))
        made |= _linear(side, linear[0], given.weight * given.scale.reshape(tall))
        left.scale = _ONE
    for name in ids:
        for weight in side.weights[name]:
            if weight.name not in made:
                made[weight.name] = weight.stored(_placed(side, name, weight, left))
    return made


def _placed(side: Side, name: str, weight: Weight, left: Affine) -> Recipe:
    """A parameter's value; what it takes up of the scale and shift is no longer left."""
    operator = side.layers[name].operator
    if weight.role == "mean":
        return full(weight.shape, 0.0)
    if weight.role == "var":
        return full(weight.shape, 1 - epsilon(side.layers[name], 0.0, 0.5))
    if weight.role == "bias" or operator in _SHIFTS:
        if left.scale.constant != 1:  # a scale is placed before the shift that goes with it
            raise UnsuitableError
        value, left.shift = left.shift, _ZERO
        return _shaped(-value if operator == "Sub" else value, weight)
    if weight.role == "scale" or operator in _SCALES:
        value, left.scale = left.scale, _ONE
        return _shaped(number(1.0) / value if operator == "Div" else value, weight)
    raise UnsuitableError


def _shaped(array: Recipe, weight: Weight) -> Recipe:
    count = full(weight.shape, 0.0).size
    if array.size not in (1, count):
        raise UnsuitableError
    return broadcast(array.reshape(weight.shape if array.size == count else ()), weight.shape)


def _linear(side: Side, name: str, array: Recipe) -> Recipes:
    weight = _weight(side, name, "weight")
    assert weight is not None
    if side.layers[name].operator == "MatMul" and array.ndim == 2:
        array = array.T
    if array.size != full(weight.shape, 0.0).size:
        raise UnsuitableError
    return {weight.name: weight.stored(array.reshape(weight.shape))}


def _is_linear(side: Side, name: str) -> bool:
    return side.layers[name].operator in LINEAR


def _weight(side: Side, name: str, role: str) -> Weight | None:
    return next((one for one in side.weights[name] if one.role == role), None)
