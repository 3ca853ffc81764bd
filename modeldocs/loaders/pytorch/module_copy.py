"""A copy of a live module, to be traced and run in place of it."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

from modeldocs.errors import ModeldocsError, first_line
from modeldocs.loaders import LoadRequest
from modeldocs.loaders.pytorch import construction

if TYPE_CHECKING:
    import torch

REAL_BYTES = 2 * 2**30
"""A module whose parameters take more bytes is traced on fake tensors, and not proven: a proof
needs several times as much memory."""


def copied(request: LoadRequest, module: torch.nn.Module) -> tuple[torch.nn.Module, bool]:
    """A copy on the CPU of a module, compiled or not, and whether its parameters are fake.

    The module itself keeps its weights, its mode and its device.

    Raises:
        ModeldocsError: Python cannot copy it.
    """
    module = getattr(module, "_orig_mod", module)  # what torch.compile wraps
    fake = construction.parameter_bytes(module) > REAL_BYTES
    try:
        made = copy.deepcopy(module, _tensors(module, fake=fake))
    except Exception as error:
        raise ModeldocsError(
            f"cannot be copied: {type(error).__name__}: {first_line(error)}",
            file=request.source,
            fix='name the callable that builds it, as "package.module:callable" or '
            '"file.py:callable"',
        ) from None
    if fake:
        construction.replace_with_fake_parameters(made)
    return made, fake


def _tensors(module: torch.nn.Module, *, fake: bool) -> dict[int, Any]:
    """By id, copies on the CPU of a module's parameters and buffers; `fake` parameters are empty.

    `copy.deepcopy` takes them in place of its own, which would be on the module's device.
    """
    import torch

    copies: dict[int, Any] = {id(b): b.detach().cpu().clone() for b in module.buffers()}
    for one in module.parameters():
        data = one.detach()
        data = torch.empty_like(data, device="meta") if fake else data.cpu().clone()
        copies[id(one)] = torch.nn.Parameter(data, one.requires_grad)
    return copies
