"""Idioms: what the field calls a block, by its operators, kernels and join."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from modeldocs.fold.regions import FoldPart, Item, nodes_of
from modeldocs.ir import Layer, operators

SUMS = operators.named(affine="shift", commutative=True)
ACTIVATIONS = operators.named(family="activation", unary=True)
GATES = operators.named(saturating=True, non_negative=True)
MEANS = operators.named(over_plane="GlobalAveragePool", window="")


@dataclass(frozen=True)
class Contents:
    """The layers of a block, counted."""

    layers: tuple[Layer, ...]
    join: str
    """Operator of the last layer that is no epilogue."""
    operators: Counter[str]
    kernels: tuple[tuple[int, ...], ...]
    """Kernels of the convolutions, in order."""
    is_depthwise: tuple[bool, ...]

    @classmethod
    def of(cls, layers: Sequence[Layer]) -> Contents:
        """The contents of a block whose layers are in topological order."""
        convolutions = [layer for layer in layers if layer.operator == "Conv"]
        joins = [layer.operator for layer in layers if len(layer.inputs) > 1]
        return cls(
            layers=tuple(layers),
            join=joins[-1] if joins else layers[-1].operator,
            operators=Counter(layer.operator for layer in layers),
            kernels=tuple(layer.sizes("kernel_shape") for layer in convolutions),
            is_depthwise=tuple(map(is_depthwise, convolutions)),
        )


def is_depthwise(layer: Layer) -> bool:
    """Whether a convolution has one group a channel."""
    group = layer.number("group", 1)
    weight = layer.parameters[0].shape if layer.parameters else ()
    return group > 1 and len(weight) > 1 and weight[1] == 1


def is_pointwise(layer: Layer) -> bool:
    """Whether a convolution has a kernel of one."""
    return layer.operator == "Conv" and set(layer.sizes("kernel_shape")) == {1}


def block_title(layers: Sequence[Layer]) -> str:
    """What a region with one join is called; empty where it is none of the known idioms."""
    contents = Contents.of(layers)
    if _is_attention(contents):
        return "Attention"
    if contents.join == "Mul" and _has(contents, MEANS) and _has(contents, GATES):
        return "Squeeze-and-excitation"
    if contents.join in SUMS:
        return _residual_title(contents)
    if contents.join == "Concat":
        return _concatenation_title(contents)
    return ""


def _has(contents: Contents, kinds: Collection[str]) -> bool:
    return any(contents.operators[operator] for operator in kinds)


def _is_attention(contents: Contents) -> bool:
    products = contents.operators["MatMul"] + contents.operators["Einsum"]
    return bool(contents.operators["Attention"]) or (
        products > 1 and bool(contents.operators["Softmax"])
    )


def _residual_title(contents: Contents) -> str:
    if any(contents.is_depthwise):
        return (
            "Inverted residual" if set(contents.kernels[0]) == {1} else "Depthwise residual block"
        )
    if contents.kernels:
        sizes = [max(kernel, default=1) for kernel in contents.kernels]
        if len(sizes) > 2 and sizes.count(1) == len(sizes) - 1:
            return "Bottleneck"
        return "Residual block"
    if contents.operators["Gemm"] + contents.operators["MatMul"] > 1 and _has(
        contents, ACTIVATIONS
    ):
        return "MLP"
    return ""


def _concatenation_title(contents: Contents) -> str:
    concat = next(layer for layer in reversed(contents.layers) if layer.operator == "Concat")
    inside = {layer.id for layer in contents.layers}
    from_outside = sum(operand.value not in inside for operand in concat.inputs)
    if from_outside and len(contents.kernels) <= 2 and len(contents.layers) <= 10:
        return "Dense layer" if contents.kernels else ""
    is_image = len(concat.outputs[0].shape or ()) > 3 if concat.outputs else False
    if from_outside or not contents.kernels or not is_image:
        return ""
    return "Inception module" if len(concat.inputs) > 2 else ""


def instance_title(titles: Sequence[str]) -> str:
    """What the blocks of one instance of a repeat are together; empty where they are many."""
    if set(titles) == {"Attention", "MLP"}:
        count = titles.count("Attention")
        return "Transformer block" if count == 1 else f"{count} transformer blocks"
    return titles[0] if len(titles) == 1 else ""


def join_separable(items: Sequence[Item], layer_of: Sequence[Layer | None]) -> list[Item]:
    """A sequence with its depthwise convolutions and the pointwise ones around them as blocks."""
    result: list[Item] = []
    index = 0
    while index < len(items):
        heads = [_convolution(item, layer_of) for item in items[index : index + 3]]
        if len(heads) == 3 and _is(heads, (is_pointwise, is_depthwise, is_pointwise)):
            result.append(FoldPart("block", list(items[index : index + 3]), "Inverted bottleneck"))
            index += 3
        elif _is(heads[:2], (is_depthwise, is_pointwise)):
            title = "Depthwise-separable convolution"
            result.append(FoldPart("block", list(items[index : index + 2]), title))
            index += 2
        else:
            result.append(items[index])
            index += 1
    return result


def _is(layers: Sequence[Layer | None], kinds: Sequence[object]) -> bool:
    return len(layers) == len(kinds) and all(
        layer is not None and callable(kind) and kind(layer)
        for layer, kind in zip(layers, kinds, strict=True)
    )


def _convolution(item: Item, layer_of: Sequence[Layer | None]) -> Layer | None:
    """The convolution that an item is, with its epilogue."""
    if isinstance(item, FoldPart) and item.kind != "fused":
        return None
    layer = layer_of[nodes_of(item)[0]]
    return layer if layer is not None and layer.operator == "Conv" else None
