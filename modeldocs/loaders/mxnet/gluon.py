"""Gluon blocks traced to symbols."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from modeldocs.errors import ModeldocsError
from modeldocs.loaders import LoadRequest
from modeldocs.loaders.mxnet.provenance import Locations
from modeldocs.loaders.python_source import callables, port_errors


def trace(
    request: LoadRequest, locations: Locations, block: Any, shapes: dict[str, tuple[int, ...]]
) -> Any:
    """What a block returns for symbolic variables, one for each name in `shapes`.

    Raises:
        ModeldocsError: the block raises, as one does that cannot be hybridized.
    """
    import mxnet as mx

    locations.describe(block)
    variables = [mx.sym.var(name or "data") for name in shapes or ["data"]]
    if mx.util.is_np_array():
        variables = [variable.as_np_ndarray() for variable in variables]
    try:
        outputs = block(*variables)
    except BaseException as error:
        failure = port_errors.failure(request, error, "calling the block with symbols")
        if "Symbol" in failure.reason:
            fix = "it runs on arrays alone: write it so that hybridize() works, with F and without "
            fix += "sizes that are read off an array"
            failure = ModeldocsError(failure.reason, file=failure.file, line=failure.line, fix=fix)
        raise failure from None
    parameters = block.collect_params().values()
    for parameter in parameters:
        if parameter.grad_req == "null":
            parameter.var()._set_attr(__grad_req__="null")
    if any(_is_deferred(parameter) for parameter in parameters):
        named = {name or "data": shape for name, shape in shapes.items()}
        _infer_shapes(symbol_of(request, outputs), named, parameters)
    return outputs


def _is_deferred(parameter: Any) -> bool:
    """Whether a size of the parameter depends on the first input."""
    return not parameter.shape or any(size < 1 for size in parameter.shape)


def _infer_shapes(
    symbol: Any, inputs: dict[str, tuple[int, ...]], parameters: Iterable[Any]
) -> None:
    """Set the `__shape__` of deferred parameters to what MXNet infers from the inputs' shapes.

    The layer that reads a parameter decides the shape of most; a recurrent layer's parameters are
    concatenated before a layer reads them.
    """
    import mxnet as mx

    try:
        shapes, _, _ = symbol.infer_shape_partial(**inputs)
    except (mx.MXNetError, ValueError, TypeError):
        return
    by_name = dict(zip(symbol.list_arguments(), shapes or [], strict=False))
    for parameter in parameters:
        shape = by_name.get(parameter.name) or ()
        if _is_deferred(parameter) and shape and min(shape) > 0:
            parameter.var()._set_attr(__shape__=str(tuple(shape)))


def symbol_of(request: LoadRequest, outputs: Any) -> Any:
    """The symbol of a model's outputs, which may be nested; several are grouped.

    Raises:
        ModeldocsError: there is no symbol among the outputs.
    """
    import mxnet as mx

    if isinstance(outputs, mx.sym.Symbol):
        return outputs
    symbols = [leaf for leaf in leaves(outputs) if isinstance(leaf, mx.sym.Symbol)]
    if not symbols:
        wanted = "neither a Symbol nor a Gluon block"
        raise callables.wrong_result(request, outputs, wanted, "one")
    return symbols[0] if len(symbols) == 1 else mx.sym.Group(symbols)


def leaves(outputs: Any) -> Iterator[Any]:
    """The leaves of nested lists and tuples."""
    if isinstance(outputs, list | tuple):
        for item in outputs:
            yield from leaves(item)
    else:
        yield outputs
