"""A model of many small ports, built in this process from given graphs; no pair is run."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from modeldocs import catalog, diagram, digest
from modeldocs.catalog import Catalog, Model
from modeldocs.diagram import Drawing
from modeldocs.diff import Parity
from modeldocs.ir import LayerGraph
from modeldocs.isolation import Limits
from modeldocs.loaders import LoadRequest, loading
from modeldocs.loaders.loading import LoadedPort
from modeldocs.numeric import parity
from modeldocs.tasks import build as tasks
from modeldocs.tasks.results import Results
from modeldocs.tasks.store import Store
from tests.diff.graphs import Net
from tests.prototxts import NET
from tests.serial import Serial


def small(epsilon: float = 1e-5, width: int = 4, *, dropout: bool = False) -> LayerGraph:
    """A network of four layers, with a dropout that makes no difference."""
    net = Net((1, 3, 8, 8))
    value = net.relu(net.norm(net.conv("input-1", width, 3), epsilon))
    value = net.same("Dropout", value) if dropout else value
    return net.graph(net.pool(value, 2, 2))


def varied(number: int) -> LayerGraph:
    """One of 24 spellings of 12 functions."""
    return small(
        [1e-5, 2e-5, 1e-4, 1e-3][number % 4], [4, 8, 6][number % 3], dropout=number % 8 > 3
    )


def build(
    folder: Path,
    graphs: Mapping[str, LayerGraph | None],
    monkeypatch: pytest.MonkeyPatch,
    manifest: str = "",
) -> tuple[Catalog, Model, Results]:
    """The catalog of one model `m` of those ports, built; None is a port that does not load."""
    files = folder / "models" / "m"
    files.mkdir(parents=True, exist_ok=True)
    (files / "model.yml").write_text(manifest)
    for name, graph in graphs.items():
        (files / f"{name}.prototxt").write_text(NET if graph else 'layer { name: "a" type: ')

    def load(framework: str, request: LoadRequest, _: Limits) -> LoadedPort:
        path = Path(str(request.path))
        graph = graphs[path.stem]
        assert graph is not None
        read = {str(path): digest.of_file(path)}
        return LoadedPort(framework=framework, graph=graph, onnx=b"o", normal=b"n", read=read)

    monkeypatch.setattr(loading, "load", load)
    monkeypatch.setattr(parity, "compare", lambda *_: Parity())
    monkeypatch.setattr(diagram, "draw", lambda _: Drawing(svg="<svg/>"))
    read = catalog.read(folder / "models")
    return read, read.models[0], tasks.build(read, Store(folder / "store"), workers=Serial())
