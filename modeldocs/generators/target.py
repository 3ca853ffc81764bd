"""Targets: the frameworks that programs are generated for, by entry point."""

from __future__ import annotations

import functools
from importlib.metadata import EntryPoint, entry_points
from typing import Protocol

from modeldocs.errors import ModeldocsError
from modeldocs.generators.interface import Interface
from modeldocs.generators.network import Network

GROUP = "modeldocs.generators"


class Draft(Protocol):
    """A program that is complete but for what is told of it: what it was made from, its proof."""

    @property
    def interface(self) -> Interface:
        """The orders of axes in which it has the source's inputs and outputs."""

    def text(self, doc: str) -> str:
        """The program as it is read, with what is told of it."""

    def content(self, doc: str) -> bytes:
        """Its file, with what is told of it."""


class Target(Protocol):
    """The interface of a target.

    `name` is what `--to` takes, `title` its name on pages, `framework` that of the loader that
    loads its programs, and `suffix` that of their files.
    """

    name: str
    title: str
    framework: str
    suffix: str

    def draft(self, network: Network, name: str) -> Draft:
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


@functools.cache
def target(name: str) -> Target:
    """A target by name.

    Raises:
        ModeldocsError: none is installed under that name.
    """
    point = _entry_points().get(name)
    if point is None:
        raise ModeldocsError(
            f"no generator for {name!r}",
            fix=f"use one of {', '.join(targets())}, or install the package that offers it",
        )
    instance: Target = point.load()()
    return instance
