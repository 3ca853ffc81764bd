from pathlib import Path

import msgspec
import pytest

from modeldocs.benchmarks import measurements, metadata, metrics, record

from .examples import example

CATALOG = Path(__file__).parents[2] / "models"


@pytest.fixture(scope="module")
def gtx_950():
    [made] = [record.read(file) for file in record.files(CATALOG / "mlp-4-hidden")]
    return made.gpu


def test_the_guided_analysis_of_the_gtx_950_comes_out_again(gtx_950):
    assert metrics.compute_copy_efficiency(gtx_950) == pytest.approx(0.823, abs=5e-4)
    assert metrics.copy_compute_overlap(gtx_950) == pytest.approx(0.01, abs=5e-3)
    assert metrics.copy_overlap(gtx_950) == pytest.approx(0.003, abs=5e-4)
    assert metrics.compute_utilisation(gtx_950) == pytest.approx(0.01, abs=5e-3)
    assert metrics.small_copy_throughput(gtx_950) == pytest.approx(205.152e6, rel=1e-4)
    assert metrics.small_copy_share(gtx_950) == pytest.approx(0.055, abs=5e-4)


def test_the_window_is_compute_and_exposed_copies_and_idle_time(gtx_950):
    parts = gtx_950.compute_us + gtx_950.exposed_copies_us + gtx_950.idle_us
    assert parts == pytest.approx(gtx_950.window_us, abs=500)


@pytest.mark.parametrize(
    ("port", "kind", "rate"),
    [
        ("tensorflow", "HtoD", 556.42e6),
        ("tensorflow", "DtoH", 1.455e9),
        ("tensorflow", "DtoD", 3.005e9),
        ("caffe", "HtoD", 11.496e9),
        ("caffe", "DtoH", 7.872e9),
        ("caffe", "DtoD", 202.713e9),
    ],
)
def test_the_cifar10_tables_throughputs_come_out_again(port, kind, rate):
    read = [record.read(file) for file in record.files(CATALOG / "cifar10-quick")]
    records = {made.model.port: made for made in read}
    copies = records[port].gpu.memcpy[kind]
    assert metrics.copy_throughput(copies) == pytest.approx(rate, rel=5e-4)


def test_copy_overlap_takes_the_shorter_direction_from_the_copies_where_they_are_known():
    gpu = measurements.Gpu(
        concurrent_copies_us=2,
        memcpy={"HtoD": measurements.Copies(us=10), "DtoH": measurements.Copies(us=40)},
    )
    assert metrics.copy_overlap(gpu) == pytest.approx(0.2)
    one_way = msgspec.structs.replace(gpu, memcpy={"HtoD": measurements.Copies(us=10)})
    assert metrics.copy_overlap(one_way) is None


def measured():
    return example(
        run=metadata.RunOptions(date="2026-11-20", batch=2),
        throughput=measurements.Throughput(samples=4, wall_us=3000),
        flops=measurements.Flops(per_step=3_000_000, counter="test"),
        peaks=measurements.Peaks(flops=8e6, flops_us=2000),
    )


def test_rates_are_a_second():
    made = measured()
    assert metrics.samples_per_second(made) == pytest.approx(4 / 3e-3)
    assert metrics.flops_per_second(made) == pytest.approx(3e6 / 1.5e-3)
    assert metrics.peak_flops_per_second(made) == pytest.approx(4e9)
    assert metrics.mfu(made) == pytest.approx(0.5)


OF_A_RECORD = [
    metrics.samples_per_second,
    metrics.flops_per_second,
    metrics.peak_flops_per_second,
    metrics.mfu,
]
OF_A_GPU = [
    metrics.compute_copy_efficiency,
    metrics.copy_compute_overlap,
    metrics.copy_overlap,
    metrics.small_copy_throughput,
    metrics.small_copy_share,
    metrics.compute_utilisation,
    metrics.kernel_concurrency,
    metrics.idle_share,
]


@pytest.mark.parametrize("metric", OF_A_RECORD, ids=lambda metric: metric.__name__)
def test_what_was_not_measured_has_no_metric(metric):
    assert metric(example()) is None


@pytest.mark.parametrize("metric", OF_A_GPU, ids=lambda metric: metric.__name__)
def test_an_unknown_operand_and_a_zero_divisor_give_no_ratio(metric):
    assert metric(measurements.Gpu()) is None
    zero = measurements.Gpu(
        window_us=0, compute_us=0, copies_us=0, overlap_us=0, concurrent_copies_us=0,
        shorter_direction_us=0, concurrent_kernels_us=0, idle_us=0,
        small_copies=measurements.SmallCopies(bytes=0, us=0, all_us=0),
    )  # fmt: skip
    assert metric(zero) is None
