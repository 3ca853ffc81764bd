"""Python ports that build a symbol or a block, and proofs against MXNet."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from modeldocs.isolation import Limits
from modeldocs.loaders import LoadRequest
from modeldocs.numeric.proof import Proof
from modeldocs.numeric.proof.prover import ProofSubject, prove

from ..ports import in_worker, write
from .test_symbols import dialect

HERE = Path(__file__).parent
RESNET = HERE.parents[2] / "models" / "resnet50"


@pytest.fixture(scope="module", autouse=True)
def python(environment) -> Path:
    """The interpreter that has MXNet."""
    return environment("mxnet").executable


def proven(request: LoadRequest) -> Proof:
    return prove(
        ProofSubject(name="port", framework="mxnet", request=request, limits=Limits(seconds=90))
    )


class TestProof:
    def test_every_operator_computes_what_mxnet_computes(self):
        file = HERE / "everything.py"
        proof = proven(LoadRequest(root=str(HERE), path=str(file), name="everything"))
        assert proof.failure is None and proof.verdict == "verified", (proof.failure, proof.first)
        assert proof.theirs == proof.ours

    def test_old_dialects_are_what_mxnet_takes_them_for(self, tmp_path):
        document = dialect("attr")
        document["nodes"][0]["attr"] = {"__shape__": "(2, 3, 9, 9)"}
        document["attrs"] = {"mxnet_version": ["int", 10000]}
        (tmp_path / "old-symbol.json").write_text(json.dumps(document))
        proof = proven(LoadRequest(root=str(tmp_path), path=str(tmp_path / "old-symbol.json")))
        assert proof.failure is None and proof.verdict == "verified", (proof.failure, proof.first)


GLUON = """
    from mxnet.gluon import nn

    INPUTS = {"image": (2, 3, 8, 8)}


    class Block(nn.HybridBlock):
        def __init__(self, channels):
            super().__init__()
            with self.name_scope():
                self.conv = nn.Conv2D(channels, 3, padding=1, use_bias=False)
                self.norm = nn.BatchNorm(scale=False, center=False)

        def hybrid_forward(self, F, x):
            return F.relu(x + self.norm(self.conv(x)))


    def net(classes=5):
        made = nn.HybridSequential()
        twice = Block(3)
        made.add(twice, twice, nn.GlobalAvgPool2D(), nn.Dense(classes))
        return made
"""


class TestGluon:
    def test_layers_know_their_blocks_and_the_lines_that_made_them(self, tmp_path):
        loaded = in_worker(write(tmp_path, GLUON, "mxnet.py"), "mxnet")
        assert loaded.failure is None and loaded.graph is not None
        conv, norm, added, *_ = loaded.graph.layers
        assert [(step.path, step.kind) for step in norm.modules] == [
            ("0", "Block"), ("0.norm", "nn.BatchNorm"),
        ]  # fmt: skip
        lines = [(layer.origins[0].file, layer.origins[0].line) for layer in (conv, norm, added)]
        assert lines == [("mxnet.py", 11), ("mxnet.py", 12), ("mxnet.py", 20)]

    def test_a_block_proves_itself_with_what_it_does_not_train(self, tmp_path):
        proof = proven(write(tmp_path, GLUON, "mxnet.py"))
        assert proof.failure is None and proof.verdict == "verified", (proof.failure, proof.first)
        assert proof.theirs is not None and proof.theirs.trainable == 3 * 27 + 5 * 4
        assert proof.theirs.frozen == 4 * 3


class TestGetSymbol:
    SOURCE = """
        import mxnet as mx


        def get_symbol(num_classes, **kwargs):
            data = mx.sym.Variable("data", shape=(1, 12))
            return mx.sym.FullyConnected(data, num_hidden=num_classes, name="fc")
    """

    def test_arguments_reach_it_and_layers_have_their_lines(self, tmp_path):
        request = write(tmp_path, self.SOURCE, "mxnet.py")
        args = {"num_classes": 7, "depth": 3}
        loaded = in_worker(LoadRequest(root=request.root, path=request.path, args=args), "mxnet")
        assert loaded.failure is None and loaded.graph is not None
        (layer,) = loaded.graph.layers
        assert layer.outputs[0].shape == (1, 7)
        assert (layer.origins[0].file, layer.origins[0].line) == ("mxnet.py", 7)

    def test_an_argument_that_it_wants_is_asked_for(self, tmp_path):
        failure = in_worker(write(tmp_path, self.SOURCE, "mxnet.py"), "mxnet").failure
        assert failure is not None
        assert "get_symbol() missing 1 required positional argument" in failure.reason
        assert "--args '{\"num_classes\": …}'" in str(failure.fix)

    def test_what_it_raises_is_told_with_its_line(self, tmp_path):
        source = self.SOURCE.replace("(1, 12)", "(1, 12) + None")
        request = write(tmp_path, source, "mxnet.py")
        args = {"num_classes": 7}
        result = in_worker(LoadRequest(root=request.root, path=request.path, args=args), "mxnet")
        assert result.failure is not None and "TypeError" in result.failure.reason
        assert (result.failure.file, result.failure.line) == ("mxnet.py", 6)


RECURRENT = """
    from mxnet.gluon import nn, rnn

    INPUTS = {"data": (5, 2, 3)}


    def model():
        net = nn.HybridSequential()
        net.add(rnn.LSTM(8, num_layers=2, bidirectional=True), nn.Dense(4, flatten=False))
        return net
