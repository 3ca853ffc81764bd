"""Targets: the frameworks that programs are generated for, by entry point."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from importlib.metadata import EntryPoint, entry_points
from typing import NamedTuple, Protocol

from modeldocs.errors import ModeldocsError
from modeldocs.generators.interface import Interface
from modeldocs.generators.network import Network
from modeldocs.generators.program import Program

GROUP = "modeldocs.generators"


@dataclass(frozen=True)
class ProgramRunner:
    """What runs programs of a target that no loader loads: a module and its environment.

    The module's `main` runs in an isolated process of the environment: see
    `numeric.proof.held_weights`.
    """

    module: str
    environment: str


class ProgramFile(NamedTuple):
    """A program: as it is read, and the content of its file."""

    text: str
    content: bytes


class ProgramDraft(Protocol):
    """A program that is complete but for what is told of it: what it was made from, its proof."""

    @property
    def interface(self) -> Interface:
        """The orders of axes in which it has the source's inputs and outputs."""

    @property
    def program(self) -> Program | None:
        """Its intermediate form; None for a target that has none, whose programs are loaded."""

    def file(self, doc: str) -> ProgramFile:
        """The program with what is told of it."""


class Target(Protocol):
    """The interface of a target.

    `name` is what `--to` takes, `title` its name on pages, `framework` that of the loader that
    loads its programs, and `suffix` that of their files. Where no loader loads them, `framework` is
    "" and `runner` runs them.
    """

    name: str
    title: str
    framework: str
    suffix: str
    runner: ProgramRunner | None

    def draft(self, network: Network, name: str) -> ProgramDraft:
        """The program of a network; `name` is what the network is called.

        Raises:
            NoProgramError: a layer has no program in the target; the error names it.
        """


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
