"""The ports of our catalog that the benchmark works on, from the store where it holds them."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path
from typing import Final

from modeldocs import build, catalog
from modeldocs.build.store import Store
from modeldocs.catalog import Catalog
from modeldocs.loaders.isolated import Loaded

REPOSITORY: Final = Path(__file__).parents[3]

PLANTED: Final = (
    "resnet50/pytorch",
    "inception-v3/pytorch",
    "googlenet/caffe",
    "densenet121/pytorch",
    "mobilenetv2/pytorch",
    "inception-bn/mxnet",
    "bert-base/pytorch",
    "gpt2/pytorch",
    "vit-b-16/pytorch",
)
"""Ports that edits are planted in: one of each model of more than a hundred layers."""


class Subjects:
    """Every port of the catalog that loaded, as `model/port`."""

    def __init__(self) -> None:
        self.catalog: Catalog = catalog.read(REPOSITORY / "models")
        results = build.load(self.catalog, Store(REPOSITORY / ".modeldocs"))
        self.loaded: dict[str, Loaded] = {}
        for model in self.catalog.models:
            for port in model.ports:
                found = results.loaded(model, port)
                if found.graph is not None:
                    self.loaded[f"{model.id}/{port.name}"] = found

    def pairs(self) -> list[tuple[str, str]]:
        """Two ports of one model, as the site compares them."""
        names = list(self.loaded)
        return [(a, b) for a, b in combinations(names, 2) if a.split("/")[0] == b.split("/")[0]]
