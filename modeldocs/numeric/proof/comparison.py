"""Comparison of a framework's run with the graph, in a process of its own (`main`).

`modeldocs.numeric.proof.prover` starts the process: the graph that it runs comes from untrusted
code.
"""

from __future__ import annotations

from pathlib import Path

import msgspec
import onnx_ir as ir

from modeldocs import digest, isolation, normal
from modeldocs.errors import Failure, ModeldocsError
from modeldocs.ir import LayerGraph
from modeldocs.loaders import reference
from modeldocs.loaders.reference import Arrays, Proven, Reference
from modeldocs.numeric.execution import runtime
from modeldocs.numeric.execution.closeness import (
    HALF_TOLERANCE,
    TOLERANCE,
    Difference,
    is_one_hot,
    output_distance,
)
from modeldocs.numeric.proof import ParameterCount, Proof, layerwise, rounding, ties
from modeldocs.struct import Struct


class CompareRequest(Struct, frozen=True):
    """The folders of the framework's runs, as `modeldocs.loaders.reference.write` wrote them.

    `shown` is the digest of the graph that the port was loaded as, `normal` the file of that graph
    in normal form, where it was loaded before.
    """

    folders: list[str]
    shown: str | None = None
    normal: str | None = None


def main(folder: Path) -> None:
    """Compare what `request.json` in `folder` names, and write the `Proof` as `result.json`."""
    request = msgspec.json.decode((folder / "request.json").read_bytes(), type=CompareRequest)
    first, *others = (Path(one) for one in request.folders)
    model, run = reference.read(first)
    try:
        if request.shown not in (None, digest.of_file(first / reference.MODEL)):
            raise ModeldocsError(
                "is another network when it is run than when it is loaded",
                fix="its code must build the same each time: see that it depends on no time, "
                "random number, or file that it writes",
            )
        normal_file = Path(request.normal) if request.normal is not None else None
        other_runs = [reference.read(other) for other in others]
        proof = compare(model, run, *other_runs, normal_file=normal_file)
    except ModeldocsError as error:
        proof = Proof(reference=run.software, failure=Failure.of(error))
    isolation.write_result(folder, proof)


def compare(
    model: ir.Model, run: Reference, *others: Proven, normal_file: Path | None = None
) -> Proof:
    """Compare a model, as loaded and in normal form, with the framework's `run`.

    Single layers are compared, too, on the framework's own values. A value on the way to an output
    may be gone in normal form, and is not compared there. Where indices point at equal numbers, the
    framework's choice is taken. Of `others`, which are runs with other values, only layers are
    compared. `normal_file` is the model in normal form, where a load has written it.

    Raises:
        ModeldocsError: onnxruntime cannot run it, or an output is all zeros and proves nothing.
    """
    for name, array in run.outputs.items():
        if not array.any():
            raise ModeldocsError(f"{name} is zero everywhere in {run.software}: no proof")
    is_half = _has_half_precision(model)
    expected = informative_outputs(model, run)
    names, tolerances = layerwise.layer_names(model), layerwise.tolerances(model)
    layers, tied = layerwise.compare(model, run)
    fixed, inputs = ties.fix_indices(model, run.inputs, tied)
    loaded = runtime.run(fixed, inputs, list(expected)) | tied
    loaded_difference = largest_difference(expected, loaded).within(
        HALF_TOLERANCE if is_half else TOLERANCE
    )
    rounding_effect = None
    if not loaded_difference.small:
        rounding_effect = rounding.effect(fixed, inputs, list(expected))
    normal_model = runnable_normal_form(model, run, normal_file)
    fixed_normal = normal_model if fixed is model else runnable_normal_form(fixed, run)
    in_normal_form = runtime.run(fixed_normal, inputs, list(expected)) | tied
    output_names = {str(value.name) for value in model.graph.outputs}
    remaining = {
        name: array
        for name, array in expected.items()
        if name in in_normal_form or name in output_names
    }
    differences = _largest_by_name(
        layers,
        layerwise.compare(normal_model, run).differences,
        *(_layer_differences(*other, normal_file) for other in others),
    )
    differences = {
        name: difference.within(HALF_TOLERANCE if is_half else tolerances[name])
        for name, difference in differences.items()
    }
    wrong = [
        layer
        for name, layer in names.items()
        if name in differences and not differences[name].small
    ]
    return Proof(
        reference=run.software,
        against=run.against,
        loaded=loaded_difference,
        normal=largest_difference(remaining, in_normal_form).within(loaded_difference.tolerance),
        layers=max(differences.values(), key=Difference.size, default=None),
        compared=len(differences),
        rounding=rounding_effect,
        first=wrong[0] if wrong else None,
        theirs=_framework_count(run),
        ours=parameter_count(normal.read(normal_model)),
    )


