"""Live objects: read by their framework's loader in this process, and left as they were."""

from __future__ import annotations

import subprocess
import sys
import textwrap

import numpy as np
import onnx
import onnx_ir as ir
import pytest

import modeldocs as md
from modeldocs import environments
from modeldocs.loaders.pytorch import module

from ..serial import tasks_here

torch = pytest.importorskip("torch")
nn = torch.nn

pytestmark = pytest.mark.xdist_group("interface")

IMAGES = torch.zeros(1, 3, 8, 8)


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    """A folder without a catalog, in which nothing may be left."""
    monkeypatch.chdir(tmp_path)
    with tasks_here():
        yield
    assert list(tmp_path.iterdir()) == []


def block(epsilon=1e-5, classes=10):
    return nn.Sequential(
        nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4, eps=epsilon), nn.Flatten(), nn.Linear(144, classes)
    )


class TwoInputs(nn.Module):
    def forward(self, image, scale):
        return image * scale


class Uncopied(nn.Module):
    def __deepcopy__(self, memo):
        raise TypeError("holds a lock")


def test_a_module_is_a_graph_of_layers():
    net = md.load(block(), inputs=IMAGES)
    assert [layer.operator for layer in net.layers] == ["Conv", "BatchNormalization", "Gemm"]
    assert (net.totals.parameters, net.totals.buffers) == (1570, 8)
    assert net.framework == f"PyTorch {torch.__version__.split('+')[0]}"
    assert repr(net) == "<LoadedNetwork Sequential: 3 layers, 1,570 parameters, 5,328 MACs>"


def test_a_module_keeps_its_weights_its_mode_and_the_randomness_of_its_process():
    net = block().train()
    before, state = (
        {name: one.clone() for name, one in net.state_dict().items()},
        np.random.get_state(),
    )
    proof = md.verify(net, inputs=IMAGES)
    assert proof.verdict == "verified" and proof.proof.reference.startswith("torch")
    assert net.training and all(
        torch.equal(one, before[name]) for name, one in net.state_dict().items()
    )
    assert all(map(np.array_equal, state, np.random.get_state()))


def test_inputs_are_taken_in_order_or_by_name():
    both = (torch.zeros(1, 4), torch.zeros(1, 1))
    for inputs in (both, {"image": (1, 4), "scale": np.zeros((1, 1), "float32")}):
        graph = md.load(TwoInputs(), inputs=inputs).graph
        assert [(one.name, one.type.shape) for one in graph.inputs] == [
            ("image", (1, 4)),
            ("scale", (1, 1)),
        ]


def test_two_modules_are_compared_each_under_its_name():
    found = md.diff(
        md.live(block(), IMAGES, name="ours"), block(epsilon=1e-3), inputs=IMAGES, parity=False
    )
    assert found.names == ("ours", "Sequential")
    assert "epsilon 1e-5 → 0.001 in one BatchNormalization layer" in str(found)
    assert found.verdict.id == "different-results"


def test_an_assertion_says_what_differs_as_the_command_does():
    md.testing.assert_same(block(), block(), inputs=IMAGES)
    with pytest.raises(AssertionError) as failure:
        md.testing.assert_same(block(), block(classes=7), "head", inputs=IMAGES)
    assert "≠ Different results" in str(failure.value)
    assert "1. 10 → 7 outputs in one Gemm layer" in str(failure.value)


def test_a_module_is_written_as_a_program():
    program = md.generate(nn.Sequential(nn.Linear(4, 2)), inputs=torch.zeros(1, 4), proven=False)
    assert "nn.Linear(4, 2)" in program.code and "Source: Sequential in pytorch" in program.code


def test_a_large_module_is_loaded_without_its_values_and_not_run(monkeypatch):
    monkeypatch.setattr(module, "REAL_BYTES", 100)
    assert "traced on fake tensors" in md.load(block(), inputs=IMAGES).graph.notes[0]
    with pytest.raises(md.ModeldocsError, match="is too large to be proven"):
        md.verify(block(), inputs=IMAGES)


def test_onnx_models_are_objects_too():
    proto = onnx.parser.parse_model(
        '<ir_version: 8, opset_import: ["" : 17]> net (float[1, 3] x) => (float[1, 3] y)'
        " { y = Relu (x) }"
    )
    for model in (proto, ir.from_proto(proto)):
        net = md.load(model)
        assert (net.name, [layer.operator for layer in net.layers]) == ("net", ["Relu"])


@pytest.mark.parametrize(
    ("make", "inputs", "reason"),
    [
        (block, None, "Sequential: no inputs are given\n  fix: pass an array"),
        (block, "x", "Sequential: its input is str, no array"),
        (TwoInputs, {"image": (1, 4)}, "'scale'\n  fix: call it with these inputs"),
        (Uncopied, IMAGES, "cannot be copied: TypeError: holds a lock\n  fix: name the callable"),
        (lambda: object(), None, "no loader reads an object of builtins.object"),
        (lambda: torch.zeros(1), None, "no loader reads an object of PyTorch that is no module"),
    ],
)
def test_what_cannot_be_read_is_told_with_a_fix(make, inputs, reason):
    with pytest.raises(md.ModeldocsError) as failure:
        md.load(make(), inputs=inputs)
    assert reason in str(failure.value) and "fix: " in str(failure.value)


def test_functions_of_jax_have_no_loader():
    function = type("PjitFunction", (), {"__module__": "jaxlib._jax"})()
    with pytest.raises(md.ModeldocsError, match="no loader reads a function of JAX as an object"):
        md.load(function)


KERAS = """
    import sys
    sys.path.append(PACKAGES)
    import keras, numpy as np
    import modeldocs as md

    keras.utils.set_random_seed(1)
    layers = [keras.layers.Conv2D(4, 3), keras.layers.BatchNormalization(), keras.layers.ReLU()]
    model = keras.Sequential([keras.Input((8, 8, 3)), *layers], name="small")
    model.layers[1].set_weights([np.arange(4.0) + n for n in range(4)])
    before = [np.array(one) for one in model.get_weights()]
    print(md.load(model), md.verify(model), sep="\\n")
    print(all(map(np.array_equal, before, model.get_weights())))
"""


@pytest.mark.whole
def test_a_keras_model_is_read_beside_keras():
    """In an interpreter that has both; the environment of the loader has Keras alone."""
    environment = environments.locked("tensorflow")
    if not environment.ready:
        pytest.skip("the environment tensorflow is not there")
    (packages,) = environment.folder.glob("lib/python3*/site-packages")
    code = textwrap.dedent(KERAS).replace("PACKAGES", repr(str(packages)))
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    network, proof, same = done.stdout.splitlines()[-3:]
    assert network == "<LoadedNetwork small: 3 layers, 120 parameters, 3,888 MACs>", done.stderr
    assert proof.endswith("verified>") and same == "True"
