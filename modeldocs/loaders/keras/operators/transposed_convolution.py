"""Emitters of Keras' transposed convolutions: kernels are stored (spatial…, out, in).

TensorFlow computes them as the gradient of a convolution from the output to the input. The pads are
those of that convolution.
"""

from __future__ import annotations

import onnx_ir as ir

from modeldocs.loaders.keras.emitters import emits
from modeldocs.loaders.keras.operation import KerasOperation
from modeldocs.loaders.keras.operators import layout
from modeldocs.loaders.keras.operators.activation_functions import activate
from modeldocs.loaders.keras.operators.convolution import outputs_first
from modeldocs.loaders.keras.shapes import Dims


@emits("Conv1DTranspose", "Conv2DTranspose", "Conv3DTranspose", "BaseConvTranspose")
def transposed_convolution(op: KerasOperation) -> ir.Value:
    """ConvTranspose with its bias, and the activation."""
    layer = op.source
    source = layout.to_first(op, op.input())
    kernel = outputs_first(op, op.weight(layer.kernel))
    pads, output_padding = _pads(op, op.shape_of(source)[2:], layout.first_shape(op)[2:])
    value = op.node(
        "ConvTranspose",
        [source, kernel, op.bias()],
        padding=layer.padding,
        kernel_shape=list(layer.kernel_size),
        strides=list(layer.strides),
        dilations=list(layer.dilation_rate),
        pads=pads,
        output_padding=output_padding if any(output_padding) else None,
    )
    return activate(op, layout.back(op, value), layer.activation)


def _pads(op: KerasOperation, sizes: Dims, output_sizes: Dims) -> tuple[list[int], list[int]]:
    """Pads, begins before ends, and the padding of outputs that exceed what the windows reach."""
    layer = op.source
    begins, ends, output_padding = [], [], []
    axes = zip(
        sizes, output_sizes, layer.kernel_size, layer.strides, layer.dilation_rate, strict=True
    )
    for size, output_size, window, stride, dilation in axes:
        reach = (op.size(size) - 1) * stride + (window - 1) * dilation + 1
        total = reach - op.size(output_size)
        begin = max(total, 0) // 2 if layer.padding == "same" else 0
        begins.append(begin)
        ends.append(max(total - begin, 0))
        output_padding.append(max(-total, 0))
    return [*begins, *ends], output_padding
