"""Sums of products: what a few nodes of arithmetic compute, whatever way round they are written.

`x * (g / s) + (b - m * g / s)` and `(x - m) / s * g + b` are the same sum of products. Comparing
those finds a normalisation in any of its spellings.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import onnx_ir as ir

from modeldocs.normal import values

Product = frozenset[tuple[ir.Value, int]]
"""Atoms with their exponents."""
Sum = dict[Product, float]
"""Products with their coefficients."""

ARITHMETIC = ("Add", "Sub", "Mul", "Div", "Neg", "Reciprocal", "Pow", "Identity")
STATIC_MOVES = ("Reshape", "Unsqueeze", "Squeeze", "Expand", "Identity", "Cast", "Flatten")
MAX_PRODUCTS = 6
MAX_NODES = 32


class TooLargeError(Exception):
    """The sum has more products than any idiom."""


def uniform(value: ir.Value | None) -> float | None:
    """The number that all elements of a constant are."""
    array = values.constant(value)
    if array is None or not array.size or array.dtype.kind not in "fiu":
        return None
    first = array.reshape(-1)[0]
    return float(first) if bool((array == first).all()) else None


def root(value: ir.Value, static: Collection[ir.Value]) -> ir.Value:
    """What a value made of constants and parameters is, past nodes that only rearrange it."""
    node = value.producer()
    while value in static and values.is_operator(node, *STATIC_MOVES) and node is not None:
        if node.inputs[0] is None:
            break
        value = node.inputs[0]
        node = value.producer()
    return value


@dataclass
class Reading:
    """Reads sums of products off a graph, down to `atoms` and what is not arithmetic.

    `nodes` are those that were read; `spread` are the shapes of static operands where they meet
    data: along which axes they lie.
    """

    static: Collection[ir.Value]
    atoms: Collection[ir.Value]
    nodes: dict[ir.Node, None] = field(default_factory=dict)
    spread: list[tuple[int, ...] | None] = field(default_factory=list)

    def sum(self, value: ir.Value) -> Sum:
        """The sum that a value is.

        Raises:
            TooLargeError: no idiom is that large.
        """
        number = None if value in self.atoms else uniform(value)
        if number is not None:
            return {frozenset(): number} if number else {}
        node = value.producer()
        if value in self.atoms or node is None or node.domain not in values.DEFAULT_DOMAIN:
            return _atom(value)
        moved = value in self.static and node.op_type in STATIC_MOVES
        if not moved and node.op_type not in ARITHMETIC:
            return _atom(value)
        self._enter(node)
        return self._arithmetic(node) if not moved else self.sum(_operand(node, 0))

    def _enter(self, node: ir.Node) -> None:
        self.nodes[node] = None
        if len(self.nodes) > MAX_NODES:
            raise TooLargeError
        if len(node.inputs) == 2:
            held = [value for value in node.inputs if value is not None]
            fixed = [value for value in held if value in self.static]
            if len(fixed) == 1 and uniform(fixed[0]) is None:
                self.spread.append(values.shape(fixed[0]))

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
        """A square or a cube written out; any other power is an atom."""
        exponent = uniform(values.operand(node, 1))
        if exponent not in (2.0, 3.0):
            return _atom(node.outputs[0])
        made = base
        for _ in range(int(exponent) - 1):
            made = _times(made, base)
        return made


def _operand(node: ir.Node, slot: int) -> ir.Value:
    value = values.operand(node, slot)
    if value is None:
        raise TooLargeError
    return value


def _atom(value: ir.Value) -> Sum:
    return {frozenset({(value, 1)}): 1.0}


def _plus(first: Sum, second: Sum) -> Sum:
    made = dict(first)
    for product, factor in second.items():
        made[product] = made.get(product, 0.0) + factor
    return _checked(made)


def _times(first: Sum, second: Sum) -> Sum:
    made: Sum = {}
    for one, a in first.items():
        for other, b in second.items():
            product = _joined(one, other)
            made[product] = made.get(product, 0.0) + a * b
    return _checked(made)


def _joined(one: Product, other: Product) -> Product:
    exponents = dict(one)
    for atom, exponent in other:
        exponents[atom] = exponents.get(atom, 0) + exponent
    return frozenset((atom, exponent) for atom, exponent in exponents.items() if exponent)


def _inverse(held: Sum, node: ir.Node, slot: int = 0) -> Sum:
    """One by a product; a sum of several is an atom of its own."""
    if len(held) != 1:
        if not held:
            raise TooLargeError
        return {frozenset({(_operand(node, slot), -1)}): 1.0}
    ((product, factor),) = held.items()
    return {frozenset((atom, -exponent) for atom, exponent in product): 1.0 / factor}


def _checked(made: Sum) -> Sum:
    if len(made) > MAX_PRODUCTS:
        raise TooLargeError
    return {product: factor for product, factor in made.items() if factor}


@dataclass(frozen=True)
class Affine:
    """`(x - mean) / deviation * scale + bias`, as far as each is there."""

    mean: ir.Value | None
    scale: ir.Value | None
    bias: ir.Value | None


def affine(held: Sum, x: ir.Value, deviation: ir.Value, power: int = -1) -> Affine | None:
    """What a sum is made of, where it is `x` normalised by a deviation."""
    by = (deviation, power)
    scaled = [(p - {by}, f) for p, f in held.items() if by in p]
    rest = [(p, f) for p, f in held.items() if by not in p]
    ours = [(p - {(x, 1)}, f) for p, f in scaled if (x, 1) in p]
    less = [(p, f) for p, f in scaled if (x, 1) not in p]
    if len(ours) != 1 or len(less) > 1 or len(rest) > 1 or abs(ours[0][1] - 1) > 1e-6:
        return None
    scale, bias = _single(ours[0][0]), _single(rest[0][0]) if rest else ()
    if scale is None or bias is None or (rest and (not bias or rest[0][1] != 1)):
        return None
    mean: Any = ()
    if less:
        mean = _single(less[0][0] - ours[0][0])
        if not mean or less[0][1] != -1 or not ours[0][0] <= less[0][0]:
            return None
    return Affine(*(held[0] if held else None for held in (mean, scale, bias)))


def _single(product: Product) -> tuple[ir.Value, ...] | None:
    """The one atom of a product, or none; None where it is more."""
    if any(exponent != 1 for _, exponent in product) or len(product) > 1:
        return None
    return tuple(atom for atom, _ in product)


def same(held: Sum, wanted: Sum) -> bool:
    """Whether two sums are of the same products, with coefficients that differ by rounding."""
    if held.keys() != wanted.keys():
        return False
    return all(bool(np.isclose(held[key], wanted[key], rtol=1e-4, atol=0)) for key in wanted)


def terms(*products: tuple[float, tuple[ir.Value, ...]]) -> Sum:
    """A sum of coefficients, each with the atoms that it multiplies: `(3, (x, x))` is 3x²."""
    made: Sum = {}
    for factor, atoms in products:
        made[frozenset((atom, atoms.count(atom)) for atom in atoms)] = factor
    return made
