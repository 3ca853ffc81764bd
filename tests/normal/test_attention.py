"""Attention, however it is spelled, is one layer of queries, keys, values, heads and mask."""

from __future__ import annotations

import numpy as np
import pytest

from modeldocs.ir import Cast

from .nets import Net

f32 = np.float32
LOWER = np.tri(5, dtype=bool)
NUMBERS = {
    "half": f32(0.5), "two": f32(2), "root": f32(0.5**0.5), "cap": f32(3), "least": f32(-1e9),
    "zero": f32(0), "lower": LOWER[None, None], "above": ~LOWER, "open": np.ones((1, 5), bool),
    "upper": np.where(LOWER, 0, -1e9).astype(f32),
    "bias": np.linspace(0, 1, 25, dtype=f32).reshape(1, 1, 5, 5),
}  # fmt: skip


class TestSpelledOut:
    TEXT = """net (float[2,3,5,4] q, float[2,3,5,4] k, float[2,3,5,4] v) => (float[2,3,5,4] y) {{
        t = Transpose <perm = [0,1,3,2]> (k)
        {body}
        y = MatMul (w, v)
    }}"""

    def load(self, body, opset=20, **given):
        used = {n: held for n, held in (NUMBERS | given).items() if n in body.replace(",", " ")}
        return Net(self.TEXT.format(body=body), opset, **used)

    def layer(self, body, opset=20, **given):
        held = self.load(body, opset, **given)
        assert held.layers() == ["Attention"]
        return held.graph().layers[0]

    @pytest.mark.parametrize("opset", [20, 23])
    @pytest.mark.parametrize(
        "body",
        [
            "p = MatMul (q, t) s = Mul (p, half) w = Softmax <axis = -1> (s)",
            "p = MatMul (q, t) s = Div (p, two) w = Softmax <axis = 3> (s)",
            "a = Mul (q, root) b = Mul (t, root) p = MatMul (a, b) w = Softmax <axis = -1> (p)",
            "a = Div (q, two) p = MatMul (a, t) w = Softmax <axis = -1> (p)",
            "p = MatMul (q, t) s = Mul (half, p) u = Softmax <axis = -1> (s) w = Dropout (u)",
        ],
    )
    def test_the_usual_scale_goes_without_saying(self, body, opset):
        layer = self.layer(body, opset)
        assert layer.attributes == {"num_heads": 3}
        assert [(held.slot, held.value) for held in layer.inputs] == [
            (0, "input-1"), (1, "input-2"), (2, "input-3"),
        ]  # fmt: skip

    @pytest.mark.parametrize(("body", "scale"), [("Identity (m)", 1), ("Mul (m, root)", 0.5**0.5)])
    def test_another_scale_is_told(self, body, scale):
        layer = self.layer(f"m = MatMul (q, t) p = {body} w = Softmax <axis = -1> (p)")
        assert layer.attributes == {"num_heads": 3, "scale": pytest.approx(scale)}

    @pytest.mark.parametrize("opset", [20, 23])
    @pytest.mark.parametrize(
        "mask",
        [
            "Where (lower, s, least)",
            "Where (above, least, s)",
            "Add (s, upper)",
            "Add (upper, s)",
        ],
    )
    def test_a_mask_of_what_came_before_is_causal(self, mask, opset):
        body = f"p = MatMul (q, t) s = Mul (p, half) m = {mask} w = Softmax <axis = -1> (m)"
        layer = self.layer(body, opset)
        assert layer.attributes == {"is_causal": 1, "num_heads": 3}

    def test_a_mask_that_shuts_nothing_is_none(self):
        body = "p = MatMul (q, t) s = Mul (p, half) m = Where (open, s, least) "
        layer = self.layer(body + "w = Softmax <axis = -1> (m)")
        assert layer.attributes == {"num_heads": 3}

    @pytest.mark.parametrize("opset", [20, 23])
    def test_a_constant_mask_is_told_without_the_axes_that_it_is_the_same_along(self, opset):
        wide = np.broadcast_to(NUMBERS["bias"], (2, 3, 5, 5))
        held = [
            self.layer(
                "p = MatMul (q, t) s = Mul (p, half) m = Add (s, bias) w = Softmax <axis = -1> (m)",
                opset, bias=given,
            ).attributes
            for given in (wide, wide[:1], wide[0, 0])
        ]  # fmt: skip
        assert held[0] == held[1] == held[2]
        assert held[0]["attn_mask"].shape == (5, 5)

    @pytest.mark.parametrize("opset", [20, 23])
    @pytest.mark.parametrize(
        "mask",
        [
            "g = Cast <to = 9> (m) c = And (g, lower)",
            "i = Min (tri, m) c = Cast <to = 9> (i)",
            "i = Mul (m, tri) u = Unsqueeze (i, axis) z = Squeeze (u, axis) c = Cast <to = 9> (z)",
        ],
    )
    def test_a_mask_of_what_came_before_and_of_what_is_given(self, mask, opset):
        text = self.TEXT.replace("float[2,3,5,4] q,", "int64[2,1,1,5] m, float[2,3,5,4] q,")
        body = (
            f"{mask} p = MatMul (q, t) h = Mul (p, half) s = Where (c, h, least) "
            "w = Softmax <axis = -1> (s)"
        )
        given = NUMBERS | {"tri": np.tri(5, dtype=np.int64)[None, None], "axis": np.array([1])}
        used = {n: v for n, v in given.items() if n in body.replace(",", " ").replace(")", " ")}
        net = Net(text.format(body=body), opset, **used)
        net.inputs["m"] = np.array([[[[1, 1, 1, 1, 1]]], [[[1, 1, 1, 0, 0]]]])
        assert net.layers() == ["Attention"]
        layer = net.graph().layers[0]
        assert layer.attributes == {"is_causal": 1, "num_heads": 3}
        assert [operand.value for operand in layer.inputs][3] == "input-1"

    @pytest.mark.parametrize("opset", [20, 23])
    def test_a_mask_of_numbers_that_is_added(self, opset):
        text = self.TEXT.replace("float[2,3,5,4] q,", "int64[2,1,1,5] m, float[2,3,5,4] q,")
        body = (
            "f = Cast <to = 1> (m) n = Sub (one, f) c = Mul (n, least) p = MatMul (q, t) "
            "h = Mul (p, half) s = Add (h, c) w = Softmax <axis = -1> (s)"
        )
        used = {"one": f32(1), "least": f32(-1e9), "half": f32(0.5)}
        net = Net(text.format(body=body), opset, **used)
        net.inputs["m"] = np.array([[[[1, 1, 1, 1, 1]]], [[[1, 1, 1, 0, 0]]]])
        assert net.layers() == ["Attention"]
        assert net.graph().layers[0].inputs[3].steps == (Cast(dtype="bool"),)

    def test_scores_that_are_capped(self):
        body = "p = MatMul (q, t) s = Mul (p, half) d = Div (s, cap) h = Tanh (d) c = Mul (h, cap) "
        for mask in ("w = Softmax <axis = -1> (c)", "m = Add (c, upper) w = Softmax (m)"):
            layer = self.layer(body + mask)
            assert layer.attributes["softcap"] == 3
            assert ("is_causal" in layer.attributes) == ("upper" in mask)

    def test_weights_and_values_on_their_side(self):
        text = self.TEXT.replace(
            "y = MatMul (w, v)",
            "a = Transpose <perm = [0,1,3,2]> (w) b = Transpose <perm = [0,1,3,2]> (v) "
            "c = MatMul (b, a) y = Transpose <perm = [0,1,3,2]> (c)",
        )
        body = "p = MatMul (q, t) w = Softmax <axis = -1> (p)"
        assert Net(text.format(body=body)).layers() == ["Attention"]

    def test_a_factor_for_each_head_goes_to_the_queries(self):
        body = "p = MatMul (q, t) s = Mul (p, f) w = Softmax <axis = -1> (s)"
        held = self.load(body)
        held = Net(held.text, f=(3, 1, 1))
        assert held.layers() == ["Mul", "Attention"]
        assert held.graph().layers[1].inputs[0].value == "mul-1"

    @pytest.mark.parametrize(
        "body",
        [
            "p = MatMul (q, t) s = Mul (p, half) w = Softmax <axis = 2> (s)",
            "p = MatMul (q, t) s = Tanh (p) w = Softmax <axis = -1> (s)",
            "p = MatMul (q, t) d = Div (p, two) h = Tanh (d) s = Mul (h, cap) "
            "w = Softmax <axis = -1> (s)",
            "p = MatMul (q, t) m = Where (lower, p, half) w = Softmax <axis = -1> (m)",
        ],
    )
    def test_what_computes_something_else_is_none(self, body):
        assert "Attention" not in self.load(body).layers()

    def test_weights_that_are_read_elsewhere_are_none(self):
        text = self.TEXT.replace("(float[2,3,5,4] y)", "(float[2,3,5,4] y, float[2,3,5,5] w)")
        body = "p = MatMul (q, t) w = Softmax <axis = -1> (p)"
        assert Net(text.format(body=body)).layers() == ["MatMul", "Softmax", "MatMul"]


