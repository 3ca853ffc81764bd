"""A network as an architecture: its stages by resolution, with blocks, costs and kernels.

Two networks that have no layer in common are compared by it.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Final

from modeldocs import formatting
from modeldocs.fold.group import Group
from modeldocs.fold.receptive_field import depth, is_weighted, receptive_field
from modeldocs.ir import Layer, LayerGraph
from modeldocs.struct import Struct

VECTOR: Final = "vector"
"""The size of values without positions: rows of features."""

_NEAR: Final = 0.9
"""How much smaller an image may be that is of the same stage."""


class Stage(Struct, frozen=True):
    """The layers of one resolution, in the order in which resolutions first occur.

    `size` is the height and width of images, the positions of a sequence, or `VECTOR`. `blocks` are
    blocks of a known form and, outside of these, layers with weights and poolings, each with its
    number. `channels` is the largest number of features of a position. `parameters` are trained
    values, `macs` multiply-accumulates, `bytes` those of the outputs of all layers.
    """

    size: str
    blocks: tuple[tuple[str, int], ...]
    channels: int
    layers: int
    parameters: int
    macs: int
    bytes: int


class Architecture(Struct, frozen=True):
    """A network as a whole, and its stages.

    `depth` is the largest number of layers with weights on a path, `receptive_field` the pixels of
    the input that a value of the last feature map depends on, empty where that is all of them.
    `kernels` are the windows of convolutions with their numbers.
    """

    inputs: tuple[str, ...]
    stages: tuple[Stage, ...]
    depth: int
    receptive_field: tuple[int, ...]
    kernels: tuple[tuple[str, int], ...]
    operators: tuple[tuple[str, int], ...]


def architecture(graph: LayerGraph, network: Group) -> Architecture:
    """The architecture of a graph; `network` is its fold."""
    layers = {layer.id: layer for layer in graph.layers}
    found = list(_blocks(network, layers))
    sizes = _merged(_sizes(graph, [ids for _, ids in found]))
    inside: dict[str, list[Layer]] = defaultdict(list)
    for layer in graph.layers:
        inside[sizes[layer.id]].append(layer)
    blocks: dict[str, Counter[str]] = defaultdict(Counter)
    for title, ids in found:
        blocks[sizes[ids[-1]]][title] += 1
    own = graph.own_parameters()
    return Architecture(
        inputs=tuple(formatting.shape(one.type) for one in graph.inputs),
        stages=tuple(
            Stage(
                size=size,
                blocks=tuple(blocks[size].items()),
                channels=max(map(_channels, some), default=0),
                layers=len(some),
                parameters=sum(
                    one.elements for layer in some for one in own[layer.id] if one.trainable
                ),
                macs=sum(layer.macs or 0 for layer in some),
                bytes=sum(layer.activation_bytes or 0 for layer in some),
            )
            for size, some in inside.items()
        ),
        depth=depth(graph),
        receptive_field=receptive_field(
            graph, {layer.id for layer in graph.layers if _size(layer) not in (VECTOR, "?")}
        ),
        kernels=tuple(Counter(_kernels(graph)).most_common()),
        operators=tuple(Counter(layer.operator for layer in graph.layers).most_common()),
    )


def _sizes(graph: LayerGraph, blocks: Sequence[Sequence[str]]) -> dict[str, str]:
    """The resolution of each layer; of those of a block that of its last one.

    A layer whose values have no positions but are given back to some that have, such as the gate of
    channels, is of the resolution of its readers.
    """
    readers: dict[str, list[str]] = defaultdict(list)
    for layer in graph.layers:
        for operand in layer.inputs:
            readers[operand.value].append(layer.id)
    found: dict[str, str] = {}
    for layer in reversed(graph.layers):
        size = _size(layer)
        others = [found[one] for one in readers[layer.id] if found[one] != VECTOR]
        found[layer.id] = others[0] if size == VECTOR and others else size
    for ids in blocks:
        found |= dict.fromkeys(ids, found[ids[-1]])
    return {layer.id: found[layer.id] for layer in graph.layers}


def _merged(sizes: Mapping[str, str]) -> dict[str, str]:
    """Sizes with those as one that follow each other and are nearly equal: convolutions without
    pads make images a little smaller.
    """
    names: dict[str, str] = {}
    for before, size in pairwise(["", *dict.fromkeys(sizes.values())]):
        names[size] = names[before] if before and _are_near(before, size) else size
    return {layer: names[size] for layer, size in sizes.items()}


def _are_near(ours: str, theirs: str) -> bool:
    a, b = (one.split(formatting.TIMES) for one in (ours, theirs))
    if len(a) != len(b) or not all(one.isdigit() for one in (*a, *b)):
        return False
    return all(_NEAR <= int(x) / int(y) <= 1 / _NEAR for x, y in zip(a, b, strict=True))


def _size(layer: Layer) -> str:
    shape = layer.outputs[0].shape if layer.outputs else None
    if shape is None:
        return "?"
    positions = shape[2:] if len(shape) > 3 else shape[1:-1]  # images, or rows of features
    known = [one for one in positions if one is not None]
    if len(known) == len(positions) and all(one == 1 for one in known):
        return VECTOR
    return formatting.dims(positions)


def _channels(layer: Layer) -> int:
    shape = layer.outputs[0].shape if layer.outputs else None
    if not shape or len(shape) < 2:
        return 0
    features = shape[1] if len(shape) > 3 else shape[-1]
    return features if isinstance(features, int) else 0


def _blocks(group: Group, layers: Mapping[str, Layer]) -> Iterator[tuple[str, list[str]]]:
    """Blocks, and layers outside of them, each with its layers."""
    for member in group.members:
        if isinstance(member, str):
            if title := _alone(layers[member]):
                yield title, [member]
        elif member.title and member.kind not in ("repeat", "fused", "stage", "network"):
            yield member.title, list(member.layers())
        elif member.kind == "repeat" and member.title:
            for one in member.members:
                yield member.title, [one] if isinstance(one, str) else list(one.layers())
        else:
            yield from _blocks(member, layers)


def _alone(layer: Layer) -> str:
    """A layer that is worth a line by itself, without its channels; empty for others."""
    worth = is_weighted(layer) or layer.operator.endswith("Pool")
    return formatting.headline(layer).partition(" · ")[0] if worth else ""


def _kernels(graph: LayerGraph) -> Iterator[str]:
    for layer in graph.layers:
        if layer.operator in ("Conv", "ConvTranspose") and layer.sizes("kernel_shape"):
            group = layer.number("group", 1)
            kind = "depthwise " if group > 1 and group == _channels(layer) else ""
            yield kind + formatting.window(layer.sizes("kernel_shape"))
