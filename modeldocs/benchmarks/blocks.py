"""Blocks of a record: modules of the network, of which some hold others."""

from __future__ import annotations

from collections.abc import Sequence

from modeldocs.benchmarks.quantities import Block


def leaves(blocks: Sequence[Block]) -> list[Block]:
    """The blocks that hold no other block of the list."""
    holders = {path for block in blocks for path in _above(block.path)}
    return [block for block in blocks if block.path not in holders]


def _above(path: str) -> list[str]:
    steps = path.split(".")
    return [".".join(steps[:count]) for count in range(1, len(steps))]
