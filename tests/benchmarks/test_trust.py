"""The trust grade of a record, and the reasons that it gives."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from modeldocs.benchmarks import measurements, metadata, record
from modeldocs.benchmarks.summary import summarise
from modeldocs.benchmarks.trust import trust

from .examples import example

CATALOG = Path(__file__).parents[2] / "models"

replace = msgspec.structs.replace

MEASURED = example(
    device=metadata.Device(
        name="NVIDIA H100",
        kind="cuda",
        driver="570.1",
        clocks_before=metadata.Clocks(core_mhz=1980.0),
        throttle_reasons="0x0000000000000000",
    ),
    method=metadata.Method(warmup_steps=10, warmup_us=2e6, steps=150, processes=3),
    step_ms=summarise([[1.0] * 50] * 3),
)

IMPORTED = replace(
    MEASURED,
    provenance=metadata.RecordSource(
        title="Table", citation="A table.", url="https://example.org", licence="MIT"
    ),
)


def changed(section, base=MEASURED, **values):
    return replace(base, **{section: replace(getattr(base, section), **values)})


def graded(made):
    found = trust(made)
    return found.grade, [reason.text for reason in found.reasons]


def test_a_record_that_lacks_nothing_is_an_a():
    assert graded(MEASURED) == ("A", [])
    assert graded(IMPORTED) == ("A", [])


def test_a_cpu_needs_neither_driver_nor_clocks():
    cpu = replace(MEASURED, device=metadata.Device(name="AMD EPYC", kind="cpu"))
    assert graded(cpu) == ("A", [])


@pytest.mark.parametrize(
    ("made", "grade", "text"),
    [
        (changed("device", name="GPU not named in the source"), "D", "The device is not named."),
        (changed("run", batch=None), "D", "The batch is unknown."),
        (replace(MEASURED, step_ms=None), "D", "Neither times of steps nor a rate is recorded."),
        (
            replace(MEASURED, step_ms=None, mean_ms=1.0),
            "C",
            "Only a mean or a rate is recorded, no times of single steps.",
        ),
        (changed("numerics", dtype=None), "C", "The precision is unknown."),
        (
            changed("run", task=None),
            "C",
            "It is unknown whether inference or training was measured.",
        ),
        (
            changed("method", warmup_steps=None, warmup_us=None),
            "C",
            "It is unknown whether there was a warm-up.",
        ),
        (changed("method", warmup_steps=0, warmup_us=0.0), "C", "There was no warm-up."),
        (
            changed("device", throttle_reasons="0x0000000000000020"),
            "C",
            "The device slowed itself down (throttle reasons 0x0000000000000020).",
        ),
        (changed("method", processes=1), "B", "Only one process timed steps; processes differ."),
        (changed("method", processes=2), "B", "Only 2 processes timed steps; processes differ."),
        (changed("method", processes=None), "B", "The number of processes is unknown."),
        (changed("device", driver=None), "B", "The version of the driver is unknown."),
        (changed("device", clocks_before=None), "B", "The clocks of the device are unknown."),
        (
            changed("software", framework_version=None),
            "B",
            "The version of the framework is unknown.",
        ),
        (changed("run", dirty=True), "B", "The source had changes that are not committed."),
        (
            replace(MEASURED, step_ms=summarise([[1.0] * 10] * 3)),
            "B",
            "Only 30 steps were timed.",
        ),
        (
            replace(MEASURED, step_ms=summarise([[1.0] * 40 + [2.0] * 10] * 3)),
            "B",
            "Steps vary much: p90 is 2.0 times the median.",
        ),
        (
            replace(MEASURED, step_ms=summarise([[1.0] * 30, [1.0] * 30, [1.6] * 6])),
            "C",
            "The slowest process takes 1.6 times as long as the fastest.",
        ),
        (
            changed("provenance", IMPORTED, url=None),
            "C",
            "The source of the figures has no address.",
        ),
        (
            changed("provenance", IMPORTED, licence=None),
            "B",
            "The licence of the source is unknown.",
        ),
        (changed("run", IMPORTED, date="2016-05"), "B", "The day of the run is unknown."),
    ],
)
def test_what_is_missing_lowers_the_grade(made, grade, text):
    assert graded(made) == (grade, [text])


def test_the_gravest_reason_decides_and_comes_first():
    found = trust(changed("run", changed("method", processes=1), batch=None))
    assert found.grade == "D"
    assert [reason.grade for reason in found.reasons] == ["D", "B"]


def with_kernels(*names, **numerics):
    kernels = tuple(measurements.Kernel(name=name, us=9.0 - i) for i, name in enumerate(names))
    made = replace(MEASURED, gpu=measurements.Gpu(kernels=kernels))
    return changed("numerics", made, **numerics)


@pytest.mark.parametrize(
    ("kernel", "precision"),
    [
        ("volta_h884gemm_128x64", "float16"),
        ("volta_fp16_s884cudnn_fp16_128x128", "float16"),
        ("turing_hgemm_32x32", "float16"),
        ("sm80_xmma_gemm_bf16bf16_bf16f32_f32_tn", "bfloat16"),
        ("sm80_xmma_fprop_implicit_gemm_indexed_tf32f32_tf32f32_f32_nhwc", "tf32"),
        ("cutlass_80_tensorop_s1688gemm_128x128_32x5_tn_align4", "tf32"),
    ],
)
def test_a_claim_of_float32_with_other_kernels_is_a_contradiction(kernel, precision):
    grade, [text] = graded(with_kernels("ampere_sgemm_64x64", kernel))
    assert grade == "D"
    assert text.startswith(f"It claims float32, but {precision} kernels ran, such as {kernel[:50]}")


def test_tf32_kernels_are_float32_where_tf32_was_on():
    assert graded(with_kernels("sm80_xmma_gemm_tf32f32", tf32=True)) == ("A", [])


def test_a_claim_of_float16_with_float32_products_alone_is_a_contradiction():
    text = "It claims float16, but only float32 kernels ran, such as volta_sgemm_64x64_nt."
    assert graded(with_kernels("volta_sgemm_64x64_nt", dtype="float16")) == ("D", [text])


def test_mixed_precision_may_keep_some_products_in_float32():
    mixed = with_kernels("volta_sgemm_64x64_nt", "volta_h884gemm_64x64", amp=True)
    assert graded(mixed) == ("A", [])
    text = "It claims mixed precision, but only float32 kernels ran, such as volta_sgemm_64x64_nt."
    assert graded(with_kernels("volta_sgemm_64x64_nt", amp=True)) == ("D", [text])


def test_other_kernels_prove_nothing():
    elementwise = "void at::native::vectorized_elementwise_kernel<4, CUDAFunctor_add<c10::Half> >"
    assert graded(with_kernels(elementwise, "my_kernel")) == ("A", [])


@pytest.mark.parametrize(
    ("model", "date", "grade"),
    [("lenet", "2026-11-20", "A"), ("cifar10-quick", "2016", "D"), ("mlp-4-hidden", "2016", "D")],
)
def test_grades_of_the_catalog(model, date, grade):
    """Own runs of three processes are an A; tables of 2016 without a time of a step are a D."""
    made = [record.read(file) for file in record.files(CATALOG / model)]
    assert {trust(one).grade for one in made if one.run.date == date} == {grade}
