"""The symbol's inputs and the shapes they are drawn with."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import onnx_ir as ir

from modeldocs.errors import ModeldocsError
from modeldocs.loaders import LoadRequest
from modeldocs.loaders.dims import Dims, said
from modeldocs.loaders.mxnet.settings import Settings
from modeldocs.loaders.mxnet.symbol import Symbol, SymbolNode
from modeldocs.loaders.mxnet.variables import Role, told_shape

USUAL = (1, 3, 224, 224)
"""What an image is taken to be where nothing says it: ImageNet's size."""

_DTYPES = ("float32", "float64", "float16", "uint8", "int32", "int8", "int64")
"""MXNet's element types by their numbers."""

_ELEMENTWISE = {"BatchNorm", "identity", "Cast", "add", "sub", "mul", "div", "clip", "relu", "Pad"}


@dataclass(slots=True)
class Shapes:
    """The shape of each input by its node, None where not even its rank is known, and a sentence
    for each that is not the source's.
    """

    by_node: dict[int, Dims | None] = field(default_factory=dict)
    dtypes: dict[int, ir.DataType] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    @property
    def batch(self) -> int:
        """The first input's first dimension."""
        first = next((shape[0] for shape in self.by_node.values() if shape), 1)
        return first if isinstance(first, int) else 1


def choose(symbol: Symbol, roles: Mapping[int, Role], request: LoadRequest) -> Shapes:
    """The shape of each input: asked for, else the variable's own, else that of an image.

    A size that the source leaves open at the front is the batch, drawn as 1; others are not known.

    Raises:
        ModeldocsError: a shape is asked for an unknown input.
    """
    inputs = [symbol.nodes[index] for index, role in roles.items() if role == "input"]
    asked = _asked(symbol, inputs, request)
    shapes = Shapes()
    for node in inputs:
        told = asked.get(node.name) or _own(node) or _told_by_arguments(node, request.args)
        shape: Dims | None = told
        if shape is None:
            shape = _usual(symbol, node, inputs)
            shapes.notes.append(_told(node, shape))
        shapes.by_node[node.index] = shape
        shapes.dtypes[node.index] = _dtype(node, request)
    return shapes


def _asked(
    symbol: Symbol, inputs: list[SymbolNode], request: LoadRequest
) -> dict[str, tuple[int, ...]]:
    variables = [node.name for node in symbol.nodes if node.is_variable]
    made: dict[str, tuple[int, ...]] = {}
    for name, shape in request.inputs.items():
        if name in variables:
            made[name] = tuple(shape)
        elif name == "" and len(inputs) == 1:
            made[inputs[0].name] = tuple(shape)
        else:
            said = f"no input {name!r}" if name else f"{len(inputs)} inputs, not one"
            raise ModeldocsError(
                f"the symbol has {said}",
                file=symbol.file,
                fix=f"name one of: {', '.join(node.name for node in inputs)}"[:300],
            )
    return made


def _own(node: SymbolNode) -> tuple[int, ...] | None:
    shape = told_shape(node)
    shape = (shape[0] or 1, *shape[1:]) if shape else shape
    return shape if shape and 0 not in shape else None


def _told_by_arguments(node: SymbolNode, args: Mapping[str, Any]) -> tuple[int, ...] | None:
    """`image_shape`, as MXNet's own examples pass it to `get_symbol`: `3,224,224`."""
    told = args.get("image_shape")
    told = ",".join(map(str, told)) if isinstance(told, list | tuple) else told
    if node.name != "data" or not isinstance(told, str):
        return None
    if not re.fullmatch(r"\s*\(?\s*\d{1,6}(\s*,\s*\d{1,6})*\s*\)?\s*", told):
        return None
    return (1, *map(int, re.findall(r"\d+", told)))


def _usual(symbol: Symbol, node: SymbolNode, inputs: list[SymbolNode]) -> Dims | None:
    """An image's shape for the only input of a network of images, else what is told of it."""
    channels, told = _channels(symbol, node), told_shape(node)
    if len(inputs) == 1 and channels is not None:
        return (USUAL[0], channels or USUAL[1], *USUAL[2:])
    if told:
        return (told[0] or 1, *(size or None for size in told[1:]))
    return (1, channels or None, None, None) if channels is not None else None


def _told(node: SymbolNode, shape: Dims | None) -> str:
    """The sentence for an input whose shape the symbol does not say."""
    if shape is not None and None not in shape:
        return f"the symbol gives {node.name!r} no shape: drawn as {said(shape)}"
    return (
        f"input {node.name!r}: its shape is in the data, not in the symbol, drawn as "
        f"{said(shape or (None,))} unless --input {node.name}=…, or `inputs` in model.yml, gives it"
    )


def _channels(symbol: Symbol, node: SymbolNode) -> int | None:
    """Channels that the first convolution's weight says; 0 where it does not; None without one."""
    reached = {node.index}
    for reader in symbol.nodes[node.index + 1 :]:
        if reader.is_variable or not reader.inputs or reader.inputs[0][0] not in reached:
            continue
        if reader.op == "Convolution":
            if len(Settings(reader).sizes("kernel")) != 2:
                return None
            weight = symbol.nodes[reader.inputs[1][0]] if len(reader.inputs) > 1 else node
            told = told_shape(weight) if weight.is_variable else ()
            return (
                told[1] if len(told) == 4 and Settings(reader).integer("num_group", 1) == 1 else 0
            )
        if reader.op in _ELEMENTWISE or reader.op.endswith("_scalar"):
            reached.add(reader.index)
    return None


def _dtype(node: SymbolNode, request: LoadRequest) -> ir.DataType:
    number = Settings(node).integer("__dtype__", 0)
    told = _DTYPES[number] if 0 <= number < len(_DTYPES) else "float32"
    name = request.dtypes.get(node.name) or request.dtypes.get("") or told
    return by_name(name) or ir.DataType.FLOAT


def by_name(name: str) -> ir.DataType | None:
    """An element type by the name that MXNet has for it."""
    renamed = {"float32": "FLOAT", "float64": "DOUBLE"}.get(name, name.upper())
    return ir.DataType[renamed] if renamed in ir.DataType.__members__ else None