class TestMasks:
    TEXT = """net (float[2,3,5,4] q, float[2,3,5,4] k, float[2,3,5,4] v, float[2,1,1,5] n)
        => (float[2,3,5,4] y) {{
        t = Transpose <perm = [0,1,3,2]> (k) p = MatMul (q, t) s = Mul (p, half)
        b = Greater (n, zero)
        {body}
        w = Softmax <axis = -1> (m) y = MatMul (w, v)
    }}"""

    @pytest.mark.parametrize("opset", [20, 23])
    @pytest.mark.parametrize(
        ("body", "operators"),
        [
            ("m = Where (b, s, least)", ["Greater"]),
            ("a = Where (b, zero, least) m = Add (s, a)", ["Greater"]),
            ("c = Not (b) m = Where (c, least, s)", ["Greater"]),
            ("m = Where (b, least, s)", ["Greater", "Not"]),
            ("c = And (b, lower) m = Where (c, s, least)", ["Greater"]),
            ("c = And (b, open) m = Where (c, s, least)", ["Greater"]),
            ("c = Where (b, s, least) m = Add (c, bias)", ["Greater", "Where"]),
        ],
    )
    def test_a_computed_one_is_in_slot_three(self, body, operators, opset):
        used = {n: h for n, h in NUMBERS.items() if n in body or n in ("half", "zero")}
        held = Net(self.TEXT.format(body=body), opset, **used)
        assert held.layers() == [*operators, "Attention"]
        *_, mask = held.graph().layers[-1].inputs
        assert mask.slot == 3
        assert mask.value == held.graph().layers[-2].id
        assert ("is_causal" in held.graph().layers[-1].attributes) == ("lower" in body)

    @pytest.mark.parametrize("opset", [20, 23])
    @pytest.mark.parametrize("batch", [1, 2])
    def test_one_over_windows_of_reshaped_scores(self, batch, opset):
        count, random = 3 * batch, np.random.default_rng(1)
        text = f"""net (float[{count},2,4,5] q, float[{count},2,4,5] k, float[{count},2,4,5] v)
            => (float[{count},2,4,5] y) {{
            t = Transpose <perm = [0,1,3,2]> (k) p = MatMul (q, t) a = Add (p, table)
            r = Reshape (a, apart) m = Add (r, mask) b = Reshape (m, back)
            w = Softmax <axis = -1> (b) y = MatMul (w, v)
        }}"""
        held = Net(
            text, opset, table=(1, 2, 4, 4), apart=np.array([batch, 3, 2, 4, 4]),
            back=np.array([count, 2, 4, 4]),
            mask=random.choice([0, -100], (1, 3, 1, 4, 4)).astype(f32),
        )  # fmt: skip
        assert held.layers() == ["Add", "Attention"]
        add, layer = held.graph().layers
        assert [held.name for held in add.parameters] == ["table"]
        assert layer.inputs[3].value == add.id


