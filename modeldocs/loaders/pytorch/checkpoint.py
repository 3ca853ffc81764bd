"""What a module stores: its state dict."""

from __future__ import annotations

from collections.abc import Set
from typing import TYPE_CHECKING

import numpy as np

from modeldocs.errors import ModeldocsError
from modeldocs.loaders import LoadRequest, checkpoint_layout
from modeldocs.loaders.checkpoint_layout import CheckpointLayout, StoredTensor
from modeldocs.loaders.pytorch import module, program, source, state_file, weights
from modeldocs.loaders.reference import Arrays

if TYPE_CHECKING:
    import torch


def layout(request: LoadRequest, mapped: Set[str]) -> tuple[CheckpointLayout, Arrays]:
    """The state dict of a module, and the values of what is not mapped.

    Raises:
        ModeldocsError: it cannot be built, or is too large to have values for what is not mapped.
    """
    built = _module(request)
    state = built.state_dict()
    others = _others(built)
    tensors = [
        StoredTensor(
            name=name,
            shape=tuple(tensor.shape),
            dtype=str(tensor.dtype).removeprefix("torch."),
            aliases=tuple(one for one in others.get(name, ()) if one in state),
        )
        for name, tensor in state.items()
    ]
    own = {name: _value(request, name, state[name]) for name in state if name not in mapped}
    return checkpoint_layout.plain(tensors), own


def _module(request: LoadRequest) -> torch.nn.Module:
    if source.archive_kind(request.path) is not None:
        return program.trace(request).module
    return module.build_module(request, fake_above=module.REAL_BYTES).module


def _others(built: torch.nn.Module) -> dict[str, list[str]]:
    """The other names of each tensor that has several."""
    shared = (names for names in weights.shared_names(built) if len(names) > 1)
    return {name: [one for one in names if one != name] for names in shared for name in names}


def _value(request: LoadRequest, name: str, tensor: torch.Tensor) -> np.ndarray:
    if type(tensor).__name__ == "FakeTensor" or tensor.device.type == "meta":
        raise ModeldocsError(
            f"nothing gives {name!r}, and the network is too large to be built with values",
            file=request.source,
            fix="leave out the part of it that no output depends on",
        )
    return state_file.array(tensor)
