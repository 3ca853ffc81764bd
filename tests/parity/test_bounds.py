"""What cannot run is left out, with its reason; failures come back as data; bounds hold."""

from __future__ import annotations

import msgspec
import onnx
import onnx_ir as ir
import pytest

from modeldocs import diff, normal, parity
from modeldocs.diff import Match
from modeldocs.errors import ModeldocsError
from modeldocs.ir import origin
from modeldocs.isolation import Limits
from modeldocs.loaders.isolated import Loaded
from modeldocs.normal import normalise
from modeldocs.parity.run import compare_models
from tests.parity import nets

NET = """net (float[1,3,16,16] x) => (float[1,4,14,14] y) {
  a = Conv <kernel_shape=[3,3]> (x, w)
  y = Relu (a)
}"""
WEIGHTS = {"w": (4, 3, 3, 3)}


def port(model: ir.Model) -> Loaded:
    """A model as the build has it."""
    form = nets.in_form(model)
    data = ir.to_proto(form).SerializeToString()
    return Loaded(framework="onnx", graph=normal.read(form), normal=data)


def test_in_a_process_of_its_own():
    one = port(nets.loaded(NET, **WEIGHTS))
    made = parity.compare(one.normal, one.normal, diff.compare(one.graph, one.graph))
    assert made.verdict == "holds" and made.failure is None and made.seconds > 0
    assert made.compared == 2 and made.end == (("relu-1",), ("relu-1",))


def test_a_model_that_is_no_onnx_is_a_failure():
    one = port(nets.loaded(NET, **WEIGHTS))
    told = diff.compare(one.graph, one.graph)
    made = parity.compare(one.onnx, b"\x08\xff\xff", told)
    assert made.verdict == "not run" and made.failure.reason


def test_more_weights_than_memory_are_a_failure_within_the_limits():
    one = port(nets.loaded(NET, **WEIGHTS))
    wide = ir.from_proto(onnx.load_from_string(one.normal))
    wide.graph.initializers.clear()
    node = wide.graph[0]
    node.replace_input_with(1, origin.declare_parameter("w", (400_000, 3, 30, 30)))
    wide.graph.register_initializer(node.inputs[1])
    data = ir.to_proto(wide).SerializeToString()
    told = diff.compare(one.graph, one.graph)
    made = parity.compare(data, data, told, Limits(seconds=60, memory_mb=1024))
    assert made.verdict == "not run" and "memory" in made.failure.reason


STRANGE = NET.replace("y = Relu (a)", "b = own.Strange (a)\n  c = Relu (b)\n  y = Add (c, b)")


def test_layers_of_another_domain_are_left_out_and_the_rest_is_compared():
    both = [nets.loaded(STRANGE, **WEIGHTS) for _ in range(2)]
    made, _ = nets.parity(*both)
    reasons = {one.pair[0]: one.reason for one in made.uncompared}
    assert reasons == {("own-strange-1",): "own Strange is no ONNX operator"}
    assert made.verdict == "holds" and made.first is None and made.compared == 3
    assert made.end == (("add-1",), ("add-1",))


def test_what_differs_behind_a_layer_that_cannot_be_run_is_found():
    other = STRANGE.replace("  c = Relu (b)\n", "").replace("Add (c, b)", "Add (b, b)")
    made, told = nets.parity(nets.loaded(STRANGE, **WEIGHTS), nets.loaded(other, **WEIGHTS))
    assert made.first.pair == (("add-1",), ("add-1",)) and not made.first.on_equal_inputs
    assert "Relu" in nets.explained(made, told)


def test_a_network_with_an_open_batch():
    text = NET.replace("float[1,", "float[N,")
    made, _ = nets.parity(*(nets.loaded(text, **WEIGHTS) for _ in range(2)))
    assert made.verdict == "holds" and not made.uncompared


def test_nothing_in_common():
    a = nets.loaded(NET, **WEIGHTS)
    b = nets.loaded("net (int64[4] x) => (int64[4] y) { y = Neg (x) }")
    told = diff.compare(normalise(a.clone()), normalise(b.clone()))
    told = msgspec.structs.replace(told, matches=())
    with pytest.raises(ModeldocsError, match="no layers of the two correspond"):
        compare_models(nets.in_form(a), nets.in_form(b), told)


def test_a_match_that_names_no_layer_is_passed_over():
    a = nets.loaded(NET, **WEIGHTS)
    told = nets.difference(a, a)
    extra = Match(a=("conv-9",), b=("conv-9",), reason="", confidence=0.0)
    told = msgspec.structs.replace(told, matches=(*told.matches, extra))
    assert nets.parity(a, a, told)[0].verdict == "holds"


def test_too_little_time_is_a_failure():
    one = port(nets.loaded(NET, **WEIGHTS))
    told = diff.compare(one.graph, one.graph)
    made = parity.compare(one.normal, one.normal, told, Limits(seconds=0.05))
    assert made.verdict == "not run" and "was stopped after 0.05 s" in made.failure.reason


def test_what_onnxruntime_refuses_is_left_out():
    text = """net (float[1,3,8,8] x) => (float[1,3,8,8] y) {
      a = Relu (x)
      i = Cast <to=6> (a)
      j = Sigmoid (i)
      k = Cast <to=1> (j)
      y = Add (a, k)
    }"""
    made, _ = nets.parity(nets.loaded(text), nets.loaded(text))
    reasons = {one.pair[0]: one.reason for one in made.uncompared}
    assert list(reasons) == [("sigmoid-1",)]
    said = "onnxruntime cannot run its Sigmoid: Type Error: Type 'tensor(int32)'"
    assert reasons[("sigmoid-1",)].startswith(said)
    assert made.verdict == "holds" and made.end == (("add-1",), ("add-1",))


def test_many_refusals_keep_nothing_else_from_being_compared():
    """Each Sigmoid of integers is refused, and each Relu between them still compared."""
    body = "".join(
        f"  i{n} = Cast <to=6> (a{n})\n  j{n} = Sigmoid (i{n})\n"
        f"  k{n} = Cast <to=1> (j{n})\n  a{n + 1} = Relu (k{n})\n"
        for n in range(20)
    )
    text = f"net (float[1,3,8,8] a0) => (float[1,3,8,8] y) {{\n{body}  y = Tanh (a20)\n}}"
    made, _ = nets.parity(nets.loaded(text), nets.loaded(text))
    assert len(made.uncompared) == 20 and made.compared == 21
