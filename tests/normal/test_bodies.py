"""The graphs inside of layers: in normal form, with what they read of the graph around them."""

from __future__ import annotations

import json

import jsonschema
import msgspec
import onnx
import pytest

from modeldocs.ir import decode, encode, schema

from ..loaders.ports import only
from ..onnxes import graph, load

BRANCHES = """net (bool c, float[2,8] x) => (float[2,4] y) {
  r = Relu (x)
  t = Transpose <perm = [1,0]> (w)
  y = If (c) <
    then_branch = one () => (float[2,4] a) { m = MatMul (r, t)  a = Add (m, b) },
    else_branch = two () => (float[2,4] d) { d = MatMul (x, t) }
  >
}"""
WEIGHTS = {"w": (4, 8), "b": (4,)}


def test_a_body_is_in_normal_form_with_its_parameters(tmp_path):
    found = only(graph(tmp_path, BRANCHES, **WEIGHTS), "If")
    bodies = found.bodies
    assert list(bodies) == ["else_branch", "then_branch"]
    (dense,) = bodies["then_branch"].layers
    assert dense.operator == "Gemm"
    assert [(p.name, p.role, p.shape) for p in dense.parameters] == [
        ("w", "weight", (4, 8)), ("b", "bias", (4,)),
    ]  # fmt: skip
    assert {p.name for p in found.parameters} == {"w", "b"}


def test_what_a_body_reads_of_the_graph_around_it_is_an_input(tmp_path):
    found = only(graph(tmp_path, BRANCHES, **WEIGHTS), "If")
    for body, name, outside in zip(
        found.bodies.values(), ("x", "r"), ("input-2", "relu-1"), strict=True
    ):
        assert [entry.name for entry in body.inputs] == [name]
        assert [operand.value for operand in body.reads] == [outside]
        assert body.layers[0].inputs[0].value == "input-1"
        assert body.outputs[0].source.value == body.layers[-1].id


def test_a_branch_may_give_out_what_the_graph_around_it_computes(tmp_path):
    text = """net (bool c, float[2,8] x) => (float[2,8] y) {
      r = Relu (x)
      y = If (c) <then_branch = one () => (float[2,8] r) { u = Neg (x) },
                  else_branch = two () => (float[2,8] s) { s = Neg (r) }>
    }"""
    body = only(graph(tmp_path, text), "If").bodies["then_branch"]
    assert body.reads[-1].value == "relu-1"
    assert body.outputs[0].source.value == body.inputs[-1].id


def test_parameters_of_bodies_count_once(tmp_path):
    assert graph(tmp_path, BRANCHES, **WEIGHTS).totals().parameters == 4 * 8 + 4


def test_branches_of_equal_cost_have_that_cost_and_others_are_unknown(tmp_path):
    assert graph(tmp_path, BRANCHES, **WEIGHTS).totals().macs == 2 * 4 * 8
    other = BRANCHES.replace("d = MatMul (x, t)", "s = ReduceSum (x)  d = Expand (s, k)")
    assert graph(tmp_path, other, **WEIGHTS, k=[2, 4]).totals().macs is None


@pytest.mark.parametrize(("inside", "macs"), [("MatMul (s, w)", None), ("Relu (s)", 0)])
def test_how_often_a_loop_runs_is_unknown(tmp_path, inside, macs):
    text = f"""net (int64 n, float[1,8] x) => (float[1,8] y) {{
      y = Loop (n, , x) <body = step (int64 i, bool k, float[1,8] s) => (bool l, float[1,8] t)
        {{ l = Identity (k)  t = {inside} }}>
    }}"""
    assert graph(tmp_path, text, w=(8, 8)).totals().macs == macs


def test_a_function_that_is_not_inlined_is_a_body(tmp_path):
    """Its operators are of a newer version than the model's."""
    text = """<ir_version: 8, opset_import: ["" : 20, "own" : 1]>
    net (float[1,4] x) => (float[1,4] y) { y = own.twice <slope = 0.5> (x) }
    <domain: "own", opset_import: ["" : 24]>
    twice <slope> (a) => (c) { b = LeakyRelu <alpha : float = @slope> (a)  c = Add (b, b) }"""
    (layer,) = load(onnx.parser.parse_model(text), tmp_path).layers
    assert layer.operator == "own::twice"
    leaky, add = layer.bodies["body"].layers
    assert (leaky.operator, leaky.attributes, add.operator) == ("LeakyRelu", {"alpha": 0.5}, "Add")


def test_json_holds_bodies_and_refuses_one_that_is_no_graph(tmp_path):
    found = graph(tmp_path, BRANCHES, **WEIGHTS)
    data = encode(found)
    jsonschema.validate(json.loads(data), schema())
    assert decode(data) == found
    broken = json.loads(data)
    broken["layers"][1]["bodies"]["then_branch"]["inputs"] = []
    with pytest.raises(msgspec.DecodeError, match="does not come before it"):
        decode(json.dumps(broken).encode())
