"""What a framework itself computes, to hold what was loaded against.

A loader that can prove its work has, besides `load`:

    def prove(self, request: LoadRequest, seed: int, *, layers: bool) -> tuple[ir.Model, Reference]

It builds the framework's own model, gives every parameter a value of `modeldocs.loaders.seeding`,
and runs it in inference mode on seeded inputs. The `ir.Model` is what `load` makes of the same
source, but with those values in its parameters.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import onnx_ir as ir

from modeldocs.graph import Struct

MODEL, ARRAYS, TOLD = "model.onnx", "arrays.npz", "reference.json"


@dataclass(frozen=True)
class Reference:
    """One run of the framework's own model.

    `inputs` are by name of the ONNX graph's inputs, `outputs` by name of its outputs, in the
    framework's own layout, which is the ONNX graph's. `activations`, given when `layers` was asked
    for, are what single layers gave, by name of the ONNX value. `trainable` and `frozen` are
    numbers of parameter values as the framework counts them (running statistics are frozen);
    None where it has no count of its own.
    """

    software: str
    inputs: dict[str, np.ndarray]
    outputs: dict[str, np.ndarray]
    activations: dict[str, np.ndarray] = field(default_factory=dict)
    trainable: int | None = None
    frozen: int | None = None


class Told(Struct, frozen=True):
    """The plain part of a reference."""

    software: str
    trainable: int | None = None
    frozen: int | None = None


def write(model: ir.Model, reference: Reference, folder: Path) -> None:
    """Leave both in a folder, for another process."""
    ir.save(model, folder / MODEL, external_data="weights.bin")
    kinds = {"i": reference.inputs, "o": reference.outputs, "a": reference.activations}
    arrays = {f"{kind}/{n}": array for kind, held in kinds.items() for n, array in held.items()}
    # Names stand in an array of their own: a file in an archive cannot have every name.
    numbered: dict[str, Any] = {str(index): a for index, a in enumerate(arrays.values())}
    np.savez(folder / ARRAYS, names=np.array(list(arrays), dtype=np.str_), **numbered)
    told = Told(software=reference.software, trainable=reference.trainable, frozen=reference.frozen)
    (folder / TOLD).write_bytes(msgspec.json.encode(told))


def read(folder: Path) -> tuple[ir.Model, Reference]:
    """What `write` left."""
    told = msgspec.json.decode((folder / TOLD).read_bytes(), type=Told)
    kinds: dict[str, dict[str, np.ndarray]] = {"i": {}, "o": {}, "a": {}}
    with np.load(folder / ARRAYS, allow_pickle=False) as held:
        for index, name in enumerate(held["names"]):
            kind, _, name = str(name).partition("/")
            kinds[kind][name] = held[str(index)]
    reference = Reference(
        software=told.software,
        inputs=kinds["i"],
        outputs=kinds["o"],
        activations=kinds["a"],
        trainable=told.trainable,
        frozen=told.frozen,
    )
    model = ir.load(folder / MODEL)
    return ir.external_data.load_to_model(model), reference
