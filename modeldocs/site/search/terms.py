"""Words that search finds a page by, beyond the prose on it: operators, settings, layers, changes.

Pages hold their tables in slots, which search does not see. These words stand in for them: each
once, without punctuation that would become part of a word.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Iterator, Sequence

from modeldocs import loaders
from modeldocs.catalog import Model
from modeldocs.diff import Diff
from modeldocs.ir import Layer, LayerGraph

MAX_WORDS = 2000
"""Words of one kind on a page, so that a network of 10,000 layers does not slow search down."""

SHOWN = 8
"""Words of a paragraph. Search shows the paragraphs that hold what was looked for."""

_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z][a-z])")
_PIECES = re.compile(r"[/.:]+")


def of_port(graph: LayerGraph) -> str:
    """Operators, settings and layers of a port, as paragraphs of HTML."""
    names = (name for layer in graph.layers for name in _names(layer))
    return (
        _paragraphs("Layers:", names)
        + _paragraphs("Operators:", operators([graph]))
        + _paragraphs("Settings:", _settings(graph))
    )


def of_model(model: Model, graphs: Sequence[LayerGraph], diffs: Iterable[Diff]) -> str:
    """A model's tags, frameworks and operators, and what its ports differ in."""
    frameworks = (loaders.title(port.framework) for port in model.ports)
    about = (model.id, model.manifest.task or "", *model.manifest.tags, *frameworks)
    differences = (title for diff in diffs for title in _changes(diff))
    return (
        _paragraphs("", about)
        + _paragraphs("Operators:", operators(graphs))
        + _paragraphs("Settings:", (word for graph in graphs for word in _settings(graph)))
        + _paragraphs("Difference:", differences, 1)
    )


def of_diff(diff: Diff | None) -> str:
    """Titles of a diff's changes, the gravest first."""
    return _paragraphs("", _changes(diff), 1) if diff is not None else ""


def operators(graphs: Iterable[LayerGraph]) -> Iterator[str]:
    """Operators of graphs, in ONNX and in their frameworks, each once and also in single words.

    `BatchNormalization` is followed by `batch normalization`.
    """
    names = dict.fromkeys(
        name
        for graph in graphs
        for layer in graph.layers
        for name in (layer.operator, *(origin.operator for origin in layer.origins))
    )
    for name in dict.fromkeys(_PIECES.split(name)[-1] for name in names):
        words = _CAMEL.sub(" ", name)
        yield name
        if words != name:
            yield words.lower()


def _settings(graph: LayerGraph) -> Iterator[str]:
    """Names of the attributes that a graph's layers have, and their padding strategies."""
    yield from dict.fromkeys(name for layer in graph.layers for name in layer.attributes)
    paddings = (layer.padding for layer in graph.layers if layer.padding)
    yield from dict.fromkeys(f"padding {padding.casefold()}" for padding in paddings)


def _names(layer: Layer) -> Iterator[str]:
    """A layer's name and module, each also by its last part: `layer1.0.conv1`, `conv1`."""
    for name in (layer.name, layer.module):
        yield name
        yield _PIECES.split(name)[-1]


def _changes(diff: Diff) -> Iterator[str]:
    for change in diff.changes:
        yield f"{change.operator} {change.attribute or ''} {change.title}"


def _paragraphs(label: str, texts: Iterable[str], size: int = SHOWN) -> str:
    """Texts as paragraphs of so many, equal texts once; empty where there are none."""
    some = [text for text in dict.fromkeys(map(str.strip, texts)) if text][:MAX_WORDS]
    lines = (some[start : start + size] for start in range(0, len(some), size))
    return "".join(f"<p>{html.escape(' '.join([label, *line]).strip())}</p>" for line in lines)
