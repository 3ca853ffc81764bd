"""Files beside models that define none, such as weights: the error says what they are."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Final

from modeldocs import loaders
from modeldocs.errors import ModeldocsError
from modeldocs.loaders import unread_formats

_READ_BYTES = 2**16
_LFS = b"version https://git-lfs.github.com/spec/"
_NET = re.compile(rb"^\s*(?:net|train_net|test_net)\s*:\s*\"([^\"\n]+)\"", re.MULTILINE)
_SOLVER_FIELD = re.compile(rb"^\s*(?:base_lr|lr_policy|solver_mode|max_iter)\s*:", re.MULTILINE)
_LABEL_ITEM = re.compile(rb"^\s*item\s*\{[^}]*\b(?:label|id)\s*:", re.MULTILINE)

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
"""The content of a file by its suffix, where no loader recognises it as a model."""


Description = tuple[str, str]
"""What a file is, and the fix."""


def describe(path: Path) -> ModeldocsError | None:
    """The error for a file that no loader recognises; None where it is of no known kind."""
    return (
        _first(path, (_lfs_pointer, _solver, _label_map))
        or unread_formats.error(path)
        or _first(path, (_weights,))
    )


def mistaken(path: Path, framework: str) -> ModeldocsError | None:
    """The error for a file that a framework's loader would call broken; None for others.

    It is a pointer of Git LFS, or of a format that is not the loader's. Python files run whatever
    they import.
    """
    pointer = _first(path, (_lfs_pointer,))
    if pointer is not None or path.suffix == ".py" or loaders.recognises(framework, path):
        return pointer
    return unread_formats.error(path)


def _first(
    path: Path, checks: Iterable[Callable[[Path, bytes], Description | None]]
) -> ModeldocsError | None:
    """The error of the first check that describes a file, None where none does."""
    try:
        with path.open("rb") as file:
            start = file.read(_READ_BYTES)
    except OSError:
        return None
    for check in checks:
        description = check(path, start)
        if description is not None:
            reason, fix = description
            return ModeldocsError(reason, file=path.name, fix=fix)
    return None


def _lfs_pointer(path: Path, start: bytes) -> Description | None:
    if not start.startswith(_LFS):
        return None
    return "is a pointer of Git LFS, not the file itself", f"run `git lfs pull -I {path.name}`"


def _solver(path: Path, start: bytes) -> Description | None:  # noqa: ARG001
    if not _SOLVER_FIELD.search(start):
        return None
    net = _NET.search(start)
    if net is None:
        return "is a Caffe solver", "load the net that it trains"
    name = net.group(1).decode("utf-8", "replace")
    return f"is a Caffe solver; its net is {name}", f"load {Path(name).name}"


def _label_map(path: Path, start: bytes) -> Description | None:  # noqa: ARG001
    if not _LABEL_ITEM.search(start):
        return None
    return "is a map of labels to names", "load the network that gives these labels"


def _weights(path: Path, start: bytes) -> Description | None:  # noqa: ARG001
    suffixes = [re.sub(r"-\d+-of-\d+$", "", suffix) for suffix in path.suffixes]
    content = next((_WEIGHTS[suffix] for suffix in reversed(suffixes) if suffix in _WEIGHTS), None)
    if content is None:
        return None
    return f"holds {content}, and defines no network", "load the definition that they belong to"
