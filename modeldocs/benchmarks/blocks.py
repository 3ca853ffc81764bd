"""Blocks of a record: modules of the network, of which some hold others."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from modeldocs.benchmarks.measurements import Block

NETWORK = ""
"""The path of the block that is the whole network."""

_STEP, _DOT = re.compile(r"(?<=.)[./]"), re.compile(r"(?<=.)\.")
"""What separates the steps of a path: a dot in PyTorch, a slash in Keras."""
_COPY = re.compile(r"(.+)_\d+_split")
"""How Caffe names the row that copies a layer's output: `LAYER_BLOB_0_split`."""


def leaves(blocks: Sequence[Block]) -> list[Block]:
    """The blocks that hold no other block of the list."""
    rows = are_rows(blocks)
    holders = {path for block in blocks for path in _above(block.path, rows=rows)}
    return [block for block in blocks if block.path not in holders]


def are_rows(blocks: Sequence[Block]) -> bool:
    """Whether blocks are rows of a log that names layers.

    Slashes say nothing there: Caffe's `conv1` does not hold `conv1/relu`.
    """
    return any(block.layer is not None for block in blocks)


def holder(path: str, paths: Collection[str], *, rows: bool) -> str:
    """The innermost of some paths that holds a block; the network's where none does."""
    above = _above(path, rows=rows)
    return next((one for one in reversed(above) if one in paths), NETWORK)


def depth(block: Block) -> int:
    """Number of paths that hold that of a block."""
    return len(_above(block.path, rows=False))


def copied(block: Block, paths: Collection[str]) -> str | None:
    """The one of some paths whose output a row of Caffe copies to its readers; None if it is none.

    Backward, such a row adds up the gradients of the readers.
    """
    found = _COPY.fullmatch(block.path)
    name = found.group(1) if found else ""
    return max((one for one in paths if name.startswith(f"{one}_")), key=len, default=None)


def _above(path: str, *, rows: bool) -> list[str]:
    """The paths that hold a path, the network's first."""
    step = _DOT if rows else _STEP
    return [NETWORK, *(path[: mark.start()] for mark in step.finditer(path))] if path else []
