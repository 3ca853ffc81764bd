"""A port that is Python: run in MXNet's environment, its symbol taken as JSON."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from modeldocs.errors import ModeldocsError
from modeldocs.loaders import LoadRequest, callables, declared, python_file
from modeldocs.loaders.mxnet.reading import read_symbol
from modeldocs.loaders.mxnet.symbol import Symbol
from modeldocs.loaders.mxnet.tracing import Places, unplaced

CONVENTIONAL = ("get_symbol", "get_net", "get_network", "sym_gen")
"""What MXNet's own examples call the function that makes the symbol."""

_BASES = ("HybridBlock", "Block", "HybridSequential", "Sequential")


@dataclass(frozen=True)
class Built:
    """What a port made: MXNet's symbol and its JSON, and the Gluon block that it came from."""

    symbol: Any
    data: bytes
    file: str
    block: Any = None
    inputs: dict[str, tuple[int, ...]] = field(default_factory=dict)
    """The file's own `INPUTS`."""
    written: bool = False
    """Whether the JSON is the source."""

    def read(self) -> Symbol:
        """The symbol as the JSON has it."""
        return read_symbol(self.data, self.file, written=self.written)

    def asked(self, request: LoadRequest) -> LoadRequest:
        """The request, with the file's own shapes where it has none."""
        if request.inputs or not self.inputs:
            return request
        return msgspec.structs.replace(request, inputs=self.inputs)


def load_json(data: bytes, file: str) -> Built:
    """A symbol file in MXNet's own hands.

    Raises:
        ModeldocsError: MXNet does not take it.
    """
    import mxnet as mx

    read_symbol(data, file)
    try:
        symbol = mx.sym.load_json(data.decode())
    except mx.MXNetError as error:
        raise ModeldocsError(
            f"MXNet cannot read it: {first_line(error)}",
            file=file,
            fix="write the symbol anew with Symbol.save",
        ) from None
    return Built(symbol, data, file, written=True)


def build(request: LoadRequest) -> Built:
    """Run a port's callable and take the symbol of what it returns.

    Raises:
        ModeldocsError: it cannot be run, or returns neither symbol nor block.
    """
    import mxnet as mx  # before the port, whose file may have the same name

    places = Places(request)
    try:
        with places:
            source = callables.import_source(request)
            target = callables.resolve(_with_entry(request), source, _BASES)
            made = _made(request, target)
            own = getattr(source, "INPUTS", {})
            inputs = declared.shapes(request, own, "{'data': (1, 3, 224, 224)}")
            block = made if isinstance(made, mx.gluon.Block) else None
            if block is not None:
                made = _traced(request, places, block, dict(request.inputs or inputs))
    except ModeldocsError as error:
        reason = unplaced(error.reason)
        raise ModeldocsError(
            reason, file=error.file, line=error.line, column=error.column, fix=error.fix
        ) from None
    symbol = _symbol(request, made)
    data = symbol.tojson().encode()
    return Built(symbol, data, request.source or "", block, inputs)


def _with_entry(request: LoadRequest) -> LoadRequest:
    if request.entry is not None or request.path is None:
        return request
    tree = python_file.parse(Path(request.path))
    defined = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
    entry = next((name for name in CONVENTIONAL if name in defined), None)
    return msgspec.structs.replace(request, entry=entry)


def _made(request: LoadRequest, target: Any) -> Any:
    """What the entry point gives, or is."""
    import mxnet as mx

    if isinstance(target, mx.sym.Symbol | mx.gluon.Block) or not callable(target):
        return target
    missing = [name for name in _required(target) if name not in request.args]
    if missing:
        raise ModeldocsError(
            f"{getattr(target, '__name__', 'the callable')} wants {', '.join(missing)}",
            file=request.source,
            fix=f'give `args: {{{missing[0]}: 1000}}` in model.yml, or --args \'{{"{missing[0]}":'
            " 1000}'",
        )
    return callables.call(request, target)


def _required(target: Any) -> Iterator[str]:
    try:
        parameters = inspect.signature(target).parameters.values()
    except (TypeError, ValueError):
        return
    for one in parameters:
        named = one.kind in (one.POSITIONAL_OR_KEYWORD, one.KEYWORD_ONLY)
        if named and one.default is one.empty:
            yield one.name


def _traced(
    request: LoadRequest, places: Places, block: Any, shapes: dict[str, tuple[int, ...]]
) -> Any:
    """A block's outputs for variables as its inputs."""
    import mxnet as mx

    places.describe(block)
    variables = [mx.sym.var(name or "data") for name in shapes or ["data"]]
    if mx.util.is_np_array():
        variables = [variable.as_np_ndarray() for variable in variables]
    try:
        made = block(*variables)
    except BaseException as error:
        told = callables.failure(request, error, "calling the block with symbols")
        if "Symbol" in told.reason:
            fix = "it runs on arrays alone: write it so that hybridize() works, with F and without "
            fix += "sizes that are read off an array"
            told = ModeldocsError(told.reason, file=told.file, line=told.line, fix=fix)
        raise told from None
    parameters = block.collect_params().values()
    for parameter in parameters:
        if parameter.grad_req == "null":
            parameter.var()._set_attr(__grad_req__="null")
    if any(_is_deferred(parameter) for parameter in parameters):
        _infer(_symbol(request, made), {n or "data": s for n, s in shapes.items()}, parameters)
    return made


def _is_deferred(parameter: Any) -> bool:
    """Whether a size of it waits for the first input."""
    return not parameter.shape or any(size < 1 for size in parameter.shape)


def _infer(symbol: Any, shapes: dict[str, tuple[int, ...]], parameters: Iterable[Any]) -> None:
    """Tell parameters of sizes that wait the shapes that MXNet has for these inputs.

    Most are told by the layer that reads them; those of recurrent layers are joined before.
    """
    import mxnet as mx

    try:
        found, _, _ = symbol.infer_shape_partial(**shapes)
    except (mx.MXNetError, ValueError, TypeError):
        return
    known = dict(zip(symbol.list_arguments(), found or [], strict=False))
    for parameter in parameters:
        shape = known.get(parameter.name) or ()
        if _is_deferred(parameter) and shape and min(shape) > 0:
            parameter.var()._set_attr(__shape__=str(tuple(shape)))


def _symbol(request: LoadRequest, made: Any) -> Any:
    """One symbol of what was returned: alone, first of several, or grouped."""
    import mxnet as mx

    if isinstance(made, mx.sym.Symbol):
        return made
    found = [one for one in flat(made) if isinstance(one, mx.sym.Symbol)]
    if not found:
        raise ModeldocsError(
            f"the entry point returned {type(made).__name__}, neither a Symbol nor a Gluon block",
            file=request.source,
            fix="let it return one, or name the right callable as `entry:` in model.yml",
        )
    return found[0] if len(found) == 1 else mx.sym.Group(found)


def flat(made: Any) -> Iterator[Any]:
    """The leaves of nested lists and tuples."""
    if isinstance(made, list | tuple):
        for one in made:
            yield from flat(one)
    else:
        yield made


def first_line(error: BaseException) -> str:
    """The sentence in what MXNet raises, which comes with a stack of its own."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    said = next((line for line in reversed(lines) if "Error" in line or "failed" in line), "")
    return (said or (lines[0] if lines else type(error).__name__))[:300]
