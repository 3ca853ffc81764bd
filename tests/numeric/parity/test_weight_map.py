"""`--weights`: the script of the guide, as it stands there, applied to real ports."""

from __future__ import annotations

import json
import re
from pathlib import Path

import jsonschema
import numpy as np
import onnx
import onnx_ir as ir
import pytest

from modeldocs import diff, package_data
from modeldocs.diff import WeightMap, weights
from modeldocs.ir import origin
from modeldocs.normal import normalise
from modeldocs.numeric import parity
from modeldocs.numeric.execution import runtime
from modeldocs.numeric.parity.run import weight_map
from modeldocs.numeric.parity.runnable_graph import runnable_graph
from tests.numeric.parity.nets import in_form
from tests.numeric.parity.nets import loaded as net
from tests.numeric.parity.nets import parity as compared

GUIDE = Path(__file__).parents[3] / "site_src" / "guide" / "weights.md"


@pytest.fixture(scope="module")
def converted():
    """The function of the guide."""
    (script,) = re.findall(r"```python\n(.*?)```", GUIDE.read_text("utf-8"), re.S)
    assert script == package_data.snippet("converted.py"), "pages of pairs show the same"
    namespace: dict[str, object] = {}
    exec(compile(script, str(GUIDE), "exec"), namespace)
    return namespace["converted"]


def drawn(model: ir.Model) -> dict[str, np.ndarray]:
    """Random weights like trained ones: of both signs, variances above zero."""
    generator = np.random.default_rng(1)
    result: dict[str, np.ndarray] = {}
    for name, value in model.graph.initializers.items():
        if origin.parameter_kind(value) is not None:
            array = generator.normal(size=tuple(value.shape)) / 4
            result[name] = (np.abs(array) if "var" in name else array).astype(np.float32)
    return result


def outputs(model: ir.Model, arrays: dict[str, np.ndarray], image: np.ndarray) -> np.ndarray:
    """The output of a model for an image with its channels first."""
    start = next(v for v in model.graph.inputs if origin.parameter_kind(v) is None)
    if tuple(start.shape) != image.shape:
        image = np.moveaxis(image, 1, -1)
    (end,) = model.graph.outputs
    return runtime.run(model, arrays | {str(start.name): image}, [str(end.name)])[str(end.name)]


def written(folder: Path, a: ir.Model, b: ir.Model) -> Path:
    structure = diff.compare(normalise(a.clone()), normalise(b.clone()))
    graphs = runnable_graph(in_form(a)), runnable_graph(in_form(b))
    result = WeightMap(a="a", b="b", weights=weight_map(*graphs, structure))
    (folder / "map.json").write_bytes(weights.encode(result))
    return folder / "map.json"


@pytest.mark.parametrize(
    ("a", "b"), [("pytorch", "keras"), ("keras", "pytorch"), ("caffe", "keras")]
)
def test_the_script_converts_a_real_port(a, b, loaded, converted, tmp_path):
    ours, theirs = loaded("lenet", a), loaded("lenet", b)
    structure = diff.compare(ours.graph, theirs.graph)
    result = WeightMap(a=a, b=b, weights=parity.weight_map(ours.normal, theirs.normal, structure))
    file = tmp_path / "map.json"
    file.write_bytes(weights.encode(result))
    jsonschema.validate(json.loads(file.read_bytes()), weights.schema())
    models = [ir.from_proto(onnx.load_from_string(one.onnx)) for one in (ours, theirs)]
    weights_a = drawn(models[0])
    image = np.random.default_rng(2).normal(size=(1, 1, 28, 28)).astype(np.float32)
    arrays = converted(file, weights_a)
    assert set(arrays) == set(drawn(models[1])), "every weight of B, under B's own name"
    first, second = outputs(models[0], weights_a, image), outputs(models[1], arrays, image)
    assert first.std() > 1e-3
    np.testing.assert_allclose(first.ravel(), second.ravel(), rtol=1e-4, atol=1e-6)


