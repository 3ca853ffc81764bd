"""The roofline of a port: the work of each layer, and what devices can do at most."""

from __future__ import annotations

from modeldocs.benchmarks.devices import DEVICES, short_name
from modeldocs.ir import LayerGraph
from modeldocs.site.port.moved_bytes import moved_bytes
from modeldocs.site.port.timing import PortTiming


def content(graph: LayerGraph, timing: PortTiming | None) -> dict[str, object]:
    """What the page's script draws.

    `layers` have id, name, operator, operations (two for each multiply-accumulate), bytes of
    activations that are moved, bytes of parameters, and microseconds of forward in the recorded run
    or None; those whose work is not known or nothing are left out. `devices` have name, operations
    per second in float32 and in 16 bits (None without such units), and bytes per second of memory.
    `batch` is that of the graph.
    """
    rows = []
    for layer in graph.layers:
        moved = moved_bytes(layer)
        if layer.macs is not None and moved.total:
            cells = timing.of_layer(layer.id) if timing is not None else None
            us = cells.times.forward_us if cells is not None else None
            sizes = (moved.activations, moved.parameters)
            rows.append([layer.id, layer.name, layer.operator, 2 * layer.macs, *sizes, us])
    return {
        "layers": rows,
        "devices": [
            [short_name(name), one.float32, one.half, one.bandwidth]
            for name, one in sorted(DEVICES.items(), key=lambda item: -item[1].year)
        ],
        "batch": _batch(graph),
        "run": timing.measured if timing is not None else None,
    }


def _batch(graph: LayerGraph) -> int:
    shape = graph.inputs[0].type.shape if graph.inputs else None
    first = shape[0] if shape else None
    return first if isinstance(first, int) and first > 0 else 1
