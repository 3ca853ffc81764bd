"""Small ports written for one test, and two ways to load them."""

from __future__ import annotations

import textwrap
from pathlib import Path

import msgspec

from modeldocs.ir import Layer, LayerGraph
from modeldocs.isolation import Limits
from modeldocs.loaders import LoadRequest, loader, loading
from modeldocs.loaders.loading import LoadedPort
from modeldocs.normal import normalise


def write(folder: Path, source: str, name: str = "pytorch.py") -> LoadRequest:
    """A request for a port of this source; its folder is named after the test."""
    file = folder / name
    file.write_text(textwrap.dedent(source), encoding="utf-8")
    return LoadRequest(root=str(folder), path=str(file), name="net")


def graph_of(request: LoadRequest, framework: str = "pytorch", **changes: object) -> LayerGraph:
    """The graph, loaded in the test's own process: for ports that do no harm."""
    return normalise(loader(framework).load(msgspec.structs.replace(request, **changes)))


def in_worker(
    request: LoadRequest, framework: str = "pytorch", limits: Limits | None = None
) -> LoadedPort:
    """What loading it in a worker process brings."""
    return loading.load(framework, request, limits or Limits(seconds=60))


def operators(graph: LayerGraph) -> list[str]:
    return [layer.operator for layer in graph.layers]


def only(graph: LayerGraph, operator: str) -> Layer:
    """The only layer of an operator."""
    (layer,) = [layer for layer in graph.layers if layer.operator == operator]
    return layer
