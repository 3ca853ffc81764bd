"""References: what a framework's own model computes, for a proof of the loaded graph.

A loader whose ports can be proven has, besides `load`:

    def prove(self, request: LoadRequest, designs: Designs) -> Iterator[Proven]

It builds the framework's own model, makes the same ONNX graph of it as `load` does, and asks
`designs` for values of that graph's parameters and inputs. For each of them it puts them into the
framework's model, runs it in inference mode, and yields what it computed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import numpy as np
import onnx_ir as ir

from modeldocs.loaders.samples import seeded
from modeldocs.struct import Struct

OWN = "their framework"
"""The kind of software that computes most references."""

MODEL, ARRAYS, RUN = "model.onnx", "arrays.npz", "run.json"
"""The files of a reference."""

Arrays = dict[str, np.ndarray]


@dataclass(frozen=True)
class Designed:
    """Values for a graph's parameters and inputs, by name, each of its own shape and type.

    Types that numpy lacks (bfloat16) are float32. `by_layer` is whether the outputs of single
    layers are wanted besides those of the network.
    """

    parameters: Arrays
    inputs: Arrays
    by_layer: bool = True

    def parameter(self, name: str, shape: tuple[int, ...]) -> np.ndarray:
        """A parameter's values; `spare` ones for a parameter that the graph does not have.

        Such a parameter should make no difference. Values that are neutral, as a bias of zeros is,
        would hide that it makes one.
        """
        values = self.parameters.get(name)
        return spare(name, shape) if values is None else values


Designs = Callable[[ir.Model], Iterable[Designed]]
"""Designs values for the graph that a loader made: those of each run."""


class ReferenceRun(Struct, frozen=True):
    """What is known of a run besides its arrays."""

    software: str
    trainable: int | None = None
    frozen: int | None = None
    against: str = OWN


@dataclass(frozen=True)
class Reference:
    """One run of the framework's own model.

    `inputs` and `outputs` are by names of the ONNX graph's, in the framework's layout, which is the
    graph's. `activations` are outputs of single layers, by name of the ONNX value. `trainable` and
    `frozen` are numbers of parameter values as the framework counts them (running statistics are
    frozen), None where it does not count. `parameters` are the values of the run, by name in the
    ONNX graph. `against` is the kind of software that ran it.
    """

    software: str
    inputs: Arrays
    outputs: Arrays
    activations: Arrays = field(default_factory=dict)
    trainable: int | None = None
    frozen: int | None = None
    parameters: Arrays = field(default_factory=dict)
    against: str = OWN


class Proven(NamedTuple):
    """The graph, as `load` returns it, and one run of the framework's model."""

    model: ir.Model
    reference: Reference


_ARRAYS = ("parameters", "inputs", "outputs", "activations")


def spare(name: str, shape: tuple[int, ...]) -> np.ndarray:
    """Values of float32 for a parameter of unknown role, the same for a name on every machine.

    Those of a vector are positive, since it may hold variances.
    """
    random = seeded(name)
    if len(shape) < 2:
        return np.asarray(random.uniform(0.5, 1.5, shape), np.float32)
    fan_in = max(int(np.prod(shape[1:], dtype=np.int64)), 1)
    return random.standard_normal(shape, dtype=np.float32) / np.float32(np.sqrt(fan_in))


def set_parameters(model: ir.Model, parameters: Arrays) -> None:
    """Set the values of a graph's parameters, in place."""
    for name, array in parameters.items():
        value = model.graph.initializers.get(name)
        if value is not None and value.dtype is not None:
            converted = np.asarray(array, value.dtype.numpy(), order="C")
            value.const_value = ir.tensor(converted, name=name)


def write(onnx: bytes, reference: Reference, folder: Path) -> None:
    """Write the graph's bytes and the run to a folder, for another process."""
    (folder / MODEL).write_bytes(onnx)
    write_arrays(folder / ARRAYS, {kind: getattr(reference, kind) for kind in _ARRAYS})
    run = ReferenceRun(
        **{name: getattr(reference, name) for name in ReferenceRun.__struct_fields__}
    )
    (folder / RUN).write_bytes(msgspec.json.encode(run))


def write_arrays(file: Path, arrays: Mapping[str, Arrays]) -> None:
    """Write arrays by kind and name to a file."""
    rows = [(kind, name, array) for kind, own in arrays.items() for name, array in own.items()]
    # Arrays are numbered: a file in an archive cannot have every name.
    numbered: dict[str, Any] = {str(index): array for index, (_, _, array) in enumerate(rows)}
    kinds = np.array([kind for kind, _, _ in rows], dtype=np.str_)
    names = np.array([name for _, name, _ in rows], dtype=np.str_)
    np.savez(file, kinds=kinds, names=names, **numbered)


def read_arrays(file: Path) -> dict[str, Arrays]:
    """The arrays that `write_arrays` wrote."""
    arrays: dict[str, Arrays] = {}
    with np.load(file, allow_pickle=False) as archive:
        for index, (kind, name) in enumerate(zip(archive["kinds"], archive["names"], strict=True)):
            arrays.setdefault(str(kind), {})[str(name)] = archive[str(index)]
    return arrays


def read(folder: Path) -> Proven:
    """What `write` wrote, the values in the graph's parameters."""
    run = read_run(folder)
    arrays: dict[str, Any] = {kind: {} for kind in _ARRAYS} | read_arrays(folder / ARRAYS)
    reference = Reference(**msgspec.structs.asdict(run), **arrays)
    model = ir.load(folder / MODEL)
    set_parameters(model, reference.parameters)
    return Proven(model, reference)


def read_run(folder: Path) -> ReferenceRun:
    """What `write` wrote of the run besides its arrays."""
    return msgspec.json.decode((folder / RUN).read_bytes(), type=ReferenceRun)
