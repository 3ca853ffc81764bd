"""Proof by parity: a port whose framework no longer runs, compared with another port of its model.

The other port runs in its own framework. Its weights are transferred into this port's graph, layer
by layer as the diff aligns the two, and outputs of aligned layers are compared.
"""

from __future__ import annotations

from pathlib import Path

import msgspec
import numpy as np
import onnx_ir as ir

from modeldocs import isolation, normal
from modeldocs.diff import compare as compare_layers
from modeldocs.errors import Failure, ModeldocsError
from modeldocs.ir import origin
from modeldocs.loaders import reference, worker
from modeldocs.loaders.reference import Reference
from modeldocs.numeric.execution import runtime
from modeldocs.numeric.execution.closeness import Difference, output_distance
from modeldocs.numeric.parity import lowering, stored_weights
from modeldocs.numeric.parity.matched_group import MatchedGroup, matched_groups
from modeldocs.numeric.parity.measurements import group_difference
from modeldocs.numeric.parity.runnable_graph import RunnableGraph, runnable_graph
from modeldocs.numeric.parity.transfer import transfer
from modeldocs.numeric.parity.weight_init import SeededRandom
from modeldocs.numeric.proof import Proof
from modeldocs.numeric.proof.comparison import largest_difference, parameter_count
from modeldocs.struct import Struct

Weights = dict[str, np.ndarray]


class ReferencesRequest(Struct, frozen=True):
    """The folders of the other port's reference and of this port's load.

    `title` names the other port in the proof: `the pytorch port`.
    """

    other: str
    own: str
    title: str


def main(folder: Path) -> None:
    """Compare what `request.json` in `folder` names, and write the `Proof` as `result.json`."""
    request = msgspec.json.decode((folder / "request.json").read_bytes(), type=ReferencesRequest)
    other, run = reference.read(Path(request.other))
    title = f"{request.title} in {run.software}"
    try:
        own = [ir.load(Path(request.own) / name) for name in (worker.MODEL, worker.NORMAL)]
        proof = compare(other, run, *own)
        proof = msgspec.structs.replace(proof, reference=title, against="another port")
    except ModeldocsError as error:
        proof = Proof(reference=title, failure=Failure.of(error))
    isolation.write_result(folder, proof)


def compare(other: ir.Model, run: Reference, own: ir.Model, own_normal: ir.Model) -> Proof:
    """Compare `own`, and its normal form, with `other`, whose weights both get.

    `run` is the run of `other` in its framework.

    Raises:
        ModeldocsError: a layer with weights has no counterpart, or onnxruntime cannot run one.
    """
    stored = parameter_values(other)
    normal.apply(other)
    theirs, ours = runnable_graph(other), runnable_graph(own_normal)
    inputs = _inputs(run, own)
    groups = matched_groups(theirs, ours, compare_layers(theirs.layer_graph, ours.layer_graph))
    feeds = inputs | transferred_weights(theirs, ours, groups, stored)
    their_names = [str(value.name) for group in groups for value in group.a.outputs]
    expected = runtime.run(
        lowering.lowered_copy(theirs.model), stored | run.inputs, [*their_names, *run.outputs]
    )
    our_names = [str(value.name) for group in groups for value in group.b.outputs]
    in_normal_form = runtime.run(lowering.lowered_copy(ours.model), feeds, our_names)
    loaded = runtime.run(own, feeds, our_names)
    last = _last_group(groups, theirs, ours)
    return Proof(
        loaded=max(
            _difference(last, expected, loaded),
            largest_difference(run.outputs, expected),
            key=Difference.size,
        ),
        normal=_difference(last, expected, in_normal_form),
        first=_first_difference(groups, theirs, ours, expected, in_normal_form),
        theirs=parameter_count(theirs.layer_graph),
        ours=parameter_count(ours.layer_graph),
    )


def transferred_weights(
    theirs: RunnableGraph, ours: RunnableGraph, groups: list[MatchedGroup], stored: Weights
) -> Weights:
    """The other port's weights by this port's names, in its layout.

    Raises:
        ModeldocsError: a layer with weights has no counterpart.
    """
    stored = stored | stored_weights.read_arrays(theirs, stored)
    absent = [
        w.name for weights in theirs.weights.values() for w in weights if w.name not in stored
    ]
    if absent:
        raise ModeldocsError(f"{absent[0]} of the other port is joined of several weights")
    transferred = transfer(theirs, ours, groups)
    matched = {name for group in groups for name in group.b.ids} - set(transferred.lost)
    weighted = [ours.layers[name] for name, weights in ours.weights.items() if weights]
    unmatched = [layer for layer in weighted if layer.id not in matched]
    if unmatched:
        raise ModeldocsError(
            f"{unmatched[0].name} has weights and no counterpart in the other port",
            fix="see the diff of the two ports",
        )
    return transferred.values(stored, SeededRandom())


def parameter_values(model: ir.Model) -> Weights:
    """The values of a model's parameters, by name."""
    tensors = {name: value.const_value for name, value in model.graph.initializers.items()}
    return {name: tensor.numpy() for name, tensor in tensors.items() if tensor is not None}


def _inputs(run: Reference, own: ir.Model) -> Weights:
    names = [str(v.name) for v in own.graph.inputs if origin.parameter_kind(v) is None]
    if len(names) != len(run.inputs):
        raise ModeldocsError(f"it has {len(names)} inputs, the other port {len(run.inputs)}")
    return dict(zip(names, run.inputs.values(), strict=True))


def _last_operators(
    group: MatchedGroup, theirs: RunnableGraph, ours: RunnableGraph
) -> tuple[str, str]:
    return theirs.layers[group.a.ids[-1]].operator, ours.layers[group.b.ids[-1]].operator


def _last_group(
    groups: list[MatchedGroup], theirs: RunnableGraph, ours: RunnableGraph
) -> MatchedGroup | None:
    """The last group of one operator: one port may have a softmax that the other lacks."""
    same = [group for group in groups if len(set(_last_operators(group, theirs, ours))) == 1]
    return same[-1] if same else None


def _difference(group: MatchedGroup | None, theirs: Weights, ours: Weights) -> Difference:
    if group is None or any(str(value.name) not in ours for value in group.b.outputs):
        return Difference()
    return group_difference(group, theirs, ours, output_distance)


def _first_difference(
    groups: list[MatchedGroup],
    theirs: RunnableGraph,
    ours: RunnableGraph,
    expected: Weights,
    computed: Weights,
) -> str | None:
    for group in groups:
        # One port may end in LogSoftmax, the other in Softmax.
        is_comparable = len(set(_last_operators(group, theirs, ours))) == 1
        if is_comparable and not _difference(group, expected, computed).small:
            return ours.layers[group.b.ids[0]].name
    return None
