"""Shares of a network that its layers and groups have, which colour its drawings."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Final

from modeldocs.fold import fold
from modeldocs.ir import LayerGraph, Parameter, TensorType

MEMORY: Final = "memory"
TIME: Final = "time"
FIGURES: Final = ("macs", "parameters", MEMORY, TIME)
"""What nodes are coloured by: multiply-accumulates, numbers of parameters, bytes of activations and
of parameters, and recorded time.
"""

Figure = Callable[[Collection[str]], float | None]
"""The figure of some layers together; None where it is not known."""


def shares(graph: LayerGraph, figure: str, times: Figure | None = None) -> dict[str, float | None]:
    """The share of each layer by its id, and of each group by `level=` and its id, 0 to 1.

    `times` gives the time of layers, for the figure `time`.
    """
    of = times if times is not None else _summed(graph, figure)
    whole = of([layer.id for layer in graph.layers])
    single = {layer.id: of([layer.id]) for layer in graph.layers}
    groups = {f"level={group.id}": of(list(group.layers())) for group in fold(graph).groups()}
    return {
        name: amount / whole if amount is not None and whole else None
        for name, amount in (single | groups).items()
    }


def memory(graph: LayerGraph) -> dict[str, tuple[int | None, int | None]]:
    """Bytes of the activations and of the parameters of each layer, by its id.

    A parameter that layers share counts at the first of them. None is not known.
    """
    owned = graph.own_parameters()
    return {
        layer.id: (layer.activation_bytes, _parameter_bytes(owned[layer.id]))
        for layer in graph.layers
    }


def _parameter_bytes(parameters: Iterable[Parameter]) -> int | None:
    """Bytes of parameters; None where one is unknown."""
    sizes = [TensorType(shape=one.shape, dtype=one.dtype).bytes for one in parameters]
    known = [size for size in sizes if size is not None]
    return sum(known) if len(known) == len(sizes) else None


def _summed(graph: LayerGraph, figure: str) -> Figure:
    """The sum of a figure; a parameter that layers share counts at the first of them."""
    if figure == MEMORY:
        held = memory(graph)
        return lambda layers: _known_sum([size for layer in layers for size in held[layer]])
    owned = graph.own_parameters()
    amounts: dict[str, float | None] = {
        layer.id: layer.macs
        if figure == "macs"
        else sum(one.elements for one in owned[layer.id] if one.trainable)
        for layer in graph.layers
    }
    return lambda layers: _known_sum([amounts[layer] for layer in layers])


def _known_sum(amounts: Sequence[float | None]) -> float | None:
    known = [amount for amount in amounts if amount is not None]
    return sum(known) if known or not amounts else None
