"""Which function draws which kind of layer."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, TypeVar, cast

Emit = TypeVar("Emit", bound=Callable[..., Any])


class Emitters(dict[str, Emit]):
    """The emit function of each kind of layer, by the framework's own name of it."""

    def emits(self, *kinds: str) -> Callable[[Emit], Emit]:
        """Register the emit function of some kinds."""

        def register(emit: Emit) -> Emit:
            self.update(dict.fromkeys(kinds, emit))
            return emit

        return register

    def renames(self, names: Mapping[str, str]) -> Callable[[Callable[..., Any]], Emit]:
        """Register the emit function of some kinds, which is given ONNX's name of each as well."""

        def register(emit: Callable[..., Any]) -> Any:
            for kind, name in names.items():
                self[kind] = cast("Any", partial(emit, operator=name))
            return emit

        return register
