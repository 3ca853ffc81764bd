"""What a layer costs: multiply-accumulates and bytes of its outputs."""

from __future__ import annotations

from collections.abc import Sequence

from modeldocs.graph import Operand, Parameter, TensorType

_BITS = {"float64": 64, "float32": 32, "float16": 16, "bfloat16": 16, "int4": 4, "uint4": 4}


def bits(dtype: str) -> int | None:
    """Bits of one element of an ONNX element type, None for strings and unknown types."""
    if dtype in _BITS:
        return _BITS[dtype]
    if dtype == "bool" or dtype.startswith("float8"):
        return 8
    digits = dtype.removeprefix("u").removeprefix("int")
    return int(digits) if digits.isdigit() else None


def activation_bytes(outputs: Sequence[TensorType]) -> int | None:
    """Bytes of all outputs; None where a shape or type is not known."""
    total = 0
    for output in outputs:
        elements, width = output.elements, bits(output.dtype)
        if elements is None or width is None:
            return None
        total += (elements * width + 7) // 8
    return total


def macs(
    operator: str,
    inputs: Sequence[Operand],
    parameters: Sequence[Parameter],
    outputs: Sequence[TensorType],
) -> int | None:
    """Multiply-accumulates of one call, 0 for operators that are no convolution or product.

    A convolution does (weights of one filter) for every element of its output; a transposed one
    for every element of its input; a matrix product (its inner dimension) per output element.
    """
    if operator not in ("Conv", "ConvTranspose", "Gemm", "MatMul"):
        return 0
    made = outputs[0].elements if outputs else None
    weight = next((p for p in parameters if p.role == "weight"), None)
    if operator == "ConvTranspose" and weight is not None:
        read = inputs[0].type.elements if inputs else None
        return None if read is None else read * weight.elements // weight.shape[0]
    if made is None:
        return None
    if operator == "Conv" and weight is not None:
        return made * weight.elements // weight.shape[0]
    if operator == "Gemm" and weight is not None:
        return made * weight.shape[-1]
    inner = inputs[0].type.shape[-1] if inputs and inputs[0].type.shape else None
    return made * inner if isinstance(inner, int) else None
