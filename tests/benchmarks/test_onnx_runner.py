"""Measuring ONNX files in onnxruntime."""

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

from modeldocs.benchmarks import runner
from modeldocs.errors import ModeldocsError

from .requests import short


def initializer(name, shape, *, stored=True):
    """A weight; one that is not stored names a file that is not there."""
    values = np.ones(shape, np.float32)
    tensor = onnx.numpy_helper.from_array(values, name)
    if not stored:
        tensor.ClearField("raw_data")
        tensor.data_location = TensorProto.EXTERNAL
        tensor.external_data.add(key="location", value="weights.bin")
    return tensor


def write(folder, batch=1, *, stored=True, flat=-1):
    nodes = [
        helper.make_node("Conv", ["image", "kernel"], ["c"], "conv", kernel_shape=[3, 3]),
        helper.make_node("Relu", ["c"], ["r"], "relu"),
        helper.make_node("Reshape", ["r", "flat"], ["f"], "reshape"),
        helper.make_node("Gemm", ["f", "dense"], ["out"], "gemm"),
    ]
    weights = [
        initializer("kernel", (8, 3, 3, 3), stored=stored),
        initializer("dense", (8 * 6 * 6, 5), stored=stored),
        onnx.numpy_helper.from_array(np.array([flat, 8 * 6 * 6]), "flat"),
    ]
    graph = helper.make_graph(
        nodes, "net",
        [helper.make_tensor_value_info("image", TensorProto.FLOAT, (batch, 3, 8, 8))],
        [helper.make_tensor_value_info("out", TensorProto.FLOAT, (batch, 5))],
        weights,
    )  # fmt: skip
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=10)
    file = folder / "net.onnx"
    file.write_bytes(model.SerializeToString())
    return file


def request(file, **changed):
    return short(file, "net", "onnx", **{"batch": 4, **changed})


def measure(file, **changed):
    return runner.run(request(file, **changed), progress=lambda step: None)


@pytest.fixture(scope="module", params=["weights in the file", "weights missing"])
def made(tmp_path_factory, request):
    folder = tmp_path_factory.mktemp("onnx")
    return measure(write(folder, stored=request.param == "weights in the file"))


def test_the_batch_of_the_file_is_replaced(made):
    assert made.run.input_shapes == {"image": (4, 3, 8, 8)}
    assert made.throughput.samples == 5 * 4


def test_the_software_is_onnxruntime_with_its_threads(made):
    assert made.software.framework == "onnxruntime"
    assert made.software.framework_version
    assert made.software.threads == 1
    assert made.numerics.dtype == "float32"


def test_blocks_have_the_files_own_names_even_where_nodes_were_fused(made):
    blocks = {block.path: block for block in made.blocks}
    assert {"", "conv", "gemm"} <= set(blocks)
    assert "relu" not in blocks, "it is fused into the convolution"
    assert blocks["conv"].kind == "Conv"
    whole = blocks.pop("")
    assert sum(block.forward_us for block in blocks.values()) <= whole.forward_us * 1.01


def test_operators_of_the_host_are_told(made):
    assert {"Conv", "Gemm"} <= {one.name for one in made.host_operators}


def test_a_batch_that_an_exporter_wrote_into_a_reshape_is_replaced(tmp_path):
    made = measure(write(tmp_path, flat=1))
    assert made.run.input_shapes == {"image": (4, 3, 8, 8)}


def test_a_batch_that_the_graph_does_not_allow_is_told(tmp_path):
    with pytest.raises(ModeldocsError, match="at batch 4 raised") as caught:
        measure(write(tmp_path, flat=2))
    assert caught.value.file == "net.onnx"


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"task": "training"}, "an ONNX file has no training step"),
        ({"compile": True}, "--compile is not known to onnxruntime"),
        ({"precision": "bfloat16"}, "--precision bfloat16 is not known to onnxruntime"),
        ({"device": "cuda"}, "no CUDA provider"),
    ],
)
def test_what_onnxruntime_cannot_do_is_refused(tmp_path, changed, reason):
    with pytest.raises(ModeldocsError, match=reason) as caught:
        measure(write(tmp_path), **changed)
    assert caught.value.fix
