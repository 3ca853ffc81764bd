"""Variables of a saved graph: their names, and whether they are trained."""

from __future__ import annotations

from typing import Any

from modeldocs.loaders.tensorflow.graphdef.inlining import CALLS
from modeldocs.loaders.tensorflow.program import Variable

_COLLECTIONS = ("variables", "global_variables", "model_variables")
_TRAINED = "trainable_variables"


def collected(meta: Any) -> dict[str, Variable]:
    """Variables in the collections of a TensorFlow 1 MetaGraph, by name of the node."""
    from tensorflow.core.framework import variable_pb2

    def names_in(collection: str) -> list[str]:
        variable_names = []
        for data in meta.collection_def[collection].bytes_list.value:
            definition = variable_pb2.VariableDef()
            try:
                definition.ParseFromString(data)
            except Exception:
                continue
            variable_names.append(definition.variable_name.partition(":")[0])
        return variable_names

    if _TRAINED not in meta.collection_def:
        return {}
    trained = set(names_in(_TRAINED))
    others = [name for c in _COLLECTIONS if c in meta.collection_def for name in names_in(c)]
    return {name: Variable(name, name in trained) for name in sorted(trained.union(others))}


def bound(meta: Any, outputs: set[str]) -> dict[str, Variable]:
    """Variables that TensorFlow 2's functions capture, by name of the node that is passed.

    The last arguments of a function are the saved objects that it is bound to.
    """
    objects = meta.object_graph_def
    variables: dict[str, Variable] = {}
    for node in meta.graph_def.node:
        if node.op not in CALLS or node.name not in outputs or "f" not in node.attr:
            continue
        function = objects.concrete_functions.get(node.attr["f"].func.name)
        if function is None or not function.bound_inputs:
            continue
        arguments = [argument for argument in node.input if not argument.startswith("^")]
        for argument, index in zip(
            arguments[-len(function.bound_inputs) :], function.bound_inputs, strict=False
        ):
            saved_object = objects.nodes[index] if 0 <= index < len(objects.nodes) else None
            if saved_object is not None and saved_object.WhichOneof("kind") == "variable":
                name = saved_object.variable.name.partition(":")[0]
                variables[argument.partition(":")[0]] = Variable(
                    name or argument.partition(":")[0], saved_object.variable.trainable
                )
    return variables
