"""All kinds of tasks by name, each imported when it is used."""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Mapping
from typing import Any

from modeldocs.tasks.kind import TaskKind

_NAMES = (
    "load",
    "proof",
    "outline",
    "draw",
    "diff",
    "unresolved_pairs",
    "parity",
    "generate",
    "panel",
)


class _Kinds(Mapping[str, TaskKind[Any, Any]]):
    """The kinds, each a constant in the module of its name."""

    def __getitem__(self, name: str) -> TaskKind[Any, Any]:
        if name not in _NAMES:
            raise KeyError(name)
        module = importlib.import_module(f"{__package__}.{name}")
        kind: TaskKind[Any, Any] = getattr(module, name.upper())
        return kind

    def __iter__(self) -> Iterator[str]:
        return iter(_NAMES)

    def __len__(self) -> int:
        return len(_NAMES)


KINDS = _Kinds()
