"""What the search of the diff can do without: its passes, and the constants that choose."""

from __future__ import annotations

import ast
import importlib
from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from types import ModuleType
from typing import Any, Final
from unittest.mock import patch

from modeldocs.diff import refinement
from modeldocs.diff.alignment import stages
from modeldocs.diff.refinement import moves, proposals

from .subjects import REPOSITORY

_SEARCH: Final = ("alignment", "refinement")


@dataclass(frozen=True, slots=True)
class Switch:
    """A name of a module that is given another value."""

    name: str
    module: ModuleType
    attribute: str
    value: Any

    def off(self) -> AbstractContextManager[Any]:
        """Without it, in this process and those that it forks."""
        return patch.object(self.module, self.attribute, self.value)


def whole() -> AbstractContextManager[None]:
    """With everything."""
    return nullcontext()


def _nothing(*_: object, **__: object) -> None:
    """In place of a pass that changes a matching."""


def _none(*_: object, **__: object) -> list[Any]:
    """In place of a pass that proposes pairs."""
    return []


PASSES: Final = (
    Switch("ties broken", stages, "_break_ties", _nothing),
    Switch("epilogues", stages, "match_epilogues", _nothing),
    Switch("gaps shifted", proposals, "shift_gaps", _nothing),
    Switch("layers in sequence", proposals, "align_orders", _none),
    Switch("edits reduced one by one", refinement, "reduce_edits", _nothing),
    Switch("chains matched anew", refinement, "rematch_chains", _nothing),
    Switch("equal layers elsewhere", moves, "_match_equal", _nothing),
    Switch("moves that explain", moves, "_mark_explaining", _nothing),
    Switch("substitutions repaired", refinement, "repair_substitutions", _nothing),
    Switch("partial joins", refinement, "mark_partial_joins", _nothing),
)


def constants() -> Iterator[Switch]:
    """Half and twice each number that is named in a module of the search."""
    folder = REPOSITORY / "modeldocs" / "diff"
    for file in sorted(path for part in _SEARCH for path in (folder / part).glob("*.py")):
        module = importlib.import_module(f"modeldocs.diff.{file.parent.name}.{file.stem}")
        for node in ast.parse(file.read_text("utf-8")).body:
            if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
                value = getattr(module, node.target.id)
                if isinstance(value, int | float) and ast.unparse(node.annotation) == "Final":
                    yield from _scaled(module, node.target.id, value)


def _scaled(module: ModuleType, name: str, value: float) -> Iterator[Switch]:
    for factor in (0.5, 2):
        scaled = value * factor
        if isinstance(value, int):
            scaled = max(int(scaled), 1)
        if scaled != value:
            place = module.__name__.rpartition(".")[2]
            yield Switch(f"{place}.{name.strip('_')} {scaled:g}", module, name, scaled)
