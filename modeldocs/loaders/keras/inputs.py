"""Inputs of a model: shapes from the request, the port's `INPUTS`, or the model itself."""

from __future__ import annotations

import inspect
from typing import Any, NamedTuple

from modeldocs.errors import ModeldocsError
from modeldocs.ir import Origin
from modeldocs.loaders import LoadRequest
from modeldocs.loaders.keras import framework, origins
from modeldocs.loaders.keras.shapes import Dims
from modeldocs.loaders.keras.source import KerasSource
from modeldocs.loaders.python_source import declared_inputs

_NO_INPUTS = ("training", "mask", "args", "kwargs")


class CallArguments(NamedTuple):
    """Symbolic arguments of a model's call, and the graph's inputs among them in order."""

    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    graph_inputs: list[tuple[str, Any, Origin]]


def feed(source: KerasSource, request: LoadRequest) -> CallArguments:
    """The symbolic arguments to call a model with.

    Raises:
        ModeldocsError: a shape is missing or does not fit.
    """
    shapes = dict(request.inputs) or dict(source.inputs.shapes)
    for name, shape in shapes.items():
        if any(size < 0 for size in shape):
            raise ModeldocsError(f"input {name!r} cannot have the shape {shape}")
    struct = _input_structure(source.model)
    if struct is not None:
        return _of_graph(struct, shapes, request)
    dtypes = {**source.inputs.dtypes, **request.dtypes}
    return _of_call(source.model, shapes, dtypes, request)


def _input_structure(model: Any) -> Any:
    """The symbolic inputs on which a functional or sequential model was built."""
    functional = getattr(model, "_functional", None) or model
    return getattr(functional, "_inputs_struct", None)


def _of_graph(
    struct: Any, shapes: dict[str, tuple[int, ...]], request: LoadRequest
) -> CallArguments:
    tree = framework.imported().tree
    tensors = tree.flatten(struct)
    names = [_name(tensor) for tensor in tensors]
    by_name = _matched(names, shapes, request)
    graph_inputs = []
    for index, (name, tensor) in enumerate(zip(names, tensors, strict=True)):
        requested = by_name.get(name)
        shape = _shape(name, tuple(tensor.shape), requested, request)
        new = framework.imported().Input(batch_shape=shape, dtype=tensor.dtype)
        single = len(shapes) == len(tensors) == 1 and "" not in shapes
        input_name = next(iter(shapes)) if single else name
        input_origin = _origin(tensor, input_name, request)
        graph_inputs.append((input_name or f"input_{index + 1}", new, input_origin))
    argument = tree.pack_sequence_as(struct, [tensor for _, tensor, _ in graph_inputs])
    return CallArguments((argument,), {}, graph_inputs)


def _name(tensor: Any) -> str:
    """The name of an input layer; names of tensors are numbered throughout the process."""
    history = getattr(tensor, "_keras_history", None)
    return str(history.operation.name if history and history.operation else tensor.name)


def _origin(tensor: Any, name: str, request: LoadRequest) -> Origin:
    history = getattr(tensor, "_keras_history", None)
    if history is None or history.operation is None:
        return Origin(operator="keras.Input", name=name)
    return origins.origin_of(history.operation, request, {})


def _matched(
    names: list[str], shapes: dict[str, tuple[int, ...]], request: LoadRequest
) -> dict[str, tuple[int, ...]]:
    """Shapes by the model's own names; a single shape fits a single input whatever its name."""
    if len(names) == len(shapes) == 1:
        return {names[0]: next(iter(shapes.values()))}
    unknown = [name for name in shapes if name not in names]
    if unknown:
        raise ModeldocsError(
            f"the model has no input {unknown[0]!r}",
            file=request.source,
            fix=f"use the names of its inputs: {', '.join(names)}",
        )
    return shapes


def _shape(
    name: str, declared: Dims, requested: tuple[int, ...] | None, request: LoadRequest
) -> Dims:
    """The declared shape with its open sizes as requested; an open batch is one."""
    if requested is None:
        return tuple(1 if axis == 0 and s is None else s for axis, s in enumerate(declared))
    is_match = len(requested) == len(declared) and all(
        size is None or size == wanted for size, wanted in zip(declared, requested, strict=True)
    )
    if not is_match:
        raise ModeldocsError(
            f"input {name!r} has the shape {declared}, which {requested} does not fit",
            file=request.source,
            fix="give numbers for the sizes that are None",
        )
    return requested


def _of_call(
    model: Any, shapes: dict[str, tuple[int, ...]], dtypes: dict[str, str], request: LoadRequest
) -> CallArguments:
    """For a subclassed model or a layer, whose `call` names the inputs."""
    by_name: dict[str, Dims] = dict(shapes) or _built_for(model)
    parameters = inspect.signature(model.call).parameters
    accepted = [name for name in parameters if name not in _NO_INPUTS]
    if not by_name:
        needed = [n for n in accepted if parameters[n].default is inspect.Parameter.empty]
        options = " ".join(f"--input {name}=SHAPE" for name in needed or ["NAME"])
        raise declared_inputs.missing(request, options)
    make = framework.imported().Input
    names = {name: name or (accepted[0] if accepted else "input") for name in by_name}
    tensors = {
        names[name]: make(batch_shape=shape, dtype=_dtype(model, dtypes, name))
        for name, shape in by_name.items()
    }
    graph_inputs = [
        (name, tensor, Origin(operator="keras.Input", name=name))
        for name, tensor in tensors.items()
    ]
    if len(tensors) == 1:
        return CallArguments(tuple(tensors.values()), {}, graph_inputs)
    if set(tensors) <= set(accepted):
        first = next(name for name in accepted if name in tensors)
        rest = {name: tensor for name, tensor in tensors.items() if name != first}
        return CallArguments((tensors[first],), rest, graph_inputs)
    if len(accepted) == 1:
        return CallArguments((dict(tensors),), {}, graph_inputs)
    raise ModeldocsError(
        f"its call has no argument {next(n for n in tensors if n not in accepted)!r}",
        file=request.source,
        fix=f"name the inputs after the arguments: {', '.join(accepted)}",
    )


def _built_for(model: Any) -> dict[str, Dims]:
    """The shape for which the port itself built the model, if it has one input."""
    shapes = getattr(model, "_build_shapes_dict", None) or {}
    shape = next(iter(shapes.values()), None) if len(shapes) == 1 else None
    if not isinstance(shape, tuple) or not all(s is None or isinstance(s, int) for s in shape):
        return {}
    return {"": tuple(1 if axis == 0 and s is None else s for axis, s in enumerate(shape))}


def _dtype(model: Any, dtypes: dict[str, str], name: str) -> str:
    """The requested type; int32 for a sequential model that starts with an embedding."""
    first_layer = next(iter(getattr(model, "layers", None) or []), None)
    is_lookup = type(first_layer).__name__ == "Embedding" and type(model).__name__ == "Sequential"
    return dtypes.get(name, "int32" if is_lookup else "float32")


def build(model: Any, feed: CallArguments) -> None:
    """Create all variables of a model by one symbolic call."""
    if _input_structure(model) is None:
        model(*feed.args, **feed.kwargs)
