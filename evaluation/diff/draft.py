"""A graph that edits are made on, and the shapes inferred again after them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from typing import Any

import msgspec

from modeldocs.ir import GraphInput, GraphOutput, Layer, LayerGraph, Operand, TensorType

from .plumbing import Misfit, seen
from .shapes import inferred

replace = msgspec.structs.replace


class Draft:
    """Layers by id, in topological order; those that an edit adds are called `new-1`, `new-2`."""

    def __init__(self, graph: LayerGraph) -> None:
        self.graph = graph
        self.inputs: dict[str, GraphInput] = {entry.id: entry for entry in graph.inputs}
        self.layers: dict[str, Layer] = {layer.id: layer for layer in graph.layers}
        self.outputs: list[GraphOutput] = list(graph.outputs)
        self.was = dict(self.layers)
        self.dirty: set[str] = set()
        self.made = 0

    def copy(self) -> Draft:
        """One that can be edited on its own."""
        twin = Draft.__new__(Draft)
        twin.__dict__.update(self.__dict__)
        twin.inputs, twin.layers = dict(self.inputs), dict(self.layers)
        twin.outputs, twin.dirty = list(self.outputs), set(self.dirty)
        return twin

    def users(self) -> dict[str, list[str]]:
        """Ids of the layers that read each value, each as often as it reads it."""
        found: dict[str, list[str]] = defaultdict(list)
        for layer in self.layers.values():
            for operand in layer.inputs:
                found[operand.value].append(layer.id)
        return found

    def ends(self) -> set[str]:
        """Ids of the values that are outputs of the network."""
        return {output.source.value for output in self.outputs}

    def around(self, name: str) -> set[str]:
        """What a layer reads, what reads it, and what is behind a Dropout beside it."""
        return self._beyond({name}, self.users()) - {name}

    def beside(self, names: Iterable[str]) -> set[str]:
        """What is around any of some layers, these too where they stand beside each other."""
        return self._beyond(set(names), self.users())

    def near(self, name: str) -> set[str]:
        """All within two steps of a layer; Dropouts, which compute nothing, are no step."""
        users, found, edge = self.users(), {name}, {name}
        for _ in range(2):
            edge = self._beyond(edge, users) - found
            found |= edge
        return found

    def _beyond(self, names: set[str], users: dict[str, list[str]]) -> set[str]:
        found: set[str] = set()
        for name in names:
            layer = self.layers.get(name)
            held = {*users[name], *(one.value for one in (layer.inputs if layer else ()))}
            idle = {x for x in held if x in self.layers and self.layers[x].operator == "Dropout"}
            found |= held
            for other in idle:
                found |= {*users[other], *(one.value for one in self.layers[other].inputs)}
        return found

    def put(self, layer: Layer) -> None:
        """Put a layer in the place of the one of its id."""
        self.layers[layer.id] = layer
        self.dirty.add(layer.id)

    def state(self, name: str, **attributes: Any) -> None:
        """Give a layer other attributes."""
        layer = self.layers[name]
        self.put(replace(layer, attributes={**layer.attributes, **attributes}))

    def add(self, after: str, layer: Layer) -> str:
        """Place a layer behind another in the order; gives the id it got."""
        self.made += 1
        name = f"new-{self.made}"
        ids = list(self.layers)
        place = ids.index(after) + 1 if after in self.layers else 0
        items = [(key, self.layers[key]) for key in ids]
        items.insert(place, (name, replace(layer, id=name, name=name)))
        self.layers = dict(items)
        self.dirty.add(name)
        return name

    def remove(self, name: str) -> None:
        """Take a layer of one operand out; its readers read what it read."""
        layer = self.layers.pop(name)
        read = layer.inputs[0]
        self.redirect(name, lambda held: _through(held, read), skip=())

    def redirect(
        self, name: str, change: Callable[[Operand], Operand], skip: tuple[str, ...]
    ) -> None:
        """Change each operand that reads a value, outputs of the network too, but for `skip`."""
        for reader in set(self.users()[name]) - set(skip):
            layer = self.layers[reader]
            inputs = tuple(change(one) if one.value == name else one for one in layer.inputs)
            self.put(replace(layer, inputs=inputs))
        self.outputs = [
            replace(output, source=change(output.source)) if output.source.value == name else output
            for output in self.outputs
        ]

    def settle(self) -> None:
        """Infer shapes again wherever something changed.

        Raises:
            Misfit: the layers do not fit together any more.
        """
        types: dict[str, tuple[TensorType, ...]] = {}
        types.update((entry.id, (entry.type,)) for entry in self.inputs.values())
        changed = set(self.dirty)
        for name, layer in self.layers.items():
            if name in self.dirty or any(one.value in changed for one in layer.inputs):
                inputs = tuple(_retyped(operand, types) for operand in layer.inputs)
                layer = self._settled(replace(layer, inputs=inputs))
                if layer.outputs != self.layers[name].outputs:
                    changed.add(name)
                self.layers[name] = layer
            types[name] = layer.outputs
        self.outputs = [replace(o, source=_retyped(o.source, types)) for o in self.outputs]
        self.dirty.clear()
        self._share()

    def _settled(self, layer: Layer) -> Layer:
        """A layer with what its operands give; as it was where it still reads the same."""
        old = self.was.get(layer.id)
        if old is not None and _computed(old) == _computed(layer):
            return replace(layer, outputs=old.outputs)
        return inferred(layer)

    def _share(self) -> None:
        """Refuse a shared parameter that its layers now want in different shapes."""
        shapes: dict[str, set[tuple[int, ...]]] = defaultdict(set)
        for layer in self.layers.values():
            for parameter in layer.parameters:
                shapes[parameter.name].add(parameter.shape)
        if any(len(found) > 1 for found in shapes.values()):
            raise Misfit("a shared parameter in two shapes")

    def finished(self) -> LayerGraph:
        """The graph as it stands."""
        return replace(
            self.graph,
            inputs=tuple(self.inputs.values()),
            layers=tuple(self.layers.values()),
            outputs=tuple(self.outputs),
        )


def _computed(layer: Layer) -> tuple[object, ...]:
    """All that decides the shapes of what a layer gives."""
    read = [(one.slot, one.type) for one in layer.inputs]
    return layer.operator, layer.attributes, layer.parameters, read


def _through(held: Operand, read: Operand) -> Operand:
    """`held`, which read a layer that is gone, reading what that layer read."""
    steps = read.steps + held.steps
    return replace(held, value=read.value, output=read.output, steps=steps)


def _retyped(operand: Operand, types: dict[str, tuple[TensorType, ...]]) -> Operand:
    kind, steps = seen(types[operand.value][operand.output], operand.steps)
    return replace(operand, type=replace(operand.type, shape=kind.shape), steps=steps)
