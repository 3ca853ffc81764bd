"""Nodes that move or rename a tensor without computing: steps on an edge, not layers."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import onnx_ir as ir

from modeldocs.ir import Cast, Reshape, Step, Transpose
from modeldocs.normal import permutations, types, values

MOVES = (
    "Identity",
    "Cast",
    "CastLike",
    "Reshape",
    "Flatten",
    "Squeeze",
    "Unsqueeze",
    "Transpose",
)
ARRANGES = (*MOVES, "Slice", "Concat", "Split", "Expand", "Tile", "ScatterND")
_RESHAPES = ("Reshape", "Flatten", "Squeeze", "Unsqueeze")
_SHAPE_SOURCES = ("Shape", "Size")


@dataclass(frozen=True)
class Trace:
    """Where a value is computed: `root`; the steps from there to it, and the axes these move.

    `permutation` takes the axes of `root` to those of the value; `reshaped` tells that they are
    other axes, which no permutation leads to.
    """

    root: ir.Value
    steps: tuple[Step, ...]
    permutation: tuple[int, ...] = ()
    reshaped: bool = False


def shape_nodes(nodes: Iterable[ir.Node]) -> set[int]:
    """Ids of nodes that compute with shapes only: from Shape, and constants, to more of them."""
    found: set[int] = set()
    for node in nodes:
        if values.is_operator(node, *_SHAPE_SOURCES):
            found.add(id(node))
            continue
        producers = [value.producer() for value in node.inputs if value is not None]
        derived = [p for p in producers if p is not None]
        plain = all(
            p is not None or values.constant(v) is not None
            for p, v in zip(producers, (v for v in node.inputs if v is not None), strict=True)
        )
        if derived and plain and all(id(p) in found for p in derived):
            found.add(id(node))
    return found


def arranged_parameters(nodes: Iterable[ir.Node]) -> dict[int, tuple[ir.Value, ...]]:
    """Nodes that only cut and join parameters, by id, with the parameters in each, in order.

    An exporter writes them where a framework keeps the weights of an LSTM, say, in other pieces
    than ONNX does. They are preparation: the layer that reads the result has the parameters.
    """
    found: dict[int, tuple[ir.Value, ...]] = {}
    for node in nodes:
        held: dict[int, ir.Value] = {}
        for value in node.inputs:
            if value is None or values.constant(value) is not None:
                continue
            roots = (value,) if values.is_parameter(value) else found.get(id(value.producer()))
            if roots is None:
                break
            held |= {id(root): root for root in roots}
        else:
            if held and values.is_operator(node, *ARRANGES):
                found[id(node)] = tuple(held.values())
    return found


def is_plumbing(node: ir.Node, shapes: set[int]) -> bool:
    """Whether a node is told on the edge rather than as a layer."""
    return id(node) in shapes or values.is_operator(node, *MOVES)


def trace(value: ir.Value) -> Trace:
    """Follow a value up through plumbing to what computes it."""
    steps: list[Step] = []
    permutation: tuple[int, ...] = ()
    reshaped = False
    node = value.producer()
    while node is not None and values.is_operator(node, *MOVES) and node.inputs[0] is not None:
        step = _step(node)
        if step is not None:
            steps.append(step)
        if node.op_type == "Transpose":
            permutation = composed(_permutation(node), permutation)
        reshaped = reshaped or node.op_type in _RESHAPES
        value = node.inputs[0]
        node = value.producer()
    return Trace(value, tuple(reversed(steps)), () if reshaped else permutation, reshaped)


def _permutation(node: ir.Node) -> tuple[int, ...]:
    """A Transpose's permutation; without one it turns the axes round."""
    turned = tuple(reversed(range(values.rank(node.inputs[0]) or 0)))
    return tuple(values.attribute(node, "perm", turned))


def composed(first: tuple[int, ...], then: tuple[int, ...]) -> tuple[int, ...]:
    """One permutation for two, empty where it changes nothing or their ranks differ."""
    if not first or not then:
        return first or then
    fits = sorted(first) == sorted(then) == list(range(len(then)))
    both = tuple(first[axis] for axis in then) if fits else ()
    return () if both == tuple(sorted(both)) else both


def _step(node: ir.Node) -> Step | None:
    """What a node does to what it reads; None for an Identity."""
    if node.op_type == "Identity":
        return None
    if node.op_type in ("Cast", "CastLike"):
        made = node.outputs[0]
        return Cast(dtype=types.dtype(made) if made.dtype is not None else None)
    if node.op_type == "Transpose":
        return Transpose(permutation=permutations.of_node(node))
    before, after = (
        types.tensor_type(value).shape if value is not None else None
        for value in (node.inputs[0], node.outputs[0])
    )
    return Reshape(before=before, after=after, operator=node.op_type)
