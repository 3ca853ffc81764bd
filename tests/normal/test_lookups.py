"""Products with matrices of zeros and ones, and look-ups in what was looked up, are one look-up."""

from __future__ import annotations

import numpy as np
import pytest

from ..steps import reshaped, transposed
from .nets import Net

f32 = np.float32
CHOSEN = np.eye(4, dtype=f32)[[2, 0, 2]]
"""Rows 2, 0 and 2 of four."""
STEPS = np.eye(5, dtype=f32)[np.arange(3)[:, None] - np.arange(3) + 2]
"""How far each of three places is from each: 3 x 3 x 5."""


class TestProducts:
    def load(self, body, result, **given):
        return Net(f"net (float[2,4,4] x) => (float[{result}] y) {{ {body} }}", **given)

    def test_rows_and_columns(self):
        rows = self.load("y = MatMul (m, x)", "2,3,4", m=CHOSEN)
        columns = self.load("y = MatMul (x, m)", "2,4,3", m=np.ascontiguousarray(CHOSEN.T))
        turned = self.load("t = Transpose <perm = [1,0]> (m) y = MatMul (x, t)", "2,4,3", m=CHOSEN)
        for held, axis in ((rows, 1), (columns, 2), (turned, 2)):
            assert held.layers() == ["Gather"]
            assert held.graph().layers[0].attributes["axis"] == axis

    @pytest.mark.parametrize(
        "matrix",
        [
            CHOSEN + np.eye(4, dtype=f32)[[0, 1, 1]],
            CHOSEN * f32(2),
            CHOSEN * np.array([[1], [0], [1]], f32),
            np.stack([CHOSEN, CHOSEN]),
        ],
    )
    def test_other_matrices_are_products(self, matrix):
        assert self.load("y = MatMul (m, x)", "2,3,4", m=matrix).layers() == ["MatMul"]

    def test_a_parameter_is_a_product(self):
        held = self.load("y = MatMul (x, m)", "2,4,4", m=(4, 4))
        assert held.layers() == ["Gemm"]


class TestSteps:
    """Biases by how far a place of a window is from another, by rows and then by columns."""

    BODY = (
        'a = Einsum <equation = "nhw,ixh->nixw"> (table, m) '
        'b = Einsum <equation = "nixw,jyw->nijxy"> (a, m) c = Reshape (b, flat) '
    )

    def load(self, body, result, inputs="float[2,9,9] x", **given):
        text = f"net ({inputs}) => (float[{result}] y) {{ {self.BODY} {body} }}"
        return Net(text, m=STEPS, table=(2, 5, 5), flat=np.array([2, 9, 9]), **given)

    def test_both_are_one_look_up_of_rows(self):
        held = self.load("y = Add (x, c)", "2,9,9")
        assert held.layers() == ["Gather", "Add"]
        gather, add = held.graph().layers
        assert gather.attributes["axis"] == 0
        assert gather.outputs[0].shape == (81, 2)
        assert [held.name for held in gather.parameters] == ["table"]
        assert add.inputs[1].steps == (reshaped((81, 2), (9, 9, 2)), transposed(2, 0, 1))

    def test_computed_places_are_looked_up_in_what_was_looked_up(self):
        body = "t = Cast <to = 7> (x) g = Gather <axis = 0> (c, t) y = Identity (g)"
        held = self.load(body, "1,9,9", "float[1] x")
        held.inputs["x"] = np.array([1], f32)
        assert held.layers() == ["Gather", "Gather"]

    def test_what_is_read_between_stays(self):
        held = self.load("s = Relu (a) z = ReduceSum <keepdims = 0> (s) y = Add (c, z)", "2,9,9")
        assert held.layers()[:2] == ["Gather", "Gather"]


class TestMultiples:
    """A table of biases by distance that is scaled when it is read."""

    PLACES = np.abs(np.arange(3)[:, None] - np.arange(3))

    def load(self, body, **given):
        return Net(
            f"net (float[4,3,3] x) => (float[4,3,3] y) {{ {body} }}",
            table=(3, 4),
            places=self.PLACES,
            two=f32(2),
            **given,
        )

    def test_they_are_read_of_a_multiple_of_the_table(self):
        held = self.load(
            "g = Gather (table, places) t = Transpose <perm = [2,0,1]> (g) m = Mul (t, two) "
            "n = Sub (m, two) y = Add (x, n)"
        )
        assert held.layers() == ["Gather", "Add"]
        (table,) = held.graph().layers[0].parameters
        assert (table.factor, table.offset) == (2, -2)

    def test_what_is_read_unscaled_too_stays(self):
        held = self.load(
            "g = Gather (table, places) t = Transpose <perm = [2,0,1]> (g) m = Mul (t, two) "
            "n = Add (x, t) y = Mul (n, m)"
        )
        assert sorted(held.layers()) == ["Add", "Gather", "Mul", "Mul"]

    def test_a_table_of_words_is_read_as_it_is(self):
        held = Net(
            "net (int64[2,3] x) => (float[2,3,4] y) "
            "{ g = Gather (table, x) m = Mul (g, two) y = Tanh (m) }",
            table=(5, 4),
            two=f32(2),
        )
        held.inputs["x"] = np.array([[0, 1, 4], [2, 2, 3]])
        assert held.layers() == ["Gather", "Mul", "Tanh"]


def test_places_that_are_read_from_constants_are_constants():
    """BERT's types of words, of which as many are read as there are words."""
    held = Net(
        "net (float[1,12,4] x) => (float[1,12,4] y) "
        "{ i = GatherElements <axis = 1> (types, positions)  g = Gather (table, i) "
        "y = Add (x, g) }",
        types=np.arange(64, dtype=np.int64)[None] % 2,
        positions=np.arange(12, dtype=np.int64)[None] - 3,
        table=(2, 4),
    )
    assert held.layers() == ["Gather", "Add"]
