"""A graph reduced to what inference runs: branches chosen, dropouts passed by."""

from __future__ import annotations

from modeldocs.loaders.tensorflow.graphdef import attributes, constants
from modeldocs.loaders.tensorflow.graphdef.inlining import inline_function
from modeldocs.loaders.tensorflow.program import MERGES, FlatGraph, GraphDefProgram, GraphNode, Ref
from modeldocs.loaders.traversal import post_order

_IFS = ("If", "StatelessIf")
_NORMS = ("FusedBatchNorm", "FusedBatchNormV2", "FusedBatchNormV3")
_RANDOM = ("RandomUniform", "StatelessRandomUniform", "StatelessRandomUniformV2")
_MASKS = (
    "Floor", "Cast", "GreaterEqual", "Add", "AddV2", "Sub", "Mul", "Identity", "SelectV2",
)  # fmt: skip
DROPOUT_RATE = "modeldocs.dropout"
"""The setting of a node that stands for a dropout: its rate, None where that is not known."""


def prepare(program: GraphDefProgram, flat: FlatGraph) -> bool:
    """Reduce a graph to what inference runs; whether it then differs from the source's own."""
    _choose_branches(program, flat)
    dropouts = _mark_dropouts(program, flat)
    flat.prune()
    training = [node for node in flat.nodes.values() if _is_training(node)]
    if training:
        program.notes.append(
            f"{len(training)} batch normalisations take the statistics of the batch, as in training"
        )
    return bool(dropouts)


def _is_training(node: GraphNode) -> bool:
    # TensorFlow's default is true.
    is_default = "is_training" not in node.proto.attr
    return node.kind in _NORMS and (is_default or node.proto.attr["is_training"].b)


def _choose_branches(program: GraphDefProgram, flat: FlatGraph) -> None:
    """Take the branches of inference, where predicates do not depend on the inputs."""
    dead: set[Ref] = set()
    replaced: dict[Ref, Ref] = {}
    flags: set[str] = set()
    for node in list(flat.nodes.values()):
        node.inputs = [_followed(replaced, ref) for ref in node.inputs]
        if node.kind in ("Switch", "RefSwitch") and len(node.inputs) == 2:
            taken = constants.flag(flat, node.inputs[1])
            if taken is not None:
                replaced[node.name, int(taken)] = node.inputs[0]
                dead.add((node.name, int(not taken)))
                flags.add(_root(flat, node.inputs[1][0]))
        elif node.kind in MERGES:
            alive = [ref for ref in node.inputs if ref not in dead]
            if len(alive) == 1 and len(node.inputs) > 1:
                replaced[node.name, 0] = alive[0]
            elif not alive:
                dead.add((node.name, 0))
        elif any(ref in dead for ref in node.inputs):
            dead |= {(node.name, index) for index in range(16)}
        elif node.kind in _IFS and node.inputs:
            _inline_branch(program, flat, node, replaced)
    for node in flat.nodes.values():
        node.inputs = [_followed(replaced, ref) for ref in node.inputs]
    flat.outputs = [_followed(replaced, ref) for ref in flat.outputs]
    _sort(flat)
    if flags:
        program.notes.append(f"drawn as in inference: {', '.join(sorted(flags)[:5])} selects it")


def _root(flat: FlatGraph, name: str) -> str:
    """The placeholder or constant that a predicate comes from."""
    while flat.nodes[name].inputs and flat.nodes[name].kind != "PlaceholderWithDefault":
        name = flat.nodes[name].inputs[0][0]
    return name


def _followed(replaced: dict[Ref, Ref], ref: Ref) -> Ref:
    while ref in replaced:
        ref = replaced[ref]
    return ref


