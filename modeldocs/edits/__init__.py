"""Edits: a network changed layer by layer, and all that follows computed again.

An edit is plain data, which has a text form (`notation`). Edits are applied to a model in normal
form, in order; the names in them are those that the report of the source has, whatever was put in
or taken out. Shapes are computed again when all are applied, so that two that only fit together may
stand one after the other.
"""

from __future__ import annotations

from collections.abc import Iterable

import onnx_ir as ir

from modeldocs.edits import attributes, insertion, removal, repetition
from modeldocs.edits.draft import Draft
from modeldocs.edits.edit import (
    Edit,
    InsertLayer,
    RemoveLayer,
    RepeatBlock,
    ResizeInput,
    SetAttribute,
)
from modeldocs.edits.editable import EditableLayer, EditableNetwork, editable
from modeldocs.edits.insertion import NewLayer, new_layers, operators_that_fit
from modeldocs.edits.layer_settings import LayerSetting
from modeldocs.edits.notation import OPTIONS, decode, encode, of_query, parse, query, written
from modeldocs.edits.propagation import propagate
from modeldocs.errors import ModeldocsError

__all__ = [
    "OPTIONS", "Draft", "Edit", "EditableLayer", "EditableNetwork", "InsertLayer", "LayerSetting",
    "NewLayer", "RemoveLayer", "RepeatBlock", "ResizeInput", "SetAttribute", "apply", "decode",
    "editable", "encode", "new_layers", "of_query", "operators_that_fit", "parse", "query",
    "written",
]  # fmt: skip


def apply(model: ir.Model, edits: Iterable[Edit]) -> Draft:
    """Apply edits to a model in normal form, in place; the draft tells what edits call its layers.

    Raises:
        ModeldocsError: one names what is not there or asks for what cannot be, or a layer does not
            fit any more; the model is then of no use.
    """
    draft = Draft(model)
    for edit in edits:
        _apply(draft, edit)
    propagate(draft)
    _drop_unread(model)
    return draft


def _apply(draft: Draft, edit: Edit) -> None:
    if isinstance(edit, SetAttribute):
        attributes.assign(draft, draft.node(edit.layer), edit.attribute, edit.value)
    elif isinstance(edit, RemoveLayer):
        removal.remove(draft, edit.layer)
    elif isinstance(edit, InsertLayer):
        insertion.insert(draft, edit)
    elif isinstance(edit, RepeatBlock):
        repetition.repeat(draft, edit)
    else:
        _resize(draft, edit)


def _resize(draft: Draft, edit: ResizeInput) -> None:
    names = [str(value.name) for value in draft.inputs]
    found = [value for value in draft.inputs if edit.name in ("", value.name)]
    if len(found) != 1:
        raise ModeldocsError(
            f"it has no input called {edit.name!r}" if edit.name else "it has several inputs",
            fix=f"use one of {', '.join(names)}",
        )
    (value,) = found
    if value.shape is not None and len(value.shape) != len(edit.shape):
        raise ModeldocsError(
            f"the input {value.name!r} has {len(value.shape)} axes, not {len(edit.shape)}",
            fix="give a size for each of them, the batch first",
        )
    value.shape = ir.Shape(edit.shape)


def _drop_unread(model: ir.Model) -> None:
    """Remove constants that nothing reads any more."""
    for name, value in list(model.graph.initializers.items()):
        if not value.uses() and not value.is_graph_output() and not value.metadata_props:
            del model.graph.initializers[name]
