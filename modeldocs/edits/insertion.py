"""Layers put into a network, with parameters of their own."""

from __future__ import annotations

from typing import Final

import msgspec
import onnx
import onnx_ir as ir

from modeldocs.edits import attributes, layer_settings, removal
from modeldocs.edits.draft import Draft, layer_name
from modeldocs.edits.edit import InsertLayer
from modeldocs.edits.layer_settings import LayerSetting
from modeldocs.errors import ModeldocsError
from modeldocs.ir import operators, origin
from modeldocs.ir.operators.operands import role
from modeldocs.normal import values
from modeldocs.normal.builder import unique
from modeldocs.struct import Struct

_FAMILIES: Final = ("convolution", "linear", "normalization", "activation", "pooling")
_LEARNED: Final = {
    "Conv": (1, 2), "ConvTranspose": (1, 2), "Gemm": (1, 2), "BatchNormalization": (1, 2, 3, 4),
    "LayerNormalization": (1, 2), "RMSNormalization": (1,), "GroupNormalization": (1, 2),
    "InstanceNormalization": (1, 2), "PRelu": (1,),
}  # fmt: skip
"""The slots of the parameters that a new layer gets."""
_BUFFERS: Final = ("mean", "var")
_GIVEN: Final = {"LRN": {"size": "5"}, "GroupNormalization": {"num_groups": "32"}}
"""Settings that ONNX has no default for, as they are where they are not given."""
_KERNEL: Final = {"Conv": 3, "ConvTranspose": 2, "MaxPool": 2, "AveragePool": 2, "LpPool": 2}
"""Sizes of the windows of new layers."""


def operators_that_fit() -> list[str]:
    """The operators of which a layer can be put in: those that compute with one tensor."""
    return sorted(
        name
        for name, one in operators.TABLE.items()
        if one.family in _FAMILIES and not one.reduces and onnx.defs.has(name) and _reads_one(name)
    )


class NewLayer(Struct, frozen=True):
    """An operator that can be put in, with the settings of its new layer.

    `axes` is the least number of axes of what it reads. Windows are given for each axis by one
    number.
    """

    operator: str
    family: str
    axes: int
    settings: tuple[LayerSetting, ...]


def new_layers() -> list[NewLayer]:
    """All operators of which a layer can be put in, by family."""
    made = [_new_layer(name) for name in operators_that_fit()]
    return sorted(made, key=lambda one: (_FAMILIES.index(one.family), one.operator))


def _new_layer(operator: str) -> NewLayer:
    source = ir.Value(name="source", shape=ir.Shape([1, 1, 1]))  # an image of one axis
    parameters = [ir.Value(name=role(operator, slot)) for slot in _LEARNED.get(operator, ())]
    node = ir.Node("", operator, [source, *parameters], _settings(operator, source), num_outputs=1)
    given = _GIVEN.get(operator, {})
    settings = [
        msgspec.structs.replace(one, value=given.get(one.name, _short(one.value)))
        for one in layer_settings.of_node(node)
        if one.name != "operator"
    ]
    if operator in ("Conv", "ConvTranspose", "Gemm"):
        settings.append(
            LayerSetting(name="bias", kind="choice", value="true", choices=("true", "false"))
        )
    family = operators.family(operator)
    has_window = family in ("convolution", "pooling") or operator == "InstanceNormalization"
    axes = 3 if has_window else 2 if family in ("linear", "normalization") else 1
    return NewLayer(operator=operator, family=family, axes=axes, settings=tuple(settings))


def _short(text: str) -> str:
    """One number for equal ones, as `pads` of both ends."""
    numbers = text.split(",")
    return numbers[0] if len({*numbers}) == 1 else text


def _reads_one(name: str) -> bool:
    formal = onnx.defs.get_schema(name).inputs
    needed = [
        one for one in formal if one.option == onnx.defs.OpSchema.FormalParameterOption.Single
    ]
    return len(needed) == 1 + sum(slot < len(needed) for slot in _LEARNED.get(name, ()))


def insert(draft: Draft, edit: InsertLayer) -> None:
    """Put a layer in.

    Raises:
        ModeldocsError: its operator reads more than one tensor, or lacks one of the settings.
    """
    if edit.operator not in operators_that_fit():
        raise ModeldocsError(
            f"no layer of {edit.operator[:100]!r} can be put in",
            fix=f"use one of {', '.join(operators_that_fit())}",
        )
    source = draft.source(edit.after)
    producer = source.producer()
    name = _name(draft, edit, layer_name(producer) if producer is not None else str(source.name))
    node = _node(draft, edit.operator, source, name)
    if producer is not None:
        modules = origin.read(producer).modules[: -1 or None]
        origin.attach(node, origin.Provenance(modules=modules, name=name))
    else:
        origin.attach(node, origin.Provenance(name=name))
    readers = [use for use in source.uses() if use.node is not node]
    draft.nodes[name] = node
    _place(draft, source, node, is_output=source.is_graph_output())
    for use in readers:
        use.node.replace_input_with(use.idx, node.outputs[0])
    for key, value in (_GIVEN.get(edit.operator, {}) | edit.settings).items():
        if (key, value) != ("bias", "false"):
            attributes.assign(draft, node, key, value)
    if edit.settings.get("bias") == "false":
        node.resize_inputs(2)


def _name(draft: Draft, edit: InsertLayer, before: str) -> str:
    taken = draft.names_taken()
    if edit.name and edit.name in taken:
        raise ModeldocsError(
            f"there is a layer called {edit.name!r} already", fix="give the new one another name"
        )
    return edit.name or unique(f"{before}_{edit.operator.lower()}", taken)


def _node(draft: Draft, operator: str, source: ir.Value, name: str) -> ir.Node:
    """A layer that reads a value, with parameters whose shapes are not known yet."""
    inputs: list[ir.Value | None] = [source]
    for slot in _LEARNED.get(operator, ()):
        kind = role(operator, slot)
        parameter = origin.declare_parameter(
            draft.builder.name(f"{name}.{kind}"), (0,), trainable=kind not in _BUFFERS
        )
        draft.model.graph.register_initializer(parameter)
        inputs.append(parameter)
    node = ir.Node("", operator, inputs, _settings(operator, source), num_outputs=1, name=name)
    node.outputs[0].name = draft.builder.name(name)
    node.outputs[0].type = source.type
    return node


def _settings(operator: str, source: ir.Value) -> list[ir.Attr]:
    """Settings of a layer whose window gives an image as large as before, or a pool's half."""
    if operator == "Gemm":
        return [ir.AttrInt64("transB", 1)]
    size, axes = _KERNEL.get(operator), max((values.rank(source) or 4) - 2, 1)
    if size is None:
        return []
    keeps = operator == "Conv"
    pads, stride = (size // 2 if keeps else 0), (1 if keeps else size)
    return [
        ir.AttrInt64s("kernel_shape", [size] * axes),
        ir.AttrInt64s("strides", [stride] * axes),
        ir.AttrInt64s("pads", [pads] * 2 * axes),
        ir.AttrInt64s("dilations", [1] * axes),
        *([ir.AttrInt64("group", 1)] if operator in ("Conv", "ConvTranspose") else []),
    ]


def _place(draft: Draft, source: ir.Value, node: ir.Node, *, is_output: bool) -> None:
    """Add a node behind the producer of what it reads."""
    draft.builder.after(source, node)
    if is_output:
        uses = tuple(source.uses())
        removal.replace(source, node.outputs[0])
        for use in uses:
            if use.node is node:
                node.replace_input_with(use.idx, source)
