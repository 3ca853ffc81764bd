"""Variables of a saved graph: their names and whether they are trained, as the source tells."""

from __future__ import annotations

from typing import Any

from modeldocs.loaders.tensorflow.inlining import CALLS
from modeldocs.loaders.tensorflow.program import Variable

_COLLECTIONS = ("variables", "global_variables", "model_variables")
_TRAINED = "trainable_variables"


def collected(meta: Any) -> dict[str, Variable]:
    """Variables of a TensorFlow 1 MetaGraph's collections, by name of the operation."""
    from tensorflow.core.framework import variable_pb2

    def names(collection: str) -> list[str]:
        found = []
        for data in meta.collection_def[collection].bytes_list.value:
            held = variable_pb2.VariableDef()
            try:
                held.ParseFromString(data)
            except Exception:
                continue
            found.append(held.variable_name.partition(":")[0])
        return found

    if _TRAINED not in meta.collection_def:
        return {}
    trained = set(names(_TRAINED))
    others = [name for c in _COLLECTIONS if c in meta.collection_def for name in names(c)]
    return {name: Variable(name, name in trained) for name in sorted(trained.union(others))}


def bound(meta: Any, outputs: set[str]) -> dict[str, Variable]:
    """Variables that TensorFlow 2's functions capture, by name of the operation that is passed.

    A function's last arguments are what the saved objects say that it is bound to.
    """
    objects = meta.object_graph_def
    found: dict[str, Variable] = {}
    for node in meta.graph_def.node:
        if node.op not in CALLS or node.name not in outputs or "f" not in node.attr:
            continue
        held = objects.concrete_functions.get(node.attr["f"].func.name)
        if held is None or not held.bound_inputs:
            continue
        passed = [text for text in node.input if not text.startswith("^")]
        for text, number in zip(passed[-len(held.bound_inputs) :], held.bound_inputs, strict=False):
            saved = objects.nodes[number] if 0 <= number < len(objects.nodes) else None
            if saved is not None and saved.WhichOneof("kind") == "variable":
                name = saved.variable.name.partition(":")[0]
                found[text.partition(":")[0]] = Variable(
                    name or text.partition(":")[0], saved.variable.trainable
                )
    return found
