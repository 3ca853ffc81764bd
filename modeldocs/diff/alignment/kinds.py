"""Kinds of nodes: layers that are told alike share one form and its labels."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from modeldocs.diff.alignment.digests import number
from modeldocs.diff.alignment.labels import Label, labels
from modeldocs.diff.function.forms import INPUT, Form, form
from modeldocs.diff.function.windows import input_shape, output_shape
from modeldocs.graph import Dim, GraphInput, Layer


@dataclass
class Kind:
    """What a node is by itself: its function, its label at each level, what it sees and makes.

    `reads` and `makes` are the shapes of its first operand and output, None where unknown.
    """

    form: Form
    labels: tuple[Label, ...]
    reads: tuple[Dim, ...] | None
    makes: tuple[Dim, ...] | None

    @cached_property
    def numbers(self) -> tuple[int, ...]:
        """The digest of each label."""
        return tuple(number((level, label)) for level, label in enumerate(self.labels))


class Kinds:
    """The kinds of one graph, made once each; `batch` is its batch size."""

    def __init__(self, batch: Dim) -> None:
        self.batch = batch
        self._known: dict[object, Kind] = {}

    def of_input(self, entry: GraphInput) -> Kind:
        """The kind of a graph input."""
        return self._kind(Form(INPUT, (), (), ()), None, entry.type.shape)

    def of_layer(self, layer: Layer) -> Kind:
        """The kind of a layer."""
        shapes = input_shape(layer), output_shape(layer)
        learned = [(parameter.role, parameter.shape) for parameter in layer.parameters]
        key = (layer.operator, repr(layer.attributes), *shapes, *learned)
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = self._kind(form(layer), *shapes)
        return found

    def _kind(
        self, told: Form, reads: tuple[Dim, ...] | None, makes: tuple[Dim, ...] | None
    ) -> Kind:
        return Kind(told, labels(told, makes, self.batch), reads, makes)
