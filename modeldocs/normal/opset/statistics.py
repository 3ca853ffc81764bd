"""Normalization and Dropout: statistics of the batch, flags of training, parameters by group."""

from __future__ import annotations

import numpy as np
import onnx_ir as ir

from modeldocs.normal import values
from modeldocs.normal.opset.rules import changed_in
from modeldocs.normal.opset.upgrade import Upgrade, UpgradeError

_OUTPUTS = 3
"""Outputs of BatchNormalization in `OPSET`: the result, running mean and running variance."""


@changed_in(14, "BatchNormalization")
def training_by_outputs(old: Upgrade) -> ir.Value | None:
    """Statistics were the batch's where outputs or `is_test` said so, and could be by element."""
    by_element = old.declared < 9 and not old.take("spatial", 1)
    read = [bool(o.uses()) or o.is_graph_output() for o in old.node.outputs]
    is_test = bool(old.take("is_test", 0)) or old.declared >= 7
    if any(read[_OUTPUTS:]):
        raise UpgradeError
    trains = any(read[1:]) or not is_test
    if by_element:
        if trains:
            raise UpgradeError
        return old.replace(_by_element(old))
    if trains:
        old.node.attributes["training_mode"] = ir.AttrInt64("training_mode", 1)
    old.resize_outputs(_OUTPUTS if trains else 1)
    return None


def _by_element(old: Upgrade) -> ir.Value:
    """Each element by its own statistics: the operand as a matrix, whose columns are channels."""
    vector = old.integers([-1], "vector")
    matrix = old.emit("Flatten", [old.x], {"axis": 1})
    parameters = [old.emit("Reshape", [value, vector]) for value in old.node.inputs[1:]]
    settings = {"epsilon": old.attribute("epsilon", 1e-5)}
    normed = old.emit("BatchNormalization", [matrix, *parameters], settings)
    shape = old.emit("Shape", [old.x], dtype=ir.DataType.INT64)
    return old.emit("Reshape", [normed, shape])


@changed_in(7, "Dropout")
def drops_unless_testing(old: Upgrade) -> None:
    """Dropout dropped unless `is_test` said otherwise."""
    if not old.take("is_test", 0):
        ratio = old.number(float(old.take("ratio", 0.5)), old.x, "ratio")
        old.put(1, ratio)
        old.put(2, old.constant(np.array(True), "training_mode"))


@changed_in(12, "Dropout")
def mask_of_its_own_type(old: Upgrade) -> None:
    """The mask, which nothing says the values of at inference."""
    if any(output.uses() or output.is_graph_output() for output in old.node.outputs[1:]):
        raise UpgradeError


@changed_in(21, "GroupNormalization")
def parameters_by_group(old: Upgrade) -> None:
    """Scale and bias were given by group; since 21 by channel."""
    groups, dims = int(old.attribute("num_groups")), old.x.shape
    channels = dims[1] if dims is not None and len(dims) > 1 else None
    if not isinstance(channels, int) or channels % groups:
        raise UpgradeError
    for slot in (1, 2):
        value = old.operand(slot)
        if values.shape(value) == (channels,) and channels != groups:
            continue  # files that were written before the schema was corrected
        column = old.emit("Unsqueeze", [value, old.integers([1], "axes")])
        target = old.integers([groups, channels // groups], "groups")
        wide = old.emit("Expand", [column, target])
        old.put(slot, old.emit("Reshape", [wide, old.integers([-1], "channels")]))
