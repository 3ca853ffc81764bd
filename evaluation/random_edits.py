"""Random edits of a network: of each kind, with values that may fit or not."""

from __future__ import annotations

from random import Random
from typing import Final

from modeldocs import edits
from modeldocs.edits import (
    Edit,
    InsertLayer,
    RemoveLayer,
    RepeatBlock,
    ResizeInput,
    SetAttribute,
)
from modeldocs.edits.attributes import activations
from modeldocs.fold import fold
from modeldocs.ir import Layer, LayerGraph, operators

_KINDS: Final = ("set", "set", "set", "remove", "insert", "repeat", "input")
_WINDOW: Final = ("kernel_shape", "strides", "dilations", "pads")


class RandomEdits:
    """Edits of one network, by chance."""

    def __init__(self, graph: LayerGraph, chance: Random) -> None:
        self.graph, self.chance = graph, chance
        self.repeats = [one for one in fold(graph).groups() if one.kind == "repeat"]
        self.blocks = [one for one in fold(graph).groups() if one.kind == "block"]

    def some(self, count: int) -> list[Edit]:
        """That many edits."""
        return [self._one() for _ in range(count)]

    def _one(self) -> Edit:
        kind = self.chance.choice(_KINDS)
        if kind == "repeat" and self.repeats:
            group = self.chance.choice(self.repeats)
            return RepeatBlock(block=group.id, count=self.chance.randint(1, len(group.members) + 3))
        if kind == "remove":
            return RemoveLayer(layer=self._removed())
        if kind == "insert":
            return self._insert()
        if kind == "input":
            return self._input()
        return self._set(self.chance.choice(self.graph.layers))

    def _removed(self) -> str:
        if self.blocks and self.chance.random() < 0.3:
            return self.chance.choice(self.blocks).id
        return self.chance.choice(self.graph.layers).id

    def _insert(self) -> Edit:
        operator = self.chance.choice(edits.operators_that_fit())
        settings = {}
        if operator == "Conv":
            settings = {"channels": str(self.chance.choice((8, 24, 64)))}
        return InsertLayer(
            after=self.chance.choice(self.graph.layers).id, operator=operator, settings=settings
        )

    def _input(self) -> Edit:
        one = self.chance.choice(self.graph.inputs)
        shape = tuple(
            dim if dim < 8 else max(1, dim + self.chance.choice((-32, -8, -1, 1, 8, 32, 64)))
            for dim in (dim if isinstance(dim, int) else 1 for dim in one.type.shape or ())
        )
        return ResizeInput(name=one.name, shape=shape)

    def _set(self, layer: Layer) -> Edit:
        names = self._settings(layer)
        name = self.chance.choice(names) if names else "axis"
        return SetAttribute(layer=layer.id, attribute=name, value=self._value(layer, name))

    def _settings(self, layer: Layer) -> list[str]:
        one = operators.of(layer.operator)
        names = [name for name in layer.attributes if name != "indices"]
        if one.family == "convolution":
            names += ["channels"] * 2
        if one.family == "linear":
            names += ["units"] * 2
        if one.family == "activation" and one.unary:
            names += ["operator"]
        if layer.operator == "Attention":
            names += ["heads"]
        return names

    def _value(self, layer: Layer, name: str) -> str:
        if name in _WINDOW:
            numbers = (0, 1, 2, 3) if name == "pads" else (1, 2, 3, 5)
            return str(self.chance.choice(numbers))
        if name in ("channels", "units"):
            return str(self.chance.choice((1, 10, 32, 48, 96, 100, 128, 256, 512, 1024)))
        if name == "operator":
            return self.chance.choice(activations())
        if isinstance(layer.attributes.get(name), float) or name == "epsilon":
            return str(self.chance.choice((1e-3, 1e-5, 0.1, 0.5, 2.0)))
        return str(self.chance.choice((1, 2, 3, 4, 8)))
