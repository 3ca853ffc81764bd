"""Profiles of onnxruntime."""

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import TensorProto, helper

from .files import of, read, refusal


def event(cat, name, ts, dur, **args):
    return {"cat": cat, "pid": 1, "tid": 1, "dur": dur, "ts": ts, "ph": "X", "name": name,
            "args": args}  # fmt: skip


def node(name, ts, dur, **args):
    return event("Node", f"{name}_kernel_time", ts, dur, op_name="Conv",
                 provider="CPUExecutionProvider", output_size="6272", **args)  # fmt: skip


START = [
    event("Session", "model_loading_array", 5, 5564),
    event("Session", "session_initialization", 5639, 38804),
]
PROFILE = [
    *START,
    node("conv", 10_001, 400),
    event("Session", "model_run", 10_000, 500),
    node("conv", 20_001, 20),
    node("relu", 20_030, 5),
    event("Session", "model_run", 20_000, 90),
    node("conv", 30_001, 40),
    node("relu", 30_050, 7),
    event("Session", "model_run", 30_000, 110),
]


def test_the_first_run_is_left_out(tmp_path):
    (record,) = read(tmp_path, PROFILE)
    assert record.step_ms.samples == ((0.09, 0.11),)
    assert (record.method.warmup_steps, record.method.steps) == (1, 2)


def test_operators_have_their_calls_and_mean_times_per_run_without_subgraphs(tmp_path):
    loop = event("Node", "loop_kernel_time", 20_040, 45, op_name="Loop")
    inner = event("Node", "inner_kernel_time", 20_050, 15, op_name="Relu")
    (record,) = read(tmp_path, [*PROFILE, loop, inner])
    found = [(one.name, one.n, one.self_us) for one in record.host_operators]
    assert found == [("Conv", 2, 36), ("Loop", 0.5, 15), ("Relu", 0.5, 7.5)]


def test_nodes_are_blocks_with_the_median_of_their_times(tmp_path):
    (record,) = read(tmp_path, PROFILE)
    assert [
        (one.path, one.kind, one.forward_us, one.activation_bytes) for one in record.blocks
    ] == [
        ("conv", "Conv", 30, 6272),
        ("relu", "Conv", 6, 6272),
    ]


def test_a_node_that_runs_several_times_in_a_run_is_summed(tmp_path):
    (record,) = read(tmp_path, [*PROFILE, node("conv", 20_040, 10), node("conv", 30_070, 10)])
    assert record.blocks[0].forward_us == 40


def test_the_order_of_the_events_does_not_matter(tmp_path):
    assert read(tmp_path, START + PROFILE[:1:-1])[0] == read(tmp_path, PROFILE)[0]


def test_a_node_between_runs_belongs_to_none(tmp_path):
    (record,) = read(tmp_path, [*PROFILE, node("other", 25_000, 10)])
    assert [one.path for one in record.blocks] == ["conv", "relu"]


def test_the_provider_tells_the_kind_of_device(tmp_path):
    assert read(tmp_path, PROFILE)[0].device.kind == "cpu"
    text = str(PROFILE).replace("CPUExecution", "CUDAExecution").replace("'", '"')
    assert read(tmp_path, text)[0].device.kind == "cuda"


@pytest.mark.parametrize(
    ("profile", "reason"),
    [
        (PROFILE[:4], "profiles 1 runs"),
        (START, "profiles 0 runs"),
        ([*PROFILE, node("conv", 30_001, -4)], "number 10"),
        ([*PROFILE, node("conv", None, 4)], "ts"),
        ([*PROFILE, node("conv", 30_001, 10**30)], "number 10"),
        ([*PROFILE, node("conv", 30_001, 2**40)], "number 10"),  # twelve days
        ([*PROFILE, node("conv", 2**53, 4)], "number 10"),
        ({"traceEvents": PROFILE}, "no list of events"),
    ],
)
def test_refused(tmp_path, profile, reason):
    assert reason in refusal(tmp_path, profile)


def test_a_profile_that_onnxruntime_wrote(tmp_path):
    graph = helper.make_graph(
        [
            helper.make_node("Conv", ["x", "w"], ["y"], name="conv1/Conv"),
            helper.make_node("Relu", ["y"], ["z"], name="relu1"),
        ],
        "tiny",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [2, 3, 16, 16])],
        [helper.make_tensor_value_info("z", TensorProto.FLOAT, [2, 4, 14, 14])],
        [helper.make_tensor("w", TensorProto.FLOAT, [4, 3, 3, 3], np.ones(108, np.float32))],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.checker.check_model(model)
    options = onnxruntime.SessionOptions()
    options.enable_profiling = True
    options.profile_file_prefix = str(tmp_path / "profile")
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )
    for _ in range(4):
        session.run(None, {"x": np.ones((2, 3, 16, 16), np.float32)})
    session.end_profiling()
    (record,) = of(next(tmp_path.glob("profile*.json")))
    assert record.step_ms.n == 3
    assert [(one.path, one.kind) for one in record.blocks] == [
        ("conv1/Conv", "Conv"),
        ("relu1", "Relu"),
    ]
    assert record.blocks[0].activation_bytes == 2 * 4 * 14 * 14 * 4
