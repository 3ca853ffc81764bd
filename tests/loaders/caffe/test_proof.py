"""Definitions run by OpenCV, which shares no code with us, against what was loaded of them."""

from __future__ import annotations

import pytest

from modeldocs.loaders import LoadRequest
from modeldocs.loaders.caffe import CaffeLoader
from modeldocs.loaders.caffe.opencv import definition
from modeldocs.loaders.caffe.opencv.definition import DefinedLayer, own_words
from modeldocs.loaders.caffe.program import read_network
from modeldocs.numeric.proof import ParameterCount, Proof, prover
from modeldocs.numeric.proof.prover import ProofSubject

from .nets import REPOSITORY, net, one

IMAGE = (1, 4, 9, 11)
LAYERS = (
    ("Sigmoid", ""), ("TanH", ""), ("AbsVal", ""), ("BNLL", ""), ("Softmax", ""), ("ELU", ""),
    ("Swish", ""), ("Mish", ""), ("ReLU6", ""), ("PReLU", ""), ("MVN", ""), ("BatchNorm", ""),
    ("ReLU", "relu_param { negative_slope: 0.1 }"),
    ("PReLU", "prelu_param { channel_shared: true }"),
    ("Clip", "clip_param { min: 0 max: 6 }"),
    ("Power", "power_param { power: 2 scale: 3 shift: 1 }"),
    ("Exp", "exp_param { base: 2 scale: 0.5 shift: 1 }"),
    ("Convolution", "convolution_param { num_output: 6 kernel_h: 3 kernel_w: 2 stride_h: 2"
     " stride_w: 1 pad_h: 1 pad_w: 0 group: 2 dilation: 2 }"),
    ("ConvolutionDepthwise", "convolution_param { num_output: 4 kernel_size: 3 pad: 1 group: 4 }"),
    ("Deconvolution", "convolution_param { num_output: 6 kernel_size: 4 stride: 2 pad: 1 group: 2"
     " }"),
    ("InnerProduct", "inner_product_param { num_output: 5 }"),
    ("InnerProduct", "inner_product_param { num_output: 5 axis: 2 bias_term: false }"),
    ("BatchNorm", "batch_norm_param { use_global_stats: false }"),
    ("Scale", "scale_param { axis: 1 num_axes: 2 bias_term: true }"),
    ("LRN", "lrn_param { local_size: 3 alpha: 0.1 beta: 0.5 }"),
    ("LRN", "lrn_param { local_size: 3 alpha: 0.1 norm_region: WITHIN_CHANNEL }"),
    ("MVN", "mvn_param { across_channels: true }"),
    ("MVN", "mvn_param { normalize_variance: false }"),
    ("Normalize", "norm_param { across_spatial: false channel_shared: false }"),
    ("Normalize", ""),
    ("Pooling", "pooling_param { kernel_size: 3 stride: 2 }"),
    ("Pooling", "pooling_param { kernel_size: 3 stride: 2 round_mode: FLOOR }"),
    ("Pooling", "pooling_param { kernel_size: 2 stride: 3 pad: 1 }"),
    ("Pooling", "pooling_param { pool: AVE kernel_size: 3 stride: 2 }"),
    ("Pooling", "pooling_param { pool: AVE kernel_h: 3 kernel_w: 5 stride: 2 pad_h: 1 pad_w: 2 }"),
    ("Pooling", "pooling_param { pool: AVE global_pooling: true }"),
    ("Reshape", "reshape_param { shape { dim: 0 dim: 2 dim: -1 } }"),
    ("Reshape", "reshape_param { axis: 1 num_axes: 2 shape { dim: -1 } }"),
    ("Flatten", "flatten_param { axis: 1 end_axis: 2 }"),
    ("Permute", "permute_param { order: 0 order: 2 order: 3 order: 1 }"),
    ("ShuffleChannel", "shuffle_channel_param { group: 2 }"),
    ("Interp", "interp_param { height: 17 width: 21 }"),
    ("Softmax", "softmax_param { axis: 2 }"),
)  # fmt: skip
PAIRS = (
    one("Eltwise", "eltwise_param { coeff: 1 coeff: -0.5 }", "ab", "p", name="sum")
    + one("Eltwise", "eltwise_param { operation: MAX }", "ab", "q", name="max")
    + one("Concat", "concat_param { axis: 2 }", "ab", "r", name="join")
    + one("Slice", "slice_param { axis: 1 slice_point: 1 }", "a", "st", name="cut")
    + one("Crop", "crop_param { axis: 2 offset: 1 offset: 2 }", "ac", "u", name="crop")
    + one("Sigmoid", "", "a", "v", name="gate") + one("Eltwise", "", "va", "v", name="in place")
)  # fmt: skip


def prove(folder, text, **request) -> Proof:
    (folder / "net.prototxt").write_text(text)
    return prove_file(folder / "net.prototxt", **request)


