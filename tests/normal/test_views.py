"""Reshapes, Transposes and cuts are followed by strides; every chain is as short as it can be."""

from __future__ import annotations

import numpy as np
import pytest

from modeldocs.normal import values

from ..steps import reshaped, transposed
from .nets import Net

f32 = np.float32


def net(shape, body, result, opset=20, **given):
    return Net(f"net (float[{shape}] x) => (float[{result}] y) {{ {body} }}", opset, **given)


def dims(*sizes):
    return np.array(sizes)


FLAT = reshaped((2, 3, 4, 5), (2, 60))


class TestChains:
    HALVES = "a = Reshape (r, s) b = Reshape (a, t) y = Abs (b)"
    TURNS = "a = Transpose <perm = [0,2,1,3]> (r) b = Transpose <perm = [0,2,1,3]> (a) y = Abs (b)"
    MIXED = "a = Reshape (r, s) b = Transpose <perm = [0,2,1]> (a) c = Reshape (b, t) y = Abs (c)"

    @pytest.mark.parametrize(
        ("body", "result", "steps", "given"),
        [
            (HALVES, "2,60", (FLAT,), {"s": dims(6, 20), "t": dims(2, 60)}),
            (HALVES, "2,3,4,5", (), {"s": dims(6, 20), "t": dims(2, 3, 4, 5)}),
            (TURNS, "2,3,4,5", (), {}),
            (
                MIXED, "2,4,5,3", (transposed(0, 2, 3, 1),),
                {"s": dims(2, 3, 20), "t": dims(2, 4, 5, 3)},
            ),
        ],
    )  # fmt: skip
    def test_the_shortest_stands_for_every_longer_one(self, body, result, steps, given):
        held = net("2,3,4,5", f"r = Relu (x) {body}", result, **given)
        assert held.layers() == ["Relu", "Abs"]
        assert held.graph().layers[1].inputs[0].steps == steps

    def test_one_that_cuts_across_axes_stays(self):
        body = "a = Transpose <perm = [1,0]> (x) b = Reshape (a, s) y = Relu (b)"
        held = net("4,6", body, "8,3", s=dims(8, 3))
        assert held.layers() == ["Relu"]
        (operand,) = held.graph().layers[0].inputs
        assert operand.steps == (transposed(1, 0), reshaped((6, 4), (8, 3)))

    def test_one_to_an_output(self):
        held = net("2,6", "a = Relu (x) b = Reshape (a, s) y = Reshape (b, t)", "2,6",
                   s=dims(3, 4), t=dims(2, 6))  # fmt: skip
        assert held.layers() == ["Relu"]
        assert held.graph().outputs[0].source.steps == ()


