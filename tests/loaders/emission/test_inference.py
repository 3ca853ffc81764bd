"""Shapes and types of nodes: what is computed here is what ONNX infers."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx_ir as ir
import pytest

from modeldocs.loaders.emission import inference, model

FLOAT, BOOL, INT64 = ir.DataType.FLOAT, ir.DataType.BOOL, ir.DataType.INT64


def value(*shape: Any, dtype: ir.DataType = FLOAT) -> ir.Value:
    return ir.Value(name="x", shape=ir.Shape(shape), type=ir.TensorType(dtype))


IMAGES = value(2, 8, 9, 7)
WINDOW = {"kernel_shape": [3, 2], "strides": [2, 1], "pads": [1, 0, 2, 1]}
NODES = [
    *(
        ir.node(op, [IMAGES])
        for op in sorted(inference._KEEPING)
        if op not in ("BatchNormalization", "GroupNormalization", "InstanceNormalization",
                      "LayerNormalization", "MeanVarianceNormalization", "Not", "PRelu", "LRN")
    ),
    ir.node("LRN", [IMAGES], {"size": 5}),
    ir.node("PRelu", [IMAGES, value(8, 1, 1)]),
    ir.node("BatchNormalization", [IMAGES, *[value(8)] * 4]),
    ir.node("InstanceNormalization", [IMAGES, *[value(8)] * 2]),
    ir.node("Not", [value(2, 3, dtype=BOOL)]),
    *(
        ir.node(op, [value(2, 8, 1, 7), value(9, 1)])
        for op in sorted(inference._ARITHMETIC | inference._COMPARISONS - {"And", "Or", "Xor"})
    ),
    ir.node("And", [value(2, 1, dtype=BOOL), value(3, dtype=BOOL)]),
    ir.node("Sum", [value(2, 1), value(3), value(1, 3)]),
    ir.node("Transpose", [IMAGES], {"perm": [0, 2, 3, 1]}),
    ir.node("Concat", [IMAGES, value(2, 4, 9, 7)], {"axis": -3}),
    ir.node("Concat", [value(None, 4), value(2, None)], {"axis": 1}),
    ir.node("Flatten", [IMAGES], {"axis": 2}),
    ir.node("GlobalMaxPool", [IMAGES]),
    ir.node("GlobalAveragePool", [IMAGES]),
    ir.node("Conv", [IMAGES, value(16, 4, 3, 2)], {**WINDOW, "dilations": [2, 3], "group": 2}),
    ir.node("Conv", [value(1, 8, None, 7), value(4, 8, 3, 3)], {"kernel_shape": [3, 3]}),
    ir.node("MaxPool", [IMAGES], {**WINDOW, "dilations": [2, 1]}),
    ir.node("AveragePool", [IMAGES], WINDOW),
]  # fmt: skip


@pytest.mark.parametrize("node", NODES, ids=lambda node: node.op_type)
def test_what_is_computed_here_is_what_onnx_infers(node):
    assert node.op_type in inference._RULES
    assert inference.outputs(node) == inference._by_onnx(node)


def test_every_rule_is_compared_with_onnx_but_for_functions_that_it_does_not_infer():
    compared = {node.op_type for node in NODES}
    assert set(inference._RULES) - compared <= {
        "GroupNormalization", "LayerNormalization", "MeanVarianceNormalization", "Or", "Xor",
    }  # fmt: skip


def test_a_size_that_is_not_known_stays_open_and_a_name_is_kept():
    made = ir.node("Add", [value("batch", None, 3), value(5, 1)])
    assert inference.outputs(made) == [(("batch", 5, 3), FLOAT)]


def test_sizes_that_are_constants_are_looked_at():
    target = model.constant(np.array([0, -1], np.int64), "s")
    assert inference.outputs(ir.node("Reshape", [IMAGES, target])) == [((2, 504), FLOAT)]


def test_an_operator_of_another_domain_has_no_shape():
    assert inference.outputs(ir.node("Relu", [IMAGES], domain="fork")) == [(None, None)]


@pytest.mark.parametrize(
    "node",
    [
        ir.node("Add", [value(2, 3), value(2, 4)]),
        ir.node("MatMul", [value(2, 3), value(4, 5)]),
    ],
    ids=lambda node: node.op_type,
)
def test_inputs_that_do_not_fit_are_an_error(node):
    with pytest.raises(inference.ShapeMismatchError):
        inference.outputs(node)


def test_types_follow_the_operator():
    assert inference.outputs(ir.node("Greater", [IMAGES, IMAGES]))[0][1] == BOOL
    assert inference.outputs(ir.node("ArgMax", [IMAGES], {"axis": 1}))[0] == ((2, 1, 9, 7), INT64)
