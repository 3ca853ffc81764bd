"""`.pth` and `.pt`: a state dict, read by torch as tensors alone."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

from modeldocs.checkpoints.tensors import Tensors


@contextlib.contextmanager
def opened(file: Path, _scratch: Path) -> Iterator[Tensors]:
    """The tensors of a state dict, mapped where the file is an archive as torch writes them."""
    from modeldocs.loaders.pytorch import state_file

    state = state_file.MappedState(file)
    shapes = {key: tuple(tensor.shape) for key, tensor in state.tensors.items()}
    yield Tensors(file.name, shapes, state.array)
