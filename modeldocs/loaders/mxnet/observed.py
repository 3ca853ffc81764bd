"""What a proof looks at: outputs, and what lies behind those that would hide a difference.

A softmax is all but 0 and 1 behind a deep network with random weights, and nothing but MXNet runs
its own operators: what they read is compared.
"""

from __future__ import annotations

from collections.abc import Iterator

from modeldocs.loaders.mxnet.assembly import Assembled
from modeldocs.loaders.mxnet.operation import DOMAIN
from modeldocs.loaders.mxnet.symbol import Symbol

Entry = tuple[int, int]
"""A node of the symbol, and which of its outputs."""

_SATURATING = {"SoftmaxOutput", "softmax", "log_softmax", "softmin", "SoftmaxActivation"}


def foreign(assembled: Assembled) -> set[str]:
    """Names of the values that depend on an operator that ONNX lacks."""
    found: set[str] = set()
    for node in assembled.model.graph:
        reads = any(value is not None and str(value.name) in found for value in node.inputs)
        if reads or node.domain == DOMAIN:
            found.update(str(value.name) for value in node.outputs)
    return found


def behind(assembled: Assembled, symbol: Symbol) -> list[Entry]:
    """What a softmax reads that is an output, and what operators that ONNX lacks read."""
    unknown = foreign(assembled)
    found: dict[Entry, None] = {}
    seen: set[Entry] = set()
    waiting = list(symbol.heads)
    while waiting:
        entry = waiting.pop()
        for given in _read(symbol, entry) if entry not in seen else ():
            if str(assembled.values[given].name) in unknown:
                waiting.append(given)
            elif _hides(assembled, symbol, entry, unknown):
                found[given] = None
                waiting += [given] if symbol.nodes[given[0]].op in _SATURATING else []
        seen.add(entry)
    return sorted(found)


def _read(symbol: Symbol, entry: Entry) -> Iterator[Entry]:
    for given in symbol.nodes[entry[0]].data():
        if not symbol.nodes[given[0]].is_variable:
            yield given


def _hides(assembled: Assembled, symbol: Symbol, entry: Entry, unknown: set[str]) -> bool:
    name = str(assembled.values[entry].name)
    return name in unknown or symbol.nodes[entry[0]].op in _SATURATING
