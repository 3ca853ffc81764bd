"""Targets: the frameworks that programs are generated for, by entry point."""

from __future__ import annotations

import ast
import functools
from collections.abc import Mapping, Sequence
from importlib.metadata import EntryPoint, entry_points
from typing import Protocol

from modeldocs.errors import ModeldocsError
from modeldocs.generators.operation import LoweredOperation
from modeldocs.generators.program import Program
from modeldocs.generators.site import Lowering, Moves

GROUP = "modeldocs.generators"


class Target(Protocol):
    """The interface of a target: a table of layers, and a writer.

    `name` is what `--to` takes, `title` its name on pages, `framework` that of the loader that
    loads its programs. `channels_last` is whether it has the channels of images last. `table` has a
    function for each operator of normal form: the expression that computes a layer. `moves` writes
    what lies on edges. `container` is the function that makes a sequence of members, which
    `sequence` writes; `members` writes a list of them.
    """

    name: str
    title: str
    framework: str
    channels_last: bool
    container: str
    moves: Moves
    table: Mapping[str, Lowering]

    def merged(
        self, operations: Sequence[LoweredOperation], outputs: Sequence[str]
    ) -> tuple[list[LoweredOperation], dict[str, str]]:
        """Operations, with those as one that a layer of the target computes together.

        `outputs` are ids of tensors. Returns the tensors that took the place of others, too.
        """

    def members(self, constructors: Sequence[ast.expr]) -> ast.expr | None:
        """The constructor of a list of members; None where the target has none."""

    def sequence(self, constructors: Sequence[ast.expr]) -> ast.expr | None:
        """The constructor of a sequence of members; None where the target has none."""

    def write(self, program: Program, doc: str) -> str:
        """The file of a program; `doc` is the text of its docstring."""


@functools.cache
def _entry_points() -> dict[str, EntryPoint]:
    return {point.name: point for point in sorted(entry_points(group=GROUP), key=lambda p: p.value)}


def targets() -> list[str]:
    """Names of the targets, sorted."""
    return sorted(_entry_points())


def entry_point(name: str) -> EntryPoint:
    """The entry point of a target.

    Raises:
        ModeldocsError: none is installed under that name.
    """
    point = _entry_points().get(name)
    if point is None:
        raise ModeldocsError(
            f"no generator for {name!r}",
            fix=f"use one of {', '.join(targets())}, or install the package that offers it",
        )
    return point


@functools.cache
def target(name: str) -> Target:
    """A target by name.

    Raises:
        ModeldocsError: none is installed under that name.
    """
    instance: Target = entry_point(name).load()()
    return instance
