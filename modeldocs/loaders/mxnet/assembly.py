"""Assembly of a symbol's operators into one ONNX graph."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import msgspec
import onnx_ir as ir

from modeldocs.errors import ModeldocsError
from modeldocs.loaders import LoadRequest
from modeldocs.loaders.dims import UnknownShapeError
from modeldocs.loaders.emission.graph import EmittedGraph
from modeldocs.loaders.emission.inference import has_known_shape
from modeldocs.loaders.emission.names import UniqueNames
from modeldocs.loaders.mxnet import inputs, notes, operators, partial_shapes
from modeldocs.loaders.mxnet.operation import EMITTERS, MxnetOperation
from modeldocs.loaders.mxnet.program import Entry, Symbol, SymbolNode
from modeldocs.loaders.mxnet.weights import Use, Variables

__all__ = ["AssembledSymbol", "assemble", "operators"]

SETTINGS_KEY = "modeldocs.mxnet"
MAX_OUTPUTS = 10_000


@dataclass(frozen=True)
class AssembledSymbol:
    """The graph, the use of each parameter, and the names of the labels that it leaves out.

    `values` are the graph's values by node and output of the symbol.
    """

    model: ir.Model
    uses: dict[str, Use]
    labels: tuple[str, ...]
    values: dict[Entry, ir.Value] = field(default_factory=dict)


def assemble(symbol: Symbol, request: LoadRequest) -> AssembledSymbol:
    """The symbol as an ONNX model, each value with its type, and its shape as far as known.

    Raises:
        ModeldocsError: a shape is unknown that must be known, or settings do not fit the inputs.
    """
    assembly = _SymbolAssembly(symbol, request)
    for node in symbol.nodes:
        if not node.is_variable and node.index in assembly.live:
            assembly.add(node)
    return assembly.finish(request.name)


class _SymbolAssembly:
    """The graph so far; `values` are the outputs of each node.

    `assumed` are values whose shape is a guess, as they depend on an unknown operator.
    """

    def __init__(self, symbol: Symbol, request: LoadRequest) -> None:
        self.symbol = symbol
        self.live = symbol.live()
        self.roles = inputs.roles(symbol, request.inputs)
        self.graph = EmittedGraph(_variable_names(symbol))
        shapes = inputs.choose_shapes(symbol, self.roles, request)
        self.graph.notes += shapes.notes
        self.batch = shapes.batch
        self.variables = Variables(request.inputs, self.graph.inputs)
        self.values: dict[Entry, ir.Value] = {}
        self.assumed: set[ir.Value] = set()
        self.output_counts = _output_counts(symbol)
        for index, shape in shapes.by_node.items():
            self.variables.add_input(symbol.nodes[index], shape, shapes.dtypes[index])

    def add(self, node: SymbolNode) -> None:
        """Add an operator's nodes."""
        operands = [self._operand(node, entry) for entry in node.data()]
        values = [operand for operand in operands if isinstance(operand, ir.Value)]
        is_assumed = any(value in self.assumed for value in values)
        may_fail = is_assumed or not all(map(has_known_shape, values))
        operation, outputs = self._emit(node, operands, may_fail=may_fail)
        count = self.output_counts[node.index]
        if len(outputs) < count:
            raise node.error(
                f"has {len(outputs)} outputs, but another node or a head reads the output "
                f"{count - 1}",
                fix="correct the inputs of what reads it",
            )
        self._commit(operation, outputs)
        if is_assumed:
            self.assumed.update(outputs)

    def _operand(self, node: SymbolNode, entry: Entry) -> ir.Value | SymbolNode:
        index, output = entry
        source = self.symbol.nodes[index]
        if source.is_variable:
            return self.variables.values.get(index, source)
        if entry not in self.values:
            raise node.error(
                f"reads the output {output} of node {index}, which has fewer",
                fix="correct its inputs",
            )
        return self.values[entry]

    def _operation(
        self, node: SymbolNode, operands: Sequence[ir.Value | SymbolNode]
    ) -> MxnetOperation:
        count = self.output_counts[node.index]
        return MxnetOperation(node, operands, self.variables, count, self.batch)

    def _emit(
        self, node: SymbolNode, operands: Sequence[ir.Value | SymbolNode], *, may_fail: bool
    ) -> tuple[MxnetOperation, Sequence[ir.Value]]:
        """The operator's nodes; where sizes are unknown, one node of MXNet's own domain."""
        operation = self._operation(node, operands)
        emit = EMITTERS.get(node.op)
        if emit is None:
            return operation, self._unknown(operation)
        snapshot = self.variables.snapshot()
        try:
            return operation, emit(operation)
        except UnknownShapeError:
            pass
        except ModeldocsError:
            if not may_fail:
                raise
        self.variables.restore(snapshot)
        operation = self._operation(node, operands)
        operation.notes.append(
            f"{node.source_op} {node.name!r} is drawn without its parameters and shape, since its "
            "input's shape is not known"
        )
        shapes = [partial_shapes.output(operation)] * max(1, operation.outputs)
        outputs = operation.opaque(shapes, operation.known())
        operation.nodes[-1].meta[notes.UNSIZED] = True
        return operation, outputs

    def _unknown(self, operation: MxnetOperation) -> Sequence[ir.Value]:
        """An unknown operator as one node; many operators keep their first input's shape."""
        node, operands = operation.source, operation.known()
        shape = partial_shapes.first_input(operation)
        guess = "its output assumed to have its input's shape" if operands else "its shape unknown"
        operation.notes.append(
            f"{node.source_op[:100]!r} is not a known operator: {node.name[:200]!r} is drawn as "
            f"it is, {guess}"
        )
        outputs = operation.opaque([shape] * max(1, operation.outputs), operands)
        self.assumed.update(outputs)
        return outputs

    def _commit(self, operation: MxnetOperation, outputs: Sequence[ir.Value]) -> None:
        for index, value in enumerate(outputs):
            self.values[operation.source.index, index] = value
            if value.producer() in operation.nodes and not value.name:
                suffix = index if len(outputs) > 1 else ""
                value.name = self.graph.names.unique(f"{operation.name}_output{suffix}")
        self.graph.add_layer(operation, outputs)

    def finish(self, name: str) -> AssembledSymbol:
        """The model, whose outputs are the symbol's heads."""
        outputs = [self._head(head) for head in self.symbol.heads]
        uses = dict(self.variables.uses)
        labels = tuple(
            node.name for node in self.symbol.nodes if self.roles.get(node.index) == "label"
        )
        self.graph.initializers[:0] = self.variables.initializers.values()
        model = self.graph.model(
            name, outputs, list(notes.symbol_notes(uses, self.graph.nodes, labels))
        )
        model.metadata_props[SETTINGS_KEY] = msgspec.json.encode(
            self.symbol.attributes, order="deterministic"
        ).decode()
        variables = {(index, 0): value for index, value in self.variables.values.items()}
        return AssembledSymbol(model, uses, labels, self.values | variables)

    def _head(self, head: Entry) -> ir.Value:
        node = self.symbol.nodes[head[0]]
        if node.is_variable and self.roles[node.index] == "label":
            raise node.error("is a label and a head", fix="give the symbol another head")
        value = self._operand(node, head)
        if isinstance(value, SymbolNode):
            value = self.variables.resolve(value, node, None)
        return self.graph.output(value, f"{value.name}_head")


def _variable_names(symbol: Symbol) -> UniqueNames:
    """The names of the variables, which operators do not get."""
    names = UniqueNames(first=1)
    for node in symbol.nodes:
        if node.is_variable and node.name in names:
            raise node.error("has the name of another variable", fix="rename one of them")
        if node.is_variable:
            names.unique(node.name)
    return names


def _output_counts(symbol: Symbol) -> list[int]:
    """How many outputs of each node are read, by other nodes or as heads."""
    counts = [0] * len(symbol.nodes)
    entries = [(entry, node) for node in symbol.nodes for entry in node.inputs]
    entries += [(head, symbol.nodes[head[0]]) for head in symbol.heads]
    for (index, output), reader in entries:
        if output >= MAX_OUTPUTS:
            raise reader.error(
                f"names the output {output} of node {index}", fix="correct the number"
            )
        counts[index] = max(counts[index], output + 1)
    return counts
