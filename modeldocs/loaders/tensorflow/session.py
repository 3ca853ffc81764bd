"""Graphs run in a session of TensorFlow."""

from __future__ import annotations

from typing import Any

import numpy as np

from modeldocs.loaders.reference import Arrays


def run(
    graph_def: Any, variables: Arrays, inputs: Arrays, fetches: list[str]
) -> list[np.ndarray[Any, Any]]:
    """The values of `fetches` (`name:0`), with variables and inputs set by name of their node."""
    import tensorflow as tf

    graph = tf.Graph()
    with graph.as_default():
        tf.graph_util.import_graph_def(graph_def, name="")
        nodes = [(graph.get_operation_by_name(name), array) for name, array in variables.items()]
        assignments = [(*assignment(node, array), array) for node, array in nodes]
    config = tf.compat.v1.ConfigProto()
    # Fetched nodes must not be optimised away.
    config.graph_options.rewrite_options.disable_meta_optimizer = True
    with tf.compat.v1.Session(graph=graph, config=config) as session:
        assigned = {placeholder: array for _, placeholder, array in assignments}
        session.run([assignment for assignment, _, _ in assignments], assigned)
        values = session.run(fetches, {f"{name}:0": array for name, array in inputs.items()})
    return [np.asarray(value) for value in values]


def assignment(variable: Any, array: np.ndarray[Any, Any]) -> tuple[Any, Any]:
    """An operation that sets a variable, and the placeholder that it reads."""
    import tensorflow as tf

    placeholder = tf.compat.v1.placeholder(array.dtype, array.shape)
    handle = variable.outputs[0]
    if variable.type == "VarHandleOp":
        return tf.raw_ops.AssignVariableOp(resource=handle, value=placeholder), placeholder
    return tf.raw_ops.Assign(ref=handle, value=placeholder), placeholder


def runnable(graph_def: Any, constants: Arrays) -> Any:
    """A copy of a graph that runs on this machine, with new values for some constants.

    Devices and colocation are removed: they may name machines that do not exist here.
    """
    import tensorflow as tf

    graph = type(graph_def)()
    graph.CopyFrom(graph_def)
    for nodes in (graph.node, *(function.node_def for function in graph.library.function)):
        for node in nodes:
            node.device = ""
            if "_class" in node.attr:
                del node.attr["_class"]
    for node in graph.node:
        if node.name in constants and node.op == "Const":
            node.attr["value"].tensor.CopyFrom(tf.make_tensor_proto(constants[node.name]))
    return graph


def reason(error: Exception) -> str:
    """What went wrong, in one line: of a graph that ran, the message of the node that failed."""
    text = str(error).split("Original stack trace")[0]
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    node = next((index for index, line in enumerate(lines) if line.startswith("Node:")), None)
    message = lines[node + 1 :] if node is not None else lines
    return (message or [type(error).__name__])[0][:300]
