"""Lineage of tensors: which tensors others are computed from."""

from __future__ import annotations

import contextlib
from collections.abc import Hashable, Iterator
from typing import TYPE_CHECKING, Any, TypeVar

from modeldocs.loaders.pytorch.partial.calls import tensors
from modeldocs.loaders.traversal import post_order

if TYPE_CHECKING:
    import torch

Name = TypeVar("Name", bound=Hashable)


class Lineage:
    """The tensors that each tensor was computed from, by `id`."""

    def __init__(self) -> None:
        self.parents: dict[int, set[int]] = {}
        self.alive: list[Any] = []  # keeps tensors alive, so that no id is used twice

    def ends(self, named: dict[Name, torch.Tensor]) -> list[Name]:
        """Names of tensors that no other named one is computed from; each tensor once."""
        ancestors: set[int] = set()
        for tensor in named.values():
            ancestors |= self._ancestors(id(tensor))
        first = {id(tensor): name for name, tensor in reversed(named.items())}
        return [
            name for name, t in named.items() if id(t) not in ancestors and first[id(t)] == name
        ]

    def _ancestors(self, tensor: int) -> set[int]:
        """All tensors that a tensor is computed from, without itself."""
        reached = post_order([tensor], lambda one: self.parents.get(one, ()))
        return set(reached) - {tensor}

    @contextlib.contextmanager
    def recording(self) -> Iterator[None]:
        """Record the operators that are called meanwhile."""
        from torch.utils._python_dispatch import TorchDispatchMode

        lineage = self

        class LineageRecorder(TorchDispatchMode):  # type: ignore[misc]
            def __torch_dispatch__(
                self, func: Any, types: Any, args: Any = (), kwargs: Any = None
            ) -> Any:
                result = func(*args, **(kwargs or {}))
                read, computed = tensors((args, kwargs)), tensors(result)
                lineage.alive += [*read, *computed]
                for tensor in computed:
                    lineage.parents.setdefault(id(tensor), set()).update(map(id, read))
                return result

        with LineageRecorder():
            yield