"""

NUMPY = """
    from mxnet import npx
    from mxnet.gluon import nn

    npx.set_np()
    INPUTS = {"data": (2, 3, 6, 6)}


    class Net(nn.HybridBlock):
        def __init__(self):
            super().__init__()
            self.conv, self.dense = nn.Conv2D(4, 3), nn.Dense(3)

        def hybrid_forward(self, F, x):
            x = self.dense(F.npx.relu(self.conv(x)))
            x = F.np.concatenate([1 - x, x / 2 + x * x], axis=1)
            x = F.npx.softmax(F.np.expand_dims(x, 1))
            x = F.npx.reshape(F.np.transpose(x, (0, 2, 1)), (-2, -1))
            x = F.np.dot(x - F.np.mean(x, axis=1, keepdims=True), F.np.ones((6, 4)))
            return F.np.where(x > 0.01, x, 1 / (2 + F.np.abs(x))), F.np.sum(x), None


    model = Net()
"""


DETECTOR = """
    import mxnet as mx

    S = mx.sym
    INPUTS = {"data": (2, 5, 4), "boxes": (1, 5, 4)}


    def get_symbol():
        x, boxes = S.var("data"), S.var("boxes")
        settings = {"std0": 0.1, "std1": 0.2, "std2": 0.3, "clip": 0.5}
        kinds = ("corner", "center")
        made = [S.contrib.box_decode(x, boxes, format=kind, **settings) for kind in kinds]
        made += [S.topk(x, k=2, axis=1), S.topk(x, k=2, ret_typ="value", is_ascend=True)]
        made += [*S.topk(x, k=3, ret_typ="both", dtype="int32"), S.sort(x, axis=1)]
        return S.Group([*made, S.argsort(x, is_ascend=False), S.shape_array(x), S.size_array(x)])
"""


class TestOthersWays:
    @pytest.mark.parametrize(
        "source", [RECURRENT, NUMPY, DETECTOR], ids=["recurrent", "numpy", "detector"]
    )
    def test_is_what_mxnet_computes(self, tmp_path, source):
        proof = proven(write(tmp_path, source, "mxnet.py"))
        assert proof.failure is None and proof.verdict == "verified", (proof.failure, proof.first)
        assert proof.theirs == proof.ours

    def test_a_name_that_is_not_there_is_told_with_the_nearest(self, tmp_path):
        request = write(tmp_path, RECURRENT + "\n    modle = None\n", "mxnet.py")
        asked = LoadRequest(root=request.root, path=request.path, entry="modell")
        failure = in_worker(asked, "mxnet").failure
        assert failure is not None and str(failure.fix).startswith("use one of: model")

    def test_a_block_that_cannot_be_hybridized_says_so(self, tmp_path):
        source = (
            RECURRENT
            + """

    class Sized(nn.Block):
        def forward(self, x):
            return x.reshape((x.shape[0], -1))
"""
        )
        request = write(tmp_path, source, "mxnet.py")
        asked = LoadRequest(root=request.root, path=request.path, entry="Sized")
        failure = in_worker(asked, "mxnet").failure
        assert failure is not None and "hybridize()" in str(failure.fix)

    def test_what_mxnet_says_of_a_node_is_told_without_what_was_added_to_it(self, tmp_path):
        source = NUMPY.replace("    npx.set_np()\n", "").replace(
            "return F.np", "return F.reshape(x, 32, -1), F.np"
        )
        failure = in_worker(write(tmp_path, source, "mxnet.py"), "mxnet").failure
        assert failure is not None and "modeldocs" not in failure.reason


def test_the_catalogs_symbol_is_what_its_python_writes(python):
    code = "import mxnet, mxnet_get_symbol as port; print(port.get_symbol().tojson(), end='')"
    process = subprocess.run([python, "-c", code], cwd=RESNET, capture_output=True, check=True)
    assert process.stdout == (RESNET / "mxnet-symbol.json").read_bytes()
