"""What goes into a model: shapes from the request, the port's `INPUTS`, and the model itself."""

from __future__ import annotations

import inspect
from typing import Any, NamedTuple

from modeldocs.errors import ModeldocsError
from modeldocs.ir import Origin
from modeldocs.loaders import LoadRequest, declared
from modeldocs.loaders.keras import describing, framework
from modeldocs.loaders.keras.building import Source

Shape = tuple[int | None, ...]
_NO_INPUTS = ("training", "mask", "args", "kwargs")


class Feed(NamedTuple):
    """Symbolic arguments of a model's call, and the graph's inputs among them in order."""

    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    graph_inputs: list[tuple[str, Any, Origin]]


def feed(source: Source, request: LoadRequest) -> Feed:
    """What to call the model with.

    Raises:
        ModeldocsError: a shape is missing or does not fit.
    """
    given = dict(request.inputs) or dict(source.inputs.shapes)
    for name, shape in given.items():
        if any(size < 0 for size in shape):
            raise ModeldocsError(f"input {name!r} cannot have the shape {shape}")
    struct = _declared(source.model)
    if struct is not None:
        return _of_graph(struct, given, request)
    dtypes = {**source.inputs.dtypes, **request.dtypes}
    return _of_call(source.model, given, dtypes, request)


def _declared(model: Any) -> Any:
    """The structure of symbolic inputs that a functional or sequential model was built on."""
    functional = getattr(model, "_functional", None) or model
    return getattr(functional, "_inputs_struct", None)


def _of_graph(struct: Any, given: dict[str, tuple[int, ...]], request: LoadRequest) -> Feed:
    tree = framework.imported().tree
    tensors = tree.flatten(struct)
    names = [_name(tensor) for tensor in tensors]
    chosen = _matched(names, given, request)
    found = []
    for index, (name, tensor) in enumerate(zip(names, tensors, strict=True)):
        wanted = chosen.get(name)
        shape = _shape(name, tuple(tensor.shape), wanted, request)
        made = framework.imported().Input(batch_shape=shape, dtype=tensor.dtype)
        shown = next(iter(given)) if len(given) == len(tensors) == 1 and "" not in given else name
        told = _origin(tensor, shown, request)
        found.append((shown or f"input_{index + 1}", made, told))
    packed = tree.pack_sequence_as(struct, [tensor for _, tensor, _ in found])
    return Feed((packed,), {}, found)


def _name(tensor: Any) -> str:
    """The name of an input layer; tensors are numbered through the whole process."""
    history = getattr(tensor, "_keras_history", None)
    return str(history.operation.name if history and history.operation else tensor.name)


def _origin(tensor: Any, name: str, request: LoadRequest) -> Origin:
    history = getattr(tensor, "_keras_history", None)
    if history is None or history.operation is None:
        return Origin(operator="keras.Input", name=name)
    return describing.origin_of(history.operation, request, {})


def _matched(
    names: list[str], given: dict[str, tuple[int, ...]], request: LoadRequest
) -> dict[str, tuple[int, ...]]:
    """Shapes by the model's own names; a single one fits a single input whatever its name."""
    if len(names) == len(given) == 1:
        return {names[0]: next(iter(given.values()))}
    unknown = [name for name in given if name not in names]
    if unknown:
        raise ModeldocsError(
            f"the model has no input {unknown[0]!r}",
            file=request.source,
            fix=f"use the names of its inputs: {', '.join(names)}",
        )
    return given


def _shape(
    name: str, declared: Shape, given: tuple[int, ...] | None, request: LoadRequest
) -> Shape:
    """The declared shape with its open sizes as given; an open batch is one."""
    if given is None:
        return tuple(1 if axis == 0 and s is None else s for axis, s in enumerate(declared))
    fits = len(given) == len(declared) and all(
        size is None or size == asked for size, asked in zip(declared, given, strict=True)
    )
    if not fits:
        raise ModeldocsError(
            f"input {name!r} has the shape {declared}, which {given} does not fit",
            file=request.source,
            fix="give numbers for the sizes that are None",
        )
    return given


def _of_call(
    model: Any, given: dict[str, tuple[int, ...]], dtypes: dict[str, str], request: LoadRequest
) -> Feed:
    """For a subclassed model or a layer: its `call` says what inputs there are."""
    shapes: dict[str, Shape] = dict(given) or _built_for(model)
    parameters = inspect.signature(model.call).parameters
    accepted = [name for name in parameters if name not in _NO_INPUTS]
    if not shapes:
        needed = [n for n in accepted if parameters[n].default is inspect.Parameter.empty]
        options = " ".join(f"--input {name}=SHAPE" for name in needed or ["NAME"])
        raise declared.missing(request, options)
    make = framework.imported().Input
    names = {name: name or (accepted[0] if accepted else "input") for name in shapes}
    tensors = {
        names[name]: make(batch_shape=shape, dtype=_dtype(model, dtypes, name))
        for name, shape in shapes.items()
    }
    told = [
        (name, made, Origin(operator="keras.Input", name=name)) for name, made in tensors.items()
    ]
    if len(tensors) == 1:
        return Feed(tuple(tensors.values()), {}, told)
    if set(tensors) <= set(accepted):
        first = next(name for name in accepted if name in tensors)
        rest = {name: made for name, made in tensors.items() if name != first}
        return Feed((tensors[first],), rest, told)
    if len(accepted) == 1:
        return Feed((dict(tensors),), {}, told)
    raise ModeldocsError(
        f"its call has no argument {next(n for n in tensors if n not in accepted)!r}",
        file=request.source,
        fix=f"name the inputs after the arguments: {', '.join(accepted)}",
    )


def _built_for(model: Any) -> dict[str, Shape]:
    """The shape that the port itself built the model for, if it has one input."""
    shapes = getattr(model, "_build_shapes_dict", None) or {}
    shape = next(iter(shapes.values()), None) if len(shapes) == 1 else None
    if not isinstance(shape, tuple) or not all(s is None or isinstance(s, int) for s in shape):
        return {}
    return {"": tuple(1 if axis == 0 and s is None else s for axis, s in enumerate(shape))}


def _dtype(model: Any, dtypes: dict[str, str], name: str) -> str:
    """As the request says; numbers of rows for a model that starts with an embedding."""
    first = next(iter(getattr(model, "layers", None) or []), None)
    reads_rows = type(first).__name__ == "Embedding" and type(model).__name__ == "Sequential"
    return dtypes.get(name, "int32" if reads_rows else "float32")


def build(model: Any, feed: Feed) -> None:
    """Make every layer of a model have its variables, by one symbolic call."""
    if _declared(model) is None:
        model(*feed.args, **feed.kwargs)
