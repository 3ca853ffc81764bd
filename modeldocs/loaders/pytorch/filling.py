"""Designed values in a module's parameters and running statistics."""

from __future__ import annotations

from typing import TYPE_CHECKING

from modeldocs.loaders.pytorch.describing import statistics
from modeldocs.loaders.reference import Designed

if TYPE_CHECKING:
    import torch


def fill(module: torch.nn.Module, designed: Designed) -> None:
    """Set every parameter and all running statistics, in place.

    A parameter that several modules share has several names, of which the graph knows one.
    """
    import torch

    held = statistics(module)
    named = dict(module.named_parameters(remove_duplicate=False))
    named |= {n: b for n, b in module.named_buffers(remove_duplicate=False) if n in held}
    known = [name for name in named if name in designed.parameters]
    spare = [name for name in named if name not in designed.parameters]
    with torch.no_grad():
        for name in (*spare, *known):  # those that the graph knows last: it tells of shared ones
            tensor = named[name]
            if tensor.is_floating_point():
                values = designed.parameter(name, tuple(tensor.shape))
                tensor.copy_(torch.from_numpy(values))
