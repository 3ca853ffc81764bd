"""What a framework itself computes, to hold what was loaded against.

A loader that can prove its work has, besides `load`:

    def prove(self, request: LoadRequest, design: Design) -> Proven

It builds the framework's own model, makes of it the same ONNX graph as `load` does, asks `design`
for values of that graph's parameters and inputs, gives them to the framework's model, and runs it
in inference mode.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import numpy as np
import onnx_ir as ir

from modeldocs.struct import Struct

OWN = "their framework"
"""What most ports are held against, as a count of them ends."""

MODEL, ARRAYS, TOLD = "model.onnx", "arrays.npz", "reference.json"

Arrays = dict[str, np.ndarray]


@dataclass(frozen=True)
class Designed:
    """Values for a graph's parameters and inputs, by name, each of its own shape.

    They are of its own type, but what numpy has no type for (bfloat16) is of float32. `torn` is
    whether small values would show what these cannot.
    """

    parameters: Arrays
    inputs: Arrays
    torn: bool = False

    def parameter(self, name: str, shape: tuple[int, ...]) -> np.ndarray:
        """A parameter's values; of one that the graph does not read, any that are not neutral.

        Such a parameter should make no difference. If it does, it must not be hidden by a bias
        of zeros or a scale of ones.
        """
        held = self.parameters.get(name)
        return spare(name, shape) if held is None else held


Design = Callable[[ir.Model], Designed]
"""Designs values for the graph that a loader made."""


@dataclass(frozen=True)
class Reference:
    """One run of the framework's own model.

    `inputs` are by name of the ONNX graph's inputs, `outputs` by name of its outputs, in the
    framework's own layout, which is the ONNX graph's. `activations` are what single layers
    gave, by name of the ONNX value. `trainable` and `frozen` are
    numbers of parameter values as the framework counts them (running statistics are frozen);
    None where it has no count of its own. `parameters` are the values that it ran with, by name in
    the ONNX graph. `against` says in a few words what kind of software ran it. `torn` is whether
    another run, with small values, shows what this one cannot.
    """

    software: str
    inputs: Arrays
    outputs: Arrays
    activations: Arrays = field(default_factory=dict)
    trainable: int | None = None
    frozen: int | None = None
    parameters: Arrays = field(default_factory=dict)
    against: str = OWN
    torn: bool = False


class Proven(NamedTuple):
    """The graph, as `load` gives it, and one run of what it was made of."""

    model: ir.Model
    reference: Reference


class Told(Struct, frozen=True):
    """The plain part of a reference."""

    software: str
    trainable: int | None = None
    frozen: int | None = None
    against: str = OWN
    torn: bool = False


def spare(name: str, shape: tuple[int, ...]) -> np.ndarray:
    """Values of float32 for a parameter of no known purpose: the same for a name, and positive
    where it is a vector, which may hold variances.
    """
    random = np.random.default_rng(zlib.crc32(name.encode()))
    if len(shape) < 2:
        return np.asarray(random.uniform(0.5, 1.5, shape), np.float32)
    fan = max(int(np.prod(shape[1:], dtype=np.int64)), 1)
    return random.standard_normal(shape, dtype=np.float32) / np.float32(np.sqrt(fan))


def give(model: ir.Model, parameters: Arrays) -> None:
    """Put values into a graph's parameters, in place."""
    for name, array in parameters.items():
        value = model.graph.initializers.get(name)
        if value is not None and value.dtype is not None:
            made = np.asarray(array, value.dtype.numpy(), order="C")
            value.const_value = ir.tensor(made, name=name)


def write(onnx: bytes, reference: Reference, folder: Path) -> None:
    """Leave the graph's bytes and the run in a folder, for another process."""
    (folder / MODEL).write_bytes(onnx)
    kinds = {
        "p": reference.parameters,
        "i": reference.inputs,
        "o": reference.outputs,
        "a": reference.activations,
    }
    rows = [(kind, name, array) for kind, held in kinds.items() for name, array in held.items()]
    # Names stand in an array of their own: a file in an archive cannot have every name.
    numbered: dict[str, Any] = {str(index): array for index, (_, _, array) in enumerate(rows)}
    kinds_of = np.array([kind for kind, _, _ in rows], dtype=np.str_)
    names = np.array([name for _, name, _ in rows], dtype=np.str_)
    np.savez(folder / ARRAYS, kinds=kinds_of, names=names, **numbered)
    told = Told(
        software=reference.software,
        trainable=reference.trainable,
        frozen=reference.frozen,
        against=reference.against,
        torn=reference.torn,
    )
    (folder / TOLD).write_bytes(msgspec.json.encode(told))


def read(folder: Path) -> Proven:
    """What `write` left, the values in the graph's parameters."""
    told = read_told(folder)
    kinds: dict[str, Arrays] = {"p": {}, "i": {}, "o": {}, "a": {}}
    with np.load(folder / ARRAYS, allow_pickle=False) as held:
        for index, (kind, name) in enumerate(zip(held["kinds"], held["names"], strict=True)):
            kinds[str(kind)][str(name)] = held[str(index)]
    reference = Reference(
        software=told.software,
        inputs=kinds["i"],
        outputs=kinds["o"],
        activations=kinds["a"],
        trainable=told.trainable,
        frozen=told.frozen,
        parameters=kinds["p"],
        against=told.against,
        torn=told.torn,
    )
    model = ir.load(folder / MODEL)
    give(model, reference.parameters)
    return Proven(model, reference)


def read_told(folder: Path) -> Told:
    """The plain part of what `write` left."""
    return msgspec.json.decode((folder / TOLD).read_bytes(), type=Told)
