"""Faults of loaders, planted in the ONNX that they made: in one layer, or in all of a kind."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import Final

import numpy as np
import onnx_ir as ir

from evaluation.diff import faults as of_ports
from modeldocs.ir import origin
from modeldocs.normal import values

Change = Callable[[ir.Node], bool]
"""Plants a fault in a node; tells whether it could."""

_NORMS = (
    *("BatchNormalization", "LayerNormalization", "InstanceNormalization", "GroupNormalization"),
    "RMSNormalization",
)
_SMALLEST = 1e-2
"""Numbers up to this that are added are taken for an epsilon."""


def plant(model: ir.Model, kind: str, chance: Random | None) -> list[str]:
    """Plant a fault in one layer of a model, or with no `chance` in all that it fits.

    Gives the names of the layers' nodes.
    """
    operators, change = FAULTS[kind]
    nodes = [node for node in model.graph if values.is_operator(node, *operators)]
    if chance is None:
        return [str(node.name) for node in nodes if change(node)]
    chance.shuffle(nodes)
    return next(([str(node.name)] for node in nodes if change(node)), [])


def _scaled(attribute: str, default: float, factor: float) -> Change:
    """An attribute times a factor."""

    def change(node: ir.Node) -> bool:
        before = float(values.attribute(node, attribute, default))
        node.attributes[attribute] = ir.AttrFloat32(attribute, before * factor)
        return before * factor != before

    return change


def _set(attribute: ir.Attr, default: object = None) -> Change:
    """An attribute with another value."""

    def change(node: ir.Node) -> bool:
        if values.attribute(node, attribute.name, default) == attribute.value:
            return False
        node.attributes[attribute.name] = attribute
        return True

    return change


def _renamed(operator: str, *gone: str) -> Change:
    """Another operator of the same operands."""

    def change(node: ir.Node) -> bool:
        if operator in ("Mul", "Add", "Sub") and any(_number(v) is not None for v in node.inputs):
            return False
        node.op_type = operator
        for attribute in gone:
            node.attributes.pop(attribute, None)
        return True

    return change


def _without_bias(node: ir.Node) -> bool:
    bias = node.inputs[2] if len(node.inputs) > 2 else None
    if bias is None or not bias.is_initializer():  # exporters write zeros as a node
        return False
    node.resize_inputs(2)
    return True


def _swapped(first: int, second: int) -> Change:
    """Two operands of one shape the other way round."""

    def change(node: ir.Node) -> bool:
        if len(node.inputs) <= max(first, second):
            return False
        one, two = node.inputs[first], node.inputs[second]
        if one is two or values.shape(one) != values.shape(two):
            return False
        node.replace_input_with(first, two)
        node.replace_input_with(second, one)
        return True

    return change


def _number(value: ir.Value | None) -> np.ndarray | None:
    """A single number that is no parameter."""
    held = value.const_value if value is not None and value.producer() is None else None
    if value is None or held is None or origin.parameter_kind(value) is not None:
        return None
    array = held.numpy()
    return array if array.size == 1 and array.dtype.kind == "f" else None


def _retuned(slots: Sequence[int], factor: float, *, small: bool) -> Change:
    """A number among the operands times a factor: an epsilon (`small`), or another."""

    def change(node: ir.Node) -> bool:
        for slot in slots:
            value = node.inputs[slot] if slot < len(node.inputs) else None
            array = _number(value)
            if array is None or value is None or not np.isfinite(array).all() or not array.any():
                continue
            if (abs(float(array.reshape(-1)[0])) <= _SMALLEST) is not small:
                continue
            other = (array * factor).astype(array.dtype)
            name = f"{value.name} of {node.outputs[0].name}"
            made = ir.Value(name=name, const_value=ir.tensor(other, name=name))
            made.shape, made.type = value.shape, value.type
            assert node.graph is not None
            node.graph.register_initializer(made)
            node.replace_input_with(slot, made)
            return True
        return False

    return change


def _axis(node: ir.Node) -> bool:
    shape = values.shape(node.inputs[0])
    if shape is None or len(shape) < 2:
        return False
    axis = int(values.attribute(node, "axis", -1)) % len(shape)
    others = [one for one, size in enumerate(shape) if size > 1 and one != axis]
    if not others:
        return False
    node.attributes["axis"] = ir.AttrInt64("axis", others[-1])
    return True


def _larger(node: ir.Node) -> bool:
    before = int(values.attribute(node, "size", 5))
    node.attributes["size"] = ir.AttrInt64("size", before + 2)
    return True


def _turned(node: ir.Node) -> bool:
    """A matrix of as many rows as columns, read the other way round."""
    if values.shape(node.inputs[1]) is None or len(set(values.shape(node.inputs[1]) or ())) != 1:
        return False
    before = int(values.attribute(node, "transB", 0))
    node.attributes["transB"] = ir.AttrInt64("transB", 1 - before)
    return True


def _elsewhere(node: ir.Node) -> bool:
    """Reads what its maker reads, of the same shape: a layer is passed by."""
    source = node.inputs[0]
    maker = source.producer() if source is not None else None
    if maker is None or not maker.inputs or values.is_operator(maker, "Identity", "Dropout"):
        return False
    before = maker.inputs[0]
    if before is None or before.producer() is None:
        return False
    if values.shape(before) is None or values.shape(before) != values.shape(source):
        return False
    node.replace_input_with(0, before)
    return True


OF_NAMES: Final = frozenset({"mean for variance", "scale for shift", "matrix turned"})
"""Faults in which parameter is which: none of a definition whose parameters have no values."""

FAULTS: Final[dict[str, tuple[tuple[str, ...], Change]]] = {
    "epsilon x 1.001": (_NORMS, _scaled("epsilon", 1e-5, 1.001)),
    "epsilon x 10": (_NORMS, _scaled("epsilon", 1e-5, 10)),
    "epsilon that is added x 1.001": (("Add",), _retuned((0, 1), 1.001, small=True)),
    "form of GELU": of_ports.FAULTS["form of GELU"],
    "count_include_pad": of_ports.FAULTS["count_include_pad"],
    "padding shifted by a pixel": of_ports.FAULTS["padding shifted by a pixel"],
    "dilation": of_ports.FAULTS["dilation"],
    "LeakyRelu for Relu": of_ports.FAULTS["LeakyRelu for Relu"],
    "mean for maximum": of_ports.FAULTS["mean for maximum"],
    "maximum for mean": (
        ("AveragePool",),
        _renamed("MaxPool", "count_include_pad"),
    ),
    "GlobalMaxPool for GlobalAveragePool": (("GlobalAveragePool",), _renamed("GlobalMaxPool")),
    "slope x 1.01": (("LeakyRelu", "Elu", "HardSigmoid"), _scaled("alpha", 0.01, 1.01)),
    "bound of Clip": (("Clip",), _retuned((2,), 0.99, small=False)),
    "alpha of LRN x 1.1": (("LRN",), _scaled("alpha", 1e-4, 1.1)),
    "beta of LRN x 1.01": (("LRN",), _scaled("beta", 0.75, 1.01)),
    "bias of LRN x 1.01": (("LRN",), _scaled("bias", 1.0, 1.01)),
    "size of LRN": (("LRN",), _larger),
    "missing bias": (("Conv", "ConvTranspose", "Gemm"), _without_bias),
    "mean for variance": (("BatchNormalization",), _swapped(3, 4)),
    "scale for shift": (("BatchNormalization", "LayerNormalization"), _swapped(1, 2)),
    "product for sum": (("Add",), _renamed("Mul")),
    "axis of Softmax": (("Softmax", "LogSoftmax"), _axis),
    "axis of LayerNormalization": (("LayerNormalization",), _axis),
    "number x 1.01": (("Mul", "Div", "Add", "Pow"), _retuned((0, 1), 1.01, small=False)),
    "operands of Concat swapped": (("Concat",), _swapped(0, 1)),
    "operands of MatMul swapped": (("MatMul", "Sub", "Div"), _swapped(0, 1)),
    "matrix turned": (("Gemm",), _turned),
    "sum for mean": (("ReduceMean",), _renamed("ReduceSum")),
    "linear_before_reset": (("GRU",), _set(ir.AttrInt64("linear_before_reset", 1), 0)),
    "reverse": (("LSTM", "GRU", "RNN"), _set(ir.AttrString("direction", "reverse"), "forward")),
    "mode of Resize": (("Resize",), _set(ir.AttrString("mode", "cubic"), "nearest")),
    "mode of Pad": (("Pad",), _set(ir.AttrString("mode", "edge"), "constant")),
    "layer passed by": (("Conv", "Relu", "Add", "MaxPool", "Gemm", "MatMul", "Concat"), _elsewhere),
}
"""By what it is called: the operators that it is planted in, and how."""
