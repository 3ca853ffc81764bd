"""The calls of modules that a run makes: each with what goes in and what comes out."""

from __future__ import annotations

import contextlib
import functools
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import torch

Key = tuple[str, int]
"""A module's path, and which call of it this is."""


@dataclass(eq=False)
class Call:
    """One call of a module; `result` is there once it is `done`.

    `went_in` and `came_out` are how often each tensor had been changed in place by then.
    """

    key: Key
    module: torch.nn.Module
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    children: list[Call] = field(default_factory=list)
    result: Any = None
    done: bool = False
    went_in: list[int] = field(default_factory=list)
    came_out: list[int] = field(default_factory=list)

    @property
    def learned(self) -> bool:
        """Whether the module has parameters."""
        return next(self.module.parameters(), None) is not None

    def all(self) -> Iterator[Call]:
        """It and all calls in it, in the order that they were begun."""
        yield self
        for child in self.children:
            yield from child.all()

    def outermost(self) -> Iterator[Call]:
        """The calls in it that came to their end, but those within one another."""
        for child in self.children:
            if child.done:
                yield child
            else:
                yield from child.outermost()


def tensors(value: Any) -> list[torch.Tensor]:
    """The tensors in nested containers, in order."""
    import torch
    from torch.utils import _pytree as pytree

    return [leaf for leaf in pytree.tree_leaves(value) if isinstance(leaf, torch.Tensor)]


@contextlib.contextmanager
def watched(
    module: torch.nn.Module, before: Callable[..., None], after: Callable[..., None]
) -> Iterator[None]:
    """Tell of each call of a module and those in it: `before(key, module, args, kwargs)`,
    `after(key, module, result)`.
    """
    counts: Counter[str] = Counter()
    open_: list[Key] = []

    def enter(path: str, inner: Any, args: Any, kwargs: Any) -> None:
        open_.append((path, counts[path]))
        counts[path] += 1
        before(open_[-1], inner, args, kwargs)

    def leave(path: str, inner: Any, result: Any) -> None:
        while open_[-1][0] != path:  # one that raised, and whose caller went on
            open_.pop()
        after(open_.pop(), inner, result)

    handles = []
    for path, inner in module.named_modules():
        if path:
            enters, leaves = functools.partial(enter, path), functools.partial(leave, path)
            handles.append(inner.register_forward_pre_hook(enters, with_kwargs=True))
            handles.append(inner.register_forward_hook(lambda m, _, r, to=leaves: to(m, r)))
    try:
        yield
    finally:
        for handle in handles:
            handle.remove()


def record(
    module: torch.nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[Call, BaseException | None]:
    """Run a module; its call with all those in it, and what it raised, if it did."""
    root = Call(("", 0), module, args, kwargs)
    stack = [root]

    def before(key: Key, inner: Any, given: Any, named: Any) -> None:
        call = Call(key, inner, given, named, went_in=_versions((given, named)))
        stack[-1].children.append(call)
        stack.append(call)

    def after(key: Key, _: Any, result: Any) -> None:
        while stack[-1].key != key:
            stack.pop()
        call = stack.pop()
        call.result, call.done, call.came_out = result, True, _versions(result)

    with watched(module, before, after):
        try:
            root.result, root.done = module(*args, **kwargs), True
        except Exception as error:
            return root, error
    return root, None


def _versions(value: Any) -> list[int]:
    return [tensor._version for tensor in tensors(value)]
