"""Edits that spell the same layers in other pieces: fused, or told one by one."""

from __future__ import annotations

from typing import Any

from modeldocs.ir import Layer, Operand

from .draft import Draft, replace
from .edit import Bench, Edit
from .rewiring import parameters
from .shapes import held


def fuse(bench: Bench) -> Edit | None:
    """A convolution and its norm as one convolution with a bias."""
    draft, norm = bench.draft, bench.pick("BatchNormalization")
    if norm is None:
        return None
    layer = draft.layers.get(norm.inputs[0].value)
    if layer is None or layer.operator != "Conv" or len(draft.users()[layer.id]) > 1:
        return None
    if layer.id in draft.ends() or not bench.claims.free(layer.id):
        return None
    if "BatchNormalization" in _reads(draft, norm.id):
        return None  # it could as well be that one
    if (layer.id, norm.id) in bench.claims.bridged:
        return None  # they are beside each other since another is gone
    if bench.claims.moves(draft, norm.id, went=norm.operator):
        return None
    bench.claims.change(layer.id, norm.id)
    draft.remove(norm.id)
    weight = held(layer)
    if weight is not None and held(layer, "bias") is None:
        bias = parameters(f"fused {layer.id}", {"bias": weight.shape[:1]})
        draft.put(replace(draft.layers[layer.id], parameters=(*layer.parameters, *bias)))
    return Edit("fuse", (layer.id, norm.id), (layer.id,), None, None, None)


def split(bench: Bench) -> Edit | None:
    """A layer told in pieces: a convolution with a norm, a product and a sum.

    An activation in pieces is no edit of a loaded graph: the normal form makes it one layer.
    """
    draft, layer = bench.draft, bench.pick("Conv", "Gemm")
    if layer is None or held(layer, "bias") is None:
        return None
    if any(
        _reads(one, layer.id) & {"BatchNormalization", "Add"} for one in (Draft(draft.graph), draft)
    ):
        return None
    second = _norm(layer) if layer.operator == "Conv" else _sum(layer)
    kept = tuple(one for one in layer.parameters if one.role != "bias")
    draft.put(replace(layer, parameters=kept))
    if layer.operator == "Gemm":
        draft.put(_product(draft.layers[layer.id]))
    added = _behind(draft, layer.id, second)
    bench.claims.change(layer.id, added)
    bench.claims.whole.add(layer.id)
    return Edit("split", (layer.id,), (layer.id, added), None, layer.operator, second.operator)


def _reads(draft: Draft, name: str) -> set[str]:
    return {draft.layers[reader].operator for reader in draft.users()[name]}


def _norm(layer: Layer) -> Layer:
    shapes = dict.fromkeys(("scale", "bias", "mean", "var"), _out(layer))
    held_parameters = parameters(f"split {layer.id}", shapes)
    return _piece(layer, "BatchNormalization", {"epsilon": 1e-5}, held_parameters)


def _sum(layer: Layer) -> Layer:
    return _piece(layer, "Add", {}, parameters(f"split {layer.id}", {"B": _out(layer)}))


def _product(layer: Layer) -> Layer:
    weight = held(layer)
    assert weight is not None
    turned = replace(weight, shape=weight.shape[::-1], name=f"split {layer.id} weight")
    return replace(layer, operator="MatMul", attributes={}, parameters=(turned,))


def _out(layer: Layer) -> tuple[int, ...]:
    weight = held(layer)
    assert weight is not None
    return weight.shape[:1]


def _piece(
    like: Layer, operator: str, attributes: dict[str, Any], held_parameters: tuple[Any, ...]
) -> Layer:
    return Layer(
        id="",
        name="",
        operator=operator,
        inputs=(Operand(slot=0, value=like.id, type=like.outputs[0]),),
        outputs=like.outputs,
        attributes=attributes,
        parameters=held_parameters,
    )


def _behind(draft: Draft, name: str, layer: Layer) -> str:
    """Place a layer between another and all that read it; gives its id."""
    source = Operand(slot=0, value=name, type=draft.layers[name].outputs[0])
    added = draft.add(name, replace(layer, inputs=(source,)))
    draft.redirect(name, lambda one: replace(one, value=added), skip=(added,))
    return added
