"""Dense layers and embeddings."""

from __future__ import annotations

import numpy as np
import onnx_ir as ir

from modeldocs.loaders.keras import activations
from modeldocs.loaders.keras.call import Call
from modeldocs.loaders.keras.emitters import emits


@emits("Dense")
def dense(call: Call) -> ir.Value:
    """One Gemm of a matrix; a product and a sum of what has more axes."""
    layer, source = call.operation, call.input
    kernel = call.weight(layer.kernel)
    bias = call.weight(layer.bias) if layer.use_bias else None
    shape = call.output_shape()
    if len(shape) == 2:
        made = call.node("Gemm", [source, kernel, bias])
    else:
        made = call.node("MatMul", [source, kernel])
        made = made if bias is None else call.node("Add", [made, bias])
    return activations.activate(call, made, layer.activation)


@emits("EinsumDense")
def einsum_dense(call: Call) -> ir.Value:
    """A product after an equation: a MatMul where it is one, else an Einsum."""
    layer, source = call.operation, call.input
    shape = call.output_shape()
    rank = len(call.shape(source))
    equation = _explicit(layer.equation, rank)
    made = as_product(call, source, call.weight(layer.kernel), equation, shape)
    if layer.bias_axes is not None:
        made = call.node("Add", [made, call.weight(layer.bias)])
    return activations.activate(call, made, layer.activation)


def as_product(
    call: Call, source: ir.Value, kernel: ir.Value, equation: str, shape: tuple[int | None, ...]
) -> ir.Value:
    """`ab…x,xyz->ab…yz` is a product with the kernel as a matrix; anything else an Einsum."""
    left, kernel_axes, out = _parts(equation)
    summed = [axis for axis in kernel_axes if axis not in out]
    made = [axis for axis in kernel_axes if axis in out]
    plain = left.endswith("".join(summed)) and kernel_axes == "".join(summed + made)
    if not plain or not summed or out != left[: -len(summed)] + "".join(made):
        return call.node("Einsum", [source, kernel], equation=equation)
    held = [int(size) for size in call.shape(kernel) if size is not None]
    rows = int(np.prod(held[: len(summed)]))
    if len(summed) > 1:
        source = call.reshape(source, [*call.shape(source)[: -len(summed)], rows])
    if len(held) > 2:
        kernel = call.reshape(kernel, [rows, int(np.prod(held[len(summed) :]))])
    product = call.node("MatMul", [source, kernel])
    if len(made) == 1:
        return product
    return call.reshape(product, shape)


def _explicit(equation: str, rank: int) -> str:
    """The equation with letters for the axes that `...` stands for."""
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
def embedding(call: Call) -> ir.Value:
    """Rows of a table."""
    layer, indices = call.operation, call.input
    if indices.dtype not in (ir.DataType.INT32, ir.DataType.INT64):
        indices = call.cast(indices, ir.DataType.INT32)
    return call.node("Gather", [call.weight(layer.embeddings), indices], axis=0)


@emits("ReversibleEmbedding")
def reversible_embedding(call: Call) -> ir.Value:
    """Rows of a table, or the product with the table turned round."""
    layer = call.operation
    if not call.arguments.get("reverse"):
        return embedding(call)
    if layer.reverse_dtype is not None:
        raise NotImplementedError("it multiplies in a type of its own")
    table = layer.embeddings if layer.tie_weights else layer.reverse_embeddings
    kernel = call.weight(table)
    kernel = call.transpose(kernel, [1, 0]) if layer.tie_weights else kernel
    made = call.node("MatMul", [call.input, kernel])
    cap = getattr(layer, "logit_soft_cap", None)
    if cap is None:
        return made
    inner = call.node("Tanh", [call.node("Div", [made, call.number(cap)])])
    return call.node("Mul", [inner, call.number(cap)])
