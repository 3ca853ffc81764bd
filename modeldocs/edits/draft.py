"""A network that is being edited: its nodes by the names that the report has for its layers."""

from __future__ import annotations

import difflib
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import onnx_ir as ir

from modeldocs import normal
from modeldocs.edits.original_shapes import OriginalShapes
from modeldocs.errors import ModeldocsError
from modeldocs.fold import Group, fold
from modeldocs.ir import LayerGraph, origin
from modeldocs.normal import layers, values
from modeldocs.normal.builder import GraphBuilder


class Draft:
    """A model in normal form, and what edits said of it.

    `nodes` are those of layers, by the ids that the report shows, which stay what they are whatever
    is put in or taken out; layers that were put in are there by their names. `features` are the
    channels or units that layers give where they are others than before, `told` the settings that
    edits gave, both by id of the node.
    """

    def __init__(self, model: ir.Model) -> None:
        self.model = model
        self.layers: LayerGraph = normal.read(model)
        producers = {str(v.name): node for node in model.graph for v in node.outputs}
        self.nodes = {name: producers[out] for name, out in layers.output_names(model).items()}
        self.builder = GraphBuilder(model.graph)
        self.features: dict[int, int] = {}
        self.told: set[tuple[int, str]] = set()
        self.original = OriginalShapes(model.graph)
        self._named: defaultdict[str, list[str]] = defaultdict(list)
        for layer in self.layers.layers:
            self._named[layer.name].append(layer.id)

    def tell(self, node: ir.Node, attribute: str) -> None:
        """Keep that an edit gave a layer a setting."""
        self.told.add((id(node), attribute))

    def is_told(self, node: ir.Node, attribute: str = "") -> bool:
        """Whether an edit gave a layer that setting, or any."""
        if attribute:
            return (id(node), attribute) in self.told
        return any(one == id(node) for one, _ in self.told)

    def names_taken(self) -> set[str]:
        """What edits call something by: ids and names of the source, and layers put in."""
        return {*self.layers.names(), *self.layers.names().values(), *self.nodes}

    def node(self, name: str) -> ir.Node:
        """The layer of that id or name.

        Raises:
            ModeldocsError: there is none, or there are several.
        """
        found = [name] if name in self.nodes else self._ids(name)
        if len(found) > 1:
            raise ModeldocsError(
                f"{len(found)} layers are called {name!r}",
                fix=f"name one of them: {', '.join(found[:6])}",
            )
        if not found:
            groups = self._groups(name)
            if groups:
                count = len(list(groups[0].layers()))
                raise ModeldocsError(
                    f"{name!r} is a block of {count} layers",
                    fix=f"name one of them, such as {next(groups[0].layers())}",
                )
            raise self._unknown(name)
        return self.nodes[found[0]]

    def members(self, name: str) -> list[ir.Node]:
        """The nodes of a layer, or of the outermost block of that name.

        Raises:
            ModeldocsError: there is neither.
        """
        groups = self._groups(name)
        if name in self.nodes or self._ids(name) or not groups:
            return [self.node(name)]
        found = [self.nodes[one] for one in groups[0].layers() if one in self.nodes]
        if not found:
            raise ModeldocsError(f"{name!r} was removed", fix="leave out one of the edits")
        return found

    def repeat(self, name: str) -> Group:
        """The repeat of that name, or that has the layers of that name.

        Raises:
            ModeldocsError: there is none.
        """
        groups = self._groups(name)
        repeats = [one for one in groups if one.kind == "repeat"]
        if not repeats and groups:
            repeats = [one for one in groups[0].groups() if one.kind == "repeat"]
        if repeats:
            return repeats[0]
        known = [one for one in fold(self.layers).groups() if one.kind == "repeat"]
        count = Counter(one.name for one in known)
        names = [one.name if one.name and count[one.name] == 1 else one.id for one in known]
        if not names:
            raise ModeldocsError(
                f"nothing repeats in {self.layers.name!r}", fix="put layers in one by one"
            )
        raise ModeldocsError(
            f"no block called {name!r} repeats", fix=f"use one of {', '.join(names[:10])}"
        )

    def source(self, name: str) -> ir.Value:
        """The input of the network that is called so, else the output of a layer or block."""
        for value, one in zip(self.inputs, self.layers.inputs, strict=True):
            if name in (one.name, one.id):
                return value
        return self.exit(self.members(name), name)

    def exit(self, nodes: Sequence[ir.Node], name: str) -> ir.Value:
        """The value of a layer or block that others read.

        Raises:
            ModeldocsError: there are several.
        """
        inside = self.region(nodes)
        outputs = [
            value
            for node in inside.values()
            for value in node.outputs
            if value.is_graph_output() or any(id(use.node) not in inside for use in value.uses())
        ]
        if len(outputs) != 1:
            raise ModeldocsError(
                f"{name!r} has {len(outputs)} outputs that others read",
                fix="name a layer or block with one output",
            )
        return outputs[0]

    def region(self, nodes: Sequence[ir.Node]) -> dict[int, ir.Node]:
        """Some layers with all that lies between them, and that they alone read, by id."""
        inside = {id(node): node for node in nodes}
        graph = self.model.graph
        behind, before = set(inside), set(inside)
        for node in graph:
            if any(id(one) in behind for one in node.predecessors()):
                behind.add(id(node))
        for node in reversed(graph):
            if any(id(one) in before for one in node.successors()):
                before.add(id(node))
        inside |= {id(node): node for node in graph if id(node) in behind & before}
        layers_ = {id(node) for node in self.nodes.values()}
        for node in reversed(graph):
            ends = any(output.is_graph_output() for output in node.outputs)
            users = node.successors()
            is_step = id(node) not in layers_ and not ends
            if is_step and users and all(id(one) in inside for one in users):
                inside[id(node)] = node
        return inside

    @property
    def inputs(self) -> list[ir.Value]:
        """The inputs of the network."""
        return [v for v in self.model.graph.inputs if not values.is_parameter(v)]

    def _ids(self, name: str) -> list[str]:
        return [one for one in self._named.get(name, ()) if one in self.nodes]

    def _groups(self, name: str) -> list[Group]:
        """The blocks of that name or id, outer ones first."""
        return [one for one in fold(self.layers).groups() if name in (one.name, one.id)]

    def _unknown(self, name: str) -> ModeldocsError:
        if name in self.layers.names():
            return ModeldocsError(f"{name!r} was removed", fix="leave out one of the edits")
        groups = fold(self.layers).groups()
        known = [*self.nodes, *self._named, *(one.name for one in groups if one.name)]
        close = list(dict.fromkeys(difflib.get_close_matches(name, known, n=3, cutoff=0.4)))
        return ModeldocsError(
            f"no layer or block is called {name!r}",
            fix=f"did you mean {' or '.join(close)}?"
            if close
            else "see the names with `modeldocs load`",
        )


def layer_name(node: ir.Node) -> str:
    """What the source calls a layer."""
    return origin.read(node).name or str(node.name or node.op_type)


def refusal(node: ir.Node, reason: str, fix: str) -> ModeldocsError:
    """The error to raise for a layer, with its place in the source."""
    provenance = origin.read(node)
    source: Any = provenance.origins[0] if provenance.origins else None
    return ModeldocsError(
        f"{layer_name(node)!r} ({node.op_type}) {reason}",
        file=Path(source.file) if source is not None and source.file else None,
        line=source.line if source is not None else None,
        fix=fix,
    )
