"""Transposed convolutions: kernels are stored (spatial…, out, in), ONNX wants (in, out, spatial…).

TensorFlow computes them as the gradient of a convolution from the output to the input: pads are
those that this convolution has, the odd one at the end.
"""

from __future__ import annotations

import onnx_ir as ir

from modeldocs.loaders.keras import activations
from modeldocs.loaders.keras.call import Call
from modeldocs.loaders.keras.emitters import emits
from modeldocs.loaders.keras.layers import layout


@emits("Conv1DTranspose", "Conv2DTranspose", "Conv3DTranspose", "BaseConvTranspose")
def transposed_convolution(call: Call) -> ir.Value:
    """A transposed convolution, its bias and its activation."""
    layer = call.operation
    rank = len(layer.kernel_size)
    source = layout.to_first(call, call.input)
    shape = layout.first_shape(call)
    kernel = call.transpose(call.weight(layer.kernel), [rank + 1, rank, *range(rank)])
    pads, more = _pads(call, call.shape(source)[2:], shape[2:])
    made = call.node(
        "ConvTranspose",
        [source, kernel, call.weight(layer.bias) if layer.use_bias else None],
        padding=layer.padding,
        kernel_shape=list(layer.kernel_size),
        strides=list(layer.strides),
        dilations=list(layer.dilation_rate),
        pads=pads,
        output_padding=more if any(more) else None,
    )
    return activations.activate(call, layout.back(call, made), layer.activation)


def _pads(
    call: Call, sizes: tuple[int | None, ...], wanted: tuple[int | None, ...]
) -> tuple[list[int], list[int]]:
    """Pads, begins before ends, and what is added at the end where the window is too small."""
    layer = call.operation
    begins, ends, more = [], [], []
    axes = zip(sizes, wanted, layer.kernel_size, layer.strides, layer.dilation_rate, strict=True)
    for size, out, window, stride, dilation in axes:
        whole = (call.size(size) - 1) * stride + (window - 1) * dilation + 1
        total = whole - call.size(out)
        begin = max(total, 0) // 2 if layer.padding == "same" else 0
        begins.append(begin)
        ends.append(max(total - begin, 0))
        more.append(max(-total, 0))
    return [*begins, *ends], more