class TestHeads:
    """Of linear projections of an input of 2 x 5 x 12, in three heads of four."""

    APART = "Reshape ({0}, apart) {1} = Transpose <perm = [0,2,1,3]> ({1}r)"
    END = "r = Transpose <perm = [0,2,1,3]> (a) y = Reshape (r, back)"
    SHAPES = {"apart": np.array([2, 5, 3, 4]), "back": np.array([2, 5, 12])}

    def load(self, body, opset=20, result="2,5,12", **given):
        text = f"net (float[2,5,12] x) => (float[{result}] y) {{ {body} }}"
        return Net(text, opset, **(self.SHAPES | given))

    def projections(self, names="qkv"):
        return " ".join(f"{n}0 = MatMul (x, w{n})" for n in names)

    WEIGHTS = {"wq": (12, 12), "wk": (12, 12), "wv": (12, 12)}

    @pytest.mark.parametrize(("first", "second"), ["qk", "kq"])
    def test_projections_are_read_as_they_are(self, first, second):
        heads = " ".join(
            f"{n}r = Reshape ({n}0, apart) {n} = Transpose <perm = [0,2,1,3]> ({n}r)" for n in "qkv"
        )
        body = (
            f"{self.projections()} {heads} t = Transpose <perm = [0,1,3,2]> ({second}) "
            f"p = MatMul ({first}, t) w = Softmax <axis = -1> (p) a = MatMul (w, v) {self.END}"
        )
        held = self.load(body, **self.WEIGHTS)
        assert held.layers() == ["Gemm", "Gemm", "Gemm", "Attention"]
        layer = held.graph().layers[-1]
        order = {"q": "gemm-1", "k": "gemm-2"}
        assert [operand.value for operand in layer.inputs] == [
            order[first],
            order[second],
            "gemm-3",
        ]
        assert [operand.steps for operand in layer.inputs] == [(), (), ()]
        assert held.graph().outputs[0].source.steps == ()

    @pytest.mark.parametrize("scale", ["q", "k", "scores"])
    def test_heads_folded_into_the_batch(self, scale):
        heads = " ".join(
            f"{n}r = Reshape ({n}0, apart) {n}t = Transpose <perm = [0,2,1,3]> ({n}r) "
            f"{n} = Reshape ({n}t, folded)"
            for n in "qkv"
        )
        said = {"q": "qs = Mul (q, half)", "k": "ks = Mul (k, half)"}.get(scale, "")
        first, second = ("qs" if scale == "q" else "q", "ks" if scale == "k" else "k")
        scores = "s = Mul (p, half)" if scale == "scores" else "s = Identity (p)"
        body = (
            f"{self.projections()} {heads} {said} t = Transpose <perm = [0,2,1]> ({second}) "
            f"p = MatMul ({first}, t) {scores} w = Softmax <axis = -1> (s) b = MatMul (w, v) "
            f"a = Reshape (b, four) {self.END}"
        )
        held = self.load(
            body, folded=np.array([6, 5, 4]), four=np.array([2, 3, 5, 4]), half=f32(0.5),
            **self.WEIGHTS,
        )  # fmt: skip
        assert held.layers() == ["Gemm", "Gemm", "Gemm", "Attention"]
        layer = held.graph().layers[-1]
        assert layer.attributes == {"num_heads": 3}
        assert [operand.steps for operand in layer.inputs] == [(), (), ()]

    @pytest.mark.parametrize("scaled", ["q", "k"])
    def test_a_number_before_an_operator_of_its_own_is_part_of_its_scale(self, scaled):
        heads = " ".join(
            f"{n}r = Reshape ({n}m, apart) {n} = Transpose <perm = [0,2,1,3]> ({n}r)" for n in "qkv"
        )
        plain = " ".join(f"{n}m = Identity ({n}0)" for n in "qkv" if n != scaled)
        body = (
            f"{self.projections()} {plain} {scaled}m = Mul ({scaled}0, half) {heads} "
            f"a = Attention <scale = 1.0> (q, k, v) {self.END}"
        )
        held = self.load(body, 23, half=f32(0.5), **self.WEIGHTS)
        assert held.layers() == ["Gemm", "Gemm", "Gemm", "Attention"]
        assert held.graph().layers[-1].attributes == {"num_heads": 3}

    def test_one_head_of_three_axes(self):
        body = (
            f"{self.projections()} t = Transpose <perm = [0,2,1]> (k0) p = MatMul (q0, t) "
            "w = Softmax <axis = -1> (p) y = MatMul (w, v0)"
        )
        held = self.load(body, **self.WEIGHTS)
        assert held.layers()[-1] == "Attention"
        assert held.graph().layers[-1].attributes == {"num_heads": 1, "scale": 1.0}

    def test_einsums_over_lengths_first(self):
        heads = " ".join(f"{n} = Reshape ({n}0, apart)" for n in "qkv")
        body = (
            f'{self.projections()} {heads} p = Einsum <equation = "blhd,bmhd->bhlm"> (q, k) '
            'w = Softmax <axis = -1> (p) r = Einsum <equation = "bhlm,bmhd->blhd"> (w, v) '
            "y = Reshape (r, back)"
        )
        held = self.load(body, **self.WEIGHTS)
        assert held.layers() == ["Gemm", "Gemm", "Gemm", "Attention"]
        assert [operand.steps for operand in held.graph().layers[-1].inputs] == [(), (), ()]

    @pytest.mark.parametrize("opset", [20, 23])
    @pytest.mark.parametrize("repeat", ["Expand (ku, wide)", "Tile (ku, times)"])
    def test_keys_and_values_that_several_heads_share(self, repeat, opset):
        shared = " ".join(
            f"{n}u = Reshape ({n}0, few) {n}w = {repeat.replace('ku', n + 'u')} "
            f"{n}r = Reshape ({n}w, apart) {n} = Transpose <perm = [0,2,1,3]> ({n}r)"
            for n in "kv"
        )
        body = (
            f"{self.projections()} qr = Reshape (q0, apart) "
            f"q = Transpose <perm = [0,2,1,3]> (qr) {shared} "
            "t = Transpose <perm = [0,1,3,2]> (k) p = MatMul (q, t) w = Softmax <axis = -1> (p) "
            f"a = MatMul (w, v) r = Transpose <perm = [0,2,1,3]> (a) y = Reshape (r, back)"
        )
        held = self.load(
            body, opset, "2,5,24", few=np.array([2, 5, 3, 1, 4]), wide=np.array([1, 1, 1, 2, 1]),
            times=np.array([1, 1, 1, 2, 1]), apart=np.array([2, 5, 6, 4]),
            back=np.array([2, 5, 24]), wq=(12, 24), wk=(12, 12), wv=(12, 12),
        )  # fmt: skip
        assert held.layers() == ["Gemm", "Gemm", "Gemm", "Attention"]
        layer = held.graph().layers[-1]
        assert layer.attributes == {"kv_num_heads": 3, "num_heads": 6, "scale": 1.0}
        assert [operand.type.shape for operand in layer.inputs] == [
            (2, 5, 24), (2, 5, 12), (2, 5, 12),
        ]  # fmt: skip

    @pytest.mark.parametrize("opset", [20, 23])
    def test_einsums_of_heads_in_groups(self, opset):
        body = (
            f"{self.projections()} q = Reshape (q0, five) k = Reshape (k0, four) "
            "v = Reshape (v0, four) "
            'p = Einsum <equation = "btkgh,bskh->bkgts"> (q, k) w = Softmax <axis = -1> (p) '
            'r = Einsum <equation = "bkgts,bskh->btkgh"> (w, v) y = Reshape (r, back)'
        )
        held = self.load(
            body, opset, "2,5,24", five=np.array([2, 5, 3, 2, 4]), four=np.array([2, 5, 3, 4]),
            back=np.array([2, 5, 24]), wq=(12, 24), wk=(12, 12), wv=(12, 12),
        )  # fmt: skip
        assert held.layers() == ["Gemm", "Gemm", "Gemm", "Attention"]
        layer = held.graph().layers[-1]
        assert layer.attributes == {"kv_num_heads": 3, "num_heads": 6, "scale": 1.0}
        assert [operand.steps for operand in layer.inputs] == [(), (), ()]

    @pytest.mark.parametrize(("moved", "plain"), [("qk", True), ("q", False)])
    def test_places_within_heads_in_another_order(self, moved, plain):
        turned = " ".join(
            f"{n}a = Reshape ({n}0, split) {n}b = Transpose <perm = [0,1,2,4,3]> ({n}a) "
            f"{n}c = Reshape ({n}b, back)"
            for n in moved
        )
        kept = " ".join(f"{n}c = Identity ({n}0)" for n in "qkv" if n not in moved)
        heads = " ".join(f"{n} = Reshape ({n}c, apart)" for n in "qkv")
        body = (
            f"{self.projections()} {turned} {kept} {heads} "
            'p = Einsum <equation = "blhd,bmhd->bhlm"> (q, k) w = Softmax <axis = -1> (p) '
            'r = Einsum <equation = "bhlm,bmhd->blhd"> (w, v) y = Reshape (r, back)'
        )
        held = self.load(body, split=np.array([2, 5, 3, 2, 2]), **self.WEIGHTS)
        assert held.layers() == ["Gemm", "Gemm", "Gemm", "Attention"]
        query, *_ = held.graph().layers[-1].inputs
        assert (query.steps == ()) == plain


class TestHeadsOnTheLastAxis:
    """The layout of normal form, as a model may have it: nothing is to be rearranged."""

    def load(self, queries, keys):
        text = f"""net (float[2,5,12] q, float[2,5,{12 * keys // queries}] k,
            float[2,5,{12 * keys // queries}] v) => (float[2,5,12] y) {{
            y = Attention <q_num_heads = {queries}, kv_num_heads = {keys}> (q, k, v)
        }}"""
        return Net(text, 23)

    @pytest.mark.parametrize(("queries", "keys"), [(1, 1), (3, 3), (6, 2)])
    def test_it_is_left_as_it_is(self, queries, keys):
        held = self.load(queries, keys)
        assert held.layers() == ["Attention"]
        layer = held.graph().layers[0]
        assert layer.attributes["num_heads"] == queries
        assert not any(operand.steps for operand in layer.inputs)
