"""`.caffemodel`s: a network of its own, or weights beside a definition."""

from __future__ import annotations

import io

import numpy as np
import pytest

from modeldocs.errors import ModeldocsError
from modeldocs.ir import origin
from modeldocs.loaders import LoadRequest
from modeldocs.loaders.caffe import CaffeLoader
from modeldocs.loaders.caffe.format import binary, blobs
from modeldocs.normal import normalise

from .nets import (
    REPOSITORY,
    count,
    load_file,
    load_saved,
    net,
    notes,
    one,
    operators,
    parameters,
    run,
    shapes,
)
from .saved import saved
from .test_first_dialect import OLD

RANDOM = np.random.default_rng(3)


def noise(*shape):
    return RANDOM.normal(size=shape).astype(np.float32)


FC = one("InnerProduct", "inner_product_param { num_output: 2 }")
SMALL = net(FC, (1, 3))
WEIGHT, BIAS = noise(2, 3), noise(2)
BATCH_NORM = net(one("BatchNorm"), (1, 2, 1, 1))


def values(model, name):
    return model.graph.initializers[name].const_value.numpy()


def beside(folder, text, data, weights="net.caffemodel", **request):
    (folder / "net.prototxt").write_text(text)
    (folder / weights).write_bytes(data)
    return load_file(folder / "net.prototxt", **request)


@pytest.mark.parametrize("port", ["googlenet", "resnet50"])
def test_a_network_saved_is_the_network_that_was_defined(port):
    file = REPOSITORY / "models" / port / "caffe.prototxt"
    text, alone = load_file(file), load_saved(saved(file.read_text()))
    assert shapes(alone) == shapes(text)
    first, second = normalise(text), normalise(alone)
    assert [layer.attributes for layer in second.layers] == [
        layer.attributes for layer in first.layers
    ]
    for ours, theirs in zip(first.layers, second.layers, strict=True):
        told = [(o.operator, o.name, o.attributes) for o in theirs.origins]
        assert told == [(o.operator, o.name, o.attributes) for o in ours.origins]
        assert {o.line for o in theirs.origins} == {None}


def test_its_values_are_the_parameters():
    model = load_saved(saved(SMALL, it=[WEIGHT, BIAS]))
    assert count(model) == 8
    x = noise(1, 3)
    np.testing.assert_allclose(run(model, x)[0], x @ WEIGHT.T + BIAS, rtol=1e-5)


def test_the_old_dialects_are_read():
    second = SMALL.replace("layer {", "layers {").replace('"InnerProduct"', "INNER_PRODUCT")
    second = (
        "input: 'a' input_dim: 1 input_dim: 3 input_dim: 1 input_dim: 1 "
        + (second[second.index("\n") :])
    )
    model = load_saved(saved(second, legacy=True, it=[WEIGHT, BIAS]))
    np.testing.assert_array_equal(values(model, "it.weight"), WEIGHT)
    model = load_saved(saved(OLD, legacy=True, fc=[noise(4, 288), noise(4)]))
    assert operators(model)[0] == "Conv"
    assert values(model, "fc.weight").shape == (4, 288)


def test_a_net_saved_in_training_is_loaded_for_inference():
    text = (
        'layer { name: "train" type: "Data" top: "a" top: "label" include { phase: TRAIN } '
        "phase: TRAIN transform_param { crop_size: 4 } data_param { batch_size: 256 } }"
    )
    split = one("Split", "", "y", "pq")
    loss = one("SoftmaxWithLoss", "", ["p", "label"], ["loss"])
    model = load_saved(saved(text + FC + split + loss + one("Accuracy", "", ["q", "label"], "c")))
    assert shapes(model)["a"] == (1, 3, 4, 4)
    assert operators(model) == [
        "Flatten", "Gemm", "Identity", "Identity", "caffe::SoftmaxWithLoss", "caffe::Accuracy",
    ]  # fmt: skip
    assert notes(model) == [
        "input 'a': batch 256 in the source, drawn as 1",
        "input 'a': 3 channels assumed, as the definition tells none",
    ]


@pytest.mark.parametrize("name", ["net.caffemodel", "iter_10000.caffemodel"])
def test_weights_beside_a_definition_are_taken(tmp_path, name):
    model = beside(tmp_path, SMALL, saved(SMALL, it=[WEIGHT, BIAS]), name)
    np.testing.assert_array_equal(values(model, "it.weight"), WEIGHT)
    assert notes(model) == [f"weights of {name}"]
    assert not CaffeLoader().recognises(tmp_path / name)
    assert CaffeLoader().recognises(tmp_path / "net.prototxt")


def test_of_several_the_one_that_is_named_is_taken(tmp_path):
    (tmp_path / "other.caffemodel").write_bytes(saved(SMALL))
    data = saved(SMALL, it=[WEIGHT, BIAS])
    model = beside(tmp_path, SMALL, data, "this.caffemodel")
    assert notes(model) == []
    model = beside(tmp_path, SMALL, data, "this.caffemodel", args={"weights": "this.caffemodel"})
    assert notes(model) == ["weights of this.caffemodel"]
    assert CaffeLoader().recognises(tmp_path / "this.caffemodel")
    with pytest.raises(ModeldocsError, match="no weights 'none'"):
        load_file(tmp_path / "net.prototxt", args={"weights": "none"})


