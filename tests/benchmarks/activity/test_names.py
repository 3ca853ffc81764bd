"""Directions of copies and collectives, from names."""

import pytest

from modeldocs.benchmarks.activity.names import copy_kind, is_collective


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("Memcpy HtoD (Pageable -> Device)", "HtoD"),
        ("Memcpy DtoH (Device -> Pinned)", "DtoH"),
        ("Memcpy PtoP (Device -> Device)", "P2P"),
        ("Memcpy HtoA (Pinned -> Array)", "HtoD"),
        ("CopyDeviceToHost", "DtoH"),
        ("[CUDA memcpy DtoD]", "DtoD"),
        ("[CUDA memcpy Host-to-Device]", "HtoD"),
        ("[CUDA Unified Memory memcpy DtoH]", "DtoH"),
        ("MEMCPYHtoD 4096 bytes", "HtoD"),
        ("Memcpy HtoH (Pinned -> Pinned)", "HtoH"),
        ("Memcpy (Unknown)", None),
        ("hipMemcpyAsync", None),
        ("", None),
    ],
)
def test_the_direction_of_a_copy(name, kind):
    assert copy_kind(name) == kind


@pytest.mark.parametrize(
    "name",
    [
        "ncclKernel_AllReduce_RING_LL_Sum_float(ncclWorkElem)",
        "ncclDevKernel_ReduceScatter_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
        "rcclGenericKernel",
        "void mscclKernel_Sum_float<true>(int)",
    ],
)
def test_kernels_of_communication_libraries_are_collectives(name):
    assert is_collective(name)


@pytest.mark.parametrize(
    "name", ["void add<float>(ncclComm*)", "sgemm_nccl_free", "void at::relu<nccl::x>(int)", ""]
)
def test_other_kernels_are_not(name):
    assert not is_collective(name)
