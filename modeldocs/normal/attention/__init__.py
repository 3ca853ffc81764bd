"""Attention: softmax of scaled products of queries and keys, times values, as one layer.

Its operands are always of shape (batch, length, heads · size), and the number of heads is an
attribute: the Reshapes and Transposes by which a framework splits heads are not layers.
"""

from __future__ import annotations

import onnx_ir as ir

from modeldocs.normal import values
from modeldocs.normal.attention import decomposition, operators, shared_masks
from modeldocs.normal.builder import GraphBuilder


def recognise(model: ir.Model) -> None:
    """Replace decomposed attention by Attention layers, and bring all of them to one layout."""
    builder = GraphBuilder(model.graph)
    for node in list(model.graph):
        if node.graph is not None and values.is_operator(node, "Softmax"):
            decomposition.replace(node, builder)
        elif values.is_operator(node, "Attention"):
            operators.replace(node, builder)
    shared_masks.unite(model.graph)
