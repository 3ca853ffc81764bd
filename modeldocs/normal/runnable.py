"""Lowering of the normal form to ONNX that onnxruntime runs.

Normal form has operators that onnxruntime lacks or computes differently, and dense layers over
tensors of any rank. That the lowered model computes the same as before shows that every idiom was
matched correctly.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Sequence

import numpy as np
import onnx
import onnx_ir as ir

from modeldocs.normal import values
from modeldocs.normal.builder import GraphBuilder
from modeldocs.normal.data_movement.permutations import Permutation
from modeldocs.normal.fusions.lp_norms import ADDED, EPSILON_MODE, MINIMUM

_MASKED_SCORE = -1e4
"""An attention score whose softmax is 0, and which is a float16."""


_LOWERED_ATTRIBUTES = frozenset(
    {"is_causal", "kv_num_heads", "q_num_heads", "qk_matmul_output_mode", "scale", "softcap"}
)
"""Attributes of attention that its lowering knows; the mode is that of an output it has not."""


def lower(model: ir.Model) -> None:
    """Replace what onnxruntime cannot run as normal form has it."""
    lowering = _Lowering(model.graph)
    for node in list(model.graph):
        lowering.lower(node)
    for name, value in list(model.graph.initializers.items()):
        if not value.uses() and not value.is_graph_output() and not values.is_parameter(value):
            del model.graph.initializers[name]


class _Lowering:
    """Lowers nodes one by one; `lowerings` are functions by operator that return the new output."""

    def __init__(self, graph: ir.Graph) -> None:
        self.builder = GraphBuilder(graph)
        self.node: ir.Node | None = None
        self.lowerings: dict[str, Callable[[ir.Node], ir.Value]] = {
            "Attention": self._attention,
            "Swish": self._swish,
        }
        self.own_lowerings = {"LpNormalization": self._lp_normalization}

    def lower(self, node: ir.Node) -> None:
        """Replace a node by others that run, or drop attributes that its operator lacks."""
        if node.domain not in values.DEFAULT_DOMAIN:
            return
        self.node = node
        if node.op_type in self.own_lowerings and "epsilon" in node.attributes:
            self._replace(self.own_lowerings[node.op_type](node))
            return
        for name in ("dilations", "epsilon"):
            if name in node.attributes and name not in _attributes(node, self.builder.opset):
                del node.attributes[name]
        if node.op_type == "Gemm" and values.rank(node.outputs[0]) != 2:
            self._replace(self._dense(node))
        elif node.op_type == "Swish" or _is_unsupported(node):
            self._replace(self.lowerings[node.op_type](node))

    def _replace(self, result: ir.Value) -> None:
        node = self.node
        assert node is not None
        output, graph = node.outputs[0], self.builder.graph
        name = output.name
        ir.convenience.replace_all_uses_with(output, result, replace_graph_outputs=True)
        graph.remove(node, safe=True)
        result.name, result.shape, result.type = name, output.shape, output.type

    def _emit(
        self, operator: str, inputs: Sequence[ir.Value | None], *attributes: ir.Attr
    ) -> ir.Value:
        node = self.node
        assert node is not None
        emitted = ir.Node("", operator, inputs, attributes, num_outputs=1)
        emitted.outputs[0].name = self.builder.name(f"{node.outputs[0].name}/{operator}")
        emitted.outputs[0].type = node.outputs[0].type
        self.builder.graph.insert_before(node, emitted)
        return emitted.outputs[0]

    def _number(self, number: float) -> ir.Value:
        assert self.node is not None
        return self.builder.scalar(number, self.node.outputs[0])

    def _transpose(self, value: ir.Value, order: Permutation) -> ir.Value:
        return self._emit("Transpose", [value], ir.AttrInt64s("perm", order))

    def _scale(self, value: ir.Value, factor: float) -> ir.Value:
        return self._emit("Mul", [value, self._number(factor)])

    def _dense(self, node: ir.Node) -> ir.Value:
        x, weight = _input(node, 0), _input(node, 1)
        if values.attribute(node, "transB", 0):
            weight = self._transpose(weight, (1, 0))
        product = self._emit("MatMul", [x, weight])
        bias = values.operand(node, 2)
        return product if bias is None else self._emit("Add", [product, bias])

    def _swish(self, node: ir.Node) -> ir.Value:
        x, alpha = _input(node, 0), values.attribute(node, "alpha", 1.0)
        inner = x if alpha == 1.0 else self._scale(x, alpha)
        return self._emit("Mul", [x, self._emit("Sigmoid", [inner])])

    def _lp_normalization(self, node: ir.Node) -> ir.Value:
        """Divide by the norm as `epsilon_mode` says: ONNX's own operator has no epsilon."""
        x, axis = _input(node, 0), int(values.attribute(node, "axis", -1))
        squares = self._emit("Mul", [x, x])
        summed = self._emit("ReduceSum", [squares, self.builder.numbers([axis], "axes")])
        mode, epsilon = values.attribute(node, EPSILON_MODE, ""), node.attributes["epsilon"].value
        if not mode:
            summed = self._emit("Add", [summed, self._number(epsilon**2)])
        length = self._emit("Sqrt", [summed])
        if mode == ADDED:
            length = self._emit("Add", [length, self._number(epsilon)])
        if mode == MINIMUM:
            length = self._emit("Max", [length, self._number(epsilon)])
        return self._emit("Div", [x, length])

    def _attention(self, node: ir.Node) -> ir.Value:
        """softmax(cap(Q·Kᵀ·scale) + mask)·V of tensors batch x length x (heads · size)."""
        counts = [int(values.attribute(node, f"{kind}_num_heads", 1)) for kind in ("q", "kv")]
        query, key, value = (
            self._split_heads(_input(node, slot), counts[slot > 0]) for slot in range(3)
        )
        if counts[0] != counts[1]:
            key, value = (self._repeat_heads(tensor, *counts) for tensor in (key, value))
        width = (values.shape(node.inputs[0]) or (counts[0],))[-1] // counts[0]
        scale = values.attribute(node, "scale", 1 / math.sqrt(width))
        transposed = self._transpose(key, (0, 1, 3, 2))
        scores = self._emit("MatMul", [self._scale(query, scale), transposed])
        cap = values.attribute(node, "softcap", 0.0)
        if cap:
            scores = self._scale(self._emit("Tanh", [self._scale(scores, 1 / cap)]), cap)
        scores = self._apply_mask(scores, node)
        weights = self._emit("Softmax", [scores], ir.AttrInt64("axis", -1))
        merged = self._transpose(self._emit("MatMul", [weights, value]), (0, 2, 1, 3))
        return self._emit("Reshape", [merged, self.builder.numbers([0, 0, -1], "joined")])

    def _apply_mask(self, scores: ir.Value, node: ir.Node) -> ir.Value:
        masked = self._number(_MASKED_SCORE)
        if values.attribute(node, "is_causal", 0):
            queries = (values.shape(node.inputs[0]) or (1, 1, 1))[1]
            keys = (values.shape(node.inputs[1]) or (1, queries, 1))[1]
            causal = self.builder.constant(np.tri(queries, keys, dtype=bool), f"causal[{queries}]")
            scores = self._emit("Where", [causal, scores, masked])
        mask = values.operand(node, 3)
        if mask is None:
            return scores
        if mask.dtype == ir.DataType.BOOL:
            return self._emit("Where", [mask, scores, masked])
        return self._emit("Add", [scores, mask])

    def _split_heads(self, value: ir.Value, count: int) -> ir.Value:
        """Batch x length x (heads · size) as batch x heads x length x size."""
        shape = self.builder.numbers([0, 0, count, -1], f"heads/{count}")
        return self._transpose(self._emit("Reshape", [value, shape]), (0, 2, 1, 3))

    def _repeat_heads(self, value: ir.Value, wanted: int, count: int) -> ir.Value:
        """Each key or value head repeated for the query heads that share it."""
        places = np.repeat(np.arange(count), wanted // count)
        indices = self.builder.numbers(places.tolist(), f"repeated/{wanted}/{count}")
        return self._emit("Gather", [value, indices], ir.AttrInt64("axis", 1))


def _attributes(node: ir.Node, opset: int) -> Collection[str]:
    """Names of the attributes of an operator in an operator set; the node's own where unknown."""
    try:
        schema = onnx.defs.get_schema(node.op_type, opset)
        return list(schema.attributes)
    except onnx.defs.SchemaError:
        return node.attributes


def _is_unsupported(node: ir.Node) -> bool:
    """Whether it is attention that runtimes do not support, or compute differently.

    They cap scores in different orders, and broadcast no mask over queries or keys. Attention with
    a cache, or over tensors with an axis of heads, stays as it is.
    """
    if node.op_type != "Attention" or not _is_plain_attention(node):
        return False
    shapes = [values.shape(values.operand(node, slot)) for slot in (0, 1, 3)]
    query, key, mask = (dims or () for dims in shapes)
    broadcasts = bool(mask) and mask[-2:] != (*query[1:2], *key[1:2])
    return broadcasts or bool(values.attribute(node, "softcap", 0.0))


def _is_plain_attention(node: ir.Node) -> bool:
    """Whether it reads three tensors of rank 3 and perhaps a mask, has one output, and no attribute
    that its lowering does not know, such as a window.
    """
    has_rank_3 = all(values.rank(values.operand(node, slot)) == 3 for slot in range(3))
    cached = any(value is not None for value in node.inputs[4:])
    is_known = _LOWERED_ATTRIBUTES.issuperset(node.attributes)
    return has_rank_3 and is_known and not cached and not any(v.name for v in node.outputs[1:])


def _input(node: ir.Node, slot: int) -> ir.Value:
    value = node.inputs[slot]
    assert value is not None
    return value
