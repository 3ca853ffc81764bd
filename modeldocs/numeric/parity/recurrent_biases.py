"""The two biases of a recurrent layer, of which some frameworks have one alone.

A gate adds the bias of the input and that of the recurrence, so that only their sum matters. The
exception is the hidden gate of a GRU with `linear_before_reset`, whose recurrence is scaled first.
"""

from __future__ import annotations

import numpy as np

from modeldocs.ir import Layer
from modeldocs.numeric.parity.affine import NotAffineError
from modeldocs.numeric.parity.evaluation import evaluate
from modeldocs.numeric.parity.expression import Expression, concatenate, full, in_order


def placed(biases: Expression, layer: Layer, target: Expression) -> Expression:
    """Biases (directions, 2 · gates · hidden) as a target can hold them, of the same shape.

    `target` is the operand of the other layer, in what it stores: where it has a constant zero in
    place of one of the two, the other holds the sum.

    Raises:
        NotAffineError: it has no place for them, or only the sum of what is not summed.
    """
    if biases.shape != target.shape:
        raise NotAffineError
    free = _free(target)
    if free.all():
        return biases
    half = biases.shape[1] // 2
    first, second = (biases.slice(1, start, start + half) for start in (0, half))
    if not _is_summed(layer) and second.constant != 0:
        raise NotAffineError
    total, none = first + second, full(first.shape, 0.0)
    if free[:, :half].all():
        return concatenate([total, none], 1)
    if free[:, half:].all():
        return concatenate([none, total], 1)
    raise NotAffineError


def _is_summed(layer: Layer) -> bool:
    """Whether every gate adds both biases before anything else happens to them."""
    return layer.operator != "GRU" or not layer.attributes.get("linear_before_reset")


def _free(target: Expression) -> np.ndarray:
    """Whether each element of an operand is of a stored weight, and no constant."""
    reads = {part.step.name: part.shape for part in in_order(target) if part.step.op == "read"}
    counted = evaluate(target, {str(name): np.ones(shape) for name, shape in reads.items()})
    return np.asarray(counted != 0)
