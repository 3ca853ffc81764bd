"""Size and cost of a whole graph."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from modeldocs.ir.layer import GraphInput, GraphOutput, Layer, Parameter, count_values
from modeldocs.struct import Struct


class Totals(Struct, frozen=True):
    """Size and cost of a graph at its shapes; a figure is None where it is unknown.

    A parameter that several layers share counts once. `parameters` are trainable values, `buffers`
    the others (running statistics). `macs` are multiply-accumulates of one forward pass.
    `activation_bytes` is the size of all layers' outputs together. `peak_activation_bytes` is the
    maximum that is alive at once if layers run in the graph's order: while a layer runs, these are
    its outputs, and all earlier tensors (including the graph's inputs) that it, a later layer or an
    output of the graph reads. Steps on edges count as views; no layer works in place.
    """

    layers: int
    parameters: int | None
    buffers: int | None
    macs: int | None
    activation_bytes: int | None
    peak_activation_bytes: int | None


def totals(
    inputs: Sequence[GraphInput],
    layers: Sequence[Layer],
    outputs: Sequence[GraphOutput],
    parameters: Collection[Parameter],
) -> Totals:
    """The totals of a graph; `parameters` holds each parameter once."""
    live = live_bytes(inputs, layers, outputs)
    return Totals(
        layers=len(layers),
        parameters=count_values(p for p in parameters if p.trainable),
        buffers=count_values(p for p in parameters if not p.trainable),
        macs=known_sum(layer.macs for layer in layers),
        activation_bytes=known_sum(layer.activation_bytes for layer in layers),
        peak_activation_bytes=max(live) if live is not None else None,
    )


def known_sum(figures: Iterable[int | None]) -> int | None:
    """The sum of some figures; None where one of them is unknown."""
    total = 0
    for figure in figures:
        if figure is None:
            return None
        total += figure
    return total


def live_bytes(
    inputs: Sequence[GraphInput], layers: Sequence[Layer], outputs: Sequence[GraphOutput]
) -> list[int] | None:
    """Bytes that are alive before the first layer, then while each layer runs: see `Totals`.

    None where the size of a tensor is unknown.
    """
    sizes = _sizes(inputs, layers)
    last = _last_reads(layers, outputs)
    if None in sizes.values() or not last.keys() <= sizes.keys():
        return None
    made, freed = [0] * len(layers), [0] * (len(layers) + 1)
    for tensor, place in last.items():
        freed[place] += sizes[tensor] or 0
    for place, layer in enumerate(layers):
        for output in range(len(layer.outputs)):
            size = sizes[layer.id, output] or 0
            made[place] += size
            if (layer.id, output) not in last:
                freed[place] += size
    live = sum(sizes[source.id, 0] or 0 for source in inputs if (source.id, 0) in last)
    result = [live]
    for new, old in zip(made, freed, strict=False):
        result.append(live + new)
        live += new - old
    return result


_Tensor = tuple[str, int]
"""Id of an input or a layer, and which of its outputs."""


def _sizes(inputs: Sequence[GraphInput], layers: Sequence[Layer]) -> dict[_Tensor, int | None]:
    sizes = {(source.id, 0): source.type.bytes for source in inputs}
    for layer in layers:
        for index, output in enumerate(layer.outputs):
            sizes[layer.id, index] = output.bytes
    return sizes


def _last_reads(layers: Sequence[Layer], outputs: Sequence[GraphOutput]) -> dict[_Tensor, int]:
    """Index of the last layer that reads a tensor; the number of layers for the graph's outputs."""
    last: dict[_Tensor, int] = {}
    for place, layer in enumerate(layers):
        for operand in layer.inputs:
            last[operand.value, operand.output] = place
    sources = (output.source for output in outputs)
    return last | {(source.value, source.output): len(layers) for source in sources}
