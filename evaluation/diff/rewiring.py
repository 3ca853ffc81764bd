"""Edits that put layers in, take them out, or swap what they read."""

from __future__ import annotations

from collections import Counter

from modeldocs.ir import GraphInput, Layer, LayerGraph, Operand, Parameter, TensorType

from . import lookalikes
from .digests import forward
from .draft import Draft, replace
from .edit import Bench, Edit
from .plumbing import sizes
from .shapes import POINTWISE
from .signs import idle

_REMOVABLE = (POINTWISE - {"Dropout", "Identity"}) | {
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
    if layer is None or len(layer.inputs) != 1 or not _removable(bench, layer):
        return None
    if bench.claims.moves(draft, layer.id, went=layer.operator):
        return None
    upper = lookalikes.before(draft.layers, layer.id)
    lower = lookalikes.behind(draft.layers, draft.users(), layer.id)
    draft.remove(layer.id)
    bench.claims.change(layer.id)
    bench.claims.bridge(upper, lower)
    return Edit("delete", (layer.id,), (), None, layer.operator, None)


def _removable(bench: Bench, layer: Layer) -> bool:
    """Whether without a layer something else is computed, and it is plain which one is gone."""
    draft, claims = bench.draft, bench.claims
    if layer.operator == "Relu" and idle(draft, layer.id):
        return False
    if layer.operator == "BatchNormalization" and _absorbed(draft, layer):
        return False
    if "BatchNormalization" in _readers(draft, layer) and _absorbed(draft, layer):
        return False  # the norm behind it would look split off
    if bench.beside_new(layer.id) or not claims.retyped.isdisjoint(draft.around(layer.id)):
        return False
    was = {one.id: one for one in draft.graph.layers}
    gone = {name for name in was if name not in draft.layers}
    return layer.id in was and not lookalikes.taken_out(was, gone, layer.id)


def _readers(draft: Draft, layer: Layer) -> set[str]:
    return {draft.layers[reader].operator for reader in draft.users()[layer.id]}


def _absorbed(draft: Draft, layer: Layer) -> bool:
    """Whether a convolution with a bias stands before a layer: a norm there is a spelling of it."""
    source = draft.layers.get(layer.inputs[0].value)
    return (
        source is not None
        and source.operator in _LINEAR
        and any(one.role == "bias" for one in source.parameters)
    )


def insert(bench: Bench) -> Edit | None:
    """A layer between another and all that read it."""
    draft, claims = bench.draft, bench.claims
    name = bench.chance.choice([*draft.inputs, *draft.layers])
    source = draft.inputs.get(name) or draft.layers[name]
    kind = source.outputs[0] if isinstance(source, Layer) else source.type
    if not draft.users()[name] or len(sizes(kind)) < 2:
        return None
    if name in bench.closed | claims.whole | claims.in_rows:
        return None
    if isinstance(source, GraphInput) and not claims.free(name):
        return None
    made = _made(bench.chance.choice(_INSERTED[min(len(sizes(kind)), 4)]), name, kind)
    key = draft.add(name, made)
    draft.redirect(
        name, lambda one: replace(one, value=key) if one.output == 0 else one, skip=(key,)
    )
    if not _stands_out(bench, key) or claims.moves(draft, key, came=made.operator):
        return None
    claims.change(key)
    return Edit("insert", (), (key,), None, None, made.operator)


def _stands_out(bench: Bench, key: str) -> bool:
    """Whether a new layer computes something, and it is plain that it is the one that is new."""
    draft, claims = bench.draft, bench.claims
    operator, around = draft.layers[key].operator, draft.around(key)
    before = draft.layers[key].inputs[0].value
    source = draft.layers.get(before)
    if operator == "BatchNormalization" and source is not None and source.operator in _LINEAR:
        return False  # a spelling of the bias of what it stands behind
    if operator == "Relu" and idle(draft, key):
        return False
    if operator in _LINEAR and source is not None and source.operator == "Split":
        return False  # one that was packed before the Split may be as large
    upper = lookalikes.before(draft.layers, key)
    behind = lookalikes.behind(draft.layers, draft.users(), key)
    if any((upper, lower) in claims.bridged for lower in behind):
        return False
    new = {name for name in draft.layers if name.startswith("new-")}
    if not new.isdisjoint(around - {key}):
        return False  # layers that are new beside each other are told as a block
    return claims.retyped.isdisjoint(around) and not lookalikes.put_in(draft.layers, new, key)


_ACTIVATIONS = ("Relu", "Sigmoid", "Tanh")
_INSERTED = {
    2: _ACTIVATIONS,
    3: (*_ACTIVATIONS, *("LayerNormalization", "Gemm") * 2),
    4: (*_ACTIVATIONS, *("BatchNormalization", "Conv") * 2),
}
"""Layers to put behind a value of so many axes."""


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
    if layer is None or len(layer.inputs) < 2 or layer.id in bench.closed:
        return None
    if any(draft.layers[user].operator == "Concat" for user in draft.users()[layer.id]):
        return None  # nested in another, whose order it would change as well
    plain = [held for held in layer.inputs if layer.operator != "Attention" or held.slot < 3]
    one, other = bench.chance.sample(plain, 2)
    if any(name.startswith(("new-", "respelt-")) for name in (one.value, other.value)):
        return None  # of what is new, or packed otherwise, nobody sees which is which
    if any(_same(graph, one, other) for graph in (draft.graph, draft.finished())):
        return None
    if one.value != other.value and not bench.closed.isdisjoint((one.value, other.value)):
        return None  # the same but for their spelling, perhaps: nobody sees which is which
    if one.value != other.value and _few_apart(draft, one.value, other.value):
        return None
    slots = {one.slot: other.slot, other.slot: one.slot}
    inputs = [replace(held, slot=slots.get(held.slot, held.slot)) for held in layer.inputs]
    draft.put(replace(layer, inputs=tuple(sorted(inputs, key=lambda held: held.slot))))
    bench.claims.change(layer.id)
    before, after = [one.value, other.value], [other.value, one.value]
    return Edit("swap", (layer.id,), (layer.id,), None, before, after)


def _same(graph: LayerGraph, one: Operand, other: Operand) -> bool:
    """Whether two operands are made alike, so that nobody sees which is which."""
    below = forward(graph)
    made = [(below.get(held.value), held.output) for held in (one, other)]
    return made[0] == made[1]


def _few_apart(draft: Draft, one: str, other: str) -> bool:
    """Whether two branches differ in so little that it is as good a tale that they stayed, and
    this little is where the other one was.
    """
    ours, theirs = _above(draft, one), _above(draft, other)
    told = [Counter(_told(draft, name) for name in x) for x in (ours - theirs, theirs - ours)]
    apart = (told[0] - told[1]) + (told[1] - told[0])
    return apart.total() < 2


def _above(draft: Draft, name: str) -> set[str]:
    """A layer and all that it is made from."""
    found, waiting = set(), [name]
    while waiting:
        name = waiting.pop()
        if name in draft.layers and name not in found:
            found.add(name)
            waiting += [one.value for one in draft.layers[name].inputs]
    return found


def _told(draft: Draft, name: str) -> tuple[object, ...]:
    layer = draft.layers[name]
    return (*lookalikes.word(layer), repr(sorted(layer.attributes.items())), layer.outputs)
