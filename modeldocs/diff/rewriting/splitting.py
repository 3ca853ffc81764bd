"""Fused projections and Splits in parts, each part a layer.

Ports differ in whether queries, keys and values (or a gate and its value) are slices of one
projection or several projections, and in whether it is sliced by one Split or by Slices. In parts,
all of them are the same graph. The parts exist in the comparison alone; `SplitGraph.origins` leads
back to the layers of the port.
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
    """A graph in parts; `source` is the graph that was split.

    By id of a part, `origins` are the layers of `source` that it belongs to, `spans` its span.
    """

    source: LayerGraph
    graph: LayerGraph
    origins: dict[str, tuple[str, ...]] = field(default_factory=dict)
    spans: dict[str, Span] = field(default_factory=dict)
    ranks: dict[str, int] = field(default_factory=dict)
    """By id of a part: its number among the parts of its layer, from 0."""

    @cached_property
    def operators(self) -> dict[str, str]:
        """The operator of each layer of `source`."""
        return {layer.id: layer.operator for layer in self.source.layers}

    def ids(self, one: str) -> tuple[str, ...]:
        """The layers of `source` that a layer stands for."""
        return self.origins.get(one, (one,))


def split_projections(graph: LayerGraph, fused: frozenset[str] = frozenset()) -> SplitGraph:
    """The graph with each Split as Slices, and projections that are only sliced as several.

    The projections `fused` are left whole.

    Raises:
        ModeldocsError: as `topological` does.
    """
    if not any(layer.operator in SLICING for layer in graph.layers):
        return SplitGraph(graph, graph)
    return _Splitting(graph, fused).run()


class _Splitting:
    def __init__(self, graph: LayerGraph, fused: frozenset[str]) -> None:
        self.graph, self.fused = graph, fused
        self.layers = {layer.id: layer for layer in topological(graph)}
        self.slices: dict[str, list[TensorSlice]] = {}
        """The slice that each output is, by layer that only slices."""
        self.readers: dict[str, list[str]] = defaultdict(list)
        """By layer: what reads it, "" where that is an output of the graph, or reads it
        rearranged."""
        for layer in self.layers.values():
            for operand in layer.inputs:
                reader = "" if is_rearranged(layer, operand) else layer.id
                self.readers[operand.value].append(reader)
            if layer.operator in SLICING and (slices := slices_of(layer)):
                self.slices[layer.id] = slices
        for output in graph.outputs:
            self.readers[output.source.value].append("")
        self.read = {(o.value, o.output) for layer in self.layers.values() for o in layer.inputs}
        self.read |= {(o.source.value, o.source.output) for o in graph.outputs}
        self.split = SplitGraph(graph, graph)
        self.places: dict[tuple[str, int], tuple[str, tuple[Step, ...]]] = {}
        """What replaces an output of a layer: a part, and the steps from it."""

    def run(self) -> SplitGraph:
        layers: list[Layer] = []
        absorbed: set[str] = set()
        for layer in self.layers.values():
            if layer.id in absorbed:
                continue
            addition = self._bias_addition(layer)
            spans, period = self._spans(layer, addition)
            if spans:
                slicing = tuple(dict.fromkeys(self.readers[(addition or layer).id]))
                absorbed.update(slicing)
                if addition is not None:
                    absorbed.add(addition.id)
                layers += self._projections(layer, addition, spans, period, slicing)
            elif layer.operator == "Split" and layer.id in self.slices:
                layers += self._as_slices(layer)
            elif layer.id in self.slices:
                layers.append(as_slice(layer, layer.id, self.slices[layer.id][0]))
            else:
                layers.append(layer)
        self.split.graph = msgspec.structs.replace(
            self.graph,
            layers=tuple(self._redirected(layer) for layer in layers),
            outputs=tuple(
                msgspec.structs.replace(output, source=self._operand(output.source))
                for output in self.graph.outputs
            ),
        )
        return self.split

    def _bias_addition(self, layer: Layer) -> Layer | None:
        """The sum that adds a projection's bias, where that is a layer of its own."""
        readers = self.readers[layer.id]
        addition = self.layers.get(readers[0]) if len(readers) == 1 else None
        if addition is None or addition.operator != "Add" or layer.operator not in CHANNELS:
            return None
        sizes = [[dim for dim in parameter.shape if dim != 1] for parameter in addition.parameters]
        shape = (layer.outputs[0].shape or (None,)) if layer.outputs else (None,)
        axis, _ = CHANNELS[layer.operator]
        plain = len(layer.parameters) == 1 == len(addition.inputs) and not addition.attributes
        return addition if plain and sizes == [[shape[axis]]] else None

    def _spans(self, layer: Layer, addition: Layer | None) -> tuple[list[Span], int]:
        """The spans that a projection is completely sliced into, and their period.

        No spans where it is not sliced, or read otherwise too.
        """
        readers = self.readers[(addition or layer).id]
        if layer.operator not in CHANNELS or not readers or len(layer.outputs) != 1:
            return [], 0
        if layer.id in self.fused:
            return [], 0
        if any(reader not in self.slices for reader in readers) or not is_divisible(layer):
            return [], 0
        shape = layer.outputs[0].shape or ()
        axis = CHANNELS[layer.operator][0] % len(shape)
        slices = [part for reader in dict.fromkeys(readers) for part in self.slices[reader]]
        distinct = {part.of_channels(shape, axis) for part in slices}
        known = [one for one in distinct if one is not None]
        periods = {period for _, period in known}
        if len(known) < max(len(distinct), 2) or len(periods) != 1:
            return [], 0
        spans = sorted(span for span, _ in known)
        (period,) = periods
        complete = [0, *(end for _, end in spans)] == [*(start for start, _ in spans), period]
        return (spans, period) if complete else ([], 0)

    def _projections(
        self,
        layer: Layer,
        addition: Layer | None,
        spans: list[Span],
        period: int,
        slicing: tuple[str, ...],
    ) -> Iterator[Layer]:
        """One projection for each span; they replace the layer and those that slice it."""
        origins = (layer.id, *((addition.id,) if addition else ()), *slicing)
        if addition is not None:
            layer = with_bias(layer, addition)
        names = {span: f"{layer.id}[{place}]" for place, span in enumerate(spans)}
        self.split.ranks |= {names[span]: place for place, span in enumerate(spans)}
        parts = {name: part_of(layer, name, span, period) for span, name in names.items()}
        shape = layer.outputs[0].shape or ()
        axis = CHANNELS[layer.operator][0] % len(shape)
        for reader in slicing:
            for output, part in enumerate(self.slices[reader]):
                channels = part.of_channels(shape, axis)
                name = names[channels[0]] if channels is not None else ""
                self.places[reader, output] = name, _steps(parts[name].outputs[0], part.type)
        for span, name in names.items():
            self.split.origins[name] = origins
            self.split.spans[name] = span
        yield from parts.values()

    def _as_slices(self, layer: Layer) -> Iterator[Layer]:
        """One Slice for each output of a Split that is read."""
        for output, part in enumerate(self.slices[layer.id]):
            if (layer.id, output) in self.read:
                name = f"{layer.id}[{output}]"
                self.places[layer.id, output] = name, ()
                self.split.origins[name] = (layer.id,)
                self.split.spans[name] = part.span
                self.split.ranks[name] = output
                yield as_slice(layer, name, part)

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


def _steps(part: TensorType, sliced: TensorType) -> tuple[Step, ...]:
    """The Reshape from a projection's part to the slice's output, if their shapes differ."""
    if part.shape == sliced.shape or part.shape is None or sliced.shape is None:
        return ()
    return (Reshape(before=part.shape, after=sliced.shape),)


def _simplified(steps: tuple[Step, ...], operand: Operand) -> tuple[Step, ...]:
    """All steps from a part to an operand; none where Reshapes come to nothing."""
    every = (*steps, *operand.steps)
    reshapes = [step for step in every if isinstance(step, Reshape) and step.operator == "Reshape"]
    if not steps or len(reshapes) < len(every):
        return every
    return () if reshapes[0].before == reshapes[-1].after else every
