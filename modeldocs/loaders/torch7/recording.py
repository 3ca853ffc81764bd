"""What a definition made, as plain data: modules that name each other by number."""

from __future__ import annotations

from typing import Any

from modeldocs.struct import Struct


class Module(Struct, frozen=True):
    """One module: its class, its fields as they stood in the end, and what it contains.

    `builtin` is the class of Torch's own that it behaves as, empty where there is none. `like` is
    the module whose parameters it shares. `inputs` and `outputs` are nodes of a graph.
    """

    type: str
    fields: dict[str, Any] = {}
    children: tuple[int, ...] = ()
    builtin: str = ""
    line: int | None = None
    like: int | None = None
    inputs: tuple[int, ...] = ()
    outputs: tuple[int, ...] = ()

    def parameter(self, name: str) -> bool:
        """Whether the module has this parameter; a definition may have taken it away."""
        held = self.fields.get(name)
        return isinstance(held, dict) and "tensor" in held


class Node(Struct, frozen=True):
    """A module applied to nodes of a graph, or one piece of what a node gave."""

    parents: tuple[int, ...] = ()
    module: int | None = None
    select: int | None = None


class Recording(Struct, frozen=True):
    """All that is reached from the first module."""

    modules: tuple[Module, ...]
    nodes: tuple[Node, ...] = ()
