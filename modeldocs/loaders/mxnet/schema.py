"""Operators of MXNet: their names in all of its versions, and what each operand is for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

_OTHER_NAMES: Final[dict[str, tuple[str, ...]]] = {
    "Convolution": ("Convolution_v1",),
    "BatchNorm": ("BatchNorm_v1", "CuDNNBatchNorm", "_contrib_SyncBatchNorm", "SyncBatchNorm"),
    "Pooling": ("Pooling_v1",),
    "SoftmaxOutput": ("Softmax",),
    "Concat": ("concat", "_rnn_param_concat", "_npi_rnn_param_concat"),
    "Flatten": ("flatten",),
    "Reshape": ("reshape",),
    "Cast": ("cast", "amp_cast"),
    "SwapAxis": ("swapaxes", "SwapAxes"),
    "SliceChannel": ("split",),
    "Pad": ("pad",),
    "slice": ("crop",),
    "identity": (
        "_copy", "_np_copy", "BlockGrad", "stop_gradient", "MakeLoss", "make_loss",
        "_identity_with_attr_like_rhs", "IdentityAttachKLSparseReg", "_CrossDeviceCopy",
        "_copyto", "LinearRegressionOutput", "MAERegressionOutput", "SVMOutput",
        "_contrib_gradientmultiplier",
    ),
    "sum": ("sum_axis",),
    "max": ("max_axis",),
    "min": ("min_axis",),
    "add_n": ("ElementWiseSum", "_sum"),
    "add": (
        "elemwise_add", "_plus", "_Plus", "_add", "_grad_add", "broadcast_add", "broadcast_plus",
    ),
    "sub": (
        "elemwise_sub", "_minus", "_Minus", "_sub", "broadcast_sub", "broadcast_minus",
        "_npi_subtract",
    ),
    "mul": ("elemwise_mul", "_mul", "_Mul", "broadcast_mul", "_npi_multiply"),
    "div": ("elemwise_div", "_div", "_Div", "broadcast_div"),
    "mod": ("_mod", "_Mod", "broadcast_mod"),
    "power": ("_power", "_Power", "_pow", "broadcast_power"),
    "maximum": ("_maximum", "_Maximum", "broadcast_maximum"),
    "minimum": ("_minimum", "_Minimum", "broadcast_minimum"),
    "equal": ("_equal", "_Equal", "broadcast_equal"),
    "not_equal": ("_not_equal", "_Not_Equal", "broadcast_not_equal"),
    "greater": ("_greater", "_Greater", "broadcast_greater"),
    "greater_equal": ("_greater_equal", "_Greater_Equal", "broadcast_greater_equal"),
    "lesser": ("_lesser", "_Lesser", "broadcast_lesser", "_npi_less"),
    "lesser_equal": ("_lesser_equal", "_Lesser_Equal", "broadcast_lesser_equal", "_npi_less_equal"),
    "logical_and": ("_logical_and", "broadcast_logical_and"),
    "logical_or": ("_logical_or", "broadcast_logical_or"),
    "plus_scalar": ("_plus_scalar", "_PlusScalar", "_npi_add_scalar"),
    "minus_scalar": ("_minus_scalar", "_MinusScalar", "_npi_subtract_scalar"),
    "rminus_scalar": ("_rminus_scalar", "_RMinusScalar", "_npi_rsubtract_scalar"),
    "mul_scalar": ("_mul_scalar", "_MulScalar", "_npi_multiply_scalar"),
    "div_scalar": ("_div_scalar", "_DivScalar"),
    "rdiv_scalar": ("_rdiv_scalar", "_RDivScalar"),
    "power_scalar": ("_power_scalar", "_PowerScalar"),
    "rpower_scalar": ("_rpower_scalar", "_RPowerScalar"),
    "mod_scalar": ("_mod_scalar",),
    "maximum_scalar": ("_maximum_scalar", "_MaximumScalar"),
    "minimum_scalar": ("_minimum_scalar", "_MinimumScalar"),
    "equal_scalar": ("_equal_scalar", "_EqualScalar"),
    "not_equal_scalar": ("_not_equal_scalar", "_NotEqualScalar"),
    "greater_scalar": ("_greater_scalar", "_GreaterScalar"),
    "greater_equal_scalar": ("_greater_equal_scalar", "_GreaterEqualScalar"),
    "lesser_scalar": ("_lesser_scalar", "_LesserScalar", "_npi_less_scalar"),
    "lesser_equal_scalar": ("_lesser_equal_scalar", "_LesserEqualScalar", "_npi_less_equal_scalar"),
    "broadcast_axis": ("broadcast_axes",),
    "split_v2": ("_split_v2",),
    "zeros": ("_zeros", "_zeros_without_dtype"),
    "ones": ("_ones",),
    "full": ("_full",),
    "arange": ("_arange",),
    "reverse": ("flip",),
    "Proposal": ("_contrib_MultiProposal",),
    "PSROIPooling": ("_contrib_DeformablePSROIPooling",),
    "linalg_gemm2": ("_linalg_gemm2",),
    "abs": ("_npi_absolute",),
    "CTCLoss": ("ctc_loss", "_contrib_ctc_loss"),
}  # fmt: skip
"""Earlier names and synonyms of an operator, by its current name."""

_PREFIXED: Final[dict[str, tuple[str, ...]]] = {
    "_npi_": (
        "stack", "where", "tile", "mean", "add", "mod", "power", "maximum", "minimum", "equal",
        "not_equal", "greater", "greater_equal", "power_scalar", "rpower_scalar", "mod_scalar",
        "maximum_scalar", "minimum_scalar", "equal_scalar", "not_equal_scalar", "greater_scalar",
        "greater_equal_scalar", "zeros", "ones", "full", "exp", "log", "sqrt", "ceil", "floor",
        "rint", "sign", "sin", "cos", "tan", "arcsin", "arccos", "arctan", "sinh", "cosh", "tanh",
        "arcsinh", "arccosh", "arctanh", "square", "reciprocal", "negative", "log2", "log10",
        "log1p", "expm1", "fix", "trunc",
    ),
    "_np_": (
        "transpose", "squeeze", "sum", "prod", "max", "min",
    ),
    "_npx_": ("relu", "sigmoid"),
    "_contrib_": (
        "MultiBoxPrior", "MultiBoxDetection", "MultiBoxTarget", "Proposal", "PSROIPooling",
        "ROIAlign", "BilinearResize2D", "AdaptiveAvgPooling2D", "DeformableConvolution",
        "ModulatedDeformableConvolution", "div_sqrt_dim", "CTCLoss",
    ),
}  # fmt: skip
"""Operators that other modules of MXNet have under the same name with a prefix."""

_CURRENT: Final = {
    **{name: current for current, names in _OTHER_NAMES.items() for name in names},
    **{f"{prefix}{name}": name for prefix, names in _PREFIXED.items() for name in names},
}
"""The current name of an operator, by each of the others."""

_NORM = ("data", "gamma", "beta")
_WEIGHTED = ("data", "weight", "bias")
_LABELLED = ("data", "label")

_OPERANDS: Final[dict[str, tuple[str, ...]]] = {
    "Convolution": _WEIGHTED,
    "Deconvolution": _WEIGHTED,
    "FullyConnected": _WEIGHTED,
    "DeformableConvolution": ("data", "offset", "weight", "bias"),
    "ModulatedDeformableConvolution": ("data", "offset", "mask", "weight", "bias"),
    "BatchNorm": (*_NORM, "moving_mean", "moving_var"),
    "InstanceNorm": _NORM,
    "LayerNorm": _NORM,
    "GroupNorm": _NORM,
    "LeakyReLU": ("data", "gamma"),
    "Embedding": ("data", "weight"),
    "RNN": ("data", "parameters", "state", "state_cell", "sequence_length"),
    "bilinear UpSampling": ("data", "weight"),
    "SoftmaxOutput": _LABELLED,
    "LogisticRegressionOutput": _LABELLED,
    "LinearRegressionOutput": _LABELLED,
    "MAERegressionOutput": _LABELLED,
    "SVMOutput": _LABELLED,
    "softmax_cross_entropy": _LABELLED,
    "CTCLoss": _LABELLED,
}
_PARAMETERS = frozenset(
    ("weight", "bias", "gamma", "beta", "moving_mean", "moving_var", "parameters")
)


def canonical(op: str, attributes: Mapping[str, str]) -> str:
    """An operator's current name, one for all synonyms.

    UpSampling is taken as two operators, since only the bilinear one has a weight.
    """
    if op == "UpSampling" and attributes.get("sample_type") == "bilinear":
        return "bilinear UpSampling"
    return _CURRENT.get(op, op)


def operands(op: str, source_op: str) -> tuple[str, ...]:
    """Names of an operator's operands; empty where all of them are data.

    `op` is its current name, `source_op` its name in the source.
    """
    return _OPERANDS.get(source_op, _OPERANDS.get(op, ()))


def role(op: str, source_op: str, slot: int) -> str:
    """The role of the operand in a slot: `parameter`, `label`, `state` or `data`."""
    names = operands(op, source_op)
    name = names[slot] if slot < len(names) else "data"
    if name in _PARAMETERS:
        return "parameter"
    return {"label": "label", "state": "state", "state_cell": "state"}.get(name, "data")
