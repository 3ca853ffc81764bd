"""Provenance of ONNX nodes, and marks of parameters, in `metadata_props`.

A loader `attach`es the provenance to each node; the passes of normal form `merge` it where several
nodes become one; the last pass `read`s it into the layers. It is kept in `.onnx` files.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
import onnx_ir as ir

from modeldocs.ir import Dim, Module, Origin
from modeldocs.struct import Struct

KEY = "modeldocs.provenance"
PARAMETER_KEY = "modeldocs.parameter"
NOTES_KEY = "modeldocs.notes"
ALIASES_KEY = "modeldocs.aliases"


class Provenance(Struct, frozen=True):
    """Provenance of a node: its framework layers, module path, padding strategy and name."""

    origins: tuple[Origin, ...] = ()
    modules: tuple[Module, ...] = ()
    padding: str | None = None
    name: str = ""
    """The layer's name in the source; where it is empty, the node's name is used."""


def attach(carrier: ir.Node | ir.Value, provenance: Provenance) -> None:
    """Set the provenance of a node or a graph input, in place of any that it had."""
    carrier.metadata_props[KEY] = msgspec.json.encode(provenance, order="deterministic").decode()


def read(node: ir.Node) -> Provenance:
    """The provenance of a node; an empty one where none is attached."""
    text = node.metadata_props.get(KEY)
    return msgspec.json.decode(text, type=Provenance) if text else Provenance()


def notes(model: ir.Model) -> list[str]:
    """The notes for the reader that a loader left on the model."""
    return msgspec.json.decode(model.metadata_props.get(NOTES_KEY, "[]"), type=list[str])


def set_notes(model: ir.Model, all_notes: list[str]) -> None:
    """Set the notes for the reader of the model's page, in place of any that it had."""
    model.metadata_props[NOTES_KEY] = msgspec.json.encode(all_notes).decode()


def add_notes(model: ir.Model, added: list[str]) -> None:
    """Add notes for the reader of the model's page."""
    if added:
        set_notes(model, [*notes(model), *added])


def drop_unsound(model: ir.Model) -> None:
    """Remove provenance and notes of a loaded file that cannot be decoded."""
    values = [*model.graph.inputs, *model.graph.initializers.values()]
    for carrier in (*values, *model.graph):
        with_key = carrier.metadata_props
        if KEY in with_key and not _is_sound(with_key[KEY], Provenance):
            del with_key[KEY]
    text = model.metadata_props.get(NOTES_KEY)
    if text is not None and not _is_sound(text, tuple[str, ...]):
        del model.metadata_props[NOTES_KEY]


def _is_sound(text: str, kind: Any) -> bool:
    try:
        msgspec.json.decode(text, type=kind)
    except (msgspec.MsgspecError, ValueError):
        return False
    return True


def merge(target: ir.Node, *nodes: ir.Node) -> None:
    """Attach to `target` the origins of all `nodes`, in order, each once.

    The modules are those that all nodes share. Padding strategy and name are those of the first
    node that has them.
    """
    provenances = [read(node) for node in nodes]
    origins: list[Origin] = []
    for provenance in provenances:
        origins.extend(origin for origin in provenance.origins if origin not in origins)
    attach(
        target,
        Provenance(
            origins=tuple(origins),
            modules=_common_modules(provenances),
            padding=next((p.padding for p in provenances if p.padding), None),
            name=next((p.name for p in provenances if p.name), ""),
        ),
    )


def _common_modules(provenances: list[Provenance]) -> tuple[Module, ...]:
    paths = [provenance.modules for provenance in provenances if provenance.modules]
    if not paths:
        return ()
    common: list[Module] = []
    for steps in zip(*paths, strict=False):
        if any(step != steps[0] for step in steps):
            break
        common.append(steps[0])
    return tuple(common)


def mark_parameter(value: ir.Value, *, trainable: bool) -> None:
    """Mark an initializer as a parameter of the model, not a constant of the graph."""
    value.metadata_props[PARAMETER_KEY] = "trainable" if trainable else "buffer"


def parameter_kind(value: ir.Value) -> str | None:
    """`trainable`, `buffer`, or None for a constant."""
    return value.metadata_props.get(PARAMETER_KEY)


def set_aliases(value: ir.Value, names: Sequence[str]) -> None:
    """Set the other names that a checkpoint has for a parameter: those of weights that are tied."""
    if names:
        value.metadata_props[ALIASES_KEY] = msgspec.json.encode(sorted(names)).decode()


def aliases(value: ir.Value) -> list[str]:
    """The other names that a checkpoint has for a parameter."""
    text = value.metadata_props.get(ALIASES_KEY, "[]")
    return msgspec.json.decode(text, type=list[str]) if _is_sound(text, list[str]) else []


def declare_parameter(
    name: str,
    shape: tuple[Dim, ...],
    *,
    dtype: ir.DataType = ir.DataType.FLOAT,
    trainable: bool = True,
) -> ir.Value:
    """A parameter without its values: external data of a file that does not exist.

    One with an unknown dimension has no data; ONNX requires it among a graph's inputs.
    """
    value = ir.Value(name=name, shape=ir.Shape(shape), type=ir.TensorType(dtype))
    sizes = tuple(dim for dim in shape if isinstance(dim, int))
    if len(sizes) == len(shape):
        value.const_value = absent_tensor(name, sizes, dtype)
    mark_parameter(value, trainable=trainable)
    return value


def absent_tensor(name: str, shape: tuple[int, ...], dtype: ir.DataType) -> ir.ExternalTensor:
    """A tensor of known shape and type, without its values."""
    return ir.ExternalTensor("weights.bin", None, None, dtype, shape=ir.Shape(shape), name=name)


def plain(value: Any) -> Any:
    """`value` as plain data of JSON: tuples and sets as lists, other objects as their text."""
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        items = sorted(value, key=str) if isinstance(value, set | frozenset) else value
        return [plain(item) for item in items]
    return str(value)
