"""Broken symbols: each raises an error that names the node and a fix."""

from __future__ import annotations

import json

import pytest

from .nets import error_of, node, one, symbol

RELU = one("Activation", act_type="relu")


def changed(**fields: object) -> dict:
    """The small symbol with fields of its operator replaced."""
    document = json.loads(json.dumps(RELU))
    document["nodes"][-1] |= fields
    return document


class TestNoSymbol:
    @pytest.mark.parametrize("data", [b"", b"{", b"[1, 2]", b"null", b'{"nodes": 3}', b"\xff\xfe"])
    def test_what_is_not_one(self, data):
        assert "is not" in error_of(data).reason

    def test_brackets_without_end(self):
        assert error_of(b"[" * 200_000).reason
        assert error_of(b'{"nodes":' * 100_000).reason

    def test_one_without_heads(self):
        assert "no heads" in error_of(RELU | {"heads": []}).reason
        assert "`heads`" in error_of({"nodes": []}).reason

    def test_heads_of_nodes_that_are_not_there(self):
        assert "node 7" in error_of(RELU | {"heads": [[7, 0, 0]]}).reason
        assert "heads" in error_of(RELU | {"heads": [[-1, 0, 0]]}).reason
        assert "heads contain" in error_of(RELU | {"heads": [["a", {}]]}).reason

    def test_weights_in_place_of_the_symbol(self):
        assert error_of(b"\x12\x01\x00\x00\x00\x00\x00\x00").reason


class TestNodes:
    @pytest.mark.parametrize(
        ("fields", "reason"),
        [
            ({"op": 3}, "no `op`"),
            ({"op": ""}, "no `op`"),
            ({"name": None}, "no `name`"),
            ({"name": "n" * 2000}, "no `name`"),
            ({"inputs": "0"}, "not a list but a string"),
            ({"inputs": [None]}, "null in place of [node, output]"),
            ({"inputs": [[True, 0]]}, "in place of [node, output]"),
            ({"attrs": []}, None),
            ({"attrs": ["relu"]}, "not an object but a list"),
            ({"attrs": {"act_type": 1}}, "'act_type' that is not a string but a number"),
            ({"attrs": {"act_type": ["relu"]}}, "not a string but a list"),
        ],
    )
    def test_fields_of_another_kind(self, fields, reason):
        message = error_of(changed(**fields)).reason
        assert "node 1" in message
        assert reason is None or reason in message

    def test_a_node_that_reads_itself_or_one_after_it(self):
        assert (
            "reads node 1, which does not come before it"
            in error_of(changed(inputs=[[1, 0]])).reason
        )
        document = symbol(node("null", "data"), node("_copy", "a", 2), node("_copy", "b", 1))
        assert "'a' (_copy), reads node 2" in error_of(document).reason

    def test_numbers_beyond_all_nodes(self):
        for index in (-1, 99, 10**30, -(10**30)):
            assert "node 1" in error_of(changed(inputs=[[index, 0]])).reason
        for output in (-1, 10**9, 10**30):
            assert error_of(changed(inputs=[[0, output]])).reason

    def test_outputs_that_an_operator_does_not_make(self):
        assert "output 5" in error_of(RELU | {"heads": [[1, 5, 0]]}).reason
        document = symbol(*RELU["nodes"], node("_copy", "c", [1, 3]))
        assert error_of(document).reason

    def test_two_variables_of_one_name(self):
        document = symbol(
            node("null", "data"), node("null", "data"), node("elemwise_add", "s", 0, 1)
        )
        assert "name of another variable" in error_of(document).reason

    def test_inputs_that_are_missing(self):
        assert "takes 1" in error_of(changed(inputs=[])).reason
        document = one("Convolution", kernel="(3, 3)", num_filter="4")
        assert "no weight among its inputs" in error_of(document).reason


