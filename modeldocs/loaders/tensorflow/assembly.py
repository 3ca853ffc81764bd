"""A program put together as one ONNX model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import onnx_ir as ir

from modeldocs.ir import Origin, origin
from modeldocs.loaders import LoadRequest
from modeldocs.loaders.emission import model as onnx_model
from modeldocs.loaders.emission.names import Names
from modeldocs.loaders.tensorflow import attributes, inference, inlining, operators, shapes
from modeldocs.loaders.tensorflow.drawing import Drawing, read
from modeldocs.loaders.tensorflow.emission import UnsupportedError
from modeldocs.loaders.tensorflow.parameters import Parameters
from modeldocs.loaders.tensorflow.program import Feed, Flat, Program
from modeldocs.loaders.tensorflow.typing import Typed

MAX_LISTED = 4

assert operators  # importing them registers them


@dataclass
class Assembled:
    """A model, and what it was made of, for who runs the same in TensorFlow."""

    model: ir.Model
    typed: Typed
    drawing: Drawing
    feeds: list[Feed]
    changed: bool
    """Whether the graph is not what the source itself runs."""


def assemble(program: Program, request: LoadRequest) -> Assembled:
    """The model of a program.

    Raises:
        ModeldocsError: the graph is not whole, or an input's shape is not known.
    """
    flat = inlining.inline(program)
    changed = inference.prepare(program, flat)
    chosen = shapes.choose(program, request, flat)
    program.notes += [*_drawn_as_one(program, chosen), *_open(program, chosen)]
    typed = Typed(program, flat, chosen)
    names = Names()
    feeds = [feed for feed in program.feeds if feed.node in flat.operations]
    reserved = {feed.name: names.unique(feed.name) for feed in feeds}
    leaving = [names.unique(fetch.name) for fetch in program.fetches]
    drawing = Drawing(program, typed, Parameters(program, typed), names)
    inputs = [_input(drawing, feed, reserved[feed.name]) for feed in feeds]
    drawing.draw()
    outputs = _outputs(program, flat, drawing, leaving)
    model = _model(program, drawing, inputs, outputs)
    return Assembled(model, typed, drawing, feeds, changed)


def _drawn_as_one(program: Program, chosen: Mapping[str, tuple[object, ...]]) -> list[str]:
    told = []
    for feed in program.feeds:
        open_batch = feed.shape is None or feed.shape[:1] == (None,)
        if open_batch and feed.node in chosen and chosen[feed.node][:1] == (1,):
            told.append(feed.name)
    return [f"the source leaves the batch of {', '.join(told)} open, drawn as 1"] if told else []


def _open(program: Program, chosen: Mapping[str, tuple[object, ...]]) -> list[str]:
    """Which inputs have sizes that nothing tells."""
    names = [feed.name for feed in program.feeds if None in chosen.get(feed.node, ())]
    if not names:
        return []
    return [
        f"the source leaves sizes of {', '.join(names)} open, drawn as ? unless --input, or "
        "`inputs` in model.yml, gives them"
    ]


def _input(drawing: Drawing, feed: Feed, name: str) -> ir.Value:
    ref = (feed.node, 0)
    shape, dtype = drawing.typed.shape(ref), attributes.onnx_type(drawing.typed.dtype(ref))
    if dtype is None or dtype == ir.DataType.STRING:
        raise drawing.program.error(
            f"the input {feed.name!r} is no tensor of numbers",
            at=feed.node,
            fix="name outputs that do not depend on it",
        )
    value = ir.Value(
        name=name, shape=ir.Shape(shape) if shape is not None else None, type=ir.TensorType(dtype)
    )
    operation = drawing.typed.flat.operations[feed.node]
    source = Origin(
        operator=operation.kind,
        name=operation.name,
        attributes=attributes.plain(operation.proto),
        file=drawing.program.places.get(operation.proto.name, (drawing.program.file, None))[0],
        line=drawing.program.places.get(operation.proto.name, (None, None))[1],
        device=operation.proto.device or None,
    )
    told = origin.Provenance(origins=(source,), name=operation.name)
    origin.attach(value, told)
    drawing.values[ref] = value
    return value


def _outputs(program: Program, flat: Flat, drawing: Drawing, names: list[str]) -> list[ir.Value]:
    """The values that leave the graph; one that is also an input, or leaves twice, is copied."""
    found: list[ir.Value] = []
    for fetch, ref, name in zip(program.fetches, flat.outputs, names, strict=True):
        try:
            value = drawing.value(ref)
        except UnsupportedError as reason:
            raise program.error(
                f"the output {fetch.name!r} {reason}", fix="name other outputs"
            ) from None
        if value.producer() is None or any(value is other for other in found):
            value = _copied(drawing, value, fetch.name)
        value.name = name
        found.append(value)
    return found


def _copied(drawing: Drawing, value: ir.Value, name: str) -> ir.Value:
    node = ir.node("Identity", [value], name=name)
    made = node.outputs[0]
    made.shape, made.type = value.shape, value.type
    drawing.nodes.append(node)
    return made


def _model(
    program: Program, drawing: Drawing, inputs: list[ir.Value], outputs: list[ir.Value]
) -> ir.Model:
    drawing.nodes = read(drawing.nodes, outputs)
    model = onnx_model.finished(
        program.name,
        inputs,
        outputs,
        nodes=drawing.nodes,
        initializers=[value for value in drawing.initializers if value.uses()],
        notes=[*program.notes, *_opaque_notes(drawing)],
    )
    names = Names()
    for node in ir.traversal.RecursiveGraphIterator(model.graph):
        node.name = names.unique(node.name or node.op_type)
    return model


def _opaque_notes(drawing: Drawing) -> list[str]:
    """What is drawn as it is, since ONNX has no operator for it."""
    notes = []
    for reason, names in drawing.opaque.items():
        told = ", ".join(names[:MAX_LISTED]) + (" …" if len(names) > MAX_LISTED else "")
        notes.append(f"drawn as it is: {reason} ({told})")
    return notes
