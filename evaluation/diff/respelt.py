"""A port's graph beside one of the same port respelt, and which layers of the two correspond."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from random import Random

import msgspec
import onnx
import onnx_ir as ir

from modeldocs import normal
from modeldocs.ir import Layer, LayerGraph, Operand
from modeldocs.normal import prepare

from . import projections
from .respeller import Respeller
from .respelling import REWRITES

Key = tuple[str, str, int]


@dataclass(frozen=True, slots=True)
class Respelt:
    """A graph that computes what another does, its layers under the ids of their counterparts.

    `kept` are the layers that are the same in both. `touched` are those of them that a rewrite
    was about: no edit goes there, since what is to be said of it would be no single line.
    """

    graph: LayerGraph
    kept: frozenset[str]
    touched: frozenset[str]


def unchanged(graph: LayerGraph) -> Respelt:
    """The graph as it is, every layer its own counterpart."""
    return Respelt(graph, frozenset(layer.id for layer in graph.layers), frozenset())


def respelt(graph: LayerGraph, data: bytes, seed: int) -> Respelt:
    """The ONNX that a graph was read from, rewritten and read again."""
    chance = Random(f"{graph.name} respelt {seed}")
    model = ir.from_proto(onnx.ModelProto.FromString(data))
    for apply in (prepare.inline_functions, prepare.infer_shapes, prepare.fold_constants):
        apply(model)
    respeller = Respeller(model, chance)
    for rewrite in (projections.joined, projections.parted, *REWRITES):
        rewrite(respeller)
    return _related(graph, normal.normalise(model), respeller.touched)


def _related(old: LayerGraph, new: LayerGraph, touched: set[str]) -> Respelt:
    theirs = {layer.id: key for key, layer in _named(new).items()}
    ours = {key: layer.id for key, layer in _named(old, new).items()}
    ids, count = {}, 0
    for layer in new.layers:
        ids[layer.id] = ours.get(theirs[layer.id], "")
        if not ids[layer.id]:
            count += 1
            ids[layer.id] = f"respelt-{count}"
    return Respelt(
        msgspec.structs.replace(
            new,
            name=old.name,
            layers=tuple(_under(layer, ids) for layer in new.layers),
            outputs=tuple(
                msgspec.structs.replace(x, source=_reading(x.source, ids)) for x in new.outputs
            ),
        ),
        frozenset(ours[key] for key in theirs.values() if key in ours),
        frozenset(ids[layer.id] for layer in new.layers if layer.name in touched),
    )


def _named(graph: LayerGraph, other: LayerGraph | None = None) -> dict[Key, Layer]:
    """Layers by name, operator and which of those that is; those alone of which `other` has as
    many.
    """
    wanted = Counter((layer.name, layer.operator) for layer in (other or graph).layers)
    counts = Counter((layer.name, layer.operator) for layer in graph.layers)
    seen: Counter[tuple[str, str]] = Counter()
    found = {}
    for layer in graph.layers:
        key = layer.name, layer.operator
        seen[key] += 1
        if counts[key] == wanted[key]:
            found[*key, seen[key]] = layer
    return found


def _under(layer: Layer, ids: dict[str, str]) -> Layer:
    return msgspec.structs.replace(
        layer, id=ids[layer.id], inputs=tuple(_reading(one, ids) for one in layer.inputs)
    )


def _reading(operand: Operand, ids: dict[str, str]) -> Operand:
    return msgspec.structs.replace(operand, value=ids.get(operand.value, operand.value))
