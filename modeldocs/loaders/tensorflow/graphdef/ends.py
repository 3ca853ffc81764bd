"""Inputs and outputs of a graph without a signature: placeholders, and nodes that none reads."""

from __future__ import annotations

from typing import Any

from modeldocs.loaders.tensorflow.graphdef import attributes, forward
from modeldocs.loaders.tensorflow.graphdef.body import GraphDefBody
from modeldocs.loaders.tensorflow.program import (
    HANDLES,
    SOURCES,
    FedPlaceholder,
    Fetch,
    GraphDefProgram,
)
from modeldocs.loaders.traversal import post_order

_NO_OUTPUT = (
    "NoOp", "Const", "Shape", "ShapeN", "Size", "Rank", "Assert", "Print", "PrintV2", "Save",
    "SaveV2", "RestoreV2", "MergeV2Checkpoints", "MergeSummary", "PlaceholderWithDefault",
    "IsVariableInitialized", "VarIsInitializedOp", "ControlTrigger", "IteratorV2",
    "OneShotIterator", *SOURCES, *HANDLES,
)  # fmt: skip
_EFFECTS = (*forward.UPDATES, "Summary")


def find(program: GraphDefProgram, requested: Any = None) -> None:
    """Set a program's inputs and outputs: the named outputs, else those that inference has.

    Raises:
        ModeldocsError: there is no output, or a named one does not exist.
    """
    body = GraphDefBody(program, program.graph.node)
    if requested is not None:
        names = [requested] if isinstance(requested, str) else [str(name) for name in requested]
        program.fetches = [Fetch(name.removesuffix(":0"), body.ref(name)) for name in names]
    else:
        names = forward.outputs(program, body)
        if names:
            program.notes.append("a graph that trains: losses, gradients and updates are left out")
        program.fetches = [Fetch(name, (name, 0)) for name in names or _unread(body)]
    if not program.fetches:
        raise program.error(
            "no node in the graph is an output that depends on an input",
            fix='name them: --args \'{"outputs": ["softmax"]}\'',
        )
    order = body.order(fetch.ref[0] for fetch in program.fetches)
    for name in order:
        node = body.nodes[name]
        if node.op in SOURCES:
            program.feeds.append(FedPlaceholder(name, name, _shape(program, node)))


def _unread(body: GraphDefBody) -> list[str]:
    """Nodes that depend on an input and that nothing but training reads.

    The value of a loss is an output only where there is no other.
    """
    dependent = _downstream(body, [n for n, node in body.nodes.items() if node.op in SOURCES])
    for with_loss in (False, True):
        excluded = [
            name
            for name, node in body.nodes.items()
            if _is_training(node) or (_is_loss(node) and not with_loss)
        ]
        training = _downstream(body, excluded)
        ends = [name for name in _ends(body, training) if name in dependent]
        if ends:
            return ends
    return []


def _ends(body: GraphDefBody, training: set[str]) -> list[str]:
    """Nodes that no other reads or waits for, without those of training."""
    read: set[str] = set()
    for name, node in body.nodes.items():
        if name not in training:
            read |= {source for source, _ in body.inputs(node)}
            if node.op != "NoOp":
                read |= {text[1:] for text in node.input if text.startswith("^")}
    return [
        name
        for name, node in body.nodes.items()
        if name not in read | training and not _is_no_output(node) and not _is_pivot(body, node)
    ]


def _is_no_output(node: Any) -> bool:
    return node.op in _NO_OUTPUT or node.op.startswith(_EFFECTS) or node.op.endswith("Summary")


def _is_pivot(body: GraphDefBody, node: Any) -> bool:
    """Whether a node only passes on a predicate, so that branches can wait for it."""
    if node.op == "Identity" and node.input:
        node = body.nodes.get(body.inputs(node)[0][0], node) if body.inputs(node) else node
    inputs = body.inputs(node)
    return bool(node.op == "Switch" and len(inputs) == 2 and inputs[0] == inputs[1])


def _is_loss(node: Any) -> bool:
    return bool(node.op == "L2Loss" or node.op.endswith("CrossEntropyWithLogits"))


def _is_training(node: Any) -> bool:
    scopes = node.name.split("/")[:-1]
    return any(scope.rstrip("_0123456789") in forward.TRAINING for scope in scopes[:1]) or (
        node.op.startswith(_EFFECTS) or node.op.endswith("Summary")
    )


def _downstream(body: GraphDefBody, start: list[str]) -> set[str]:
    """The nodes `start` and all that depend on them."""
    readers: dict[str, list[str]] = {}
    for name, node in body.nodes.items():
        for source, _ in body.inputs(node):
            readers.setdefault(source, []).append(name)
    return set(post_order(start, lambda name: readers.get(name, [])))


def _shape(program: GraphDefProgram, node: Any) -> tuple[Any, ...] | None:
    """The shape of a placeholder. Before TensorFlow 1.4, () also meant an unknown shape."""
    for name in ("shape", "_output_shapes", "output_shapes"):
        attribute = attributes.get(node, name)
        shape = attribute.shape if name == "shape" else next(iter(attribute.list.shape), None)
        dims = attributes.dims(shape) if shape is not None and name in node.attr else None
        if dims or (dims == () and program.graph.versions.producer >= 24):
            return dims
    return None
