"""What a source contains before it is translated: its graph, inputs, outputs and variables."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from modeldocs.errors import ModeldocsError
from modeldocs.ir import Dim
from modeldocs.loaders.traversal import post_order

Ref = tuple[str, int]
"""An output of a node: the node's name, and the index of the output."""

MAX_NODES = 100_000
"""Nodes of the largest graph: functions that call each other can multiply without end."""

HANDLES = ("VarHandleOp", "VariableV2", "Variable", "AutoReloadVariable", "TemporaryVariable")
"""Operators that hold a variable."""

SOURCES = (
    "Placeholder", "PlaceholderV2", "IteratorGetNext", "QueueDequeueV2", "QueueDequeueManyV2",
    "QueueDequeueUpToV2",
)  # fmt: skip
"""Operators through which data enters a graph."""

MERGES = ("Merge", "RefMerge")
LOOP_ENDS = ("NextIteration", "RefNextIteration")
"""Operators at the start and at the end of an iteration of TensorFlow 1's loops."""


@dataclass(frozen=True)
class FedPlaceholder:
    """An input of the network: its name for readers, and the placeholder that it feeds.

    `shape` is None where the rank is not known; a dimension is None where it is open. `other` is
    another name of the input.
    """

    name: str
    node: str
    shape: tuple[Dim, ...] | None
    other: str = ""


@dataclass(frozen=True)
class Fetch:
    """An output of the network: its name for readers, and the output of the graph that it is."""

    name: str
    ref: Ref


@dataclass(frozen=True)
class Variable:
    """A variable's name, and whether it is trained; None where the source does not say."""

    name: str
    trainable: bool | None = None


@dataclass
class GraphDefProgram:
    """A graph with its inputs and outputs.

    `graph` is TensorFlow's `GraphDef`, its functions included. `variables` are by the name of the
    node that holds each. `places` are file and line of nodes, by name. `call` runs the source
    itself: it takes values of variables by node name and inputs by name, and returns the outputs
    in order; None where the graph itself is run. `counts` are the numbers of trained and of frozen
    parameters, where the source knows them.
    """

    file: str | None
    graph: Any
    feeds: list[FedPlaceholder]
    fetches: list[Fetch]
    variables: dict[str, Variable] = field(default_factory=dict)
    places: dict[str, tuple[str | None, int | None]] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    name: str = ""
    call: Callable[[dict[str, Any], dict[str, Any]], list[Any]] | None = None
    counts: tuple[int, int] | None = None

    def error(self, reason: str, *, at: str | None = None, fix: str) -> ModeldocsError:
        """The error to raise; `at` names the node, whose file and line are added where known."""
        file, line = self.places.get(at or "", (None, None))
        return ModeldocsError(reason, file=file or self.file, line=line, fix=fix)


@dataclass
class GraphNode:
    """A node of a graph whose functions are inlined.

    `proto` is its `NodeDef`, with attributes and device; `inputs` replace those of the `NodeDef`.
    `settings` are those of a node that stands for a dropout.
    """

    name: str
    kind: str
    inputs: list[Ref]
    proto: Any
    settings: dict[str, Any] = field(default_factory=dict)


@dataclass
class FlatGraph:
    """A graph without function calls: its nodes in topological order, and its outputs."""

    nodes: dict[str, GraphNode]
    outputs: list[Ref]

    def readers(self) -> dict[Ref, list[GraphNode]]:
        """The nodes that read each output, in order."""
        readers: dict[Ref, list[GraphNode]] = {}
        for node in self.nodes.values():
            for ref in node.inputs:
                readers.setdefault(ref, []).append(node)
        return readers

    def sources(self, name: str) -> list[str]:
        """The nodes that a node reads."""
        return [source for source, _ in self.nodes[name].inputs if source in self.nodes]

    def prune(self) -> None:
        """Remove the nodes that no output depends on."""
        ends = [name for name, _ in self.outputs if name in self.nodes]
        live = set(post_order(ends, self.sources))
        self.nodes = {n: node for n, node in self.nodes.items() if n in live}
