"""Bytes of activations that are alive while each layer runs, and where they peak."""

from __future__ import annotations

from collections import defaultdict

from modeldocs.ir import LayerGraph

_Tensor = tuple[str, int]
"""Id of an input or a layer, and which of its outputs."""


def live_bytes(graph: LayerGraph) -> tuple[int | None, ...]:
    """Bytes that are alive while each layer runs, by the rules of `ir.Totals`.

    These are its outputs, and all earlier tensors that it, a later layer or an output of the graph
    reads. All are None where the size of a tensor is unknown.
    """
    sizes = _sizes(graph)
    last = _last_reads(graph)
    if any(sizes.get(tensor) is None for tensor in [*sizes, *last]):
        return (None,) * len(graph.layers)
    known = {tensor: size or 0 for tensor, size in sizes.items()}
    freed: dict[int, list[_Tensor]] = defaultdict(list)
    for tensor, place in last.items():
        freed[place].append(tensor)
    alive = sum(known[source.id, 0] for source in graph.inputs if (source.id, 0) in last)
    result = []
    for place, layer in enumerate(graph.layers):
        outputs = [(layer.id, index) for index in range(len(layer.outputs))]
        alive += sum(known[tensor] for tensor in outputs)
        result.append(alive)
        unread = [tensor for tensor in outputs if tensor not in last]
        alive -= sum(known[tensor] for tensor in (*freed[place], *unread))
    return tuple(result)


def peak_index(live: tuple[int | None, ...]) -> int | None:
    """Index of the first layer at which the most is alive; None where that is unknown."""
    known = [size for size in live if size is not None]
    return live.index(max(known)) if known else None


def _sizes(graph: LayerGraph) -> dict[_Tensor, int | None]:
    sizes = {(source.id, 0): source.type.bytes for source in graph.inputs}
    for layer in graph.layers:
        sizes |= {(layer.id, index): output.bytes for index, output in enumerate(layer.outputs)}
    return sizes


def _last_reads(graph: LayerGraph) -> dict[_Tensor, int]:
    """Index of the last layer that reads a tensor; the number of layers for the graph's outputs."""
    last: dict[_Tensor, int] = {}
    for place, layer in enumerate(graph.layers):
        last |= {(operand.value, operand.output): place for operand in layer.inputs}
    outputs = (output.source for output in graph.outputs)
    return last | {(source.value, source.output): len(graph.layers) for source in outputs}
