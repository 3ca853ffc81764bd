"""modeldocs: static sites of model reports from neural-network definitions.

As a package it has what the commands of those names do: `load`, `diff`, `verify` and `generate`,
for sources and for live objects (`live`), and `testing`. Each is imported when it is first used.
"""

import importlib
import os
from typing import Any

__version__ = "0.1.0"

# onnxruntime 1.32 reports its use to its maker unless this is set before it is first imported.
os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")

_FUNCTIONS = {
    "live": ".interface.subject",
    "load": ".interface.network",
    "verify": ".interface.verification",
    "generate": ".interface.program",
}
"""The functions of the Python interface, by name the modules that have them.

These are relative: a module that is named whole counts as part of whatever imports this one, whose
stored results would then depend on it.
"""

_MODULES = ("diff", "testing")
"""Modules that need no import of their own; `modeldocs.diff` can be called."""


def __getattr__(name: str) -> Any:
    if name in _FUNCTIONS:
        return getattr(importlib.import_module(_FUNCTIONS[name], __name__), name)
    if name in _MODULES:
        return importlib.import_module(f".{name}", __name__)
    if name == "ModeldocsError":
        return importlib.import_module(".errors", __name__).ModeldocsError
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *_FUNCTIONS, *_MODULES, "ModeldocsError"])
