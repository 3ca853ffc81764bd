"""What MXNet calls its operators, through the years, and what their operands are for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

_TODAY: Final[dict[str, tuple[str, ...]]] = {
    "Convolution": ("Convolution_v1",),
    "BatchNorm": ("BatchNorm_v1", "CuDNNBatchNorm", "_contrib_SyncBatchNorm", "SyncBatchNorm"),
    "Pooling": ("Pooling_v1",),
    "SoftmaxOutput": ("Softmax",),
    "Concat": ("concat", "_rnn_param_concat", "_npi_rnn_param_concat"),
    "Flatten": ("flatten",),
    "Reshape": ("reshape",),
    "Cast": ("cast", "amp_cast"),
    "SwapAxis": ("swapaxes", "SwapAxes"),
    "transpose": ("_np_transpose",),
    "squeeze": ("_np_squeeze",),
    "stack": ("_npi_stack",),
    "where": ("_npi_where",),
    "tile": ("_npi_tile",),
    "relu": ("_npx_relu",),
    "sigmoid": ("_npx_sigmoid",),
    "SliceChannel": ("split",),
    "Pad": ("pad",),
    "Crop": (),
    "slice": ("crop",),
    "slice_axis": (),
    "identity": (
        "_copy", "_np_copy", "BlockGrad", "stop_gradient", "MakeLoss", "make_loss",
        "_identity_with_attr_like_rhs", "IdentityAttachKLSparseReg", "_CrossDeviceCopy", "_copyto",
        "LinearRegressionOutput",
        "MAERegressionOutput", "SVMOutput", "_contrib_gradientmultiplier",
    ),
    "sum": ("sum_axis", "_np_sum"),
    "mean": ("_npi_mean",),
    "prod": ("_np_prod",),
    "max": ("max_axis", "_np_max"),
    "min": ("min_axis", "_np_min"),
    "add_n": ("ElementWiseSum", "_sum"),
    "add": (
        "elemwise_add", "_plus", "_Plus", "_add", "_grad_add", "broadcast_add", "broadcast_plus",
        "_npi_add",
    ),
    "sub": (
        "elemwise_sub", "_minus", "_Minus", "_sub", "broadcast_sub", "broadcast_minus",
        "_npi_subtract",
    ),
    "mul": ("elemwise_mul", "_mul", "_Mul", "broadcast_mul", "_npi_multiply"),
    "div": ("elemwise_div", "_div", "_Div", "broadcast_div"),
    "mod": ("_mod", "_Mod", "broadcast_mod", "_npi_mod"),
    "power": ("_power", "_Power", "_pow", "broadcast_power", "_npi_power"),
    "maximum": ("_maximum", "_Maximum", "broadcast_maximum", "_npi_maximum"),
    "minimum": ("_minimum", "_Minimum", "broadcast_minimum", "_npi_minimum"),
    "equal": ("_equal", "_Equal", "broadcast_equal", "_npi_equal"),
    "not_equal": ("_not_equal", "_Not_Equal", "broadcast_not_equal", "_npi_not_equal"),
    "greater": ("_greater", "_Greater", "broadcast_greater", "_npi_greater"),
    "greater_equal": (
        "_greater_equal", "_Greater_Equal", "broadcast_greater_equal", "_npi_greater_equal",
    ),
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
    "power_scalar": ("_power_scalar", "_PowerScalar", "_npi_power_scalar"),
    "rpower_scalar": ("_rpower_scalar", "_RPowerScalar", "_npi_rpower_scalar"),
    "mod_scalar": ("_mod_scalar", "_npi_mod_scalar"),
    "maximum_scalar": ("_maximum_scalar", "_MaximumScalar", "_npi_maximum_scalar"),
    "minimum_scalar": ("_minimum_scalar", "_MinimumScalar", "_npi_minimum_scalar"),
    "equal_scalar": ("_equal_scalar", "_EqualScalar", "_npi_equal_scalar"),
    "not_equal_scalar": ("_not_equal_scalar", "_NotEqualScalar", "_npi_not_equal_scalar"),
    "greater_scalar": ("_greater_scalar", "_GreaterScalar", "_npi_greater_scalar"),
    "greater_equal_scalar": (
        "_greater_equal_scalar", "_GreaterEqualScalar", "_npi_greater_equal_scalar",
    ),
    "lesser_scalar": ("_lesser_scalar", "_LesserScalar", "_npi_less_scalar"),
    "lesser_equal_scalar": ("_lesser_equal_scalar", "_LesserEqualScalar", "_npi_less_equal_scalar"),
    "broadcast_axis": ("broadcast_axes",),
    "split_v2": ("_split_v2",),
    "zeros": ("_zeros", "_zeros_without_dtype", "_npi_zeros"),
    "ones": ("_ones", "_npi_ones"),
    "full": ("_full", "_npi_full"),
    "arange": ("_arange",),
    "reverse": ("flip",),
    "MultiBoxPrior": ("_contrib_MultiBoxPrior",),
    "MultiBoxDetection": ("_contrib_MultiBoxDetection",),
    "MultiBoxTarget": ("_contrib_MultiBoxTarget",),
    "Proposal": ("_contrib_Proposal", "_contrib_MultiProposal"),
    "PSROIPooling": ("_contrib_PSROIPooling", "_contrib_DeformablePSROIPooling"),
    "ROIAlign": ("_contrib_ROIAlign",),
    "BilinearResize2D": ("_contrib_BilinearResize2D",),
    "AdaptiveAvgPooling2D": ("_contrib_AdaptiveAvgPooling2D",),
    "DeformableConvolution": ("_contrib_DeformableConvolution",),
    "ModulatedDeformableConvolution": ("_contrib_ModulatedDeformableConvolution",),
    "div_sqrt_dim": ("_contrib_div_sqrt_dim",),
    "linalg_gemm2": ("_linalg_gemm2",),
    "exp": ("_npi_exp",),
    "log": ("_npi_log",),
    "sqrt": ("_npi_sqrt",),
    "ceil": ("_npi_ceil",),
    "floor": ("_npi_floor",),
    "rint": ("_npi_rint",),
    "sign": ("_npi_sign",),
    "sin": ("_npi_sin",),
    "cos": ("_npi_cos",),
    "tan": ("_npi_tan",),
    "arcsin": ("_npi_arcsin",),
    "arccos": ("_npi_arccos",),
    "arctan": ("_npi_arctan",),
    "sinh": ("_npi_sinh",),
    "cosh": ("_npi_cosh",),
    "tanh": ("_npi_tanh",),
    "arcsinh": ("_npi_arcsinh",),
    "arccosh": ("_npi_arccosh",),
    "arctanh": ("_npi_arctanh",),
    "square": ("_npi_square",),
    "reciprocal": ("_npi_reciprocal",),
    "negative": ("_npi_negative",),
    "log2": ("_npi_log2",),
    "log10": ("_npi_log10",),
    "log1p": ("_npi_log1p",),
    "expm1": ("_npi_expm1",),
    "fix": ("_npi_fix",),
    "trunc": ("_npi_trunc",),
    "abs": ("_npi_absolute",),
    "CTCLoss": ("_contrib_CTCLoss", "ctc_loss", "_contrib_ctc_loss"),
}  # fmt: skip

_ALIASES: Final = {old: today for today, group in _TODAY.items() for old in group}

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
    """The name that an operator goes by here: today's, or the same for those that do the same.

    UpSampling is two operators in one: only the bilinear one has a weight.
    """
    if op == "UpSampling" and attributes.get("sample_type") == "bilinear":
        return "bilinear UpSampling"
    return _ALIASES.get(op, op)


def operands(op: str, told: str) -> tuple[str, ...]:
    """Names of an operator's operands, where they are not just data."""
    return _OPERANDS.get(told, _OPERANDS.get(op, ()))


def role(op: str, told: str, slot: int) -> str:
    """What the operand in a slot is for: `parameter`, `label`, `state` or `data`."""
    names = operands(op, told)
    name = names[slot] if slot < len(names) else "data"
    if name in _PARAMETERS:
        return "parameter"
    return {"label": "label", "state": "state", "state_cell": "state"}.get(name, "data")
