"""Traces of the PyTorch profiler in its dialects."""

KERNEL = "void at::native::relu<float>(int)"
DAY_NS = 1_751_410_836_000_000_000
"""A base time of Kineto's, on 2025-07-01."""


def event(cat, name, ts, dur, **args):
    return {"ph": "X", "cat": cat, "name": name, "pid": 0, "tid": 7, "ts": ts, "dur": dur,
            "args": args}  # fmt: skip


def properties(number=0, name="NVIDIA H100 80GB HBM3"):
    return {"id": number, "name": name, "totalGlobalMem": 85018279936, "computeMajor": 9,
            "computeMinor": 0}  # fmt: skip


def newer(*events, **fields):
    """A trace with fractions of microseconds since a base time."""
    return {
        "schemaVersion": 1,
        "deviceProperties": [properties()],
        "cuda_runtime_version": 12040,
        "baseTimeNanoseconds": DAY_NS,
        "traceEvents": [
            {"ph": "M", "name": "process_name", "pid": 1, "args": {"name": "python"}},
            event("user_annotation", "ProfilerStep#6", 90.5, 100.0),
            event("cpu_op", "aten::relu", 95.1, 4.0, **{"External id": 1}),
            *events,
        ],
        **fields,
    }


NEWER = newer(
    event("cuda_runtime", "cudaMemcpyAsync", 96.0, 2.0, correlation=1),
    event("gpu_memcpy", "Memcpy HtoD (Pageable -> Device)", 100.25, 10.5, device=0, stream=7,
          correlation=1, bytes=4096),
    event("cuda_runtime", "cudaLaunchKernel", 112.0, 2.0, correlation=2),
    event("kernel", KERNEL, 115.125, 4.875, device=0, stream=7, correlation=2,
          **{"est. achieved occupancy %": 27}),
    event("gpu_memset", "Memset (Device)", 120.0, 1.0, device=0, stream=7, correlation=2, bytes=8),
)  # fmt: skip

OLDEST = {
    "schemaVersion": 1,
    "deviceProperties": [properties(name="Tesla V100-DGXS-32GB") | {"computeMajor": 7}],
    "traceEvents": [
        event("Operator", "ProfilerStep#5", 1623142623460000, 900),
        event("Operator", "ProfilerStep#6", 1623142623461000, 900),
        event("Runtime", "cudaMemcpyAsync", 1623142623529088, 2022, correlation=34417)
        | {"tid": "25738"},
        event("Memcpy", "Memcpy HtoD (Pageable -> Device)", 1623142623529248, 1940, device=0,
              stream=7, correlation=34417, bytes=19267584) | {"tid": "stream 7"},
        event("Kernel", "computeOffsetsKernel", 1623142623531625, 2, device=0, stream=7)
        | {"tid": "stream 7"},
        event("Memset", "Memset (Device)", 1623142623579729, 1, device=0) | {"tid": "stream 7"},
    ],
}  # fmt: skip

TWO_DEVICES = newer(
    event("kernel", KERNEL, 10, 4, device=0),
    event("gpu_memcpy", "CopyDeviceToHost", 20, 2, device=2),
    event("kernel", "ncclDevKernel_AllReduce(x)", 12, 10, device=0),
    distributedInfo={"backend": "nccl", "rank": 3, "world_size": 8},
    hip_runtime_version=60443483,
)
"""Two devices, a collective, and a copy of ROCm."""
