"""Pooling whose windows beyond the padded operand counted, and regions without half a pixel."""

from __future__ import annotations

import onnx_ir as ir

from modeldocs.normal import values
from modeldocs.normal.opset.rules import changed_in
from modeldocs.normal.opset.upgrade import Upgrade, UpgradeError


@changed_in(19, "AveragePool")
def counting_beyond(old: Upgrade) -> None:
    """With `ceil_mode` and `count_include_pad`, what a last window has beyond the pads counted.

    Since 19 it does not. More padding at the end has the same windows without `ceil_mode`.
    """
    if not (old.attribute("ceil_mode", 0) and old.attribute("count_include_pad", 0)):
        return
    dims = values.shape(old.x)
    if dims is None or old.attribute("auto_pad", "NOTSET") not in ("NOTSET", "", "VALID"):
        raise UpgradeError
    kernel = old.attribute("kernel_shape")
    strides = old.attribute("strides") or (1,) * len(kernel)
    pads = list(old.attribute("pads") or (0,) * (2 * len(kernel)))
    for axis, (size, window, stride) in enumerate(zip(dims[2:], kernel, strides, strict=True)):
        padded = size + pads[axis] + pads[axis + len(kernel)]
        windows = -(-(padded - window) // stride) + 1
        if (windows - 1) * stride >= size + pads[axis]:
            windows -= 1
        pads[axis + len(kernel)] += max((windows - 1) * stride + window - padded, 0)
    old.node.attributes["pads"] = ir.AttrInt64s("pads", pads)
    old.take("ceil_mode")


@changed_in(2, "LpPool", "GlobalLpPool")
def whole_power(old: Upgrade) -> None:
    """The power `p` was a floating-point number."""
    power = float(old.take("p", 2.0))
    if power != int(power):
        raise UpgradeError
    old.node.attributes["p"] = ir.AttrInt64("p", int(power))


@changed_in(16, "RoiAlign")
def without_half_pixel(old: Upgrade) -> None:
    """Regions were not moved by half a pixel."""
    name = "coordinate_transformation_mode"
    old.node.attributes[name] = ir.AttrString(name, "output_half_pixel")
