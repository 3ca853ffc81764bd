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
from typing import Any, Final

import msgspec

from modeldocs.diff.alignment.order import topological
from modeldocs.graph import Layer, LayerGraph, Operand, Parameter, TensorType

CUTTING: Final = frozenset({"Split", "Slice"})
"""Operators that give parts of a tensor."""

_CHANNELS: Final = {"Gemm": (-1, 0), "MatMul": (-1, -1), "Conv": (1, 0)}
"""Axis of a product's output that is cut, and that axis of its weight."""

_ALONG_CHANNELS: Final = frozenset({"weight", "bias"})

Span = tuple[int, int]
"""First channel of a part, and the first behind it."""


@dataclass
class Parts:
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


@dataclass(frozen=True, slots=True)
class _Cut:
    """One part of a tensor: what is cut, along which axis, where, and what comes out."""

    operand: Operand
    axis: int
    span: Span
    type: TensorType


def take_apart(graph: LayerGraph) -> Parts:
    """The graph with each Split as Slices, and products that are only cut as several.

    Raises:
        ModeldocsError: as `topological` does.
    """
    if not any(layer.operator in CUTTING for layer in graph.layers):
        return Parts(graph, graph)
    return _TakingApart(graph).run()


class _TakingApart:
    def __init__(self, graph: LayerGraph) -> None:
        self.graph = graph
        self.layers = {layer.id: layer for layer in topological(graph)}
        self.cuts: dict[str, list[_Cut]] = {}
        """By layer: what each of its outputs cuts out; of layers that only cut."""
        self.readers: dict[str, list[str]] = defaultdict(list)
        for layer in self.layers.values():
            for operand in layer.inputs:
                self.readers[operand.value].append("" if operand.notes else layer.id)
            if layer.operator in CUTTING and (cuts := _cuts(layer)):
                self.cuts[layer.id] = cuts
        for output in graph.outputs:
            self.readers[output.source.value].append("")
        self.read = {(o.value, o.output) for layer in self.layers.values() for o in layer.inputs}
        self.read |= {(o.source.value, o.source.output) for o in graph.outputs}
        self.made = Parts(graph, graph)
        self.places: dict[tuple[str, int], str] = {}
        """The part that stands for an output of a layer that was taken apart."""

    def run(self) -> Parts:
        layers: list[Layer] = []
        absorbed: set[str] = set()
        for layer in self.layers.values():
            if layer.id in absorbed:
                continue
            shift = self._shift(layer)
            spans = self._spans(layer, shift)
            if spans:
                cutting = tuple(dict.fromkeys(self.readers[(shift or layer).id]))
                absorbed.update(cutting)
                if shift is not None:
                    absorbed.add(shift.id)
                layers += self._products(layer, shift, spans, cutting)
            elif layer.operator == "Split" and layer.id in self.cuts:
                layers += self._slices(layer)
            elif layer.id in self.cuts:
                layers.append(_slice(layer, layer.id, self.cuts[layer.id][0]))
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
        if shift is None or shift.operator != "Add" or layer.operator not in _CHANNELS:
            return None
        sizes = [[dim for dim in parameter.shape if dim != 1] for parameter in shift.parameters]
        shape = (layer.outputs[0].shape or (None,)) if layer.outputs else (None,)
        axis, _ = _CHANNELS[layer.operator]
        plain = len(layer.parameters) == 1 == len(shift.inputs) and not shift.attributes
        return shift if plain and sizes == [[shape[axis]]] else None

    def _spans(self, layer: Layer, shift: Layer | None) -> list[Span]:
        """The parts that a product is cut into; empty where it is not, or read otherwise too."""
        readers = self.readers[(shift or layer).id]
        if layer.operator not in _CHANNELS or not readers or len(layer.outputs) != 1:
            return []
        if any(reader not in self.cuts for reader in readers) or not _divisible(layer):
            return []
        shape = layer.outputs[0].shape or ()
        axis, _ = _CHANNELS[layer.operator]
        cuts = [cut for reader in dict.fromkeys(readers) for cut in self.cuts[reader]]
        spans = sorted({cut.span for cut in cuts})
        whole = [0, *(end for _, end in spans)] == [*(start for start, _ in spans), shape[axis]]
        along = all(cut.axis == axis % len(shape) for cut in cuts)
        return spans if along and whole and len(spans) > 1 else []

    def _products(
        self, layer: Layer, shift: Layer | None, spans: list[Span], cutting: tuple[str, ...]
    ) -> Iterator[Layer]:
        whole = (layer.id, *((shift.id,) if shift else ()), *cutting)
        if shift is not None:
            layer = _with_bias(layer, shift)
        names = {span: f"{layer.id}[{place}]" for place, span in enumerate(spans)}
        for reader in cutting:
            for output, cut in enumerate(self.cuts[reader]):
                self.places[reader, output] = names[cut.span]
        for span, name in names.items():
            self.made.whole[name] = whole
            self.made.spans[name] = span
            yield _product(layer, name, span)

    def _slices(self, layer: Layer) -> Iterator[Layer]:
        for output, cut in enumerate(self.cuts[layer.id]):
            if (layer.id, output) in self.read:
                name = f"{layer.id}[{output}]"
                self.places[layer.id, output] = name
                self.made.whole[name] = (layer.id,)
                self.made.spans[name] = cut.span
                yield _slice(layer, name, cut)

    def _redirected(self, layer: Layer) -> Layer:
        if not any((o.value, o.output) in self.places for o in layer.inputs):
            return layer
        return msgspec.structs.replace(layer, inputs=tuple(map(self._operand, layer.inputs)))

    def _operand(self, operand: Operand) -> Operand:
        place = self.places.get((operand.value, operand.output))
        if place is None:
            return operand
        return msgspec.structs.replace(operand, value=place, output=0)