def _inline_branch(
    program: GraphDefProgram, flat: FlatGraph, node: GraphNode, replaced: dict[Ref, Ref]
) -> None:
    """Replace an `If` by the branch that inference takes, where that is known."""
    taken = constants.flag(flat, node.inputs[0])
    if taken is None:
        return
    function = attributes.get(node.proto, "then_branch" if taken else "else_branch").func.name
    branch = inline_function(program, function, node.inputs[1:])
    renamed = {name: f"{node.name}/{name}" if name in flat.nodes else name for name in branch.nodes}
    for branch_node in branch.nodes.values():
        branch_node.name = renamed[branch_node.name]
        branch_node.inputs = [
            (renamed.get(name, name), index) for name, index in branch_node.inputs
        ]
        flat.nodes[branch_node.name] = branch_node
    for index, (name, output) in enumerate(branch.outputs):
        replaced[node.name, index] = renamed.get(name, name), output


def _sort(flat: FlatGraph) -> None:
    """Order nodes so that each follows what it reads; loops stay as they are."""
    flat.nodes = {name: flat.nodes[name] for name in post_order(flat.nodes, flat.sources)}


def _mark_dropouts(program: GraphDefProgram, flat: FlatGraph) -> int:
    """Replace each dropout by one node that passes its input on; the number of dropouts."""
    count = 0
    for node in list(flat.nodes.values()):
        dropout = _dropout(flat, node)
        if dropout is not None:
            source, rate = dropout
            node.inputs = [source]
            node.settings = {DROPOUT_RATE: rate}
            count += 1
    if count:
        subject = f"{count} dropouts pass their" if count > 1 else "a dropout passes its"
        program.notes.append(f"{subject} input on, as in inference")
    return count


def _dropout(flat: FlatGraph, node: GraphNode) -> tuple[Ref, float | None] | None:
    """The input and the rate of the dropout that a node ends; None for any other node.

    Such a node multiplies by a mask, or selects by it, values divided by the share that is kept.
    """
    if node.kind == "Mul" and len(node.inputs) == 2:
        for scaled, mask in (node.inputs, node.inputs[::-1]):
            if _is_mask(flat, mask):
                return _scaled(flat, scaled)
    if node.kind in ("Select", "SelectV2") and _is_mask(flat, node.inputs[0]):
        return _scaled(flat, node.inputs[1])
    return None


def _is_mask(flat: FlatGraph, ref: Ref) -> bool:
    """Whether a value is computed from uniform random numbers and constants alone."""
    is_random, waiting, seen = False, [ref[0]], 0
    while waiting:
        node = flat.nodes.get(waiting.pop())
        seen += 1
        if node is None or seen > 24:
            return False
        if node.kind in _RANDOM:
            is_random = True
        elif node.kind in _MASKS:
            waiting += [name for name, _ in node.inputs]
        elif node.kind not in ("Const", "PlaceholderWithDefault") and not _is_share(node):
            return False
    return is_random


def _is_share(node: GraphNode) -> bool:
    """Whether a node is a placeholder of one number, such as the share to keep."""
    shape = attributes.get(node.proto, "shape").shape
    return node.kind == "Placeholder" and not (attributes.dims(shape) or ())


def _scaled(flat: FlatGraph, ref: Ref) -> tuple[Ref, float | None]:
    """The value before it was scaled for dropout, and the rate where it is known."""
    node = flat.nodes[ref[0]]
    if node.kind in ("RealDiv", "Div", "Mul") and len(node.inputs) == 2:
        for source, factor in (node.inputs, node.inputs[::-1]):
            number = _number(flat, factor)
            if number is not None and number > 0:
                share = 1 / number if node.kind == "Mul" else number
                return source, round(max(0.0, 1 - share), 6)
            if factor[0] in flat.nodes and _is_share(flat.nodes[factor[0]]):
                return source, None
    return ref, 0.0


def _number(flat: FlatGraph, ref: Ref) -> float | None:
    node = flat.nodes.get(ref[0])
    passing = (*constants.THROUGH, "PlaceholderWithDefault")
    while node is not None and node.kind in passing:
        node = flat.nodes.get(node.inputs[0][0])
    if node is None or node.kind != "Const":
        return None
    values = constants.array(node)
    if values is None or values.size != 1 or values.dtype.kind != "f":
        return None
    return float(values.item())
