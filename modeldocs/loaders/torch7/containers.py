"""Containers: which of their modules sees what, and what becomes of what these give."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import onnx_ir as ir

from modeldocs.ir import Module as Step
from modeldocs.loaders.emission import cutting
from modeldocs.loaders.torch7.layer import Flow, Layer, shape_of
from modeldocs.loaders.torch7.recording import Module

if TYPE_CHECKING:
    from modeldocs.loaders.torch7.assembly import Assembly

Steps = tuple[Step, ...]
Container = Callable[["Assembly", Module, Flow, str, Steps], Flow]

CONTAINERS: dict[str, Container] = {}


def contains(*kinds: str) -> Callable[[Container], Container]:
    """Register what a class of containers does."""

    def register(container: Container) -> Container:
        CONTAINERS.update(dict.fromkeys(kinds, container))
        return container

    return register


def place(path: str, index: int) -> str:
    """Path of a container's module; Lua counts from 1."""
    return f"{path}.{index + 1}" if path else str(index + 1)


def _run(
    assembly: Assembly, module: Module, index: int, flow: Flow, path: str, steps: Steps
) -> Flow:
    return assembly.walk(module.children[index], flow, place(path, index), steps)


def _work(
    assembly: Assembly,
    module: Module,
    flow: Flow,
    path: str,
    steps: Steps,
    emit: Callable[[Layer], Flow],
) -> Flow:
    """What a container computes itself."""
    layer = assembly.layer(-1, module, flow, path, steps)
    made = emit(layer)
    assembly.commit(layer, -1, made)
    return made


@contains("Sequential", "NoBackprop", "Container", "Serial", "Decorator")
def sequential(assembly: Assembly, module: Module, flow: Flow, path: str, steps: Steps) -> Flow:
    """One after the other."""
    for index in range(len(module.children)):
        flow = _run(assembly, module, index, flow, path, steps)
    return flow


@contains("DataParallelTable", "DataParallel")
def data_parallel(assembly: Assembly, module: Module, flow: Flow, path: str, steps: Steps) -> Flow:
    """The same network on each device: drawn once."""
    return _run(assembly, module, 0, flow, path, steps) if module.children else flow


@contains("ConcatTable")
def concat_table(assembly: Assembly, module: Module, flow: Flow, path: str, steps: Steps) -> Flow:
    """Each sees the same; what they give is a table."""
    count = range(len(module.children))
    return [_run(assembly, module, index, flow, path, steps) for index in count]


@contains("ParallelTable")
def parallel_table(assembly: Assembly, module: Module, flow: Flow, path: str, steps: Steps) -> Flow:
    """Each sees its own item of a table."""
    count = len(module.children)
    if not isinstance(flow, list) or len(flow) < count:
        told = f"{len(flow)} items" if isinstance(flow, list) else "one tensor"
        raise assembly.error(
            module, path, f"reads {told} with {count} modules", "give it an item for each"
        )
    return [_run(assembly, module, index, flow[index], path, steps) for index in range(count)]


@contains("MapTable")
def map_table(assembly: Assembly, module: Module, flow: Flow, path: str, steps: Steps) -> Flow:
    """One module on every item of a table, with the same parameters."""
    if not module.children or not isinstance(flow, list):
        raise assembly.error(module, path, "maps no table", "give it a module, and a table")
    return [_run(assembly, module, 0, item, path, steps) for item in flow]


@contains("Concat", "DepthConcat")
def concat(assembly: Assembly, module: Module, flow: Flow, path: str, steps: Steps) -> Flow:
    """Each sees the same; what they give is joined along a dimension, counted with the batch."""
    if not module.children:
        raise assembly.error(module, path, "has no modules", "add modules to it")
    made = concat_table(assembly, module, flow, path, steps)

    def emit(layer: Layer) -> Flow:
        branches = layer.table
        axis = layer.axis(layer.integer("dimension", least=-8), len(shape_of(branches[0])))
        if module.builtin == "DepthConcat":
            branches = _centred(layer, branches, axis)
        return cutting.joined(layer, branches, axis)

    return _work(assembly, module, made, path, steps, emit)


def _centred(layer: Layer, branches: Sequence[ir.Value], axis: int) -> list[ir.Value]:
    """Branches of other sizes amid zeros, so that all are as large as the largest."""
    shapes = [shape_of(branch) for branch in branches]
    if len({len(shape) for shape in shapes}) > 1:
        raise layer.error("joins tensors of unlike ranks", "check its branches")
    largest = [max(sizes) for sizes in zip(*shapes, strict=True)]
    return [_amid_zeros(layer, branch, largest, axis) for branch in branches]


def _amid_zeros(layer: Layer, branch: ir.Value, largest: list[int], axis: int) -> ir.Value:
    shape = shape_of(branch)
    missing = [
        0 if i == axis else most - n for i, (n, most) in enumerate(zip(shape, largest, strict=True))
    ]
    if not any(missing):
        return branch
    pads = [*(n // 2 for n in missing), *(n - n // 2 for n in missing)]
    return layer.node("Pad", [branch, layer.integers(pads)])


@contains("Parallel")
def parallel(assembly: Assembly, module: Module, flow: Flow, path: str, steps: Steps) -> Flow:
    """Each sees one slice of a dimension; what they give is joined along another."""
    count = len(module.children)

    def cut(layer: Layer) -> Flow:
        shape = layer.shape()
        axis = layer.axis(layer.integer("inputDimension", least=-8), len(shape))
        if shape[axis] != count:
            raise layer.error(f"has {count} modules for {shape[axis]} slices", "add one for each")
        pieces = cutting.split(layer, layer.input, [1] * count, axis)
        flat = shape[:axis] + shape[axis + 1 :]
        return [layer.reshape(piece, flat) for piece in pieces]

    def join(layer: Layer) -> Flow:
        branches = layer.table
        axis = layer.axis(layer.integer("outputDimension", least=-8), len(shape_of(branches[0])))
        return cutting.joined(layer, branches, axis)

    slices = _work(assembly, module, flow, path, steps, cut)
    made = parallel_table(assembly, module, slices, path, steps)
    return _work(assembly, module, made, path, steps, join)


@contains("Bottle")
def bottle(assembly: Assembly, module: Module, flow: Flow, path: str, steps: Steps) -> Flow:
    """A module for a few dimensions on a tensor of more: the first ones are one for it."""
    if not module.children:
        raise assembly.error(module, path, "has no module", "give it one")
    outer: list[int] = []

    def fold(layer: Layer) -> Flow:
        shape, dims = layer.shape(), layer.integer("nInputDim", 2, least=1)
        if len(shape) <= dims:
            return layer.input
        outer.extend(shape[: len(shape) - dims + 1])
        return layer.reshape(layer.input, (math.prod(outer), *shape[len(outer) :]))

    def unfold(layer: Layer) -> Flow:
        return layer.reshape(layer.input, (*outer, *layer.shape()[1:]))

    folded = _work(assembly, module, flow, path, steps, fold)
    made = _run(assembly, module, 0, folded, path, steps)
    return _work(assembly, module, made, path, steps, unfold) if outer else made
