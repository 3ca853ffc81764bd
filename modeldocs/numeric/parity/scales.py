"""The scale of values: small before a norm, so that its epsilon shows, wide at a clip.

A scale is a root mean square. `target_scales` goes backwards through a network, from what readers
need; `output_scale` goes forwards, from what an operator reads to its output.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from modeldocs.ir import Layer, operators
from modeldocs.numeric.parity.runnable_graph import RunnableEdge, RunnableGraph

_BY_OWN_STATISTICS = operators.named(own_statistics=True)
"""Norms that divide by statistics of their input."""
_NONLINEAR = operators.named(smooth_rectifier=True) | {"HardSigmoid"}
_SCALE_PRESERVING = operators.named(homogeneous=True)
_NEARLY_LINEAR = (
    operators.named(smooth_rectifier=True, non_negative=False)
    | operators.named(saturating=True, non_negative=False)
    | {"Clip"}
)
"""Operators that are close to a multiple of small inputs: what they do shows on wide ones."""

_GAINS = {
    "Relu": 0.7,
    "LeakyRelu": 0.75,
    "PRelu": 0.75,
    "MaxPool": 1.2,
    "AveragePool": 0.6,
    "GlobalAveragePool": 0.5,
    "ReduceMean": 0.5,
    "Attention": 0.6,
    "LRN": 0.6,
}
"""Approximate scale of an operator's output per scale of its input."""
_NONLINEAR_GAIN = 0.6
"""The same for nonlinear operators and Clip at the scales below."""

_NONLINEAR_SCALE = 2.0
"""Scale at which nonlinear operators are far from linear: most inputs are between -4 and 4."""

_CLIP_SHARE = 0.7
"""Scale before a Clip, per upper bound: about one input in thirteen is above the bound."""

_RESIDUAL_SCALE = 0.25
"""Scale of what a residual block adds, per scale of what it is added to. With more, all rows of a
deep encoder become alike, and the activations of a deep network grow."""

_TYPICAL_LENGTH = 16.0
"""L2 norm of a vector of 256 elements of scale 1; used where the number of elements is unknown."""

_ATTENTION_SCALE = 2.0
"""Scale of queries, keys and values: each row then attends to few others, and rows stay unlike."""

_SATURATED = {"Sigmoid": 0.55, "HardSigmoid": 0.55, "Tanh": 0.7, "Softsign": 0.6}
"""Scale of the output of operators that saturate."""


def target_scales(
    graph: RunnableGraph, *, small: bool = False, usual: bool = False
) -> dict[str, float]:
    """By layer or input: the scale that its readers need of its output.

    Nonlinear operators need wide inputs, also where a norm behind them needs rows as small as its
    epsilon. With `small`, the norm decides instead. With `usual`, values before norms are of the
    scale that they usually have, at which an epsilon hardly matters.
    """
    targets: dict[str, float] = {}
    for name in reversed(list(graph.by_id)):
        targets[name] = _agree(
            [_target(graph, edge, targets, small, usual) for edge in _edges_from(graph, name)]
        )
    return targets


def has_conflicting_targets(graph: RunnableGraph) -> bool:
    """Whether one set of values cannot show both nonlinear operators and the norms behind them."""
    targets, small_targets = target_scales(graph), target_scales(graph, small=True)
    return any(small_targets[name] < 1 and small_targets[name] < targets[name] for name in targets)


def _edges_from(graph: RunnableGraph, name: str) -> list[RunnableEdge]:
    """The edges from a layer or an input."""
    values = graph.nodes[name].outputs if name in graph.nodes else [graph.inputs[name]]
    return [edge for value in values for edge in graph.readers.get(str(value.name), [])]


def _agree(targets: list[float]) -> float:
    """One scale for several readers: the smallest where one is below 1, else the largest."""
    small = [target for target in targets if target < 1]
    return min(small) if small else max(targets, default=1.0)


