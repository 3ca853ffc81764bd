"""Networks whose input is in their data: what can be known of them is, and the rest is `?`."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx_ir as ir
import pytest

from modeldocs import normal
from modeldocs.errors import ModeldocsError
from modeldocs.loaders import LoadRequest
from modeldocs.loaders.caffe import CaffeLoader
from modeldocs.numeric.proof.design import designs

from .nets import load, notes, one, operators, parameters, shapes
from .saved import saved


def fed(kind: str, settings: str = "", *layers: str) -> str:
    """A network of layers behind one that reads data."""
    return f'layer {{ name: "in" type: "{kind}" top: "data" {settings} }}\n' + "\n".join(layers)


CONVOLUTION = one(
    "Convolution",
    "convolution_param { num_output: 8 kernel_size: 5 stride: 2 pad: 1 }",
    ["data"],
    ["c"],
    name="conv",
)
POOL = one("Pooling", "pooling_param { kernel_size: 3 stride: 2 pad: 1 }", "c", "p", name="pool")
DENSE = one("InnerProduct", "inner_product_param { num_output: 4 }", "p", "f", name="fc")


def unranked(folder: Path, text: str) -> ir.Model:
    """A network of whose input not even the rank is known, which ONNX's checker does not take."""
    (folder / "net.prototxt").write_text(text)
    return CaffeLoader().load(LoadRequest(root=str(folder), path="net.prototxt"))


def graph(text: str, **request):
    return normal.normalise(load(text, **request))


def test_data_of_unknown_shape_are_images_of_which_all_else_is_known():
    made = graph(fed("Data", "data_param { batch_size: 7 }", CONVOLUTION, POOL, DENSE))
    assert [made.inputs[0].type.shape, *(layer.outputs[0].shape for layer in made.layers)] == [
        (1, None, None, None), (1, 8, None, None), (1, 8, None, None), (1, 4),
    ]  # fmt: skip
    convolution, pool, dense = made.layers
    told = {name: convolution.attributes[name] for name in ("kernel_shape", "strides", "pads")}
    assert told == {"kernel_shape": [5, 5], "strides": [2, 2], "pads": [1, 1, 1, 1]}
    assert (pool.attributes["kernel_shape"], pool.padding) == ([3, 3], "ceil")
    held = {p.name: p.shape for layer in made.layers for p in layer.parameters}
    assert held == {
        "conv.weight": (8, None, 5, 5),
        "conv.bias": (8,),
        "fc.weight": (4, None),
        "fc.bias": (4,),
    }
    assert (made.totals().parameters, made.totals().macs) == (None, None)
    assert dense.operator == "Gemm"
    assert made.notes == (
        "input 'data': batch 7 in the source, drawn as 1",
        "input 'data': channels, height and width are in the data, not in the definition, drawn "
        "as ? unless --input, or `inputs` in model.yml, gives the shape",
        "'conv.weight', 'fc.weight' have shapes that are not known without the input's: the "
        "parameters are not counted",
    )


def test_a_shape_that_is_given_makes_all_known():
    text = fed("Data", "", CONVOLUTION, POOL, DENSE)
    made = load(text, inputs={"data": (1, 3, 20, 20)})
    assert parameters(made)["fc.weight"] == (4, 200)
    assert notes(made) == []


@pytest.mark.parametrize(
    ("kind", "settings", "expected", "told"),
    [
        ("Data", "transform_param { mean_value: 104 mean_value: 117 mean_value: 123 }",
         (1, 3, None, None), "3 channels by its 3 mean values"),
        ("Data", "transform_param { mean_value: 104 crop_size: 9 }",
         (1, 3, 9, 9), "3 channels assumed, as the definition tells none"),
        ("Data", "transform_param { force_gray: true }", (1, 1, None, None), None),
        ("Data", "transform_param { force_color: true }", (1, 3, None, None), None),
        ("Data", "data_param { force_encoded_color: true }", (1, 3, None, None), None),
        ("ImageData", "image_data_param { is_color: false }", (1, 1, None, None), None),
        ("ImageData", "", (1, 3, None, None), None),
        ("MemoryData", "memory_data_param { batch_size: 1 channels: 2 }",
         (1, 2, None, None), None),
        ("DenseImageData", "dense_image_data_param { batch_size: 4 }",
         (1, None, None, None), None),
        ("HDF5Data", "hdf5_data_param { batch_size: 4 }", (1, None, None, None), None),
        ("Python", "", (None, None, None, None), None),
        ("Python", """python_param { param_str: "{'mean': (104.0, 116.7, 122.7), 'seed': 1}" }""",
         (None, 3, None, None), "3 channels by its 3 means"),
        ("CPMData", "cpm_transform_param { crop_size_x: 7 crop_size_y: 9 }",
         (1, 3, 9, 7), "3 channels assumed, as the definition tells none"),
        ("Input", "", (None, None, None, None), None),
    ],
)  # fmt: skip
def test_what_settings_tell_of_images_is_taken(kind, settings, expected, told):
    made = load(fed(kind, settings, CONVOLUTION))
    assert shapes(made)["data"] == expected
    assert any(note == f"input 'data': {told}" for note in notes(made)) is (told is not None)


def test_readers_tell_the_rank_through_layers_that_keep_it():
    made = load(fed("Python", "", one("Power", "", ["data"], ["data"]), CONVOLUTION))
    assert shapes(made)["data"] == (None, None, None, None)


def test_what_a_network_reads_that_nothing_feeds_is_its_input():
    made = load(CONVOLUTION + one("EuclideanLoss", "", ["c", "label"], ["loss"]))
    assert shapes(made)["data"] == (None, None, None, None)
    assert notes(made)[0] == "input 'data': nothing feeds it"
    assert operators(made) == ["Conv"]


