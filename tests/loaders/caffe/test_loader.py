"""Whole definitions: our catalog's, and the reference implementation's where they are at hand."""

from __future__ import annotations

import json
import math

import pytest

from modeldocs.errors import ModeldocsError
from modeldocs.ir import origin
from modeldocs.loaders import LoadRequest
from modeldocs.loaders.caffe import CaffeLoader

from .nets import REPOSITORY, SHARED, count, load, load_file, notes, operators, shapes

CATALOG = REPOSITORY / "models"


def macs(model):
    total = 0
    for node in model.graph:
        if node.op_type in ("Conv", "Gemm"):
            outputs = math.prod(node.outputs[0].shape.numpy())
            weight = node.inputs[1].shape.numpy()
            total += outputs * math.prod(weight[1:])
    return total


@pytest.mark.parametrize(
    ("name", "parameters", "multiplications", "classes"),
    [
        ("lenet", 431_080, 2_293_000, 10),
        ("cifar10-quick", 145_578, 12_354_176, 10),
        ("alexnet", 60_965_224, 724_406_816, 1000),
        ("vgg16", 138_357_544, 15_470_264_320, 1000),
        ("googlenet", 6_998_552, 1_582_671_872, 1000),
        ("mobilenetv2", 3_504_872, 300_774_272, 1000),
        # 25,557,032 as every port has them, and the 64 of conv1's bias.
        ("resnet50", 25_557_096, 3_857_973_248, 1000),
    ],
)
def test_the_catalogs_networks_have_their_published_sizes(
    name, parameters, multiplications, classes
):
    model = load_file(CATALOG / name / "caffe.prototxt")
    assert count(model) == parameters
    assert macs(model) == multiplications
    assert shapes(model)["prob"] == (1, classes)


def test_resnet50_keeps_batchnorm_and_scale_apart():
    model = load_file(CATALOG / "resnet50" / "caffe.prototxt")
    kinds = operators(model)
    assert [kinds.count(kind) for kind in ("Conv", "BatchNormalization", "Mul")] == [53, 53, 53]
    assert count(model, "buffer") == 2 * 26_560 + 53
    assert shapes(model)["pool1"] == (1, 64, 56, 56)


def test_ssd_predicts_8732_boxes_of_21_classes():
    model = load_file(CATALOG / "ssd300-vgg16" / "caffe.prototxt")
    assert count(model) == 26_285_486
    found = shapes(model)
    assert found["mbox_priorbox"] == (1, 2, 4 * 8732)
    assert (found["mbox_loc"], found["mbox_conf_flatten"]) == ((1, 4 * 8732), (1, 21 * 8732))
    assert found["detection_out"] == (1, 1, "detections", 7)
    (fc6,) = [node for node in model.graph if node.name == "fc6"]
    assert fc6.attributes["dilations"].value == (6, 6)


@pytest.mark.skipif(not SHARED.exists(), reason="the reference definitions are not at hand")
@pytest.mark.parametrize(
    ("name", "parameters", "output"),
    [("lenet", 431_080, (1, 10)), ("caffenet", 60_965_224, (1, 1000))],
)
def test_the_reference_implementations_definitions_load(name, parameters, output):
    model = load_file(SHARED / f"{name}.prototxt")
    assert count(model) == parameters
    assert shapes(model)["prob"] == output


def test_a_batch_is_drawn_as_one_and_the_sources_shape_is_kept():
    model = load_file(CATALOG / "lenet" / "caffe.prototxt")
    (data,) = model.graph.inputs
    assert tuple(data.shape.numpy()) == (1, 1, 28, 28)
    assert notes(model) == ["input 'data': batch 64 in the source, drawn as 1"]
    told = json.loads(data.metadata_props[origin.KEY])["origins"][0]
    assert told["operator"] == "Input"
    assert told["attributes"]["input_param"] == {"shape": [{"dim": [64, 1, 28, 28]}]}


@pytest.mark.parametrize("name", ["data", ""])
def test_shapes_asked_for_are_taken(name):
    model = load_file(CATALOG / "lenet" / "caffe.prototxt", inputs={name: (8, 1, 28, 28)})
    assert shapes(model)["prob"] == (8, 10)
    assert notes(model) == []


def test_a_shape_for_an_unknown_input_names_the_nearest():
    with pytest.raises(ModeldocsError, match="no input 'dat'") as caught:
        load_file(CATALOG / "lenet" / "caffe.prototxt", inputs={"dat": (1, 1, 28, 28)})
    assert "data" in caught.value.fix


def test_every_node_tells_where_it_comes_from():
    text = """
name: "small"
layer { name: "in" type: "Input" top: "x" input_param { shape { dim: 1 dim: 3 dim: 8 dim: 8 } } }
layer {
  name: "ip"
  type: "InnerProduct"
  bottom: "x"
  top: "ip"
  param { lr_mult: 1 }
  param { lr_mult: 2 decay_mult: 0 }
  inner_product_param { num_output: 2 weight_filler { type: "xavier" } }
  fork_field: 7
}
"""
    model = load(text)
    flatten, gemm = model.graph
    assert (flatten.op_type, gemm.op_type) == ("Flatten", "Gemm")
    assert origin.read(flatten).origins == origin.read(gemm).origins
    (told,) = origin.read(gemm).origins
    assert (told.operator, told.name, told.file, told.line) == (
        "InnerProduct",
        "ip",
        "net.prototxt",
        4,
    )
    assert told.attributes == {
        "bottom": ["x"],
        "top": ["ip"],
        "param": [{"lr_mult": 1}, {"lr_mult": 2, "decay_mult": 0}],
        "inner_product_param": {"num_output": 2, "weight_filler": {"type": "xavier"}},
        "fork_field": 7,
    }


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("deploy.prototxt", 'name: "x" layer { name: "a" type: "ReLU" }', True),
        ("deploy.prototxt", "# layer\nlayers { type: RELU ", True),
        ("deploy.prototxt", 'input: "data" input_dim: 1', True),
        ("deploy.pbtxt", "layer: { }", True),
        ("solver.prototxt", 'net: "train.prototxt" base_lr: 0.01 type: "SGD"', False),
        ("solver.prototxt", "net_param { layer { } } base_lr: 1", False),
        ("graph.pbtxt", 'node { name: "x" op: "Placeholder" input: "y" }', False),
        ("config.pbtxt", 'platform: "x" input [ { name: "a" dims: [ 3 ] } ]', False),
        ("rpn_test.pt", 'name: "x" layer { name: "a" type: "ReLU" }', True),
        ("weights.pt", "PK\x03\x04\0layer { }", False),
        ("deploy.txt", 'layer { name: "a" }', False),
    ],
)
def test_definitions_are_told_from_solvers_and_other_frameworks_files(
    tmp_path, name, text, expected
):
    (tmp_path / name).write_text(text)
    assert CaffeLoader().recognises(tmp_path / name) is expected


def test_a_file_that_is_not_there_is_told():
    with pytest.raises(ModeldocsError, match="cannot be read"):
        CaffeLoader().load(LoadRequest(root="/nowhere", path="net.prototxt"))


def test_comments_in_any_encoding_do_no_harm(tmp_path):
    source = (CATALOG / "lenet" / "caffe.prototxt").read_bytes()
    (tmp_path / "net.prototxt").write_bytes(b"\xef\xbb\xbf# \xb5\xc4\xff\n" + source)
    assert count(load_file(tmp_path / "net.prototxt")) == 431_080
