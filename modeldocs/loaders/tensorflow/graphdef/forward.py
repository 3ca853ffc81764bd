"""The network in a graph that also trains it, without labels, losses and updates.

A training graph has no output but the training step. The network is what depends on the inputs of
layers with weights (images, tokens) and not on inputs that such layers never read (labels).
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from modeldocs.loaders.tensorflow.graphdef.body import GraphDefBody
from modeldocs.loaders.tensorflow.program import HANDLES, SOURCES, GraphDefProgram, Ref

_LAYERS = (
    "Conv2D", "Conv3D", "DepthwiseConv2dNative", "MatMul", "BatchMatMul", "BatchMatMulV2",
    "Gather", "GatherV2", "ResourceGather", "FusedBatchNorm", "FusedBatchNormV2",
    "FusedBatchNormV3", "BiasAdd",
)  # fmt: skip
UPDATES = ("Assign", "Scatter", "ResourceScatter", "Apply", "ResourceApply", "Queue")
"""How names of operators that change variables or fill queues begin."""

TRAINING = ("gradients", "save", "report_uninitialized_variables", "init", "train_op")
"""Name scopes in which TensorFlow 1 trains, saves and initialises."""

_TOWER = re.compile(r"(^|/)(tower|clone|replica|worker|gpu)_?(\d+)(?=/)")


def outputs(program: GraphDefProgram, body: GraphDefBody) -> list[str]:
    """Outputs of the network; none where nothing in the graph tells images from labels.

    Where the network is repeated for several devices, the outputs of the first copy.
    """
    sources_of = _sources_of(body)
    inputs = {source for name in body.nodes for source in _layer_inputs(body, name, sources_of)}
    labels = {source for sources in sources_of.values() for source in sources} - inputs
    if not inputs or not labels:
        return []
    network = {
        name for name, sources in sources_of.items() if sources & inputs and not sources & labels
    }
    network = {name for name in network if not _is_training(name) and not _updates(body, name)}
    ends = _ends(body, network)
    return _first_copy(program, ends)


def _sources_of(body: GraphDefBody) -> dict[str, frozenset[Ref]]:
    """By node: the outputs of sources that it depends on."""
    by_node: dict[str, frozenset[Ref]] = {}
    for name in body.order(body.nodes):
        node = body.nodes[name]
        if node.op in HANDLES:
            continue
        sources: set[Ref] = set()
        for source in body.inputs(node):
            is_source = body.nodes[source[0]].op in SOURCES
            sources |= {source} if is_source else by_node.get(source[0], frozenset())
        by_node[name] = frozenset(sources)
    return by_node


def _layer_inputs(
    body: GraphDefBody, name: str, sources_of: dict[str, frozenset[Ref]]
) -> Iterable[Ref]:
    """The sources that a layer with weights depends on; none for any other node."""
    node = body.nodes[name]
    if node.op not in _LAYERS or _is_training(name):
        return ()
    weighted = any(_is_weight(body, ref[0], sources_of) for ref in body.inputs(node))
    return sources_of.get(name, ()) if weighted else ()


def _is_weight(body: GraphDefBody, name: str, sources_of: dict[str, frozenset[Ref]]) -> bool:
    """Whether a value is computed from variables alone: a variable, or its parts."""
    seen: set[str] = set()
    waiting = [name]
    while waiting:
        current = waiting.pop()
        if current in seen or sources_of.get(current):
            continue
        seen.add(current)
        if body.nodes[current].op in HANDLES:
            return True
        waiting += [source for source, _ in body.inputs(body.nodes[current])]
    return False


def _ends(body: GraphDefBody, network: set[str]) -> list[str]:
    """Nodes of a network that no other of its nodes reads, and that update no variable."""
    read: set[str] = set()
    updating: set[str] = set()
    for name, node in body.nodes.items():
        sources = {source for source, _ in body.inputs(node)}
        if name in network:
            read |= sources
        elif _updates(body, name):
            updating |= sources
    return [
        name
        for name, node in body.nodes.items()
        if name in network - read - updating and not _is_no_output(node.op)
    ]


def _updates(body: GraphDefBody, name: str) -> bool:
    return bool(body.nodes[name].op.startswith(UPDATES))


def _is_no_output(operator: str) -> bool:
    return operator in ("Shape", "Size", "Rank", "NoOp") or operator.endswith("Summary")


def _is_training(name: str) -> bool:
    scopes = [scope.rstrip("_0123456789") for scope in name.split("/")[:-1]]
    return "gradients" in scopes or (bool(scopes) and scopes[0] in TRAINING)


def _first_copy(program: GraphDefProgram, ends: list[str]) -> list[str]:
    copies = {name: int(match[3]) for name in ends if (match := _TOWER.search(name))}
    first = min(copies.values(), default=0)
    others = sorted({number for number in copies.values() if number != first})
    if others:
        program.notes.append(
            f"the graph has the same network {len(others) + 1} times, for as many devices; "
            "only the first is drawn"
        )
    return [name for name in ends if copies.get(name, first) == first]
