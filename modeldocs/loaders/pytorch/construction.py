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
    """Bytes of the parameters made so far; those that pass the limit are made without values."""

    def __init__(self, limit: int) -> None:
        from torch.utils.weak import WeakIdKeyDictionary

        self.limit, self.bytes = limit, 0
        self.hollow: Any = WeakIdKeyDictionary()  # what stands for each parameter
        self.owners: list[tuple[torch.nn.Module, str]] = []

    @property
    def passed(self) -> bool:
        """Whether they are more than the limit."""
        return self.bytes > self.limit

    def add(self, module: torch.nn.Module, name: str, param: torch.nn.Parameter) -> None:
        """Count a parameter that a module got; past the limit, take the values of all of them."""
        if param not in self.hollow:
            self.bytes += param.numel() * param.element_size()
            self.hollow[param] = None
        self.owners.append((module, name))
        if self.passed:
            for owner, own in self.owners:
                self._empty(owner, own)
            self.owners.clear()

    def _empty(self, module: torch.nn.Module, name: str) -> None:
        """Put a parameter without values where one was; the same for all that share it."""
        import torch

        param = module._parameters.get(name)
        if param is None or param.device.type == "meta":
            return
        if self.hollow.get(param) is None:
            empty = torch.empty_like(param, device="meta", requires_grad=False)
            self.hollow[param] = torch.nn.Parameter(empty, param.requires_grad)
        module._parameters[name] = self.hollow[param]


@contextlib.contextmanager
def bounded(limit: int | None) -> Iterator[Size]:
    """Let the parameters of a module that is made take at most `limit` bytes, if one is given.

    Once they pass it they give their memory back, and later ones as soon as a module has them.
    Buffers keep their values.
    """
    import torch

    original, size = torch.nn.Module.register_parameter, Size(limit or sys.maxsize)

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
