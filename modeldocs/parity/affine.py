"""Groups of layers as one weighted layer with a scale and a shift, and back.

A convolution with a batch normalisation behind it is `scale * (W x) + shift`; one with a bias is
that too. What one port has in pieces, the other may have fused: carried over as this, exactly.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from modeldocs.parity.side import Side, Weight
from modeldocs.parity.sizes import epsilon

Arrays = dict[str, np.ndarray]

LINEAR = ("Conv", "Gemm", "MatMul")
_NORMS = ("LayerNormalization", "RMSNormalization", "GroupNormalization", "InstanceNormalization")
_SCALES, _SHIFTS = ("Mul", "Div"), ("Add", "Sub", "Sum")


@dataclass
class Affine:
    """`scale * (weight x) + shift`; `weight` is out x in x window, None where there is none."""

    weight: np.ndarray | None
    scale: np.ndarray
    shift: np.ndarray

    def then(self, scale: np.ndarray, shift: np.ndarray) -> None:
        """Scale and shift what it gives."""
        self.shift = self.shift * scale + shift
        self.scale = self.scale * scale


class UnsuitableError(Exception):
    """A group that is no weighted layer with a scale and a shift."""


def read(side: Side, ids: tuple[str, ...], held: Arrays) -> Affine:
    """What a group computes, of its stored values.

    Raises:
        UnsuitableError: it has weights of another kind.
    """
    made = Affine(None, np.ones(1), np.zeros(1))
    for name in ids:
        roles = {w.role: w.normal(held[w.name]).astype(np.float64) for w in side.weights[name]}
        operator = side.layers[name].operator
        if operator in LINEAR and "weight" in roles:
            if made.weight is not None:
                raise UnsuitableError
            weight = roles["weight"]
            made.weight = weight.T if operator == "MatMul" and weight.ndim == 2 else weight
            made.then(np.ones(1), _flat(roles.get("bias")))
        elif operator == "BatchNormalization":
            root = np.sqrt(roles.get("var", np.ones(1)) + epsilon(side.layers[name], 0.0, 1.0))
            scale = roles.get("scale", np.ones(1)) / root
            made.then(scale, roles.get("bias", 0.0) - roles.get("mean", 0.0) * scale)
        elif operator in _NORMS:
            made.then(_flat(roles.get("scale"), 1.0), _flat(roles.get("bias")))
        elif roles:
            _elementwise(made, operator, [_flat(array) for array in roles.values()])
    return made


def _elementwise(made: Affine, operator: str, operands: list[np.ndarray]) -> None:
    if operator not in (*_SCALES, *_SHIFTS) or len(operands) != 1:
        raise UnsuitableError
    number = operands[0]
    if operator in _SCALES:
        made.then(1 / number if operator == "Div" else number, np.zeros(1))
    else:
        made.then(np.ones(1), -number if operator == "Sub" else number)


def _flat(array: np.ndarray | None, default: float = 0.0) -> np.ndarray:
    return np.full(1, default) if array is None else array.reshape(-1)


def write(side: Side, ids: tuple[str, ...], given: Affine) -> Arrays:
    """Stored values with which a group computes `given`: all of it in its first layer that can.

    Raises:
        UnsuitableError: no layer of the group can hold the weight, the scale or the shift.
    """
    made: Arrays = {}
    scale, shift = given.scale, given.shift
    linear = [name for name in ids if _weight(side, name, "weight") and _is_linear(side, name)]
    if bool(linear) != (given.weight is not None) or len(linear) > 1:
        raise UnsuitableError
    if given.weight is not None:
        tall = (-1, *(1,) * (given.weight.ndim - 1))
        made |= _linear(side, linear[0], given.weight * scale.reshape(tall))
        scale = np.ones(1)
    for name in ids:
        for weight in side.weights[name]:
            if weight.name in made:
                continue
            array, scale, shift = _placed(side, name, weight, scale, shift)
            made[weight.name] = weight.stored(np.broadcast_to(array, weight.shape))
    if not (np.allclose(scale, 1) and not np.any(shift)):
        raise UnsuitableError
    return {name: np.ascontiguousarray(array, np.float32) for name, array in made.items()}


def _placed(
    side: Side, name: str, weight: Weight, scale: np.ndarray, shift: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A parameter's value, and the scale and shift that are still to be placed after it."""
    operator, count = side.layers[name].operator, weight.route.root.shape
    assert count is not None
    if weight.role == "mean":
        return np.zeros(1), scale, shift
    if weight.role == "var":
        return np.full(1, 1 - epsilon(side.layers[name], 0.0, 0.5)), scale, shift
    if weight.role == "bias" or operator in _SHIFTS:
        if not np.allclose(scale, 1):  # a scale is placed before the shift that goes with it
            raise UnsuitableError
        value = -shift if operator == "Sub" else shift
        return _shaped(value, weight), scale, np.zeros(1)
    if weight.role == "scale" or operator in _SCALES:
        value = 1 / scale if operator == "Div" else scale
        return _shaped(value, weight), np.ones(1), shift
    raise UnsuitableError


def _shaped(array: np.ndarray, weight: Weight) -> np.ndarray:
    count = int(np.prod(weight.shape))
    if array.size not in (1, count):
        raise UnsuitableError
    return array.reshape(weight.shape) if array.size == count else array.reshape(())


def _linear(side: Side, name: str, array: np.ndarray) -> Arrays:
    weight = _weight(side, name, "weight")
    assert weight is not None
    if side.layers[name].operator == "MatMul" and array.ndim == 2:
        array = array.T
    if array.size != int(np.prod(weight.shape)):
        raise UnsuitableError
    return {weight.name: weight.stored(array.reshape(weight.shape))}


def _is_linear(side: Side, name: str) -> bool:
    return side.layers[name].operator in LINEAR


def _weight(side: Side, name: str, role: str) -> Weight | None:
    return next((one for one in side.weights[name] if one.role == role), None)
