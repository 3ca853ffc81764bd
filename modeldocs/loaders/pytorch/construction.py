"""The bytes of the parameters of modules, observed and bounded while these are constructed."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import torch


class ParameterSize:
    """Bytes of the parameters registered so far; past the limit they give up their values."""

    def __init__(self, limit: int) -> None:
        from torch.utils.weak import WeakIdKeyDictionary

        self.limit, self.bytes = limit, 0
        self.empty: Any = WeakIdKeyDictionary()  # by parameter: the one without values
        self.owners: list[tuple[torch.nn.Module, str]] = []

    @property
    def exceeded(self) -> bool:
        """Whether they are more than the limit."""
        return self.bytes > self.limit

    def add(self, module: torch.nn.Module, name: str, param: torch.nn.Parameter) -> None:
        """Count a parameter of a module; past the limit, drop the values of all of them."""
        if param not in self.empty:
            self.bytes += param.numel() * param.element_size()
            self.empty[param] = None
        self.owners.append((module, name))
        if self.exceeded:
            for owner, own in self.owners:
                self._drop_values(owner, own)
            self.owners.clear()

    def _drop_values(self, module: torch.nn.Module, name: str) -> None:
        """Replace a parameter by one without values: the same one in all modules that share it."""
        import torch

        param = module._parameters.get(name)
        if param is None or param.device.type == "meta":
            return
        if self.empty.get(param) is None:
            empty = torch.empty_like(param, device="meta", requires_grad=False)
            self.empty[param] = torch.nn.Parameter(empty, param.requires_grad)
        module._parameters[name] = self.empty[param]


@contextlib.contextmanager
def bounded(limit: int | None) -> Iterator[ParameterSize]:
    """Let the parameters of modules constructed meanwhile take at most `limit` bytes, if given.

    Past the limit parameters move to the meta device, later ones as soon as a module registers
    them. Buffers keep their values.
    """
    import torch

    original, size = torch.nn.Module.register_parameter, ParameterSize(limit or sys.maxsize)

    def register(module: torch.nn.Module, name: str, param: Any) -> None:
        original(module, name, param)
        if isinstance(param, torch.nn.Parameter):
            size.add(module, name, param)

    torch.nn.Module.register_parameter = register
    try:
        yield size
    finally:
        torch.nn.Module.register_parameter = original


def parameter_bytes(module: torch.nn.Module) -> int:
    """Bytes of all parameters of a module, shared ones once."""
    return sum(p.numel() * p.element_size() for p in module.parameters())


def replace_with_fake_parameters(module: torch.nn.Module) -> None:
    """Replace each parameter by a fake tensor on the CPU of its shape and dtype."""
    import torch
    from torch._subclasses import FakeTensorMode

    fakes: dict[int, torch.nn.Parameter] = {}
    with FakeTensorMode(allow_non_fake_inputs=True):
        for inner in module.modules():
            for name, param in list(inner._parameters.items()):
                if param is not None:
                    if id(param) not in fakes:
                        empty = torch.empty(param.shape, dtype=param.dtype)
                        fakes[id(param)] = torch.nn.Parameter(empty, param.requires_grad)
                    setattr(inner, name, fakes[id(param)])
