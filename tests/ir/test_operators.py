"""The table of operators, by ONNX's schemas and by what its reference evaluator computes."""

from __future__ import annotations

import numpy as np
import onnx
import pytest
from onnx.reference import ReferenceEvaluator

from modeldocs.ir import operators
from modeldocs.ir.operators import OPSET, TABLE, is_contributed, named, of
from modeldocs.ir.operators.operands import role

SCHEMAS = {schema.name: schema for schema in onnx.defs.get_all_schemas() if schema.domain == ""}
SHAPE = (2, 3, 4, 4)
RANGES = {
    "Acosh": (1.0, 3.0), "Acos": (-0.9, 0.9), "Asin": (-0.9, 0.9), "Atanh": (-0.9, 0.9),
    "Log": (0.1, 3.0), "Sqrt": (0.1, 3.0), "ReduceLogSum": (0.1, 3.0),
}  # fmt: skip
ATTRIBUTES = {
    **{key: {"kernel_shape": [2, 2]} for key in ("MaxPool", "AveragePool", "LpPool")},
    "MaxUnpool": {"kernel_shape": [1, 1]},
    "BitCast": {"to": onnx.TensorProto.INT32},
    "BitShift": {"direction": "LEFT"},
    "Cast": {"to": onnx.TensorProto.FLOAT16},
    "Col2Im": {"strides": [2, 2]},
    "Concat": {"axis": 1},
    "DepthToSpace": {"blocksize": 1},
    "LRN": {"size": 3},
    "RegexFullMatch": {"pattern": "a+"},
    "SpaceToDepth": {"blocksize": 2},
    "Split": {"num_outputs": 2},
}
SECOND = {
    "CastLike": [np.zeros(1, np.float16)],
    "CenterCropPad": [np.array([2, 5, 6, 2])],
    "Col2Im": [np.array([4, 6]), np.array([2, 2])],
    "Compress": [np.arange(96) % 2 == 0],
    "CumProd": [np.array(1)],
    "CumSum": [np.array(1)],
    "Expand": [np.array([5, 2, 3, 4, 4])],
    "GridSample": [np.linspace(-1, 1, 36, dtype=np.float32).reshape(2, 3, 3, 2)],
    "MaxUnpool": [np.arange(96).reshape(SHAPE)],
    "Pad": [np.array([0, 0, 1, 1, 0, 0, 2, 2])],
    "Reshape": [np.array([4, -1])],
    "Resize": [None, np.array([1, 1, 2, 2], np.float32)],
    "ReverseSequence": [np.array([2, 1, 2])],
    "RoiAlign": [np.array([[0, 0, 2, 2]], np.float32), np.array([0])],
    "Slice": [np.array([1]), np.array([3])],
    "Squeeze": [np.array([1])],
    "Tile": [np.array([1, 2, 1, 1])],
    "Unsqueeze": [np.array([0])],
}
LOGIC = {"And", "Or", "Xor", "Not"}
BITS = {"BitwiseAnd", "BitwiseOr", "BitwiseXor", "BitwiseNot", "BitShift"}
TEXT = {"StringConcat", "RegexFullMatch"}
NOT_RUN = {"MaxRoiPool", "Upsample"}
"""Operators of which there is no implementation to run."""
LACKING = {"Gelu", "GlobalLpPool"}
"""Operators that the reference evaluator has not, and onnxruntime has."""
VARIADIC = {"Sum", "Mean", "Max", "Min", "Concat"}


def data(name: str, seed: int = 0) -> np.ndarray:
    """Random values of a type and range that an operator takes, some of them equal."""
    random = np.random.default_rng(seed)
    if name in LOGIC:
        return random.integers(0, 2, SHAPE).astype(bool)
    if name in BITS:
        return random.integers(0, 8, SHAPE).astype(np.uint8)
    if name in TEXT:
        return random.choice(["a", "b", "aa"], SHAPE).astype(object)
    low, high = RANGES.get(name, (-3.0, 3.0))
    if of(name).positive is not None:
        low = 0.25
    values = random.uniform(low, high, SHAPE)
    return (np.round(values * 4) / 4 if low < -1 or low == 0.25 else values).astype(np.float32)


