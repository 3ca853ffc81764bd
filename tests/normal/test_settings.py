"""Attributes say what decides the numbers: defaults written out, constants by value."""

from __future__ import annotations

import numpy as np
import onnx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from modeldocs.ir import Constant, decode, encode

from ..onnxes import graph, load, parse
from .nets import Net

f32 = np.float32


def attributes(folder, node, shape="1,4,6,6", opset=20, **weights):
    """Attributes of the only layer, `y = node`, reading x of that shape."""
    (layer,) = graph(
        folder, f"net (float[{shape}] x) => (y) {{ y = {node} }}", opset, **weights
    ).layers
    return layer.attributes


class TestDefaults:
    @pytest.mark.parametrize(
        ("node", "expected"),
        [
            ("LRN <size = 5> (x)", {"alpha": 0.0001, "beta": 0.75, "bias": 1.0, "size": 5}),
            ("LeakyRelu (x)", {"alpha": 0.01}),
            ("Elu (x)", {"alpha": 1.0}),
            ("Gelu (x)", {"approximate": "none"}),
            ("Softmax (x)", {"axis": 3}),
            ("Relu (x)", {}),
        ],
    )
    def test_they_are_written_out(self, tmp_path, node, expected):
        assert attributes(tmp_path, node) == expected

    def test_epsilon_of_a_norm(self, tmp_path):
        weights = dict.fromkeys("sbmv", (4,))
        assert attributes(tmp_path, "BatchNormalization (x, s, b, m, v)", **weights) == {
            "epsilon": 1e-05
        }

    def test_they_follow_the_version(self, tmp_path):
        assert attributes(tmp_path, "Softmax (x)", opset=11) == {"axis": 1}
        assert attributes(tmp_path, "Softmax (x)", opset=13) == {"axis": 3}

    def test_axes_count_from_the_front(self, tmp_path):
        assert attributes(tmp_path, "Softmax <axis = -2> (x)") == {"axis": 2}

    def test_the_axis_of_layer_normalisation_counts_from_the_back(self, tmp_path):
        found = attributes(tmp_path, "LayerNormalization <axis = 2> (x, s)", s=(6, 6))
        assert found["axis"] == -2

    def test_what_only_training_or_storage_reads_is_left_out(self, tmp_path):
        weights = dict.fromkeys("sbmv", (4,))
        node = "BatchNormalization <momentum = 0.5, epsilon = 0.001> (x, s, b, m, v)"
        assert attributes(tmp_path, node, **weights) == {"epsilon": 0.001}

    def test_counting_pads_matters_only_where_there_are_any(self, tmp_path):
        bare = "AveragePool <kernel_shape = [2,2], count_include_pad = 1> (x)"
        assert "count_include_pad" not in attributes(tmp_path, bare)
        pads = bare.replace("1>", "1, pads = [1,1,1,1]>")
        assert attributes(tmp_path, pads)["count_include_pad"] == 1
        silent = pads.replace("count_include_pad = 1, ", "")
        assert attributes(tmp_path, silent)["count_include_pad"] == 0


class TestNumbers:
    def test_float32_is_told_as_it_was_written(self, tmp_path):
        assert attributes(tmp_path, "LeakyRelu <alpha = 0.1> (x)") == {"alpha": 0.1}
        assert attributes(tmp_path, "LRN <size = 3, alpha = 1.001e-5> (x)")["alpha"] == 1.001e-05

    @settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
    @given(st.floats(width=32, allow_nan=False, allow_infinity=False).filter(lambda x: x != 1))
    def test_no_float32_is_lost(self, tmp_path, number):
        found = attributes(tmp_path, "Mul (x, c)", c=f32(number))["B"]
        assert f32(found) == f32(number)

    @pytest.mark.parametrize("number", [1e-300, 0.1234567890123, 1e39])
    def test_float64_is_told_in_full(self, tmp_path, number):
        text = "net (double[1,4] x) => (y) { y = Mul (x, c) }"
        assert graph(tmp_path, text, c=np.float64(number)).layers[0].attributes == {"B": number}

    @pytest.mark.parametrize(
        ("number", "told"), [(np.inf, "inf"), (-np.inf, "-inf"), (np.nan, "nan")]
    )
    def test_what_json_has_no_number_for_is_told_as_text(self, tmp_path, number, told):
        for given_as in (np.float32, np.float64, np.float16):
            kind = {np.float32: "float", np.float64: "double", np.float16: "float16"}[given_as]
            found = graph(tmp_path, f"net ({kind}[1,4] x) => (y) {{ y = Mul (x, c) }}",
                          c=given_as(number))  # fmt: skip
            assert found.layers[0].attributes == {"B": told}
            assert decode(encode(found)) == found


