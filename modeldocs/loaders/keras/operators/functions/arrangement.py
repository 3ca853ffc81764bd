"""Forms of TensorFlow's functions that arrange, cut, join and convert."""

from __future__ import annotations

from typing import Any

import numpy as np

from modeldocs.loaders.keras.operators.functions.form import Form, as_axes, ints, ops


def _reshape(tensor: Any, shape: Any) -> Any:
    return ops().reshape(tensor, tuple(ints(shape)))


def _transpose(a: Any, perm: Any = None, conjugate: bool = False) -> Any:
    del conjugate
    return ops().transpose(a, None if perm is None else ints(perm))


def _concat(values: Any, axis: Any) -> Any:
    return ops().concatenate(values, axis=int(axis))


def _split(value: Any, num_or_size_splits: Any, axis: int = 0, num: Any = None) -> Any:
    del num
    parts = num_or_size_splits
    if not isinstance(parts, int) and np.ndim(parts) == 0:
        parts = int(parts)
    if isinstance(parts, int):
        return ops().split(value, parts, axis=axis)
    sizes = ints(parts)
    if -1 in sizes:
        sizes[sizes.index(-1)] = value.shape[axis] - sum(sizes) - 1
    return ops().split(value, np.cumsum(sizes)[:-1].tolist(), axis=axis)


def _unstack(value: Any, num: Any = None, axis: int = 0) -> Any:
    return ops().unstack(value, num, axis=axis)


def _pad(tensor: Any, paddings: Any, mode: str = "CONSTANT", constant_values: Any = 0) -> Any:
    widths = [[int(n) for n in pair] for pair in np.asarray(paddings)]
    if mode.upper() == "CONSTANT":
        return ops().pad(tensor, widths, "constant", constant_values)
    return ops().pad(tensor, widths, mode.lower())


def _slice(tensor: Any, begin: Any, size: Any) -> Any:
    starts, sizes = ints(begin), ints(size)
    ends = [None if size == -1 else start + size for start, size in zip(starts, sizes, strict=True)]
    return tensor[tuple(slice(start, end) for start, end in zip(starts, ends, strict=True))]


def _gather(
    params: Any, indices: Any, validate_indices: Any = None, axis: Any = None, batch_dims: int = 0
) -> Any:
    del validate_indices
    if batch_dims:
        is_last = batch_dims % len(indices.shape) == len(indices.shape) - 1
        if not is_last or len(params.shape) != len(indices.shape):
            raise NotImplementedError("its batch_dims are not supported")
        return ops().take_along_axis(params, indices, axis=len(params.shape) - 1)
    return ops().take(params, indices, axis=0 if axis is None else int(axis))


def _one_hot(
    indices: Any, depth: Any, on_value: Any = None, off_value: Any = None, axis: Any = None,
    dtype: Any = None,
) -> Any:  # fmt: skip
    if (on_value, off_value) not in ((None, None), (1, 0)):
        raise NotImplementedError("its on_value and off_value are not supported")
    import tensorflow as tf

    dtype_name = "float32" if dtype is None else tf.as_dtype(dtype).name
    return ops().one_hot(indices, int(depth), axis=-1 if axis is None else axis, dtype=dtype_name)


def _like(operation: str) -> Form:
    def form(tensor: Any, dtype: Any = None, layout: Any = None) -> Any:
        import tensorflow as tf

        del layout
        dtype_name = None if dtype is None else tf.as_dtype(dtype).name
        return getattr(ops(), operation)(tensor, dtype=dtype_name)

    return form


def _cast(x: Any, dtype: Any) -> Any:
    import tensorflow as tf

    return ops().cast(x, tf.as_dtype(dtype).name)


FORMS: dict[str, Form] = {
    "reshape": _reshape,
    "transpose": _transpose,
    "matrix_transpose": lambda a, conjugate=False: ops().swapaxes(a, -1, -2),  # noqa: ARG005
    "concat": _concat,
    "stack": lambda values, axis=0: ops().stack(values, axis=axis),
    "unstack": _unstack,
    "split": _split,
    "expand_dims": lambda tensor, axis: ops().expand_dims(tensor, as_axes(axis)),
    "squeeze": lambda tensor, axis=None: ops().squeeze(tensor, as_axes(axis)),
    "tile": lambda tensor, multiples: ops().tile(tensor, ints(multiples)),
    "repeat": lambda tensor, repeats, axis=None: ops().repeat(tensor, int(repeats), axis=axis),
    "broadcast_to": lambda tensor, shape: ops().broadcast_to(tensor, tuple(ints(shape))),
    "pad": _pad,
    "slice": _slice,
    "gather": _gather,
    "embedding_lookup": lambda params, ids: ops().take(params, ids, axis=0),
    "reverse": lambda tensor, axis: ops().flip(tensor, axis=as_axes(axis)),
    "roll": lambda tensor, shift, axis: ops().roll(tensor, as_axes(shift), axis=as_axes(axis)),
    "one_hot": _one_hot,
    "cast": _cast,
    "zeros_like": _like("zeros_like"),
    "ones_like": _like("ones_like"),
    "identity": lambda tensor: ops().copy(tensor),
    "stop_gradient": lambda tensor: ops().stop_gradient(tensor),
    "convert_to_tensor": lambda value, dtype=None, dtype_hint=None: (  # noqa: ARG005
        ops().copy(value) if dtype is None else _cast(value, dtype)
    ),
}
