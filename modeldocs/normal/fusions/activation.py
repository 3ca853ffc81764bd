"""Activations that frameworks compute from simpler functions."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import onnx_ir as ir

from modeldocs.normal import values
from modeldocs.normal.builder import GraphBuilder
from modeldocs.normal.fusions import algebra, matching
from modeldocs.normal.fusions.algebra import PolynomialReader, Sum, terms

_TANH_SCALE = math.sqrt(2 / math.pi)
_TANH_CUBE = 0.044715
"""The constants of GELU's tanh approximation: tanh(√(2/π) · (x + 0.044715 x³))."""

_MAX_INNER_DEPTH = 4
_MAX_OUTER_NODES = 6
"""Nodes of arithmetic before and after the function that an activation is computed through."""


@dataclass(frozen=True)
class _Decomposition:
    """An activation of x as outer(x, e), where e = function(inner(x))."""

    inner: Callable[[ir.Value], Sum]
    outer: Callable[[ir.Value, ir.Value], Sum]
    operator: str
    attributes: tuple[ir.Attr, ...] = ()


def _identity(x: ir.Value) -> Sum:
    return terms((1.0, (x,)))


def _gated(x: ir.Value, e: ir.Value) -> Sum:
    return terms((1.0, (x, e)))


def _half_plus_half(x: ir.Value, e: ir.Value) -> Sum:
    return terms((0.5, (x,)), (0.5, (x, e)))


def _half_minus_half(x: ir.Value, e: ir.Value) -> Sum:
    return terms((0.5, (x,)), (-0.5, (x, e)))


def _gelu(approximate: str) -> tuple[ir.Attr, ...]:
    return (ir.AttrString("approximate", approximate),)


_HARD_SIGMOID = (ir.AttrFloat32("alpha", 1 / 6), ir.AttrFloat32("beta", 0.5))

_DECOMPOSITIONS: dict[str, tuple[_Decomposition, ...]] = {
    "Erf": (
        _Decomposition(
            lambda x: terms((math.sqrt(0.5), (x,))), _half_plus_half, "Gelu", _gelu("none")
        ),
        _Decomposition(
            lambda x: terms((-math.sqrt(0.5), (x,))), _half_minus_half, "Gelu", _gelu("none")
        ),  # through erfc(-x) = 1 - erf(-x)
    ),
    "Tanh": (
        _Decomposition(
            lambda x: terms((_TANH_SCALE, (x,)), (_TANH_SCALE * _TANH_CUBE, (x, x, x))),
            _half_plus_half,
            "Gelu",
            _gelu("tanh"),
        ),
    ),
    "Sigmoid": (
        _Decomposition(_identity, _gated, "Swish"),
        _Decomposition(
            lambda x: terms((1.702, (x,))), _gated, "Swish", (ir.AttrFloat32("alpha", 1.702),)
        ),
    ),
    "Clip": (
        _Decomposition(
            lambda x: terms((1.0, (x,)), (3.0, ())),
            lambda x, e: terms((1 / 6, (x, e))),
            "HardSwish",
        ),
        _Decomposition(
            lambda x: terms((1.0, (x,)), (3.0, ())),
            lambda _, e: terms((1 / 6, (e,))),
            "HardSigmoid",
            _HARD_SIGMOID,
        ),
    ),
    "HardSigmoid": (_Decomposition(_identity, _gated, "HardSwish"),),
}
"""Decompositions by the function that they go through."""


def through_function(node: ir.Node, _: GraphBuilder) -> bool:
    """GELU, SiLU, hard swish and hard sigmoid, with factors and terms in any order."""
    decompositions = _DECOMPOSITIONS.get(node.op_type, ())
    if not decompositions or node.domain not in values.DEFAULT_DOMAIN or not _has_constants(node):
        return False
    for x, argument, nodes in _arguments(node):
        for one in decompositions:
            if algebra.same(argument, one.inner(x)) and _replace(node, x, nodes, one):
                return True
    return False


def _has_constants(node: ir.Node) -> bool:
    """Whether a Clip or HardSigmoid has the constants of the hard activations."""
    if node.op_type == "Clip":
        return matching.bounds(node) == (0.0, 6.0)
    if node.op_type == "HardSigmoid":
        slope = values.attribute(node, "alpha", 0.2)
        offset = values.attribute(node, "beta", 0.5)
        return math.isclose(slope, 1 / 6, rel_tol=1e-5) and offset == 0.5
    return True


def _arguments(node: ir.Node) -> Iterator[tuple[ir.Value, Sum, list[ir.Node]]]:
    """Each value x that a function's operand is computed from; the operand as a sum of products of
    x, and the nodes that compute it.
    """
    first = node.inputs[0]
    pending = [(first, 0)] if first is not None else []
    seen: set[ir.Value] = set()
    while pending:
        x, depth = pending.pop(0)
        if x in seen or values.uniform(x) is not None or first is None:
            continue
        seen.add(x)
        reader = PolynomialReader((), [x])
        try:
            yield x, reader.sum(first), list(reader.nodes)
        except algebra.TooLargeError:
            continue
        producer = matching.producer(x, *algebra.ARITHMETIC)
        if producer is not None and depth < _MAX_INNER_DEPTH:
            pending.extend((value, depth + 1) for value in producer.inputs if value is not None)