class TestSettings:
    @pytest.mark.parametrize(
        ("settings", "reason"),
        [
            ({}, "no `num_filter`"),
            ({"num_filter": "many"}, "`num_filter` 'many'"),
            ({"num_filter": "0"}, "`num_filter` '0'"),
            ({"num_filter": "-4"}, "`num_filter` '-4'"),
            ({"num_filter": "9" * 400}, "`num_filter`"),
            ({"num_filter": "2147483647"}, "2147483647×3×3×3: 2³¹ values or more"),
            ({"kernel": "(3, 3, 3)"}, "for 2 spatial dimensions"),
            ({"kernel": "()"}, "for 2 spatial dimensions"),
            ({"kernel": "(3, x)"}, "`kernel` '(3, x)'"),
            ({"kernel": "(" + "1," * 100_000 + ")"}, "kernel"),
            ({"kernel": "(99, 99)"}, "below 1"),
            ({"stride": "(0, 1)"}, "stride (0, 1)"),
            ({"pad": "(-1, 0)"}, "pad (-1, 0)"),
            ({"num_group": "2"}, "3 channels to 4 in 2 groups"),
            ({"no_bias": "perhaps"}, "`no_bias` 'perhaps'"),
            ({"layout": "NCXY"}, "layout 'NCXY'"),
        ],
    )
    def test_of_a_convolution(self, settings, reason):
        usual = {"kernel": "(3, 3)", "num_filter": "4"} if settings else {"kernel": "(3, 3)"}
        error = error_of(one("Convolution", "w", "b", **usual | settings))
        assert reason in error.reason

    @pytest.mark.parametrize(
        ("op", "settings", "reason"),
        [
            ("Pooling", {"kernel": "(9, 9)"}, "kernel of (9, 9)"),
            ("Pooling", {"kernel": "(2, 2)", "pool_type": "median"}, "'median'"),
            ("Reshape", {"shape": "(5, -1)"}, "cannot reshape 2×3×8×8"),
            ("Reshape", {"shape": "(-1, -1)"}, "cannot reshape"),
            ("Reshape", {"shape": "(-4, 7, -1, -2)"}, "cannot reshape"),
            ("transpose", {"axes": "(0, 0, 1, 2)"}, "orders 4 axes"),
            ("SwapAxis", {"dim1": "9"}, "the axis 9 of a tensor with 4 dimensions"),
            ("SliceChannel", {"num_outputs": "2"}, "splits 3 into 2"),
            ("SliceChannel", {"num_outputs": "2000000000"}, "splits 3 into"),
            ("slice_axis", {"axis": "1", "begin": "3", "end": "2"}, "takes 3 to 2"),
            ("tile", {"reps": "(99999, 99999)"}, "2³¹"),
            ("Cast", {"dtype": "float7"}, "unknown `dtype`"),
            ("clip", {"a_min": "nan", "a_max": "1"}, "`a_min` 'nan'"),
            ("UpSampling", {"scale": "99999", "sample_type": "nearest"}, "2³¹"),
            ("Pad", {"mode": "constant", "pad_width": "(1, 2)"}, "pad_width"),
        ],
    )
    def test_that_do_not_fit(self, op, settings, reason):
        assert reason in error_of(one(op, **settings)).reason


class TestShapes:
    def test_one_asked_for_that_there_is_not(self):
        error = error_of(RELU, inputs={"image": (1, 3)})
        assert "no input 'image'" in error.reason and "data" in error.fix

    def test_impossible_ones(self):
        for shape in ("(99999, 99999, 99999)", "(" + "1, " * 40 + ")"):
            assert error_of(one("Activation", data=shape, act_type="relu")).reason

    def test_a_weight_of_another_shape_than_it_says(self):
        document = one("FullyConnected", "w", "b", num_hidden="5")
        document["nodes"][1]["attrs"] = {"__shape__": "(5, 10)"}
        assert "'w' (variable), states the shape 5×10, its reader takes 5×192" in (
            error_of(document).reason
        )

    def test_a_weight_shared_by_two_that_need_it_otherwise(self):
        document = symbol(
            node("null", "data", __shape__="(1, 4)"),
            node("null", "w"),
            node("FullyConnected", "a", 0, 1, num_hidden="5", no_bias="1"),
            node("FullyConnected", "b", 2, 1, num_hidden="5", no_bias="1"),
        )
        assert "reads a weight of 5×4, it takes 5×5" in error_of(document).reason

    def test_tensors_that_do_not_fit_together(self):
        document = symbol(
            node("null", "data", __shape__="(1, 4)"),
            node("null", "data2", __shape__="(1, 5)"),
            node("elemwise_add", "sum", 0, 1),
        )
        assert "combines 1×4 with 1×5" in error_of(document).reason
