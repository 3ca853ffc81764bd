"""Another number of instances of a repeat: copies of the last one, or fewer of them."""

from __future__ import annotations

import re
from collections.abc import Sequence

import msgspec
import onnx_ir as ir

from modeldocs.edits import removal
from modeldocs.edits.draft import Draft, layer_name
from modeldocs.edits.edit import RepeatBlock
from modeldocs.errors import ModeldocsError
from modeldocs.fold import Group
from modeldocs.ir import Module, origin
from modeldocs.normal import values

_NUMBER = re.compile(r"[0-9]+")
_COPY = re.compile(r"(.+)_[0-9]+")
_MOST = 200
"""Instances of a repeat, at the most."""


def repeat(draft: Draft, edit: RepeatBlock) -> None:
    """Give a repeat another number of instances.

    Raises:
        ModeldocsError: nothing of that name repeats, or it would have none.
    """
    group = draft.repeat(edit.block)
    if not 1 <= edit.count <= _MOST:
        raise ModeldocsError(
            f"{edit.block!r} cannot repeat {edit.count} times", fix=f"use 1 to {_MOST}"
        )
    instances = [_nodes(draft, member) for member in group.members]
    known = {id(node) for node in draft.nodes.values()}
    inner = [sum(one in known for one in draft.region(nodes)) for nodes in instances]
    if len({*inner, *map(len, instances)}) > 1:
        raise ModeldocsError(
            f"layers of {edit.block!r} were put in or taken out, so that it repeats no more",
            fix="change its number before that",
        )
    while len(instances) > edit.count:
        last = instances.pop()
        _let_read(last, instances[-1])
        removal.delete(draft, list(draft.region(last).values()))
    while len(instances) < edit.count:
        instances.append(_copy(draft, instances, shares=group.shares_weights))
    draft.model.graph.sort()


def _nodes(draft: Draft, member: str | Group) -> list[ir.Node]:
    ids = [member] if isinstance(member, str) else list(member.layers())
    return [draft.nodes[one] for one in ids if one in draft.nodes]


def _let_read(instance: Sequence[ir.Node], before: Sequence[ir.Node]) -> None:
    """Let all that read an instance read the one before it."""
    own = {id(node) for node in instance}
    for node, other in zip(instance, before, strict=True):
        for value, replacement in zip(node.outputs, other.outputs, strict=True):
            if value.is_graph_output() or any(id(use.node) not in own for use in value.uses()):
                removal.replace(value, replacement)


def _copy(draft: Draft, instances: Sequence[Sequence[ir.Node]], *, shares: bool) -> list[ir.Node]:
    """A copy of the last instance, which reads that one where that one read the one before it."""
    last, graph = instances[-1], draft.model.graph
    before = instances[-2] if len(instances) > 1 else None
    if before is None:
        raise ModeldocsError(
            "one instance tells not how the next would read it", fix="repeat it at least twice"
        )
    rename = _Renaming(before, last, draft.names_taken())
    inside = draft.region(last)
    mapped: dict[int, ir.Value] = {}
    for one, other in zip(before, last, strict=True):
        mapped |= {id(a): b for a, b in zip(one.outputs, other.outputs, strict=True)}
    outside = {
        id(value): [use for use in value.uses() if id(use.node) not in inside]
        for node in last
        for value in node.outputs
    }
    copies: dict[int, ir.Node] = {}
    place = max(inside.values(), key=graph.index)
    for node in sorted(inside.values(), key=graph.index):
        made = _copied(draft, node, mapped, rename, shares=shares)
        graph.insert_after(place, made)
        if any(node is one for one in last):
            draft.nodes[layer_name(made)] = made
        copies[id(node)] = place = made
        mapped |= {id(a): b for a, b in zip(node.outputs, made.outputs, strict=True)}
    for node in last:
        for value in node.outputs:
            for use in outside[id(value)]:
                use.node.replace_input_with(use.idx, mapped[id(value)])
            if value.is_graph_output():
                _hand_over(graph, value, mapped[id(value)])
    return [copies[id(node)] for node in last]


def _hand_over(graph: ir.Graph, value: ir.Value, other: ir.Value) -> None:
    """Make another value the output of the network that a value was."""
    value.name, other.name = other.name, value.name
    graph.outputs[:] = [other if one is value else one for one in graph.outputs]


def _copied(
    draft: Draft, node: ir.Node, mapped: dict[int, ir.Value], rename: _Renaming, *, shares: bool
) -> ir.Node:
    """A copy of a node, with parameters of its own unless it shares them."""
    inputs: list[ir.Value | None] = []
    for value in node.inputs:
        is_own = values.is_parameter(value) and not shares
        if value is not None and is_own and id(value) not in mapped:
            mapped[id(value)] = _parameter(draft, value, rename)
        inputs.append(None if value is None else mapped.get(id(value), value))
    made = ir.Node(
        node.domain, node.op_type, inputs, list(node.attributes.values()),
        num_outputs=len(node.outputs), name=rename(str(node.name)) if node.name else None,
    )  # fmt: skip
    for value, copied in zip(node.outputs, made.outputs, strict=True):
        copied.name = draft.builder.name(rename(str(value.name)))
        copied.shape, copied.type = value.shape, value.type
    draft.original.copy(made, node)
    own = origin.read(node)
    modules = tuple(Module(path=rename(one.path), kind=one.kind) for one in own.modules)
    name = rename(layer_name(node))
    if any(node is one for one in draft.nodes.values()):
        name = rename.free(name)
    origin.attach(made, msgspec.structs.replace(own, modules=modules, name=name))
    return made


def _parameter(draft: Draft, value: ir.Value, rename: _Renaming) -> ir.Value:
    made = origin.declare_parameter(
        draft.builder.name(rename(str(value.name))),
        values.shape(value) or (),
        dtype=value.dtype or ir.DataType.FLOAT,
        trainable=origin.parameter_kind(value) == "trainable",
    )
    draft.model.graph.register_initializer(made)
    draft.original.copy_value(made, value)
    return made


class _Renaming:
    """Names of a next instance: the number that differs between two instances is counted on."""

    def __init__(self, before: Sequence[ir.Node], last: Sequence[ir.Node], taken: set[str]) -> None:
        self.taken = taken
        pairs = [(layer_name(a), layer_name(b)) for a, b in zip(before, last, strict=True)]
        self.known = {(m.start(), b[: m.start()]) for a, b in pairs if (m := _counted(a, b))}

    def __call__(self, name: str) -> str:
        """The name in the next instance; itself where nothing in it counts."""
        for start, beginning in sorted(self.known, key=lambda one: -one[0]):
            found = _NUMBER.match(name, start) if name.startswith(beginning) else None
            if found:
                return f"{name[:start]}{int(found[0]) + 1}{name[found.end() :]}"
        return name

    def free(self, name: str) -> str:
        """A name that no layer has, where nothing in it counts: `res4f` becomes `res4f_2`."""
        numbered = _COPY.fullmatch(name)
        stem = numbered[1] if numbered and numbered[1] in self.taken else name
        number = 2
        while name in self.taken:
            name, number = f"{stem}_{number}", number + 1
        self.taken.add(name)
        return name


def _counted(before: str, last: str) -> re.Match[str] | None:
    """The first number in the second of two names that is one more than in the first."""
    for a, b in zip(_NUMBER.finditer(before), _NUMBER.finditer(last), strict=False):
        is_same_until = before[: a.start()] == last[: b.start()]
        if is_same_until and int(b[0]) == int(a[0]) + 1:
            return b
    return None
