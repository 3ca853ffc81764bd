"""Edits that put layers in, take them out, or swap what they read."""

from __future__ import annotations

from modeldocs.graph import Layer, LayerGraph, Operand, Parameter, TensorType

from .digests import forward
from .draft import Draft, replace
from .edit import Bench, Edit
from .plumbing import sizes
from .shapes import POINTWISE

_REMOVABLE = POINTWISE | {
    "BatchNormalization",
    "LayerNormalization",
    "Conv",
    "Gemm",
    "MaxPool",
    "AveragePool",
}
_LINEAR = {"Conv", "ConvTranspose", "Gemm", "MatMul"}


def delete(bench: Bench) -> Edit | None:
    """A layer of one operand that is gone."""
    draft, layer = bench.draft, bench.pick(*_REMOVABLE)
    if layer is None or len(layer.inputs) != 1 or not bench.claims.clear(draft, layer.id):
        return None
    near = draft.operators_around(layer.id)
    if layer.operator in near:
        return None
    if layer.operator == "BatchNormalization" and near & _LINEAR and _absorbs(draft, layer):
        return None
    return _take(bench, layer)


def _take(bench: Bench, layer: Layer) -> Edit | None:
    if not bench.claims.trace(bench.draft, layer.id, layer.operator):
        return None
    bench.claims.rewire(bench.draft, layer.id)
    bench.draft.remove(layer.id)
    return Edit("delete", (layer.id,), (), None, layer.operator, None)


def _absorbs(draft: Draft, norm: Layer) -> bool:
    """Whether a convolution with a bias stands before a norm: without it, it looks fused."""
    source = draft.layers.get(norm.inputs[0].value)
    return source is not None and any(one.role == "bias" for one in source.parameters)


def insert(bench: Bench) -> Edit | None:
    """A layer between another and all that read it."""
    draft = bench.draft
    name = bench.chance.choice([*draft.inputs, *draft.layers])
    source = draft.inputs.get(name) or draft.layers[name]
    kind = source.outputs[0] if isinstance(source, Layer) else source.type
    if not draft.users()[name] or len(sizes(kind)) < 2 or name in bench.claims.beside:
        return None
    made = _made(bench.chance.choice(_INSERTED[min(len(sizes(kind)), 4)]), name, kind)
    key = draft.add(name, made)
    draft.redirect(
        name, lambda one: replace(one, value=key) if one.output == 0 else one, skip=(key,)
    )
    if not _stands_out(bench, key) or not bench.claims.trace(draft, key, made.operator):
        return None
    bench.claims.rewire(draft, key)
    return Edit("insert", (), (key,), None, None, made.operator)


_ACTIVATIONS = ("Relu", "Sigmoid", "Tanh")
_INSERTED = {
    2: _ACTIVATIONS,
    3: (*_ACTIVATIONS, *("LayerNormalization", "Gemm") * 2),
    4: (*_ACTIVATIONS, *("BatchNormalization", "Conv") * 2),
}
"""Layers to put behind a value of so many axes."""


def _stands_out(bench: Bench, key: str) -> bool:
    """Whether a new layer is unlike those around it, which no other edit has touched."""
    draft, claims = bench.draft, bench.claims
    around, operator = draft.around(key), draft.layers[key].operator
    near = draft.operators_around(key)
    source = draft.layers.get(draft.layers[key].inputs[0].value)
    if operator == "BatchNormalization" and source is not None and source.operator in _LINEAR:
        return False  # it would look split off
    if operator == "Relu" and "Clip" in near:
        return False  # beside one that cuts off at 0 it does nothing
    return operator not in near and claims.free(*around) and claims.beside.isdisjoint(around)


def _made(operator: str, source: str, kind: TensorType) -> Layer:
    shape = sizes(kind)
    attributes: dict[str, object] = {}
    weights: dict[str, tuple[int, ...]] = {}
    if operator == "Conv":
        attributes = {"dilations": [1, 1], "group": 1, "kernel_shape": [1, 1]}
        attributes |= {"pads": [0] * 4, "strides": [1, 1]}
        weights = {"weight": (shape[1], shape[1], 1, 1)}
    elif operator == "Gemm":
        weights = {"weight": (shape[-1], shape[-1]), "bias": shape[-1:]}
    elif operator == "BatchNormalization":
        attributes = {"epsilon": 1e-5}
        weights = dict.fromkeys(("scale", "bias", "mean", "var"), shape[1:2])
    elif operator == "LayerNormalization":
        attributes = {"axis": -1, "epsilon": 1e-5}
        weights = dict.fromkeys(("scale", "bias"), shape[-1:])
    return Layer(
        id="",
        name="",
        operator=operator,
        inputs=(Operand(slot=0, value=source, type=kind),),
        outputs=(kind,),
        attributes=attributes,
        parameters=parameters(f"{operator} after {source}", weights),
    )


def parameters(owner: str, shapes: dict[str, tuple[int, ...]]) -> tuple[Parameter, ...]:
    """Parameters of a new layer, by role."""
    return tuple(
        Parameter(
            name=f"{owner} {role}",
            role=role,
            shape=shape,
            dtype="float32",
            trainable=role not in ("mean", "var"),
        )
        for role, shape in shapes.items()
    )


def swap(bench: Bench) -> Edit | None:
    """Two operands of a layer that cares for their order, the other way round."""
    draft, layer = bench.draft, bench.pick("Concat", "Attention", "Sub", "Div")
    if layer is None or len(layer.inputs) < 2 or not bench.claims.clear(draft, layer.id):
        return None
    one, other = bench.chance.sample(layer.inputs, 2)
    if any(_same(graph, one, other) for graph in (draft.graph, draft.finished())):
        return None
    if one.value != other.value and _alike(draft, one.value, other.value):
        return None
    slots = {one.slot: other.slot, other.slot: one.slot}
    inputs = [replace(held, slot=slots.get(held.slot, held.slot)) for held in layer.inputs]
    draft.put(replace(layer, inputs=tuple(sorted(inputs, key=lambda held: held.slot))))
    bench.claims.rewire(draft, layer.id)
    before, after = [one.value, other.value], [other.value, one.value]
    return Edit("swap", (layer.id,), (layer.id,), None, before, after)


def _same(graph: LayerGraph, one: Operand, other: Operand) -> bool:
    """Whether two operands are made alike, so that nobody sees which is which."""
    below = forward(graph)
    made = [(below.get(held.value), held.output) for held in (one, other)]
    return made[0] == made[1]


def _alike(draft: Draft, one: str, other: str) -> bool:
    """Whether two branches end in equal layers: it is as good a tale that those stayed."""
    ends = [draft.layers.get(name) for name in (one, other)]
    told = [
        end and (end.operator, end.attributes, end.outputs, [p.shape for p in end.parameters])
        for end in ends
    ]
    return told[0] == told[1]
