"""An MXNet symbol as plain data: its nodes, their inputs, and which outputs are its heads."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from modeldocs.errors import ModeldocsError
from modeldocs.ir import Module, Origin
from modeldocs.loaders.mxnet.schema import role

Entry = tuple[int, int]
"""The index of a node, and which of its outputs."""

_GROUPS = ("ctx_group", "__ctx_group__")


@dataclass(frozen=True, slots=True)
class SymbolNode:
    """An operator or a variable, whose `op` is `null`.

    `op` is the operator's current name, `source_op` its name in the source. `attributes` are the
    source's own, all of them strings.
    """

    index: int
    op: str
    source_op: str
    name: str
    attributes: dict[str, str]
    inputs: tuple[Entry, ...]
    modules: tuple[Module, ...] = ()
    file: str | None = None
    line: int | None = None

    @property
    def is_variable(self) -> bool:
        """Whether it is an input, a parameter or a label."""
        return self.op == "null"

    def data(self) -> list[Entry]:
        """Its inputs without labels."""
        return [
            entry
            for slot, entry in enumerate(self.inputs)
            if role(self.op, self.source_op, slot) != "label"
        ]

    def origin(self) -> Origin:
        """The node as an origin of a layer."""
        groups = [self.attributes[name] for name in _GROUPS if name in self.attributes]
        return Origin(
            operator="Variable" if self.is_variable else self.source_op,
            name=self.name,
            attributes=dict(self.attributes),
            file=self.file,
            line=self.line,
            device=groups[0] if groups else None,
        )

    def error(self, reason: str, *, fix: str) -> ModeldocsError:
        """The error to raise, which names the node."""
        kind = "variable" if self.is_variable else self.source_op[:100]
        message = f"node {self.index}, {self.name[:200]!r} ({kind}), {reason}"
        return ModeldocsError(message, file=self.file, line=self.line, fix=fix)


@dataclass(frozen=True, slots=True)
class Symbol:
    """Nodes in topological order, and the heads: the outputs of the network.

    `attributes` are those of the whole file, such as the version of MXNet that wrote it.
    """

    file: str
    nodes: tuple[SymbolNode, ...]
    heads: tuple[Entry, ...]
    attributes: dict[str, Any]

    def live(self) -> set[int]:
        """The nodes that heads depend on, but for labels, which only training reads."""
        live = {index for index, _ in self.heads}
        for node in reversed(self.nodes):
            if node.index in live:
                live.update(index for index, _ in node.data())
        return live

    def readers(self) -> dict[int, list[tuple[SymbolNode, int]]]:
        """The nodes that read each node, each with the slot it reads it in."""
        readers: dict[int, list[tuple[SymbolNode, int]]] = {node.index: [] for node in self.nodes}
        for node in self.nodes:
            for slot, (index, _) in enumerate(node.inputs):
                readers[index].append((node, slot))
        return readers