def run(name: str, *operands: np.ndarray | None) -> np.ndarray:
    """The first output of an operator, with the attributes above."""
    inputs = ["" if one is None else f"x{slot}" for slot, one in enumerate(operands)]
    outputs = [f"y{index}" for index in range(2 if name == "Split" else 1)]
    node = onnx.helper.make_node(name, inputs, outputs, **ATTRIBUTES.get(name, {}))
    feeds = {f"x{slot}": one for slot, one in enumerate(operands) if one is not None}
    if name in LACKING:
        return by_onnxruntime(node, feeds)
    with np.errstate(all="ignore"):
        return ReferenceEvaluator(node).run(None, feeds)[0]


def by_onnxruntime(node: onnx.NodeProto, feeds: dict[str, np.ndarray]) -> np.ndarray:
    """The output of a node of float32 by onnxruntime."""
    runtime = pytest.importorskip("onnxruntime")
    typed = onnx.helper.make_tensor_value_info
    inputs = [typed(key, onnx.TensorProto.FLOAT, one.shape) for key, one in feeds.items()]
    outputs = [typed("y0", onnx.TensorProto.FLOAT, None)]
    graph = onnx.helper.make_graph([node], "one", inputs, outputs)
    model = onnx.helper.make_model(
        graph, ir_version=9, opset_imports=[onnx.helper.make_opsetid("", 20)]
    )
    return runtime.InferenceSession(model.SerializeToString()).run(None, feeds)[0]


def of_one(name: str, x: np.ndarray) -> np.ndarray:
    """The output of an operator of one tensor of data."""
    if name == "Col2Im":
        x = x.reshape(1, 16, 6)
    if name == "Squeeze":
        x = x[:, :1]
    if name == "ReverseSequence":
        x = x.reshape(2, 3, 16)
    return run(name, x, *SECOND.get(name, ()))


def of_some(name: str, *operands: np.ndarray) -> np.ndarray:
    """The output of an operator of some tensors of one shape."""
    if name == "Where":
        return run(name, operands[0] > 0, *operands)
    return run(name, *operands)


def is_single(name: str) -> bool:
    return len(SCHEMAS[name].inputs) > 0 and not of(name).broadcasting and name != "Concat"


def own(**properties: object) -> list[str]:
    """ONNX's operators with a property that can be run."""
    return sorted((named(**properties) & SCHEMAS.keys()) - NOT_RUN)


def test_every_operator_of_onnx_is_in_the_table():
    current = {name for name, schema in SCHEMAS.items() if not schema.deprecated}
    assert current <= TABLE.keys()
    assert {name for name in TABLE if "::" not in name} - current == {"Upsample"}


def test_the_operators_of_onnxruntime_are_its():
    runtime = pytest.importorskip("onnxruntime.capi.onnxruntime_pybind11_state")
    own = {one.name for one in runtime.get_all_operator_schema() if one.domain == "com.microsoft"}
    contributed = {name.partition("::")[2] for name in TABLE if is_contributed(name)}
    # Those of another version, or of another build.
    assert len(contributed - own) < 5


def test_an_operator_that_is_not_in_the_table_has_no_property():
    one = of("com.example::Conv")
    assert one.family == "other" and not one.elementwise and not one.windowed
    assert operators.weighted_slot("com.example::Conv") is None


def test_a_property_that_no_operator_has_is_an_error():
    with pytest.raises(AttributeError):
        named(comutative=True)


def test_several_properties_are_those_of_both():
    assert named(projection=True, channels_first=False) == {"Gemm", "MatMul"}
    assert operators.moving("cast", "cut") == {"Cast", "CastLike", "Split", "Slice"}


