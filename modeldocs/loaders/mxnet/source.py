"""Sources of MXNet: symbol files, and Python files that build a symbol or a Gluon block."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from modeldocs.errors import ModeldocsError
from modeldocs.loaders import LoadRequest, limited_files
from modeldocs.loaders.mxnet import gluon, symbol_json
from modeldocs.loaders.mxnet.program import Symbol
from modeldocs.loaders.mxnet.provenance import Locations, without_locations
from modeldocs.loaders.python_source import callables, declared_inputs, python_file

MAX_BYTES = 64 * 2**20
"""Size of the largest symbol file that is read."""

CONVENTIONAL = ("get_symbol", "get_net", "get_network", "sym_gen")
"""Names of the function that builds the symbol, in MXNet's own examples."""

_START_BYTES, _END_BYTES = 2**16, 2**20
"""How much of a JSON file's start and end is searched for the keys of a symbol."""

_BASES = ("HybridBlock", "Block", "HybridSequential", "Sequential")


@dataclass(frozen=True)
class MxnetPort:
    """A model in MXNet: its symbol, the symbol's JSON, and the Gluon block it was traced from.

    `inputs` are the shapes that the Python file declares as `INPUTS`; `from_file` is whether the
    JSON is the source itself, not derived from Python.
    """

    symbol: Any
    data: bytes
    file: str
    block: Any = None
    inputs: dict[str, tuple[int, ...]] = field(default_factory=dict)
    from_file: bool = False

    def read(self) -> Symbol:
        """The symbol, decoded from its JSON."""
        return symbol_json.decode(self.data, self.file, is_source=self.from_file)

    def with_own_inputs(self, request: LoadRequest) -> LoadRequest:
        """The request, with the file's own input shapes where it has none."""
        if request.inputs or not self.inputs:
            return request
        return msgspec.structs.replace(request, inputs=self.inputs)


def recognises(path: Path) -> bool:
    """Whether a file is a symbol, by name or keys, or a Python file that imports mxnet."""
    try:
        if not path.is_file():
            return False
        if path.suffix == ".py":
            return path.stem.startswith("mxnet") or python_file.mentions_import(path, "mxnet")
        return path.suffix == ".json" and _is_symbol(path)
    except (OSError, ValueError):
        return False


def _is_symbol(path: Path) -> bool:
    if path.name.endswith("-symbol.json"):
        return True
    with path.open("rb") as file:
        start = file.read(_START_BYTES)
        if not start.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{") or b'"nodes"' not in start:
            return False
        file.seek(max(0, path.stat().st_size - _END_BYTES))
        end = file.read(_END_BYTES)
    return b'"arg_nodes"' in end and b'"heads"' in end


def is_json(request: LoadRequest) -> bool:
    """Whether a request names a JSON file."""
    return request.path is not None and Path(request.path).suffix == ".json"


def read(request: LoadRequest) -> Symbol:
    """The symbol in a JSON file, read without MXNet.

    Raises:
        ModeldocsError: the file is too large, or is no symbol.
    """
    path = _path(request)
    return symbol_json.decode(_data(path), request.relative(path))


def load_json(request: LoadRequest) -> MxnetPort:
    """The symbol in a JSON file, loaded by MXNet.

    Raises:
        ModeldocsError: it is no symbol, or MXNet refuses it.
    """
    import mxnet as mx

    path = _path(request)
    data, file = _data(path), request.relative(path)
    symbol_json.decode(data, file)
    try:
        symbol = mx.sym.load_json(data.decode())
    except mx.MXNetError as error:
        raise ModeldocsError(
            f"MXNet cannot read it: {first_line(error)}",
            file=file,
            fix="write the symbol anew with Symbol.save",
        ) from None
    return MxnetPort(symbol, data, file, from_file=True)


def _path(request: LoadRequest) -> Path:
    return Path(request.root, request.path or "")


def _data(path: Path) -> bytes:
    fix = "give the symbol, not the weights"
    return limited_files.read(path, MAX_BYTES, file=path.name, what="a symbol", fix=fix)


def build(request: LoadRequest) -> MxnetPort:
    """Call a Python port's entry point and take the symbol of what it returns.

    Raises:
        ModeldocsError: it cannot be run, or returns neither a symbol nor a block.
    """
    import mxnet as mx  # before the port, whose file may have the same name

    locations = Locations(request)
    try:
        with mx.name.NameManager(), locations:  # names count from 0 in each call
            target, own = callables.entry_point(_with_entry(request), _BASES)
            model = _call(request, target)
            inputs = declared_inputs.shapes(request, own, "{'data': (1, 3, 224, 224)}")
            block = model if isinstance(model, mx.gluon.Block) else None
            if block is not None:
                model = gluon.trace(request, locations, block, dict(request.inputs or inputs))
    except ModeldocsError as error:
        reason = without_locations(error.reason)
        raise ModeldocsError(
            reason, file=error.file, line=error.line, column=error.column, fix=error.fix
        ) from None
    symbol = gluon.symbol_of(request, model)
    data = symbol.tojson().encode()
    return MxnetPort(symbol, data, request.source or "", block, inputs)


def _with_entry(request: LoadRequest) -> LoadRequest:
    """The request, its entry point the first conventional function that the file defines."""
    if request.entry is not None or request.path is None:
        return request
    tree = python_file.parse(Path(request.path))
    defined = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
    entry = next((name for name in CONVENTIONAL if name in defined), None)
    return msgspec.structs.replace(request, entry=entry)


def _call(request: LoadRequest, target: Any) -> Any:
    """What the entry point returns; the entry point itself where it is a symbol or a block."""
    import mxnet as mx

    if isinstance(target, mx.sym.Symbol | mx.gluon.Block) or not callable(target):
        return target
    return callables.call(request, target)


def first_line(error: BaseException) -> str:
    """The sentence in an MXNet error, whose text includes a C++ stack trace."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    named = (line for line in reversed(lines) if "Error" in line or "failed" in line)
    sentence = next(named, lines[0] if lines else type(error).__name__)
    return sentence[:300]
