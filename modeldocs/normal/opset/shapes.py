"""Operators that move, cut and repeat: names and operands of their first versions."""

from __future__ import annotations

import numpy as np
import onnx_ir as ir

from modeldocs.normal.opset.operands import constant
from modeldocs.normal.opset.rules import changed_in
from modeldocs.normal.opset.upgrade import Upgrade, UpgradeError


@changed_in(11, "Scatter")
def renamed(old: Upgrade) -> ir.Value:
    """Scatter was renamed."""
    inputs, axis = list(old.node.inputs), old.attribute("axis", 0)
    return old.replace(old.emit("ScatterElements", inputs, {"axis": axis}))


@changed_in(18, "Split")
def in_equal_parts(old: Upgrade) -> None:
    """Without sizes, as many equal parts as there are outputs."""
    old.node.attributes.setdefault("axis", ir.AttrInt64("axis", 0))
    if old.operand(1) is None and not old.attribute("split"):
        old.node.attributes["num_outputs"] = ir.AttrInt64("num_outputs", len(old.node.outputs))


@changed_in(4, "Concat")
def axis_by_default(old: Upgrade) -> None:
    """The axis had a default."""
    old.node.attributes.setdefault("axis", ir.AttrInt64("axis", 1))


@changed_in(2, "Pad")
def paddings(old: Upgrade) -> None:
    """The pads had another name."""
    old.node.attributes["pads"] = ir.AttrInt64s("pads", old.take("paddings", ()))


@changed_in(6, "Tile")
def repeats(old: Upgrade) -> None:
    """Repetitions along one axis."""
    tiles, axis = constant(old.operand(1)), constant(old.operand(2))
    if tiles is None or axis is None:
        raise UpgradeError
    counts = np.ones(old.rank(old.x), np.int64)
    counts[int(axis.reshape(-1)[0])] = int(tiles.reshape(-1)[0])
    old.put(1, old.constant(counts, "repeats"))
    old.node.resize_inputs(2)


@changed_in(6, "Cast")
def type_by_name(old: Upgrade) -> None:
    """The type was a name."""
    name = str(old.attribute("to")).upper()
    if name not in ir.DataType.__members__:
        raise UpgradeError
    old.node.attributes["to"] = ir.AttrInt64("to", ir.DataType[name].value)


@changed_in(9, "Scan")
def of_batches(_old: Upgrade) -> None:
    """Scan ran over the second axis, for each entry of a batch by itself."""
    raise UpgradeError