@pytest.mark.parametrize("name", sorted(SCHEMAS.keys() & TABLE.keys()))
def test_an_entry_agrees_with_the_schema(name):
    one, schema = of(name), SCHEMAS[name]
    attributes = schema.attributes
    assert one.windowed == ({"kernel_shape", "strides", "dilations", "pads"} <= attributes.keys())
    default = attributes["axis"].default_value if "axis" in attributes else None
    assert one.axis == (default.i if default is not None and default.name else None)
    slots = (one.weight, one.bias, one.indices, one.positive, *one.settings, len(one.roles) - 1)
    assert all(slot is None or slot < len(schema.inputs) for slot in slots)
    if one.over_plane:
        assert of(one.over_plane).everywhere


@pytest.mark.parametrize("name", own(elementwise=True))
def test_an_elementwise_operator_computes_each_place_by_itself(name):
    count = 1 if of(name).unary else 3 if name in VARIADIC else 2
    first = [data(name, seed) for seed in range(count)]
    other = [data(name, seed) for seed in range(count, 2 * count)]
    mixed = [one.copy() for one in first]
    for array, replaced in zip(mixed, other, strict=True):
        array[:, 1, 2] = replaced[:, 1, 2]
    compute = of_one if of(name).unary else of_some
    before, after, replaced = (compute(name, *each) for each in (first, mixed, other))
    expected = before.copy()
    expected[:, 1, 2] = replaced[:, 1, 2]
    np.testing.assert_array_equal(after, expected)
    order = (2, 0, 3, 1)
    permuted = compute(name, *(one.transpose(order) for one in first))
    np.testing.assert_array_equal(permuted, before.transpose(order))


@pytest.mark.parametrize("name", own(broadcasting=True))
def test_operands_commute_where_the_table_says_so_and_nowhere_else(name):
    a, b = data(name, 0), data(name, 1)
    same = np.array_equal(of_some(name, a, b), of_some(name, b, a))
    assert same == of(name).commutative


@pytest.mark.parametrize("name", own(associative=True))
def test_nested_associative_operators_are_one(name):
    a, b, c = (data(name, seed) for seed in range(3))
    left, right = run(name, run(name, a, b), c), run(name, a, run(name, b, c))
    equal = left == right if left.dtype.kind != "f" else np.isclose(left, right, atol=1e-5)
    assert equal.all()


@pytest.mark.parametrize("name", sorted(named(broadcasting=True) - VARIADIC - LOGIC - BITS - TEXT))
def test_an_affine_operator_changes_nothing_with_its_neutral_operand(name):
    x, neutral = data(name), of(name).neutral
    if neutral is None:
        assert not of(name).affine
    else:
        np.testing.assert_array_equal(run(name, x, np.full_like(x, neutral)), x)


NUMERIC = [
    name for name in own(unary=True, moves="")
    if name not in {*LOGIC, *BITS, *TEXT, "IsNaN", "IsInf", "BitCast", "CastLike"}
]  # fmt: skip


@pytest.mark.parametrize("name", NUMERIC)
def test_an_operator_is_monotone_where_the_table_says_so_and_nowhere_else(name):
    low, high = RANGES.get(name, (-3.0 if name != "Log" else 0.1, 3.0))
    x = np.linspace(low, high, 400, dtype=np.float32)
    y = run(name, x)
    assert bool((np.diff(y) >= -1e-6).all()) == of(name).monotone


@pytest.mark.parametrize("name", [name for name in NUMERIC if not of(name).stepwise])
def test_a_saturating_operator_approaches_two_bounds(name):
    y = run(name, np.array([-1e5, -1e4, 1e4, 1e5], np.float32))
    with np.errstate(invalid="ignore"):
        bounded = abs(y[0] - y[1]) < 1e-3 and abs(y[2] - y[3]) < 1e-3 and y[3] - y[0] > 0.5
    assert bounded == of(name).saturating


@pytest.mark.parametrize("name", own(family="activation", unary=True))
def test_a_smooth_rectifier_has_two_slopes_and_bends_between_them(name):
    y = run(name, np.array([-2e4, -1e4, -1, -0.5, 0, 0.5, 1, 1e4, 2e4], np.float32))
    ends = abs(y[0] - y[1]) < 1e-3 and np.isclose(y[-1] - y[-2], y[-2], rtol=1e-3)
    bends = abs(y[3] - y[2] / 2) > 1e-3 or abs(y[5] - y[6] / 2) > 1e-3
    assert bool(ends and bends and abs(y[1]) < 10) == of(name).smooth_rectifier