def prove_file(path, **request) -> Proof:
    asked = LoadRequest(root=str(path.parent), path=str(path), **request)
    return prover.prove(ProofSubject(name="caffe", framework="caffe", request=asked))


@pytest.mark.usefixtures("opencv")
def test_every_layer_that_opencv_has_gives_the_same_numbers(tmp_path):
    single = [
        one(kind, s, "a", [f"y{i}"], name=f"{kind} {i}") for i, (kind, s) in enumerate(LAYERS)
    ]
    text = net("".join(single) + PAIRS, IMAGE, IMAGE, (1, 4, 5, 6))
    proof = prove(tmp_path, text)
    assert proof.failure is None
    assert proof.first is None
    assert proof.loaded.relative < 1e-5
    assert proof.normal.relative < 1e-5
    assert proof.theirs == proof.ours


@pytest.mark.usefixtures("opencv")
@pytest.mark.parametrize(("port", "learned", "statistics"), [("mobilenetv2", 3_504_872, 34_112)])
def test_a_port_of_the_catalog_is_verified(port, learned, statistics):
    proof = prove_file(REPOSITORY / "models" / port / "caffe.prototxt")
    assert proof.verdict == "verified"
    assert proof.theirs == ParameterCount(trainable=learned, frozen=statistics)


DETECTION = (
    one("Convolution", "convolution_param { num_output: 8 kernel_size: 1 }", "a", "c", name="c")
    + one("Flatten", "", "c", "l", name="l")
    + one("Softmax", "", "c", "s", name="s") + one("Flatten", "", "s", "f", name="f")
    + one("PriorBox", "prior_box_param { min_size: 3 }", "ca", "p", name="p")
    + one("DetectionOutput", "detection_output_param { num_classes: 2 }", "lfp", "d", name="d")
)  # fmt: skip
TRAINING = """
layer { name: "data" type: "Data" top: "data" top: "label" include { phase: TRAIN }
        transform_param { crop_size: 6 } data_param { batch_size: 8 } }
layer { name: "fc" type: "InnerProduct" bottom: "data" top: "fc"
        inner_product_param { num_output: 3 } param { name: "w" } }
layer { name: "drop" type: "Dropout" bottom: "fc" top: "fc" }
layer { name: "loss" type: "SoftmaxWithLoss" bottom: "fc" bottom: "label" top: "loss" }
"""


@pytest.mark.usefixtures("opencv")
@pytest.mark.parametrize(
    ("text", "args", "reach"),
    [
        (net(DETECTION, (1, 3, 5, 5)), {}, ", up to l, f, c"),
        (TRAINING, {"phase": "TRAIN"}, ", up to fc"),
    ],
)
def test_what_onnx_lacks_is_proven_up_to(tmp_path, text, args, reach):
    proof = prove(tmp_path, text, args=args)
    assert proof.verdict == "verified"
    assert proof.reference.endswith(reach)


@pytest.mark.usefixtures("opencv")
def test_what_opencv_does_otherwise_is_told(tmp_path):
    settings = "inner_product_param { num_output: 2 transpose: true }"
    proof = prove(tmp_path, net(one("InnerProduct", settings), (1, 3)))
    assert proof.verdict == "not run"
    assert proof.failure.reason == (
        "no layer of it can be compared: of the layer 'InnerProduct', OpenCV does not read "
        "`transpose`"
    )


def test_opencv_is_asked_for_only_to_prove():
    request = LoadRequest(root="/", path="/net.prototxt")
    assert CaffeLoader().environment(request, proving=False) is None
    assert CaffeLoader().environment(request, proving=True) == "opencv"


def test_opencv_reads_the_source_itself():
    """Where we read something wrong, it is not read wrong by OpenCV as well."""
    text = (REPOSITORY / "models" / "lenet" / "caffe.prototxt").read_text()
    layers = read_network(text, "net.prototxt", {}).layers
    own = own_words(layers, text)
    assert all(words is not None and words.removeprefix("layer ") in text for words in own)


def test_opencv_is_given_what_decides_the_numbers():
    text = """
layers { name: "c" type: POOLING bottom: "x" top: "y\\"" include { phase: TEST } blobs_lr: 1
         pooling_param { pool: AVE kernel_size: 3 round_mode: FLOOR fork: 1 } }
"""
    (layer,) = read_network(text, "net.prototxt", {}).layers
    assert definition.write([("x", (1, 2))], [DefinedLayer("c (1)", layer, (), None)]) == (
        'input: "x"\ninput_shape { dim: 1 dim: 2 }\n'
        'layer {\n  name: "c (1)"\n  type: "Pooling"\n  bottom: "x"\n  top: "y\\042"\n'
        "  pooling_param {\n    pool: AVE\n    kernel_size: 3\n    ceil_mode: false\n  }\n}\n"
    )
