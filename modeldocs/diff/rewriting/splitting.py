"""Splits and the products before them taken apart: each part a layer of its own.

Ports differ in whether queries, keys and values (or a gate and its value) come of one product
that is cut, or of several, and in whether it is cut by one Split or by Slices. Taken apart, all of
them are the same graph. The parts are layers of the comparison alone; `Parts.whole` leads back.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

import msgspec

from modeldocs.diff.rewriting.projections import CHANNELS, is_divisible, part_of, with_bias
from modeldocs.diff.rewriting.slices import (
    SLICING,
    Span,
    TensorSlice,
    as_slice,
    is_rearranged,
    slices_of,
)
from modeldocs.diff.rewriting.topology import topological
from modeldocs.ir import Layer, LayerGraph, Operand, Reshape, Step, TensorType


@dataclass
class SplitGraph:
    """A graph taken apart. `source` is the graph it was made of.

    `whole` gives the layers of `source` that a part stands for, `spans` what of the whole it is.
    """

    source: LayerGraph
    graph: LayerGraph
    whole: dict[str, tuple[str, ...]] = field(default_factory=dict)
    spans: dict[str, Span] = field(default_factory=dict)

    @cached_property
    def operators(self) -> dict[str, str]:
        """The operator of each layer of `source`."""
        return {layer.id: layer.operator for layer in self.source.layers}

    def ids(self, one: str) -> tuple[str, ...]:
        """The layers of `source` that a layer stands for."""
        return self.whole.get(one, (one,))


def split_projections(graph: LayerGraph, whole: frozenset[str] = frozenset()) -> SplitGraph:
    """The graph with each Split as Slices, and products that are only cut as several.

    `whole` are products to leave as they are.

    Raises:
        ModeldocsError: as `topological` does.
    """
    if not any(layer.operator in SLICING for layer in graph.layers):
        return SplitGraph(graph, graph)
    return _TakingApart(graph, whole).run()


class _TakingApart:
    def __init__(self, graph: LayerGraph, whole: frozenset[str]) -> None:
        self.graph, self.whole = graph, whole
        self.layers = {layer.id: layer for layer in topological(graph)}
        self.slices_of: dict[str, list[TensorSlice]] = {}
        """By layer: what each of its outputs cuts out; of layers that only cut."""
        self.readers: dict[str, list[str]] = defaultdict(list)
        for layer in self.layers.values():
            for operand in layer.inputs:
                self.readers[operand.value].append(
                    "" if is_rearranged(layer, operand) else layer.id
                )
            if layer.operator in SLICING and (taken := slices_of(layer)):
                self.slices_of[layer.id] = taken
        for output in graph.outputs:
            self.readers[output.source.value].append("")
        self.read = {(o.value, o.output) for layer in self.layers.values() for o in layer.inputs}
        self.read |= {(o.source.value, o.source.output) for o in graph.outputs}
        self.made = SplitGraph(graph, graph)
        self.places: dict[tuple[str, int], tuple[str, tuple[Step, ...]]] = {}
        """What stands for an output of a layer that was taken apart: a part, and steps from it."""

    def run(self) -> SplitGraph:
        layers: list[Layer] = []
        absorbed: set[str] = set()
        for layer in self.layers.values():
            if layer.id in absorbed:
                continue
            shift = self._shift(layer)
            spans, period = self._spans(layer, shift)
            if spans:
                cutting = tuple(dict.fromkeys(self.readers[(shift or layer).id]))
                absorbed.update(cutting)
                if shift is not None:
                    absorbed.add(shift.id)
                layers += self._products(layer, shift, spans, period, cutting)
            elif layer.operator == "Split" and layer.id in self.slices_of:
                layers += self._slices(layer)
            elif layer.id in self.slices_of:
                layers.append(as_slice(layer, layer.id, self.slices_of[layer.id][0]))
            else:
                layers.append(layer)
        graph = msgspec.structs.replace(
            self.graph,
            layers=tuple(self._redirected(layer) for layer in layers),
            outputs=tuple(
                msgspec.structs.replace(output, source=self._operand(output.source))
                for output in self.graph.outputs
            ),
        )
        self.made.graph = graph
        return self.made

    def _shift(self, layer: Layer) -> Layer | None:
        """The sum that adds a product's bias, where that is a layer of its own."""
        readers = self.readers[layer.id]
        shift = self.layers.get(readers[0]) if len(readers) == 1 else None
        if shift is None or shift.operator != "Add" or layer.operator not in CHANNELS:
            return None
        sizes = [[dim for dim in parameter.shape if dim != 1] for parameter in shift.parameters]
        shape = (layer.outputs[0].shape or (None,)) if layer.outputs else (None,)
        axis, _ = CHANNELS[layer.operator]
        plain = len(layer.parameters) == 1 == len(shift.inputs) and not shift.attributes
        return shift if plain and sizes == [[shape[axis]]] else None

    def _spans(self, layer: Layer, shift: Layer | None) -> tuple[list[Span], int]:
        """The parts that a product is cut into, and the period that they are told of.

        There are none where it is not cut, or read otherwise too.
        """
        readers = self.readers[(shift or layer).id]
        if layer.operator not in CHANNELS or not readers or len(layer.outputs) != 1:
            return [], 0
        if layer.id in self.whole:
            return [], 0
        if any(reader not in self.slices_of for reader in readers) or not is_divisible(layer):
            return [], 0
        shape = layer.outputs[0].shape or ()
        axis = CHANNELS[layer.operator][0] % len(shape)
        slices_of = [cut for reader in dict.fromkeys(readers) for cut in self.slices_of[reader]]
        taken = {cut.of_channels(shape, axis) for cut in slices_of}
        found = [one for one in taken if one is not None]
        periods = {period for _, period in found}
        if len(found) < max(len(taken), 2) or len(periods) != 1:
            return [], 0
        spans = sorted(span for span, _ in found)
        (period,) = periods
        whole = [0, *(end for _, end in spans)] == [*(start for start, _ in spans), period]
        return (spans, period) if whole else ([], 0)

    def _products(
        self,
        layer: Layer,
        shift: Layer | None,
        spans: list[Span],
        period: int,
        cutting: tuple[str, ...],
    ) -> Iterator[Layer]:
        whole = (layer.id, *((shift.id,) if shift else ()), *cutting)
        if shift is not None:
            layer = with_bias(layer, shift)
        names = {span: f"{layer.id}[{place}]" for place, span in enumerate(spans)}
        parts = {name: part_of(layer, name, span, period) for span, name in names.items()}
        shape = layer.outputs[0].shape or ()
        axis = CHANNELS[layer.operator][0] % len(shape)
        for reader in cutting:
            for output, cut in enumerate(self.slices_of[reader]):
                taken = cut.of_channels(shape, axis)
                name = names[taken[0]] if taken is not None else ""
                self.places[reader, output] = name, _steps(parts[name].outputs[0], cut.type)
        for span, name in names.items():
            self.made.whole[name] = whole
            self.made.spans[name] = span
        yield from parts.values()

    def _slices(self, layer: Layer) -> Iterator[Layer]:
        for output, cut in enumerate(self.slices_of[layer.id]):
            if (layer.id, output) in self.read:
                name = f"{layer.id}[{output}]"
                self.places[layer.id, output] = name, ()
                self.made.whole[name] = (layer.id,)
                self.made.spans[name] = cut.span
                yield as_slice(layer, name, cut)

    def _redirected(self, layer: Layer) -> Layer:
        if not any((o.value, o.output) in self.places for o in layer.inputs):
            return layer
        return msgspec.structs.replace(layer, inputs=tuple(map(self._operand, layer.inputs)))

    def _operand(self, operand: Operand) -> Operand:
        place = self.places.get((operand.value, operand.output))
        if place is None:
            return operand
        name, steps = place
        steps = _simplified(steps, operand)
        return msgspec.structs.replace(operand, value=name, output=0, steps=steps)


def _steps(made: TensorType, seen: TensorType) -> tuple[Step, ...]:
    """The Reshape from a part to what the cut gave, if they are not of one shape."""
    if made.shape == seen.shape or made.shape is None or seen.shape is None:
        return ()
    return (Reshape(before=made.shape, after=seen.shape),)


def _simplified(steps: tuple[Step, ...], operand: Operand) -> tuple[Step, ...]:
    """All steps from a part to an operand; none where Reshapes come to nothing."""
    every = (*steps, *operand.steps)
    reshapes = [step for step in every if isinstance(step, Reshape) and step.operator == "Reshape"]
    if not steps or len(reshapes) < len(every):
        return every
    return () if reshapes[0].before == reshapes[-1].after else every
