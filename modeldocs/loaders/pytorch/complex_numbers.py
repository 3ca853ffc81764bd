"""Operators that move complex numbers, written as those of their parts.

Torch's exporter cannot write them.

A complex array is one of real numbers with an axis more, the last one: real and imaginary part.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    import torch

_MOVING: Final = (
    "constant_pad_nd",
    "expand",
    "index",
    "index_select",
    "pad",
    "repeat",
    "select",
    "split",
    "split_with_sizes",
    "squeeze",
    "unbind",
    "unsqueeze",
)
"""Operators whose axes and indices count from the first axis on, so that one more behind the last
changes nothing else.
"""


def move_parts(exported: torch.export.ExportedProgram) -> None:
    """Write each operator that moves complex numbers as one of real numbers with an axis more."""
    for node in list(exported.graph.nodes):
        packet = getattr(node.target, "overloadpacket", None)
        if getattr(packet, "__name__", "") in _MOVING and _is_complex(node.args[0]):
            arguments = _arguments(node)
            if arguments is not None:
                _of_parts(exported.graph, node, arguments)


def _is_complex(argument: Any) -> bool:
    value = getattr(argument, "meta", {}).get("val")
    return value is not None and value.is_complex()


def _arguments(node: torch.fx.Node) -> list[Any] | None:
    """The arguments behind the array, for real numbers; None where they have no such form."""
    name = node.target.overloadpacket.__name__
    given = dict(zip((one.name for one in node.target._schema.arguments), node.args, strict=False))
    given |= node.kwargs
    (_, source), *rest = given.items()
    if name in ("pad", "constant_pad_nd"):
        filling = [argument for _, argument in rest[1:] if argument not in ("constant", 0, None)]
        return None if filling else [[0, 0, *rest[0][1]]]
    rank = source.meta["val"].ndim + (name == "unsqueeze")
    return [_with_parts(each, argument, rank) for each, argument in rest]


def _with_parts(name: str, argument: Any, rank: int) -> Any:
    """An argument of an operator, where its arrays have an axis more."""
    match name:
        case "dim" if isinstance(argument, int):
            return argument % rank
        case "dim":
            return [axis % rank for axis in argument]
        case "size":
            return [*argument, -1]
        case "repeats":
            return [*argument, 1]
    return argument


def _of_parts(graph: torch.fx.Graph, node: torch.fx.Node, arguments: list[Any]) -> None:
    """Let a node work on the parts of its array; what reads it has complex numbers as before."""
    import torch

    aten = torch.ops.aten
    source, value, target = node.args[0], node.meta["val"], node.target
    if target in (aten.pad.default, aten.constant_pad_nd.default):
        target = aten.constant_pad_nd.default
    with graph.inserting_before(node):
        parts = graph.call_function(aten.view_as_real.default, (source,))
        parts.meta = {**node.meta, "val": torch.view_as_real(source.meta["val"])}
    node.target, node.args, node.kwargs = target, (parts, *arguments), {}
    for one in list(_arrays(node)):
        with graph.inserting_after(one):
            joined = graph.call_function(aten.view_as_complex.default, (one,))
        joined.meta = dict(one.meta)
        one.replace_all_uses_with(joined, delete_user_cb=lambda user, made=joined: user is not made)
        one.meta = {**one.meta, "val": torch.view_as_real(one.meta["val"])}
    if isinstance(value, list | tuple):
        node.meta = {**node.meta, "val": type(value)(map(torch.view_as_real, value))}


def _arrays(node: torch.fx.Node) -> Iterator[torch.fx.Node]:
    """The nodes of the arrays that an operator makes: itself, or those that take its outputs."""
    if isinstance(node.meta["val"], list | tuple):
        yield from node.users
    else:
        yield node
