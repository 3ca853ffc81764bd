"""How many edits a residual block may have: with more, another block could stand in its place."""

from __future__ import annotations

from typing import Final

from .draft import Draft
from .edit import Bench, Edit
from .rows import Block

_MOST: Final = 2
"""Edits of one residual block."""

_APART: Final = frozenset({"attribute", "preprocess", "block in", "block out"})
"""Kinds of edits that leave a block what it is, or are about whole blocks."""


def crowded(bench: Bench, edits: list[Edit]) -> bool:
    """Whether residual blocks have more edits than can be told from other blocks in their place.

    With a block put in or taken out of a chain, no two blocks behind each other have more than one.
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
            len(one | other) > 1 for one, other in zip(touched, [*touched[1:], set()], strict=True)
        ):
            return True
    return False


def _about(draft: Draft, edit: Edit) -> set[str]:
    """The layers that an edit changed; of what it put in, those that this reads."""
    made = [draft.layers[name] for name in edit.new if name in draft.layers]
    return {*(edit.old or (x.value for layer in made for x in layer.inputs))}
