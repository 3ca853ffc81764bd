"""Chains of Reshape and Transpose, each as the shortest that does the same."""

from __future__ import annotations

import onnx_ir as ir

from modeldocs.normal import permutations, values, views
from modeldocs.normal.building import Builder
from modeldocs.normal.idioms import matching
from modeldocs.normal.views import Way


def simplify(model: ir.Model) -> None:
    """Put the shortest way from what is computed to what reads it in place of every longer one."""
    builder = Builder(model.graph)
    for node in list(model.graph):
        if node.graph is not None and values.is_operator(node, *views.MOVES):
            _shorten(node, builder)


def _shorten(node: ir.Node, builder: Builder) -> None:
    value = node.outputs[0]
    if not value.is_graph_output() and all(
        values.is_operator(use.node, *views.MOVES) for use in value.uses()
    ):
        return
    found = views.trace(value)
    if found is None or not is_computed(found[0].root):
        return
    view, nodes = found
    way = views.way(view)
    if way is None or _told(nodes) == _steps(view.root, way):
        return
    made = along(view.root, way, node, builder)
    put(made, value, builder)


def is_computed(value: ir.Value) -> bool:
    """Whether a value is no parameter or constant, whose arrangement is told of its layer."""
    return not values.is_parameter(value) and value.const_value is None


def _told(nodes: list[ir.Node]) -> list[tuple[int, ...]]:
    """A chain's steps, the first first: the shape that a node makes, or how it moves axes."""
    steps = []
    for node in reversed(nodes):
        if node.op_type == "Transpose":
            steps.append((-1, *(permutations.of_node(node) or ())))
        elif node.op_type != "Identity":
            steps.append(values.shape(node.outputs[0]) or ())
    return steps


def _steps(root: ir.Value, way: Way) -> list[tuple[int, ...]]:
    """The steps of a way, as `_told` has them."""
    dims = values.shape(root)
    steps = [] if way.apart == dims else [way.apart]
    if way.order != permutations.identity(len(way.order)):
        steps.append((-1, *way.order))
    turned = tuple(way.apart[axis] for axis in way.order)
    return steps if way.together == turned else [*steps, way.together]


def along(root: ir.Value, way: Way, reader: ir.Node, builder: Builder) -> ir.Value:
    """What a way leads to, its nodes put before one that is to read them."""
    made = root
    for step in _steps(root, way):
        turns = step[:1] == (-1,)
        node = builder.transpose(made, step[1:]) if turns else builder.reshape(made, step)
        made = builder.before(reader, node)
    return made


def put(made: ir.Value, old: ir.Value, builder: Builder) -> None:
    """A value in place of one that holds the same, under its name if it was made for that."""
    node, name = old.producer(), old.name
    if old.is_graph_output() and not values.is_operator(made.producer(), *views.MOVES):
        assert node is not None
        made = builder.before(node, builder.node("Identity", [made], like=old))
    ir.convenience.replace_all_uses_with(old, made, replace_graph_outputs=True)
    if values.is_operator(made.producer(), *views.MOVES):
        old.name, made.name = None, name
    if node is not None:
        matching.remove_dead(builder.graph, [node])