def test_weights_of_another_shape_are_told_with_the_layers_line(tmp_path):
    data = saved(SMALL, it=[noise(2, 4), BIAS])
    with pytest.raises(ModeldocsError) as caught:
        beside(tmp_path, "\n" + SMALL, data)
    assert caught.value.line == 3
    assert caught.value.reason == (
        "layer 'it' (InnerProduct) has blobs of 2×4, 2 in net.caffemodel, the definition gives it "
        "2×3, 2"
    )


def test_weights_that_merely_lie_there_need_not_fit(tmp_path):
    model = beside(tmp_path, SMALL, saved(SMALL, it=[noise(9)]), "other.caffemodel")
    assert notes(model)[0].startswith("other.caffemodel is not used: layer 'it'")
    assert count(model) == 8
    model = beside(tmp_path, SMALL, b"\x0a\x05x", "other.caffemodel")
    assert notes(model)[0].startswith("other.caffemodel is not used: at byte 0")


def test_layers_that_only_one_of_the_two_has_are_told(tmp_path):
    text = SMALL + one("InnerProduct", "inner_product_param { num_output: 5 }", "y", "z").replace(
        '"it"', '"head"'
    )
    spare = SMALL + FC.replace('"it"', '"old"').replace('"y"', '"q"')
    model = beside(tmp_path, text, saved(spare, it=[WEIGHT, BIAS], old=[WEIGHT, BIAS]))
    assert notes(model)[1:] == [
        "net.caffemodel has no weights for head",
        "net.caffemodel also has weights of old, which the graph lacks",
    ]


@pytest.mark.parametrize(("factor", "scale"), [(4.0, 0.25), (0.0, 0.0)])
def test_batchnorms_statistics_are_divided_by_its_third_blob(factor, scale):
    mean, var = noise(2), np.abs(noise(2))
    model = load_saved(saved(BATCH_NORM, it=[mean, var, np.array([factor])]))
    np.testing.assert_allclose(values(model, "it.mean"), mean * scale)
    np.testing.assert_allclose(values(model, "it.var"), var * scale)
    kinds = {n: origin.parameter_kind(v) for n, v in model.graph.initializers.items()}
    assert kinds["it.mean"] == kinds["it.var"] == "buffer"


def test_the_blobs_of_a_forks_layer_are_its_parameters():
    model = load_saved(saved(net(one("Whiten"), (1, 3)), it=[noise(3, 3), noise(3)]))
    (node,) = model.graph
    assert (node.domain, len(node.inputs)) == ("caffe", 3)
    assert parameters(model) == {"it.blob0": (3, 3), "it.blob1": (3,)}


def test_a_forks_field_is_kept_by_its_number():
    data = saved(net(one("ReLU"), (1, 3)))
    entry = data.rindex(b"\xa2\x06")
    inner = data[entry + 3 :] + b"\xc8\x3e\x07" + b"\xd2\x3e\x02hi"
    model = load_saved(data[:entry] + b"\xa2\x06" + bytes([len(inner)]) + inner)
    (told,) = origin.read(model.graph[0]).origins
    assert told.attributes["field_1001"] == 7
    assert told.attributes["field_1002"] == "hi"


def test_what_is_written_reads_back():
    file = io.BytesIO()
    blobs.write(file, [("a", "Scale", [WEIGHT, BIAS]), ("b", "Split", [])])
    found = binary.decode(memoryview(file.getvalue()), "x").blobs
    assert list(found) == ["a"]
    np.testing.assert_array_equal(found["a"][0].values.reshape(2, 3), WEIGHT)
    assert [blob.shape for blob in found["a"]] == [(2, 3), (2,)]


@pytest.mark.parametrize(
    ("blob", "reason"),
    [
        (b"\x3a\x02\x08\x02" + b"\x2a\x04" + bytes(4), "a blob of 2 has 1 values"),
        (b"\x3a\x02\x08\x02" + b"\x2a\x03" + bytes(3), "a blob has 3 bytes"),
        (b"\x28\x01", "a blob has values that are no floating-point numbers"),
        (b"\x3a\x0b\x08" + b"\xff" * 9 + b"\x01", "a blob cannot have the shape -1"),
        (b"\x3a\x06\x08" + b"\xff" * 4 + b"\x7f", "a blob cannot have the shape"),
        (b"\x3a\x29\x0a\x27" + b"\x01" * 39, "a blob has more than 32 dimensions"),
    ],
)
def test_impossible_blobs_are_told(blob, reason):
    layer = b"\x0a\x02it\x12\x04ReLU" + b"\x3a" + bytes([len(blob)]) + blob
    with pytest.raises(ModeldocsError, match=reason):
        load_saved(b"\xa2\x06" + bytes([len(layer)]) + layer)


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (saved(SMALL), True),
        (b"\x0a\x05LeNet\x12", True),
        (b"version https://git-lfs.github.com/spec/v1\n", False),
        (b"", False),
        (b"\x89HDF\r\n", False),
    ],
)
def test_a_network_is_told_from_other_files(tmp_path, data, expected):
    (tmp_path / "net.caffemodel").write_bytes(data)
    assert CaffeLoader().recognises(tmp_path / "net.caffemodel") is expected


@pytest.mark.parametrize(
    ("data", "reason"),
    [(b"", "the file is empty"), (b"\x0a\x01x", "the network has no layers")],
)
def test_files_without_a_network_are_told(data, reason):
    with pytest.raises(ModeldocsError, match=reason):
        load_saved(data)


def test_a_file_that_is_not_there_is_told():
    with pytest.raises(ModeldocsError, match="cannot be read"):
        CaffeLoader().load(LoadRequest(root="/nowhere", path="net.caffemodel"))
