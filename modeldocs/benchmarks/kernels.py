"""What the name of a GPU kernel tells: the kind of its work, and the precision of its products."""

from __future__ import annotations

import re
from typing import Final, Literal

from modeldocs.benchmarks.activity.names import is_collective

Precision = Literal["float32", "tf32", "float16", "bfloat16"]

_KINDS: Final = (
    ("optimizer", r"multi_tensor_apply|\b(sgd|adam)\b|sgd_?update|fused_?adam"),
    ("attention", r"flash|attn|attention|fmha"),
    ("normalization", r"norm|\bbn_(fw|bw)|batch_?norm|rowwisemoments|lrn"),
    ("convolution", r"conv|fprop|dgrad|wgrad|winograd|fft2d|gcgemm|implicit_gemm|scudnn|hcudnn"),
    ("matrix product", r"gemm|gemv|cijk_|nvjet|matmul|splitkreduce|\bdot_kernel"),
    ("softmax", r"softmax"),
    ("pooling", r"pool"),
    ("embedding", r"embedding|indexselect|index_select|gather|scatter"),
    ("copy and layout", r"copy|nchwto|nhwcto|transpose|permute|catarray|im2col|col2im"),
    ("reduction", r"reduce|\bsum|argmax|devicescan|\bsort"),
    ("elementwise", r"elementwise|relu|gelu|sigmoid|dropout|bias|fillfunctor|scalepacked|epilogue"),
)

OTHER: Final = "other kernels"

_PATTERNS: Final = tuple((kind, re.compile(pattern, re.I)) for kind, pattern in _KINDS)

_PRODUCT: Final = re.compile(
    r"gemm|gemv|cudnn|xmma|fprop|dgrad|wgrad|winograd|cijk_|nvjet|convolve|tensorop|flash|fmha",
    re.I,
)

_PRECISIONS: Final[tuple[tuple[Precision, re.Pattern[str]], ...]] = (
    ("bfloat16", re.compile(r"bf16|bfloat16", re.I)),
    ("tf32", re.compile(r"tf32", re.I)),
    ("float16", re.compile(r"(?<![a-z])f16|fp16|half|h(884|1688|16816|gemm|gemv|cudnn)", re.I)),
    ("float16", re.compile(r"s884(gemm|cudnn)|nvjet_h|cijk_[a-z]+_[a-z]+_h", re.I)),
    ("bfloat16", re.compile(r"nvjet_t|cijk_[a-z]+_[a-z]+_b", re.I)),
    ("tf32", re.compile(r"s1688(gemm|cudnn)", re.I)),
    ("float32", re.compile(r"sgemm|sgemv|scudnn|cgemm|f32f32|cijk_[a-z]+_[a-z]+_s", re.I)),
    ("float32", re.compile(r"<(int, )*float\b")),
)
"""Marks of a precision in names, those that say it outright first.

`s1688` products without a type read float32 and compute in TF32, `s884` ones read float16.
"""


def kind(name: str) -> str:
    """The kind of work of a kernel of CUDA or ROCm libraries; `other kernels` where unknown."""
    if is_collective(name):
        return "communication"
    return next((kind for kind, pattern in _PATTERNS if pattern.search(name)), OTHER)


def product_precision(name: str) -> Precision | None:
    """The precision that a kernel of products (GEMM, convolution, attention) reads.

    None where the name does not tell, and for other kernels: under mixed precision these run in
    any type.
    """
    if not _PRODUCT.search(name):
        return None
    return next((found for found, pattern in _PRECISIONS if pattern.search(name)), None)