class TestCuts:
    """Queries, keys and values of one projection."""

    END = "y = Concat <axis = -1> (c, b, a)"
    WAYS = {
        "Split": "a, b, c = Split <axis = 2, num_outputs = 3> (r) ",
        "Slice": "a = Slice (r, n0, n4, n2) b = Slice (r, n4, n8, n2) c = Slice (r, n8, n12, n2) ",
        "Gather": "s = Reshape (r, apart) t = Transpose <perm = [2,0,1,3]> (s) "
        "a = Gather (t, i0) b = Gather (t, i1) c = Gather (t, i2) ",
        "Split and Squeeze": "s = Reshape (r, apart) "
        "d, e, f = Split <axis = 2, num_outputs = 3> (s) "
        "a = Squeeze (d, n2) b = Squeeze (e, n2) c = Squeeze (f, n2) ",
    }
    GIVEN = {
        **{f"n{n}": dims(n) for n in (0, 2, 4, 8, 12)}, **{f"i{n}": np.array(n) for n in range(3)},
        "apart": dims(2, 5, 3, 4),
    }  # fmt: skip

    def load(self, body, **given):
        used = {n: held for n, held in (self.GIVEN | given).items() if f" {n})" in body
                or f" {n}," in body}  # fmt: skip
        return net("2,5,12", f"r = Relu (x) {body}{self.END}", "2,5,12", 20, **used)

    @pytest.mark.parametrize("way", WAYS)
    def test_they_are_one_split(self, way):
        held = self.load(self.WAYS[way])
        assert held.layers() == ["Relu", "Split", "Concat"]
        _, split, concat = held.graph().layers
        assert split.attributes == {"axis": 2, "num_outputs": 3}
        assert split.inputs[0].steps == ()
        assert [(operand.output, operand.steps) for operand in concat.inputs] == [
            (2, ()), (1, ()), (0, ()),
        ]  # fmt: skip

    def test_those_that_lie_between_each_other_are_told_apart(self):
        body = (
            "s = Reshape (r, apart) a1 = Gather <axis = 3> (s, i0) b1 = Gather <axis = 3> (s, i1) "
            "c1 = Gather <axis = 3> (s, i2) a = Reshape (a1, back) b = Reshape (b1, back) "
            "c = Reshape (c1, back) "
        )
        held = self.load(body, apart=dims(2, 5, 4, 3), back=dims(2, 5, 4))
        assert held.layers() == ["Relu", "Split", "Concat"]
        split = held.graph().layers[1]
        assert split.inputs[0].steps == (reshaped((2, 5, 12), (2, 5, 4, 3)),)
        assert split.attributes["axis"] == 3

    def test_pieces_of_other_sizes(self):
        body = "a = Slice (r, n0, n8, n2) b = Slice (r, n8, n12, n2) y = Concat <axis = 2> (b, a)"
        held = net("2,5,12", f"r = Relu (x) {body}", "2,5,12", **{
            n: self.GIVEN[n] for n in ("n0", "n8", "n12", "n2")
        })  # fmt: skip
        assert held.layers() == ["Relu", "Split", "Concat"]
        assert held.graph().layers[1].attributes["split"] == [8, 4]

    def test_a_cut_of_a_cut(self):
        body = (
            "a, b = Split <axis = 2, num_outputs = 2> (r) c = Slice (a, n0, n2, n2) "
            "d = Slice (a, n2, n6, n2) y = Concat <axis = 2> (d, c, b)"
        )
        held = net("2,5,12", f"r = Relu (x) {body}", "2,5,12", n0=dims(0), n2=dims(2), n6=dims(6))
        assert held.layers() == ["Relu", "Split", "Split", "Concat"]

    @pytest.mark.parametrize(("start", "end"), [(0, 4), (4, 12)])
    def test_a_part_of_all_stays_as_it_is(self, start, end):
        held = net("2,5,12", "r = Relu (x) y = Slice (r, a, b, c)", f"2,5,{end - start}",
                   a=dims(start), b=dims(end), c=dims(2))  # fmt: skip
        assert held.layers() == ["Relu", "Slice"]

    def test_pieces_that_overlap_stay_as_they_are(self):
        body = "a = Slice (r, n0, n8, n2) b = Slice (r, n4, n12, n2) y = Add (a, b)"
        held = net("2,5,12", f"r = Relu (x) {body}", "2,5,8", **{
            n: self.GIVEN[n] for n in ("n0", "n4", "n8", "n12", "n2")
        })  # fmt: skip
        assert held.layers() == ["Relu", "Slice", "Slice", "Add"]


