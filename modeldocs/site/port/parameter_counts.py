"""Parameters of layers, each counted once, so that the figures of a table add up."""

from __future__ import annotations

from collections.abc import Iterable

from modeldocs.cache_last import remembered
from modeldocs.ir import Layer, LayerGraph, Parameter
from modeldocs.ir.layer import count_values
from modeldocs.struct import Struct


class Counted(Struct, frozen=True):
    """Values that a layer adds to the totals of its graph.

    `parameters` are trained, `statistics` are not (running means and variances). A figure is None
    where a shape is unknown. `shared` are the parameters that an earlier layer has, too; they
    count there.
    """

    parameters: int | None = 0
    statistics: int | None = 0
    shared: tuple[Parameter, ...] = ()


@remembered
def counted(graph: LayerGraph) -> list[Counted]:
    """What each layer of a graph adds; a shared parameter counts where it is first used."""
    return [
        _counted(layer, own)
        for layer, own in zip(graph.layers, graph.own_parameters().values(), strict=True)
    ]


def _counted(layer: Layer, own: tuple[Parameter, ...]) -> Counted:
    names = {one.name for one in own}
    return Counted(
        parameters=count_values(one for one in own if one.trainable),
        statistics=count_values(one for one in own if not one.trainable),
        shared=tuple(one for one in layer.parameters if one.name not in names),
    )


def known(figures: Iterable[int | None]) -> int:
    """The sum of the figures that are known."""
    return sum(figure or 0 for figure in figures)
