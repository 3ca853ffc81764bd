"""An ONNX model that rewrites change in place, where chance says so."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any

import onnx_ir as ir

from modeldocs.ir import origin
from modeldocs.ir.origin import Provenance
from modeldocs.normal import values
from modeldocs.normal.builder import GraphBuilder


class Respeller:
    """Rewrites one model; `touched` holds the names of layers that read or give other values."""

    def __init__(self, model: ir.Model, chance: Random) -> None:
        self.graph, self.chance = model.graph, chance
        self.builder = GraphBuilder(model.graph)
        self.touched: set[str] = set()
        self._made = 0

    def sites(self, *operators: str) -> list[ir.Node]:
        """About half of the nodes of these operators whose value stays inside the graph."""
        found = [node for node in self.graph if values.is_operator(node, *operators)]
        inner = [node for node in found if not any(v.is_graph_output() for v in node.outputs)]
        return [node for node in inner if self.chance.random() < 0.5]

    def touch(self, *nodes: ir.Node) -> None:
        """Keep that a rewrite was about these layers."""
        self.touched.update(name_of(node) for node in nodes)

    def node(
        self,
        operator: str,
        inputs: Sequence[ir.Value | None],
        attributes: dict[str, Any] | None = None,
        *,
        before: ir.Node,
        like: ir.Value,
        shape: Sequence[int] | None = None,
        name: str = "",
    ) -> ir.Value:
        """The value of a new node, placed before another."""
        told = ir.convenience.convert_attributes(attributes or {})
        made = self.builder.node(operator, inputs, told, like=like, shape=shape)
        self._made += 1
        origin.attach(made, Provenance(name=name or f"respelt {self._made}"))
        self.graph.insert_before(before, made)
        return made.outputs[0]

    def replace(self, node: ir.Node, made: ir.Value) -> None:
        """Let a value stand for the one that a node gave."""
        ir.convenience.replace_all_uses_with(node.outputs[0], made)
        self.graph.remove(node, safe=True)


def name_of(node: ir.Node) -> str:
    """The name that a layer made of a node is known by."""
    return origin.read(node).name or node.name or ""
