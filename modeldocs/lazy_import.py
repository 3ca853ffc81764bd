"""Deferred imports: modules whose code runs when one of their names is first used.

`onnx_ir` imports sympy for arithmetic with symbolic sizes, which few graphs need. The import takes
a third of the CPU time of loading a small network.
"""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.machinery import PathFinder
from importlib.util import module_from_spec
from types import ModuleType
from typing import Any


def defer_symbolic() -> None:
    """Defer sympy, and the module of `onnx_ir` that uses it, unless they are imported already."""
    if "onnx_ir" in sys.modules:
        return
    package = PathFinder.find_spec("onnx_ir")
    if package is not None:
        _defer("sympy", None)
        _defer("onnx_ir._symbolic_shapes", package.submodule_search_locations)


class _Deferred(ModuleType):
    """A module whose code runs at the first access to an attribute."""

    def __getattr__(self, name: str) -> Any:
        # `importlib.util.LazyLoader` would run it at every `import`, which reads `__spec__`.
        super().__setattr__("__class__", ModuleType)
        assert self.__spec__ is not None and self.__spec__.loader is not None
        self.__spec__.loader.exec_module(self)
        return getattr(self, name)


def make_callable(name: str, place: str) -> None:
    """Let an imported module be called as a function, `.module:function`, which is imported then.

    `modeldocs.diff` is both: the function of the Python interface, and the package. The place is
    relative to the package, so that the function is no part of what importing the module runs.
    """
    module_name, _, function = place.partition(":")

    class _Callable(ModuleType):
        def __call__(self, *args: Any, **options: Any) -> Any:
            return getattr(import_module(module_name, __package__), function)(*args, **options)

    sys.modules[name].__class__ = _Callable


def _defer(name: str, folders: list[str] | None) -> None:
    spec = PathFinder.find_spec(name, folders)
    if spec is None or name in sys.modules:
        return
    module = module_from_spec(spec)
    module.__class__ = _Deferred
    sys.modules[name] = module
