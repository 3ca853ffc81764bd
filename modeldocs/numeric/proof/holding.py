"""Values for a port, and for a program made from it that no loader loads, in a process (`main`).

The program itself says what each of its attributes holds: an operand of the port's normal form, its
axes in another order.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx_ir as ir

from modeldocs.errors import ModeldocsError
from modeldocs.loaders import reference
from modeldocs.loaders.reference import Arrays, Designed
from modeldocs.numeric.execution import runtime
from modeldocs.numeric.proof import carrying, step
from modeldocs.struct import Struct

RETURNED = "returned"
"""The folder of files of what the port's graph returns, where they are asked for."""


def _in_order(array: np.ndarray, order: tuple[int, ...]) -> np.ndarray:
    return np.ascontiguousarray(array.transpose(order)) if order else array


class HeldOperand(Struct, frozen=True):
    """The name of a value of normal form that an attribute holds, in its own shape.

    The value has the sizes `axes` if they are given, then the order `order` of these axes. With
    `columns` it holds these of the last axis alone, which are the sum of `summed` equal parts, and
    with `gates` as many equal parts in that order.
    """

    value: str
    axes: tuple[int, ...] = ()
    order: tuple[int, ...] = ()
    columns: tuple[int, int] | None = None
    summed: int = 1
    gates: tuple[int, ...] = ()

    def array(self, value: np.ndarray) -> np.ndarray:
        """The value as the attribute holds it, but for its shape."""
        split = value.reshape(self.axes) if self.axes else value
        moved = _in_order(split, self.order)
        if self.columns:
            moved = moved[..., slice(*self.columns)]
        if self.summed > 1:
            moved = np.add.reduce(np.split(moved, self.summed, axis=-1))
        if self.gates:
            parts = np.split(moved, len(self.gates), axis=-1)
            moved = np.concatenate([parts[one] for one in self.gates], axis=-1)
        return moved


class HoldRequest(Struct, frozen=True):
    """The files of the port's ONNX as loaded and in normal form, and what the program holds.

    `weights` are by path of the attribute; `inputs` are the orders of axes in which the program has
    the inputs. With `runs`, onnxruntime runs the port's graph with the values.
    """

    source: str
    normal: str
    weights: dict[str, HeldOperand]
    inputs: tuple[tuple[int, ...], ...]
    runs: bool = False


def main(folder: Path) -> None:
    """Write the values for what `request.json` in `folder` names beside it."""
    step.run(folder, HoldRequest, _hold)


def _hold(request: HoldRequest, folder: Path) -> None:
    normal = ir.load(request.normal)

    def held(_: ir.Model, designed: Designed) -> Designed:
        weights = _weights(normal, designed, request)
        moved = zip(designed.inputs.items(), request.inputs, strict=True)
        inputs = {name: _in_order(array, order) for (name, array), order in moved}
        return Designed(weights, inputs)

    carrying.write_both(request.source, folder, held)
    if request.runs:
        _run(request, folder)


def _weights(normal: ir.Model, designed: Designed, request: HoldRequest) -> Arrays:
    """What the program's attributes hold, by path."""
    names = {one.value for one in request.weights.values()}
    computed = sorted(names - designed.parameters.keys())
    values = designed.parameters | runtime.run(normal, designed.parameters, computed)
    absent = sorted(names - values.keys())
    if absent:
        raise ModeldocsError(f"its normal form has no value {absent[0]!r}")
    return {path: one.array(values[one.value]) for path, one in request.weights.items()}


def _run(request: HoldRequest, folder: Path) -> None:
    (folder / RETURNED).mkdir()
    for file in sorted((folder / carrying.SOURCE).glob("*.npz")):
        model, arrays = ir.load(request.source), reference.read_arrays(file)
        names = [str(value.name) for value in model.graph.outputs]
        found = runtime.run(model, arrays.get("parameters", {}) | arrays["inputs"], names)
        outputs = {name: found[name] for name in names}
        reference.write_arrays(folder / RETURNED / file.name, {"outputs": outputs})
