"""Operators of complex numbers that torch's exporter cannot write, as those of their two parts."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import torch


def pad_parts(exported: torch.export.ExportedProgram) -> None:
    """Write each pad of complex numbers by zeros as one of real numbers with an axis more.

    The axis of real and imaginary part is the last one, which is not padded.
    """
    import torch

    aten = torch.ops.aten
    graph = exported.graph
    for node in list(graph.nodes):
        if node.target not in (aten.pad.default, aten.constant_pad_nd.default):
            continue
        source, pads, *filling = node.args
        if not node.meta["val"].is_complex() or filling not in ([], ["constant"]) or node.kwargs:
            continue
        with graph.inserting_before(node):
            parts = graph.call_function(aten.view_as_real.default, (source,))
            parts.meta = {**node.meta, "val": torch.view_as_real(source.meta["val"])}
            padded = graph.call_function(aten.constant_pad_nd.default, (parts, [0, 0, *pads]))
            padded.meta = {**node.meta, "val": torch.view_as_real(node.meta["val"])}
        node.target, node.args, node.kwargs = aten.view_as_complex.default, (padded,), {}
