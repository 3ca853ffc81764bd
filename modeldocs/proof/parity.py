"""Proof by parity: a port that nothing runs any more, held against another port of its model.

The other port runs in its own framework. Its weights go into this port's graph, layer by layer as
the diff aligns the two, and what layers compute that correspond is compared.
"""

from __future__ import annotations

from pathlib import Path

import msgspec
import numpy as np
import onnx_ir as ir

from modeldocs import diff, isolation, normal, origin, runtime
from modeldocs.closeness import Difference, apart
from modeldocs.errors import ModeldocsError
from modeldocs.graph import Layer, LayerGraph, Parameter, Struct
from modeldocs.isolation import Failure
from modeldocs.loaders import reference
from modeldocs.loaders.reference import Reference
from modeldocs.normal import layers
from modeldocs.proof import Proof
from modeldocs.proof.comparison import count, difference

Weights = dict[str, np.ndarray]


class ParityRequest(Struct, frozen=True):
    """The folders that the other port's reference and this port's load were left in."""

    other: str
    own: str
    told: str
    """How the other port is named in the proof: `the pytorch port`."""


def main(folder: Path) -> None:
    """Compare what `request.json` in `folder` names, and leave the `Proof` as `result.json`."""
    asked = msgspec.json.decode((folder / "request.json").read_bytes(), type=ParityRequest)
    other, held = reference.read(Path(asked.other))
    told = f"{asked.told} in {held.software}"
    try:
        made = compare(other, held, ir.load(Path(asked.own) / "model.onnx"))
        made = msgspec.structs.replace(made, reference=told)
    except ModeldocsError as error:
        made = Proof(reference=told, failure=Failure.of(error))
    isolation.leave(folder, made)


def compare(other: ir.Model, held: Reference, own: ir.Model) -> Proof:
    """`own`, which has no weights, with those of `other`, which has.

    Raises:
        ModeldocsError: a layer with weights has no counterpart, or onnxruntime cannot run one.
    """
    plain = own.clone()
    normal.make_runnable(other)
    normal.make_runnable(plain)
    theirs, ours = layers.read_graph(other), layers.read_graph(plain)
    pairs = _pairs(theirs, ours)
    weights = _transferred(pairs, _values(other))
    for model in (own, plain):
        _fill(model, weights)
    inputs = _inputs(held, own)
    values = layers.output_names(other), layers.output_names(plain)
    wanted = {values[0][a.id]: values[1][b.id] for a, b in pairs}
    expected = runtime.run(other, held.inputs, [*wanted, *held.outputs])
    normal_form = runtime.run(plain, inputs, list(wanted.values()))
    loaded = runtime.run(own, inputs, list(wanted.values()))
    end = _end(pairs, values)
    return Proof(
        loaded=max(
            _apart(end, expected, loaded), difference(held.outputs, expected), key=Difference.size
        ),
        normal=_apart(end, expected, normal_form),
        first=_first(pairs, values, expected, normal_form),
        theirs=count(theirs),
        ours=count(ours),
    )


Pairs = list[tuple[Layer, Layer]]
Named = tuple[dict[str, str], dict[str, str]]


def _pairs(theirs: LayerGraph, ours: LayerGraph) -> Pairs:
    left = {layer.id: layer for layer in theirs.layers}
    right = {layer.id: layer for layer in ours.layers}
    matches = diff.compare(theirs, ours).matches
    single = [(m.a[0], m.b[0]) for m in matches if len(m.a) == len(m.b) == 1]
    pairs = [(left[a], right[b]) for a, b in single if a in left and b in right]
    alone = set(right) - {b.id for _, b in pairs}
    lost = [layer.name for layer in ours.layers if layer.parameters and layer.id in alone]
    if lost:
        raise ModeldocsError(
            f"{lost[0]} has weights and no counterpart in the other port",
            mend="see the diff of the two ports",
        )
    return pairs


def _values(model: ir.Model) -> Weights:
    held = {name: value.const_value for name, value in model.graph.initializers.items()}
    return {name: tensor.numpy() for name, tensor in held.items() if tensor is not None}


def _transferred(pairs: Pairs, held: Weights) -> Weights:
    made: Weights = {}
    for a, b in pairs:
        given = {parameter.role: parameter for parameter in a.parameters}
        for parameter in b.parameters:
            if parameter.role not in given:
                raise ModeldocsError(f"{b.name} has a {parameter.role}, {a.name} has none")
            made[parameter.name] = _moved(held, given[parameter.role], parameter, b)
    return made


def _moved(held: Weights, start: Parameter, end: Parameter, layer: Layer) -> np.ndarray:
    """A parameter's values in the order that the other port keeps them in."""
    values = held[start.name]
    plain = np.transpose(values, start.permutation) if start.permutation else values
    if plain.size != end.elements:
        raise ModeldocsError(f"the {end.role} of {layer.name} is of another size in the other port")
    plain = plain.reshape(end.shape)
    return np.transpose(plain, np.argsort(end.permutation)) if end.permutation else plain


def _fill(model: ir.Model, weights: Weights) -> None:
    for name, value in model.graph.initializers.items():
        if name in weights and origin.parameter_kind(value) is not None:
            shape = tuple(dim for dim in value.shape or () if isinstance(dim, int))
            value.const_value = ir.tensor(weights[name].reshape(shape), name=name)


def _inputs(held: Reference, own: ir.Model) -> dict[str, np.ndarray]:
    names = [str(v.name) for v in own.graph.inputs if origin.parameter_kind(v) is None]
    if len(names) != len(held.inputs):
        raise ModeldocsError(f"it has {len(names)} inputs, the other port {len(held.inputs)}")
    return dict(zip(names, held.inputs.values(), strict=True))


def _end(pairs: Pairs, values: Named) -> tuple[str, str] | None:
    """What the last corresponding layers give: one port may have a softmax that the other lacks."""
    last = next((pair for pair in reversed(pairs) if pair[0].operator == pair[1].operator), None)
    return (values[0][last[0].id], values[1][last[1].id]) if last is not None else None


def _apart(end: tuple[str, str] | None, theirs: Weights, ours: Weights) -> Difference:
    held = end is not None and end[0] in theirs and end[1] in ours
    return apart(theirs[end[0]], ours[end[1]]) if end is not None and held else Difference()


def _first(pairs: Pairs, values: Named, theirs: Weights, ours: Weights) -> str | None:
    for a, b in pairs:
        left, right = theirs.get(values[0][a.id]), ours.get(values[1][b.id])
        alike = a.operator == b.operator  # one may end in LogSoftmax, the other in Softmax
        both = alike and left is not None and right is not None and left.shape == right.shape
        if both and not apart(np.asarray(left), np.asarray(right)).small:
            return b.name
    return None
