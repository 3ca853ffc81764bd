"""Blocks of a record: modules of the network, of which some hold others."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from modeldocs.benchmarks.quantities import Block

NETWORK = ""
"""The path of the block that is the whole network."""

_STEP = re.compile(r"(?<=.)[./]")
"""What separates the steps of a path: a dot in PyTorch, a slash in Keras."""
_COPY = re.compile(r"(.+)_\d+_split")
"""How Caffe names the row that copies a layer's output: `LAYER_BLOB_0_split`."""


def leaves(blocks: Sequence[Block]) -> list[Block]:
    """The blocks that hold no other block of the list."""
    if are_rows(blocks):
        return [block for block in blocks if block.path != NETWORK]
    holders = {path for block in blocks for path in _above(block.path)}
    return [block for block in blocks if block.path not in holders]


def are_rows(blocks: Sequence[Block]) -> bool:
    """Whether blocks are rows of a log that names layers, of which none holds another.

    Caffe's names have slashes, too, which say nothing: `conv1` does not hold `conv1/relu`.
    """
    return any(block.layer is not None for block in blocks)


def holder(path: str, paths: Collection[str]) -> str:
    """The innermost of some paths that holds a block; the network's where none does."""
    return next((one for one in reversed(_above(path)) if one in paths), NETWORK)


def depth(block: Block) -> int:
    """Number of paths that hold that of a block."""
    return len(_above(block.path))


def copied(block: Block, paths: Collection[str]) -> str | None:
    """The one of some paths whose output a row of Caffe copies to its readers; None if it is none.

    Backward, such a row adds up the gradients of the readers.
    """
    found = _COPY.fullmatch(block.path)
    name = found.group(1) if found else ""
    return max((one for one in paths if name.startswith(f"{one}_")), key=len, default=None)


def _above(path: str) -> list[str]:
    """The paths that hold a path, the network's first."""
    return [NETWORK, *(path[: mark.start()] for mark in _STEP.finditer(path))] if path else []
