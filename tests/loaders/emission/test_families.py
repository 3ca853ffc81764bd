"""Families of operators that several frameworks share."""

from __future__ import annotations

import onnx_ir as ir

from modeldocs.ir import Origin, origin
from modeldocs.loaders.emission import cutting, elementwise, windows
from modeldocs.loaders.emission.builder import NodeBuilder
from modeldocs.loaders.emission.convolution import convolution, transposed_convolution, weight_shape
from modeldocs.loaders.emission.linear import fully_connected
from modeldocs.loaders.emission.normalization import batch_normalization
from modeldocs.loaders.emission.pooling import pool
from modeldocs.loaders.emission.windows import Window


def layer() -> NodeBuilder:
    return NodeBuilder(origin.Provenance(origins=(Origin(operator="Toy"),), name="layer"))


def value(*shape: int) -> ir.Value:
    return ir.Value(name="x", shape=ir.Shape(shape), type=ir.TensorType(ir.DataType.FLOAT))


def operators(made: NodeBuilder) -> list[str]:
    return [node.op_type for node in made.nodes]


WINDOW = Window([3, 3], [2, 2], [1, 1], [1, 1])


def test_a_convolution_and_the_one_that_undoes_its_shape():
    there, back = layer(), layer()
    weight = value(*weight_shape(4, 6, WINDOW.kernel, groups=2))
    small = convolution(there, (value(1, 4, 8, 8), weight, value(6)), WINDOW, groups=2)
    assert (tuple(weight.shape), tuple(small.shape)) == ((6, 2, 3, 3), (1, 6, 4, 4))
    weight = value(*weight_shape(6, 4, WINDOW.kernel, groups=2, transposed=True))
    large = transposed_convolution(back, (small, weight, None), WINDOW, groups=2, extra=[1, 1])
    assert (tuple(weight.shape), tuple(large.shape)) == ((6, 2, 3, 3), (1, 4, 8, 8))
    assert weight_shape(None, 4, [3]) == (4, None, 3)


def test_a_matrix_is_multiplied_by_a_gemm_and_other_tensors_by_a_matmul():
    matrix, sequence = layer(), layer()
    assert tuple(fully_connected(matrix, value(2, 3), value(4, 3), value(4)).shape) == (2, 4)
    made = fully_connected(sequence, value(2, 5, 3), value(4, 3), value(4))
    assert tuple(made.shape) == (2, 5, 4)
    assert operators(matrix) == ["Gemm"]
    assert operators(sequence) == ["Transpose", "MatMul", "Add"]


def test_a_pool_whose_windows_onnx_lacks_is_none():
    made, image = layer(), value(1, 2, 7, 7)
    whole = windows.spans((7, 7), (2, 2), (2, 2), (0, 0), ceil=True)
    (maximum,) = pool(made, "MaxPool", image, whole)
    assert tuple(maximum.shape) == (1, 2, 4, 4)
    assert len(pool(made, "MaxPool", image, whole, shapes=[(1, 2, 4, 4)] * 2)) == 2
    beyond = windows.spans((7, 7), (1, 1), (4, 4), (0, 0), ceil=True)
    assert pool(made, "MaxPool", image, beyond) is None


def test_running_statistics_are_outputs_in_training_alone():
    for training, count in ((False, 1), (True, 3)):
        made = layer()
        statistics = [value(3)] * 4
        batch_normalization(made, value(2, 3), statistics, epsilon=1e-5, training=training)
        assert [len(node.outputs) for node in made.nodes] == [count]


def test_a_number_per_channel_broadcasts_along_axis_1():
    made = layer()
    vector = value(3)
    assert elementwise.per_channel(made, vector, 2) is vector
    assert tuple(elementwise.per_channel(made, vector, 4).shape) == (3, 1, 1)


def test_slices_lose_their_axis():
    slices = cutting.unstack(layer(), value(2, 3, 4), 1)
    assert [tuple(one.shape) for one in slices] == [(2, 4)] * 3


def test_a_reduction_drops_its_axes_or_keeps_them():
    made = layer()
    assert tuple(made.reduce("ReduceSum", value(2, 3), [1]).shape) == (2,)
    assert tuple(made.reduce("ReduceSum", value(2, 3), [1], keeps_axes=True).shape) == (2, 1)
