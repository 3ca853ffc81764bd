"""Whether parity names the layer that a numeric fault is in, and nothing where there is none."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from random import Random
from typing import Final

import onnx
import onnx_ir as ir

from modeldocs import diff, normal
from modeldocs.diff import Diff, Parity
from modeldocs.loaders.loading import LoadedPort
from modeldocs.numeric.parity.programs import programs
from modeldocs.numeric.parity.run import compare_networks

from .faults import FAULTS, plant
from .renaming import renamed
from .subjects import Subjects

FAULTY: Final = (
    "lenet/pytorch",
    "simple-cnn/keras",
    "cifar10-quick/caffe",
    "resnet50/pytorch",
    "resnet50/keras",
    "inception-v3/pytorch",
    "inception-bn/mxnet",
    "googlenet/caffe",
    "densenet121/pytorch",
    "mobilenetv2/pytorch",
    "vit-b-16/pytorch",
    "bert-base/pytorch",
)
"""Ports that faults are planted in."""

_LARGEST: Final = 40_000_000
"""Parameters up to which a port is run against itself."""

_LONGEST: Final = 10_000_000_000
"""Multiply-accumulates up to which it is."""


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault planted in a copy of a port, the layer it is in, and what parity named."""

    port: str
    kind: str
    layer: str
    told: str
    named: bool


@dataclass(slots=True)
class Located:
    """What parity named of the planted faults, and what it made up on ports against themselves."""

    faults: list[Fault] = field(default_factory=list)
    selves: int = 0
    alarms: list[str] = field(default_factory=list)


def run(subjects: Subjects, faults: int, selves: int, jobs: int = 2) -> Located:
    """Plant each kind of fault in each port, `faults` times, and run `selves` self-pairs."""
    held = [name for name in FAULTY if name in subjects.loaded]
    planned = [(name, kind, n) for name in held for kind in FAULTS for n in range(faults)]
    planted = [(name, subjects.loaded[name], kind, n) for name, kind, n in planned]
    alone = list(_selves(subjects, selves))
    with ProcessPoolExecutor(jobs) as pool:
        found = [fault for fault in pool.map(_fault, planted) if fault is not None]
        alarms = [told for told in pool.map(_self, alone) if told]
    return Located(found, len(alone), alarms)


def _fault(work: tuple[str, LoadedPort, str, int]) -> Fault | None:
    """Plant one fault and see; None where the port has no layer for it."""
    name, loaded, kind, number = work
    a, b = _model(loaded), _model(loaded)
    normal.apply(b)
    layer = plant(b, kind, Random(f"{name} {kind} {number}"))
    if layer is None:
        return None
    told, parity = _compared(a, renamed(b, number))
    return Fault(name, kind, layer, _told(parity), layer in _named(parity, told))


def _selves(subjects: Subjects, count: int) -> Iterator[tuple[str, LoadedPort, int]]:
    light = [
        (name, loaded)
        for name, loaded in subjects.loaded.items()
        if loaded.graph is not None
        and sum(p.elements for p in loaded.graph.parameters().values()) <= _LARGEST
        and (loaded.graph.totals().macs or 0) <= _LONGEST
    ]
    for number in range(count):
        name, loaded = light[number % len(light)]
        yield name, loaded, number


def _self(work: tuple[str, LoadedPort, int]) -> str:
    """What is told of a port against itself, renamed and in another order: nothing."""
    name, loaded, number = work
    told, parity = _compared(_model(loaded), renamed(_model(loaded), number))
    if told.changes or parity.verdict != "holds":
        return f"{name} (seed {number}): {told.verdict}, parity {_told(parity)}"
    return ""


def _compared(a: ir.Model, b: ir.Model) -> tuple[Diff, Parity]:
    """The diff of two models, and their numbers."""
    graphs = [normal.normalise(model) for model in (a, b)]
    told = diff.compare(*graphs)
    return told, compare_networks(*programs(a, b), told)


def _model(loaded: LoadedPort) -> ir.Model:
    made: ir.Model = ir.from_proto(onnx.ModelProto.FromString(loaded.onnx))
    return made


def _named(parity: Parity, told: Diff) -> set[str]:
    """Layers of A that the first divergence names, with those of the change that explains it.

    Where numbers differ at values as small as an epsilon alone, those of the change that does it.
    """
    named: set[str] = set()
    changes: set[int] = set(parity.small)
    if parity.first is not None:
        named.update(parity.first.pair[0])
        changes = {parity.first.change} - {None}
    return named | {x for n in changes for pair in told.changes[n - 1].pairs for x in pair[0]}


def _told(parity: Parity) -> str:
    if parity.first is not None:
        return f"first {'+'.join(parity.first.pair[0])}, {parity.first.error.size():.1e}"
    if parity.failure is not None:
        return f"not run: {parity.failure.reason}"
    return f"{parity.verdict}, outputs {parity.outputs.size():.1e}" if parity.outputs else "nothing"
