"""Repairs of a complete matching, each kept where it explains the two graphs by fewer edits."""

from __future__ import annotations

from modeldocs.diff.alignment.matching import Matching
from modeldocs.diff.refinement.linear_paths import rematch_chains
from modeldocs.diff.refinement.local_search import reduce_edits
from modeldocs.diff.refinement.moves import find_moves
from modeldocs.diff.refinement.partial_joins import mark_partial_joins
from modeldocs.diff.refinement.proposals import take_better_regions
from modeldocs.diff.refinement.substitutions import repair_substitutions


def refine(matching: Matching) -> None:
    """Repair a complete matching, then mark what moved."""
    take_better_regions(matching)
    reduce_edits(matching)
    rematch_chains(matching)
    find_moves(matching)
    repair_substitutions(matching)
    mark_partial_joins(matching)
