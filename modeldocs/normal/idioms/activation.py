"""Activations that frameworks spell out of simpler functions."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import onnx_ir as ir

from modeldocs.normal import values
from modeldocs.normal.builder import Builder
from modeldocs.normal.idioms import algebra, matching
from modeldocs.normal.idioms.algebra import Reading, Sum, terms

_NARROW = math.sqrt(2 / math.pi)
_CUBE = 0.044715
_REACH = 6


@dataclass(frozen=True)
class _Spelling:
    """An activation of x by way of e = function(inner(x)), as outer(x, e)."""

    inner: Callable[[ir.Value], Sum]
    outer: Callable[[ir.Value, ir.Value], Sum]
    operator: str
    attributes: tuple[ir.Attr, ...] = ()


def _plain(x: ir.Value) -> Sum:
    return terms((1.0, (x,)))


def _gated(x: ir.Value, e: ir.Value) -> Sum:
    return terms((1.0, (x, e)))


def _half_and_half(x: ir.Value, e: ir.Value) -> Sum:
    return terms((0.5, (x,)), (0.5, (x, e)))


def _half_without(x: ir.Value, e: ir.Value) -> Sum:
    return terms((0.5, (x,)), (-0.5, (x, e)))


def _gelu(approximate: str) -> tuple[ir.Attr, ...]:
    return (ir.AttrString("approximate", approximate),)


_SIXTH = (ir.AttrFloat32("alpha", 1 / 6), ir.AttrFloat32("beta", 0.5))

_SPELLINGS: dict[str, tuple[_Spelling, ...]] = {
    "Erf": (
        _Spelling(lambda x: terms((math.sqrt(0.5), (x,))), _half_and_half, "Gelu", _gelu("none")),
        _Spelling(
            lambda x: terms((-math.sqrt(0.5), (x,))), _half_without, "Gelu", _gelu("none")
        ),  # by way of erfc(-x) = 1 - erf(-x)
    ),
    "Tanh": (
        _Spelling(
            lambda x: terms((_NARROW, (x,)), (_NARROW * _CUBE, (x, x, x))),
            _half_and_half,
            "Gelu",
            _gelu("tanh"),
        ),
    ),
    "Sigmoid": (
        _Spelling(_plain, _gated, "Swish"),
        _Spelling(
            lambda x: terms((1.702, (x,))), _gated, "Swish", (ir.AttrFloat32("alpha", 1.702),)
        ),
    ),
    "Clip": (
        _Spelling(
            lambda x: terms((1.0, (x,)), (3.0, ())),
            lambda x, e: terms((1 / 6, (x, e))),
            "HardSwish",
        ),
        _Spelling(
            lambda x: terms((1.0, (x,)), (3.0, ())),
            lambda _, e: terms((1 / 6, (e,))),
            "HardSigmoid",
            _SIXTH,
        ),
    ),
    "HardSigmoid": (_Spelling(_plain, _gated, "HardSwish"),),
}
"""By the function in the middle."""


def spelled(node: ir.Node, _: Builder) -> bool:
    """GELU, SiLU, hard swish and hard sigmoid, their factors and terms in any order."""
    spellings = _SPELLINGS.get(node.op_type, ())
    if not spellings or node.domain not in values.DEFAULT_DOMAIN or not _fits(node):
        return False
    for x, read in _inner(node):
        for spelling in spellings:
            if algebra.same(read[0], spelling.inner(x)) and _replace(node, x, read[1], spelling):
                return True
    return False


def _fits(node: ir.Node) -> bool:
    """Whether the function in the middle has the numbers that the idiom wants."""
    if node.op_type == "Clip":
        return matching.bounds(node) == (0.0, 6.0)
    if node.op_type == "HardSigmoid":
        slope = values.attribute(node, "alpha", 0.2)
        middle = values.attribute(node, "beta", 0.5)
        return math.isclose(slope, 1 / 6, rel_tol=1e-5) and middle == 0.5
    return True


def _inner(node: ir.Node) -> Iterator[tuple[ir.Value, tuple[Sum, list[ir.Node]]]]:
    """What the function in the middle may be a function of: its operand, or what lies above."""
    first = node.inputs[0]
    waiting = [(first, 0)] if first is not None else []
    seen: set[ir.Value] = set()
    while waiting:
        x, depth = waiting.pop(0)
        if x in seen or algebra.uniform(x) is not None or first is None:
            continue
        seen.add(x)
        reading = Reading((), [x])
        try:
            yield x, (reading.sum(first), list(reading.nodes))
        except algebra.TooLargeError:
            continue
        maker = matching.producer(x, *algebra.ARITHMETIC)
        if maker is not None and depth < 4:
            waiting.extend((value, depth + 1) for value in maker.inputs if value is not None)


def _replace(node: ir.Node, x: ir.Value, inner: list[ir.Node], spelling: _Spelling) -> bool:
    middle = node.outputs[0]
    for top in reversed(_behind(middle)):
        reading = Reading((), [x, middle])
        try:
            found = reading.sum(top.outputs[0])
        except algebra.TooLargeError:
            continue
        if algebra.same(found, spelling.outer(x, middle)):
            parts = [*inner, node, *(n for n in reversed(reading.nodes) if n is not top), top]
            matching.replace(parts, spelling.operator, [x], spelling.attributes)
            return True
    return False


def _behind(value: ir.Value) -> list[ir.Node]:
    """The next nodes of arithmetic behind a value, the nearest first."""
    found: dict[ir.Node, None] = {}
    waiting = [value]
    while waiting and len(found) < _REACH:
        for node in (use.node for use in waiting.pop(0).uses()):
            if values.is_operator(node, *algebra.ARITHMETIC) and node.graph is not None:
                found.setdefault(node)
                waiting.append(node.outputs[0])
    return list(found)


def mish(node: ir.Node, _: Builder) -> bool:
    """X * tanh(softplus(x))."""
    if not values.is_operator(node, "Mul"):
        return False
    for x, other in (tuple(node.inputs), tuple(node.inputs)[::-1]):
        tanh = matching.producer(other, "Tanh")
        inner = matching.producer(tanh.inputs[0], "Softplus") if tanh else None
        if tanh is not None and inner is not None and inner.inputs[0] is x:
            matching.replace([inner, tanh, node], "Mish", [x], [])
            return True
    return False


def softplus(node: ir.Node, _: Builder) -> bool:
    """Log(1 + exp(x)), and PyTorch's, which is x itself above a threshold."""
    if values.is_operator(node, "Log"):
        more = matching.producer(node.inputs[0], "Add")
        inner, one = matching.constant_and_rest(more)
        raised = matching.producer(inner, "Exp")
        if more is None or raised is None or one != 1:
            return False
        matching.replace([raised, more, node], "Softplus", [raised.inputs[0]], [])
        return True
    if not values.is_operator(node, "Where"):
        return False
    greater = matching.producer(node.inputs[0], "Greater")
    x, told = node.inputs[1], _without_ones(node.inputs[2])
    soft = matching.producer(told, "Softplus")
    threshold = values.scalar(greater.inputs[1]) if greater else None
    if soft is None or greater is None or threshold is None or threshold < 15:
        return False
    if _without_ones(soft.inputs[0]) is not x or _without_ones(greater.inputs[0]) is not x:
        return False
    matching.replace([soft, greater, node], "Softplus", [x], [])
    return True