class TestConstants:
    def test_operands_are_told_by_the_name_of_their_slot(self, tmp_path):
        found = attributes(tmp_path, "Clip (x, low, high)", low=f32(0), high=f32(6))
        assert found == {"max": 6.0, "min": 0.0}

    def test_small_ones_in_full(self, tmp_path):
        found = attributes(tmp_path, "Resize (x, , s)", s=np.array([1, 1, 2, 2], f32))
        assert found["scales"] == [1.0, 1.0, 2.0, 2.0]

    def test_large_ones_of_one_value_by_it(self, tmp_path):
        text = "net (int64[30] x) => (y) { y = Add (x, c) }"
        assert graph(tmp_path, text, c=np.full(30, 7)).layers[0].attributes == {"B": 7}

    def test_a_table_is_the_same_whatever_its_last_bits(self):
        def told(table):
            net = Net("net (float[1,4,16,8] x) => (y) { y = Mul (x, t) }", t=table)
            return net.graph().layers[0].attributes["B"]

        angles = np.arange(16.0)[:, None] / 10000 ** (np.arange(8.0) / 8)
        table = np.cos(angles).astype(f32)
        nearly = np.nextafter(table, f32(2))
        assert (nearly != table).all()
        assert told(nearly) == told(table)
        assert (told(nearly).dtype, told(nearly).shape) == ("float32", (16, 8))
        others = [table[::-1].copy(), np.sin(angles).astype(f32), table * f32(1.01)]
        others.append(np.where(np.arange(8) == 3, table + f32(0.05), table))
        assert len({told(other) for other in (table, *others)}) == 1 + len(others)

    def test_other_large_ones_by_digest(self, tmp_path):
        text = "net (int64[30] x) => (y) { y = Add (x, c) }"
        one, same, other = (
            graph(tmp_path, text, c=values).layers[0].attributes["B"]
            for values in (np.arange(30), np.arange(30), np.arange(30)[::-1].copy())
        )
        assert one == same != other
        assert (one.dtype, one.shape) == ("int64", (30,))

    def test_texts(self, tmp_path):
        model = parse("net (int64[3] x) => (y) { y = own.Look (x, c) }")
        for texts in (["a"], ["a", "é"], [f"w{i}" for i in range(40)]):
            del model.graph.initializer[:]
            model.graph.initializer.append(
                onnx.helper.make_tensor("c", onnx.TensorProto.STRING, [len(texts)],
                                        [text.encode() for text in texts])
            )  # fmt: skip
            (layer,) = load(model, tmp_path).layers
            (told,) = layer.attributes.values()
            assert told == load(model, tmp_path).layers[0].attributes["input_1"]
            assert told in ("a", ["a", "é"]) or (told.dtype, told.shape) == ("string", (40,))

    @pytest.mark.parametrize(
        "kind", ["BFLOAT16", "FLOAT16", "FLOAT8E4M3FN", "INT4", "UINT4", "BOOL"]
    )
    def test_every_type_of_number(self, tmp_path, kind):
        values = [0, 1, 1, 0]
        tensor = onnx.helper.make_tensor("c", getattr(onnx.TensorProto, kind), [4], values)
        model = parse("net (int64[3] x) => (y) { y = own.Look (x, c) }")
        model.graph.initializer.append(tensor)
        found = load(model, tmp_path)
        told = [*found.layers[0].attributes.values(), *found.parameters().values()]
        assert told
        assert decode(encode(found)) == found

    def test_of_attributes(self, tmp_path):
        tensor = onnx.numpy_helper.from_array(np.array([3], np.int64))
        node = onnx.helper.make_node(
            "Look", ["x"], ["y"], domain="own", value=tensor, names=["a", "b"]
        )
        model = parse("net (int64[3] x) => (y) { y = own.Look (x) }")
        model.graph.node[0].CopyFrom(node)
        (layer,) = load(model, tmp_path).layers
        assert layer.attributes == {"names": ["a", "b"], "value": 3}

    def test_missing_ones_by_type(self, tmp_path):
        tensor = onnx.TensorProto(name="c", data_type=onnx.TensorProto.INT64, dims=[3])
        tensor.data_location = onnx.TensorProto.EXTERNAL
        tensor.external_data.add(key="location", value="elsewhere.bin")
        model = parse("net (int64[3] x) => (y) { y = Add (x, c) }")
        model.graph.initializer.append(tensor)
        assert load(model, tmp_path).layers[0].attributes == {
            "B": Constant(dtype="int64", shape=(3,))
        }
