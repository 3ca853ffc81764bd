"""Words that search finds a page by, beyond the prose on it: operators, settings, layers, changes.

Pages hold their tables in slots, which search does not see. These words stand in for them: each
once, without punctuation that would become part of a word.
"""

from __future__ import annotations

import html
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from modeldocs import loaders
from modeldocs.benchmarks.labels import precision, software_name
from modeldocs.benchmarks.record import Record
from modeldocs.catalog import Model, Port
from modeldocs.diff import Diff
from modeldocs.ir import Layer, LayerGraph
from modeldocs.site.search import settings

MAX_WORDS = 2000
"""Words of one kind on a page, so that a network of 10,000 layers does not slow search down."""

SHOWN = 8
"""Words of a paragraph. Search shows the paragraphs that hold what was looked for."""

_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z][a-z])")
_PIECES = re.compile(r"[/.:]+")


def of_port(model: Model, port: Port, graph: LayerGraph | None) -> str:
    """Operators, settings and layers of a port, as paragraphs of HTML."""
    about = _paragraphs("", (model.id, port.name, loaders.title(port.framework)))
    if graph is None:
        return about
    names = (name for layer in graph.layers for name in _names(layer))
    return (
        about
        + _paragraphs("Layers:", names)
        + _paragraphs("Operators:", operators([graph]))
        + _paragraphs("Settings:", sorted(settings.words(graph)))
    )


def of_model(model: Model, graphs: Sequence[LayerGraph], diffs: Iterable[Diff]) -> str:
    """A model's tags, frameworks and operators, and what its ports differ in."""
    frameworks = (loaders.title(port.framework) for port in model.ports)
    about = (model.id, model.manifest.task or "", *model.manifest.tags, *frameworks)
    differences = (title for diff in diffs for title in _changes(diff))
    return (
        _paragraphs("", about)
        + _paragraphs("Operators:", operators(graphs))
        + _paragraphs("Settings:", sorted({word for one in graphs for word in settings.words(one)}))
        + _paragraphs("Difference:", differences, 1)
    )


def of_diff(model: Model, diff: Diff | None) -> str:
    """The model's folder, and titles of a diff's changes, the gravest first."""
    return _paragraphs("", (model.id, *(_changes(diff) if diff is not None else ())), 1)


def of_benchmarks(models: Iterable[Model], records: Iterable[Record]) -> str:
    """Models, devices, software and kinds of runs."""
    some = list(records)
    return (
        _paragraphs("", (model.id for model in models))
        + _paragraphs("Device:", (one.device.name for one in some), 1)
        + _paragraphs("Software:", (software_name(one.software) for one in some), 1)
        + _paragraphs(
            "Runs:", (f"{one.run.task} {precision(one.numerics) or ''}" for one in some), 1
        )
    )


def of_compare(models: Iterable[tuple[str, str]]) -> str:
    """The titles and folders of the models whose ports can be compared."""
    return _paragraphs("Compare", (name for names in models for name in names))


def of_proofs() -> str:
    """What a reader calls a port that has no proof, and what else the page has of each."""
    return _paragraphs(
        "",
        (
            "verified, unverified, failed: the proofs of all ports",
            "who owns a port: its owner, its last change and the day of its proof",
        ),
    )


def of_layers(found: Iterable[tuple[str, Counter[str]]]) -> str:
    """The settings of all layers of the catalog, by model."""
    return _paragraphs("", settings.told(found), 1)


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
