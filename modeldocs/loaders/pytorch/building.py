"""The module of a port: built, with the line of each of its modules, and what goes into it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from modeldocs.errors import ModeldocsError
from modeldocs.loaders import Inputs, LoadRequest, callables
from modeldocs.loaders.pytorch import configured, construction, inputs

if TYPE_CHECKING:
    import torch

REAL_BYTES = 2 * 2**30
"""A module whose parameters take more than this is traced on fake tensors, and not proven: a proof
needs several times as much."""

_BASES = ("Module", "Sequential", "ModuleList")


@dataclass(frozen=True)
class Built:
    """A module in evaluation mode, and what goes into it; `fake` if it has no values."""

    module: torch.nn.Module
    inputs: Inputs
    fake: bool = False


def build_module(request: LoadRequest, *, fake_above: int | None = None) -> Built:
    """The port's module in evaluation mode, and its inputs (see `inputs.wanted`).

    One whose parameters would take more than `fake_above` bytes has fake ones.

    Raises:
        ModeldocsError: the port raises, returns something else, or no shape is given.
    """
    import torch

    with construction.lines(callables.OwnFiles(request)):
        source = callables.import_source(request)
        target = callables.resolve(request, source, _BASES)
        fake = False
        if isinstance(target, torch.nn.Module):
            made = target
        else:
            made, fake = _constructed(request, target, fake_above)
    configured.make_exportable(made, request)
    wanted = inputs.wanted(request, made, getattr(source, "INPUTS", {}))
    return Built(made.eval(), wanted, fake)


def _constructed(
    request: LoadRequest, target: Any, fake_above: int | None
) -> tuple[torch.nn.Module, bool]:
    """The module that the entry point makes, and whether its parameters are fake.

    It is made once; a second time only where it grew too large, and wants the values that it has.
    """
    function = configured.with_config(request, target)
    with construction.bounded(fake_above) as size:
        try:
            made = _called(request, function)
        except ModeldocsError:
            if not size.passed:
                raise
            made = None
    if made is None:
        return _called(request, function), False
    if size.passed:
        construction.put_fake_parameters(made)
    return made, size.passed


def _called(request: LoadRequest, function: Callable[..., Any]) -> torch.nn.Module:
    import torch

    torch.manual_seed(0)
    made = callables.call(request, function)
    if not isinstance(made, torch.nn.Module):
        raise ModeldocsError(
            f"the entry point returned {type(made).__name__}, not a torch.nn.Module",
            file=request.source,
            fix="let it return the module, or name the right callable as `entry:` in model.yml",
        )
    return made
