"""How many edits a residual block may have: with more, another block could stand in its place."""

from __future__ import annotations

from typing import Final

from .draft import Draft
from .edit import Bench, Edit
from .rows import Block

_MOST: Final = 2
"""Edits of one residual block."""

_APART: Final = frozenset({"attribute", "preprocess"})
"""Kinds of edits that leave a block what it is."""

_WHOLE: Final = frozenset({"block in", "block out"})


def crowded(bench: Bench, edits: list[Edit]) -> bool:
    """Whether residual blocks have more edits than can be told from other blocks in their place.

    With a block put in or taken out of a chain, from any block to the next of its kind there is no
    more than one.
    """
    about = [_about(bench.draft, edit) for edit in edits if edit.kind not in _APART]
    chains: dict[str, list[Block]] = {}
    for row in bench.rows:
        chains.setdefault(row.chain, []).extend(row.blocks)
    for chain, blocks in chains.items():
        touched = [{n for n, x in enumerate(about) if not x.isdisjoint(b.layers)} for b in blocks]
        if any(len(numbers) > _MOST for numbers in touched):
            return True
        if chain in bench.claims.chains and any(
            len(set().union(*touched[start : _next(blocks, start)])) > 1
            for start in range(len(blocks))
        ):
            return True
    return False


def _next(blocks: list[Block], start: int) -> int:
    """Where the blocks end that reach to the next of the kind of one, or to its neighbour."""
    same = (n for n in range(start + 1, len(blocks)) if blocks[n].told == blocks[start].told)
    return next(same, start + 1) + 1


def _about(draft: Draft, edit: Edit) -> set[str]:
    """The layers that an edit changed; of a layer that it put in, what this reads; of a block, the
    row of which any may be the one.
    """
    if edit.kind in _WHOLE:
        return {*edit.old, *edit.alike}
    made = [draft.layers[name] for name in edit.new if name in draft.layers]
    return {*(edit.old or (x.value for layer in made for x in layer.inputs))}
