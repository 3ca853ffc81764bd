"""Python functions traced by TensorFlow, each operation with its line."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from modeldocs.errors import ModeldocsError
from modeldocs.loaders import LoadRequest
from modeldocs.loaders.python_source import callables, own_files, port_errors
from modeldocs.loaders.tensorflow import entry
from modeldocs.loaders.tensorflow.program import FedPlaceholder, Fetch, GraphDefProgram, Variable

_BASES = ("Module", "AutoTrackable")


def trace(request: LoadRequest) -> GraphDefProgram:
    """The graph of a function for inputs of the given shapes.

    The entry point is that function, a `tf.function` or a `tf.Module`, or makes one of these. A
    function may also make its variables while it runs, as in TensorFlow 1.

    Raises:
        ModeldocsError: the port raises, returns something else, or has no input shape.
    """
    import tensorflow as tf

    tf.random.set_seed(0)
    target, declared = callables.entry_point(request, _BASES)
    shapes = entry.inputs(request, declared)
    function = entry.function(request, target, shapes)
    with port_errors.located(request, "tracing it"):
        concrete, names = _concrete(function, entry.specs(request, shapes))
    return _program(request, concrete, names)


def _concrete(function: Callable[..., Any], specs: dict[str, Any]) -> tuple[Any, list[str]]:
    """The function traced for inputs of these specs, and the names of its inputs in order.

    Arguments are matched by name; inputs with other names are passed in order.
    """
    import tensorflow as tf

    names = list(specs)
    python_function = getattr(function, "python_function", function)
    body = (
        python_function
        if inspect.isfunction(python_function) or inspect.ismethod(python_function)
        else type(python_function).__call__
    )
    parameters = [p for p in inspect.signature(body).parameters if p != "self"]
    by_name = set(names) <= set(parameters)

    def run(*tensors: Any) -> Any:
        arguments = dict(zip(names, tensors, strict=True))
        return function(**arguments) if by_name else function(*tensors)

    return tf.compat.v1.wrap_function(run, list(specs.values())), names


def _program(request: LoadRequest, concrete: Any, names: list[str]) -> GraphDefProgram:
    """The program of a traced function; captured variables become nodes that hold them."""
    graph = concrete.graph
    graph_def = graph.as_graph_def(add_shapes=True)
    nodes = {node.name: node for node in graph_def.node}
    program = GraphDefProgram(request.source, graph_def, [], [], name=request.name)
    captured = {id(variable.handle): variable for variable in graph.variables}
    holders: dict[str, Any] = {}
    for outer, inner in graph.captures:
        variable = captured.get(id(outer))
        if variable is not None:
            _hold(nodes[inner.op.name], variable)
            holders[inner.op.name] = variable
            name = variable.name.partition(":")[0]
            program.variables[inner.op.name] = Variable(name, bool(variable.trainable))
        else:
            _fix(nodes[inner.op.name], outer)
    for name, tensor in zip(names, concrete.inputs, strict=False):
        shape = tuple(tensor.shape.as_list()) if tensor.shape.rank is not None else None
        program.feeds.append(
            FedPlaceholder(name or tensor.op.name, tensor.op.name, shape, tensor.op.name)
        )
    program.fetches = _fetches(request, concrete)
    program.places = _places(request, graph)
    program.call = _caller(concrete, names, holders)
    program.counts = _counts(holders.values())
    return program


def _hold(node: Any, variable: Any) -> None:
    """Turn the placeholder of a captured variable into the node that holds it."""
    name = variable.name.partition(":")[0]
    node.op = "VarHandleOp"
    node.attr.clear()
    node.attr["dtype"].type = variable.dtype.base_dtype.as_datatype_enum
    node.attr["shape"].shape.CopyFrom(variable.shape.as_proto())
    node.attr["shared_name"].s = name.encode()


def _fix(node: Any, outer: Any) -> None:
    """Turn the placeholder of a captured tensor into a constant."""
    from tensorflow.python.framework import tensor_util

    if not hasattr(outer, "numpy"):
        return
    proto = tensor_util.make_tensor_proto(outer.numpy())
    node.op = "Const"
    node.attr.clear()
    node.attr["dtype"].type = proto.dtype
    node.attr["value"].tensor.CopyFrom(proto)


def _fetches(request: LoadRequest, concrete: Any) -> list[Fetch]:
    import tensorflow as tf

    structured = concrete.structured_outputs
    by_key = sorted(structured.items()) if isinstance(structured, dict) else []
    flat = by_key or [("", tensor) for tensor in tf.nest.flatten(structured)]
    tensors = [(key, tensor) for key, tensor in flat if isinstance(tensor, tf.Tensor)]
    if not tensors:
        raise ModeldocsError(
            "the function returns no tensor",
            file=request.source,
            fix="let it return a tensor, a list, or a dict of tensors",
        )
    fetches: list[Fetch] = []
    for key, tensor in tensors:
        name = key or _producer_name(tensor)
        taken = [fetch.name for fetch in fetches]
        name = f"{name}_{len(fetches)}" if name in taken else name
        fetches.append(Fetch(name, (tensor.op.name, tensor.value_index)))
    return fetches


def _producer_name(tensor: Any) -> str:
    """The name of the operation that computes a tensor, past identities."""
    operation = tensor.op
    while operation.type == "Identity" and operation.inputs[0].op.type != "Placeholder":
        operation = operation.inputs[0].op
    return str(operation.name)


def _places(request: LoadRequest, graph: Any) -> dict[str, tuple[str | None, int | None]]:
    """The line of the port that made each operation."""
    own = own_files.OwnFiles(request)
    places: dict[str, tuple[str | None, int | None]] = {}
    for operation in graph.get_operations():
        frames = [f for f in operation.traceback or () if f.filename in own]
        if frames:
            places[operation.name] = request.relative(frames[-1].filename), frames[-1].lineno
    return places


def _caller(
    concrete: Any, names: list[str], holders: dict[str, Any]
) -> Callable[[dict[str, Any], dict[str, Any]], list[Any]]:
    def call(values: dict[str, Any], inputs: dict[str, Any]) -> list[Any]:
        import tensorflow as tf

        for name, array in values.items():
            holders[name].assign(array)
        arguments = [tf.constant(inputs[name]) for name in names]
        structured = concrete(*arguments)
        by_key = sorted(structured.items()) if isinstance(structured, dict) else []
        flat = [tensor for _, tensor in by_key] or tf.nest.flatten(structured)
        return [tensor.numpy() for tensor in flat if isinstance(tensor, tf.Tensor)]

    return call


def _counts(variables: Any) -> tuple[int, int]:
    """Values in trained variables, and in others."""
    sizes = [
        (bool(variable.trainable), int(variable.shape.num_elements() or 0))
        for variable in variables
    ]
    trained = sum(size for is_trained, size in sizes if is_trained)
    return trained, sum(size for _, size in sizes) - trained
