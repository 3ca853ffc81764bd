"""A copy of a live module, to be traced and run in place of it."""

from __future__ import annotations

import copy
import sys
from typing import TYPE_CHECKING, Any

from modeldocs.errors import ModeldocsError, first_line
from modeldocs.loaders import LoadRequest
from modeldocs.loaders.pytorch import construction

if TYPE_CHECKING:
    import torch


def copied(
    request: LoadRequest, module: torch.nn.Module, fake_above: int | None
) -> tuple[torch.nn.Module, bool]:
    """A copy on the CPU of a module, compiled or not, and whether its parameters are fake.

    The module itself keeps its weights, its mode and its device. Parameters that take more than
    `fake_above` bytes together are not copied, and fake.

    Raises:
        ModeldocsError: Python cannot copy it.
    """
    module = getattr(module, "_orig_mod", module)  # what torch.compile wraps
    fake = construction.parameter_bytes(module) > (fake_above or sys.maxsize)
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