@pytest.mark.parametrize("name", own(stepwise=True))
def test_a_stepwise_operator_is_constant_nearly_everywhere(name):
    y = run(name, np.linspace(-3, 3, 1000, dtype=np.float32))
    assert np.count_nonzero(np.diff(y)) < 10


@pytest.mark.parametrize("name", own(non_negative=True))
def test_an_operator_is_never_negative(name):
    assert (of_one(name, data(name)) >= 0).all()


@pytest.mark.parametrize("name", own(keeps_sign=True))
def test_an_operator_keeps_the_sign_of_what_is_not_negative(name):
    x = np.abs(data(name))
    second = {"Concat": x, "PRelu": -x}.get(name)
    output = of_one(name, x) if second is None else run(name, x, second)
    assert (output >= 0).all()


@pytest.mark.parametrize("name", own(homogeneous=True))
def test_a_positive_factor_on_the_data_is_one_on_the_output(name):
    x, z = data(name, 0), data(name, 1)
    if is_single(name):
        once, twice = of_one(name, x), of_one(name, 2 * x)
    elif name == "PRelu":
        once, twice = run(name, x, z), run(name, 2 * x, z)
    else:
        once, twice = run(name, x, z), run(name, 2 * x, 2 * z)
    np.testing.assert_allclose(twice, 2 * once, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("name", own(moves="reshape"))
def test_a_reshape_keeps_the_order_of_elements(name):
    x = data(name)
    elements = x[:, :1] if name == "Squeeze" else x
    np.testing.assert_array_equal(of_one(name, x).reshape(-1), elements.reshape(-1))


def test_memberships_that_tables_had_wrong():
    assert {"Mean", "BitwiseAnd", "BitwiseOr", "BitwiseXor"} <= named(commutative=True)
    assert not named(commutative=True) & {"Sub", "Div", "Pow", "Concat"}
    assert {"PRelu", "Mod", "Xor", "BitShift"} <= named(broadcasting=True)
    assert {"Asinh", "Tan", "Shrink", "BitwiseNot"} <= named(unary=True)
    assert not named(unary=True) & {"PRelu", "Softmax", "Dropout"}
    assert {"Floor", "Ceil", "Round", "Sign", "Identity", "Atan"} <= named(monotone=True)
    assert not named(monotone=True) & {"Gelu", "Swish", "HardSwish", "Mish", "Abs", "Neg"}
    assert {"HardSigmoid", "Hardmax", "Sqrt", "LpPool", "ReduceL2"} <= named(non_negative=True)
    assert {"DeformConv", "QLinearConv", "ConvInteger"} <= named(windowed=True)
    assert "MaxUnpool" not in named(windowed=True)  # it has no dilations
    assert {"GlobalLpPool", "RoiAlign", "MaxRoiPool"} <= named(channels_first=True)
    assert {"And", "Or", "Xor"} <= named(associative=True)
    assert {"CenterCropPad", "MaxUnpool", "Col2Im"} <= named(grows=True)
    assert "DeformConv" in named(interpolates=True)
    assert operators.family("com.microsoft::MultiHeadAttention") == "attention"
    assert operators.family("GreaterOrEqual") == operators.family("Greater") == "elementwise"


def test_roles_are_those_of_the_table_then_of_the_schema():
    assert [role("Conv", slot) for slot in range(3)] == ["X", "weight", "bias"]
    assert role("QLinearConv", 3) == "weight" and role("QLinearConv", 4) == "w_scale"
    assert role("LSTM", 1) == "W" and role("Sum", 5) == "data_0"
    assert role("com.example::Unknown", 2) == "input_2"


def test_graphs_are_in_an_operator_set_that_onnx_has():
    assert onnx.defs.onnx_opset_version() >= OPSET
