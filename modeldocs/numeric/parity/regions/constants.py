"""The constants that layers read, and a network with some of them replaced."""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import onnx_ir as ir

from modeldocs.diff import Pair
from modeldocs.ir.operators.operands import role
from modeldocs.normal import values
from modeldocs.normal.builder import GraphBuilder
from modeldocs.numeric.parity.runnable_graph import RunnableGraph

_LEAST = 4
"""Elements of the smallest table; what is smaller is a setting."""
_ROUNDING = 1e-6
"""Relative error of constants that are computed in float32 in other ways."""
_MASK, _CAUSAL = "attn_mask", "is_causal"
_MASK_SLOT = 3


@dataclass(frozen=True)
class ConstantOperand:
    """A constant as a layer reads it in a slot; an Attention's mask is what it hides in all."""

    layer: str
    slot: int
    operand: str
    array: np.ndarray

    @functools.cached_property
    def key(self) -> object:
        """Equal for equal arrays."""
        data = hashlib.sha256(np.ascontiguousarray(self.array).tobytes()).digest()
        return self.array.dtype, self.array.shape, data


def places(graph: RunnableGraph, layers: Iterable[str]) -> Iterator[ConstantOperand]:
    """The tables that some layers read, in the network's order."""
    wanted = set(layers)
    for name, node in graph.nodes.items():
        if name not in wanted:
            continue
        is_attention = values.is_operator(node, "Attention")
        mask = _mask(node) if is_attention else None
        if mask is not None and mask.size >= _LEAST:
            yield ConstantOperand(name, _MASK_SLOT, _MASK, mask)
        for slot, value in enumerate(node.inputs):
            array = values.constant(value)
            if array is None or array.size < _LEAST or (is_attention and slot == _MASK_SLOT):
                continue
            yield ConstantOperand(name, slot, role(values.operator(node), slot), array)


def are_rounded(graphs: tuple[RunnableGraph, RunnableGraph], pair: Pair, operand: str) -> bool:
    """Whether two layers read constants in a slot that are equal but for rounding."""
    if len(pair[0]) != 1 or len(pair[1]) != 1:
        return False
    ours, theirs = (
        next((one.array for one in places(graph, ids) if one.operand == operand), None)
        for graph, ids in zip(graphs, pair, strict=True)
    )
    if ours is None or theirs is None or ours.size != theirs.size or ours.dtype.kind != "f":
        return False
    return bool(np.allclose(ours.reshape(theirs.shape), theirs, rtol=_ROUNDING, atol=0))


def settings(*read: ConstantOperand) -> tuple[str, ...]:
    """The names under which a diff may tell of constants: those of the operands come first."""
    operands = tuple(dict.fromkeys(one.operand for one in read))
    return (*operands, _CAUSAL) if _MASK in operands else operands


def replaced(graph: RunnableGraph, arrays: Mapping[tuple[str, int], np.ndarray]) -> ir.Model:
    """A copy of a network in normal form with other arrays in slots of layers."""
    names = {str(graph.nodes[layer].outputs[0].name): layer for layer, _ in arrays}
    model = graph.model.clone()
    builder = GraphBuilder(model.graph)
    for node in model.graph:
        layer = names.get(str(node.outputs[0].name)) if node.outputs else None
        for slot in [s for name, s in arrays if name == layer]:
            if slot >= len(node.inputs):
                node.resize_inputs(slot + 1)
            constant = builder.constant(arrays[str(layer), slot], "undone")
            node.replace_input_with(slot, constant)
            if values.is_operator(node, "Attention"):
                node.attributes.pop(_CAUSAL, None)
    return model


def branches(graph: RunnableGraph, read: Iterable[ConstantOperand]) -> list[list[ConstantOperand]]:
    """Constants by the layers with weights that what they are applied to comes from."""
    found: dict[frozenset[str], list[ConstantOperand]] = {}
    for one in read:
        found.setdefault(_sources(graph, one.layer), []).append(one)
    return list(found.values())


def _sources(graph: RunnableGraph, layer: str) -> frozenset[str]:
    """The nearest layers with weights that lead to a layer."""
    sources, seen, waiting = set[str](), {layer}, [layer]
    while waiting:
        for edge in graph.edges.get(waiting.pop(), ()):
            if edge.producer in seen:
                continue
            seen.add(edge.producer)
            if graph.weights.get(edge.producer):
                sources.add(edge.producer)
            else:
                waiting.append(edge.producer)
    return frozenset(sources)


def _mask(node: ir.Node) -> np.ndarray | None:
    """What an Attention hides by a constant mask, by causality, or both."""
    given = values.operand(node, _MASK_SLOT)
    mask = values.constant(given)
    if given is not None and mask is None:
        return None
    if not values.attribute(node, _CAUSAL, 0):
        return mask
    queries, keys = (values.shape(values.operand(node, slot)) for slot in (0, 1))
    if not queries or not keys or len(queries) < 2 or len(keys) < 2:
        return None
    is_open = np.tril(np.ones((queries[-2], keys[-2]), bool))
    if mask is None:
        return is_open
    return mask & is_open if mask.dtype == bool else np.where(is_open, mask, -np.inf)
