"""Containers: which input each of their modules reads, and how they join the outputs."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import onnx_ir as ir

from modeldocs.errors import ModeldocsError
from modeldocs.ir import Module as Step
from modeldocs.loaders.emission import cutting
from modeldocs.loaders.emission.emitters import Emitters
from modeldocs.loaders.torch7.operation import Flow, TorchOperation, shape_of
from modeldocs.loaders.torch7.program import LuaModule, ModuleProgram

Steps = tuple[Step, ...]


class ContainerAssembly(Protocol):
    """What containers need of the assembly that visits them."""

    program: ModuleProgram
    file: str

    def walk(self, number: int, flow: Flow, path: str, above: Steps) -> Flow:
        """The output of a module, whose nodes are added."""

    def compute(self, visit: Visit, flow: Flow, emit: Callable[[TorchOperation], Flow]) -> Flow:
        """The output of an emitter, whose nodes are added."""


@dataclass(frozen=True, slots=True)
class Visit:
    """A module at one place of the network; `steps` are the containers around it, and itself."""

    assembly: ContainerAssembly
    number: int
    module: LuaModule
    path: str
    steps: Steps

    def walk(self, number: int, place: int, flow: Flow) -> Flow:
        """The output of a module that stands at a place, from 0, inside of this one."""
        path = f"{self.path}.{place + 1}" if self.path else str(place + 1)
        return self.assembly.walk(number, flow, path, self.steps)

    def child(self, place: int, flow: Flow) -> Flow:
        """The output of one of the container's modules."""
        return self.walk(self.module.children[place], place, flow)

    def compute(self, flow: Flow, emit: Callable[[TorchOperation], Flow]) -> Flow:
        """The output of nodes that the container adds itself."""
        return self.assembly.compute(self, flow, emit)

    def error(self, reason: str, fix: str) -> ModeldocsError:
        """The error to raise, naming the module and its line."""
        return self.module.error(reason, fix, path=self.path[:60], file=self.assembly.file)


Container = Callable[[Visit, Flow], Flow]
CONTAINERS = Emitters[Container]()
contains = CONTAINERS.emits


@contains("Sequential", "NoBackprop", "Container", "Serial", "Decorator")
def sequential(visit: Visit, flow: Flow) -> Flow:
    """Each module reads the output of the one before."""
    for place in range(len(visit.module.children)):
        flow = visit.child(place, flow)
    return flow


@contains("DataParallelTable", "DataParallel")
def data_parallel(visit: Visit, flow: Flow) -> Flow:
    """The same network on each device: drawn once."""
    return visit.child(0, flow) if visit.module.children else flow


@contains("ConcatTable")
def concat_table(visit: Visit, flow: Flow) -> Flow:
    """All modules read the same input; the output is a table."""
    return [visit.child(place, flow) for place in range(len(visit.module.children))]


@contains("ParallelTable")
def parallel_table(visit: Visit, flow: Flow) -> Flow:
    """Each module reads its own item of a table; the output is a table."""
    count = len(visit.module.children)
    if not isinstance(flow, list) or len(flow) < count:
        items = f"{len(flow)} items" if isinstance(flow, list) else "one tensor"
        raise visit.error(f"reads {items} with {count} modules", "give it an item for each")
    return [visit.child(place, flow[place]) for place in range(count)]


@contains("MapTable")
def map_table(visit: Visit, flow: Flow) -> Flow:
    """One module reads every item of a table, with the same parameters."""
    if not visit.module.children or not isinstance(flow, list):
        raise visit.error("maps no table", "give it a module, and a table")
    return [visit.child(0, item) for item in flow]


@contains("Concat", "DepthConcat")
def concat(visit: Visit, flow: Flow) -> Flow:
    """All modules read the same input; outputs are joined along a dimension of the batch."""
    if not visit.module.children:
        raise visit.error("has no modules", "add modules to it")

    def join(op: TorchOperation) -> Flow:
        branches = op.table
        axis = op.axis_of("dimension", value=branches[0])
        if visit.module.builtin == "DepthConcat":
            branches = _centred(op, branches, axis)
        return cutting.joined(op, branches, axis)

    return visit.compute(concat_table(visit, flow), join)


def _centred(op: TorchOperation, branches: Sequence[ir.Value], axis: int) -> list[ir.Value]:
    """Branches padded with zeros to the largest size along every axis but this one."""
    shapes = [shape_of(branch) for branch in branches]
    if len({len(shape) for shape in shapes}) > 1:
        raise op.error("joins tensors of unlike ranks", "check its branches")
    largest = [max(sizes) for sizes in zip(*shapes, strict=True)]
    padded = []
    for branch, shape in zip(branches, shapes, strict=True):
        missing = [most - size for size, most in zip(shape, largest, strict=True)]
        missing[axis] = 0
        pads = [*(n // 2 for n in missing), *(n - n // 2 for n in missing)]
        padded.append(op.node("Pad", [branch, op.integers(pads)]) if any(missing) else branch)
    return padded


@contains("Parallel")
def parallel(visit: Visit, flow: Flow) -> Flow:
    """Each module reads one slice of a dimension; outputs are joined along another."""

    def slices(op: TorchOperation) -> Flow:
        axis = op.axis_of("inputDimension", value=op.input())
        count, size = len(visit.module.children), op.shape()[axis]
        if size != count:
            raise op.error(f"has {count} modules for {size} slices", "add one for each")
        return cutting.unstack(op, op.input(), axis)

    def join(op: TorchOperation) -> Flow:
        return cutting.joined(op, op.table, op.axis_of("outputDimension", value=op.table[0]))

    return visit.compute(parallel_table(visit, visit.compute(flow, slices)), join)


@contains("Bottle")
def bottle(visit: Visit, flow: Flow) -> Flow:
    """A module for tensors of a lower rank: it reads the first dimensions as one."""
    if not visit.module.children:
        raise visit.error("has no module", "give it one")
    outer: list[int] = []

    def fold(op: TorchOperation) -> Flow:
        shape, rank = op.shape(), op.integer("nInputDim", 2, least=1)
        if len(shape) <= rank:
            return op.input()
        outer.extend(shape[: len(shape) - rank + 1])
        return op.reshape(op.input(), (math.prod(outer), *shape[len(outer) :]))

    def unfold(op: TorchOperation) -> Flow:
        return op.reshape(op.input(), (*outer, *op.shape()[1:]))

    output = visit.child(0, visit.compute(flow, fold))
    return visit.compute(output, unfold) if outer else output
