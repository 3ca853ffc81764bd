"""`.weights.h5`, `.h5` and `.keras`: what Keras writes, in its own form and in that before it.

The own form has a dataset `…/vars/0` for each variable. The one before lists its layers, and the
weights of each, in an order that says which is which.
"""

from __future__ import annotations

import contextlib
import shutil
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import h5py
import numpy as np

from modeldocs.checkpoints.tensors import Shape, Tensors

_WEIGHTS = "model.weights.h5"
_OPTIMIZER = "optimizer"


@contextlib.contextmanager
def opened(file: Path, scratch: Path) -> Iterator[Tensors]:
    """The variables of a file, each read when it is asked for; those of optimizers are left out.

    Keys of the form before are the layer's name and the place of the weight among its own.
    """
    place = file
    if file.suffix.lower() == ".keras":
        place = scratch / _WEIGHTS
        with (
            zipfile.ZipFile(file) as archive,
            archive.open(_WEIGHTS) as packed,
            place.open("wb") as stream,
        ):
            shutil.copyfileobj(packed, stream)
    with h5py.File(place, "r", locking=False) as opened_file:
        root = opened_file.get("model_weights", opened_file)
        if "layer_names" in root.attrs:
            groups = _layers(root)
            datasets = {key: dataset for group in groups for key, dataset in group.items()}
        else:
            groups, datasets = [], _variables(opened_file)
        shapes = {key: tuple(dataset.shape) for key, dataset in datasets.items()}
        yield Tensors(
            file.name,
            shapes,
            lambda key: np.asarray(datasets[key][()]),
            groups=[list(group) for group in groups],
        )


def _variables(file: Any) -> dict[str, Any]:
    found: dict[str, Any] = {}

    def visit(name: str, item: Any) -> None:
        if isinstance(item, h5py.Dataset) and not name.startswith(f"{_OPTIMIZER}/"):
            found[name.replace("_layer_checkpoint_dependencies", "layers")] = item

    file.visititems(visit)
    return found


def _layers(root: Any) -> list[dict[str, Any]]:
    """The weights of each layer that has some, in order."""
    groups = []
    for layer in map(_text, _listed(root, "layer_names")):
        group = root[layer]
        names = map(_text, _listed(group, "weight_names"))
        own = {f"{layer}/{place}": group[name] for place, name in enumerate(names)}
        if own:
            groups.append(own)
    return groups


def _listed(group: Any, name: str) -> list[Any]:
    """An attribute that is a list, which Keras cuts where it is long for HDF5."""
    if name in group.attrs:
        return list(group.attrs[name])
    found: list[Any] = []
    while f"{name}{len(found)}" in group.attrs:
        found.append(list(group.attrs[f"{name}{len(found)}"]))
    return [one for part in found for one in part]


def _text(name: Any) -> str:
    return name.decode() if isinstance(name, bytes) else str(name)


class Hdf5Writer:
    """Writes variables a dataset at a time."""

    def __init__(self, file: Path, _tensors: Mapping[str, tuple[Shape, str]]) -> None:
        self._file = h5py.File(file, "w")

    def write(self, key: str, array: np.ndarray) -> None:
        """Write a variable."""
        self._file.create_dataset(key, data=array)

    def close(self) -> None:
        """End the file."""
        self._file.close()
