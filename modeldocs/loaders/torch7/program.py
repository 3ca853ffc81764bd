"""The network that a definition built, as plain data: modules that refer to others by number."""

from __future__ import annotations

from typing import Any

from modeldocs.errors import ModeldocsError
from modeldocs.struct import Struct


class LuaModule(Struct, frozen=True):
    """One module: its class, its fields after the definition ran, and what it contains.

    `builtin` is Torch's class that it behaves as, empty where there is none. `like` is the module
    whose parameters it shares. `inputs` and `outputs` are nodes of a graph.
    """

    type: str
    fields: dict[str, Any] = {}
    children: tuple[int, ...] = ()
    builtin: str = ""
    line: int | None = None
    like: int | None = None
    inputs: tuple[int, ...] = ()
    outputs: tuple[int, ...] = ()

    def has_parameter(self, name: str) -> bool:
        """Whether the module has this parameter; a definition may have removed it."""
        value = self.fields.get(name)
        return isinstance(value, dict) and "tensor" in value

    @property
    def settings(self) -> dict[str, Any]:
        """The fields that hold no tensor."""
        return {name: value for name, value in self.fields.items() if not isinstance(value, dict)}

    def error(self, reason: str, fix: str, *, path: str, file: str) -> ModeldocsError:
        """The error to raise about the module at this path of the network."""
        place = f" ({path})" if path else ""
        return ModeldocsError(f"{self.type}{place} {reason}", file=file, line=self.line, fix=fix)


class Node(Struct, frozen=True):
    """A module applied to nodes of a graph, or the item `select` of a node's table."""

    parents: tuple[int, ...] = ()
    module: int | None = None
    select: int | None = None


class ModuleProgram(Struct, frozen=True):
    """All modules reached from the first one, and the nodes of their graphs."""

    modules: tuple[LuaModule, ...]
    nodes: tuple[Node, ...] = ()

    def parameter_owner(self, number: int) -> int:
        """The module that has the parameters of one: itself, or that from which it was copied."""
        for _ in self.modules:
            like = self.modules[number].like
            if like is None:
                break
            number = like
        return number