def _replace(
    node: ir.Node, x: ir.Value, inner: list[ir.Node], decomposition: _Decomposition
) -> bool:
    """Replace an activation through `node`, if the nodes behind it are the rest of one."""
    result = node.outputs[0]
    for last in reversed(_following(result)):
        reader = PolynomialReader((), [x, result])
        try:
            polynomial = reader.sum(last.outputs[0])
        except algebra.TooLargeError:
            continue
        if algebra.same(polynomial, decomposition.outer(x, result)):
            outer = [other for other in reversed(reader.nodes) if other is not last]
            nodes = [*inner, node, *outer, last]
            matching.replace(nodes, decomposition.operator, [x], decomposition.attributes)
            return True
    return False


def _following(value: ir.Value) -> list[ir.Node]:
    """The next nodes of arithmetic behind a value, the nearest first."""
    nodes: dict[ir.Node, None] = {}
    pending = [value]
    while pending and len(nodes) < _MAX_OUTER_NODES:
        for node in (use.node for use in pending.pop(0).uses()):
            if values.is_operator(node, *algebra.ARITHMETIC) and node.graph is not None:
                nodes.setdefault(node)
                pending.append(node.outputs[0])
    return list(nodes)


def mish(node: ir.Node, _: GraphBuilder) -> bool:
    """Mish: x * tanh(softplus(x))."""
    if not values.is_operator(node, "Mul"):
        return False
    for x, other in (tuple(node.inputs), tuple(node.inputs)[::-1]):
        tanh = matching.producer(other, "Tanh")
        inner = matching.producer(tanh.inputs[0], "Softplus") if tanh else None
        if tanh is not None and inner is not None and inner.inputs[0] is x:
            matching.replace([inner, tanh, node], "Mish", [x], [])
            return True
    return False


_MIN_THRESHOLD = 15
"""Above this, softplus(x) and x are the same float32 but for rounding."""


def softplus(node: ir.Node, _: GraphBuilder) -> bool:
    """Softplus: log(1 + exp(x)), and PyTorch's, which is x itself above a threshold."""
    if values.is_operator(node, "Log"):
        add = matching.producer(node.inputs[0], "Add")
        other, one = matching.constant_and_rest(add)
        exp = matching.producer(other, "Exp")
        if add is None or exp is None or one != 1:
            return False
        matching.replace([exp, add, node], "Softplus", [exp.inputs[0]], [])
        return True
    if not values.is_operator(node, "Where"):
        return False
    greater = matching.producer(node.inputs[0], "Greater")
    x, other = node.inputs[1], _without_ones(node.inputs[2])
    inner = matching.producer(other, "Softplus")
    threshold = values.scalar(greater.inputs[1]) if greater else None
    if inner is None or greater is None or threshold is None or threshold < _MIN_THRESHOLD:
        return False
    if _without_ones(inner.inputs[0]) is not x or _without_ones(greater.inputs[0]) is not x:
        return False
    matching.replace([inner, greater, node], "Softplus", [x], [])
    return True


def _without_ones(value: ir.Value | None) -> ir.Value | None:
    """A value before products and quotients with 1."""
    node = matching.producer(value, "Mul", "Div")
    while node is not None and values.scalar(node.inputs[1]) == 1:
        value = node.inputs[0]
        node = matching.producer(value, "Mul", "Div")
    return value


def log_softmax(node: ir.Node, _: GraphBuilder) -> bool:
    """LogSoftmax: log(softmax(x))."""
    softmax = (
        matching.producer(node.inputs[0], "Softmax") if values.is_operator(node, "Log") else None
    )
    if softmax is None or values.sole_consumer(softmax.outputs[0]) is not node:
        return False
    settings = list(softmax.attributes.values())
    matching.replace([softmax, node], "LogSoftmax", [softmax.inputs[0]], settings)
    return True


def clip(node: ir.Node, builder: GraphBuilder) -> bool:
    """Max and Min with two numbers as a Clip; Max with 0 as a Relu."""
    source, number = _operand_and_bound(node, "Max", "Min")
    if source is None or number is None:
        return False
    inner = matching.producer(source, "Max" if node.op_type == "Min" else "Min")
    x, bound = _operand_and_bound(inner, "Max", "Min") if inner is not None else (None, None)
    is_sole = inner is not None and values.sole_consumer(inner.outputs[0]) is node
    if inner is not None and x is not None and bound is not None and is_sole:
        low, high = sorted((number, bound))
        if low == (number if node.op_type == "Max" else bound):
            ends = [builder.scalar(end, source) for end in (low, high)]
            matching.replace([inner, node], "Clip", [x, *ends], [])
            return True
    if node.op_type == "Max" and number == 0:
        matching.replace([node], "Relu", [source], [])
        return True
    return False


def _operand_and_bound(node: ir.Node, *operators: str) -> tuple[ir.Value | None, float | None]:
    """The operand of a floating-point Max or Min with one number, and that number."""
    if not values.is_operator(node, *operators):
        return None, None
    source, number = matching.constant_and_rest(node)
    if source is None or source.dtype is None or not source.dtype.is_floating_point():
        return None, None
    return source, number


def clipped_relu(node: ir.Node, builder: GraphBuilder) -> bool:
    """Min of a Relu and a number, as a Clip from 0."""
    highest = values.scalar(values.operand(node, 1)) if values.is_operator(node, "Min") else None
    relu = matching.producer(node.inputs[0], "Relu") if highest is not None else None
    if relu is None or len(node.inputs) != 2 or values.sole_consumer(relu.outputs[0]) is not node:
        return False
    bound = node.inputs[1]
    if values.rank(bound) != 0 or bound is None or bound.dtype is None:
        return False
    zero = builder.scalar(0.0, bound)
    matching.replace([relu, node], "Clip", [relu.inputs[0], zero, bound], [])
    return True
