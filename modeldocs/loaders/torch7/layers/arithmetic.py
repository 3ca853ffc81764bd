"""Constants, learned factors, and reductions along a dimension."""

from __future__ import annotations

from modeldocs.loaders.dims import said
from modeldocs.loaders.torch7.layer import Flow, Layer, Shape, emits

_CONSTANTS = {"MulConstant": "Mul", "AddConstant": "Add"}
_REDUCTIONS = {"Mean": "ReduceMean", "Sum": "ReduceSum", "Max": "ReduceMax", "Min": "ReduceMin"}


@emits(*_CONSTANTS)
def constant(layer: Layer) -> Flow:
    """A number added or multiplied."""
    number = layer.constant(layer.number("constant_scalar"))
    return layer.node(_CONSTANTS[layer.module.builtin], [layer.input, number])


@emits("Power")
def power(layer: Layer) -> Flow:
    """A power."""
    operands = [layer.input, layer.constant(layer.number("pow"))]
    return layer.node("Pow", operands)


@emits("Square")
def square(layer: Layer) -> Flow:
    """A product with itself."""
    return layer.node("Mul", [layer.input, layer.input])


@emits("Mul")
def scalar_factor(layer: Layer) -> Flow:
    """One learned factor."""
    return layer.node("Mul", [layer.input, layer.parameter("weight", (1,))])


@emits("Add")
def vector_bias(layer: Layer) -> Flow:
    """A learned term for each element of a vector, or one for all."""
    shape = layer.shape(least=2)
    size = 1 if layer.flag("scalar") else layer.integer("inputSize", least=1)
    if size not in (1, shape[1]):
        raise layer.error(f"adds {size} terms to {said(shape)}", "give it as many as there are")
    bias = layer.parameter("bias", (size,))
    wide = layer.reshape(bias, (size, *(1,) * (len(shape) - 2)))
    return layer.node("Add", [layer.input, wide])


@emits("CMul")
def factors(layer: Layer) -> Flow:
    """Learned factors of a shape that fits that of an item of the batch."""
    return _combined(layer, "Mul", "weight")


@emits("CAdd")
def terms(layer: Layer) -> Flow:
    """Learned terms of a shape that fits that of an item of the batch."""
    return _combined(layer, "Add", "bias")


def _combined(layer: Layer, op: str, role: str) -> Flow:
    shape, own = layer.shape(), layer.listed("size")
    value = layer.parameter(role, own)
    spread = _spread(shape, own)
    if spread is None:
        raise layer.error(f"has {said(own)} for {said(shape)}", "give sizes that fit, or 1")
    return layer.node(op, [layer.input, layer.reshape(value, spread)])


def _spread(shape: tuple[int, ...], own: Shape) -> tuple[int, ...] | None:
    """`own` with axes of one element where it has fewer; None where it fits nowhere."""
    for lead in (len(shape) - len(own), 1):
        wide = (*(1,) * lead, *own, *(1,) * (len(shape) - len(own) - lead))
        fits = len(wide) == len(shape) and all(
            a in (1, b) for a, b in zip(wide, shape, strict=True)
        )
        if lead >= 0 and fits:
            return wide
    return None


@emits(*_REDUCTIONS)
def reduction(layer: Layer) -> Flow:
    """A dimension reduced, which may be counted without the batch."""
    shape = layer.shape()
    dim, dims = layer.integer("dimension", 1, least=-8), layer.optional("nInputDims")
    axis = layer.axis(
        dim + 1 if dim > 0 and dims is not None and len(shape) == dims + 1 else dim, len(shape)
    )
    keep = not layer.flag("squeeze", default=True)
    op = _REDUCTIONS[layer.module.builtin]
    if op == "ReduceSum" and layer.flag("sizeAverage"):
        op = "ReduceMean"
    operands = [layer.input, layer.integers([axis])]
    return layer.node(op, operands, keepdims=int(keep))
