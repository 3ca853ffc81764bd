"""Weights of recurrent layers as ONNX has them, whatever the framework's order of gates."""

from __future__ import annotations

import pytest

from modeldocs.loaders.emission import recurrent
from modeldocs.loaders.emission.layouts import channels_first

from .test_builder import Layer, value


@pytest.mark.parametrize(("kind", "gates"), recurrent.GATES.items())
def test_gates_in_onnxs_order_stay_as_they_are(kind, gates):
    layer, weight = Layer(), value(len(gates) * 5, 3)
    assert recurrent.reorder_gates(layer, weight, gates, kind) is weight
    assert layer.nodes == []


def test_gates_in_another_order_are_split_and_joined():
    layer = Layer()
    ordered = recurrent.reorder_gates(layer, value(20, 3), "ifco", "LSTM")
    split, concat = layer.nodes
    assert (split.op_type, concat.op_type) == ("Split", "Concat")
    assert [split.outputs.index(part) for part in concat.inputs] == [0, 3, 1, 2]
    assert list(ordered.shape) == [20, 3]


def test_one_direction_is_an_operand_by_itself_and_two_are_stacked():
    layer, forward, backward = Layer(), value(1, 20, 3), value(1, 20, 3)
    assert recurrent.stack_directions(layer, [forward]) is forward
    assert list(recurrent.stack_directions(layer, [forward, backward]).shape) == [2, 20, 3]


def test_all_steps_and_the_last_states_come_out():
    layer = Layer()
    operands = [value(7, 2, 3), value(1, 20, 3), value(1, 20, 5)]
    steps, hidden, cell = recurrent.recurrent(layer, "LSTM", operands, hidden_size=5)
    assert [list(one.shape) for one in (steps, hidden, cell)] == [
        [7, 1, 2, 5],
        [1, 2, 5],
        [1, 2, 5],
    ]


@pytest.mark.parametrize(
    ("axis", "order"), [(-1, [0, 3, 1, 2]), (1, [0, 1, 2, 3]), (0, [1, 0, 2, 3])]
)
def test_channels_come_to_axis_1(axis, order):
    assert channels_first(4, axis) == order
