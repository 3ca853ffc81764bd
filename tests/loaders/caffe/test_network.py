"""Which layers a definition has, what feeds them, and what is told of mistakes."""

from __future__ import annotations

import json

import pytest

from modeldocs.errors import ModeldocsError
from modeldocs.ir import origin
from modeldocs.ir.operators import OPSET

from .nets import load, net, notes, one, operators, parameters, shapes

TRAIN_VAL = """
name: "two phases"
layer {
  name: "train" type: "Data" top: "data" top: "label"
  include { phase: TRAIN }
  transform_param { mirror: true crop_size: 24 }
  data_param { source: "train_lmdb" batch_size: 256 backend: LMDB }
}
layer {
  name: "val" type: "Data" top: "data" top: "label"
  include { phase: TEST }
  transform_param { crop_size: 20 }
  data_param { source: "val_lmdb" batch_size: 50 }
}
layer {
  name: "fc" type: "InnerProduct" bottom: "data" top: "fc"
  inner_product_param { num_output: 7 }
}
layer {
  name: "accuracy" type: "Accuracy" bottom: "fc" bottom: "label" top: "accuracy"
  include { phase: TEST }
}
layer { name: "loss" type: "SoftmaxWithLoss" bottom: "fc" bottom: "label" top: "loss" }
"""


def fails(text, **request):
    with pytest.raises(ModeldocsError) as caught:
        load(text, **request)
    return caught.value


def test_the_test_phase_is_the_default():
    model = load(TRAIN_VAL)
    assert operators(model) == ["Flatten", "Gemm", "caffe::Accuracy", "caffe::SoftmaxWithLoss"]
    assert model.graph.opset_imports == {"": OPSET, "caffe": 1}
    found = shapes(model)
    assert (found["data"], found["label"]) == ((1, 3, 20, 20), (1,))
    assert [value.name for value in model.graph.outputs] == ["accuracy", "loss"]
    assert notes(model)[0] == "phase TEST: not part of it are train (line 3)"


def test_the_train_phase_can_be_asked_for():
    model = load(TRAIN_VAL, args={"phase": "TRAIN"})
    assert operators(model) == ["Flatten", "Gemm", "caffe::SoftmaxWithLoss"]
    assert shapes(model)["data"] == (1, 3, 24, 24)


def test_a_label_follows_the_batch_asked_for():
    found = shapes(load(TRAIN_VAL, inputs={"": (4, 1, 20, 20)}))
    assert (found["data"], found["label"], found["fc"]) == ((4, 1, 20, 20), (4,), (4, 7))


@pytest.mark.parametrize(
    ("rules", "args", "kept"),
    [
        ("", {}, True),
        ("include { phase: TRAIN } include { phase: TEST }", {}, True),
        ("exclude { phase: TEST }", {}, False),
        ('include { stage: "deploy" }', {}, False),
        ('include { stage: "deploy" }', {"stage": "deploy"}, True),
        ('include { stage: "a" stage: "b" }', {"stage": ["a"]}, False),
        ('include { not_stage: "a" }', {"stage": ["a"]}, False),
        ("include { min_level: 1 }", {}, False),
        ("include { min_level: 1 max_level: 2 }", {"level": 2}, True),
        ("exclude { min_level: 1 }", {"level": 3}, False),
    ],
)
def test_rules(rules, args, kept):
    text = net(one("ReLU") + one("TanH", rules, tops="z"), (1, 2))
    assert ("Tanh" in operators(load(text, args=args))) is kept


def test_rules_of_both_kinds_and_unknown_arguments_are_refused():
    text = net(one("ReLU", "include { phase: TEST } exclude { phase: TRAIN }"), (1, 2))
    assert "both include and exclude" in fails(text).reason
    assert fails(net(one("ReLU"), (1, 2)), args={"fase": "TEST"}).fix
    assert "phase 'TESTING'" in fails(net(one("ReLU"), (1, 2)), args={"phase": "testing"}).reason


def test_the_old_dialect_reads_alike():
    model = load("""
name: "old"
input: "data"
input_dim: 10 input_dim: 3 input_dim: 8 input_dim: 8
layers {
  name: "conv" type: CONVOLUTION bottom: "data" top: "conv"
  blobs_lr: 1 blobs_lr: 2 weight_decay: 1 weight_decay: 0
  convolution_param { num_output: 4 kernel_size: 3 }
}
layers { name: "relu" type: RELU bottom: "conv" top: "conv" }
layers { name: "fc" type: INNER_PRODUCT bottom: "conv" top: "fc"
         inner_product_param { num_output: 2 } }
layers { name: "loss" type: SOFTMAX_LOSS bottom: "fc" bottom: "label" include: { phase: TRAIN } }
layers { name: "prob" type: 20 bottom: "fc" top: "prob" }
""")
    assert operators(model) == ["Conv", "Relu", "Flatten", "Gemm", "Softmax"]
    (told,) = origin.read(model.graph[0]).origins
    assert (told.operator, told.attributes["type"]) == ("Convolution", "CONVOLUTION")
    assert told.attributes["blobs_lr"] == [1, 2]
    (data,) = model.graph.inputs
    source = json.loads(data.metadata_props[origin.KEY])["origins"][0]
    assert source["attributes"] == {"input": "data", "input_dim": [10, 3, 8, 8]}
    assert source["line"] == 3


