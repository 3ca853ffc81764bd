"""Seeded values in a module's parameters and running statistics, drawn for what each is for."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from modeldocs.loaders import seeding
from modeldocs.loaders.pytorch.describing import statistics

if TYPE_CHECKING:
    import torch

_SCALES = ("weight", "scale", "gamma", "g")
_SHIFTS = ("bias", "beta", "b")


@dataclass(frozen=True)
class Draw:
    """What a tensor is for, and how many products one element of the output sums."""

    kind: seeding.Kind
    fan_in: int = 0


def fill(module: torch.nn.Module, seed: int) -> None:
    """Draw every parameter, shared ones once, and all running statistics, in place."""
    import torch

    with torch.no_grad():
        for name, tensor, draw in _drawn(module):
            shape = tuple(tensor.shape)
            values = seeding.draw(seed, name, shape, draw.kind, draw.fan_in)
            tensor.copy_(torch.from_numpy(values))


def _drawn(module: torch.nn.Module) -> Iterator[tuple[str, torch.Tensor, Draw]]:
    owners = dict(module.named_modules())
    for name, param in module.named_parameters():
        path, _, own = name.rpartition(".")
        if param.is_floating_point():
            yield name, param, _purpose(owners[path], own, tuple(param.shape))
    held = statistics(module)
    for name, buffer in module.named_buffers():
        if name in held:
            yield name, buffer, Draw("mean" if name.endswith("mean") else "var")


def _purpose(owner: torch.nn.Module, name: str, shape: tuple[int, ...]) -> Draw:
    """By the module that a parameter belongs to; by its name and rank in one that is not torch's.

    What is no matrix and has another name is added to activations: class tokens, positions.
    """
    from torch import nn

    if isinstance(owner, nn.Embedding | nn.EmbeddingBag):
        return Draw("embedding")
    if isinstance(owner, nn.PReLU):
        return Draw("slope")
    if isinstance(owner, nn.modules.conv._ConvTransposeNd) and name == "weight":
        taps = math.prod(shape[2:]) / math.prod(owner.stride)
        return Draw("weight", round(shape[0] // owner.groups * taps))
    if name.startswith(_SHIFTS):
        return Draw("bias")
    if len(shape) >= 2 and "weight" in name:
        return Draw("weight", math.prod(shape[1:]))
    return Draw("scale" if name in _SCALES else "embedding")
