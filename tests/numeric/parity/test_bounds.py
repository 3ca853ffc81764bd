"""What cannot run is left out, with its reason; failures come back as data; bounds hold."""

from __future__ import annotations

import msgspec
import numpy as np
import onnx
import onnx_ir as ir
import pytest

from modeldocs import diff, normal
from modeldocs.diff import Match
from modeldocs.errors import ModeldocsError
from modeldocs.ir import origin
from modeldocs.isolation import Limits
from modeldocs.loaders.loading import LoadedPort
from modeldocs.normal import normalise
from modeldocs.numeric import parity
from modeldocs.numeric.parity.programs import programs
from modeldocs.numeric.parity.run import compare_networks
from tests.numeric.parity import nets

NET = """net (float[1,3,16,16] x) => (float[1,4,14,14] y) {
  a = Conv <kernel_shape=[3,3]> (x, w)
  y = Relu (a)
}"""
WEIGHTS = {"w": (4, 3, 3, 3)}


def port(model: ir.Model) -> LoadedPort:
    """A model as the build has it."""
    form = nets.in_form(model)
    data = ir.to_proto(form).SerializeToString()
    return LoadedPort(framework="onnx", graph=normal.read(form), normal=data)


def test_in_a_process_of_its_own():
    one = port(nets.loaded(NET, **WEIGHTS))
    result = parity.compare(one.normal, one.normal, diff.compare(one.graph, one.graph))
    assert result.verdict == "holds" and result.failure is None and result.seconds > 0
    assert result.compared == 2 and result.end == (("relu-1",), ("relu-1",))


def test_a_model_that_is_no_onnx_is_a_failure():
    one = port(nets.loaded(NET, **WEIGHTS))
    structure = diff.compare(one.graph, one.graph)
    result = parity.compare(one.onnx, b"\x08\xff\xff", structure)
    assert result.verdict == "not run" and result.failure.reason


def test_more_weights_than_memory_are_a_failure_within_the_limits():
    one = port(nets.loaded(NET, **WEIGHTS))
    wide = ir.from_proto(onnx.load_from_string(one.normal))
    wide.graph.initializers.clear()
    node = wide.graph[0]
    node.replace_input_with(1, origin.declare_parameter("w", (400_000, 3, 30, 30)))
    wide.graph.register_initializer(node.inputs[1])
    data = ir.to_proto(wide).SerializeToString()
    structure = diff.compare(one.graph, one.graph)
    result = parity.compare(data, data, structure, Limits(seconds=60, memory_mb=1024))
    assert result.verdict == "not run" and "memory" in result.failure.reason


STRANGE = NET.replace("y = Relu (a)", "b = own.Strange (a)\n  c = Relu (b)\n  y = Add (c, b)")


def test_layers_of_another_domain_are_left_out_and_the_rest_is_compared():
    both = [nets.loaded(STRANGE, **WEIGHTS) for _ in range(2)]
    result, _ = nets.parity(*both)
    reasons = {one.pair[0]: one.reason for one in result.uncompared}
    assert reasons == {("own-strange-1",): "own Strange is not an ONNX operator"}
    assert result.verdict == "holds" and result.first is None and result.compared == 3
    assert result.end == (("add-1",), ("add-1",))


def test_what_differs_behind_a_layer_that_cannot_be_run_is_found():
    other = STRANGE.replace("  c = Relu (b)\n", "").replace("Add (c, b)", "Add (b, b)")
    result, structure = nets.parity(nets.loaded(STRANGE, **WEIGHTS), nets.loaded(other, **WEIGHTS))
    assert result.first.pair == (("add-1",), ("add-1",))
    assert "Relu" in nets.explained(result, structure)


def test_a_network_with_an_open_batch():
    text = NET.replace("float[1,", "float[N,")
    result, _ = nets.parity(*(nets.loaded(text, **WEIGHTS) for _ in range(2)))
    assert result.verdict == "holds" and not result.uncompared


def test_nothing_in_common():
    a = nets.loaded(NET, **WEIGHTS)
    b = nets.loaded("net (int64[4] x) => (int64[4] y) { y = Neg (x) }")
    structure = diff.compare(normalise(a.clone()), normalise(b.clone()))
    structure = msgspec.structs.replace(structure, matches=())
    with pytest.raises(ModeldocsError, match="no layers of the two correspond"):
        compare_networks(*programs(nets.in_form(a), nets.in_form(b)), structure)


def test_a_match_that_names_no_layer_is_passed_over():
    a = nets.loaded(NET, **WEIGHTS)
    structure = nets.difference(a, a)
    extra = Match(a=("conv-9",), b=("conv-9",), reason="", confidence=0.0)
    structure = msgspec.structs.replace(structure, matches=(*structure.matches, extra))
    assert nets.parity(a, a, structure)[0].verdict == "holds"


def test_too_little_time_is_a_failure():
    one = port(nets.loaded(NET, **WEIGHTS))
    structure = diff.compare(one.graph, one.graph)
    result = parity.compare(one.normal, one.normal, structure, Limits(seconds=1e-6))
    assert result.verdict == "not run" and "was stopped after" in result.failure.reason


def test_what_onnxruntime_refuses_is_left_out():
    text = """net (float[1,3,8,8] x) => (float[1,3,8,8] y) {
      a = Relu (x)
      i = Cast <to=6> (a)
      j = Sigmoid (i)
      k = Cast <to=1> (j)
      y = Add (a, k)
    }"""
    result, _ = nets.parity(nets.loaded(text), nets.loaded(text))
    reasons = {one.pair[0]: one.reason for one in result.uncompared}
    assert list(reasons) == [("sigmoid-1",)]
    reason = "onnxruntime cannot run its Sigmoid: Type Error: Type 'tensor(int32)'"
    assert reasons[("sigmoid-1",)].startswith(reason)
    assert result.verdict == "holds" and result.end == (("add-1",), ("add-1",))


def test_many_refusals_keep_nothing_else_from_being_compared():
    """Each Sigmoid of integers is refused, and each Relu between them still compared."""
    body = "".join(
        f"  i{n} = Cast <to=6> (a{n})\n  j{n} = Sigmoid (i{n})\n"
        f"  k{n} = Cast <to=1> (j{n})\n  a{n + 1} = Relu (k{n})\n"
        for n in range(20)
    )
    text = f"net (float[1,3,8,8] a0) => (float[1,3,8,8] y) {{\n{body}  y = Tanh (a20)\n}}"
    result, _ = nets.parity(nets.loaded(text), nets.loaded(text))
    assert len(result.uncompared) == 20 and result.compared == 21


@pytest.mark.parametrize("factor", [1.0, 1.01])
def test_a_saturated_softmax_shows_nothing_and_what_it_reads_is_compared(factor):
    """Its output is 0 and 1 whatever it reads; a difference before it is found all the same."""
    text = """net (float[1,16] x) => (float[1,10] y) {
      a = Gemm (x, w, t)
      b = Mul (a, k)
      y = Softmax (b)
    }"""
    weights = {"w": (16, 10), "t": (10,)}
    a, b = (
        nets.loaded(text, **weights, k=np.array(k, np.float32)) for k in (1000.0, 1000.0 * factor)
    )
    result, _ = nets.parity(a, b)
    assert result.verdict == ("holds" if factor == 1 else "diverges")
    assert result.end == (("mul-1",), ("mul-1",)) and not result.uncompared
    first = result.first
    assert (first is None) if factor == 1 else (first is not None and first.pair[0] == ("mul-1",))