NORMED = """net (float[1,3,9,9] x) => (float[1,4,7,7] y) {
  a = Conv <kernel_shape=[3,3]> (x, w, bias)
  b = BatchNormalization <epsilon=1e-3> (a, scale, shift, mean, var)
  y = Relu (b)
}"""
FOLDED = """net (float[1,3,9,9] x) => (float[1,4,7,7] y) {
  a = Conv <kernel_shape=[3,3]> (x, w, bias)
  y = Relu (a)
}"""
TURNED = """net (float[1,3,9,9] x) => (float[1,4,7,7] y) {
  k = Slice (kernel, starts, ends, axes, steps)
  a = Conv <kernel_shape=[3,3]> (x, k, bias)
  y = Relu (a)
}"""
PACKED = """net (float[1,8,16] x) => (float[1,8,16] y) {
  w1, w2, w3 = Split <axis=0> (packed, sizes)
  t1 = Transpose <perm=[1,0]> (w1)
  t2 = Transpose <perm=[1,0]> (w2)
  t3 = Transpose <perm=[1,0]> (w3)
  q = MatMul (x, t1)
  k = MatMul (x, t2)
  v = MatMul (x, t3)
  a = Sigmoid (q)
  b = Tanh (k)
  ab = Mul (a, b)
  y = Sub (ab, v)
}"""
PARTED = """net (float[1,8,16] x) => (float[1,8,16] y) {
  q = MatMul (x, wq)
  k = MatMul (x, wk)
  v = MatMul (x, wv)
  a = Sigmoid (q)
  b = Tanh (k)
  ab = Mul (a, b)
  y = Sub (ab, v)
}"""
NETS = {
    "normed": (NORMED, {"w": (4, 3, 3, 3), **dict.fromkeys(("bias", "scale", "shift"), (4,))}),
    "folded": (FOLDED, {"w": (4, 3, 3, 3), "bias": (4,)}),
    "turned": (
        TURNED,
        {
            "kernel": (4, 3, 3, 3),
            "bias": (4,),
            "starts": np.array([-1, -1]),
            "ends": np.array([-10, -10]),
            "axes": np.array([2, 3]),
            "steps": np.array([-1, -1]),
        },
    ),
    "packed": (PACKED, {"packed": (48, 16), "sizes": np.array([16, 16, 16])}),
    "parted": (PARTED, dict.fromkeys(("wq", "wk", "wv"), (16, 16))),
}
NETS["normed"][1].update(dict.fromkeys(("mean", "var"), (4,)))


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        ("normed", "folded", {"w": "w · (scale / sqrt(var + 0.001))"}),
        ("folded", "normed", {"scale": "ones", "mean": "zeros"}),
        ("folded", "turned", {"kernel": "w: turned round along H and W"}),
        ("turned", "folded", {"w": "kernel: turned round along H and W"}),
        ("parted", "packed", {"packed": "[wq: IO → OI; wk: IO → OI; wv: IO → OI]"}),
        ("packed", "parted", {"wk": "packed: 16:32, OI → IO"}),
    ],
)
def test_the_script_folds_turns_and_packs(a, b, expected, converted, tmp_path):
    ours, theirs = (net(NETS[one][0], **NETS[one][1]) for one in (a, b))
    file = written(tmp_path, ours, theirs)
    weights_a = drawn(ours)
    arrays = converted(file, weights_a)
    image = np.random.default_rng(2).normal(size=tuple(ours.graph.inputs[0].shape))
    image = image.astype(np.float32)
    np.testing.assert_allclose(
        outputs(ours, weights_a, image), outputs(theirs, arrays, image), rtol=1e-4, atol=1e-5
    )
    mapped = json.loads(file.read_bytes())["weights"]["mapped"]
    texts = {weight["target"]: weight.get("text", "") for weight in mapped}
    assert {name: texts[name] for name in expected} == expected


def test_names_of_queries_and_keys_in_each_others_place_are_told():
    """Both compute the same; but weights that are copied by their names give other numbers."""
    network = """net (float[1,6,16] x) => (float[1,6,16] y) {
      q = MatMul (x, query_weight)  k = MatMul (x, key_weight)  v = MatMul (x, value_weight)
      y = Attention <q_num_heads = 4, kv_num_heads = 4> (q, k, v) }"""
    weights = dict.fromkeys(("query_weight", "key_weight", "value_weight"), (16, 16))
    pair = network, network.replace("(q, k, v)", "(k, q, v)")
    result, structure = compared(*(net(one, opset=23, **weights) for one in pair))
    (change,) = diff.settle(structure, result).changes
    assert (result.verdict, change.consequence) == ("holds", "parameters")
    assert change.title.startswith("q and k swapped in one Attention layer")
