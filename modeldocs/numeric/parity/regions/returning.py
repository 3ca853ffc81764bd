"""What both networks return, as they were run."""

from __future__ import annotations

from collections.abc import Mapping

from modeldocs.diff import EQUAL, Change, Diff, Ids, Returned
from modeldocs.diff.changes.layouts import LAYOUT
from modeldocs.numeric.parity import inputs
from modeldocs.numeric.parity.edge_path import path_to
from modeldocs.numeric.parity.regions import outputs
from modeldocs.numeric.parity.regions.outputs import Arrays, Form
from modeldocs.numeric.parity.runnable_graph import RunnableGraph


def returned(
    graphs: tuple[RunnableGraph, RunnableGraph],
    values: tuple[Arrays, Arrays],
    diff: Diff,
    counterparts: Mapping[str, Ids],
) -> tuple[Returned, ...]:
    """What both networks return: the `values` of A and B by name. `counterparts` are the inputs
    that correspond.
    """
    form = Form(inputs.batches(*graphs, counterparts), any(map(_permutes_input, diff.changes)))
    ours, its = ([str(value.name) for value in graph.model.graph.outputs] for graph in graphs)
    layers = [_layers_of_outputs(graph) for graph in graphs]

    def alike(a: str, b: str) -> bool:
        layer, other = layers[0][a], layers[1][b]
        return other in counterparts.get(layer, ()) or layer == other == ""

    return outputs.compare((ours, its), *values, form, alike)


def are_same(found: tuple[Returned, ...]) -> bool:
    """Whether the same is returned, in the form in which the networks take their inputs."""
    return bool(found) and all(one.relation in EQUAL for one in found)


def _permutes_input(change: Change) -> bool:
    """Whether an input has its channels in another place in B."""
    return change.attribute == LAYOUT and change.operator == "input"


def _layers_of_outputs(graph: RunnableGraph) -> dict[str, str]:
    """The layer that computes each output, by the output's name; empty where none does."""
    roots = {str(v.name): str(path_to(v).root.name) for v in graph.model.graph.outputs}
    return {name: graph.output_layers.get(root, "") for name, root in roots.items()}
