"""Proof of a network's graph: OpenCV runs its source with the same designed weights."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import onnx_ir as ir

from modeldocs.errors import ModeldocsError
from modeldocs.loaders.caffe import weights
from modeldocs.loaders.caffe.assembly import NetAssembly
from modeldocs.loaders.caffe.opencv.definition import DefinedLayer, units
from modeldocs.loaders.caffe.opencv.differences import differs
from modeldocs.loaders.caffe.opencv.runner import OpenCvRunner
from modeldocs.loaders.caffe.operation import DOMAIN, CaffeOperation
from modeldocs.loaders.caffe.weights import FACTOR_INDEX
from modeldocs.loaders.emission.names import first_of
from modeldocs.loaders.reference import Designed, Designs, Proven, Reference
from modeldocs.normal import values

READ_SHAPES = frozenset({"PriorBox", "Crop"})
"""Layers that read only the shape of an input, so that its values need no comparison."""

SATURATING = frozenset({"Softmax", "Sigmoid", "TanH"})
"""Layers whose outputs may all be 0 and 1: at the end of a network, inputs are compared, too."""

REARRANGING = frozenset({"Flatten", "Reshape", "Permute", "Split", "Slice", "Concat", "Dropout"})
"""Layers that move values and change none."""

MAX_NAMED = 5


def prove(assembly: NetAssembly, name: str, designs: Designs) -> Iterator[Proven]:
    """The graph, and what OpenCV computes for its source with designed values as parameters.

    Layers that ONNX lacks (SSD's DetectionOutput, losses) cannot be compared; their inputs are.
    `name` is for a network that has none of its own.

    Raises:
        ModeldocsError: the shape of an input is unknown, nothing of the network can be compared,
            or OpenCV cannot run it.
    """
    for value in assembly.graph.inputs:
        if values.shape(value) is None:
            raise ModeldocsError(
                f"the shape of the input {value.name!r} is not known",
                file=assembly.network.file,
                fix=f"give it with --input {value.name}=…, or as `inputs` in model.yml",
            )
    model = assembly.model(name)
    for designed in designs(model):
        weights.fill(assembly.layers, designed)
        yield Proven(model, _reference(assembly, designed))


def _reference(assembly: NetAssembly, designed: Designed) -> Reference:
    """One run of OpenCV of the layers that can be compared."""
    comparable = _comparable(assembly)
    ends = _ends(assembly, comparable)
    layers = _leading_to(ends, comparable)
    if not layers:
        raise _nothing_comparable(assembly)
    run = units(layers, assembly.network.text)
    read = {bottom for layer in layers for bottom in layer.inputs}
    names = [str(value.name) for value in assembly.graph.inputs if value in read]
    inputs = {one: designed.inputs[one] for one in names}
    shapes = [(one, array.shape) for one, array in inputs.items()]
    runner = OpenCvRunner(shapes, run, assembly.network.file)
    outputs = runner.run(inputs, [unit.name for unit in run])
    arrays = {
        top: array
        for unit, layer in zip(run, layers, strict=True)
        for top, array in zip(layer.outputs, outputs[unit.name], strict=False)
    }
    trainable, frozen = _counts(runner, assembly, layers, run)
    filled = {
        str(value.name): weights.values(value)
        for layer in assembly.layers
        for value in layer.blobs.values()
    }
    return Reference(
        software=runner.software + _rewritten(run) + _reach(assembly, ends),
        inputs=inputs,
        outputs={str(top.name): array for top, array in arrays.items() if top in ends},
        activations={str(top.name): array for top, array in arrays.items() if top not in ends},
        trainable=trainable,
        frozen=frozen,
        parameters=designed.parameters | filled,
        against="OpenCV",
    )


def _nothing_comparable(assembly: NetAssembly) -> ModeldocsError:
    reasons = (differs(one.layer) for one in assembly.layers)
    reason = next(filter(None, reasons), "its layers are Caffe's own, which onnxruntime lacks")
    return ModeldocsError(f"no layer of it can be compared: {reason}", file=assembly.network.file)


def _comparable(assembly: NetAssembly) -> list[CaffeOperation]:
    """The layers in ONNX's own operators that depend on no other layers."""
    known = set(assembly.graph.inputs)
    comparable = []
    for one in assembly.layers:
        standard = one.nodes and all(node.domain != DOMAIN for node in one.nodes)
        if standard and differs(one.layer) is None and known.issuperset(one.inputs):
            comparable.append(one)
            known.update(one.outputs)
    return comparable


def _ends(assembly: NetAssembly, comparable: Sequence[CaffeOperation]) -> list[ir.Value]:
    """The values to compare: outputs, and inputs of layers that cannot be compared."""
    kept = {id(one) for one in comparable}
    known = {top for one in comparable for top in one.outputs}
    read = [
        bottom
        for one in assembly.layers
        if id(one) not in kept and one.layer.type not in READ_SHAPES
        for bottom in one.inputs
    ]
    ends = [value for value in [*assembly.outputs(), *read] if value in known]
    last = set(ends)
    before: list[ir.Value] = []
    for one in reversed(comparable):
        if last.isdisjoint(one.outputs):
            continue
        if one.layer.type in REARRANGING:
            last.update(one.inputs)
        elif one.layer.type in SATURATING:
            before += one.inputs
    return list(dict.fromkeys([*ends, *(value for value in before if value in known)]))


def _leading_to(
    ends: Sequence[ir.Value], comparable: Sequence[CaffeOperation]
) -> list[CaffeOperation]:
    """The layers that the ends depend on, in order."""
    wanted, layers = set(ends), []
    for one in reversed(comparable):
        if not wanted.isdisjoint(one.outputs):
            layers.append(one)
            wanted.update(one.inputs)
    return layers[::-1]


def _reach(assembly: NetAssembly, ends: Sequence[ir.Value]) -> str:
    """How far the comparison reaches, where that is not to all outputs of the network."""
    if set(ends).issuperset(assembly.outputs()):
        return ""
    return f", up to {first_of([str(value.name) for value in ends], MAX_NAMED)}"


def _rewritten(run: Sequence[DefinedLayer]) -> str:
    """How many layers OpenCV did not read in the source's own words."""
    count = sum(unit.words is None for unit in run)
    return f" ({count} of {len(run)} layers written anew for it)" if count else ""


def _counts(
    runner: OpenCvRunner,
    assembly: NetAssembly,
    layers: Sequence[CaffeOperation],
    run: Sequence[DefinedLayer],
) -> tuple[int | None, int | None]:
    """Numbers of trainable and of other values in OpenCV's blobs, shared blobs counted once.

    None where OpenCV does not have all of the network's.
    """
    counted: dict[ir.Value, tuple[int, bool]] = {}
    for one, unit in zip(layers, run, strict=True):
        for index, size in zip(sorted(one.blobs), runner.sizes(unit.name), strict=False):
            if not _is_factor(one, index):
                counted[one.blobs[index]] = (size, not one.is_batch_norm)
    all_values = {
        value
        for one in assembly.layers
        for index, value in one.blobs.items()
        if not _is_factor(one, index)
    }
    if all_values != set(counted):
        return None, None
    trainable = sum(size for size, learned in counted.values() if learned)
    return trainable, sum(size for size, _ in counted.values()) - trainable


def _is_factor(one: CaffeOperation, index: int) -> bool:
    return one.is_batch_norm and index == FACTOR_INDEX
