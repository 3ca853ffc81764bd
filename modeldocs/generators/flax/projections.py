"""Linear layers that project what attention reads: one each, or one whose columns are split."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from modeldocs.generators import syntax
from modeldocs.generators.operation import HeldWeight, LoweredOperation


@dataclass(frozen=True)
class Projection:
    """A linear layer of `inputs` x `outputs` features, or columns of one; it reads the tensor
    `read`. `weights` are by attribute; `operations` compute it.
    """

    read: str
    inputs: int
    outputs: int
    use_bias: bool
    weights: Mapping[str, HeldWeight]
    operations: tuple[LoweredOperation, ...]


def projection(operation: LoweredOperation) -> Projection | None:
    """The `nnx.Linear` that an operation calls; None where it does anything else."""
    expression = operation.expression
    if len(operation.parts) != 1 or not isinstance(expression, ast.Call):
        return None
    (part,) = operation.parts
    read = [syntax.is_value(one) for one in expression.args]
    is_call = syntax.is_part(expression.func) is not None and not expression.keywords
    constructor = part.constructor
    if not is_call or len(read) != 1 or read[0] is None or not isinstance(constructor, ast.Call):
        return None
    if syntax.text(constructor.func) != "nnx.Linear":
        return None
    found = {one.arg: syntax.constant_of(one.value) for one in constructor.keywords}
    settings = {name: value[0] for name, value in found.items() if value is not None}
    inputs, outputs = settings["in_features"], settings["out_features"]
    assert isinstance(inputs, int) and isinstance(outputs, int)
    bias = bool(settings["use_bias"])
    return Projection(read[0], inputs, outputs, bias, part.weights, (operation,))


def projections_of(
    tensors: Sequence[str], makers: Mapping[str, LoweredOperation]
) -> list[Projection] | None:
    """The projections that tensors are, by the operations that make them; None where one is none.

    Columns of one layer count where all of them are read, in equal parts and in order.
    """
    whole = [makers.get(name) for name in tensors]
    found = [projection(one) for one in whole if one is not None]
    known = [one for one in found if one is not None]
    if len(known) == len(tensors):
        return known
    first = whole[0]
    if first is None or first.results != tuple(tensors):
        return None
    return _columns(first, makers)


def _columns(
    split: LoweredOperation, makers: Mapping[str, LoweredOperation]
) -> list[Projection] | None:
    """The equal parts that an operation splits the columns of a projection into."""
    count, expression = len(split.results), split.expression
    read = syntax.values_of(expression)
    equal = syntax.call("jnp.split", syntax.value(read[0]), syntax.literal(count), axis=-1)
    if ast.dump(expression) != ast.dump(equal) or read[0] not in makers:
        return None
    packed = projection(makers[read[0]])
    if packed is None:
        return None
    width = packed.outputs // count
    return [
        replace(
            packed,
            outputs=width,
            weights={
                name: replace(weight, columns=(place * width, (place + 1) * width))
                for name, weight in packed.weights.items()
            },
            operations=(*packed.operations, split),
        )
        for place in range(count)
    ]
