"""Upsample, and Resize before it had modes; names of the modes of GridSample."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx_ir as ir

from modeldocs.normal.opset.operands import constant
from modeldocs.normal.opset.rules import changed_in
from modeldocs.normal.opset.upgrade import Upgrade, UpgradeError

_GRID_MODES = {"bilinear": "linear", "bicubic": "cubic"}


@changed_in(11, "Upsample", "Resize")
def asymmetric(old: Upgrade) -> ir.Value:
    """Coordinates were divided by the scales; a nearest one was rounded down, or up to shrink."""
    scales, mode = _scales(old), str(old.attribute("mode", "nearest"))
    mode = {"bilinear": "linear"}.get(mode, mode)
    if mode != "nearest":
        return old.replace(_resized(old, old.x, scales, mode=mode))
    known = constant(scales)
    grown = shrunk = scales
    if known is None or bool((known > 1).any() and (known < 1).any()):
        one = old.constant(np.ones(1, np.float32), "one")
        grown, shrunk = old.emit("Max", [scales, one]), old.emit("Min", [scales, one])
    result = old.x
    if known is None or not bool((known < 1).any()) or grown is not scales:
        result = _resized(old, result, grown, mode=mode, nearest_mode="floor")
    if known is None or bool((known < 1).any()):
        result = _resized(old, result, shrunk, mode=mode, nearest_mode="ceil")
    return old.replace(result)


def _resized(old: Upgrade, x: ir.Value, scales: ir.Value, **modes: Any) -> ir.Value:
    modes["coordinate_transformation_mode"] = "asymmetric"
    return old.emit("Resize", [x, None, scales], modes)


def _scales(old: Upgrade) -> ir.Value:
    operand = old.operand(1)
    if operand is not None:
        return operand
    scales = old.attribute("scales")
    if scales is None:
        height, width = old.attribute("height_scale"), old.attribute("width_scale")
        scales = (1.0, 1.0, height, width)
    if None in scales:
        raise UpgradeError
    return old.constant(np.array(scales, np.float32), "scales")


@changed_in(20, "GridSample")
def modes_of_any_rank(old: Upgrade) -> None:
    """Modes were named for two dimensions."""
    mode = str(old.attribute("mode", "bilinear"))
    old.node.attributes["mode"] = ir.AttrString("mode", _GRID_MODES.get(mode, mode))
