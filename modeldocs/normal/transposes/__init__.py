"""Transposes cancelled: a graph with channels last, computed with channels first.

Loaders of frameworks that keep channels last put a Transpose before and behind every operator
that ONNX has with channels first only. Between two of them lie operators that compute the same in
any order of axes: a *region* of values that are one order of axes apart. A region is computed in
the order that leaves the fewest Transposes, and these stand at its borders: before a Flatten, say,
where the order of elements matters.
"""

from __future__ import annotations

import onnx_ir as ir

from modeldocs.normal.building import Builder
from modeldocs.normal.transposes import regions
from modeldocs.normal.transposes.moving import Move


def cancel(model: ir.Model) -> None:
    """Compute every region in its cheapest order of axes."""
    found = regions.find(model.graph)
    if not found:
        return
    builder = Builder(model.graph)
    positions = {node: index for index, node in enumerate(model.graph)}
    for region in found:
        order = region.cheapest()
        if order is not None:
            Move(region, order, builder, positions).apply()
