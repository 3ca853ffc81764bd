"""The module that a Python port builds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from modeldocs.errors import ModeldocsError
from modeldocs.loaders import Inputs, LiveRequest, LoadRequest
from modeldocs.loaders.python_source import callables, own_files
from modeldocs.loaders.pytorch import configuration, construction, inputs, module_copy
from modeldocs.loaders.pytorch.torchscript import modules

if TYPE_CHECKING:
    import torch

REAL_BYTES = 2 * 2**30
"""A module whose parameters take more bytes is traced on fake tensors, and not proven: a proof
needs several times as much memory."""

_BASES = ("Module", "Sequential", "ModuleList")


@dataclass(frozen=True)
class BuiltModule:
    """A module in evaluation mode and its inputs; `fake` if its parameters have no values."""

    module: torch.nn.Module
    inputs: Inputs
    fake: bool = False


def build_module(request: LoadRequest, *, fake_above: int | None = None) -> BuiltModule:
    """The port's module in evaluation mode, and its inputs (see `inputs.requested`).

    Parameters that would take more than `fake_above` bytes together are fake tensors.

    Raises:
        ModeldocsError: the port raises, returns something else, or no shape is given.
    """
    import torch

    with own_files.recorded_lines(torch.nn.Module, own_files.OwnFiles(request)):
        target, declared = callables.entry_point(request, _BASES)
        fake = False
        if isinstance(target, torch.nn.Module):
            module = target
            if isinstance(request, LiveRequest):
                module, fake = module_copy.copied(request, target, fake_above)
        else:
            module, fake = _construct(request, target, fake_above)
    module = modules.unscripted(module)
    configuration.make_exportable(module, request)
    module_inputs = inputs.requested(request, module, declared)
    return BuiltModule(module.eval(), module_inputs, fake)


def _construct(
    request: LoadRequest, target: Any, fake_above: int | None
) -> tuple[torch.nn.Module, bool]:
    """The module that the entry point returns, and whether its parameters are fake.

    The entry point is called once. Where it grew too large and then raised, because it reads the
    values of its parameters, it is called again with real ones.
    """
    function = configuration.with_config(request, target)
    with construction.bounded(fake_above) as size:
        try:
            module = _call(request, function)
        except ModeldocsError:
            if not size.exceeded:
                raise
            module = None
    if module is None:
        return _call(request, function), False
    if size.exceeded:
        construction.replace_with_fake_parameters(module)
    return module, size.exceeded


def _call(request: LoadRequest, function: Callable[..., Any]) -> torch.nn.Module:
    import torch

    torch.manual_seed(0)
    module = callables.call(request, function)
    if not isinstance(module, torch.nn.Module):
        raise callables.wrong_result(request, module, "not a torch.nn.Module", "the module")
    return module
