"""Calls of modules during a run: each with its arguments and its result."""

from __future__ import annotations

import contextlib
import functools
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from modeldocs.loaders.pytorch import containers

if TYPE_CHECKING:
    import torch

Key = tuple[str, int]
"""A module's path, and the number of the call, counted from 0 for each module."""


@dataclass(eq=False)
class ModuleCall:
    """One call of a module; `result` is there once it is `done`.

    `input_versions` and `output_versions` count, for each tensor, the in-place changes until then.
    """

    key: Key
    module: torch.nn.Module
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    children: list[ModuleCall] = field(default_factory=list)
    result: Any = None
    done: bool = False
    input_versions: list[int] = field(default_factory=list)
    output_versions: list[int] = field(default_factory=list)

    @property
    def has_parameters(self) -> bool:
        """Whether the module has parameters."""
        return next(self.module.parameters(), None) is not None

    def all(self) -> Iterator[ModuleCall]:
        """The call itself and all inside of it, in the order of their start."""
        yield self
        for child in self.children:
            yield from child.all()

    def completed(self) -> Iterator[ModuleCall]:
        """The outermost calls inside of it that returned."""
        for child in self.children:
            if child.done:
                yield child
            else:
                yield from child.completed()


def tensors(value: Any) -> list[torch.Tensor]:
    """The tensors in nested containers, in order."""
    import torch
    from torch.utils import _pytree as pytree

    containers.register(value)
    return [leaf for leaf in pytree.tree_leaves(value) if isinstance(leaf, torch.Tensor)]


@contextlib.contextmanager
def hooked(
    module: torch.nn.Module, before: Callable[..., None], after: Callable[..., None]
) -> Iterator[None]:
    """Observe the calls of all modules inside of `module`.

    `before(key, module, args, kwargs)` runs before each call, `after(key, result)` after it.
    """
    counts: Counter[str] = Counter()
    running: list[Key] = []

    def enter(path: str, inner: Any, args: Any, kwargs: Any) -> None:
        running.append((path, counts[path]))
        counts[path] += 1
        before(running[-1], inner, args, kwargs)

    def leave(path: str, _inner: Any, _args: Any, result: Any) -> None:
        while running[-1][0] != path:  # a call that raised, and whose caller went on
            running.pop()
        after(running.pop(), result)

    handles = []
    for path, inner in module.named_modules():
        if path:
            entered, left = functools.partial(enter, path), functools.partial(leave, path)
            handles.append(inner.register_forward_pre_hook(entered, with_kwargs=True))
            handles.append(inner.register_forward_hook(left))
    try:
        yield
    finally:
        for handle in handles:
            handle.remove()


def record(
    module: torch.nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[ModuleCall, BaseException | None]:
    """Run a module; its call with all inside of it, and the exception that it raised, if any."""
    root = ModuleCall(("", 0), module, args, kwargs)
    stack = [root]

    def before(key: Key, inner: Any, inner_args: Any, inner_kwargs: Any) -> None:
        versions = _versions((inner_args, inner_kwargs))
        call = ModuleCall(key, inner, inner_args, inner_kwargs, input_versions=versions)
        stack[-1].children.append(call)
        stack.append(call)

    def after(key: Key, result: Any) -> None:
        while stack[-1].key != key:
            stack.pop()
        call = stack.pop()
        call.result, call.done, call.output_versions = result, True, _versions(result)

    with hooked(module, before, after):
        try:
            root.result, root.done = module(*args, **kwargs), True
        except Exception as error:
            return root, error
    return root, None


def _versions(value: Any) -> list[int]:
    return [tensor._version for tensor in tensors(value)]