class TestJoins:
    """Patches of 2 x 2 merged: four images of every other row and column, joined."""

    PLACES = ((0, 0), (1, 0), (0, 1), (1, 1))

    def merged(self, body, **given):
        held = net("1,4,6,5", f"r = Relu (x) {body} z = Abs (y0) y = Neg (z)", "1,2,3,20", **given)
        assert held.layers() == ["Relu", "Abs", "Neg"]
        return held.graph().layers[1].inputs

    def test_slices_joined_are_a_reshape_and_a_transpose(self):
        slices = " ".join(
            f"s{i} = Slice (r, f{h}{w}, e, a, t)" for i, (h, w) in enumerate(self.PLACES)
        )
        firsts = {f"f{h}{w}": np.array([h, w]) for h, w in self.PLACES}
        cut = self.merged(
            f"{slices} y0 = Concat <axis = 3> (s0, s1, s2, s3)", **firsts, e=dims(9, 9),
            a=dims(1, 2), t=dims(2, 2),
        )  # fmt: skip
        nested = self.merged(
            f"{slices} c = Concat <axis = 3> (s0, s1) y0 = Concat <axis = 3> (c, s2, s3)",
            **firsts, e=dims(9, 9), a=dims(1, 2), t=dims(2, 2),
        )  # fmt: skip
        turned = self.merged(
            "a = Reshape (r, apart) b = Transpose <perm = [0,1,3,4,2,5]> (a) "
            "y0 = Reshape (b, back)",
            apart=dims(1, 2, 2, 3, 2, 5), back=dims(1, 2, 3, 20),
        )  # fmt: skip
        assert cut == nested == turned

    def test_pieces_rolled_round_are_cut_and_joined(self):
        body = "r = Relu (x) a, b = Split <axis = 1> (r, s) y = Concat <axis = 1> (b, a)"
        held = net("1,4,6", body, "1,4,6", s=dims(1, 3))
        assert held.layers() == ["Relu", "Split", "Concat"]

    def test_a_cut_put_together_as_it_was_is_none(self):
        body = (
            "r = Relu (x) a, b = Split <axis = 1> (r, s) c = Concat <axis = 1> (a, b) y = Abs (c)"
        )
        held = net("1,4,6", body, "1,4,6", s=dims(2, 2))
        assert held.layers() == ["Relu", "Abs"]


class TestLookUps:
    def rows(self, places, length=8):
        held = net("2,3,4", "g = Gather (w, p) y = Add (x, g)", "2,3,4", w=(length, 4), p=places)
        return held.layers(), held.graph().layers[-1]

    @pytest.mark.parametrize("places", [dims(0, 1, 2), np.arange(3)[None], dims(5, 6, 7)])
    def test_places_in_a_row_are_a_part_of_the_parameter(self, places):
        operators, add = self.rows(places)
        assert operators == ["Add"]
        assert [held.name for held in add.parameters] == ["w"]

    def test_all_places_are_the_parameter(self):
        assert self.rows(np.arange(3), 3)[0] == ["Add"]

    @pytest.mark.parametrize("places", [dims(0, 2, 4), dims(2, 1, 0), dims(1, 1, 1)])
    def test_others_are_looked_up(self, places):
        assert self.rows(places)[0] == ["Gather", "Add"]


class TestFolding:
    def test_a_mask_that_is_computed_of_sizes_is_a_constant(self):
        body = (
            "s = Shape <start = 1, end = 2> (x) n = Squeeze (s) r = Range (zero, n, one) "
            "c = Unsqueeze (r, last) l = LessOrEqual (r, c) f = Where (l, high, low) "
            "w = ConstantOfShape (s) e = Expand (f, s) y = Add (x, e)"
        )
        held = net(
            "2,5,5", body, "2,5,5", zero=np.array(0), one=np.array(1), last=dims(1),
            high=f32(0), low=f32(-1),
        )  # fmt: skip
        assert held.layers() == ["Add"]
        assert held.graph().layers[0].attributes["B"].shape == (5, 5)

    def test_what_would_be_large_is_not_computed(self):
        body = "e = Expand (a, s) y = Add (x, e)"
        held = net("1,1", body, "1024,2048", a=f32([[1.0]]), s=dims(1024, 2048))
        assert held.layers() == ["Expand", "Add"]

    def test_a_parameter_is_no_constant(self):
        held = net("2,5", "t = Transpose (w) m = Tanh (t) y = Add (x, m)", "2,5", w=(5, 2))
        assert held.layers() == ["Tanh", "Add"]


def test_values_of_unknown_size_are_left_alone():
    held = Net("net (float[2,6] x) => (float[N] y) { r = Relu (x) s = NonZero (r) "
               "c = Cast <to = 1> (s) f = Reshape (c, t) y = Relu (f) }", t=dims(-1))  # fmt: skip
    assert values.shape(held.model().graph.outputs[0]) is None
    assert held.layers() == ["Relu", "NonZero", "Relu"]
