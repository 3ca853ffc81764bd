"""What a loader writes ONNX with: nodes, constants, names, and what ONNX does not have."""

from __future__ import annotations

import numpy as np
import onnx_ir as ir
import pytest

from modeldocs.errors import ModeldocsError
from modeldocs.ir import Origin, origin
from modeldocs.loaders.dims import UnknownShapeError
from modeldocs.loaders.emission.builder import NodeBuilder
from modeldocs.loaders.emission.element_types import element_name, element_type
from modeldocs.loaders.emission.names import UniqueNames
from modeldocs.loaders.emission.settings import attribute, plain


class Layer(NodeBuilder):
    domain = "toy"

    def __init__(self) -> None:
        super().__init__(origin.Provenance(origins=(Origin(operator="Toy"),), name="layer"))

    def error(self, reason: str, fix: str) -> ModeldocsError:
        return ModeldocsError(f"layer {reason}", fix=fix)


def value(*shape: int | str | None, dtype: ir.DataType = ir.DataType.FLOAT) -> ir.Value:
    return ir.Value(name="x", shape=ir.Shape(shape), type=ir.TensorType(dtype))


def test_a_node_infers_its_shape_and_type_and_tells_where_it_comes_from():
    layer = Layer()
    made = layer.node("Greater", [value(2, 3), layer.scalar(1)], padding="same")
    assert (list(made.shape), made.dtype) == ([2, 3], ir.DataType.BOOL)
    told = origin.read(made.producer())
    assert (told.name, told.padding) == ("layer", "same")


def test_inputs_that_do_not_fit_are_an_error_of_the_layer():
    with pytest.raises(ModeldocsError, match="layer combines 2×3 with 2×4"):
        Layer().node("Mul", [value(2, 3), value(2, 4)])


def test_a_rank_that_is_not_known_is_told():
    unknown = ir.Value(name="x", type=ir.TensorType(ir.DataType.FLOAT))
    with pytest.raises(UnknownShapeError):
        Layer().node("Relu", [unknown])


def test_a_shape_may_leave_one_size_to_the_others():
    layer = Layer()
    assert list(layer.reshape(value(2, 6), (3, None)).shape) == [3, 4]
    assert list(layer.reshape(value(None, 6), (3, -1)).shape) == [3, None]
    with pytest.raises(UnknownShapeError):
        layer.reshape(value(2, 6), (None, None))


def test_axes_in_their_own_order_and_types_as_they_are_make_no_node():
    layer, x = Layer(), value(2, 3)
    assert layer.transpose(x, [0, 1]) is layer.cast(x, ir.DataType.FLOAT) is x
    assert layer.reshaped(x, (2, 3)) is x
    assert layer.nodes == []


def test_a_constant_is_of_its_own_type_a_number_of_float32_or_of_anothers():
    layer = Layer()
    assert layer.constant(np.array([1, 2], np.int8)).dtype == ir.DataType.INT8
    assert layer.constant([1, 2]).dtype == ir.DataType.FLOAT
    assert layer.scalar(1, value(2, dtype=ir.DataType.INT64)).dtype == ir.DataType.INT64
    assert layer.integers(range(3)).dtype == ir.DataType.INT64


def test_a_constant_that_no_one_wants_to_see_is_refused():
    with pytest.raises(ModeldocsError, match="4,194,305 elements"):
        Layer().constant(np.zeros(2**22 + 1, np.int8))
    with pytest.raises(ModeldocsError, match="beyond 64 bits"):
        Layer().integers([2**63])


def test_what_onnx_does_not_have_keeps_its_settings_in_a_domain_of_its_own():
    layer = Layer()
    [made] = layer.foreign(
        "Vote", [value(2, 3)], [None], {"keen": True, "by": [1, 2.5], "no": None}
    )
    node = made.producer()
    assert (node.domain, made.shape) == ("toy", None)
    assert {name: held.value for name, held in node.attributes.items()} == {
        "keen": 1,
        "by": (1.0, 2.5),
    }


def test_names_are_given_once_and_the_end_bears_the_layers():
    layer = Layer()
    made = layer.node("Neg", [layer.node("Abs", [value(2)])])
    layer.give_names(UniqueNames(), [made])
    assert [node.name for node in layer.nodes] == ["layer/Abs", "layer"]
    assert [node.outputs[0].name for node in layer.nodes] == ["layer/Abs", "layer"]


@pytest.mark.parametrize(
    ("setting", "held"),
    [
        (True, 1),
        (3, 3),
        ([1, 2], [1, 2]),
        ([1, 2.5], [1.0, 2.5]),
        (["a", "b"], ["a", "b"]),
        ([True], "[true]"),
        ([], "[]"),
        (2**64, str(2**64)),
        ({"a": [1]}, '{"a": [1]}'),
        (None, "null"),
    ],
)
def test_a_setting_is_an_attribute_or_its_json(setting, held):
    assert attribute(setting) == held


def test_an_error_names_the_layer_and_its_line():
    told = Origin(operator="Toy", file="net.toy", line=3)
    layer = NodeBuilder(origin.Provenance(origins=(told,), name="l3"))
    error = layer.error("is strange", "leave it")
    assert (error.reason, error.file, error.line) == ("'l3' is strange", "net.toy", 3)


def test_a_parameter_is_declared_without_values():
    layer = Layer()
    weight = layer.declare("w", (2, 3), trainable=False)
    assert (list(weight.shape), layer.initializers) == ([2, 3], [weight])
    assert origin.parameter_kind(weight) == "buffer"


class Schedule:
    name = "warm"


@pytest.mark.parametrize(
    ("setting", "held"),
    [
        ((1, [True, None]), [1, [True, None]]),
        ({3: {"b", "a"}}, {"3": ["a", "b"]}),
        (float("-inf"), "-inf"),
        (np.float64(0.5), 0.5),
        (np.arange(3), [0, 1, 2]),
        (np.zeros((9, 9), np.float32), "float32 array of (9, 9)"),
        (slice(1, None), "1:"),
        (slice(None, 4, 2), ":4:2"),
        (..., "..."),
        (len, "len"),
        (Schedule(), "Schedule warm"),
    ],
)
def test_a_setting_is_plain_data(setting, held):
    assert plain(setting) == held


@pytest.mark.parametrize("name", ["float32", "float64", "bfloat16", "int8", "bool", "float8_e5m2"])
def test_element_types_have_the_names_of_python(name):
    dtype = element_type(name)
    assert dtype is not None and element_name(dtype) == name


def test_a_name_may_be_no_element_type():
    assert element_type("float33") is None


@pytest.mark.parametrize(
    ("shape", "reason"),
    [((1, 0), "a size below 1"), ((2**16, 2**16), "2³¹ values"), ((1,) * 40, "dimensions")],
)
def test_where_tensors_are_bounded_a_shape_that_none_can_have_is_told(shape, reason):
    class Bounded(Layer):
        is_bounded = True

    assert Layer().possible(shape) == shape
    with pytest.raises(ModeldocsError, match=reason):
        Bounded().possible(shape)
