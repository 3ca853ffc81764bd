"""States of a port, as the catalog and the pages of explanation tell them."""

from __future__ import annotations

from typing import Final, NamedTuple


class PortState(NamedTuple):
    """One state: its word and sign, and its definition."""

    word: str
    sign: str
    meaning: str


STATES: Final = {
    one.word: one
    for one in (
        PortState("verified", "✓", "it computes what its own framework computes"),
        PortState("disagrees", "✗", "it does not; its page names the first layer that differs"),
        PortState("not verified", "○", "no proof has been made: `modeldocs verify` makes it"),
        PortState("not loaded", "–", "its page has the reason and the fix"),
    )
}
"""The states by their words, the best first."""
