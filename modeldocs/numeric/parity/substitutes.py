"""Substitutes for what cannot be run: both networks go on with the same random values."""

from __future__ import annotations

from collections.abc import Collection, Iterator

import numpy as np

from modeldocs.normal import values
from modeldocs.numeric.parity.layer_inputs import dtype
from modeldocs.numeric.parity.layout import fit
from modeldocs.numeric.parity.matched_group import GroupSide, MatchedGroup
from modeldocs.numeric.parity.runnable_graph import RunnableGraph
from modeldocs.numeric.parity.weight_init import SeededRandom

Arrays = dict[str, np.ndarray]

_SUPPORTED_KINDS = "fiub"
"""Kinds of numpy dtypes of which random values can be made."""


def substitutes(
    a: RunnableGraph,
    b: RunnableGraph,
    groups: list[MatchedGroup],
    not_run: Collection[int],
    substituted: Collection[int],
    random: SeededRandom,
) -> dict[int, tuple[Arrays, Arrays]]:
    """Values for both sides, by the numbers of the groups whose outputs they replace.

    Of the groups in `not_run` that are not yet in `substituted`, these are the ones that depend on
    no other.
    """
    waiting = set(not_run) - set(substituted)
    owners = (
        {name: i for i in waiting for name in groups[i].a.ids},
        {name: i for i in waiting for name in groups[i].b.ids},
    )
    replacements: dict[int, tuple[Arrays, Arrays]] = {}
    for i in sorted(waiting):
        sides = (a, groups[i].a, owners[0]), (b, groups[i].b, owners[1])
        if not any(owner != i for side in sides for owner in _leading_groups(*side)):
            replacement = _random_outputs(groups[i], random)
            if replacement is not None:
                replacements[i] = replacement
    return replacements


def _leading_groups(graph: RunnableGraph, side: GroupSide, owners: dict[str, int]) -> Iterator[int]:
    """Numbers of the groups that a side depends on, through layers that are in none."""
    seen: set[str] = set()
    waiting = [edge.producer for edges in side.inputs for edge in edges]
    while waiting:
        producer = waiting.pop()
        if producer in owners:
            yield owners[producer]
        elif producer not in seen:
            seen.add(producer)
            waiting += [edge.producer for edge in graph.edges.get(producer, [])]


def _random_outputs(group: MatchedGroup, random: SeededRandom) -> tuple[Arrays, Arrays] | None:
    """The same random values for a group's outputs, in the layout of each side."""
    ours: Arrays = {}
    theirs: Arrays = {}
    for i, j in group.output_pairs:
        output_a, output_b = group.a.outputs[i], group.b.outputs[j]
        shape, shape_b = values.shape(output_a), values.shape(output_b)
        kinds = {dtype(output_a).kind, dtype(output_b).kind}
        if shape is None or shape_b is None or not kinds <= set(_SUPPORTED_KINDS):
            return None
        array = random.normal(str(output_a.name), shape)
        if kinds != {"f"}:
            array = (array > 0).astype(np.float32)  # 0 and 1: indices that every table has
        converted = fit(array, shape_b)
        if converted is None:
            return None
        ours[str(output_a.name)] = array.astype(dtype(output_a))
        theirs[str(output_b.name)] = converted.astype(dtype(output_b))
    return ours, theirs