def _without_ones(value: ir.Value | None) -> ir.Value | None:
    """A value without factors of one."""
    node = matching.producer(value, "Mul", "Div")
    while node is not None and values.scalar(node.inputs[1]) == 1:
        value = node.inputs[0]
        node = matching.producer(value, "Mul", "Div")
    return value


def log_softmax(node: ir.Node, _: Builder) -> bool:
    """Log(softmax(x))."""
    soft = matching.producer(node.inputs[0], "Softmax") if values.is_operator(node, "Log") else None
    if soft is None or values.sole_consumer(soft.outputs[0]) is not node:
        return False
    settings = list(soft.attributes.values())
    matching.replace([soft, node], "LogSoftmax", [soft.inputs[0]], settings)
    return True


def bounded(node: ir.Node, builder: Builder) -> bool:
    """The greater of a tensor and 0 as a Relu; what lies between two numbers as a Clip."""
    source, number = _limited(node, "Max", "Min")
    if source is None or number is None:
        return False
    inner = matching.producer(source, "Max" if node.op_type == "Min" else "Min")
    below, bound = _limited(inner, "Max", "Min") if inner is not None else (None, None)
    sole = inner is not None and values.sole_consumer(inner.outputs[0]) is node
    if inner is not None and below is not None and bound is not None and sole:
        low, high = sorted((number, bound))
        if builder.opset >= 11 and low == (number if node.op_type == "Max" else bound):
            ends = [builder.scalar(end, source) for end in (low, high)]
            matching.replace([inner, node], "Clip", [below, *ends], [])
            return True
    if node.op_type == "Max" and number == 0:
        matching.replace([node], "Relu", [source], [])
        return True
    return False


def _limited(node: ir.Node, *operators: str) -> tuple[ir.Value | None, float | None]:
    """What a Max or Min compares with one number, and that number."""
    if not values.is_operator(node, *operators):
        return None, None
    source, number = matching.constant_and_rest(node)
    floating = source is not None and source.dtype is not None and source.dtype.is_floating_point()
    return (source, number) if floating else (None, None)


def clipped_relu(node: ir.Node, builder: Builder) -> bool:
    """The lesser of a Relu and a number: a Clip from 0."""
    highest = values.scalar(values.operand(node, 1)) if values.is_operator(node, "Min") else None
    relu = matching.producer(node.inputs[0], "Relu") if highest is not None else None
    if relu is None or len(node.inputs) != 2 or values.sole_consumer(relu.outputs[0]) is not node:
        return False
    top = node.inputs[1]
    if values.rank(top) != 0 or builder.opset < 11 or top is None or top.dtype is None:
        return False
    zero = builder.scalar(0.0, top)
    matching.replace([relu, node], "Clip", [relu.inputs[0], zero, top], [])
    return True
