"""Which tensors others are computed from."""

from __future__ import annotations

import contextlib
from collections.abc import Hashable, Iterator
from typing import TYPE_CHECKING, Any, TypeVar

from modeldocs.loaders.pytorch.calls import tensors

if TYPE_CHECKING:
    import torch

Name = TypeVar("Name", bound=Hashable)


class Lineage:
    """By tensor, told by its `id`, the tensors that it was computed from."""

    def __init__(self) -> None:
        self.parents: dict[int, set[int]] = {}
        self.kept: list[Any] = []  # so that no id is used twice

    def ends(self, named: dict[Name, torch.Tensor]) -> list[Name]:
        """Names of tensors that no other named one is computed from; each tensor once."""
        inner: set[int] = set()
        for tensor in named.values():
            inner |= self._before(id(tensor))
        found = {id(tensor): name for name, tensor in reversed(named.items())}
        return [name for name, t in named.items() if id(t) not in inner and found[id(t)] == name]

    def _before(self, tensor: int) -> set[int]:
        """All that a tensor comes from, without itself."""
        seen: set[int] = set()
        waiting = [tensor]
        while waiting:
            new = self.parents.get(waiting.pop(), set()) - seen
            seen |= new
            waiting.extend(new)
        return seen - {tensor}

    @contextlib.contextmanager
    def watching(self) -> Iterator[None]:
        """Follow what is computed meanwhile."""
        from torch.utils._python_dispatch import TorchDispatchMode

        lineage = self

        class Follower(TorchDispatchMode):  # type: ignore[misc]
            def __torch_dispatch__(
                self, func: Any, types: Any, args: Any = (), kwargs: Any = None
            ) -> Any:
                result = func(*args, **(kwargs or {}))
                read, made = tensors((args, kwargs)), tensors(result)
                lineage.kept += [*read, *made]
                for tensor in made:
                    lineage.parents.setdefault(id(tensor), set()).update(map(id, read))
                return result

        with Follower():
            yield
