"""One version of ONNX's operators: graphs of older operator sets, said in `OPSET`.

An operator means what the version that its graph declares says. `unify` rewrites each node whose
meaning depends on the version, so that passes, diffs and runs see one meaning. Nodes that cannot be
said in `OPSET` keep their operator in a domain that names its version, `ai.onnx.v8`: they are
shown, and not run. Graphs of newer sets stay as they are: since `OPSET`, operators only gained
types, operands and attributes whose defaults keep the meaning.
"""

from __future__ import annotations

import onnx_ir as ir

from modeldocs.ir.operators import OPSET
from modeldocs.normal.opset import activations, operands, pooling, resampling, shapes, statistics
from modeldocs.normal.opset.rules import Rules
from modeldocs.normal.opset.upgrade import Upgrade, UpgradeError, schema

__all__ = ["OPSET", "depends_on_version", "unify"]

DOMAINS = ("", "ai.onnx")
_APART = "ai.onnx.v"
"""The domain of operators that cannot be said in `OPSET`, before their version."""

_RULES = Rules(activations, pooling, resampling, shapes, statistics)


def unify(model: ir.Model) -> None:
    """Bring a model, its subgraphs and its functions to `OPSET`, in place.

    Outputs, parameters and inputs keep their names; nodes that replace one carry its metadata.
    Ranks that a node's old meaning depends on must be inferred before.
    """
    taken = _names(model)
    for body in _bodies(model):
        declared = _declared(body)
        if declared is None or declared >= OPSET:
            continue
        for node in list(ir.traversal.RecursiveGraphIterator(body)):
            if node.domain in DOMAINS:
                _unify_node(node, declared, taken)
            if node.domain.startswith(_APART):
                body.opset_imports[node.domain] = 1
        body.opset_imports.pop("ai.onnx", None)
        body.opset_imports[""] = OPSET


def depends_on_version(model: ir.Model) -> bool:
    """Whether any operator means something else in the operator set that the model declares."""
    for body in _bodies(model):
        declared = _declared(body)
        if declared is not None and any(
            _RULES.of(node.op_type, declared)
            for node in ir.traversal.RecursiveGraphIterator(body)
            if node.domain in DOMAINS
        ):
            return True
    return False


def _bodies(model: ir.Model) -> list[ir.Graph | ir.Function]:
    """The graph and the functions, which have operator sets of their own."""
    return [model.graph, *model.functions.values()]


def _declared(body: ir.Graph | ir.Function) -> int | None:
    """The version of the standard operators that a graph or function imports."""
    return next((body.opset_imports[name] for name in DOMAINS if name in body.opset_imports), None)


def _names(model: ir.Model) -> set[str]:
    """Names of all values, those in subgraphs and functions included."""
    names = {str(value.name) for value in (*model.graph.inputs, *model.graph.initializers.values())}
    for body in _bodies(model):
        for node in ir.traversal.RecursiveGraphIterator(body):
            names.update(str(value.name) for value in (*node.inputs, *node.outputs) if value)
    return names


def _unify_node(node: ir.Node, declared: int, taken: set[str]) -> None:
    """Rewrite a node for `OPSET`, or set it apart where that is impossible."""
    old = schema(node.op_type, declared)
    rules = _RULES.of(node.op_type, declared)
    if old is None or not (rules or operands.differ(node, old)):
        return
    upgrade = Upgrade(node, declared, taken)
    try:
        operands.state_defaults(node, old)
        for rule in rules:
            if rule(upgrade) is not None:
                return
        operands.move(upgrade, old)
    except UpgradeError:
        upgrade.undo()
        node.domain = f"{_APART}{old.since_version}"
