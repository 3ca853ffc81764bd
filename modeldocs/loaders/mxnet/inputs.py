"""The inputs of a symbol: which variables they are, and the shapes they are drawn with."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import onnx_ir as ir

from modeldocs.errors import ModeldocsError
from modeldocs.loaders import LoadRequest
from modeldocs.loaders.dims import Dims, as_text
from modeldocs.loaders.emission.element_types import element_type
from modeldocs.loaders.mxnet import schema
from modeldocs.loaders.mxnet.program import Symbol, SymbolNode
from modeldocs.loaders.mxnet.settings import NodeSettings

Role = Literal["input", "parameter", "label", "state"]

IMAGE = (1, 3, 224, 224)
"""The shape of an image where nothing states it: ImageNet's size."""

_DTYPES = ("float32", "float64", "float16", "uint8", "int32", "int8", "int64")
"""MXNet's element types by their numbers."""

_ELEMENTWISE = {"BatchNorm", "identity", "Cast", "add", "sub", "mul", "div", "clip", "relu", "Pad"}

_PARAMETER_NAME = re.compile(
    r"(weight|bias|gamma|beta|alpha|scale|mean|var|parameters|_w|_b|const)\d*$"
)


@dataclass(slots=True)
class InputShapes:
    """Shape and element type of each input by its node, and notes on shapes that are assumed.

    A shape is None where not even its rank is known.
    """

    by_node: dict[int, Dims | None] = field(default_factory=dict)
    dtypes: dict[int, ir.DataType] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    @property
    def batch(self) -> int:
        """The first input's first dimension."""
        first = next((shape[0] for shape in self.by_node.values() if shape), 1)
        return first if isinstance(first, int) else 1


def roles(symbol: Symbol, requested: Mapping[str, tuple[int, ...]]) -> dict[int, Role]:
    """The role of each variable, by the operators that read it, the request, and its name."""
    readers, live = symbol.readers(), symbol.live()
    return {
        node.index: _role(node, readers[node.index], requested) if node.index in live else "label"
        for node in symbol.nodes
        if node.is_variable
    }


def _role(
    node: SymbolNode, readers: Sequence[tuple[SymbolNode, int]], requested: Mapping[str, object]
) -> Role:
    read_as = {schema.role(reader.op, reader.source_op, slot) for reader, slot in readers}
    if "parameter" in read_as:
        return "parameter"
    if node.name.startswith("data"):
        return "input"
    if "__init__" in node.attributes:
        return "parameter"
    if node.name in requested:
        return "input"
    if read_as == {"state"}:
        return "state"
    return "parameter" if _PARAMETER_NAME.search(node.name) else "input"


def stated_shape(node: SymbolNode) -> tuple[int, ...]:
    """The shape in a variable's own attribute, 0 for a size that it leaves open."""
    return tuple(max(size, 0) for size in NodeSettings(node).sizes("__shape__"))


def choose_shapes(
    symbol: Symbol, variable_roles: Mapping[int, Role], request: LoadRequest
) -> InputShapes:
    """The shape of each input: the request's, else the variable's own, else that of an image.

    A first size that the source leaves open is the batch, drawn as 1; others are unknown.

    Raises:
        ModeldocsError: the request names an unknown input.
    """
    inputs = [symbol.nodes[index] for index, role in variable_roles.items() if role == "input"]
    requested = _requested(symbol, inputs, request)
    shapes = InputShapes()
    for node in inputs:
        shape: Dims | None = (
            requested.get(node.name) or _complete(node) or _from_arguments(node, request.args)
        )
        if shape is None:
            shape = _assumed(symbol, node, inputs)
            shapes.notes.append(_note(node, shape))
        shapes.by_node[node.index] = shape
        shapes.dtypes[node.index] = _dtype(node, request)
    return shapes


