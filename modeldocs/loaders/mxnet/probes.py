"""Values that a proof compares besides the outputs.

After a deep network with random weights a softmax is all but 0 and 1, and only MXNet runs its own
operators: in both cases the inputs are compared.
"""

from __future__ import annotations

from collections.abc import Iterator

from modeldocs.loaders.mxnet.assembly import AssembledSymbol
from modeldocs.loaders.mxnet.operation import DOMAIN
from modeldocs.loaders.mxnet.program import Entry, Symbol

_SATURATING = {"SoftmaxOutput", "softmax", "log_softmax", "softmin", "SoftmaxActivation"}


def foreign(assembled: AssembledSymbol) -> set[str]:
    """Names of the values that depend on an operator that ONNX lacks."""
    names: set[str] = set()
    for node in assembled.model.graph:
        depends = any(value is not None and str(value.name) in names for value in node.inputs)
        if depends or node.domain == DOMAIN:
            names.update(str(value.name) for value in node.outputs)
    return names


def inner_entries(assembled: AssembledSymbol, symbol: Symbol) -> list[Entry]:
    """The inputs of softmaxes that are outputs, and of operators that ONNX lacks."""
    foreign_names = foreign(assembled)
    probes: set[Entry] = set()
    visited: set[Entry] = set()
    waiting = list(symbol.heads)
    while waiting:
        entry = waiting.pop()
        for operand in _operands(symbol, entry) if entry not in visited else ():
            if str(assembled.values[operand].name) in foreign_names:
                waiting.append(operand)
            elif _hides_differences(assembled, symbol, entry, foreign_names):
                probes.add(operand)
                waiting += [operand] if symbol.nodes[operand[0]].op in _SATURATING else []
        visited.add(entry)
    return sorted(probes)


def _operands(symbol: Symbol, entry: Entry) -> Iterator[Entry]:
    for operand in symbol.nodes[entry[0]].data():
        if not symbol.nodes[operand[0]].is_variable:
            yield operand


def _hides_differences(
    assembled: AssembledSymbol, symbol: Symbol, entry: Entry, foreign_names: set[str]
) -> bool:
    name = str(assembled.values[entry].name)
    return name in foreign_names or symbol.nodes[entry[0]].op in _SATURATING