def _layer_differences(
    model: ir.Model, run: Reference, normal_file: Path | None
) -> dict[str, Difference]:
    """Differences of single layers: the larger of those as loaded and in normal form."""
    loaded = layerwise.compare(model, run).differences
    normal_model = runnable_normal_form(model, run, normal_file)
    return _largest_by_name(loaded, layerwise.compare(normal_model, run).differences)


def runnable_normal_form(
    model: ir.Model, run: Reference, normal_file: Path | None = None
) -> ir.Model:
    """A model in normal form, as ONNX that onnxruntime runs, with the run's parameters.

    It is read from `normal_file` where that is given.
    """
    if normal_file is None:
        normal_model = model.clone()
        normal.apply(normal_model)
    else:
        normal_model = ir.load(normal_file)
        reference.set_parameters(normal_model, run.parameters)
    normal.make_runnable(normal_model)
    return normal_model


def _largest_by_name(
    first: dict[str, Difference], *others: dict[str, Difference]
) -> dict[str, Difference]:
    """The largest difference of each value of the first, over all that have it."""
    return {
        name: max(difference, *(one.get(name, difference) for one in others), key=Difference.size)
        for name, difference in first.items()
    }


def informative_outputs(model: ir.Model, run: Reference) -> Arrays:
    """The framework's outputs; in place of one-hot probabilities the scores they are computed from.

    Where the largest probability is 1 whatever came before it, the scores still differ.
    """
    known = run.activations | run.outputs
    by_name = {str(value.name): value for node in model.graph for value in node.outputs}
    informative: Arrays = {}
    for output in run.outputs:
        value = by_name.get(output)
        name = output
        while value is not None and name in known and is_one_hot(known[name]):
            producer = value.producer()
            value = producer.inputs[0] if producer is not None and producer.inputs else None
            if value is not None and value.producer() is not None and str(value.name) in known:
                name = str(value.name)
        informative[name] = known[name]
    return informative


def largest_difference(theirs: Arrays, ours: Arrays) -> Difference:
    """The largest difference between arrays of one name.

    One-hot probabilities say little, and are left out where there are other arrays.
    """
    others = {name: array for name, array in theirs.items() if not is_one_hot(array)}
    differences = [
        output_distance(array, ours[name]) if name in ours else Difference()
        for name, array in (others or theirs).items()
    ]
    return max(differences, key=Difference.size, default=Difference())


def _has_half_precision(model: ir.Model) -> bool:
    """Whether any value is of a float type of 16 bits."""
    computed = [value.dtype for node in model.graph for value in node.outputs]
    stored = [value.dtype for value in model.graph.initializers.values()]
    return not {ir.DataType.FLOAT16, ir.DataType.BFLOAT16}.isdisjoint([*computed, *stored])


def _framework_count(run: Reference) -> ParameterCount | None:
    if run.trainable is None or run.frozen is None:
        return None
    return ParameterCount(trainable=run.trainable, frozen=run.frozen)


def parameter_count(graph: LayerGraph) -> ParameterCount:
    """Numbers of a graph's parameter values."""
    totals = graph.totals()
    return ParameterCount(trainable=totals.parameters or 0, frozen=totals.buffers or 0)
