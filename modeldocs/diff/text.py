"""A diff as lines of text."""

from __future__ import annotations

from typing import Final

from modeldocs.diff.diff import Change, Diff
from modeldocs.graph import LayerGraph

_VERDICTS: Final = {
    "identical": "The two graphs are identical.",
    "equivalent": "The two graphs are equivalent: the same structure, told differently"
    " (compared by structure, not proven by numbers).",
    "different": "The two graphs differ.",
}


def lines(diff: Diff) -> list[str]:
    """The verdict, and each change in one line."""
    return [_VERDICTS[diff.verdict], *(change.title for change in diff.changes)]


def places(change: Change, a: LayerGraph, b: LayerGraph) -> list[str]:
    """Where a change is, by the layers' names: `layer2.0.conv1 → res3a_branch2a`."""
    names = (a.names(), b.names())
    return [
        " → ".join(
            " + ".join(known.get(one, one) for one in ids)
            for known, ids in zip(names, pair, strict=True)
            if ids
        )
        for pair in change.pairs
    ]
