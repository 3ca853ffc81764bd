"""Two ports: the map of weights, applied to A's own checkpoint, in B's own framework."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Protocol

import msgspec
import numpy as np
import onnx
import onnx_ir as ir

from modeldocs import diff
from modeldocs.diff import Diff, MappedWeight, Weights
from modeldocs.errors import ModeldocsError
from modeldocs.isolation import Limits
from modeldocs.loaders import LoadRequest, loading
from modeldocs.loaders.loading import LoadedPort
from modeldocs.numeric import parity
from modeldocs.numeric.execution.closeness import is_one_hot
from modeldocs.numeric.parity import inputs, weight_init
from modeldocs.numeric.parity.run import weight_map
from modeldocs.numeric.parity.runnable_graph import RunnableGraph, runnable_graph
from modeldocs.numeric.parity.weight_init import SeededRandom
from modeldocs.verdict import output_head

from . import worker
from .checkpoints import KINDS, Arrays

TOLERANCE: Final = 2e-3
"""Relative error of outputs up to which it is rounding, of single precision and many layers."""

_REPOSITORY: Final = Path(__file__).parents[2]
_LIMITS: Final = Limits(seconds=600.0, memory_mb=8192)


Views = tuple[
    Callable[[list[np.ndarray]], list[np.ndarray]], Callable[[list[np.ndarray]], list[np.ndarray]]
]
"""What is compared of the outputs of A and of B."""


@dataclass(frozen=True)
class Subject:
    """A port, loaded."""

    name: str
    framework: str
    request: LoadRequest
    loaded: LoadedPort

    @property
    def runs(self) -> bool:
        """Whether its framework can be run with a checkpoint."""
        return self.framework in KINDS

    def graph(self) -> RunnableGraph:
        """Its graph as parity has it."""
        return runnable_graph(ir.from_proto(onnx.load_from_string(self.loaded.normal)))


@dataclass(frozen=True)
class Row:
    """A direction of a pair: what the map covers, and how far the outputs are apart."""

    pair: str
    mapped: int = 0
    lost: tuple[str, ...] = ()
    """Weights of A that no weight of B is computed from."""
    unset: tuple[str, ...] = ()
    """Weights of B's checkpoint that no entry sets."""
    unknown: tuple[str, ...] = ()
    """Names that are in neither checkpoint, and weights of another shape."""
    invented: tuple[str, ...] = ()
    """Weights of B of numbers that are not A's."""
    error: float | None = None
    claim: str = ""
    """What parity says of the direction: `holds` or `diverges`."""
    failure: str = ""

    @property
    def is_true(self) -> bool:
        """Whether the outputs are what parity says of them; it says nothing of another head."""
        if self.failure or self.claim == "the head differs":
            return True
        return self.is_right == (self.claim == "holds")

    @property
    def is_right(self) -> bool:
        """Whether all it names is there, and it gives A's outputs.

        Weights that no entry sets have random values: those that act at inference would be seen.
        """
        return not self.unknown and self.error is not None and self.error <= TOLERANCE


def load(name: str, framework: str, request: LoadRequest) -> Subject:
    """A port, loaded by modeldocs.

    Raises:
        ModeldocsError: it cannot be loaded.
    """
    loaded = loading.load(framework, request, _LIMITS)
    if loaded.failure is not None:
        raise loaded.failure.error()
    return Subject(name, framework, request, loaded)


@dataclass
class Direction:
    """The map of a pair's weights, and the inputs of both.

    `measured` is the map as running both has found it; without one, it is that of structure.
    """

    a: Subject
    b: Subject
    measured: Weights | None = None
    found: Diff = field(init=False)
    weights: Weights = field(init=False)
    inputs: tuple[Arrays, Arrays] = field(init=False)

    def __post_init__(self) -> None:
        assert self.a.loaded.graph is not None and self.b.loaded.graph is not None
        self.found = diff.compare(self.a.loaded.graph, self.b.loaded.graph)
        graphs, random = (self.a.graph(), self.b.graph()), SeededRandom()
        self.weights = self.measured or weight_map(*graphs, self.found)
        ours = weight_init.random_inputs(graphs[0], random)
        counterparts = inputs.counterpart(*graphs, self.found)
        arranged = {one for match in self.found.matches if match.order for one in match.a}
        theirs = inputs.converted(*graphs, ours, counterparts, arranged, random)
        self.inputs = ours, theirs

    def apply(self, folder: Path, claim: str, views: Views = (list, list)) -> Row:
        """Run A with a checkpoint of its own, and B with what the map makes of it."""
        pair = f"{self.a.name} → {self.b.name}"
        first, second = folder / "a", folder / "b"
        try:
            run(first, self.a, self.inputs[0])
            weights = worker.read(first / "weights.npz")
            absent = [
                name for one in self.weights.mapped for name in one.sources if name not in weights
            ]
            known = [one for one in self.weights.mapped if not set(one.sources) & set(absent)]
            given = {one.target: evaluated(one, weights) for one in known}
            report = run(second, self.b, self.inputs[1], given)
        except subprocess.CalledProcessError as error:
            return Row(pair, failure=error.stderr.decode().strip().rpartition("\n")[2])
        ours, theirs = (list(worker.read(one / "outputs.npz").values()) for one in (first, second))
        ours, theirs = (view(one) for view, one in zip(views, (ours, theirs), strict=True))
        if any(map(is_one_hot, ours)):
            return Row(pair, failure="probabilities of 0 and 1 show nothing of the network")
        return Row(
            pair,
            len(self.weights.mapped),
            self.weights.unused,
            report.unset,
            (*absent, *report.absent, *report.shapes),
            tuple(one.target for one in self.weights.mapped if not one.sources),
            error=max(map(distance, ours, theirs)),
            claim=claim,
        )


