"""The dialect of 2013, read as Caffe upgrades it."""

from __future__ import annotations

from modeldocs.ir import origin

from .nets import load, operators, parameters, shapes

OLD = """
name: "old"
input: "data" input_dim: 10 input_dim: 3 input_dim: 12 input_dim: 12
layers { layer { name: "pad" type: "padding" pad: 2 } bottom: "data" top: "pad" }
layers {
  layer { name: "conv" type: "conv" num_output: 8 kernelsize: 5 stride: 1 biasterm: false
          weight_filler { type: "xavier" } blobs_lr: 1 }
  bottom: "pad" top: "conv"
}
layers { layer { name: "relu" type: "relu" } bottom: "conv" top: "conv" }
layers { layer { name: "pool" type: "pool" pool: AVE kernelsize: 3 stride: 2 }
         bottom: "conv" top: "pool" }
layers { layer { name: "norm" type: "lrn" local_size: 3 alpha: 0.001 } bottom: "pool" top: "norm" }
layers { layer { name: "fc" type: "innerproduct" num_output: 4 } bottom: "norm" top: "fc" }
layers { layer { name: "drop" type: "dropout" dropout_ratio: 0.3 } bottom: "fc" top: "fc" }
layers { layer { name: "prob" type: "softmax" } bottom: "fc" top: "prob" }
"""


def test_its_layers_and_settings_are_read():
    model = load(OLD)
    assert operators(model) == [
        "Conv", "Relu", "AveragePool", "LRN", "Flatten", "Gemm", "Dropout", "Softmax",
    ]  # fmt: skip
    found = shapes(model)
    assert (found["conv"], found["pool"]) == ((1, 8, 12, 12), (1, 8, 6, 6))
    assert parameters(model) == {
        "conv.weight": (8, 3, 5, 5), "fc.weight": (4, 288), "fc.bias": (4,),
    }  # fmt: skip


def test_a_layer_of_padding_becomes_the_next_ones_pads():
    (conv, *_) = load(OLD).graph
    assert conv.attributes["pads"].value == (2, 2, 2, 2)


def test_what_the_source_said_is_kept_in_its_own_words():
    (told,) = origin.read(load(OLD).graph[0]).origins
    assert (told.operator, told.line) == ("Convolution", 5)
    assert told.attributes["layer"]["kernelsize"] == 5
    assert told.attributes["bottom"] == "pad"
    assert told.attributes["padding"]["layer"] == {"name": "pad", "type": "padding", "pad": 2}


def test_a_data_layer_tells_its_shape():
    text = """
layers { layer { name: "data" type: "data" source: "x" batchsize: 64 cropsize: 27 scale: 0.5 }
         top: "data" top: "label" }
layers { layer { name: "fc" type: "innerproduct" num_output: 4 } bottom: "data" top: "fc" }
"""
    assert shapes(load(text))["data"] == (1, 3, 27, 27)


def test_a_type_that_it_lacks_is_shown():
    text = """
input: "data" input_dim: 1 input_dim: 3 input_dim: 4 input_dim: 4
layers { layer { name: "x" type: "twist" pad: 3 } bottom: "data" top: "y" }
"""
    assert operators(load(text)) == ["caffe::twist"]