def test_a_sum_takes_the_shape_of_the_operands_that_have_one(tmp_path):
    mask = 'layer { name: "m" type: "Python" top: "m" }'
    made = unranked(tmp_path, fed("Data", "", mask, CONVOLUTION, one("Eltwise", "", "cm")))
    assert shapes(made)["y"] == (1, 8, None, None)


def test_a_dense_layer_takes_data_of_any_rank(tmp_path):
    made = unranked(tmp_path, fed("HDF5Data", "", DENSE.replace('"p"', '"data"')))
    assert operators(made) == ["Flatten", "Gemm"]
    (row, width) = made.graph.outputs[0].shape
    assert (row.value, width) == (None, 4)
    assert made.graph.inputs[0].shape is None


def test_a_layer_that_needs_the_rank_is_drawn_without_shapes(tmp_path):
    made = unranked(tmp_path, fed("Python", "", one("Softmax", "", ["data"])))
    assert operators(made) == ["caffe::Softmax"]
    assert made.graph.outputs[0].shape is None
    assert notes(made)[1:] == [
        "drawn without shapes and parameters, since what they read is not known: 'it'"
    ]


def test_weights_beside_it_tell_channels_and_parameters(tmp_path):
    text = fed("Data", "transform_param { crop_size: 20 }", CONVOLUTION, POOL, DENSE)
    open_ = text.replace("crop_size: 20", "")
    blobs = {
        "conv": [np.ones((8, 1, 5, 5), np.float32), np.ones(8, np.float32)],
        "fc": [np.ones((4, 200), np.float32), np.ones(4, np.float32)],
    }
    (tmp_path / "net.caffemodel").write_bytes(saved(open_, **blobs))
    for definition, size in ((text, 20), (open_, None)):
        (tmp_path / "net.prototxt").write_text(definition)
        made = CaffeLoader().load(LoadRequest(root=str(tmp_path), path="net.prototxt"))
        assert shapes(made)["data"] == (1, 1, size, size)
        assert parameters(made)["fc.weight"] == (4, 200)
        assert "input 'data': 1 channels by the weights of 'conv'" in notes(made)


@pytest.mark.parametrize(
    ("layer", "expected"),
    [
        (one("Pooling", "pooling_param { pool: AVE global_pooling: true }", "c"), (1, 8, 1, 1)),
        (one("LRN", "", "c"), (1, 8, None, None)),
        (one("BatchNorm", "", "c"), (1, 8, None, None)),
        (one("Scale", "scale_param { bias_term: true }", "c"), (1, 8, None, None)),
        (one("PReLU", "", "c"), (1, 8, None, None)),
        (one("Normalize", "", "c"), (1, 8, None, None)),
        (one("Eltwise", "", "cc"), (1, 8, None, None)),
        (one("Concat", "", "cc"), (1, 16, None, None)),
        (one("Slice", "slice_param { slice_point: 3 }", "c", "yz"), (1, 3, None, None)),
        (one("Slice", "slice_param { axis: 2 slice_point: 3 }", "c", "yz"), (1, 8, 3, None)),
        (one("Permute", "permute_param { order: 0 order: 2 }", "c"), (1, None, 8, None)),
        (one("Flatten", "", "c"), (1, None)),
        (one("Flatten", "flatten_param { axis: 2 }", "c"), (1, 8, None)),
        (one("Reshape", "reshape_param { shape { dim: 0 dim: 2 dim: -1 dim: 0 } }", "c"),
         (1, 2, None, None)),
        (one("Reshape", "reshape_param { shape { dim: 0 dim: 8 dim: -1 } }", "c"), (1, 8, None)),
        (one("Crop", "", ["c", "data"]), (1, 8, None, None)),
        (one("Interp", "interp_param { height: 9 width: 9 }", "c"), (1, 8, 9, 9)),
        (one("Interp", "interp_param { zoom_factor: 2 }", "c"), (1, 8, None, None)),
        (one("Tile", "tile_param { tiles: 2 }", "c"), (1, 16, None, None)),
        (one("ShuffleChannel", "shuffle_channel_param { group: 2 }", "c"), (1, 8, None, None)),
        (one("Deconvolution", "convolution_param { num_output: 2 kernel_size: 2 }", "c"),
         (1, 2, None, None)),
        (one("Softmax", "", "c"), (1, 8, None, None)),
        (one("Reduction", "reduction_param { axis: 1 }", "c"), (1,)),
        (one("SPP", "spp_param { pyramid_height: 2 }", "c"), (1, 40)),
        (one("Upsample", "upsample_param { scale: 2 }", "cc"), (1, 8, None, None)),
        (one("PriorBox", "prior_box_param { min_size: 3 }", ["c", "data"]), (1, 2, None)),
        (one("ArgMax", "argmax_param { axis: 1 }", "c"), (1, 1, None, None)),
        (one("SoftmaxWithLoss", "", "cc"), ()),
    ],
)  # fmt: skip
def test_layers_keep_what_is_known_of_images_of_unknown_size(layer, expected):
    made = load(fed("Data", "transform_param { force_gray: true }", CONVOLUTION, layer))
    assert shapes(made)["y"] == expected
    assert all("drawn without" not in note for note in notes(made))


def test_a_proof_asks_for_the_shape_that_it_needs(tmp_path):
    (tmp_path / "net.prototxt").write_text(fed("Data", "", CONVOLUTION))
    request = LoadRequest(root=str(tmp_path), path=str(tmp_path / "net.prototxt"))
    with pytest.raises(ModeldocsError, match="the shape of the input 'data' is not known") as told:
        next(CaffeLoader().prove(request, designs))
    assert "--input data=" in told.value.fix
