"""Recurrent layers: what ONNX takes for granted is left out, and what is stored is told as read."""

from __future__ import annotations

import numpy as np
import onnx
import onnx_ir as ir
import pytest
from onnx.reference import ReferenceEvaluator

from modeldocs import normal

from .nets import Net

f32 = np.float32
LSTM = {"w": (1, 16, 3), "r": (1, 16, 4)}
GATES = {"LSTM": 4, "GRU": 3, "RNN": 1}


def net(body: str, **given: object) -> Net:
    return Net(f"net (float[5,2,3] x) => (float[5,1,2,4] y) {{ {body} }}", **given)


def only(held: Net) -> dict[str, object]:
    """The attributes of the only layer, which onnxruntime runs to the same numbers."""
    assert len(held.layers()) == 1
    return dict(held.graph().layers[0].attributes)


class TestDefaults:
    @pytest.mark.parametrize(
        ("kind", "activations"),
        [("LSTM", ["Sigmoid", "Tanh", "Tanh"]), ("GRU", ["Sigmoid", "Tanh"]), ("RNN", ["Tanh"])],
    )
    def test_activations_that_are_the_default_are_left_out(self, kind, activations):
        rows = 4 * GATES[kind]
        told = "[" + ",".join(f'"{one}"' for one in activations) + "]"
        body = f'y = {kind} <hidden_size=4, direction="forward", activations={told}> (x, w, r)'
        assert only(net(body, w=(1, rows, 3), r=(1, rows, 4))) == {"hidden_size": 4}

    def test_other_activations_stay(self):
        body = 'y = RNN <hidden_size=4, activations=["Relu"]> (x, w, r)'
        found = only(net(body, w=(1, 4, 3), r=(1, 4, 4)))
        assert found["activations"] == ["Relu"]

    def test_states_and_peepholes_of_zeros_and_whole_lengths_are_left_out(self):
        zeros = np.zeros((1, 2, 4), f32)
        body = "y = LSTM <hidden_size=4> (x, w, r, b, lengths, h, c, p)"
        given = {"lengths": np.array([5, 5], np.int32), "p": np.zeros((1, 12), f32)}
        held = net(body, b=np.zeros((1, 32), f32), h=zeros, c=zeros, **given, **LSTM)
        assert only(held) == {"hidden_size": 4}

    def test_other_states_and_lengths_stay(self):
        body = "y = LSTM <hidden_size=4> (x, w, r, , lengths, h)"
        lengths, h = np.array([5, 3], np.int32), np.full((1, 2, 4), 0.5, f32)
        assert {"sequence_lens", "initial_h"} <= set(only(net(body, lengths=lengths, h=h, **LSTM)))

    def test_a_state_that_is_an_input_is_read(self):
        held = Net(
            "net (float[5,2,3] x, float[1,2,4] h) => (float[5,1,2,4] y) "
            "{ y = GRU <hidden_size=4, linear_before_reset=1> (x, w, r, , , h) }",
            w=(1, 12, 3),
            r=(1, 12, 4),
        )
        assert held.layers() == ["GRU"]
        assert [operand.slot for operand in held.graph().layers[0].inputs] == [0, 5]


@pytest.mark.parametrize(
    ("kind", "direction"), [("LSTM", "forward"), ("GRU", "reverse"), ("RNN", "bidirectional")]
)
def test_a_layer_over_batches_is_one_over_steps_between_transposes(kind, direction):
    both, rows = 1 + (direction == "bidirectional"), 4 * GATES[kind]
    held = Net(
        f"net (float[2,5,3] x) => (float[2,5,{both},4] y, float[2,{both},4] h) "
        f'{{ y, h = {kind} <hidden_size=4, layout=1, direction="{direction}"> (x, w, r) }}',
        w=(both, rows, 3),
        r=(both, rows, 4),
    )
    model = held.model()
    before = ReferenceEvaluator(ir.to_proto(model)).run(None, held.inputs)
    normal.apply(model)
    after = ReferenceEvaluator(ir.to_proto(model)).run(None, held.inputs)
    assert "layout" not in next(n for n in model.graph if n.op_type == kind).attributes
    onnx.checker.check_model(ir.to_proto(model))
    for one, other in zip(before, after, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-5, atol=1e-6)


class TestStored:
    JOINED = (
        "i, f, c, o = Split <axis=1, num_outputs=4> (k) s = Concat <axis=1> (i, o, f, c) "
        "t = Transpose <perm=[1,0]> (s) w = Unsqueeze (t, first) "
        "y = LSTM <hidden_size=4> (x, w, r)"
    )

    def test_a_kernel_is_told_in_onnxs_order_of_axes(self):
        held = net(self.JOINED, k=(3, 16), r=(1, 16, 4), first=np.array([0]))
        assert held.layers() == ["LSTM"]
        kernel = next(one for one in held.graph().layers[0].parameters if one.name == "k")
        assert (kernel.shape, kernel.permutation, kernel.role) == ((16, 3), (1, 0), "W")
