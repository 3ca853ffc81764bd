"""Which function draws which kind of layer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

Emit = TypeVar("Emit", bound=Callable[..., Any])


class Emitters(dict[str, Emit]):
    """The emit function of each kind of layer, by the framework's own name of it."""

    def emits(self, *kinds: str) -> Callable[[Emit], Emit]:
        """Register the emit function of some kinds."""

        def register(emit: Emit) -> Emit:
            self.update(dict.fromkeys(kinds, emit))
            return emit

        return register
