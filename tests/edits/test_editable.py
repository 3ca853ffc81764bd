"""What a page is told of a network that can be edited: it must hold when it is used."""

from __future__ import annotations

import pytest

from modeldocs import edits
from modeldocs.edits import EditableNetwork, SetAttribute

from . import networks


def editable(model: str, *words: str) -> EditableNetwork:
    made = [edits.parse(*one.split(" ", 1)) for one in words]
    return edits.editable(edits.apply(networks.caffe(model), made))


@pytest.mark.parametrize("one", edits.new_layers(), ids=lambda one: one.operator)
def test_every_operator_that_is_offered_can_be_put_in(one: edits.NewLayer) -> None:
    groups = {"GroupNormalization": ":num_groups=5"}.get(one.operator, "")
    found = editable("lenet", f"insert after=pool2:{one.operator}{groups}")
    assert [layer.operator for layer in found.graph.layers].count(one.operator) >= 1


@pytest.mark.parametrize("one", edits.new_layers(), ids=lambda one: one.operator)
def test_a_new_layer_takes_the_settings_that_its_form_shows(one: edits.NewLayer) -> None:
    given = {s.name: s.value for s in one.settings if s.value and s.value != "true"}
    given |= {"num_groups": "5"} if "num_groups" in given else {}
    text = "".join(f":{name}={value}" for name, value in given.items())
    editable("lenet", f"insert after=pool2:{one.operator}{text}")


@pytest.mark.parametrize("model", ["lenet", "inception-bn", "googlenet", "resnet50", "unet"])
def test_every_setting_that_is_shown_can_be_set_to_what_it_is(model: str) -> None:
    if not (networks.MODELS / model / "caffe.prototxt").exists():
        pytest.skip("it has no port in Caffe")
    before = editable(model)
    given = [
        SetAttribute(layer=layer.name, attribute=one.name, value=one.value)
        for layer in before.layers.values()
        for one in layer.settings
        if one.value and one.name != "operator"
    ]
    assert given
    after = edits.editable(edits.apply(networks.caffe(model), given))
    shapes = [[layer.outputs for layer in one.graph.layers] for one in (before, after)]
    assert shapes[0] == shapes[1]


def test_layers_and_blocks_keep_the_names_by_which_edits_call_them() -> None:
    before = editable("resnet50")
    after = editable("resnet50", "remove relu-1", "insert after=conv-3:Relu:name=extra")
    names = {layer.name for layer in after.layers.values()}
    assert names == {layer.name for layer in before.layers.values()} - {"relu-1"} | {"extra"}
    for layer in after.layers.values():
        assert layer.source == ("" if layer.name == "extra" else layer.name)


def test_a_repeat_that_was_changed_has_the_name_that_changes_it_again() -> None:
    before = editable("resnet50")
    (name,) = [
        before.groups[one.id]
        for one in before.fold.groups()
        if one.kind == "repeat" and len(one.members) == 5
    ]
    after = editable("resnet50", f"repeat {name}=7")
    (again,) = [one for one in after.fold.groups() if len(one.members) == 7]
    assert after.groups[again.id] == name
    copies = [layer for layer in after.layers.values() if layer.name and not layer.source]
    assert len(copies) == 2 * 10
    assert {"res4f_branch2a_2", "res4f_branch2a_3"} <= {one.name for one in copies}


def test_a_copy_takes_no_name_of_the_source() -> None:
    """`res4f` counts nothing, so that its copies could be called so as well."""
    repeat = "repeat conv-29..relu-40x5=7"
    found = editable("resnet50", repeat, "set res4f_branch2a.channels=128")
    assert [
        one.name
        for one in found.graph.layers
        if one.operator == "Conv" and networks.parameter(one)[0] == 128 and "res4f" in one.name
    ] == ["res4f_branch2a"]


def test_every_block_that_has_a_name_is_found_by_it() -> None:
    found = editable("resnet50")
    for group in found.fold.groups():
        draft = edits.apply(networks.caffe("resnet50"), [])
        nodes = draft.members(found.groups[group.id])
        assert len(nodes) == len(list(group.layers()))
