"""Watching modules being made: the line of the port that made each, and how large they grow."""

from __future__ import annotations

import contextlib
import functools
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from modeldocs.loaders import callables

if TYPE_CHECKING:
    import torch

LINE = "_modeldocs_line"
"""The attribute of a module that holds the file and line that made it."""


@contextlib.contextmanager
def lines(own: callables.OwnFiles) -> Iterator[None]:
    """Record on each module the line of the port that constructed it."""
    import torch

    original = torch.nn.Module.__init__

    @functools.wraps(original)
    def init(module: torch.nn.Module, *args: Any, **kwargs: Any) -> None:
        original(module, *args, **kwargs)
        frame = sys._getframe(1)
        while frame is not None and (
            frame.f_code.co_filename not in own or frame.f_locals.get("self") is module
        ):
            frame = frame.f_back  # type: ignore[assignment]
        if frame is not None:
            object.__setattr__(module, LINE, (frame.f_code.co_filename, frame.f_lineno))

    torch.nn.Module.__init__ = init
    try:
        yield
    finally:
        torch.nn.Module.__init__ = original


class Size:
    """Bytes of the parameters made so far, and whether they passed the limit."""

    def __init__(self, limit: int) -> None:
        self.limit, self.bytes = limit, 0
        self.seen: set[int] = set()

    @property
    def passed(self) -> bool:
        """Whether they are more than the limit."""
        return self.bytes > self.limit

    def add(self, param: torch.nn.Parameter) -> None:
        """Count a parameter, a shared one once.

        Raises:
            MemoryError: that makes too many.
        """
        if id(param) not in self.seen:
            self.seen.add(id(param))
            self.bytes += param.numel() * param.element_size()
        if self.passed:
            raise MemoryError(f"its parameters take more than {self.limit} bytes")


@contextlib.contextmanager
def limited(limit: int) -> Iterator[Size]:
    """Stop a module from being made once its parameters take more than `limit` bytes."""
    import torch

    original, size = torch.nn.Module.register_parameter, Size(limit)

    def register(module: torch.nn.Module, name: str, param: Any) -> None:
        if isinstance(param, torch.nn.Parameter):
            size.add(param)
        original(module, name, param)

    torch.nn.Module.register_parameter = register
    try:
        yield size
    finally:
        torch.nn.Module.register_parameter = original


@contextlib.contextmanager
def without_parameters() -> Iterator[None]:
    """Give each parameter's memory back as soon as a module has it; buffers keep their values."""
    import torch

    original = torch.nn.Module.register_parameter

    def register(module: torch.nn.Module, name: str, param: Any) -> None:
        original(module, name, param)
        if isinstance(param, torch.nn.Parameter) and param.device.type != "meta":
            empty = torch.empty_like(param, device="meta", requires_grad=False)
            module._parameters[name] = torch.nn.Parameter(empty, param.requires_grad)

    torch.nn.Module.register_parameter = register
    try:
        yield
    finally:
        torch.nn.Module.register_parameter = original


def parameter_bytes(module: torch.nn.Module) -> int:
    """Bytes of all parameters of a module, shared ones once."""
    return sum(p.numel() * p.element_size() for p in module.parameters())


def put_fake_parameters(module: torch.nn.Module) -> None:
    """Put in place of each parameter a fake one: shape and dtype, on the processor, no values."""
    import torch
    from torch._subclasses import FakeTensorMode

    made: dict[int, torch.nn.Parameter] = {}
    with FakeTensorMode(allow_non_fake_inputs=True):
        for inner in module.modules():
            for name, param in list(inner._parameters.items()):
                if param is not None:
                    if id(param) not in made:
                        empty = torch.empty(param.shape, dtype=param.dtype)
                        made[id(param)] = torch.nn.Parameter(empty, param.requires_grad)
                    setattr(inner, name, made[id(param)])
