"""Size and cost of a whole graph."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence

from modeldocs.ir.layer import GraphInput, GraphOutput, Layer, Parameter, count_values
from modeldocs.struct import Struct


class Totals(Struct, frozen=True):
    """Size and cost of a graph at the shapes that it has; a figure is None where it is not known.

    A parameter that several layers share counts once. `parameters` are trainable values, `buffers`
    the others (running statistics). `macs` are multiply-accumulates of one forward pass.
    `activation_bytes` is the size of all layers' outputs together. `peak_activation_bytes` is the
    most that is alive at once where layers run in the graph's order: while a layer runs, what it
    writes, and each tensor made before it (inputs of the graph among them) that it, a later layer
    or an output of the graph reads. Steps on edges count as views, and nothing is written in place.
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
    """The totals of a graph, whose parameters are given once each."""
    return Totals(
        layers=len(layers),
        parameters=count_values(p for p in parameters if p.trainable),
        buffers=count_values(p for p in parameters if not p.trainable),
        macs=known_sum(layer.macs for layer in layers),
        activation_bytes=known_sum(layer.activation_bytes for layer in layers),
        peak_activation_bytes=_peak(inputs, layers, outputs),
    )


def known_sum(figures: Iterable[int | None]) -> int | None:
    """The sum of some figures; None where one of them is not known."""
    total = 0
    for figure in figures:
        if figure is None:
            return None
        total += figure
    return total


def _peak(
    inputs: Sequence[GraphInput], layers: Sequence[Layer], outputs: Sequence[GraphOutput]
) -> int | None:
    """The most bytes alive at once."""
    sizes = _sizes(inputs, layers)
    last = _last_reads(layers, outputs)
    freed: dict[int, list[_Tensor]] = defaultdict(list)
    for tensor, place in last.items():
        freed[place].append(tensor)
    if any(sizes.get(tensor) is None for tensor in [*sizes, *last]):
        return None
    known = {tensor: size or 0 for tensor, size in sizes.items()}
    live = peak = sum(known[held.id, 0] for held in inputs if (held.id, 0) in last)
    for place, layer in enumerate(layers):
        written = [(layer.id, output) for output in range(len(layer.outputs))]
        live += sum(known[tensor] for tensor in written)
        peak = max(peak, live)
        unread = [tensor for tensor in written if tensor not in last]
        live -= sum(known[tensor] for tensor in (*freed[place], *unread))
    return peak


_Tensor = tuple[str, int]
"""Id of an input or a layer, and which of its outputs."""


def _sizes(inputs: Sequence[GraphInput], layers: Sequence[Layer]) -> dict[_Tensor, int | None]:
    sizes = {(held.id, 0): held.type.bytes for held in inputs}
    for layer in layers:
        sizes |= {(layer.id, place): made.bytes for place, made in enumerate(layer.outputs)}
    return sizes


def _last_reads(layers: Sequence[Layer], outputs: Sequence[GraphOutput]) -> dict[_Tensor, int]:
    """The place of the layer that reads a tensor last; behind all for the graph's outputs."""
    last: dict[_Tensor, int] = {}
    for place, layer in enumerate(layers):
        last |= {(operand.value, operand.output): place for operand in layer.inputs}
    sources = (output.source for output in outputs)
    return last | {(source.value, source.output): len(layers) for source in sources}
