"""What was read of a source, before it is drawn: its graph, what goes in and out, its variables."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from modeldocs.errors import ModeldocsError
from modeldocs.ir import Dim

Ref = tuple[str, int]
"""An output of an operation: the operation's name, and which output."""

MAX_OPERATIONS = 100_000
"""A graph whose functions come to more is refused: they may call each other over and over."""

HANDLES = ("VarHandleOp", "VariableV2", "Variable", "AutoReloadVariable", "TemporaryVariable")
"""Operators that hold a variable."""


@dataclass(frozen=True)
class Feed:
    """An input of the network: how a reader knows it, and the placeholder that it feeds.

    `shape` is None where not even the rank is known; a dimension is None where it is open.
    `other` is another name that it is known by.
    """

    name: str
    node: str
    shape: tuple[Dim, ...] | None
    other: str = ""


@dataclass(frozen=True)
class Fetch:
    """An output of the network: how a reader knows it, and the operation's output it is."""

    name: str
    ref: Ref


@dataclass(frozen=True)
class Variable:
    """What a source tells of a variable: its name; None where it tells not whether it is trained"""

    name: str
    trainable: bool | None = None


@dataclass
class Program:
    """A graph with its inputs and outputs.

    `graph` is TensorFlow's `GraphDef`, its functions included. `variables` are by name of the
    operation that holds each. `places` give file and line of nodes, by name. `call` runs the
    source itself: it takes values of variables by operation name and inputs by name, and gives
    outputs by name; None where the graph is what runs.
    """

    file: str | None
    graph: Any
    feeds: list[Feed]
    fetches: list[Fetch]
    variables: dict[str, Variable] = field(default_factory=dict)
    places: dict[str, tuple[str | None, int | None]] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    name: str = ""
    call: Callable[[dict[str, Any], dict[str, Any]], list[Any]] | None = None
    counts: tuple[int, int] | None = None

    def error(self, reason: str, *, at: str | None = None, fix: str) -> ModeldocsError:
        """The error to raise; `at` names the node, whose place is told where known."""
        file, line = self.places.get(at or "", (None, None))
        return ModeldocsError(reason, file=file or self.file, line=line, fix=fix)


@dataclass
class Operation:
    """One node of a graph whose functions are inlined.

    `proto` is the `NodeDef` it was, with its attributes and device; `inputs` stand for its own.
    `told` are origins of other nodes that it stands for too.
    """

    name: str
    kind: str
    inputs: list[Ref]
    proto: Any
    settings: dict[str, Any] = field(default_factory=dict)


@dataclass
class Flat:
    """A graph without functions: operations in topological order, and what leaves it."""

    operations: dict[str, Operation]
    outputs: list[Ref]

    def readers(self) -> dict[Ref, list[Operation]]:
        """The operations that read each output, in order."""
        found: dict[Ref, list[Operation]] = {}
        for operation in self.operations.values():
            for ref in operation.inputs:
                found.setdefault(ref, []).append(operation)
        return found

    def prune(self) -> None:
        """Leave out what no output depends on."""
        live: set[str] = set()
        waiting = [name for name, _ in self.outputs]
        while waiting:
            name = waiting.pop()
            if name in live or name not in self.operations:
                continue
            live.add(name)
            waiting.extend(source for source, _ in self.operations[name].inputs)
        self.operations = {n: held for n, held in self.operations.items() if n in live}
