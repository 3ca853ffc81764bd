"""A symbol of MXNet: its nodes, what they read, and which of them are its outputs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from modeldocs.errors import ModeldocsError
from modeldocs.ir import Module, Origin
from modeldocs.loaders.mxnet.operands import role

_GROUPS = ("ctx_group", "__ctx_group__")


@dataclass(frozen=True, slots=True)
class SymbolNode:
    """One node: an operator, or a variable, whose `op` is `null`.

    `attributes` are the source's own, all of them strings; `inputs` name a node and its output.
    """

    index: int
    op: str
    """The operator's name today."""
    told: str
    """Its name in the source."""
    name: str
    attributes: dict[str, str]
    inputs: tuple[tuple[int, int], ...]
    modules: tuple[Module, ...] = ()
    file: str | None = None
    line: int | None = None

    @property
    def is_variable(self) -> bool:
        """Whether it is an input, a parameter or a label."""
        return self.op == "null"

    def data(self) -> list[tuple[int, int]]:
        """Its inputs but its labels."""
        slots = enumerate(self.inputs)
        return [given for slot, given in slots if role(self.op, self.told, slot) != "label"]

    def origin(self) -> Origin:
        """The node as a layer's provenance tells it."""
        groups = [self.attributes[name] for name in _GROUPS if name in self.attributes]
        return Origin(
            operator="Variable" if self.is_variable else self.told,
            name=self.name,
            attributes=dict(self.attributes),
            file=self.file,
            line=self.line,
            device=groups[0] if groups else None,
        )

    def error(self, reason: str, *, fix: str) -> ModeldocsError:
        """The error to raise, naming the node."""
        kind = "variable" if self.is_variable else self.told[:100]
        said = f"node {self.index}, {self.name[:200]!r} ({kind}), {reason}"
        return ModeldocsError(said, file=self.file, line=self.line, fix=fix)


@dataclass(frozen=True, slots=True)
class Symbol:
    """A symbol: its nodes, each after those it reads, and the outputs that are its heads."""

    file: str
    nodes: tuple[SymbolNode, ...]
    heads: tuple[tuple[int, int], ...]
    attributes: dict[str, Any]
    """What the file says of the whole, such as the version of MXNet that wrote it."""

    def live(self) -> set[int]:
        """The nodes that outputs depend on other than by a label, which only training reads."""
        found = {index for index, _ in self.heads}
        for node in reversed(self.nodes):
            if node.index in found:
                found.update(index for index, _ in node.data())
        return found

    def readers(self) -> dict[int, list[tuple[SymbolNode, int]]]:
        """Who reads each node's outputs, and in which slot."""
        found: dict[int, list[tuple[SymbolNode, int]]] = {n.index: [] for n in self.nodes}
        for node in self.nodes:
            for slot, (index, _) in enumerate(node.inputs):
                found[index].append((node, slot))
        return found