def test_inputs_with_a_shape_each():
    text = """
input: "a" input: "b"
input_shape { dim: 1 dim: 2 } input_shape { dim: 1 dim: 3 }
layer { name: "join" type: "Concat" bottom: "a" bottom: "b" top: "y" }
"""
    assert shapes(load(text))["y"] == (1, 5)


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ('type: "Data" transform_param { crop_size: 9 force_gray: true }', (1, 1, 9, 9)),
        ('type: "Data" data_param { batch_size: 4 crop_size: 9 }', (1, 3, 9, 9)),
        ('type: "ImageData" image_data_param { new_height: 5 new_width: 6 }', (1, 3, 5, 6)),
        ('type: "WindowData" window_data_param { batch_size: 4 crop_size: 7 }', (1, 3, 7, 7)),
        (
            'type: "MemoryData" memory_data_param '
            "{ batch_size: 4 channels: 2 height: 5 width: 6 }",
            (1, 2, 5, 6),
        ),
        ('type: "DummyData" dummy_data_param { shape { dim: 1 dim: 8 } }', (1, 8)),
        ('type: "DummyData" dummy_data_param { num: 2 channels: 3 height: 4 width: 5 }',
         (1, 3, 4, 5)),
        ('type: "AnnotatedData" transform_param { resize_param { height: 5 width: 6 } }',
         (1, 3, 5, 6)),
    ],
)  # fmt: skip
def test_data_layers_whose_shape_the_definition_tells(source, expected):
    text = f'layer {{ name: "in" top: "data" top: "label" {source} }}' + one("ReLU", "", ["data"])
    model = load(text)
    assert shapes(model)["y"] == expected
    assert [value.name for value in model.graph.inputs][:1] == ["data"]


def test_a_batch_that_a_layer_holds_is_kept():
    param = "reshape_param { shape { dim: 6 dim: 16 } }"
    model = load(net(one("Reshape", param), (6, 1, 4, 4)))
    assert shapes(model)["y"] == (6, 16)
    assert notes(model) == []


def test_in_place_layers_follow_each_other():
    text = net(
        one("ReLU", tops="y")
        + one("TanH", bottoms="y", tops="y")
        + one("AbsVal", bottoms="y", tops="z"),
        (1, 2),
    )
    model = load(text)
    relu, tanh, absolute = model.graph
    assert tanh.inputs[0] is relu.outputs[0]
    assert absolute.inputs[0] is tanh.outputs[0]
    assert [v.name for v in (relu.outputs[0], tanh.outputs[0])] == ["y/it", "y"]


def test_names_told_twice_stay_apart():
    layer = "inner_product_param { num_output: 2 }"
    text = net(one("InnerProduct", layer) + one("InnerProduct", layer, "y", "z"), (1, 3))
    assert list(parameters(load(text))) == [
        "it.weight", "it.bias", "it.weight_2", "it.bias_2",
    ]  # fmt: skip


def test_parameters_shared_by_name_are_one():
    layer = 'param { name: "w" } inner_product_param { num_output: 3 bias_term: false }'
    text = net(one("InnerProduct", layer) + one("InnerProduct", layer, "y", "z"), (1, 3))
    model = load(text)
    assert parameters(model) == {"w": (3, 3)}
    assert model.graph[0].inputs[1] is model.graph[1].inputs[1]


def test_shared_parameters_must_agree():
    first = 'param { name: "w" } inner_product_param { num_output: 3 bias_term: false }'
    second = first.replace("3", "4")
    text = net(one("InnerProduct", first) + one("InnerProduct", second, "y", "z"), (1, 3))
    assert "shares 'w' of 3×3, its own is 4×3" in fails(text).reason


def test_a_blob_that_nothing_makes_names_the_nearest():
    text = net(one("ReLU", tops=["conv1"]) + "\n" + one("TanH", bottoms=["conv_1"]), (1, 2))
    error = fails(text)
    assert error.reason == "layer 'it' (TanH) reads 'conv_1', which no layer before it makes"
    assert (error.line, error.fix) == (3, "did you mean 'conv1'?")


