"""Plumbing: nodes that move or rename a tensor, which are steps on an edge and not layers."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import onnx_ir as ir

from modeldocs.ir import Cast, Reshape, Step, Transpose, operators
from modeldocs.normal import affine_weights, casts, types, values, weight_norm
from modeldocs.normal.data_movement import permutations

MOVES = operators.moving("identity", "cast", "reshape", "transpose")
"""Operators of nodes that are no layers: see `is_move`."""
ARRANGES = MOVES | operators.moving("cut", "join", "copy") | {"ScatterND"}
_RESHAPES = operators.moving("reshape")
_SHAPE_SOURCES = operators.named(of_shape=True)


@dataclass(frozen=True)
class TracedValue:
    """The computed value before any plumbing, `root`, and the steps from there.

    `permutation` leads from the axes of `root` to those of the value, unless it was `reshaped`.
    """

    root: ir.Value
    steps: tuple[Step, ...]
    permutation: tuple[int, ...] = ()
    reshaped: bool = False


def shape_nodes(nodes: Iterable[ir.Node]) -> set[int]:
    """Ids of nodes that compute with shapes only, from Shape, Size and constants."""
    ids: set[int] = set()
    for node in nodes:
        if values.is_operator(node, *_SHAPE_SOURCES):
            ids.add(id(node))
            continue
        producers = [value.producer() for value in node.inputs if value is not None]
        derived = [p for p in producers if p is not None]
        is_derived = all(
            p is not None or values.constant(v) is not None
            for p, v in zip(producers, (v for v in node.inputs if v is not None), strict=True)
        )
        if derived and is_derived and all(id(p) in ids for p in derived):
            ids.add(id(node))
    return ids


def arranged_parameters(nodes: Iterable[ir.Node]) -> dict[int, tuple[ir.Value, ...]]:
    """The parameters that nodes cut, concatenate, normalize and scale, in order, by the node's id.

    Exporters write such nodes where a framework has the weights of an LSTM, for example, in other
    pieces than ONNX. They are no layers: the layer that reads the result has the parameters.
    """
    nodes = list(nodes)
    arranged: dict[int, tuple[ir.Value, ...]] = {
        id(node): (norm.direction, norm.length)
        for norm in weight_norm.weight_norms(nodes)
        for node in norm.nodes
    }
    for node in nodes:
        parts: dict[int, ir.Value] = {}
        for value in node.inputs:
            if value is None or values.constant(value) is not None:
                continue
            roots = (value,) if values.is_parameter(value) else arranged.get(id(value.producer()))
            if roots is None:
                break
            parts |= {id(root): root for root in roots}
        else:
            if parts and (values.is_operator(node, *ARRANGES) or affine_weights.source(node)):
                arranged[id(node)] = tuple(parts.values())
    return arranged


def is_plumbing(node: ir.Node, shapes: set[int]) -> bool:
    """Whether a node is a step on an edge rather than a layer."""
    return id(node) in shapes or is_move(node)


def is_move(node: ir.Node | None) -> bool:
    """Whether a node renames, reshapes or transposes a tensor, or casts it without a loss."""
    return node is not None and values.is_operator(node, *MOVES) and not casts.loses_values(node)


def trace(value: ir.Value) -> TracedValue:
    """Trace a value back through plumbing to the value that is computed."""
    steps: list[Step] = []
    permutation: tuple[int, ...] = ()
    reshaped = False
    node = value.producer()
    while node is not None and is_move(node) and node.inputs[0] is not None:
        step = _step(node)
        if step is not None:
            steps.append(step)
        if node.op_type == "Transpose":
            permutation = composed(permutations.of_node(node) or (), permutation)
        reshaped = reshaped or node.op_type in _RESHAPES
        value = node.inputs[0]
        node = value.producer()
    return TracedValue(value, tuple(reversed(steps)), () if reshaped else permutation, reshaped)


def composed(first: tuple[int, ...], then: tuple[int, ...]) -> tuple[int, ...]:
    """The composition of two permutations; empty where it is the identity or their ranks differ."""
    if not first or not then:
        return first or then
    is_valid = sorted(first) == sorted(then) == list(range(len(then)))
    both = permutations.then(first, then) if is_valid else ()
    return () if both == tuple(sorted(both)) else both


def _step(node: ir.Node) -> Step | None:
    """The step of a node of plumbing; None for an Identity."""
    if node.op_type == "Identity":
        return None
    if node.op_type in ("Cast", "CastLike"):
        output = node.outputs[0]
        return Cast(dtype=types.dtype(output) if output.dtype is not None else None)
    if node.op_type == "Transpose":
        return Transpose(permutation=permutations.of_node(node))
    before, after = (
        types.tensor_type(value).shape if value is not None else None
        for value in (node.inputs[0], node.outputs[0])
    )
    return Reshape(before=before, after=after, operator=node.op_type)
