"""Forms of TensorFlow's functions for networks: products, activations, pooling, resizing."""

from __future__ import annotations

from typing import Any

import numpy as np

from modeldocs.loaders.keras import framework
from modeldocs.loaders.keras.operators.functions.form import Form, as_axes, ints, ops


def _tensordot(a: Any, b: Any, axes: Any) -> Any:
    setting = np.asarray(axes)
    if setting.ndim == 0:
        count = int(setting)
        axes = [list(range(len(a.shape) - count, len(a.shape))), list(range(count))]
    else:
        axes = [np.atleast_1d(operand_axes).tolist() for operand_axes in axes]
    return ops().tensordot(a, b, axes=axes)


def _patches(images: Any, sizes: Any, strides: Any, rates: Any, padding: str) -> Any:
    """Patches side by side alone, as when an image is cut up."""
    rows, columns = _inner(sizes) if np.ndim(_inner(sizes)) else (_inner(sizes),) * 2
    is_partition = list(sizes) == list(strides) and set(rates) == {1} and padding == "VALID"
    batch, height, width, depth = images.shape
    if not is_partition or height % rows or width % columns:
        raise NotImplementedError("only adjacent patches are supported")
    cut = (batch, height // rows, rows, width // columns, columns, depth)
    blocks = ops().transpose(ops().reshape(images, cut), (0, 1, 3, 2, 4, 5))
    return ops().reshape(blocks, (batch, height // rows, width // columns, rows * columns * depth))


def _softmax(logits: Any, axis: Any = None) -> Any:
    return ops().softmax(logits, axis=-1 if axis is None else axis)


def _log_softmax(logits: Any, axis: Any = None) -> Any:
    return ops().log_softmax(logits, axis=-1 if axis is None else axis)


def _gelu(features: Any, approximate: bool = False) -> Any:
    return ops().gelu(features, approximate=approximate)


def _leaky_relu(features: Any, alpha: float = 0.2) -> Any:
    return ops().leaky_relu(features, negative_slope=alpha)


def _l2_normalize(x: Any, axis: Any = None, epsilon: float = 1e-12, dim: Any = None) -> Any:
    o, axis_tuple = ops(), as_axes(axis if axis is not None else dim)
    squares = o.sum(o.square(x), axis=axis_tuple, keepdims=True)
    return o.multiply(x, o.rsqrt(o.maximum(squares, epsilon)))


def _normalised(
    x: Any, mean: Any, variance: Any, offset: Any, scale: Any, variance_epsilon: float
) -> Any:
    o = ops()
    factor = o.rsqrt(o.add(variance, variance_epsilon))
    factor = factor if scale is None else o.multiply(factor, scale)
    value = o.multiply(o.subtract(x, mean), factor)
    return value if offset is None else o.add(value, offset)


def _spaces(name: str) -> Form:
    def form(tensor: Any, block_size: int, data_format: str = "NHWC") -> Any:
        layout = "channels_last" if data_format == "NHWC" else "channels_first"
        return getattr(ops().nn, name)(tensor, block_size, data_format=layout)

    return form


def _pooled(name: str) -> Form:
    def form(tensor: Any, ksize: Any, strides: Any, padding: Any, data_format: Any = "NHWC") -> Any:
        if data_format not in (None, "NHWC") or not isinstance(padding, str):
            raise NotImplementedError("its padding or data_format is not supported")
        pool = getattr(ops(), name)
        return pool(tensor, _inner(ksize), _inner(strides), padding.lower(), "channels_last")

    return form


def _inner(sizes: Any) -> Any:
    """The sizes of height and width, from one number, two or four."""
    sizes_list = np.atleast_1d(np.asarray(sizes)).tolist()
    if len(sizes_list) == 4:
        if sizes_list[0] != 1 or sizes_list[3] != 1:
            raise NotImplementedError("it strides over the batch or over channels")
        sizes_list = sizes_list[1:3]
    return tuple(sizes_list) if len(sizes_list) > 1 else sizes_list[0]


def _conv2d(
    tensor: Any, filters: Any, strides: Any, padding: Any, use_cudnn_on_gpu: bool = True,
    data_format: str = "NHWC", dilations: Any = None,
) -> Any:  # fmt: skip
    del use_cudnn_on_gpu
    if data_format != "NHWC" or not isinstance(padding, str):
        raise NotImplementedError("its padding or data_format is not supported")
    rate = 1 if dilations is None else _inner(dilations)
    return ops().conv(tensor, filters, _inner(strides), padding.lower(), "channels_last", rate)


def _bias_add(value: Any, bias: Any, data_format: Any = None) -> Any:
    if data_format not in (None, "NHWC", "N...C"):
        raise NotImplementedError("its data_format is not supported")
    return ops().add(value, bias)


def _resize(
    images: Any, size: Any, method: Any = "bilinear", preserve_aspect_ratio: bool = False,
    antialias: bool = False,
) -> Any:  # fmt: skip
    """Resizing by whole factors alone, which Keras' upsampling computes."""
    height, width = ints(size)
    rows, columns = height / images.shape[1], width / images.shape[2]
    is_whole = rows == int(rows) and columns == int(columns)
    method_name = str(getattr(method, "value", method)).lower()
    if (
        not is_whole
        or preserve_aspect_ratio
        or antialias
        or method_name not in ("bilinear", "nearest")
    ):
        raise NotImplementedError(
            "only bilinear and nearest resizing by whole factors is supported"
        )
    layers = framework.imported().layers
    return layers.UpSampling2D((int(rows), int(columns)), interpolation=method_name)(images)


def _matmul(
    a: Any, b: Any, transpose_a: bool = False, transpose_b: bool = False, **rest: Any
) -> Any:
    if any(rest.values()):
        raise NotImplementedError(f"{', '.join(rest)} of it is not supported")
    swap = ops().swapaxes
    return ops().matmul(
        swap(a, -1, -2) if transpose_a else a, swap(b, -1, -2) if transpose_b else b
    )


FORMS: dict[str, Form] = {
    "matmul": _matmul,
    "tensordot": _tensordot,
    "einsum": lambda equation, inputs: ops().einsum(equation, *inputs),
    "softmax": _softmax,
    "log_softmax": _log_softmax,
    "gelu": _gelu,
    "leaky_relu": _leaky_relu,
    "l2_normalize": _l2_normalize,
    "batch_normalization": _normalised,
    "depth_to_space": _spaces("depth_to_space"),
    "space_to_depth": _spaces("space_to_depth"),
    "max_pool2d": _pooled("max_pool"),
    "avg_pool2d": _pooled("average_pool"),
    "max_pool": _pooled("max_pool"),
    "avg_pool": _pooled("average_pool"),
    "conv2d": _conv2d,
    "bias_add": _bias_add,
    "resize": _resize,
    "extract_patches": _patches,
}
