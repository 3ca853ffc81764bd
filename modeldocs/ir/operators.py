"""Operators of ONNX: their families, and the roles of their operands."""

from __future__ import annotations

import functools
import importlib
from typing import Final

import onnx

OPSET: Final = 23
"""The operator set that graphs are in: the first with Attention and RMSNormalization."""

RANDOM: Final = frozenset(
    {
        "Bernoulli",
        "Multinomial",
        "RandomNormal",
        "RandomNormalLike",
        "RandomUniform",
        "RandomUniformLike",
    }
)
"""Operators that compute other numbers in each run; Dropout does in training mode."""

FAMILIES: Final[dict[str, tuple[str, ...]]] = {
    "convolution": ("Conv", "ConvTranspose", "ConvInteger", "QLinearConv", "DeformConv"),
    "linear": ("Gemm", "MatMul", "Einsum", "MatMulInteger", "QLinearMatMul"),
    "normalization": (
        "BatchNormalization",
        "LayerNormalization",
        "InstanceNormalization",
        "GroupNormalization",
        "RMSNormalization",
        "LRN",
        "LpNormalization",
        "MeanVarianceNormalization",
    ),
    "activation": (
        "Relu",
        "LeakyRelu",
        "PRelu",
        "Elu",
        "Selu",
        "Celu",
        "Gelu",
        "Swish",
        "Mish",
        "Sigmoid",
        "HardSigmoid",
        "HardSwish",
        "Tanh",
        "Softplus",
        "Softsign",
        "Softmax",
        "LogSoftmax",
        "Hardmax",
        "ThresholdedRelu",
        "Clip",
        "Erf",
        "Dropout",
    ),
    "pooling": (
        "MaxPool",
        "AveragePool",
        "GlobalAveragePool",
        "GlobalMaxPool",
        "LpPool",
        "GlobalLpPool",
        "MaxRoiPool",
        "RoiAlign",
        "MaxUnpool",
        "ReduceMean",
        "ReduceMax",
        "ReduceSum",
    ),
    "elementwise": (
        "Add",
        "Sub",
        "Mul",
        "Div",
        "Pow",
        "Sqrt",
        "Exp",
        "Log",
        "Abs",
        "Neg",
        "Max",
        "Min",
        "Mean",
        "Sum",
        "Where",
        "Reciprocal",
        "Equal",
        "Less",
        "Greater",
        "And",
        "Or",
        "Not",
        "Floor",
        "Ceil",
        "Round",
        "Sin",
        "Cos",
        "Sign",
    ),
    "arrangement": (
        "Concat",
        "Split",
        "Slice",
        "Gather",
        "Pad",
        "Expand",
        "Tile",
        "Resize",
        "DepthToSpace",
        "SpaceToDepth",
        "ScatterND",
        "GatherND",
        "GatherElements",
        "TopK",
        "NonMaxSuppression",
    ),
    "attention": ("Attention", "RotaryEmbedding", "MultiHeadAttention", "GroupQueryAttention"),
    "recurrent": ("LSTM", "GRU", "RNN", "Loop", "Scan", "If"),
}
"""Operators by family; other operators are of the family `other`."""

_FAMILY_OF: Final = {operator: family for family, group in FAMILIES.items() for operator in group}

_ROLES: Final[dict[str, tuple[str, ...]]] = {
    "Conv": ("X", "weight", "bias"),
    "ConvTranspose": ("X", "weight", "bias"),
    "Gemm": ("A", "weight", "bias"),
    "MatMul": ("A", "weight"),
    "BatchNormalization": ("X", "scale", "bias", "mean", "var"),
    "LayerNormalization": ("X", "scale", "bias"),
    "GroupNormalization": ("X", "scale", "bias"),
    "InstanceNormalization": ("X", "scale", "bias"),
    "RMSNormalization": ("X", "scale"),
    "PRelu": ("X", "slope"),
    "Gather": ("weight", "indices"),
}

