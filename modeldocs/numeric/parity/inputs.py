"""The inputs of both networks: which of A's is which of B's, and A's values as B takes them."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import numpy as np

from modeldocs.diff import Diff, Ids
from modeldocs.diff.changes.input_roles import by_names
from modeldocs.normal import values
from modeldocs.numeric.parity import layout, weight_init
from modeldocs.numeric.parity.edge_path import EdgePath
from modeldocs.numeric.parity.layout import Batches
from modeldocs.numeric.parity.runnable_graph import RunnableEdge, RunnableGraph
from modeldocs.numeric.parity.weight_init import SeededRandom

Arrays = dict[str, np.ndarray]


def counterpart(a: RunnableGraph, b: RunnableGraph, diff: Diff) -> dict[str, Ids]:
    """The ids in B that correspond to each layer and input of A.

    Inputs have the roles that callers give them: where both networks name theirs alike, names say
    which is which, whatever they feed. Inputs that feed nothing alike are those of one type.
    """
    found = diff.counterpart()
    named = by_names(_names(a), _names(b))
    if named is not None:
        return found | {name: (other,) for name, other in named.items()}
    taken = {other for name in a.inputs for other in found.get(name, ())}
    left = [name for name in b.inputs if name not in taken]
    for name in a.inputs:
        same = [one for one in left if _kind(b, one) == _kind(a, name)]
        if same and not found.get(name):
            found[name] = (same[0],)
            left.remove(same[0])
    return found


def _kind(graph: RunnableGraph, name: str) -> object:
    value = graph.inputs[name]
    return value.dtype, values.shape(value)


def _names(graph: RunnableGraph) -> dict[str, str]:
    """The names of the inputs by id."""
    return {name: str(value.name) for name, value in graph.inputs.items()}


def batches(a: RunnableGraph, b: RunnableGraph, counterparts: Mapping[str, Ids]) -> Batches:
    """The sizes of the batch in A and in B: those of inputs that differ in their first axis alone;
    (1, 1) where there are none.
    """
    for name, value in a.inputs.items():
        for other in counterparts.get(name, ()):
            ours, theirs = values.shape(value), values.shape(b.inputs.get(other))
            if ours and theirs and ours[1:] == theirs[1:] and ours[0] != theirs[0]:
                return ours[0], theirs[0]
    return 1, 1


def converted(
    a: RunnableGraph,
    b: RunnableGraph,
    inputs: Arrays,
    counterparts: Mapping[str, Ids],
    arranged: Collection[str],
    random: SeededRandom,
) -> Arrays:
    """A's inputs by the names of B's, in B's layout and type. `arranged` are layers of A whose
    elements B has in another order.

    Inputs without a counterpart in A, or of which A's cannot be converted, are random.
    """
    found = weight_init.random_inputs(b, random)
    for name, value in a.inputs.items():
        for other in counterparts.get(name, ()):
            if other in b.inputs:
                array = inputs[str(value.name)]
                name_b = str(b.inputs[other].name)
                paths = _reader_paths(a, b, name, other, counterparts, arranged)
                shape = found[name_b].shape
                sizes = (array.shape[0], shape[0]) if array.ndim and shape else (1, 1)
                array_b = layout.carried(array, shape, paths, sizes)
                if array_b is not None:
                    found[name_b] = array_b.astype(found[name_b].dtype)
    return found


def _reader_paths(
    a: RunnableGraph,
    b: RunnableGraph,
    ours: str,
    theirs: str,
    counterparts: Mapping[str, Ids],
    arranged: Collection[str],
) -> tuple[list[EdgePath], list[EdgePath]]:
    """The paths from an input to layers that correspond, in A and in B, and read it in one order of
    elements.
    """
    paths: tuple[list[EdgePath], list[EdgePath]] = ([], [])
    others: list[RunnableEdge] = b.readers.get(str(b.inputs[theirs].name), [])
    for edge in a.readers.get(str(a.inputs[ours].name), []):
        if edge.layer in arranged and edge.path.features is None:
            continue
        same = [edge_b for edge_b in others if edge_b.layer in counterparts.get(edge.layer, ())]
        if same:
            paths[0].append(edge.path)
            paths[1].append(same[0].path)
    return paths
