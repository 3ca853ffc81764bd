"""The network in a graph that trains it: what the images give, without labels, losses and updates.

A training graph has no output but the step that trains. What belongs to the network depends on
what layers with weights read (images, tokens), and not on what they never read: labels.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from modeldocs.loaders.tensorflow.bodies import Body
from modeldocs.loaders.tensorflow.program import HANDLES, Program, Ref
from modeldocs.loaders.tensorflow.typing import SOURCES

_LAYERS = (
    "Conv2D", "Conv3D", "DepthwiseConv2dNative", "MatMul", "BatchMatMul", "BatchMatMulV2",
    "Gather", "GatherV2", "ResourceGather", "FusedBatchNorm", "FusedBatchNormV2",
    "FusedBatchNormV3", "BiasAdd",
)  # fmt: skip
UPDATES = ("Assign", "Scatter", "ResourceScatter", "Apply", "ResourceApply", "Queue")
"""How operators that change variables, or fill queues, begin."""

TRAINING = ("gradients", "save", "report_uninitialized_variables", "init", "train_op")
"""Scopes of what TensorFlow 1 adds to a graph to train, save and initialise it."""

_TOWER = re.compile(r"(^|/)(tower|clone|replica|worker|gpu)_?(\d+)(?=/)")


def outputs(program: Program, body: Body) -> list[str]:
    """Nodes that the network ends in; none where nothing in the graph tells images from labels.

    Of towers, which are one network on several devices, it is the first one's.
    """
    parts = _parts(body)
    read = {part for name in body.nodes for part in _read_by_layer(body, name, parts)}
    labels = {part for found in parts.values() for part in found} - read
    if not read or not labels:
        return []
    network = {name for name, found in parts.items() if found & read and not found & labels}
    network = {name for name in network if not _is_training(name) and not _updates(body, name)}
    ends = _ends(body, network)
    return _of_first_tower(program, ends)


def _parts(body: Body) -> dict[str, frozenset[Ref]]:
    """By node: the outputs of sources that it depends on."""
    found: dict[str, frozenset[Ref]] = {}
    for name in body.order(body.nodes):
        node = body.nodes[name]
        if node.op in HANDLES:
            continue
        parts: set[Ref] = set()
        for source in body.inputs(node):
            is_source = body.nodes[source[0]].op in SOURCES
            parts |= {source} if is_source else found.get(source[0], frozenset())
        found[name] = frozenset(parts)
    return found


def _read_by_layer(body: Body, name: str, parts: dict[str, frozenset[Ref]]) -> Iterable[Ref]:
    """What a layer with weights depends on, none where a node is no such layer."""
    node = body.nodes[name]
    if node.op not in _LAYERS or _is_training(name):
        return ()
    weighted = any(_is_weight(body, ref[0], parts) for ref in body.inputs(node))
    return parts.get(name, ()) if weighted else ()


def _is_weight(body: Body, name: str, parts: dict[str, frozenset[Ref]]) -> bool:
    """Whether a value is made of variables alone: one, or the parts of one."""
    seen: set[str] = set()
    waiting = [name]
    while waiting:
        one = waiting.pop()
        if one in seen or parts.get(one):
            continue
        seen.add(one)
        if body.nodes[one].op in HANDLES:
            return True
        waiting += [source for source, _ in body.inputs(body.nodes[one])]
    return False


def _ends(body: Body, network: set[str]) -> list[str]:
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


def _updates(body: Body, name: str) -> bool:
    return bool(body.nodes[name].op.startswith(UPDATES))


def _is_no_output(operator: str) -> bool:
    return operator in ("Shape", "Size", "Rank", "NoOp") or operator.endswith("Summary")


def _is_training(name: str) -> bool:
    scopes = [scope.rstrip("_0123456789") for scope in name.split("/")[:-1]]
    return "gradients" in scopes or (bool(scopes) and scopes[0] in TRAINING)


def _of_first_tower(program: Program, ends: list[str]) -> list[str]:
    numbers = {name: int(found[3]) for name in ends if (found := _TOWER.search(name))}
    first = min(numbers.values(), default=0)
    others = sorted({number for number in numbers.values() if number != first})
    if others:
        program.notes.append(
            f"the same network stands {len(others) + 1} times in the graph, for as many devices; "
            "drawn is the first"
        )
    return [name for name in ends if numbers.get(name, first) == first]
