"""The ports that the benchmark works on, from the store where it holds them."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path
from typing import Final

import msgspec

from modeldocs import catalog
from modeldocs.catalog import Catalog
from modeldocs.ir import LayerGraph
from modeldocs.loaders.loading import LoadedPort
from modeldocs.tasks import build
from modeldocs.tasks.store import Store
from tests.stored import whole

REPOSITORY: Final = Path(__file__).parents[2]
NETWORKS: Final = Path(__file__).parent / "networks"

PLANTED: Final = (
    "resnet50/pytorch",
    "inception-v3/pytorch",
    "googlenet/caffe",
    "densenet121/pytorch",
    "mobilenetv2/pytorch",
    "inception-bn/mxnet",
    "unet/pytorch",
    "ssd300-vgg16/pytorch",
    "bert-base/pytorch",
    "gpt2/pytorch",
    "vit-b-16/pytorch",
    "swin/pytorch",
    "convnext/pytorch",
    "t5/pytorch",
    "llama/pytorch",
    "efficientnetv2/pytorch",
    "hrnet/pytorch",
)
"""Ports that edits are planted in: of our catalog, and of networks written for this benchmark."""


class Subjects:
    """Every port of a catalog that loaded, as `model/port`."""

    def __init__(self, folder: Path = REPOSITORY / "models") -> None:
        self.catalog: Catalog = catalog.read(folder)
        results = build.load_all(self.catalog, Store(REPOSITORY / ".modeldocs"))
        self.loaded: dict[str, LoadedPort] = {}
        for model in self.catalog.models:
            for port in model.ports:
                found = whole(results.loaded(model, port), results.place)
                if found.graph is not None:
                    self.loaded[f"{model.id}/{port.name}"] = found

    def graph(self, name: str) -> LayerGraph:
        """The layers of a port."""
        graph = self.loaded[name].graph
        assert graph is not None
        return graph

    def pairs(self) -> list[tuple[str, str]]:
        """Two ports of one model, as the site compares them."""
        names = list(self.loaded)
        return [(a, b) for a, b in combinations(names, 2) if a.split("/")[0] == b.split("/")[0]]


def planted(names: tuple[str, ...] = PLANTED) -> dict[str, LoadedPort]:
    """Those of `names` that load, and no other port is loaded for them."""
    found: dict[str, LoadedPort] = {}
    for folder in (REPOSITORY / "models", NETWORKS):
        held = catalog.read(folder)
        models = []
        for model in held.models:
            ports = tuple(port for port in model.ports if f"{model.id}/{port.name}" in names)
            if ports:
                models.append(msgspec.structs.replace(model, ports=ports))
        results = build.load_all(
            msgspec.structs.replace(held, models=tuple(models)), Store(REPOSITORY / ".modeldocs")
        )
        for model in models:
            for port in model.ports:
                loaded = whole(results.loaded(model, port), results.place)
                if loaded.graph is not None:
                    found[f"{model.id}/{port.name}"] = loaded
    return {name: found[name] for name in names if name in found}
