"""The numbers of a framework against those of the graph: run by `modeldocs.proof.proving`.

Runs in a process of its own (`main`), since what it runs was made by somebody's code.
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
from modeldocs.numerics import runtime
from modeldocs.numerics.closeness import COARSE, TOLERANCE, Difference, apart, is_one_hot
from modeldocs.proof import Count, Proof, alone, rounding, ties
from modeldocs.struct import Struct


class CompareRequest(Struct, frozen=True):
    """The folders that `modeldocs.loaders.reference.write` left its files in, one a run.

    `shown` is the digest of the graph that the port was loaded as, `normal` the file of that graph
    in normal form, where it was.
    """

    folders: list[str]
    shown: str | None = None
    normal: str | None = None


def main(folder: Path) -> None:
    """Compare what `request.json` in `folder` names, and leave the `Proof` as `result.json`."""
    asked = msgspec.json.decode((folder / "request.json").read_bytes(), type=CompareRequest)
    place, *others = (Path(one) for one in asked.folders)
    model, held = reference.read(place)
    try:
        if asked.shown not in (None, digest.of_file(place / reference.MODEL)):
            raise ModeldocsError(
                "is another network when it is run than when it is loaded",
                fix="its code must build the same each time: see that it depends on no time, "
                "random number, or file that it writes",
            )
        form = Path(asked.normal) if asked.normal is not None else None
        made = compare(model, held, *(reference.read(other) for other in others), form=form)
    except ModeldocsError as error:
        made = Proof(reference=held.software, failure=Failure.of(error))
    isolation.leave(folder, made)


def compare(model: ir.Model, held: Reference, *others: Proven, form: Path | None = None) -> Proof:
    """The model as it was loaded and in normal form, against the framework's outputs.

    Each layer is held against the framework's alone, too: fed with what the framework's read. A
    value on the way to an output may be gone in normal form, and is not compared there. Of equal
    numbers, the framework may name others than ONNX: its choice is taken. `others`
    are runs with other values, of which layers are compared. `form` is the file of the model in
    normal form, where a load has left it.

    Raises:
        ModeldocsError: onnxruntime cannot run it, or the outputs would prove nothing.
    """
    for name, array in held.outputs.items():
        if not array.any():
            raise ModeldocsError(f"{name} is zero everywhere in {held.software}: no proof")
    coarse = _is_coarse(model)
    told = telling(model, held)
    names, least = alone.names(model), alone.rounding(model)
    layers, tied = alone.compare(model, held)
    settled, inputs = ties.given(model, held.inputs, tied)
    loaded = runtime.run(settled, inputs, list(told)) | tied
    moved = None
    end = difference(told, loaded).within(COARSE if coarse else TOLERANCE)
    if not end.small:
        moved = rounding.amplified(settled, inputs, list(told))
    formed = in_form(model, held, form)
    fed = formed if settled is model else in_form(settled, held)
    plain = runtime.run(fed, inputs, list(told)) | tied
    ends = {str(value.name) for value in model.graph.outputs}
    kept = {name: a for name, a in told.items() if name in plain or name in ends}
    inside = alone.compare(formed, held).differences
    worst = _largest(layers, inside, *(_layers(*other, form) for other in others))
    worst = {n: one.within(COARSE if coarse else least[n]) for n, one in worst.items()}
    wrong = [names[name] for name in names if name in worst and not worst[name].small]
    return Proof(
        reference=held.software,
        against=held.against,
        loaded=end,
        normal=difference(kept, plain).within(end.tolerance),
        layers=max(worst.values(), key=Difference.size, default=None),
        compared=len(worst),
        moved=moved,
        first=wrong[0] if wrong else None,
        theirs=_theirs(held),
        ours=count(normal.read(formed)),
    )


def _layers(model: ir.Model, held: Reference, form: Path | None) -> dict[str, Difference]:
    """Each layer alone, as loaded and in normal form; the larger difference of the two."""
    layers = alone.compare(model, held).differences
    return _largest(layers, alone.compare(in_form(model, held, form), held).differences)


def in_form(model: ir.Model, held: Reference, form: Path | None = None) -> ir.Model:
    """A model in normal form, as ONNX that runs, with a run's values in its parameters.

    It is read from the file that a load has left, where there is one.
    """
    if form is None:
        made = model.clone()
        normal.apply(made)
    else:
        made = ir.load(form)
        reference.give(made, held.parameters)
    normal.make_runnable(made)
    return made


def _largest(first: dict[str, Difference], *more: dict[str, Difference]) -> dict[str, Difference]:
    """The largest difference of each value of the first that others tell of."""
    return {
        name: max(difference, *(one.get(name, difference) for one in more), key=Difference.size)
        for name, difference in first.items()
    }


def telling(model: ir.Model, held: Reference) -> Arrays:
    """The framework's outputs; of probabilities that are all but one-hot what they are made of.

    Where the largest is 1 whatever came before it, the scores still tell.
    """
    known = held.activations | held.outputs
    made = {str(value.name): value for node in model.graph for value in node.outputs}
    found: Arrays = {}
    for name in held.outputs:
        value = made.get(name)
        told = name
        while value is not None and told in known and is_one_hot(known[told]):
            maker = value.producer()
            value = maker.inputs[0] if maker is not None and maker.inputs else None
            if value is not None and value.producer() is not None and str(value.name) in known:
                told = str(value.name)
        found[told] = known[told]
    return found


def difference(theirs: Arrays, ours: Arrays) -> Difference:
    """The largest difference between outputs of one name.

    Probabilities that are all but one-hot tell nothing, and are passed over where others tell more.
    """
    spread = {name: array for name, array in theirs.items() if not is_one_hot(array)}
    every = [
        apart(array, ours[name]) if name in ours else Difference()
        for name, array in (spread or theirs).items()
    ]
    return max(every, key=Difference.size, default=Difference())


def _is_coarse(model: ir.Model) -> bool:
    """Whether anything in it is of a float type of 16 bits."""
    made = [value.dtype for node in model.graph for value in node.outputs]
    held = [value.dtype for value in model.graph.initializers.values()]
    return any(kind in (ir.DataType.FLOAT16, ir.DataType.BFLOAT16) for kind in (*made, *held))


def _theirs(held: Reference) -> Count | None:
    if held.trainable is None or held.frozen is None:
        return None
    return Count(trainable=held.trainable, frozen=held.frozen)


def count(graph: LayerGraph) -> Count:
    """How many parameters a graph has."""
    totals = graph.totals()
    return Count(trainable=totals.parameters or 0, frozen=totals.buffers or 0)
