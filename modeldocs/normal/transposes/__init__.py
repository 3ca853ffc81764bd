"""Cancellation of Transposes: graphs with channels last are computed with channels first.

Loaders of frameworks with channels last put a Transpose before and after every operator that ONNX
has with channels first only. Between them are operators that compute the same in any order of axes.
These and the Transposes form a *region*. Each region is computed in the order of axes that leaves
the fewest Transposes, which remain at its borders: before a Flatten, for example.
"""

from __future__ import annotations

import onnx_ir as ir

from modeldocs.normal.builder import GraphBuilder
from modeldocs.normal.transposes import regions
from modeldocs.normal.transposes.rewrite import RegionRewrite


def cancel(model: ir.Model) -> None:
    """Compute every region in its cheapest order of axes."""
    graph_regions = regions.find(model.graph)
    if not graph_regions:
        return
    builder = GraphBuilder(model.graph)
    positions = {node: index for index, node in enumerate(model.graph)}
    for region in graph_regions:
        order = region.cheapest()
        if order is not None:
            RegionRewrite(region, order, builder, positions).apply()
