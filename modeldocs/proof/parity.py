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
from modeldocs.parity import lowering
from modeldocs.parity.matched_group import MatchedGroup, matched_groups
from modeldocs.parity.measurements import group_difference
from modeldocs.parity.runnable_graph import RunnableGraph, runnable_graph
from modeldocs.parity.transfer import transfer
from modeldocs.parity.weight_init import SeededRandom
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
    theirs, ours = runnable_graph(other), runnable_graph(form)
    inputs = _inputs(held, own)
    told = diff.compare(theirs.layer_graph, ours.layer_graph)
    groups = matched_groups(theirs, ours, told)
    given = _carried(theirs, ours, groups, stored)
    expected = lowering.lowered_copy(theirs.model)
    wanted = [str(value.name) for group in groups for value in group.a.outputs]
    numbers = runtime.run(expected, stored | held.inputs, [*wanted, *held.outputs])
    mine = [str(value.name) for group in groups for value in group.b.outputs]
    in_form = runtime.run(lowering.lowered_copy(ours.model), given | inputs, mine)
    loaded = runtime.run(own, given | inputs, mine)
    end = _end(groups, theirs, ours)
    return Proof(
        loaded=max(
            _apart(end, numbers, loaded), difference(held.outputs, numbers), key=Difference.size
        ),
        normal=_apart(end, numbers, in_form),
        first=_first(groups, theirs, ours, numbers, in_form),
        theirs=count(theirs.layer_graph),
        ours=count(ours.layer_graph),
    )


def _carried(
    theirs: RunnableGraph, ours: RunnableGraph, groups: list[MatchedGroup], stored: Weights
) -> Weights:
    """The other port's weights as this port keeps them."""
    absent = [w.name for held in theirs.weights.values() for w in held if w.name not in stored]
    if absent:
        raise ModeldocsError(f"{absent[0]} of the other port is joined of several weights")
    made = transfer(theirs, ours, groups)
    paired = {name for group in groups for name in group.b.ids} - set(made.lost)
    lost = [ours.layers[name] for name, held in ours.weights.items() if held]
    lost = [layer for layer in lost if layer.id not in paired]
    if lost:
        raise ModeldocsError(
            f"{lost[0].name} has weights and no counterpart in the other port",
            fix="see the diff of the two ports",
        )
    return made.values(stored, SeededRandom())


def _values(model: ir.Model) -> Weights:
    held = {name: value.const_value for name, value in model.graph.initializers.items()}
    return {name: tensor.numpy() for name, tensor in held.items() if tensor is not None}


def _inputs(held: Reference, own: ir.Model) -> Weights:
    names = [str(v.name) for v in own.graph.inputs if origin.parameter_kind(v) is None]
    if len(names) != len(held.inputs):
        raise ModeldocsError(f"it has {len(names)} inputs, the other port {len(held.inputs)}")
    return dict(zip(names, held.inputs.values(), strict=True))


def _operators(group: MatchedGroup, theirs: RunnableGraph, ours: RunnableGraph) -> tuple[str, str]:
    return theirs.layers[group.a.ids[-1]].operator, ours.layers[group.b.ids[-1]].operator


def _end(
    groups: list[MatchedGroup], theirs: RunnableGraph, ours: RunnableGraph
) -> MatchedGroup | None:
    """The last layers of one operator: one port may have a softmax that the other lacks."""
    ending = [group for group in groups if len(set(_operators(group, theirs, ours))) == 1]
    return ending[-1] if ending else None


def _apart(group: MatchedGroup | None, theirs: Weights, ours: Weights) -> Difference:
    if group is None or any(str(value.name) not in ours for value in group.b.outputs):
        return Difference()
    return group_difference(group, theirs, ours, apart)


def _first(
    groups: list[MatchedGroup],
    theirs: RunnableGraph,
    ours: RunnableGraph,
    expected: Weights,
    made: Weights,
) -> str | None:
    for group in groups:
        # one may end in LogSoftmax, the other in Softmax
        alike = len(set(_operators(group, theirs, ours))) == 1
        if alike and not _apart(group, expected, made).small:
            return ours.layers[group.b.ids[0]].name
    return None