_WEIGHT_AND_BIAS: Final[dict[str, tuple[int, int | None]]] = {
    "ConvInteger": (1, None),
    "QLinearConv": (3, 8),
    "DeformConv": (1, 3),
    "CausalConvWithState": (1, 2),
    "MatMulInteger": (1, None),
    "QLinearMatMul": (3, None),
    "com.microsoft::FusedConv": (1, 2),
    "com.microsoft::NhwcFusedConv": (1, 2),
    "com.microsoft::NhwcConv": (1, 2),
    "com.microsoft::QLinearConv": (3, 8),
    "com.microsoft::FusedMatMul": (1, None),
    "com.microsoft::FusedMatMulActivation": (1, None),
    "com.microsoft::TransposeMatMul": (1, None),
    "com.microsoft::FusedGemm": (1, 2),
    "com.microsoft::QGemm": (3, 6),
    "com.microsoft::MatMulInteger16": (1, None),
    "com.microsoft::MatMulIntegerToFloat": (1, 6),
    "com.microsoft::DynamicQuantizeMatMul": (1, 4),
    "com.microsoft::MatMulNBits": (1, 5),
    "com.microsoft::MatMulBnb4": (1, None),
    "com.microsoft::GatherBlockQuantized": (0, None),
    "com.microsoft::Attention": (1, 2),
    "com.microsoft::QAttention": (1, 2),
    "com.microsoft::PackedAttention": (1, 2),
}
"""The slots of weight and bias of operators whose other operands are as in their schema."""

_CONTRIBUTED: Final = "com.microsoft::"

WEIGHTED_SLOTS: Final = {
    operator: roles.index("weight") for operator, roles in _ROLES.items() if "weight" in roles
} | {operator: weight for operator, (weight, _) in _WEIGHT_AND_BIAS.items()}
"""The operand slot that holds the weight, of the operators that have one."""

_OF_QUANTISATION: Final = ("scale", "scales", "zero_point", "zero_points", "absmax")
"""Ends of the names of operands that say what integers stand for; `scale` itself is a norm's."""


def weighted_slot(operator: str) -> int | None:
    """The operand slot that holds an operator's weight; None where it has none."""
    return WEIGHTED_SLOTS.get(operator)


def family(operator: str) -> str:
    """The family of an operator, `other` for an unknown one."""
    return _FAMILY_OF.get(operator, "other")


def is_contributed(operator: str) -> bool:
    """Whether it is one of onnxruntime's own operators."""
    return operator.startswith(_CONTRIBUTED)


def is_learned(operator: str, slot: int) -> bool:
    """Whether what is stored in a slot is learned, of whatever type: a weight or its bias."""
    return slot in (_WEIGHT_AND_BIAS.get(operator, (None, None))) or (
        operator == "DequantizeLinear" and slot == 0
    )


def is_quantisation(operator: str, slot: int) -> bool:
    """Whether an operand is a scale or zero point of quantised numbers, and so no parameter."""
    name = role(operator, slot).lower()
    return name != "scale" and name.endswith(_OF_QUANTISATION)


def role(operator: str, slot: int) -> str:
    """Name of an operand: `weight`, `bias`, `scale` …, else its name in the operator's schema."""
    roles = _ROLES.get(operator, ())
    if slot < len(roles):
        return roles[slot]
    weight, bias = _WEIGHT_AND_BIAS.get(operator, (None, None))
    if slot in (weight, bias):
        return "weight" if slot == weight else "bias"
    names = _operands(operator)
    return names[min(slot, len(names) - 1)] if names else f"input_{slot}"


@functools.cache
def _operands(operator: str) -> tuple[str, ...]:
    """Names of an operator's operands by its schema; none where it is not known."""
    if is_contributed(operator):
        return _contributed().get(operator.removeprefix(_CONTRIBUTED), ())
    if not onnx.defs.has(operator):
        return ()
    return tuple(str(formal.name) for formal in onnx.defs.get_schema(operator).inputs)


@functools.cache
def _contributed() -> dict[str, tuple[str, ...]]:
    """The operands of onnxruntime's own operators; it is loaded for networks that have some.

    It is loaded by name: what other networks are loaded with does not depend on it.
    """
    runtime = importlib.import_module("onnxruntime.capi.onnxruntime_pybind11_state")
    schemas = runtime.get_all_operator_schema()
    own = (schema for schema in schemas if schema.domain == "com.microsoft")
    return {schema.name: tuple(formal.name for formal in schema.inputs) for schema in own}
