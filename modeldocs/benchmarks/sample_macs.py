"""The work of a recorded run: the multiply-accumulates of one sample, from the network's graph."""

from __future__ import annotations

from modeldocs.benchmarks import groups
from modeldocs.benchmarks.input_layout import channels_first
from modeldocs.benchmarks.record import Record
from modeldocs.ir import LayerGraph


def input_size(graph: LayerGraph) -> tuple[int | str | None, ...] | None:
    """The sizes of a network's only input without its batch, channels first; None if unknown."""
    shape = graph.inputs[0].type.shape if len(graph.inputs) == 1 else None
    return None if shape is None else channels_first(shape)[1:]


def sample_macs(record: Record, graph: LayerGraph) -> int | None:
    """Multiply-accumulates of one sample forward.

    None where the run's input has another size than the graph's, or a layer's are unknown.
    """
    own = input_size(graph)
    if own is None or groups.size(record) != own:
        return None
    counts = [layer.macs for layer in graph.layers]
    return None if None in counts else sum(count or 0 for count in counts)
