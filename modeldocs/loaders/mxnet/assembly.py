"""The operators of a symbol put together into one ONNX graph."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import msgspec
import onnx_ir as ir

from modeldocs.errors import ModeldocsError
from modeldocs.loaders import LoadRequest
from modeldocs.loaders.dims import UnknownShapeError
from modeldocs.loaders.emission import model as onnx_model
from modeldocs.loaders.emission.names import Names
from modeldocs.loaders.mxnet import inputs, operators, outlines, remarks
from modeldocs.loaders.mxnet.operation import EMITTERS, Operation
from modeldocs.loaders.mxnet.shapes import is_open
from modeldocs.loaders.mxnet.symbol import Symbol, SymbolNode
from modeldocs.loaders.mxnet.variables import Use, Variables, roles

__all__ = ["Assembled", "assemble", "operators"]

SETTINGS_KEY = "modeldocs.mxnet"
MAX_OUTPUTS = 10_000


@dataclass(frozen=True)
class Assembled:
    """The graph, what each of its parameters is for, and the labels that it leaves out.

    `values` are the graph's values by node and output of the symbol.
    """

    model: ir.Model
    uses: dict[str, Use]
    labels: tuple[str, ...]
    values: dict[tuple[int, int], ir.Value] = field(default_factory=dict)


def assemble(symbol: Symbol, request: LoadRequest) -> Assembled:
    """The symbol as an ONNX model, every value with its type, and its shape as far as known.

    Raises:
        ModeldocsError: a shape is not known, or settings do not fit the inputs.
    """
    assembly = _Assembly(symbol, request)
    for node in symbol.nodes:
        if not node.is_variable and node.index in assembly.live:
            assembly.add(node)
    return assembly.finished(request.name)


class _Assembly:
    """The graph so far; `values` has what each node's outputs became."""

    def __init__(self, symbol: Symbol, request: LoadRequest) -> None:
        self.symbol = symbol
        self.live = symbol.live()
        self.roles = roles(symbol, request.inputs)
        _check_names(symbol)
        shapes = inputs.choose(symbol, self.roles, request)
        self.notes = shapes.notes
        self.batch = shapes.batch
        self.variables = Variables(request.inputs)
        self.values: dict[tuple[int, int], ir.Value] = {}
        self.nodes: list[ir.Node] = []
        self.constants: list[ir.Value] = []
        self.assumed: set[ir.Value] = set()
        self.read = _outputs_read(symbol)
        for index, shape in shapes.by_node.items():
            self.variables.add_input(symbol.nodes[index], shape, shapes.dtypes[index])
        self._names = Names(first=1)
        for node in symbol.nodes:
            if node.is_variable:
                self._names.unique(node.name)

    def add(self, node: SymbolNode) -> None:
        """Add an operator's nodes."""
        given = [self._operand(node, index, output) for index, output in node.data()]
        doubtful = any(isinstance(v, ir.Value) and v in self.assumed for v in given)
        open_ = any(isinstance(v, ir.Value) and is_open(v) for v in given)
        operation, outputs = self._emit(node, given, doubtful=doubtful or open_)
        if len(outputs) < self.read[node.index]:
            raise node.error(
                f"makes {len(outputs)} outputs, another node or a head reads the output "
                f"{self.read[node.index] - 1}",
                fix="correct the inputs of what reads it",
            )
        self.notes += operation.notes
        self._commit(operation, outputs)
        if doubtful:
            self.assumed.update(outputs)

    def _operand(self, node: SymbolNode, index: int, output: int) -> ir.Value | SymbolNode:
        source = self.symbol.nodes[index]
        if source.is_variable:
            return self.variables.values.get(index, source)
        if (index, output) not in self.values:
            raise node.error(
                f"reads the output {output} of node {index}, which makes fewer",
                fix="correct its inputs",
            )
        return self.values[index, output]

    def _emit(
        self, node: SymbolNode, given: Sequence[ir.Value | SymbolNode], *, doubtful: bool
    ) -> tuple[Operation, Sequence[ir.Value]]:
        operation = Operation(node, given, self.variables, self.read[node.index], self.batch)
        emit = EMITTERS.get(node.op)
        if emit is None:
            return operation, self._unknown(operation)
        saved = self.variables.saved()
        try:
            return operation, emit(operation)
        except UnknownShapeError:
            pass
        except ModeldocsError:
            if not doubtful:
                raise
        self.variables.restore(saved)
        operation = Operation(node, given, self.variables, self.read[node.index], self.batch)
        operation.notes.append(
            f"{node.told} {node.name!r} is drawn without its parameters and shape, since the shape "
            "it reads is not known"
        )
        shapes = [outlines.of(operation)] * max(1, operation.outputs)
        made = operation.opaque(shapes, operation.known())
        operation.nodes[-1].meta[remarks.UNSIZED] = True
        return operation, made

    def _unknown(self, operation: Operation) -> Sequence[ir.Value]:
        """An operator that we do not know: drawn as it is. Many keep their first input's shape."""
        node, given = operation.source, operation.known()
        shape = outlines.read(operation)
        said = "its output taken to be of its input's shape" if given else "its shape not known"
        operation.notes.append(
            f"{node.told[:100]!r} is not known here: {node.name[:200]!r} is drawn as it is, {said}"
        )
        made = operation.opaque([shape] * max(1, operation.outputs), given)
        self.assumed.update(made)
        return made

    def _commit(self, operation: Operation, outputs: Sequence[ir.Value]) -> None:
        several = len(outputs) > 1
        for index, value in enumerate(outputs):
            self.values[operation.source.index, index] = value
            if value.producer() in operation.nodes and not value.name:
                value.name = self._names.unique(
                    f"{operation.name}_output{index if several else ''}"
                )
        operation.give_names(self._names, outputs)
        self.nodes += operation.nodes
        self.constants += operation.initializers

    def finished(self, name: str) -> Assembled:
        """The model, its outputs the symbol's heads."""
        outputs: list[ir.Value] = []
        copies: list[ir.Node] = []
        for head in self.symbol.heads:
            outputs.append(self._head(head, outputs, copies))
        labels = [n.name for n in self.symbol.nodes if self.roles.get(n.index) == "label"]
        model = onnx_model.finished(
            name,
            self.variables.inputs,
            outputs,
            nodes=[*self.nodes, *copies],
            initializers=[*self.variables.initializers.values(), *self.constants],
            notes=[*self.notes, *remarks.of(self.variables.uses, self.nodes, labels)],
        )
        model.metadata_props[SETTINGS_KEY] = msgspec.json.encode(
            self.symbol.attributes, order="deterministic"
        ).decode()
        values = {**self.values, **{(i, 0): v for i, v in self.variables.values.items()}}
        return Assembled(model, dict(self.variables.uses), tuple(labels), values)

    def _head(
        self, head: tuple[int, int], before: Sequence[ir.Value], copies: list[ir.Node]
    ) -> ir.Value:
        """A head's value; what is an input, a parameter or a head already goes by an Identity."""
        node = self.symbol.nodes[head[0]]
        if node.is_variable and self.roles[node.index] == "label":
            raise node.error("is a label and a head", fix="give the symbol another head")
        value = self._operand(node, *head)
        if isinstance(value, SymbolNode):
            value = self.variables.resolve(value, node, None)
        if value.producer() is not None and value not in before:
            return value
        made, copy = onnx_model.output(value, f"{value.name}_head", self._names)
        copies.append(copy)
        return made


def _check_names(symbol: Symbol) -> None:
    seen: set[str] = set()
    for node in symbol.nodes:
        if node.is_variable and node.name in seen:
            raise node.error("has the name of another variable", fix="rename one of them")
        if node.is_variable:
            seen.add(node.name)


def _outputs_read(symbol: Symbol) -> list[int]:
    """How many outputs of each node are read, the last of them being a head or an input."""
    counts = [0] * len(symbol.nodes)
    entries = [(one, node) for node in symbol.nodes for one in node.inputs]
    for (index, output), reader in [*entries, *((head, None) for head in symbol.heads)]:
        if output >= MAX_OUTPUTS:
            culprit = reader or symbol.nodes[index]
            raise culprit.error(
                f"names the output {output} of node {index}", fix="correct the number"
            )
        counts[index] = max(counts[index], output + 1)
    return counts
