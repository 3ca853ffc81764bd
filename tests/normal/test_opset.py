"""Operators mean what their declared version says: graphs of older sets, run before and after."""

from __future__ import annotations

import numpy as np
import onnx
import onnx_ir as ir
import pytest

from evaluation.generated import cases, sweep
from modeldocs import normal
from modeldocs.errors import ModeldocsError
from modeldocs.ir.operators import OPSET
from modeldocs.normal import opset, prepare
from modeldocs.numeric.execution import runtime

from ..onnxes import load, parse

f32 = np.float32
REWRITTEN = (
    "Attention", "AveragePool", "BatchNormalization", "Clip", "DFT", "Dropout", "GridSample",
    "Hardmax", "LogSoftmax", "MaxPool", "Pad", "ReduceMax", "ReduceSum", "Resize", "RoiAlign",
    "Scatter", "Slice", "Softmax", "Split", "Squeeze", "TopK", "Unsqueeze", "Upsample",
)  # fmt: skip


@pytest.mark.parametrize("operator", REWRITTEN)
def test_every_version_computes_what_onnxruntime_does(operator):
    of_operator = [case for case in cases.newest() if case.node.op_type == operator]
    tried = {
        case.name: sweep.tried(case)
        for newest in of_operator[::3]
        for version in cases.versions(operator)
        for case in cases.said_in(newest, version)
    }
    wrong = {name: found for name, found in tried.items() if found[0] not in ("same", "not run")}
    assert not wrong
    assert sum(found[0] == "same" for found in tried.values()) >= 2


def net(text, version, **given):
    """A model of an old set, said in `OPSET`."""
    model = ir.from_proto(parse(text, version, **given))
    prepare.infer_shapes(model)
    opset.unify(model)
    assert model.opset_imports[""] == OPSET
    return model


def result(model, **inputs):
    onnx.checker.check_model(ir.to_proto(model), full_check=True)
    return runtime.run(model, inputs, ["y"])["y"]


STATISTICS = {"s": 1, "b": 0, "m": 2, "v": 4}
X = np.random.default_rng(0).standard_normal((2, 3, 4, 5)).astype(f32)
TEXT = "net (float[2,3,4,5] x) => (float[a,b,c,d] y) {{ {} }}"


class TestBeforeOnnxruntime:
    """Sets that onnxruntime does not run: expectations by numpy, after the operators' text."""

    def test_operands_stretched_from_an_axis(self):
        b = np.arange(3, dtype=f32)
        model = net(TEXT.format("y = Add <broadcast = 1, axis = 1> (x, b)"), 6, b=b)
        assert np.allclose(result(model, x=X), X + b[:, None, None])

    def test_operands_stretched_at_the_end(self):
        b = np.arange(5, dtype=f32)
        model = net(TEXT.format("y = Mul <broadcast = 1> (x, b)"), 6, b=b)
        assert np.allclose(result(model, x=X), X * b)

    def test_slopes_by_channel(self):
        slope = np.array([0.1, 0.2, 0.3], f32)
        model = net(TEXT.format("y = PRelu (x, s)"), 6, s=slope)
        assert np.allclose(result(model, x=X), np.where(X < 0, X * slope[:, None, None], X))

    def test_pads_of_another_name(self):
        text = TEXT.format("y = Pad <paddings = [0,0,1,2,0,0,3,4], value = 7.0> (x)")
        padded = np.pad(X, [(0, 0), (0, 0), (1, 3), (2, 4)], constant_values=7)
        assert np.array_equal(result(net(text, 1), x=X), padded)

    def test_scales_of_height_and_width(self):
        text = TEXT.format("y = Upsample <height_scale = 2.0, width_scale = 3.0> (x)")
        assert np.array_equal(result(net(text, 1), x=X), X.repeat(2, 2).repeat(3, 3))

    def test_defaults_of_axes_and_types_by_name(self):
        text = TEXT.format('c = Concat (x, x) y = Cast <to = "INT64"> (c)')
        text = text.replace("(float[a,", "(int64[a,")
        assert np.array_equal(result(net(text, 3), x=X), np.concatenate([X, X], 1).astype(int))

    def test_repetitions_of_one_axis(self):
        given = {"n": np.array([3], np.int64), "a": np.array([2], np.int64)}
        model = net(TEXT.format("y = Tile (x, n, a)"), 5, **given)
        assert np.array_equal(result(model, x=X), np.tile(X, (1, 1, 3, 1)))

    def test_shapes_in_an_attribute(self):
        text = TEXT.format("y = Reshape <shape = [0, -1]> (x)").replace("[a,b,c,d]", "[a,b]")
        model = net(text, 4)
        assert np.array_equal(result(model, x=X), X.reshape(2, -1))

    @pytest.mark.parametrize(("version", "is_test"), [(6, 0), (6, 1), (7, None)])
    def test_statistics_of_the_batch_unless_testing(self, version, is_test):
        given = {name: np.full(3, number, f32) for name, number in STATISTICS.items()}
        setting = "" if is_test is None else f"<is_test = {is_test}>"
        model = net(
            TEXT.format(f"y = BatchNormalization {setting} (x, s, b, m, v)"), version, **given
        )
        axes = (0, 2, 3)
        if is_test == 0:
            expected = (X - X.mean(axes, keepdims=True)) / np.sqrt(X.var(axes, keepdims=True))
        else:
            expected = (X - 2) / 2
        assert np.allclose(result(model, x=X), expected, atol=1e-4)

    def test_statistics_by_element(self):
        random = np.random.default_rng(1)
        given = {name: random.random((3, 4, 5), f32) + f32(0.5) for name in "sbmv"}
        text = TEXT.format("y = BatchNormalization <is_test = 1, spatial = 0> (x, s, b, m, v)")
        expected = (X - given["m"]) / np.sqrt(given["v"] + 1e-5) * given["s"] + given["b"]
        assert np.allclose(result(net(text, 6, **given), x=X), expected, atol=1e-5)

    @pytest.mark.parametrize(("version", "is_test"), [(6, 0), (6, 1), (7, None)])
    def test_dropout_drops_unless_testing(self, version, is_test):
        setting = "<ratio = 0.25>" if is_test is None else f"<ratio = 0.25, is_test = {is_test}>"
        model = net(TEXT.format(f"y = Dropout {setting} (x)"), version)
        if is_test == 0:
            with pytest.raises(ModeldocsError, match="is random"):
                result(model, x=X)
        else:
            assert np.array_equal(result(model, x=X), X)

    def test_parameters_by_group(self):
        x, given = X[:, [0, 0, 1, 2]], {"s": np.array([2, 3], f32), "b": np.array([5, 7], f32)}
        text = TEXT.format("y = GroupNormalization <num_groups = 2> (x, s, b)").replace(
            "3,4", "4,4"
        )
        y = result(net(text, 18, **given), x=x).reshape(2, 2, -1)
        assert np.allclose(y.mean(-1), [5, 7], atol=1e-4)
        assert np.allclose(y.std(-1), [2, 3], atol=1e-3)


