"""Whether a layer's settings fit what it reads, where shape inference takes that on trust."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

import onnx_ir as ir

from modeldocs.ir import operators
from modeldocs.loaders.dims import as_text
from modeldocs.normal import values


def misfit(node: ir.Node) -> str:
    """What does not fit, as a clause; empty where all does."""
    rule = _RULES.get(node.op_type) if node.domain in values.DEFAULT_DOMAIN else None
    return _axis(node) or (rule(node) if rule is not None else "") or _window(node)


def _shape(node: ir.Node, slot: int) -> tuple[int, ...]:
    return values.shape(values.operand(node, slot)) or ()


def _axis(node: ir.Node) -> str:
    axis, shape = values.attribute(node, "axis"), _shape(node, 0)
    if isinstance(axis, int) and shape and not -len(shape) <= axis < len(shape):
        return f"works along axis {axis}, and reads {as_text(shape)}"
    return ""


def _window(node: ir.Node) -> str:
    """A window has as many axes as the image, and none of a pool lies in pads alone."""
    one, kernel = operators.of(node.op_type), values.attribute(node, "kernel_shape")
    if not one.windowed or kernel is None:
        return ""
    if len(kernel) + 2 != len(_shape(node, 0)):
        return f"has a kernel of {as_text(kernel)}, and reads {as_text(_shape(node, 0))}"
    names = ("strides", "dilations", "output_padding", "pads")
    settings = {name: values.attribute(node, name) for name in names}
    for name, given in settings.items():
        if given is not None and len(given) != len(kernel) * (2 if name == "pads" else 1):
            return f"has {len(given)} {name}, and a kernel of {as_text(kernel)}"
    pads = settings["pads"] or ()
    if one.family == "pooling" and any(
        pad >= size for pad, size in zip(pads, (*kernel, *kernel), strict=False)
    ):
        return f"has pads of {','.join(map(str, pads))}, no less than its kernel"
    return ""


def _groups(node: ir.Node) -> str:
    group = int(values.attribute(node, "group", 1))
    channels, weight = _shape(node, 0)[1:2], _shape(node, 1)
    outputs = weight[0] if node.op_type == "Conv" else weight[1] * group
    inner = weight[1] * group if node.op_type == "Conv" else weight[0]
    if channels and (channels[0] % group or outputs % group):
        return f"has {group} groups, and {channels[0]} channels that give {outputs}"
    if channels and inner != channels[0]:
        return f"has a weight for {inner} channels, and reads {channels[0]}"
    return ""


def _heads(node: ir.Node) -> str:
    """Queries, keys and values of rank 3 are cut into heads, those of the first two alike."""
    shapes = [_shape(node, slot) for slot in range(3)]
    if any(len(shape) != 3 for shape in shapes):
        return ""
    queries, keys = (int(values.attribute(node, f"{one}_num_heads", 1)) for one in ("q", "kv"))
    widths = [shape[-1] for shape in shapes]
    for width, heads in zip(widths, (queries, keys, keys), strict=True):
        if width % heads:
            return f"has {heads} heads, and {width} channels"
    if queries % keys:
        return f"has {queries} heads of queries, and {keys} of keys"
    if widths[0] // queries != widths[1] // keys:
        return f"has queries of {widths[0] // queries} channels, and keys of {widths[1] // keys}"
    return ""


def _normalised_groups(node: ir.Node) -> str:
    groups, shape = int(values.attribute(node, "num_groups", 1)), _shape(node, 0)
    if len(shape) > 1 and shape[1] % groups:
        return f"has {groups} groups, and reads {shape[1]} channels"
    return ""


def _pieces(node: ir.Node) -> str:
    count, shape = values.attribute(node, "num_outputs"), _shape(node, 0)
    axis = int(values.attribute(node, "axis", 0))
    if count is not None and axis < len(shape) and shape[axis] % int(count):
        return f"cuts {shape[axis]} into {count} pieces"
    return ""


_RULES: Final[Mapping[str, Callable[[ir.Node], str]]] = {
    "Conv": _groups,
    "ConvTranspose": _groups,
    "Attention": _heads,
    "GroupNormalization": _normalised_groups,
    "Split": _pieces,
}
