import pytest

torch = pytest.importorskip("torch")

from modeldocs.benchmarks.runners.benchmarked_model import batched  # noqa: E402
from modeldocs.benchmarks.runners.pytorch import peaks  # noqa: E402
from modeldocs.benchmarks.runners.pytorch.benchmarked_model import tensors  # noqa: E402


@pytest.fixture
def small(monkeypatch):
    monkeypatch.setattr(peaks, "SECONDS", 0.0)
    monkeypatch.setattr(peaks, "SIDE", {"cpu": 16})
    monkeypatch.setattr(peaks, "IMAGES", {"cpu": (2, 3, 5)})
    monkeypatch.setattr(peaks, "COPIED", {"cpu": 1 << 20})


def test_the_peaks_are_raw_operations_bytes_and_times(small):
    found = peaks.measure_peaks(torch.device("cpu"), "float32")
    assert found.flops in (2 * 16**3, 2 * (2 * 3 * 25) * (3 * 9))
    assert found.copied_bytes == 2 << 20, "read and written"
    assert found.copied_us > 0


@pytest.mark.parametrize(("us", "work"), [(0.001, "product"), (1e9, "convolution")])
def test_the_work_of_the_highest_rate_is_taken(small, monkeypatch, us, work):
    monkeypatch.setattr(peaks, "_product", lambda *_: ("product of two matrices", 10, us))
    monkeypatch.setattr(peaks, "_convolution", lambda *_: ("convolution", 1000, 1.0))
    found = peaks.measure_peaks(torch.device("cpu"), "float32")
    assert found.method.startswith(work)


def test_the_batch_is_the_first_axis():
    assert batched((1, 3, 8), 4) == (4, 3, 8)
    assert batched((), 4) == ()


def test_every_tensor_of_an_output_is_found():
    one = torch.ones(1)
    assert len(list(tensors({"a": (one, [one]), "b": None, "c": 3}))) == 2
