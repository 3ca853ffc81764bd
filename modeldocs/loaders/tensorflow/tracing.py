"""Python sources: a function traced by TensorFlow, each of its operations with its line."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from modeldocs.errors import ModeldocsError
from modeldocs.loaders import LoadRequest, callables
from modeldocs.loaders.tensorflow import entry
from modeldocs.loaders.tensorflow.program import Feed, Fetch, Program, Variable

_BASES = ("Module", "AutoTrackable")


def trace(request: LoadRequest) -> Program:
    """The graph of a function on inputs of the given shapes.

    The entry point is that function, a `tf.function` or a `tf.Module`, or makes one of these. A
    function that takes the inputs may also make its variables as it goes, as TensorFlow 1 did.

    Raises:
        ModeldocsError: the port raises, gives something else, or no shape is given.
    """
    import tensorflow as tf

    tf.random.set_seed(0)
    source = callables.import_source(request)
    target = callables.resolve(request, source, _BASES)
    given = entry.inputs(request, getattr(source, "INPUTS", {}))
    function = entry.function(request, target, given)
    try:
        concrete, names = _concrete(function, entry.specs(request, given))
    except BaseException as error:
        raise callables.failure(request, error, "tracing it") from None
    return _program(request, concrete, names)


def _concrete(function: Callable[..., Any], specs: dict[str, Any]) -> tuple[Any, list[str]]:
    """The function on inputs of these kinds, and the names of its inputs in order.

    Arguments are matched by name; inputs of other names stand in the order that they are told in.
    """
    import tensorflow as tf

    names = list(specs)
    held = getattr(function, "python_function", function)
    body = held if inspect.isfunction(held) or inspect.ismethod(held) else type(held).__call__
    taken = [p for p in inspect.signature(body).parameters if p != "self"]
    by_name = set(names) <= set(taken)

    def run(*tensors: Any) -> Any:
        given = dict(zip(names, tensors, strict=True))
        return function(**given) if by_name else function(*tensors)

    wrapped = tf.compat.v1.wrap_function(run, list(specs.values()))
    return wrapped, names


def _program(request: LoadRequest, concrete: Any, names: list[str]) -> Program:
    """The program of a traced function: captured variables become operations that hold them."""
    graph = concrete.graph
    graph_def = graph.as_graph_def(add_shapes=True)
    nodes = {node.name: node for node in graph_def.node}
    program = Program(request.source, graph_def, [], [], name=request.name)
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
        program.feeds.append(Feed(name or tensor.op.name, tensor.op.name, shape, tensor.op.name))
    program.fetches = _fetches(request, concrete)
    program.places = _places(request, graph)
    program.call = _caller(concrete, names, holders)
    program.counts = _counts(holders.values())
    return program


def _hold(node: Any, variable: Any) -> None:
    """Turn the placeholder of a captured variable into the operation that holds it."""
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
    named = sorted(structured.items()) if isinstance(structured, dict) else []
    flat = named or [("", held) for held in tf.nest.flatten(structured)]
    tensors = [(key, held) for key, held in flat if isinstance(held, tf.Tensor)]
    if not tensors:
        raise ModeldocsError(
            "the function returns no tensor",
            file=request.source,
            fix="let it return a tensor, a list, or a dict of tensors",
        )
    fetches: list[Fetch] = []
    for key, tensor in tensors:
        name = key or _named(tensor)
        taken = [fetch.name for fetch in fetches]
        name = f"{name}_{len(fetches)}" if name in taken else name
        fetches.append(Fetch(name, (tensor.op.name, tensor.value_index)))
    return fetches


def _named(tensor: Any) -> str:
    """The name of what gives a tensor, past what only passes it on."""
    operation = tensor.op
    while operation.type == "Identity" and operation.inputs[0].op.type != "Placeholder":
        operation = operation.inputs[0].op
    return str(operation.name)


def _places(request: LoadRequest, graph: Any) -> dict[str, tuple[str | None, int | None]]:
    """The line of the port's own that made each operation."""
    own = callables.OwnFiles(request)
    found: dict[str, tuple[str | None, int | None]] = {}
    for operation in graph.get_operations():
        frames = [f for f in operation.traceback or () if f.filename in own]
        if frames:
            found[operation.name] = request.relative(frames[-1].filename), frames[-1].lineno
    return found


def _caller(
    concrete: Any, names: list[str], holders: dict[str, Any]
) -> Callable[[dict[str, Any], dict[str, Any]], list[Any]]:
    def call(values: dict[str, Any], inputs: dict[str, Any]) -> list[Any]:
        import tensorflow as tf

        for name, array in values.items():
            holders[name].assign(array)
        given = [tf.constant(inputs[name]) for name in names]
        structured = concrete(*given)
        named = sorted(structured.items()) if isinstance(structured, dict) else []
        flat = [held for _, held in named] or tf.nest.flatten(structured)
        return [held.numpy() for held in flat if isinstance(held, tf.Tensor)]

    return call


def _counts(variables: Any) -> tuple[int, int]:
    """Values in variables that are trained, and in others."""
    sizes = [(bool(held.trainable), int(held.shape.num_elements() or 0)) for held in variables]
    trained = sum(size for is_trained, size in sizes if is_trained)
    return trained, sum(size for _, size in sizes) - trained
