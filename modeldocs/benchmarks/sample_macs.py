"""The work of a recorded run: the multiply-accumulates of one sample, from the network's graph."""

from __future__ import annotations

from modeldocs.benchmarks import groups
from modeldocs.benchmarks.record import Record
from modeldocs.ir import LayerGraph


def sample_macs(record: Record, graph: LayerGraph) -> int | None:
    """Multiply-accumulates of one sample forward.

    None where the run's input has another size than the graph's, or a layer's are unknown.
    """
    own = graph.inputs[0].type.shape if len(graph.inputs) == 1 else None
    if own is None or groups.size(record) != tuple(own[1:]):
        return None
    counts = [layer.macs for layer in graph.layers]
    return None if None in counts else sum(count or 0 for count in counts)
