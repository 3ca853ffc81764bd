"""Functions of each element, and reductions."""

from __future__ import annotations

from typing import Any

from modeldocs.loaders.keras.forms.form import Form, axes, ops

_SAME = (
    "abs", "sin", "cos", "tan", "exp", "log", "sqrt", "rsqrt", "square", "sigmoid", "tanh",
    "erf", "sign", "floor", "ceil", "round", "reciprocal", "softplus", "log1p", "expm1", "asin",
    "acos", "atan", "sinh", "cosh", "negative", "logical_not", "log_sigmoid", "softsign",
)  # fmt: skip
_OTHERWISE = {
    "asin": "arcsin", "acos": "arccos", "atan": "arctan", "pow": "power",
    "floordiv": "floor_divide", "floor_div": "floor_divide", "floormod": "mod",
    "floor_mod": "mod", "truediv": "true_divide", "real_div": "true_divide",
    "reduce_mean": "mean", "reduce_sum": "sum",
    "reduce_max": "max", "reduce_min": "min", "reduce_prod": "prod", "reduce_any": "any",
    "reduce_all": "all", "reduce_std": "std", "reduce_variance": "var",
    "reduce_logsumexp": "logsumexp", "swish": "silu",
}  # fmt: skip
_TWO = (
    "add", "subtract", "multiply", "divide", "pow", "maximum", "minimum", "floordiv", "truediv",
    "floormod", "floor_div", "floor_mod", "real_div", "equal", "not_equal", "greater",
    "greater_equal", "less", "less_equal", "logical_and", "logical_or",
)  # fmt: skip
_REDUCTIONS = tuple(name for name in _OTHERWISE if name.startswith("reduce_"))
_ACTIVATIONS = ("relu", "relu6", "elu", "selu", "silu", "swish")


def form_of(name: str) -> Form | None:
    """The form of a function whose arguments are plain."""
    if name in FORMS:
        return FORMS[name]
    made = _reduced if name in _REDUCTIONS else _of_two if name in _TWO else _of_one
    known = (*_REDUCTIONS, *_TWO, *_SAME, *_ACTIVATIONS)
    return made(getattr(ops(), _OTHERWISE.get(name, name))) if name in known else None


def _of_one(operation: Form) -> Form:
    def form(**given: Any) -> Any:
        (value,) = given.values()
        return operation(value)

    return form


def _of_two(operation: Form) -> Form:
    def form(x: Any, y: Any, **rest: Any) -> Any:
        _nothing_but(rest)
        return operation(x, y)

    return form


def _reduced(operation: Form) -> Form:
    def form(input_tensor: Any, axis: Any = None, keepdims: bool = False) -> Any:
        whole = isinstance(input_tensor, list | tuple)
        held = ops().stack(input_tensor) if whole else input_tensor
        return operation(held, axis=axes(axis), keepdims=keepdims)

    return form


def _nothing_but(rest: dict[str, Any]) -> None:
    if any(value is not None for value in rest.values()):
        raise NotImplementedError(f"{', '.join(rest)} of it is not understood")


def _clipped(t: Any, clip_value_min: Any, clip_value_max: Any) -> Any:
    return ops().clip(t, clip_value_min, clip_value_max)


def _squared_difference(x: Any, y: Any) -> Any:
    return ops().square(ops().subtract(x, y))


def _divided(x: Any, y: Any) -> Any:
    o = ops()
    return o.where(o.equal(y, 0), o.zeros_like(x), o.divide(x, y))


def _where(condition: Any, x: Any = None, y: Any = None) -> Any:
    if x is None or y is None:
        raise NotImplementedError("how much it finds depends on the values")
    return ops().where(condition, x, y)


def _found(operation: str) -> Form:
    def form(tensor: Any, axis: Any = None, output_type: Any = None) -> Any:
        import tensorflow as tf

        named = "int64" if output_type is None else tf.as_dtype(output_type).name
        made = getattr(ops(), operation)(tensor, axis=0 if axis is None else axis)
        return ops().cast(made, named)

    return form


FORMS: dict[str, Form] = {
    "clip_by_value": _clipped,
    "squared_difference": _squared_difference,
    "divide_no_nan": _divided,
    "scalar_mul": lambda scalar, x: ops().multiply(scalar, x),
    "where": _where,
    "argmax": _found("argmax"),
    "argmin": _found("argmin"),
    "cumsum": lambda x, axis=0: ops().cumsum(x, axis=axis),
    "add_n": lambda inputs: sum(inputs[1:], inputs[0]),
}
