"""What holds of every edit."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from evaluation.random_edits import RandomEdits
from modeldocs import edits, normal
from modeldocs.edits import Edit, RepeatBlock, ResizeInput, SetAttribute
from modeldocs.edits.draft import Draft
from modeldocs.edits.pads import resolve
from modeldocs.errors import ModeldocsError
from modeldocs.fold import fold
from modeldocs.ir import LayerGraph, TensorType
from modeldocs.normal import values

from .networks import after, bytes_of, caffe, edited

PORTS = ("cifar10-quick", "googlenet", "lenet")
once = settings(max_examples=4, deadline=None, phases=(Phase.generate,))
"""A seed has no simpler one."""
every_port = pytest.mark.parametrize("port", PORTS)


def inverse(graph: LayerGraph, edit: Edit) -> Edit | None:
    """The edit that undoes another one; None for those that are undone by leaving them out."""
    if isinstance(edit, SetAttribute):
        layer = next(one for one in graph.layers if one.id == edit.layer)
        value = layer.attributes.get(edit.attribute)
        if edit.attribute in ("channels", "units") and layer.outputs[0].shape:
            shape = layer.outputs[0].shape
            value = shape[1] if edit.attribute == "channels" else shape[-1]
        if value is None or isinstance(value, str) or edit.attribute == "pads":
            return None
        text = ",".join(map(str, value)) if isinstance(value, list) else str(value)
        return SetAttribute(layer=edit.layer, attribute=edit.attribute, value=text)
    if isinstance(edit, RepeatBlock):
        group = next(one for one in fold(graph).groups() if one.id == edit.block)
        return RepeatBlock(block=edit.block, count=len(group.members)) if edit.count > 1 else None
    if isinstance(edit, ResizeInput):
        (given_input,) = graph.inputs
        assert given_input.type.shape is not None
        return ResizeInput(
            name=edit.name, shape=tuple(int(str(one)) for one in given_input.type.shape)
        )
    return None


@every_port
@given(seed=st.integers(0, 10**6))
@once
def test_an_edit_and_its_inverse_give_the_same_bytes(port: str, seed: int) -> None:
    graph = normal.read(caffe(port))
    (edit,) = RandomEdits(graph, Random(seed)).some(1)
    back = inverse(graph, edit)
    if back is not None:
        try:
            edits.apply(caffe(port), [edit])
        except ModeldocsError:
            return
        assert after(caffe(port), [edit, back]) == bytes_of(caffe(port)), (edit, back)


@pytest.mark.parametrize("place", ["conv-2", "relu-1", "gemm-1"])
@pytest.mark.parametrize("operator", ["Gelu", "BatchNormalization", "Dropout"])
def test_a_layer_put_in_and_taken_out_again_gives_the_same_bytes(place: str, operator: str) -> None:
    words = (f"insert after={place}:{operator}:name=new", "remove new")
    made = [edits.parse(*one.split(" ", 1)) for one in words]
    assert after(caffe("lenet"), made) == bytes_of(caffe("lenet"))


def test_a_layer_taken_out_and_put_in_again_gives_the_same_program() -> None:
    words = ("remove relu1", "insert after=gemm-1:Relu:name=relu1_")
    made = [edits.parse(*one.split(" ", 1)) for one in words]
    assert after(caffe("lenet"), made)[1] == bytes_of(caffe("lenet"))[1]


@every_port
@given(seed=st.integers(0, 10**6))
@once
def test_edits_of_different_layers_may_stand_in_any_order(port: str, seed: int) -> None:
    chance = Random(seed)
    graph = normal.read(caffe(port))
    made = [one for one in RandomEdits(graph, chance).some(4) if isinstance(one, SetAttribute)]
    made = list({one.layer: one for one in made}.values())
    turned = list(reversed(made))
    results = []
    for order in (made, turned):
        model = caffe(port)
        try:
            edits.apply(model, order)
        except ModeldocsError as error:
            results.append(type(error).__name__)
            continue
        results.append(str(normal.read(model)))
    assert results[0] == results[1]


@every_port
@given(seed=st.integers(0, 10**6))
@once
def test_random_edits_give_known_shapes_or_a_reason(port: str, seed: int) -> None:
    model = caffe(port)
    made = RandomEdits(normal.read(model), Random(seed)).some(3)
    try:
        edits.apply(model, made)
    except ModeldocsError:
        return
    graph = normal.read(model)
    assert graph.totals().macs is not None
    assert all(isinstance(size, int) for one in graph.layers for size in shape_of(one.outputs[0]))


def shape_of(one: TensorType) -> tuple[object, ...]:
    assert one.shape is not None
    return one.shape


@every_port
def test_pads_of_a_strategy_are_what_the_loader_made_of_it(port: str) -> None:
    model = caffe(port)
    for node in model.graph:
        before = values.attribute(node, "pads")
        resolve(node)
        assert values.attribute(node, "pads") == before, node.name


@pytest.mark.parametrize(
    ("port", "size"),
    [("alexnet", 259), ("cifar10-quick", 37), ("lenet", 35), ("mobilenetv2", 256), ("vgg16", 192)],
)
def test_another_input_gives_what_the_source_loaded_with_it_gives(port: str, size: int) -> None:
    (given_input,) = normal.read(caffe(port)).inputs
    assert given_input.type.shape is not None
    shape = (*given_input.type.shape[:2], size, size)
    text = ",".join(map(str, shape))
    graph = edited(caffe(port), f"input {given_input.name}={text}")
    again = normal.read(caffe(port, **{given_input.name: shape}))
    assert (graph.inputs, graph.layers, graph.outputs) == (
        again.inputs,
        again.layers,
        again.outputs,
    )


def test_the_names_of_a_report_hold_whatever_was_edited_before() -> None:
    draft = Draft(caffe("resnet50"))
    assert list(draft.nodes) == [one.id for one in draft.layers.layers]
