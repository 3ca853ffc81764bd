"""Proof by parity: a port that nothing runs any more, held against another port of its model.

The other port runs in its own framework. Its weights go into this port's graph, layer by layer as
the diff aligns the two, and what layers compute that correspond is compared.
"""

from __future__ import annotations

from pathlib import Path

import msgspec
import numpy as np
import onnx_ir as ir

from modeldocs import diff, isolation, normal
from modeldocs.errors import Failure, ModeldocsError
from modeldocs.ir import origin
from modeldocs.loaders import reference, worker
from modeldocs.loaders.reference import Reference
from modeldocs.numerics import runtime
from modeldocs.numerics.closeness import Difference, apart
from modeldocs.parity import spelled
from modeldocs.parity.design import Draws
from modeldocs.parity.numbers import compared
from modeldocs.parity.side import Side, side
from modeldocs.parity.transfer import transfer
from modeldocs.parity.unit import Unit, units
from modeldocs.proof import Proof
from modeldocs.proof.comparison import count, difference
from modeldocs.struct import Struct

Weights = dict[str, np.ndarray]


class ParityRequest(Struct, frozen=True):
    """The folders that the other port's reference and this port's load were left in."""

    other: str
    own: str
    told: str
    """How the other port is named in the proof: `the pytorch port`."""


def main(folder: Path) -> None:
    """Compare what `request.json` in `folder` names, and leave the `Proof` as `result.json`."""
    asked = msgspec.json.decode((folder / "request.json").read_bytes(), type=ParityRequest)
    other, held = reference.read(Path(asked.other))
    told = f"{asked.told} in {held.software}"
    try:
        own = [ir.load(Path(asked.own) / name) for name in (worker.MODEL, worker.NORMAL)]
        made = compare(other, held, *own)
        made = msgspec.structs.replace(made, reference=told, against="another port")
    except ModeldocsError as error:
        made = Proof(reference=told, failure=Failure.of(error))
    isolation.leave(folder, made)


def compare(other: ir.Model, held: Reference, own: ir.Model, form: ir.Model) -> Proof:
    """`own`, and its normal form, which have no weights, with those of `other`, which has.

    Raises:
        ModeldocsError: a layer with weights has no counterpart, or onnxruntime cannot run one.
    """
    stored = _values(other)
    normal.apply(other)
    theirs, ours = side(other), side(form)
    inputs = _inputs(held, own)
    told = diff.compare(theirs.graph, ours.graph)
    pairs = units(theirs, ours, told)
    given = _carried(theirs, ours, pairs, stored)
    expected = spelled.whole(theirs.model)
    wanted = [str(value.name) for unit in pairs for value in unit.a.gives]
    numbers = runtime.run(expected, stored | held.inputs, [*wanted, *held.outputs])
    mine = [str(value.name) for unit in pairs for value in unit.b.gives]
    in_form = runtime.run(spelled.whole(ours.model), given | inputs, mine)
    loaded = runtime.run(own, given | inputs, mine)
    end = _end(pairs, theirs, ours)
    return Proof(
        loaded=max(
            _apart(end, numbers, loaded), difference(held.outputs, numbers), key=Difference.size
        ),
        normal=_apart(end, numbers, in_form),
        first=_first(pairs, theirs, ours, numbers, in_form),
        theirs=count(theirs.graph),
        ours=count(ours.graph),
    )


def _carried(theirs: Side, ours: Side, pairs: list[Unit], stored: Weights) -> Weights:
    """The other port's weights as this port keeps them."""
    absent = [w.name for held in theirs.weights.values() for w in held if w.name not in stored]
    if absent:
        raise ModeldocsError(f"{absent[0]} of the other port is joined of several weights")
    made = transfer(theirs, ours, pairs)
    paired = {name for unit in pairs for name in unit.b.ids} - set(made.lost)
    lost = [ours.layers[name] for name, held in ours.weights.items() if held]
    lost = [layer for layer in lost if layer.id not in paired]
    if lost:
        raise ModeldocsError(
            f"{lost[0].name} has weights and no counterpart in the other port",
            mend="see the diff of the two ports",
        )
    return made.values(stored, Draws())


def _values(model: ir.Model) -> Weights:
    held = {name: value.const_value for name, value in model.graph.initializers.items()}
    return {name: tensor.numpy() for name, tensor in held.items() if tensor is not None}


def _inputs(held: Reference, own: ir.Model) -> Weights:
    names = [str(v.name) for v in own.graph.inputs if origin.parameter_kind(v) is None]
    if len(names) != len(held.inputs):
        raise ModeldocsError(f"it has {len(names)} inputs, the other port {len(held.inputs)}")
    return dict(zip(names, held.inputs.values(), strict=True))


def _operators(unit: Unit, theirs: Side, ours: Side) -> tuple[str, str]:
    return theirs.layers[unit.a.ids[-1]].operator, ours.layers[unit.b.ids[-1]].operator


def _end(pairs: list[Unit], theirs: Side, ours: Side) -> Unit | None:
    """The last layers of one operator: one port may have a softmax that the other lacks."""
    ending = [unit for unit in pairs if len(set(_operators(unit, theirs, ours))) == 1]
    return ending[-1] if ending else None


def _apart(unit: Unit | None, theirs: Weights, ours: Weights) -> Difference:
    if unit is None or any(str(value.name) not in ours for value in unit.b.gives):
        return Difference()
    return compared(unit, theirs, ours, apart)


def _first(
    pairs: list[Unit], theirs: Side, ours: Side, expected: Weights, made: Weights
) -> str | None:
    for unit in pairs:
        # one may end in LogSoftmax, the other in Softmax
        alike = len(set(_operators(unit, theirs, ours))) == 1
        if alike and not _apart(unit, expected, made).small:
            return ours.layers[unit.b.ids[0]].name
    return None
