"""Buffers that hold one number, as constants of a trace: a stride or a length that a module reads.

A trace has no values of buffers, so that a shape computed of one is unknown to it. The number is
that of the module, whatever its inputs, so that nothing is decided by data.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import torch

Owners = dict["torch.nn.Module", dict[str, "torch.Tensor"]]


def owners(module: torch.nn.Module) -> Owners:
    """The modules inside with such buffers, and these; torch's own modules read theirs in training
    alone.
    """
    found: Owners = {}
    for one in module.modules():
        if not type(one).__module__.startswith("torch.nn."):
            numbers = {name: b for name, b in one.named_buffers(recurse=False) if _is_number(b)}
            if numbers:
                found[one] = numbers
    return found


def _is_number(buffer: torch.Tensor) -> bool:
    return buffer.ndim == 0 and not buffer.is_floating_point() and not buffer.is_complex()


@contextmanager
def as_constants(found: Owners) -> Iterator[None]:
    """Within it, the modules read new tensors of these numbers, made while they run."""
    with ExitStack() as stack:
        for module, numbers in found.items():
            swap = _BufferSwap({name: (one.item(), one.dtype) for name, one in numbers.items()})
            stack.callback(module.register_forward_pre_hook(swap.before).remove)
            stack.callback(module.register_forward_hook(swap.after, always_call=True).remove)
        yield


class _BufferSwap:
    """Puts constants in the place of a module's buffers while it runs."""

    def __init__(self, numbers: dict[str, tuple[Any, torch.dtype]]) -> None:
        self.numbers = numbers
        self._kept: dict[str, torch.Tensor | None] = {}

    def before(self, module: torch.nn.Module, _: Any) -> None:
        import torch

        for name, (number, dtype) in self.numbers.items():
            self._kept[name] = module._buffers.pop(name)
            module.__dict__[name] = torch.tensor(number, dtype=dtype)

    def after(self, module: torch.nn.Module, *_: Any) -> None:
        for name in self.numbers:
            module.__dict__.pop(name, None)
            module._buffers[name] = self._kept.pop(name)