class Runnable(Protocol):
    """A port that its framework can run."""

    @property
    def framework(self) -> str:
        """The loader's name."""
        ...

    @property
    def request(self) -> LoadRequest:
        """What loads it."""
        ...


def run(
    folder: Path,
    subject: Runnable,
    inputs: Arrays,
    weights: Mapping[str, np.ndarray] | None = None,
) -> worker.Report:
    """Run a port in the interpreter of its framework.

    Raises:
        CalledProcessError: its framework could not run it.
    """
    prepare(folder, subject, inputs, weights)
    run_prepared([folder], subject)
    return report_of(folder)


def prepare(
    folder: Path,
    subject: Runnable,
    inputs: Arrays,
    weights: Mapping[str, np.ndarray] | None = None,
    draws: int = 1,
) -> None:
    """Write what a run reads: the port, its inputs in so many draws, and weights to take over."""
    folder.mkdir(parents=True, exist_ok=True)
    task = worker.Task(subject.framework, subject.request, target=weights is not None, draws=draws)
    (folder / "request.json").write_bytes(msgspec.json.encode(task))
    worker.write(folder / "inputs.npz", inputs)
    if weights is not None:
        worker.write(folder / "weights.npz", dict(weights))


def run_prepared(folders: Sequence[Path], subject: Runnable) -> None:
    """Run what was prepared in folders, in one process of the interpreter of `subject`.

    Raises:
        CalledProcessError: a port could not be run; those after it were not.
    """
    chosen = loading.environment(subject.framework, subject.request, proving=True)
    if chosen is None:
        for folder in folders:
            worker.main(folder)
        return
    places = os.pathsep.join([str(_REPOSITORY), *subject.request.shared])
    environment = os.environ | {"PYTHONPATH": places, "TF_CPP_MIN_LOG_LEVEL": "3"}
    command = [loading.interpreter(chosen), "-m", worker.__name__, *map(str, folders)]
    subprocess.run(command, check=True, capture_output=True, env=environment, cwd=_REPOSITORY)


def report_of(folder: Path) -> worker.Report:
    """What a run said of itself."""
    return msgspec.json.decode((folder / "report.json").read_bytes(), type=worker.Report)


def evaluated(weight: MappedWeight, a: Mapping[str, np.ndarray]) -> np.ndarray:
    """A weight, by the steps of the file, as the guide tells a reader to apply them."""
    arrays: list[np.ndarray] = []
    for step in weight.steps:
        of = [arrays[index] for index in step.of]
        if step.op == "read":
            arrays.append(a[str(step.name)])
        elif step.op == "full":
            arrays.append(np.full(step.shape or (), step.value))
        elif step.op == "slice":
            arrays.append(np.take(of[0], range(step.start or 0, step.stop or 0), step.axis))
        elif step.op == "take":
            arrays.append(np.take(of[0], step.indices or (), step.axis))
        elif step.op == "concatenate":
            arrays.append(np.concatenate(of, step.axis or 0))
        elif step.op == "norm":
            arrays.append(_norm(of[0], step.axes))
        elif step.op == "weight_norm":
            arrays.append(of[0] * (of[1] / _norm(of[0], step.axes)))
        else:
            told = [one for one in (step.axes, step.shape) if one is not None]
            arrays.append(getattr(np, step.op)(*of, *told))
    return arrays[-1].astype(weight.dtype)


def _norm(array: np.ndarray, axes: Sequence[int] | None) -> np.ndarray:
    return np.sqrt(np.square(array).sum(tuple(axes or ()), keepdims=True))


def distance(ours: np.ndarray, theirs: np.ndarray) -> float:
    """The largest difference of two outputs, relative to the largest; channels may be last."""
    if ours.shape != theirs.shape and ours.ndim == theirs.ndim > 2:
        for start, end in ((-1, 1), (1, -1)):
            if np.moveaxis(theirs, start, end).shape == ours.shape:
                theirs = np.moveaxis(theirs, start, end)
                break
    if ours.size != theirs.size:
        return float("inf")
    scale = float(np.abs(ours).max()) or 1.0
    apart = np.abs(ours.astype(np.float64).ravel() - theirs.astype(np.float64).ravel())
    return float(apart.max() / scale)


def rows(a: Subject, b: Subject, folder: Path, views: Views = (list, list)) -> list[Row]:
    """Both directions of a pair, by what `views` take of their outputs: all, by their places."""
    assert a.loaded.graph is not None and b.loaded.graph is not None
    structure = diff.compare(a.loaded.graph, b.loaded.graph)
    numbers = parity.compare(a.loaded.normal, b.loaded.normal, structure, _LIMITS)
    of_head = output_head.changes(structure, (a.loaded.graph, b.loaded.graph))
    claims = ["the head differs" if of_head else one.verdict for one in numbers.directions]
    found: list[Row] = []
    ways = (((a, b), views), ((b, a), (views[1], views[0])))
    measured = [None if numbers.failure else one.weights for one in numbers.directions]
    for ((ours, theirs), seen), claim, weights in zip(ways, claims, measured, strict=True):
        place = folder / f"{ours.name} {theirs.name}".replace("/", "-")
        try:
            found.append(Direction(ours, theirs, weights).apply(place, claim, seen))
        except ModeldocsError as error:
            found.append(Row(f"{ours.name} → {theirs.name}", failure=error.reason))
    return found
