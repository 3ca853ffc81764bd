"""A published source of figures: where it is, and what its files do not say themselves.

It is described by a YAML file, which is kept with the catalog (`models/_sources/timm.yml`):

    title: timm benchmark results
    citation: Ross Wightman and others, PyTorch image models, results/
    url: https://github.com/huggingface/pytorch-image-models
    commit: aa4b5850
    licence: Apache-2.0
    date: 2026-08-08
    models: {resnet50: resnet50/pytorch}
    devices: {rtx3090: {device.name: NVIDIA GeForce RTX 3090}}
    files: {"*-fp16.csv": {numerics.dtype: float16}}
"""

from __future__ import annotations

from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import msgspec

from modeldocs.catalog import document
from modeldocs.errors import ModeldocsError
from modeldocs.published.log_patterns import LogPatterns

Settings = dict[str, Any]
"""Values of a record's fields by dotted name: `{"device.name": "NVIDIA TITAN X (Pascal)"}`."""


class PublishedSource(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A published source.

    `models` leads from its own names of models to a model or a port of the catalog; rows of others
    are left out, unless `every` says what all of them are. `layers` leads to the port whose layers
    a log's times by layer are matched with, where that is not the port itself. `date` is the day
    of its publication, and `dated` says so where files tell no day of the run. `name` is the end
    of the names of its records, `root` the folder that paths of its files begin below.

    What files do not say is set by `all` for each of them, by `files` for those whose path matches
    a pattern, and by `devices` for a device's own name in the source; later ones win. `logs` are
    the patterns of its logs, where they are of no format that is known.
    """

    title: str
    citation: str
    models: dict[str, str] = {}
    every: str | None = None
    layers: dict[str, str] = {}
    name: str = ""
    url: str | None = None
    commit: str | None = None
    licence: str | None = None
    date: str | None = None
    dated: str | None = None
    unknown: str | None = None
    root: str = ""
    all: Settings = {}
    files: dict[str, Settings] = {}
    devices: dict[str, Settings] = {}
    logs: tuple[LogPatterns, ...] = ()

    def place(self, name: str) -> str | None:
        """The model or port of the catalog that a name leads to; None where it is left out."""
        return self.models.get(name, self.every)

    def path(self, file: Path) -> str:
        """The path of a file in the source: below the folder `root`, else its name."""
        parts = file.resolve().parts
        if self.root in parts:
            return "/".join(parts[parts.index(self.root) + 1 :])
        return file.name

    def settings(self, file: Path, device: str) -> Settings:
        """What is set for the runs of a file on a device of that name in the source."""
        matching = [values for glob, values in self.files.items() if fnmatch(self.path(file), glob)]
        merged: Settings = {}
        for values in (self.all, *matching, self.devices.get(device, {})):
            merged |= values
        return merged


def read(path: Path) -> PublishedSource:
    """The source that a YAML file describes.

    Raises:
        ModeldocsError: it is not YAML, or a field is missing, unknown or of a wrong type.
    """
    try:
        return msgspec.convert(document.read(path).data, PublishedSource)
    except msgspec.ValidationError as error:
        raise ModeldocsError(
            f"does not describe a source of figures: {error}",
            file=path.name,
            fix="see `modeldocs bench import --help` and the guide",
        ) from None