def test_a_blob_made_later_or_in_another_phase_is_told():
    later = net(one("ReLU", bottoms="z") + "\n" + one("TanH", tops="z"), (1, 2))
    assert "line 3" in fails(later).fix
    train = one("TanH", "include { phase: TRAIN }", tops="z") + one("ReLU", "", "z")
    assert "another phase" in fails(net(train, (1, 2)), args={"phase": "TEST"}).fix


def test_a_blob_made_twice_is_told():
    text = net(one("ReLU") + "\n" + one("TanH"), (1, 2))
    assert "makes the blob 'y', which line 2 made already" in fails(text).reason


def test_a_loss_without_its_label_is_left_out():
    loss = one("SoftmaxWithLoss", "", ["y", "label"], ["loss"])
    model = load(net(one("ReLU") + loss, (1, 2)))
    assert operators(model) == ["Relu"]
    assert notes(model) == ["line 2: SoftmaxWithLoss 'it' is left out, since nothing gives 'label'"]


@pytest.mark.parametrize(
    ("layer", "reason", "column"),
    [
        ('type: "ReLU" type: "ReLU"', "'type' is given again, after line 1", 22),
        ("type: ReLU", "'type' wants a quoted text, not 'ReLU'", 9),
        (
            'type: "Pooling" pooling_param { pad: -1 }',
            "'pad' wants a whole number from 0 to 4294967295, not '-1'",
            41,
        ),
        ('type: "ReLU" relu_param: 3', "'relu_param' wants { … }", 22),
        ('type: "ReLU" bottom { }', "'bottom' wants a quoted text, not { … }", 22),
        ('name: "x"', "a layer has no type", 1),
    ],
)
def test_known_fields_are_checked(layer, reason, column):
    error = fails(f"layer {{ {layer} }}")
    assert (error.reason, error.line, error.column) == (reason, 1, column)


def test_a_field_mistyped_is_told_and_kept():
    text = net(one("ReLU", "relu_param { negative_slop: 0.1 }"), (1, 2))
    model = load(text)
    assert notes(model) == [
        "line 2: Caffe has no field 'negative_slop', it may be 'negative_slope' mistyped; "
        "it is shown and has no effect"
    ]
    wrong = net(one("InnerProduct", "inner_product_param { num_outputs: 3 }"), (1, 2))
    assert fails(wrong).reason == (
        "'num_output' is missing; is 'num_outputs' meant to be 'num_output'?"
    )


def test_a_forks_layer_is_shown_and_loading_goes_on():
    param = 'gate_param { alpha: 0.5 on: true names: "a" names: "b" inner { x: 1 } kind: SOFT }'
    layer = one("GatedUnit", param) + one(
        "InnerProduct", "inner_product_param { num_output: 2 }", "y", "z"
    )
    model = load(net(layer, (1, 3)))
    node = model.graph[0]
    assert (node.domain, node.op_type) == ("caffe", "GatedUnit")
    assert {name: attribute.value for name, attribute in node.attributes.items()} == {
        "alpha": 0.5, "on": 1, "names": ("a", "b"), "inner": '{"x": 1}', "kind": "SOFT",
    }  # fmt: skip
    assert shapes(model)["z"] == (1, 2)
    assert "no layer type of Caffe's" in notes(model)[0]


def test_what_does_not_fit_behind_a_forks_layer_is_shown_without_its_shape():
    layers = (
        one("Enlarge")
        + one("Eltwise", "", "yb", "z")
        + one("InnerProduct", "inner_product_param { num_output: 2 }", "z", "q")
    )
    model = load(net(layers, (1, 3, 4, 4), (1, 3, 8, 8)))
    assert operators(model) == ["caffe::Enlarge", "caffe::Eltwise", "Flatten", "Gemm"]
    assert shapes(model)["z"] == (1, None, None, None)
    assert notes(model)[1:] == [
        "drawn without shapes and parameters, since what they read is not known: 'it'",
        "'it.weight' has a shape that is not known without the input's: the parameters are not "
        "counted",
    ]


def test_a_network_without_layers_is_told():
    assert fails('name: "empty"').reason == "the network has no layers"


@pytest.mark.parametrize("dim", [0, -1, 2**31 - 1])
def test_impossible_inputs_are_told(dim):
    assert fails(net(one("ReLU"), (1, 3, dim, 8))).line == 1


def test_impossible_sizes_are_told_with_their_line():
    settings = "inner_product_param { num_output: 4000000000 }"
    error = fails(net(one("InnerProduct", settings), (1, 8)))
    assert (error.line, "2³¹" in error.fix) == (2, True)
