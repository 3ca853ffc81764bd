"""Files of state dicts: tensors alone, never a pickle of anything else."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from modeldocs.errors import ModeldocsError, first_line

if TYPE_CHECKING:
    import torch

_NESTED: Final = ("state_dict", "model_state_dict", "model")
"""Keys under which training scripts put a state dict beside their own state."""

_MAPPED_BYTES: Final = 2**25
"""Bytes that are read of a file before it is mapped anew."""


class MappedState:
    """The tensors of a file, of which no more than some are in memory at once.

    Pages of a mapped file count as used from when they are read to when the map is let go.
    """

    def __init__(self, path: Path) -> None:
        self._path, self._bytes = path, 0
        self.tensors = read(path)

    def array(self, key: str) -> np.ndarray:
        """The tensor of a key."""
        if self._bytes > _MAPPED_BYTES:
            self.tensors, self._bytes = {}, 0
            self.tensors = read(self._path)
        tensor = self.tensors[key]
        self._bytes += tensor.numel() * tensor.element_size()
        return array(tensor)


def read(path: Path) -> dict[str, torch.Tensor]:
    """The tensors of a file by key, mapped from it where it is an archive.

    Raises:
        ModeldocsError: torch is not installed, or the file holds other things than tensors.
    """
    if importlib.util.find_spec("torch") is None:
        raise ModeldocsError(
            "is a file of PyTorch, which is not installed",
            file=path.name,
            fix="pip install torch, or save it as .safetensors",
        )
    import zipfile

    import torch

    try:
        state: Any = torch.load(
            path, map_location="cpu", weights_only=True, mmap=zipfile.is_zipfile(path) or None
        )
    except MemoryError:
        raise
    except Exception as error:
        raise ModeldocsError(
            f"holds no tensors alone: {first_line(error)}",
            file=path.name,
            fix="save the weights alone: torch.save(module.state_dict(), path)",
        ) from None
    found = _tensors(state)
    nested = [_tensors(state[key]) for key in _NESTED if isinstance(state, dict) and key in state]
    found = next((one for one in nested if one), found)
    if not found:
        raise ModeldocsError(
            "holds no state dict",
            file=path.name,
            fix="save the weights alone: torch.save(module.state_dict(), path)",
        )
    return found


def _tensors(state: Any) -> dict[str, torch.Tensor]:
    """What of a dict are tensors; nothing of other values."""
    import torch

    if not isinstance(state, dict):
        return {}
    return {str(key): one for key, one in state.items() if isinstance(one, torch.Tensor)}


def array(tensor: torch.Tensor) -> np.ndarray:
    """A tensor as an array, which shares its memory; bfloat16, which numpy lacks, as float32."""
    import torch

    plain = tensor.detach()
    found: np.ndarray = (plain.float() if plain.dtype is torch.bfloat16 else plain).numpy()
    return found
