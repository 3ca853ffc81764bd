"""Attention: softmax of scaled products of queries and keys, times values, as one layer.

However it is spelled, it reads queries, keys and values of batch x length x (heads · size), with
the number of heads as an attribute: how a framework takes the heads apart is no layer.
"""

from __future__ import annotations

import onnx_ir as ir

from modeldocs.normal import values
from modeldocs.normal.attention import reading, repeats, whole
from modeldocs.normal.building import Builder


def recognise(model: ir.Model) -> None:
    """Put one Attention in place of every one that is spelled out, and all in one layout."""
    builder = Builder(model.graph)
    for node in list(model.graph):
        if node.graph is not None and values.is_operator(node, "Softmax"):
            reading.replace(node, builder)
        elif values.is_operator(node, "Attention"):
            whole.replace(node, builder)
    repeats.unite(model.graph)
