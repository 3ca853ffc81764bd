"""Numeric faults planted in the ONNX of a port: what ports get wrong, one at a time."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Final

import onnx_ir as ir

from modeldocs.normal import layers, values

Change = Callable[[ir.Node], bool]
"""Plants a fault in a node; tells whether it could."""


def plant(model: ir.Model, kind: str, chance: Random) -> str | None:
    """Plant a fault in one layer of a model in normal form; the layer's id, None where none fits.

    A layer that is taken out is told by the id that it had.
    """
    operators, change = FAULTS[kind]
    makers = {str(v.name): node for node in model.graph for v in node.outputs}
    named = layers.output_names(model)
    held = [(name, makers[value]) for name, value in named.items()]
    fitting = [(name, node) for name, node in held if values.is_operator(node, *operators)]
    chance.shuffle(fitting)
    return next((name for name, node in fitting if change(node)), None)


def _epsilon(node: ir.Node) -> bool:
    """As frameworks differ: 1e-5 and 1.001e-5 in batch norms, 1e-12 and 1e-6 in layer norms."""
    before = float(values.attribute(node, "epsilon", 1e-5))
    if node.op_type == "BatchNormalization":
        return _state(node, ir.AttrFloat32("epsilon", before * 1.001))
    return _state(node, ir.AttrFloat32("epsilon", 1e-6 if before < 1e-7 else 1e-12))


def _gelu(node: ir.Node) -> bool:
    exact = values.attribute(node, "approximate", "none") == "none"
    return _state(node, ir.AttrString("approximate", "tanh" if exact else "none"))


def _counted(node: ir.Node) -> bool:
    if not any(values.attribute(node, "pads", ())):
        return False
    before = values.attribute(node, "count_include_pad", 0)
    return _state(node, ir.AttrInt64("count_include_pad", 1 - before))


def _shifted(node: ir.Node) -> bool:
    """A pixel of padding on the other side."""
    pads = list(values.attribute(node, "pads", ()))
    rank = len(pads) // 2
    if not rank or not all(pads[:rank]):
        return False
    moved = [pad - 1 for pad in pads[:rank]] + [pad + 1 for pad in pads[rank:]]
    return _state(node, ir.AttrInt64s("pads", moved))


def _dilated(node: ir.Node) -> bool:
    kernel, pads = (list(values.attribute(node, name, ())) for name in ("kernel_shape", "pads"))
    spread = values.attribute(node, "dilations", [1] * len(kernel))
    if not kernel or set(kernel) != {3} or any(step != 1 for step in spread):
        return False
    _state(node, ir.AttrInt64s("pads", [pad + 1 for pad in pads or [0] * 4]))
    return _state(node, ir.AttrInt64s("dilations", [2] * len(kernel)))


def _missing(node: ir.Node) -> bool:
    """An activation that is not there."""
    source, output = node.inputs[0], node.outputs[0]
    if source is None or output.is_graph_output():
        return False
    ir.convenience.replace_all_uses_with(output, source)
    assert node.graph is not None
    node.graph.remove(node, safe=True)
    return True


def _leaky(node: ir.Node) -> bool:
    node.op_type = "LeakyRelu"
    return _state(node, ir.AttrFloat32("alpha", 0.01))


def _mean(node: ir.Node) -> bool:
    """The mean where the largest is meant."""
    node.op_type = "AveragePool"
    node.attributes.pop("storage_order", None)
    return True


def _scaled(node: ir.Node) -> bool:
    before = float(values.attribute(node, "alpha", 1e-4))
    return _state(node, ir.AttrFloat32("alpha", before / values.attribute(node, "size", 5)))


def _sharper(node: ir.Node) -> bool:
    return _state(
        node, ir.AttrFloat32("scale", float(values.attribute(node, "scale", 0.125)) * 1.1)
    )


def _causal(node: ir.Node) -> bool:
    return _state(node, ir.AttrInt64("is_causal", 1 - values.attribute(node, "is_causal", 0)))


def _swapped(node: ir.Node) -> bool:
    """Two operands the other way round; unlike ones, or it may as well be their makers."""
    if len(node.inputs) < 2:
        return False
    first, second = node.inputs[0], node.inputs[1]
    if values.shape(first) == values.shape(second):
        return False
    node.replace_input_with(0, second)
    node.replace_input_with(1, first)
    return True


def _state(node: ir.Node, attribute: ir.Attr) -> bool:
    node.attributes[attribute.name] = attribute
    return True


FAULTS: Final[dict[str, tuple[tuple[str, ...], Change]]] = {
    "epsilon": (("BatchNormalization", "LayerNormalization"), _epsilon),
    "form of GELU": (("Gelu",), _gelu),
    "count_include_pad": (("AveragePool",), _counted),
    "padding shifted by a pixel": (("Conv", "MaxPool", "AveragePool"), _shifted),
    "dilation": (("Conv",), _dilated),
    "missing activation": (("Relu", "Clip", "Gelu"), _missing),
    "LeakyRelu for Relu": (("Relu",), _leaky),
    "mean for maximum": (("MaxPool",), _mean),
    "alpha of LRN": (("LRN",), _scaled),
    "scale of attention": (("Attention",), _sharper),
    "causal attention": (("Attention",), _causal),
    "operands swapped": (("Concat",), _swapped),
}
"""By what it is called: the operators that it is planted in, and how."""