def _requested(
    symbol: Symbol, inputs: list[SymbolNode], request: LoadRequest
) -> dict[str, tuple[int, ...]]:
    variables = [node.name for node in symbol.nodes if node.is_variable]
    shapes: dict[str, tuple[int, ...]] = {}
    for name, shape in request.inputs.items():
        if name in variables:
            shapes[name] = tuple(shape)
        elif name == "" and len(inputs) == 1:
            shapes[inputs[0].name] = tuple(shape)
        else:
            problem = f"no input {name!r}" if name else f"{len(inputs)} inputs, not one"
            raise ModeldocsError(
                f"the symbol has {problem}",
                file=symbol.file,
                fix=f"name one of: {', '.join(node.name for node in inputs)}"[:300],
            )
    return shapes


def _complete(node: SymbolNode) -> tuple[int, ...] | None:
    """The shape that a variable states, unless it leaves more open than the batch."""
    shape = stated_shape(node)
    shape = (shape[0] or 1, *shape[1:]) if shape else shape
    return shape if shape and 0 not in shape else None


def _from_arguments(node: SymbolNode, args: Mapping[str, Any]) -> tuple[int, ...] | None:
    """`image_shape`, which MXNet's own examples pass to `get_symbol`: `3,224,224`."""
    text = args.get("image_shape")
    text = ",".join(map(str, text)) if isinstance(text, list | tuple) else text
    if node.name != "data" or not isinstance(text, str):
        return None
    if not re.fullmatch(r"\s*\(?\s*\d{1,6}(\s*,\s*\d{1,6})*\s*\)?\s*", text):
        return None
    return (1, *map(int, re.findall(r"\d+", text)))


def _assumed(symbol: Symbol, node: SymbolNode, inputs: list[SymbolNode]) -> Dims | None:
    """An image's shape for the only input of an image network, else what is known of the shape."""
    channels, stated = _channels(symbol, node), stated_shape(node)
    if len(inputs) == 1 and channels is not None:
        return (IMAGE[0], channels or IMAGE[1], *IMAGE[2:])
    if stated:
        return (stated[0] or 1, *(size or None for size in stated[1:]))
    return (1, channels or None, None, None) if channels is not None else None


def _note(node: SymbolNode, shape: Dims | None) -> str:
    """The note on an input whose shape the symbol does not state."""
    if shape is not None and None not in shape:
        return f"the symbol states no shape of {node.name!r}: drawn as {as_text(shape)}"
    drawn = as_text(shape or (None,))
    return (
        f"input {node.name!r}: its shape is in the data, not in the symbol, drawn as {drawn} "
        f"unless --input {node.name}=…, or `inputs` in model.yml, gives it"
    )


def _channels(symbol: Symbol, node: SymbolNode) -> int | None:
    """Channels of an image, which the first convolution's weight may state.

    0 where it does not, None where no convolution of two dimensions reads the input.
    """
    reached = {node.index}
    for reader in symbol.nodes[node.index + 1 :]:
        if reader.is_variable or not reader.inputs or reader.inputs[0][0] not in reached:
            continue
        if reader.op == "Convolution":
            settings = NodeSettings(reader)
            if len(settings.sizes("kernel")) != 2:
                return None
            weight = symbol.nodes[reader.inputs[1][0]] if len(reader.inputs) > 1 else node
            shape = stated_shape(weight) if weight.is_variable else ()
            return shape[1] if len(shape) == 4 and settings.integer("num_group", 1) == 1 else 0
        if reader.op in _ELEMENTWISE or reader.op.endswith("_scalar"):
            reached.add(reader.index)
    return None


def _dtype(node: SymbolNode, request: LoadRequest) -> ir.DataType:
    number = NodeSettings(node).integer("__dtype__", 0)
    stated = _DTYPES[number] if 0 <= number < len(_DTYPES) else "float32"
    name = request.dtypes.get(node.name) or request.dtypes.get("") or stated
    return element_type(name) or ir.DataType.FLOAT
