"""Signatures of layers by the shapes of their parameters."""

from __future__ import annotations

from modeldocs.diff.function.canonical_op import DENSE, CanonicalOp


def weight_signature(op: CanonicalOp) -> tuple[object, ...] | None:
    """(operator, groups, weight shape) of a layer; None where it has no parameters.

    A convolution of one pixel and a dense layer have the same matrix, and the same signature.
    """
    if not op.parameters:
        return None
    weight = dict(op.parameters).get("weight")
    if weight is None:
        return op.operator, op.parameters
    while len(weight) > 2 and weight[-1] == 1:
        weight = weight[:-1]
    operator = DENSE if op.operator == "Conv" and len(weight) == 2 else op.operator
    return operator, dict(op.attributes).get("group", 1), weight


def output_signature(op: CanonicalOp) -> tuple[object, ...] | None:
    """The signature without sizes that follow from what the layer reads.

    Of a convolution the kernel and the output channels are left, of a norm no size at all. None
    where the layer has no parameters.
    """
    if not op.parameters:
        return None
    weight = dict(op.parameters).get("weight")
    if weight is None:
        return (op.operator, *(name for name, _ in op.parameters))
    operator, group, shape = weight_signature(op) or ("", 1, ())
    return operator, group, weight[0], shape[2:] if isinstance(shape, tuple) else ()


def window_signature(op: CanonicalOp) -> tuple[object, ...] | None:
    """The operator of a layer with parameters, and its window; None without parameters."""
    signature = output_signature(op)
    return None if signature is None else (signature[0], signature[-1])
