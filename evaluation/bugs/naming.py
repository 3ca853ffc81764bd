"""Layers by what a porter would call them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable

from modeldocs.ir import Layer, LayerGraph


class Names:
    """Finds a layer by its module or one of its parameters, or as the nearest to such a one."""

    def __init__(self, graph: LayerGraph) -> None:
        self.layers = {layer.id: layer for layer in graph.layers}
        self.inputs = {one.name: one.id for one in graph.inputs}
        self.readers: dict[str, list[str]] = defaultdict(list)
        for layer in graph.layers:
            for operand in layer.inputs:
                self.readers[operand.value].append(layer.id)

    def find(self, text: str) -> str:
        """The id of a layer; the text itself where there is none such.

        `conv1` has a parameter or a name that begins so; `conv1 > Relu` is the nearest Relu that
        reads it, `head < MaxPool` the nearest MaxPool that it reads.
        """
        for sign in (" > ", " < "):
            start, found, operator = text.partition(sign)
            if found:
                return self._nearest(self._held(start), operator, ahead=sign == " > ") or text
        return self._held(text) or self.inputs.get(text, text)

    def between(self, texts: tuple[str, ...]) -> set[str]:
        """The ids of the layers that lead from all but the last of some layers to the last, and
        the last.
        """
        *starts, end = (self.find(text) for text in texts)
        behind = self._reached(starts, self.readers.__getitem__)
        before = self._reached([end], lambda name: _read(self.layers[name]))
        return {*(behind & before), end}

    def _reached(self, starts: list[str], step: Callable[[str], list[str]]) -> set[str]:
        """The layers behind some, by the step to the next ones."""
        waiting, reached = list(starts), set[str]()
        while waiting:
            name = waiting.pop()
            if name in self.layers or name in self.readers:
                fresh = [one for one in step(name) if one not in reached]
                reached.update(fresh)
                waiting += [one for one in fresh if one in self.layers]
        return reached

    def _held(self, text: str) -> str | None:
        """The layer that holds a parameter of that name, else the first of that name."""
        held = (x.id for x in self.layers.values() if any(_is(p.name, text) for p in x.parameters))
        named = (x.id for x in self.layers.values() if _is(x.name, text))
        return next(held, None) or next(named, None)

    def _nearest(self, start: str | None, operator: str, *, ahead: bool) -> str | None:
        waiting, seen = [start], {start}
        while waiting:
            name = waiting.pop(0)
            if name is None or name not in self.layers:
                continue
            if name != start and self.layers[name].operator == operator:
                return name
            for other in self.readers[name] if ahead else _read(self.layers[name]):
                if other not in seen:
                    seen.add(other)
                    waiting.append(other)
        return None


def _read(layer: Layer) -> list[str]:
    return [operand.value for operand in layer.inputs]


def _is(name: str, text: str) -> bool:
    """Whether a name is a text, or begins with it as with a word."""
    rest = name.removeprefix(text)
    return name.startswith(text) and (not rest or rest[0] in "._/")
