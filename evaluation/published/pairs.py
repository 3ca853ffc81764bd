"""What a pair of published networks is, and how both are held against each other."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np

from ..pairs.nets import WITHOUT_COMPILED_OPERATORS, Net, Shapes
from .rules import Rule

Values = list[np.ndarray]
View = Callable[[Values], np.ndarray]

PUBLISHED: Final = "published"
"""The environment of packages on PyTorch."""

KINDS: Final = ("same", "different")

SEEN: Final[Shapes] = {"x": (1, 3, 64, 64)}
"""A small image."""


@dataclass(frozen=True, slots=True)
class Published:
    """Two published networks: how A's weights get into B, and which outputs are compared.

    `kind` is what the truth has to confirm. `note` says of two networks that differ what does, and
    of two that are the same how they are held; it was written before modeldocs saw the pair.
    `draw` makes inputs of A of those that were drawn, `feed` B's of A's, `ours` and `theirs` the
    arrays that are compared of what is returned. `unset` are weights of B that A lacks, where that
    is part of the note. `batched` is whether another batch is tried.
    """

    name: str
    a: Net
    b: Net
    note: str
    rules: Sequence[Rule] = ()
    kind: str = "same"
    draw: Callable[[Values], Values] = list
    feed: Callable[[Values], Values] = list
    ours: View = field(default=lambda values: values[0])
    theirs: View = field(default=lambda values: values[0])
    unset: str = ""
    batched: bool = True


def torch(package: str, before: str, build: str, inputs: Shapes = SEEN) -> Net:
    """A module that a package builds on PyTorch; `before` are the lines above it."""
    called = re.sub(r"\W+", "-", build.split("(")[0]).strip("-").rpartition(".")[2]
    told = hashlib.sha256(f"{before}\n{build}\n{inputs}".encode()).hexdigest()[:6]
    lines = f"{WITHOUT_COMPILED_OPERATORS}\n{before.strip()}"
    return Net(package, f"{called}-{told}", "pytorch", build, inputs, lines, PUBLISHED)


def call(function: str, *args: Any, **settings: Any) -> str:
    """The expression of a call."""
    told = [*map(repr, args), *(f"{key}={value!r}" for key, value in settings.items())]
    return f"{function}({', '.join(told)})"


def output(place: int, change: Callable[[np.ndarray], np.ndarray] = np.asarray) -> View:
    """An output by its place, changed."""
    return lambda values: change(values[place])
