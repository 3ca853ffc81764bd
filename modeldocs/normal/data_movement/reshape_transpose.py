"""Chains of Reshape and Transpose, shortened."""

from __future__ import annotations

import onnx_ir as ir

from modeldocs.normal import values
from modeldocs.normal.builder import GraphBuilder
from modeldocs.normal.data_movement import permutations, strided_views
from modeldocs.normal.data_movement.strided_views import Path
from modeldocs.normal.fusions import matching


def simplify(model: ir.Model) -> None:
    """Replace every chain from a computed value to its readers by the shortest equal one."""
    builder = GraphBuilder(model.graph)
    for node in list(model.graph):
        if node.graph is not None and values.is_operator(node, *strided_views.MOVES):
            _shorten(node, builder)


def _shorten(node: ir.Node, builder: GraphBuilder) -> None:
    value = node.outputs[0]
    if not value.is_graph_output() and all(
        values.is_operator(use.node, *strided_views.MOVES) for use in value.uses()
    ):
        return
    trace = strided_views.trace(value)
    if trace is None or not is_computed(trace[0].root):
        return
    view, nodes = trace
    path = strided_views.path(view)
    if path is None or _chain_steps(nodes) == _path_steps(view.root, path):
        return
    replace(value, follow(view.root, path, node, builder), builder)


def is_computed(value: ir.Value) -> bool:
    """Whether a value is no parameter or constant."""
    return not values.is_parameter(value) and value.const_value is None


def _chain_steps(nodes: list[ir.Node]) -> list[tuple[int, ...]]:
    """The steps of a chain of nodes, in order: a shape, or -1 followed by a permutation."""
    steps = []
    for node in reversed(nodes):
        if node.op_type == "Transpose":
            steps.append((-1, *(permutations.of_node(node) or ())))
        elif node.op_type != "Identity":
            steps.append(values.shape(node.outputs[0]) or ())
    return steps


def _path_steps(root: ir.Value, path: Path) -> list[tuple[int, ...]]:
    """The steps of a path, in the form of `_chain_steps`."""
    steps = [] if path.first_shape == values.shape(root) else [path.first_shape]
    if path.order != permutations.identity(len(path.order)):
        steps.append((-1, *path.order))
    permuted = tuple(path.first_shape[axis] for axis in path.order)
    return steps if path.last_shape == permuted else [*steps, path.last_shape]


def follow(root: ir.Value, path: Path, reader: ir.Node, builder: GraphBuilder) -> ir.Value:
    """The value at the end of a path from `root`, whose nodes are inserted before `reader`."""
    value = root
    for step in _path_steps(root, path):
        is_transpose = step[:1] == (-1,)
        node = builder.transpose(value, step[1:]) if is_transpose else builder.reshape(value, step)
        value = builder.before(reader, node)
    return value


def replace(old: ir.Value, new: ir.Value, builder: GraphBuilder) -> None:
    """Replace a value by an equal one, which gets its name if it was only moved."""
    node, name = old.producer(), old.name
    if old.is_graph_output() and not values.is_operator(new.producer(), *strided_views.MOVES):
        assert node is not None
        new = builder.before(node, builder.node("Identity", [new], like=old))
    ir.convenience.replace_all_uses_with(old, new, replace_graph_outputs=True)
    if values.is_operator(new.producer(), *strided_views.MOVES):
        old.name, new.name = None, name
    if node is not None:
        matching.remove_dead(builder.graph, [node])
