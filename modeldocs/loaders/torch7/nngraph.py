"""Graphs of nngraph: modules applied to nodes."""

from __future__ import annotations

from collections.abc import Sequence

from modeldocs.loaders.dims import as_text
from modeldocs.loaders.torch7.containers import Visit, contains
from modeldocs.loaders.torch7.operation import Flow, shape_of
from modeldocs.loaders.traversal import post_order


@contains("gModule")
def graph(visit: Visit, flow: Flow) -> Flow:
    """The nodes that the outputs need, each computed once and after its parents."""
    module, nodes = visit.module, visit.assembly.program.nodes
    flows = _inputs(visit, flow)

    def parents(number: int) -> Sequence[int]:
        return () if number in module.inputs else nodes[number].parents

    for place, number in enumerate(post_order(module.outputs, parents)):
        node = nodes[number]
        if number in module.inputs:
            flow = flows[number]
        elif not node.parents:
            raise visit.error("has a node that nothing leads to", "list it among its inputs")
        elif len(node.parents) == 1:
            flow = flows[node.parents[0]]
        else:
            flow = [flows[parent] for parent in node.parents]
        if node.select is not None:
            flows[number] = _item(visit, flow, node.select)
        else:
            flows[number] = visit.walk(node.module or 0, place, flow)
    outputs = [flows[number] for number in module.outputs]
    if not outputs:
        raise visit.error("has no outputs", "list its output nodes")
    return outputs[0] if len(outputs) == 1 else outputs


def _inputs(visit: Visit, flow: Flow) -> dict[int, Flow]:
    """What each input node reads."""
    nodes = visit.module.inputs
    items = flow if isinstance(flow, list) and len(nodes) > 1 else [flow]
    if len(items) != len(nodes):
        raise visit.error(f"has {len(nodes)} inputs and is given {len(items)}", "give one for each")
    return dict(zip(nodes, items, strict=True))


def _item(visit: Visit, flow: Flow, index: int) -> Flow:
    """An item of a table, counted from 1."""
    if isinstance(flow, list) and 1 <= index <= len(flow):
        item: Flow = flow[index - 1]
        return item
    if isinstance(flow, list):
        what = f"{len(flow)} items"
    else:
        what = f"one tensor of {as_text(shape_of(flow))}"
    raise visit.error(f"splits {what} at {index}", "split as many as there are")
