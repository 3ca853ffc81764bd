"""Two graphs in the form in which they are compared: taken apart, flattened, and aligned."""

from __future__ import annotations

from dataclasses import dataclass

from modeldocs.diff.alignment.align import align
from modeldocs.diff.alignment.joins import FlatGraph, flatten
from modeldocs.diff.alignment.kinds import Kinds
from modeldocs.diff.alignment.pairing import Pairing
from modeldocs.diff.alignment.parts import Parts, take_apart
from modeldocs.diff.alignment.sides import side
from modeldocs.diff.alignment.whole_products import left_whole
from modeldocs.ir import LayerGraph

_NONE: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Prepared:
    """Both graphs taken apart, then without nested joins, and which of their layers correspond."""

    parts: tuple[Parts, Parts]
    flat: tuple[FlatGraph, FlatGraph]
    pairing: Pairing


def prepare(a: LayerGraph, b: LayerGraph) -> Prepared:
    """Two graphs aligned; products that only one side has in parts are aligned whole.

    Raises:
        ModeldocsError: a graph is not one: an id is there twice, an operand reads an id that is
            not there, or layers read each other in a circle.
    """
    found = _prepared(a, b, _NONE, _NONE)
    nodes, pairing = (found.pairing.a.nodes, found.pairing.b.nodes), found.pairing
    to_b = {nodes[0][i].id: nodes[1][j].id for i, j in pairing.pairs()}
    ours = left_whole(*found.parts, to_b)
    theirs = left_whole(*found.parts[::-1], {there: here for here, there in to_b.items()})
    return _prepared(a, b, ours, theirs) if ours or theirs else found


def _prepared(
    a: LayerGraph, b: LayerGraph, whole_a: frozenset[str], whole_b: frozenset[str]
) -> Prepared:
    parts = take_apart(a, whole_a), take_apart(b, whole_b)
    flat = flatten(parts[0].graph), flatten(parts[1].graph)
    kinds = Kinds()
    return Prepared(parts, flat, align(*(side(one.graph, kinds) for one in flat)))
