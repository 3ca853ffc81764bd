"""Sums of products, which arithmetic of equal meaning is compared by.

`x * (g / s) + (b - m * g / s)` and `(x - m) / s * g + b` are the same sum of products: by these a
normalization is matched in any of its forms.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import onnx_ir as ir

from modeldocs.ir import operators
from modeldocs.normal import values

Product = frozenset[tuple[ir.Value, int]]
"""Atoms with their exponents."""
Sum = dict[Product, float]
"""Products with their coefficients."""

ARITHMETIC = ("Add", "Sub", "Mul", "Div", "Neg", "Reciprocal", "Pow", "Identity")
"""What a `PolynomialReader` computes with."""
STATIC_MOVES = operators.moving("identity", "cast", "reshape") | {"Expand"}
MAX_PRODUCTS = 6
MAX_NODES = 32
"""Most products and nodes of a sum that is read: more than any idiom has."""


class TooLargeError(Exception):
    """The sum has more products than any idiom."""


def root(value: ir.Value, static: Collection[ir.Value]) -> ir.Value:
    """The source of a static value, before nodes that only rearrange it."""
    node = value.producer()
    while value in static and values.is_operator(node, *STATIC_MOVES) and node is not None:
        if node.inputs[0] is None:
            break
        value = node.inputs[0]
        node = value.producer()
    return value


@dataclass
class PolynomialReader:
    """Reads values as sums of products of `atoms` and of values that are not arithmetic.

    `static` are the values that depend on constants and parameters alone. `nodes` are those that
    were read; `broadcast` are the shapes of static operands that are combined with data.
    """

    static: Collection[ir.Value]
    atoms: Collection[ir.Value]
    nodes: dict[ir.Node, None] = field(default_factory=dict)
    broadcast: list[tuple[int, ...] | None] = field(default_factory=list)

    def sum(self, value: ir.Value) -> Sum:
        """A value as a sum of products.

        Raises:
            TooLargeError: it is larger than any idiom.
        """
        number = None if value in self.atoms else values.uniform(value)
        if number is not None:
            return {frozenset(): number} if number else {}
        node = value.producer()
        if value in self.atoms or node is None or node.domain not in values.DEFAULT_DOMAIN:
            return _atom(value)
        is_moved = value in self.static and node.op_type in STATIC_MOVES
        if not is_moved and node.op_type not in ARITHMETIC:
            return _atom(value)
        self._enter(node)
        return self.sum(_operand(node, 0)) if is_moved else self._arithmetic(node)

    def _enter(self, node: ir.Node) -> None:
        self.nodes[node] = None
        if len(self.nodes) > MAX_NODES:
            raise TooLargeError
        if len(node.inputs) == 2:
            static = [value for value in node.inputs if value is not None and value in self.static]
            if len(static) == 1 and values.uniform(static[0]) is None:
                self.broadcast.append(values.shape(static[0]))

    def _arithmetic(self, node: ir.Node) -> Sum:
        first = self.sum(_operand(node, 0))
        match node.op_type:
            case "Identity":
                return first
            case "Neg":
                return _times(first, {frozenset(): -1.0})
            case "Reciprocal":
                return _inverse(first, node)
        if node.op_type == "Pow":
            return self._power(first, node)
        second = self.sum(_operand(node, 1))
        match node.op_type:
            case "Add":
                return _plus(first, second)
            case "Sub":
                return _plus(first, _times(second, {frozenset(): -1.0}))
            case "Mul":
                return _times(first, second)
        return _times(first, _inverse(second, node, slot=1))

    def _power(self, base: Sum, node: ir.Node) -> Sum:
        """A square or a cube as a product; any other power is an atom."""
        exponent = values.uniform(values.operand(node, 1))
        if exponent not in (2.0, 3.0):
            return _atom(node.outputs[0])
        power = base
        for _ in range(int(exponent) - 1):
            power = _times(power, base)
        return power


def _operand(node: ir.Node, slot: int) -> ir.Value:
    value = values.operand(node, slot)
    if value is None:
        raise TooLargeError
    return value


def _atom(value: ir.Value) -> Sum:
    return {frozenset({(value, 1)}): 1.0}


def _plus(first: Sum, second: Sum) -> Sum:
    result = dict(first)
    for product, factor in second.items():
        result[product] = result.get(product, 0.0) + factor
    return _simplified(result)


def _times(first: Sum, second: Sum) -> Sum:
    result: Sum = {}
    for one, a in first.items():
        for other, b in second.items():
            product = _multiplied(one, other)
            result[product] = result.get(product, 0.0) + a * b
    return _simplified(result)


def _multiplied(one: Product, other: Product) -> Product:
    exponents = dict(one)
    for atom, exponent in other:
        exponents[atom] = exponents.get(atom, 0) + exponent
    return frozenset((atom, exponent) for atom, exponent in exponents.items() if exponent)


def _inverse(divisor: Sum, node: ir.Node, slot: int = 0) -> Sum:
    """The inverse of a divisor, which is an operand of `node`; a sum of several is an atom."""
    if len(divisor) != 1:
        if not divisor:
            raise TooLargeError
        return {frozenset({(_operand(node, slot), -1)}): 1.0}
    ((product, factor),) = divisor.items()
    return {frozenset((atom, -exponent) for atom, exponent in product): 1.0 / factor}


def _simplified(result: Sum) -> Sum:
    """A sum without products of factor 0."""
    if len(result) > MAX_PRODUCTS:
        raise TooLargeError
    return {product: factor for product, factor in result.items() if factor}


@dataclass(frozen=True)
class NormalizedExpression:
    """The parts of `(x - mean) / deviation * scale + bias`, None for those that are absent."""

    mean: ir.Value | None
    scale: ir.Value | None
    bias: ir.Value | None


def affine(
    polynomial: Sum, x: ir.Value, deviation: ir.Value, power: int = -1
) -> NormalizedExpression | None:
    """The parts of a sum that is `x` normalized by `deviation ** power`; None for other sums."""
    divisor = (deviation, power)
    divided = [(p - {divisor}, f) for p, f in polynomial.items() if divisor in p]
    biases = [(p, f) for p, f in polynomial.items() if divisor not in p]
    scales = [(p - {(x, 1)}, f) for p, f in divided if (x, 1) in p]
    means = [(p, f) for p, f in divided if (x, 1) not in p]
    if len(scales) != 1 or len(means) > 1 or len(biases) > 1 or abs(scales[0][1] - 1) > 1e-6:
        return None
    scale, bias = _single(scales[0][0]), _single(biases[0][0]) if biases else ()
    if scale is None or bias is None or (biases and (not bias or biases[0][1] != 1)):
        return None
    mean: Any = ()
    if means:
        mean = _single(means[0][0] - scales[0][0])
        if not mean or means[0][1] != -1 or not scales[0][0] <= means[0][0]:
            return None
    return NormalizedExpression(*(part[0] if part else None for part in (mean, scale, bias)))


def _single(product: Product) -> tuple[ir.Value, ...] | None:
    """The one atom of a product, or none of the product 1; None for other products."""
    if any(exponent != 1 for _, exponent in product) or len(product) > 1:
        return None
    return tuple(atom for atom, _ in product)


def same(first: Sum, second: Sum) -> bool:
    """Whether two sums have the same products, with coefficients that differ by rounding."""
    if first.keys() != second.keys():
        return False
    return all(bool(np.isclose(first[key], second[key], rtol=1e-4, atol=0)) for key in second)


def terms(*products: tuple[float, tuple[ir.Value, ...]]) -> Sum:
    """A sum of coefficients, each with the atoms that it multiplies: `(3, (x, x))` is 3x²."""
    return {
        frozenset((atom, atoms.count(atom)) for atom in atoms): factor for factor, atoms in products
    }
