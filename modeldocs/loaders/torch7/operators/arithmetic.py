"""Emitters of Torch7's arithmetic with constants and learned factors."""

from __future__ import annotations

from modeldocs.loaders.dims import as_text
from modeldocs.loaders.emission import elementwise
from modeldocs.loaders.torch7.operation import Flow, Shape, TorchOperation, emits, renames

_CONSTANTS = {"MulConstant": "Mul", "AddConstant": "Add"}


@renames(_CONSTANTS)
def constant(op: TorchOperation, operator: str) -> Flow:
    """Mul or Add of a number."""
    number = op.constant(op.number("constant_scalar"))
    return op.node(operator, [op.input(), number])


@emits("Power")
def power(op: TorchOperation) -> Flow:
    operands = [op.input(), op.constant(op.number("pow"))]
    return op.node("Pow", operands)


@emits("Square")
def square(op: TorchOperation) -> Flow:
    """X · x."""
    return op.node("Mul", [op.input(), op.input()])


@emits("Mul")
def scalar_factor(op: TorchOperation) -> Flow:
    """Mul of one learned factor."""
    return op.node("Mul", [op.input(), op.parameter("weight", (1,))])


@emits("Add")
def vector_bias(op: TorchOperation) -> Flow:
    """Add of a learned number per channel, or one for all."""
    shape = op.shape(least=2)
    size = 1 if op.flag("scalar") else op.integer("inputSize", least=1)
    if size not in (1, shape[1]):
        raise op.error(f"adds {size} terms to {as_text(shape)}", "give it as many as there are")
    bias = elementwise.per_channel(op, op.parameter("bias", (size,)), len(shape))
    return op.node("Add", [op.input(), bias])


@emits("CMul")
def factors(op: TorchOperation) -> Flow:
    """Mul of learned factors that broadcast over the batch."""
    return _broadcast(op, "Mul", "weight")


@emits("CAdd")
def terms(op: TorchOperation) -> Flow:
    """Add of learned terms that broadcast over the batch."""
    return _broadcast(op, "Add", "bias")


def _broadcast(op: TorchOperation, kind: str, role: str) -> Flow:
    shape, own = op.shape(), op.integers_of("size")
    value = op.parameter(role, own)
    wide = _broadcast_shape(shape, own)
    if wide is None:
        raise op.error(f"has {as_text(own)} for {as_text(shape)}", "give sizes that fit, or 1")
    return op.node(kind, [op.input(), op.reshape(value, wide)])


def _broadcast_shape(shape: tuple[int, ...], own: Shape) -> tuple[int, ...] | None:
    """`own` with axes of one element before and behind, so that it broadcasts to `shape`.

    It stands for the last axes, else for those after the batch; None where neither fits.
    """
    for leading in (len(shape) - len(own), 1):
        wide = (*(1,) * leading, *own, *(1,) * (len(shape) - len(own) - leading))
        fits = len(wide) == len(shape) and all(
            a in (1, b) for a, b in zip(wide, shape, strict=True)
        )
        if leading >= 0 and fits:
            return wide
    return None