def _cuts(layer: Layer) -> list[_Cut]:
    """What each output cuts out along one axis; empty where that is not known."""
    if len(layer.inputs) != 1 or layer.inputs[0].slot != 0:
        return []
    (operand,) = layer.inputs
    shape = operand.type.shape
    if not shape or not all(isinstance(dim, int) for dim in shape):
        return []
    axis = _axis(layer, len(shape))
    sizes = [(output.shape or ())[axis : axis + 1] for output in layer.outputs]
    if axis < 0 or not all(len(size) == 1 and isinstance(size[0], int) for size in sizes):
        return []
    start = 0 if layer.operator == "Split" else _start(layer, shape[axis])
    if start is None:
        return []
    found = []
    for output, size in zip(layer.outputs, sizes, strict=True):
        end = start + int(size[0] or 0)
        found.append(_Cut(operand, axis, (start, end), output))
        start = end
    return found


def _axis(layer: Layer, rank: int) -> int:
    """The only axis that a layer cuts along, -1 where there are several."""
    if layer.operator == "Split":
        axis = layer.attributes.get("axis", 0)
        return int(axis) % rank
    axis = _sole(layer.attributes.get("axes"))
    return -1 if axis is None else axis % rank


def _start(layer: Layer, size: object) -> int | None:
    """Where a Slice begins; None where it is not known, or the Slice takes not all in a row."""
    start, step = _sole(layer.attributes.get("starts")), _sole(layer.attributes.get("steps", 1))
    if start is None or step != 1 or not isinstance(size, int):
        return None
    return max(start + size, 0) if start < 0 else min(start, size)


def _sole(given: Any) -> int | None:
    """The number of an attribute that has one, by itself or in a list."""
    if isinstance(given, list | tuple) and len(given) == 1:
        given = given[0]
    return given if isinstance(given, int) else None


def _slice(layer: Layer, name: str, cut: _Cut) -> Layer:
    start, end = cut.span
    return msgspec.structs.replace(
        layer,
        id=name,
        operator="Slice",
        inputs=(msgspec.structs.replace(cut.operand, slot=0),),
        outputs=(cut.type,),
        attributes={"axes": cut.axis, "starts": start, "ends": end},
    )


def _divisible(layer: Layer) -> bool:
    """Whether a layer is a product by a weight that it alone has, and nothing else."""
    roles = {parameter.role for parameter in layer.parameters}
    ranks = {len(p.shape) for p in layer.parameters if p.role == "weight"}
    grouped = layer.attributes.get("group", 1) != 1 or layer.attributes.get("transA")
    flat = layer.operator == "Conv" or ranks == {2}
    constant = any(name in _ALONG_CHANNELS | {"C"} for name in layer.attributes)
    known = all(isinstance(dim, int) for dim in layer.outputs[0].shape or (None,))
    return "weight" in roles <= _ALONG_CHANNELS and flat and known and not (grouped or constant)


def _with_bias(layer: Layer, shift: Layer) -> Layer:
    """A product with the bias that a sum behind it adds."""
    (added,) = shift.parameters
    bias = msgspec.structs.replace(added, role="bias", shape=(added.elements,))
    return msgspec.structs.replace(layer, parameters=(*layer.parameters, bias))


def _product(layer: Layer, name: str, span: Span) -> Layer:
    axis, along = _CHANNELS[layer.operator]
    shape = list(layer.outputs[0].shape or ())
    shape[axis] = span[1] - span[0]
    parameters = (
        _piece(parameter, along if parameter.role == "weight" else 0, span)
        for parameter in layer.parameters
    )
    return msgspec.structs.replace(
        layer,
        id=name,
        outputs=(msgspec.structs.replace(layer.outputs[0], shape=tuple(shape)),),
        parameters=tuple(parameters),
    )


def _piece(parameter: Parameter, axis: int, span: Span) -> Parameter:
    shape = list(parameter.shape)
    shape[axis] = span[1] - span[0]
    name = f"{parameter.name}[{span[0]}:{span[1]}]" if parameter.name else ""
    return msgspec.structs.replace(parameter, name=name, shape=tuple(shape))
