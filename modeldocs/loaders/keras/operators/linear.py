"""Emitters of Keras' dense layers and embeddings."""

from __future__ import annotations

import numpy as np
import onnx_ir as ir

from modeldocs.loaders.keras.emitters import computes, emits
from modeldocs.loaders.keras.operation import KerasOperation
from modeldocs.loaders.keras.operators.activation_functions import activate


@emits("Dense")
def dense(op: KerasOperation) -> ir.Value:
    """Gemm of a matrix, MatMul and Add of tensors with more axes."""
    layer, source = op.source, op.input()
    kernel = op.weight(layer.kernel)
    bias = op.bias()
    shape = op.output_shape()
    if len(shape) == 2:
        value = op.node("Gemm", [source, kernel, bias])
    else:
        value = op.node("MatMul", [source, kernel])
        value = value if bias is None else op.node("Add", [value, bias])
    return activate(op, value, layer.activation)


@emits("EinsumDense")
def einsum_dense(op: KerasOperation) -> ir.Value:
    """MatMul where the equation is a product with a matrix, else Einsum."""
    layer, source = op.source, op.input()
    shape = op.output_shape()
    rank = len(op.shape_of(source))
    equation = _explicit(layer.equation, rank)
    value = as_product(op, source, op.weight(layer.kernel), equation, shape)
    if layer.bias_axes is not None:
        value = op.node("Add", [value, op.weight(layer.bias)])
    return activate(op, value, layer.activation)


def as_product(
    op: KerasOperation,
    source: ir.Value,
    kernel: ir.Value,
    equation: str,
    shape: tuple[int | None, ...],
) -> ir.Value:
    """MatMul where an equation is a product with a matrix (`ab…x,xyz->ab…yz`), else Einsum."""
    left, kernel_axes, out = _parts(equation)
    summed = [axis for axis in kernel_axes if axis not in out]
    added = [axis for axis in kernel_axes if axis in out]
    is_matrix = left.endswith("".join(summed)) and kernel_axes == "".join(summed + added)
    if not is_matrix or not summed or out != left[: -len(summed)] + "".join(added):
        return op.node("Einsum", [source, kernel], equation=equation)
    sizes = [int(size) for size in op.shape_of(kernel) if size is not None]
    rows = int(np.prod(sizes[: len(summed)]))
    if len(summed) > 1:
        source = op.reshape(source, [*op.shape_of(source)[: -len(summed)], rows])
    if len(sizes) > 2:
        kernel = op.reshape(kernel, [rows, int(np.prod(sizes[len(summed) :]))])
    product = op.node("MatMul", [source, kernel])
    if len(added) == 1:
        return product
    return op.reshape(product, shape)


def _explicit(equation: str, rank: int) -> str:
    """The equation with letters in place of `...`."""
    if "..." not in equation:
        return equation
    left, _, _ = _parts(equation)
    letters = [c for c in "abcdefghijklmnopqrstuvwxyz" if c not in equation]
    missing = rank - len(left.replace("...", ""))
    return equation.replace("...", "".join(letters[:missing]))


def _parts(equation: str) -> tuple[str, str, str]:
    sources, out = equation.replace(" ", "").split("->")
    left, kernel = sources.split(",")
    return left, kernel, out


@emits("Embedding")
def embedding(op: KerasOperation) -> ir.Value:
    """Gather of a table's rows."""
    return _rows(op)


def _rows(op: KerasOperation) -> ir.Value:
    indices = op.input()
    if indices.dtype not in (ir.DataType.INT32, ir.DataType.INT64):
        indices = op.cast(indices, ir.DataType.INT32)
    return op.node("Gather", [op.weight(op.source.embeddings), indices], axis=0)


@emits("ReversibleEmbedding")
def reversible_embedding(op: KerasOperation) -> ir.Value:
    """Gather of a table's rows, or the product with the transposed table."""
    layer = op.source
    if not op.arguments.get("reverse"):
        return _rows(op)
    if layer.reverse_dtype is not None:
        raise NotImplementedError("it multiplies in another type")
    table = layer.embeddings if layer.tie_weights else layer.reverse_embeddings
    kernel = op.weight(table)
    kernel = op.transpose(kernel, [1, 0]) if layer.tie_weights else kernel
    value = op.node("MatMul", [op.input(), kernel])
    cap = getattr(layer, "logit_soft_cap", None)
    if cap is None:
        return value
    limited = op.node("Tanh", [op.node("Div", [value, op.number(cap)])])
    return op.node("Mul", [limited, op.number(cap)])


@computes("OneHot")
def one_hot(op: KerasOperation) -> ir.Value:
    depth = op.number(int(op.source.num_classes), ir.DataType.INT64, "depth")
    values = op.number(np.array([0, 1]), op.output_dtype, "values")
    indices = op.cast(op.input(), ir.DataType.INT64)
    return op.node("OneHot", [indices, depth, values], axis=int(op.source.axis))
