"""Kinds of nodes: layers that are told alike share one form and its labels."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from modeldocs.diff.alignment.digests import number
from modeldocs.diff.alignment.labels import Label, labels
from modeldocs.diff.function.attributes import WINDOWED
from modeldocs.diff.function.forms import INPUT, Form, form
from modeldocs.diff.function.windows import input_shape, output_shape
from modeldocs.ir import Dim, GraphInput, Layer


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

    @cached_property
    def follows(self) -> bool:
        """Whether it works on its first operand element by element, and hangs on what made it."""
        told = self.form
        if told.operator in WINDOWED or told.operator == INPUT:
            return False
        if any(sum(dim > 1 for dim in shape) > 1 for _, shape in told.parameters):
            return False
        return self.reads is None or self.makes is None or self.reads == self.makes


class Kinds:
    """The kinds of two graphs, made once each."""

    def __init__(self) -> None:
        self._known: dict[object, Kind] = {}

    def of_input(self, entry: GraphInput, batch: Dim) -> Kind:
        """The kind of an input of a graph, whose batch size is `batch`."""
        return _kind(Form(INPUT, (), (), ()), None, entry.type.shape, batch)

    def of_layer(self, layer: Layer, batch: Dim) -> Kind:
        """The kind of a layer of such a graph."""
        shapes = input_shape(layer), output_shape(layer)
        learned = [(parameter.role, parameter.shape) for parameter in layer.parameters]
        key = (batch, layer.operator, repr(layer.attributes), *shapes, *learned)
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = _kind(form(layer), *shapes, batch)
        return found


def _kind(
    told: Form, reads: tuple[Dim, ...] | None, makes: tuple[Dim, ...] | None, batch: Dim
) -> Kind:
    return Kind(told, labels(told, makes, batch), reads, makes)