def _target(
    graph: RunnableGraph, edge: RunnableEdge, targets: dict[str, float], small: bool, usual: bool
) -> float:
    """The scale that the reader of an edge needs."""
    layer = graph.layers[edge.layer]
    if layer.operator in _SCALE_PRESERVING or (small and layer.operator in _NEARLY_LINEAR):
        return targets.get(layer.id, 1.0) * (_RESIDUAL_SCALE if _is_branch(graph, edge) else 1.0)
    if layer.operator == "BatchNormalization" and not has_role(graph, layer.id, "scale"):
        return 1.0 if usual else math.sqrt(epsilon(layer, 1e-8, 1e-2))
    return operand_scale(layer, usual=usual)


def _is_branch(graph: RunnableGraph, edge: RunnableEdge) -> bool:
    """Whether an edge is the branch of a residual block: it ends in weights, and what it is added
    to does not.
    """
    others = [other for other in graph.edges[edge.layer] if other.producer != edge.producer]
    if graph.layers[edge.layer].operator not in ("Add", "Sum") or not others:
        return False
    return all(
        _weighted(graph, edge.producer) > _weighted(graph, other.producer) for other in others
    )


def _weighted(graph: RunnableGraph, producer: str) -> int:
    """2 for a layer of products (weights), 1 for one that scales, else 0."""
    roles = {weight.role for weight in graph.weights.get(producer, [])}
    return 2 if roles & {"weight", "W"} else int("scale" in roles)


def operand_scale(layer: Layer, *, usual: bool = False) -> float:
    """The scale of its operand at which a layer's attributes show; with `usual`, but an epsilon."""
    if usual and layer.operator in _BY_OWN_STATISTICS | {"LpNormalization"}:
        return 1.0
    if layer.operator in _BY_OWN_STATISTICS:
        return math.sqrt(epsilon(layer, 1e-13, 1e-4))
    if layer.operator == "LpNormalization":
        return epsilon(layer, 1e-13, 1e-2) / _length_along_axis(layer)
    if layer.operator == "LRN":
        alpha, bias = layer.number("alpha", 1e-4), layer.number("bias", 1.0)
        return min(max(math.sqrt(max(bias, 1e-6) / max(alpha, 1e-9)), 1.0), 1000.0)
    if layer.operator == "Clip":
        bound = layer.attributes.get("max")
        return _CLIP_SHARE * bound if isinstance(bound, int | float) and 0 < bound < 1e3 else 1.0
    if layer.operator == "Attention":
        return _ATTENTION_SCALE
    return _NONLINEAR_SCALE if layer.operator in _NONLINEAR else 1.0


def _length_along_axis(layer: Layer) -> float:
    """The L2 norm of a vector of scale 1 along the axis of an LpNormalization."""
    shape = next((operand.type.shape for operand in layer.inputs if operand.slot == 0), None)
    axis = int(layer.number("axis", -1))
    size = shape[axis] if shape and -len(shape) <= axis < len(shape) else None
    return math.sqrt(size) if isinstance(size, int) and size > 0 else _TYPICAL_LENGTH


def epsilon(layer: Layer, low: float, high: float) -> float:
    """A layer's epsilon, clipped to bounds within which float32 shows it."""
    return min(max(layer.number("epsilon", 1e-5), low), high)


def has_role(graph: RunnableGraph, layer: str, role: str) -> bool:
    """Whether a layer has a parameter of a role."""
    return any(weight.role == role for weight in graph.weights[layer])


def output_scale(operator: str, input_scales: Sequence[float]) -> float:
    """The scale of the output of a layer without weights, from the scales of its inputs."""
    first = input_scales[0] if input_scales else 1.0
    if operator in ("Add", "Sum", "Sub"):
        return math.sqrt(sum(scale**2 for scale in input_scales))
    if operator in ("Concat", "Max", "Min", "Mean"):
        return math.sqrt(sum(scale**2 for scale in input_scales) / max(len(input_scales), 1))
    if operator == "Mul":
        return math.prod(input_scales)
    if operator == "Attention" and len(input_scales) > 2:
        return _GAINS["Attention"] * input_scales[2]
    if operator in _BY_OWN_STATISTICS:
        return 1.0
    if operator == "LpNormalization":
        return 1.0 / _TYPICAL_LENGTH
    if operator in _SATURATED:
        return _SATURATED[operator]
    if operator == "Clip" or operator in _NONLINEAR:
        return _NONLINEAR_GAIN * first
    return _GAINS.get(operator, 1.0) * first