class TestUnified:
    def test_a_flattened_softmax_is_another_than_one_along_an_axis(self, tmp_path):
        text = TEXT.format("y = Softmax <axis = 1> (x)")
        flat = TEXT.format(
            "f = Flatten <axis = 1> (x) s = Softmax <axis = 1> (f) y = Reshape (s, n)"
        )
        old, new = load(parse(text, 11), tmp_path), load(parse(text, 13), tmp_path)
        written = load(parse(flat, 13, n=np.array([2, 3, 4, 5])), tmp_path)
        assert [layer.inputs for layer in old.layers] == [layer.inputs for layer in written.layers]
        assert [layer.inputs for layer in old.layers] != [layer.inputs for layer in new.layers]

    def test_what_the_file_says_is_kept(self, tmp_path):
        (layer,) = load(
            parse(TEXT.format("y = Upsample <scales = [1.0,1.0,2.0,2.0]> (x)"), 7), tmp_path
        ).layers
        assert layer.operator == "Resize"
        assert layer.origins[0].operator == "Upsample"
        assert layer.origins[0].attributes == {"scales": [1.0, 1.0, 2.0, 2.0]}

    def test_names_of_outputs_and_parameters_stay(self):
        given = dict.fromkeys("sbmv", (3,))
        model = net(TEXT.format("y = BatchNormalization <spatial = 0> (x, s, b, m, v)"), 7, **given)
        assert [value.name for value in model.graph.outputs] == ["y"]
        assert {"s", "b", "m", "v"} <= set(model.graph.initializers)

    def test_bodies_of_branches(self):
        text = (
            "net (bool c, float[2,3,4,5] x) => (float[a,b,c,d] y) { y = If (c) <"
            "then_branch = t () => (float[a,b,c,d] p) { p = Softmax <axis = 1> (x) }, "
            "else_branch = e () => (float[a,b,c,d] q) "
            "{ u = Unsqueeze <axes = [0]> (x) q = Squeeze <axes = [0]> (u) }> }"
        )
        proto = parse(text, 11)
        model = ir.from_proto(proto)
        prepare.infer_shapes(model)
        opset.unify(model)
        for condition in (True, False):
            inputs = {"c": np.array(condition), "x": X}
            before = runtime.run(ir.from_proto(proto), inputs, ["y"])["y"]
            assert np.allclose(before, runtime.run(model, inputs, ["y"])["y"])

    def test_functions_of_another_set_are_said_in_the_same_and_inlined(self, tmp_path):
        text = """<ir_version: 8, opset_import: ["" : 20, "own" : 1]>
        net (float[1,4] x) => (float[1,4] y) { y = own.cut (x) }
        <domain: "own", opset_import: ["" : 6]>
        cut (a) => (c) { b = Clip <min = 0.0, max = 6.0> (a)  c = Neg (b) }"""
        clip, negative = load(onnx.parser.parse_model(text), tmp_path).layers
        assert (clip.operator, clip.attributes) == ("Clip", {"min": 0.0, "max": 6.0})
        assert negative.operator == "Neg"

    def test_what_cannot_be_said_is_set_apart(self, tmp_path):
        text = "net (float[4] x) => (float[4] y, float[4] m) { y, m = Dropout <ratio = 0.5> (x) }"
        (layer,) = load(parse(text, 7), tmp_path).layers
        assert layer.operator == "ai.onnx.v7::Dropout"

    def test_a_graph_of_the_set_is_left_alone(self):
        model = ir.from_proto(parse(TEXT.format("y = Relu (x)"), OPSET))
        before = ir.to_proto(model).SerializeToString()
        opset.unify(model)
        assert ir.to_proto(model).SerializeToString() == before

    def test_is_a_pass_of_normal_form(self):
        model = ir.from_proto(parse(TEXT.format("y = Clip <min = 0.0, max = 6.0> (x)"), 7))
        normal.apply(model)
        assert model.opset_imports[""] == OPSET
