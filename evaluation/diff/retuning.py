"""Edits that leave every layer where it is: operators, strides, widths, layout."""

from __future__ import annotations

from modeldocs.ir import Layer, TensorType
from tests.steps import transposed

from .draft import Draft, replace
from .edit import Bench, Edit
from .shapes import held, window
from .signs import idle


def retype(bench: Bench) -> Edit | None:
    """Another operator in the same place."""
    draft, claims, layer = bench.draft, bench.claims, bench.pick(*_OPERATORS)
    if layer is None or bench.beside_new(layer.id) or claims.at_bridge(layer.id):
        return None
    operator = bench.chance.choice(_OPERATORS[layer.operator])
    if operator == "LeakyRelu" and idle(draft, layer.id):
        return None
    if claims.moves(draft, layer.id, came=operator, went=layer.operator):
        return None
    draft.put(_turned(layer, operator))
    claims.change(layer.id)
    claims.retyped.add(layer.id)
    return Edit("retype", (layer.id,), (layer.id,), None, layer.operator, operator)


_OPERATORS = {
    "Relu": ["Sigmoid", "LeakyRelu", "Tanh"],
    "Clip": ["Relu", "HardSwish"],
    "Gelu": ["Relu", "Tanh"],
    "Tanh": ["Sigmoid", "Relu"],
    "MaxPool": ["AveragePool"],
    "AveragePool": ["MaxPool"],
    "GlobalAveragePool": ["GlobalMaxPool"],
    "Softmax": ["LogSoftmax"],
    "LayerNormalization": ["RMSNormalization"],
    "Add": ["Mul"],
}
_KEPT = {
    "AveragePool": {"kernel_shape", "strides", "pads", "dilations", "ceil_mode"},
    "MaxPool": {"kernel_shape", "strides", "pads", "dilations", "ceil_mode"},
    "LogSoftmax": {"axis"},
    "RMSNormalization": {"axis", "epsilon"},
}


def _turned(layer: Layer, operator: str) -> Layer:
    kept = _KEPT.get(operator, set())
    told = {name: value for name, value in layer.attributes.items() if name in kept}
    if operator == "LeakyRelu":
        told = {"alpha": 0.01}
    parameters = layer.parameters
    if operator == "RMSNormalization":
        parameters = tuple(one for one in parameters if one.role == "scale")
    return replace(layer, operator=operator, attributes=told, parameters=parameters)


def stride(bench: Bench) -> Edit | None:
    """A stride that moves to the convolution next to it."""
    convolutions = [x for x in bench.draft.layers.values() if x.operator == "Conv"]
    users = bench.draft.users()
    pairs = [(x, y) for x in convolutions if (y := _next_convolution(bench.draft, users, x))]
    pairs = [
        (x, y)
        for x, y in pairs
        if window(x, "strides", 1) != window(y, "strides", 1) and bench.claims.free(x.id, y.id)
    ]
    if not pairs:
        return None
    first, second = bench.chance.choice(pairs)
    before = [window(first, "strides", 1), window(second, "strides", 1)]
    bench.draft.state(first.id, strides=before[1])
    bench.draft.state(second.id, strides=before[0])
    bench.claims.change(first.id, second.id)
    both = (first.id, second.id)
    return Edit("stride", both, both, "strides", before, before[::-1])


def _next_convolution(draft: Draft, users: dict[str, list[str]], layer: Layer) -> Layer | None:
    """The convolution that alone reads a layer's output, through norms and activations."""
    current = layer
    for _ in range(4):
        readers = users[current.id]
        if len(readers) != 1 or current.id in draft.ends():
            return None
        current = draft.layers[readers[0]]
        if current.operator == "Conv":
            return current
        if current.operator not in ("BatchNormalization", "Relu", "Clip"):
            return None
    return None


def width(bench: Bench) -> Edit | None:
    """Another number of channels out of a layer."""
    layer = bench.pick("Conv", "Gemm")
    weight = held(layer) if layer is not None else None
    if layer is None or weight is None or layer.attributes.get("group", 1) != 1:
        return None
    before = weight.shape[0]
    after = bench.chance.choice([before * 2, before + 8, max(before * 3 // 4, 1)])
    if after == before:
        return None
    sized = {"weight": (after, *weight.shape[1:]), "bias": (after,)}
    parameters = tuple(replace(x, shape=sized.get(x.role, x.shape)) for x in layer.parameters)
    bench.draft.put(replace(layer, parameters=parameters))
    bench.claims.change(layer.id)
    return Edit("width", (layer.id,), (layer.id,), "weight", before, after)


def layout(bench: Bench) -> Edit | None:
    """An input with its channels last, turned where it is read."""
    images = [
        entry
        for entry in bench.draft.inputs.values()
        if len(entry.type.shape or ()) == 4 and bench.claims.free(entry.id)
    ]
    if not images:
        return None
    entry = bench.chance.choice(images)
    before = entry.type.shape or ()
    after = (before[0], *before[2:], before[1])
    turned = replace(entry, type=TensorType(shape=after, dtype=entry.type.dtype))
    bench.draft.inputs[entry.id] = turned
    bench.draft.dirty.add(entry.id)
    told = (transposed(0, 3, 1, 2),)
    bench.draft.redirect(entry.id, lambda one: replace(one, steps=told + one.steps), skip=())
    bench.claims.change(entry.id)
    return Edit("layout", (entry.id,), (entry.id,), "layout", before, after)
