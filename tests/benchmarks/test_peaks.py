import pytest

torch = pytest.importorskip("torch")

from modeldocs.benchmarks.runners import peaks  # noqa: E402
from modeldocs.benchmarks.runners.subject import batched, tensors  # noqa: E402


def test_the_peaks_are_raw_operations_bytes_and_times(monkeypatch):
    monkeypatch.setattr(peaks, "SECONDS", 0.0001)
    monkeypatch.setattr(peaks, "SIDE", {"cpu": 16})
    monkeypatch.setattr(peaks, "COPIED", {"cpu": 1 << 20})
    found = peaks.measure_peaks(torch.device("cpu"), "float32")
    assert found.flops == 2 * 16**3
    assert found.copied_bytes == 2 << 20, "read and written"
    assert found.flops_us > 0
    assert found.copied_us > 0
    assert "16 x 16" in found.method


def test_the_batch_is_the_first_axis():
    assert batched((1, 3, 8), 4) == (4, 3, 8)
    assert batched((), 4) == ()


def test_every_tensor_of_an_output_is_found():
    one = torch.ones(1)
    assert len(list(tensors({"a": (one, [one]), "b": None, "c": 3}))) == 2
