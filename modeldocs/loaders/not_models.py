"""Files that lie beside models and define none: named for what they are, in place of "unknown"."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Final

from modeldocs.errors import ModeldocsError

_READ = 2**16
_LFS = b"version https://git-lfs.github.com/spec/"
_NET = re.compile(rb"^\s*(?:net|train_net|test_net)\s*:\s*\"([^\"\n]+)\"", re.MULTILINE)
_RATE = re.compile(rb"^\s*(?:base_lr|lr_policy|solver_mode|max_iter)\s*:", re.MULTILINE)
_ITEM = re.compile(rb"^\s*item\s*\{[^}]*\b(?:label|id)\s*:", re.MULTILINE)
_DEFINITION = "load the definition that they belong to"

_WEIGHTS: Final = {
    ".pth": "PyTorch weights",
    ".pt": "PyTorch weights",
    ".bin": "weights",
    ".ckpt": "weights",
    ".safetensors": "weights in safetensors format",
    ".params": "MXNet weights",
    ".npz": "arrays of numpy, as Chainer keeps weights",
    ".t7": "a Torch7 object, whose code is not in it",
    ".h5": "weights in HDF5 format",
    ".hdf5": "weights in HDF5 format",
    ".index": "the index of a TensorFlow checkpoint",
    ".data": "the weights of a TensorFlow checkpoint",
}
"""What a file holds by its suffix, where no loader takes it for a model."""


Told = tuple[str, str]
"""What a file is, and what to do."""


def named(path: Path) -> ModeldocsError | None:
    """What a file is that no loader can load, and what to load in its place; None if unknown."""
    return _first(path, (_pointer, _solver, _label_map, _weights))


def pointer(path: Path) -> ModeldocsError | None:
    """The error for a file whose content Git LFS keeps elsewhere: loaders would find it broken."""
    return _first(path, (_pointer,))


def _first(
    path: Path, looks: Iterable[Callable[[Path, bytes], Told | None]]
) -> ModeldocsError | None:
    """The error of the first look that knows a file, None where none does."""
    try:
        with path.open("rb") as file:
            start = file.read(_READ)
    except OSError:
        return None
    told = next((found for look in looks if (found := look(path, start))), None)
    return None if told is None else ModeldocsError(told[0], file=path.name, fix=told[1])


def _pointer(path: Path, start: bytes) -> Told | None:
    if not start.startswith(_LFS):
        return None
    return "is a pointer of Git LFS, not the file itself", f"run `git lfs pull -I {path.name}`"


def _solver(path: Path, start: bytes) -> Told | None:  # noqa: ARG001
    if not _RATE.search(start):
        return None
    net = _NET.search(start)
    if net is None:
        return "is a Caffe solver", "load the net that it trains"
    name = net.group(1).decode("utf-8", "replace")
    return f"is a Caffe solver; its net is {name}", f"load {Path(name).name}"


def _label_map(path: Path, start: bytes) -> Told | None:  # noqa: ARG001
    if not _ITEM.search(start):
        return None
    return "is a map of labels to names", "load the network that gives these labels"


def _weights(path: Path, start: bytes) -> Told | None:  # noqa: ARG001
    suffixes = [re.sub(r"-\d+-of-\d+$", "", suffix) for suffix in path.suffixes]
    held = next((_WEIGHTS[suffix] for suffix in reversed(suffixes) if suffix in _WEIGHTS), None)
    return None if held is None else (f"holds {held}, and defines no network", _DEFINITION)
