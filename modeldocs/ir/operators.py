"""Operators of ONNX: their families, and the roles of their operands."""

from __future__ import annotations

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

WEIGHTED_SLOTS: Final = {
    operator: roles.index("weight") for operator, roles in _ROLES.items() if "weight" in roles
}
"""The operand slot that holds the weight, of the operators that have one."""


def family(operator: str) -> str:
    """The family of an operator, `other` for an unknown one."""
    return _FAMILY_OF.get(operator, "other")


def role(operator: str, slot: int) -> str:
    """Name of an operand: `weight`, `bias`, `scale` …, else its name in the schema of ONNX."""
    roles = _ROLES.get(operator, ())
    if slot < len(roles):
        return roles[slot]
    if not onnx.defs.has(operator):
        return f"input_{slot}"
    inputs = onnx.defs.get_schema(operator).inputs
    return str(inputs[min(slot, len(inputs) - 1)].name) if inputs else f"input_{slot}"
