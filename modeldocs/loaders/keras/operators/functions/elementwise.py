"""Forms of TensorFlow's elementwise functions and reductions."""

from __future__ import annotations

from typing import Any

from modeldocs.loaders.keras.operators.functions.form import Form, as_axes, ops

_UNARY = (
    "abs", "sin", "cos", "tan", "exp", "log", "sqrt", "rsqrt", "square", "sigmoid", "tanh",
    "erf", "sign", "floor", "ceil", "round", "reciprocal", "softplus", "log1p", "expm1", "asin",
    "acos", "atan", "sinh", "cosh", "negative", "logical_not", "log_sigmoid", "softsign",
)  # fmt: skip
_RENAMED = {
    "asin": "arcsin", "acos": "arccos", "atan": "arctan", "pow": "power",
    "floordiv": "floor_divide", "floor_div": "floor_divide", "floormod": "mod",
    "floor_mod": "mod", "truediv": "true_divide", "real_div": "true_divide",
    "reduce_mean": "mean", "reduce_sum": "sum",
    "reduce_max": "max", "reduce_min": "min", "reduce_prod": "prod", "reduce_any": "any",
    "reduce_all": "all", "reduce_std": "std", "reduce_variance": "var",
    "reduce_logsumexp": "logsumexp", "swish": "silu",
}  # fmt: skip
_BINARY = (
    "add", "subtract", "multiply", "divide", "pow", "maximum", "minimum", "floordiv", "truediv",
    "floormod", "floor_div", "floor_mod", "real_div", "equal", "not_equal", "greater",
    "greater_equal", "less", "less_equal", "logical_and", "logical_or",
)  # fmt: skip
_REDUCTIONS = tuple(name for name in _RENAMED if name.startswith("reduce_"))
_ACTIVATIONS = ("relu", "relu6", "elu", "selu", "silu", "swish")


def form_of(name: str) -> Form | None:
    """The form of a function by its name; None where there is none."""
    if name in FORMS:
        return FORMS[name]
    make_form = _reduction if name in _REDUCTIONS else _binary if name in _BINARY else _unary
    names = (*_REDUCTIONS, *_BINARY, *_UNARY, *_ACTIVATIONS)
    return make_form(getattr(ops(), _RENAMED.get(name, name))) if name in names else None


def _unary(operation: Form) -> Form:
    def form(**arguments: Any) -> Any:
        (value,) = arguments.values()
        return operation(value)

    return form


def _binary(operation: Form) -> Form:
    def form(x: Any, y: Any, **rest: Any) -> Any:
        _refuse(rest)
        return operation(x, y)

    return form


def _reduction(operation: Form) -> Form:
    def form(input_tensor: Any, axis: Any = None, keepdims: bool = False) -> Any:
        is_list = isinstance(input_tensor, list | tuple)
        value = ops().stack(input_tensor) if is_list else input_tensor
        return operation(value, axis=as_axes(axis), keepdims=keepdims)

    return form


def _refuse(rest: dict[str, Any]) -> None:
    """Raise where an argument is set that is not supported."""
    if any(value is not None for value in rest.values()):
        raise NotImplementedError(f"{', '.join(rest)} of it is not supported")


def _clipped(t: Any, clip_value_min: Any, clip_value_max: Any) -> Any:
    return ops().clip(t, clip_value_min, clip_value_max)


def _squared_difference(x: Any, y: Any) -> Any:
    return ops().square(ops().subtract(x, y))


def _divided_or_zero(x: Any, y: Any) -> Any:
    o = ops()
    return o.where(o.equal(y, 0), o.zeros_like(x), o.divide(x, y))


def _where(condition: Any, x: Any = None, y: Any = None) -> Any:
    if x is None or y is None:
        raise NotImplementedError("the size of its result depends on the values")
    return ops().where(condition, x, y)


def _extreme(operation: str) -> Form:
    def form(tensor: Any, axis: Any = None, output_type: Any = None) -> Any:
        import tensorflow as tf

        dtype_name = "int64" if output_type is None else tf.as_dtype(output_type).name
        indices = getattr(ops(), operation)(tensor, axis=0 if axis is None else axis)
        return ops().cast(indices, dtype_name)

    return form


FORMS: dict[str, Form] = {
    "clip_by_value": _clipped,
    "squared_difference": _squared_difference,
    "divide_no_nan": _divided_or_zero,
    "scalar_mul": lambda scalar, x: ops().multiply(scalar, x),
    "where": _where,
    "argmax": _extreme("argmax"),
    "argmin": _extreme("argmin"),
    "cumsum": lambda x, axis=0: ops().cumsum(x, axis=axis),
    "add_n": lambda inputs: sum(inputs[1:], inputs[0]),
}
