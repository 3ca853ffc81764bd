"""What OpenCV makes of a network with designed weights, to hold the loaded graph against."""

from __future__ import annotations

from collections.abc import Sequence

import onnx_ir as ir

from modeldocs.errors import ModeldocsError
from modeldocs.loaders.caffe.assembly import Assembled, Assembly
from modeldocs.loaders.caffe.differences import differs
from modeldocs.loaders.caffe.filling import STATISTICS, fill
from modeldocs.loaders.caffe.filling import values as filled
from modeldocs.loaders.caffe.layer import DOMAIN
from modeldocs.loaders.caffe.opencv import Runner
from modeldocs.loaders.caffe.unit import Unit, units
from modeldocs.loaders.reference import Design, Proven, Reference
from modeldocs.normal import values

SHAPE_ALONE = frozenset({"PriorBox", "Crop"})
"""Layers that read but the shape of (some of) their inputs: those need not be compared."""

SATURATING = frozenset({"Softmax", "Sigmoid", "TanH"})
"""Layers whose outputs may all be 0 and 1: what such a layer of the last ones reads counts, too."""

STILL = frozenset({"Flatten", "Reshape", "Permute", "Split", "Slice", "Concat", "Dropout"})
"""Layers that move values and change none."""

MAX_NAMED = 5


def refer(assembly: Assembly, name: str, design: Design) -> Proven:
    """The graph, and what OpenCV makes of its source with designed values in its parameters.

    What ONNX lacks (SSD's DetectionOutput, losses) cannot be compared: then what it reads is.
    `name` is that of a network that has none.

    Raises:
        ModeldocsError: an input's shape is not known, nothing of it can be compared, or OpenCV
            cannot run it.
    """
    for value in assembly.inputs:
        if values.shape(value) is None:
            raise ModeldocsError(
                f"the shape of the input {value.name!r} is not known",
                file=assembly.network.file,
                fix=f"give it with --input {value.name}=…, or as `inputs` in model.yml",
            )
    model = assembly.model(name)
    designed = design(model)
    fill(assembly, designed)
    standard = _standard(assembly)
    ends = _ends(assembly, standard)
    needed = _leading_to(ends, standard)
    if not needed:
        raise _nothing(assembly)
    given = units(needed, assembly.network.text)
    read = {bottom for layer in needed for bottom in layer.bottoms}
    fed = [str(value.name) for value in assembly.inputs if value in read]
    inputs = {one: designed.inputs[one] for one in fed}
    shapes = [(one, array.shape) for one, array in inputs.items()]
    runner = Runner(shapes, given, assembly.network.file)
    asked = [
        (unit.name, index, top)
        for unit, layer in zip(given, needed, strict=True)
        for index, top in enumerate(layer.tops)
    ]
    made = runner.run(inputs, dict.fromkeys(one for one, *_ in asked))
    arrays = {top: made[one][index] for one, index, top in asked if index < len(made[one])}
    trainable, frozen = _counts(runner, assembly, needed, given)
    held = {
        str(value.name): filled(value)
        for layer in assembly.layers
        for value in layer.blobs.values()
    }
    reference = Reference(
        software=runner.software + _anew(given) + _reach(assembly, ends),
        inputs=inputs,
        outputs={str(top.name): array for top, array in arrays.items() if top in ends},
        activations={str(top.name): array for top, array in arrays.items() if top not in ends},
        trainable=trainable,
        frozen=frozen,
        parameters=designed.parameters | held,
        against="OpenCV",
    )
    return Proven(model, reference)


def _nothing(assembly: Assembly) -> ModeldocsError:
    """Why not one layer can be compared."""
    sources = [layer.source for layer in assembly.layers]
    reasons = [reason for reason in map(differs, sources) if reason]
    told = reasons[0] if reasons else "its layers are Caffe's own, which onnxruntime lacks"
    return ModeldocsError(f"no layer of it can be compared: {told}", file=assembly.network.file)


def _standard(assembly: Assembly) -> list[Assembled]:
    """The layers that are ONNX's own, and read only what such layers make of inputs."""
    made = set(assembly.inputs)
    found = []
    for layer in assembly.layers:
        own = layer.nodes and all(node.domain != DOMAIN for node in layer.nodes)
        if own and differs(layer.source) is None and made.issuperset(layer.bottoms):
            found.append(layer)
            made.update(layer.tops)
    return found


def _ends(assembly: Assembly, standard: Sequence[Assembled]) -> list[ir.Value]:
    """What is compared: outputs, and what a layer reads that cannot be run in both."""
    kept = {id(layer) for layer in standard}
    made = {top for layer in standard for top in layer.tops}
    read = [
        bottom
        for layer in assembly.layers
        if id(layer) not in kept and layer.source.type not in SHAPE_ALONE
        for bottom in layer.bottoms
    ]
    ends = [value for value in [*assembly.outputs(), *read] if value in made]
    last = set(ends)
    before: list[ir.Value] = []
    for layer in reversed(standard):
        if last.isdisjoint(layer.tops):
            continue
        if layer.source.type in STILL:
            last.update(layer.bottoms)
        elif layer.source.type in SATURATING:
            before += layer.bottoms
    return list(dict.fromkeys([*ends, *(value for value in before if value in made)]))


def _reach(assembly: Assembly, ends: Sequence[ir.Value]) -> str:
    """How far the comparison goes, where that is not to all of the network's outputs."""
    if set(ends).issuperset(assembly.outputs()):
        return ""
    names = [str(value.name) for value in ends]
    more = f" and {len(names) - MAX_NAMED} more" if len(names) > MAX_NAMED else ""
    return f", up to {', '.join(names[:MAX_NAMED])}{more}"


def _leading_to(ends: Sequence[ir.Value], standard: Sequence[Assembled]) -> list[Assembled]:
    """The layers that the ends depend on, in order."""
    wanted, found = set(ends), []
    for layer in reversed(standard):
        if not wanted.isdisjoint(layer.tops):
            found.append(layer)
            wanted.update(layer.bottoms)
    return found[::-1]


def _anew(given: Sequence[Unit]) -> str:
    """How many layers OpenCV did not read from the source itself."""
    count = sum(unit.words is None for unit in given)
    return f" ({count} of {len(given)} layers written anew for it)" if count else ""


def _counts(
    runner: Runner, assembly: Assembly, layers: Sequence[Assembled], given: Sequence[Unit]
) -> tuple[int | None, int | None]:
    """Trainable and other values by OpenCV's blobs, shared ones once; None where it has not all."""
    counted: dict[ir.Value, tuple[int, bool]] = {}
    for layer, unit in zip(layers, given, strict=True):
        statistics = layer.source.type == "BatchNorm"
        for index, size in zip(sorted(layer.blobs), runner.sizes(unit.name), strict=False):
            if not statistics or index != STATISTICS:
                counted[layer.blobs[index]] = (size, not statistics)
    wanted = {
        value
        for layer in assembly.layers
        for index, value in layer.blobs.items()
        if layer.source.type != "BatchNorm" or index != STATISTICS
    }
    if wanted != set(counted):
        return None, None
    trainable = sum(size for size, learned in counted.values() if learned)
    return trainable, sum(size for size, _ in counted.values()) - trainable
