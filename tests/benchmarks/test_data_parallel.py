"""Real data-parallel runs of a small port, two workers on this processor."""

import functools
import json
import os
import signal
import time
from pathlib import Path

import jsonschema
import pytest

from modeldocs.benchmarks import comparability, data_parallel, forecast, metrics, record, trust
from modeldocs.benchmarks.world import WorldRequest
from modeldocs.errors import ModeldocsError
from tests.commands import running

from .requests import short

pytest.importorskip("torch")
pytestmark = pytest.mark.xdist_group("runner")

TINY = """
import os
import torch
from torch import nn

INPUTS = {"x": (1, 3, 8, 8)}


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Conv2d(3, 4, 3, bias=False), nn.BatchNorm2d(4), nn.ReLU())
        self.wide = nn.Linear(4 * 6 * 6, 4000)
        self.head = nn.Linear(4000, 5)

    def forward(self, x):
        "place"
        return self.head(self.wide(self.body(x).flatten(1)))
"""
WIDE, HEAD, CONVOLUTION, NORM = (144 * 4000 + 4000) * 4, (4000 * 5 + 5) * 4, 4 * 27 * 4, 8 * 4


def request(folder, source=TINY, world=2, bucket_mb=None, **changed):
    file = folder / "net.py"
    file.write_text(source)
    settings = {"task": "training", "warmup_steps": 3, "steps": 4, "tag": "ddp2", "timeout": 120.0}
    run = short(file, "tiny", "pytorch", **{**settings, **changed})
    return WorldRequest(run=run, world=world, bucket_mb=bucket_mb)


def measure(*args, **changed):
    return data_parallel.measure(request(*args, **changed), progress=lambda said: None)


@pytest.fixture(scope="module")
def messages():
    return []


@pytest.fixture(scope="module")
def made(tmp_path_factory, messages):
    asked = request(tmp_path_factory.mktemp("tiny"), processes=2)
    return data_parallel.measure(asked, progress=messages.append)


class TestRecord:
    def test_progress_tells_each_start(self, made, messages):
        assert messages == ["2 workers, start 1 of 2", "2 workers, start 2 of 2"]

    def test_every_kind_of_step_is_kept_as_samples_of_each_start(self, made):
        names = [name for name, _ in forecast.recorded(made)]
        assert names == ["one worker alone", "without all-reduce", "blocking", "overlapped"]
        for _, times in forecast.recorded(made):
            assert [len(start) for start in times.samples] == [4, 4]
            assert times.n == 8

    def test_buckets_are_those_of_pytorch_and_hold_all_gradients(self, made):
        """The first bucket is closed by the parameter that makes it a MiB, from the last back."""
        first, last = made.ddp.buckets
        assert (first.bytes, last.bytes) == (HEAD + WIDE, NORM + CONVOLUTION)
        assert first.bytes + last.bytes == 4 * made.model.params
        assert 0 < first.ready_us <= last.ready_us

    def test_gradients_are_told_by_module_and_are_ready_from_the_last_back(self, made):
        found = {one.path: one for one in made.ddp.gradients}
        assert {path: one.bytes for path, one in found.items()} == {
            "body.0": CONVOLUTION, "body.1": NORM, "wide": WIDE, "head": HEAD,
        }  # fmt: skip
        assert found["head"].ready_us < found["wide"].ready_us < found["body.0"].ready_us

    def test_all_reduces_are_timed_at_the_buckets_sizes_and_others(self, made):
        sizes = [one.bytes for one in made.ddp.all_reduces]
        assert sizes == sorted(sizes)
        assert {HEAD + WIDE, NORM + CONVOLUTION, 4096, 1 << 20} <= set(sizes)
        assert all(one.us > 0 and one.n == 8 for one in made.ddp.all_reduces)

    def test_what_the_framework_reports_is_kept_apart(self, made):
        ddp = made.ddp
        assert 0 <= ddp.overlap_us <= ddp.communication_us
        assert ddp.compute_us > 0
        assert 0 <= metrics.all_reduce_overlap(ddp) <= 1

    def test_the_rate_is_that_of_all_workers(self, made):
        each = metrics.samples_per_second(made) / made.ddp.world
        assert each == pytest.approx(made.run.batch / made.step_ms.mean * 1e3, rel=1e-3)

    def test_it_states_its_world_and_its_device(self, made):
        ddp = made.ddp
        assert (ddp.world, ddp.backend, ddp.bucket_cap_bytes) == (2, "gloo", 25 << 20)
        assert (made.device.kind, made.device.count) == ("cpu", 1)
        assert made.software.threads == 1

    def test_the_record_fits_the_schema_and_reads_back_under_its_own_name(self, made, tmp_path):
        jsonschema.validate(json.loads(record.encode(made)), record.schema())
        file = record.write(made, tmp_path)
        assert record.read(file) == made
        assert file.stem.endswith("training-b2-float32-ddp2")

    def test_no_path_host_or_user_name_is_told(self, made, tmp_path_factory):
        text = record.encode(made).decode()
        assert str(tmp_path_factory.getbasetemp()) not in text
        assert os.uname().nodename not in text

    def test_the_model_of_scaling_fits_it(self, made):
        (fit,) = forecast.fits([made])
        assert [check.name.partition(",")[0] for check in fit.checks()][:2] == [
            "blocking", "overlapped",
        ]  # fmt: skip
        assert all(check.error > -1 for check in fit.checks())

    def test_its_grade_tells_that_it_has_few_steps(self, made):
        graded = trust.trust(made)
        assert graded.grade in "BC"
        assert any("8 steps" in reason.text for reason in graded.reasons)

    def test_it_is_never_comparable_with_a_run_of_one_process(self, made):
        import msgspec

        single = msgspec.structs.replace(made, ddp=None)
        found = comparability.conditions(made, single)
        assert comparability.comparable(found) == "no"
        assert comparability.obstacle(found) == "The runs differ in world."


@pytest.fixture(scope="module")
def bucketed(tmp_path_factory):
    """A run with buckets of 0.05 MiB, of a port that fails where it finds a network."""
    found = TINY.replace('"place"', "import socket; names = socket.if_nameindex()").replace(
        "        return self.head",
        '        assert [name for _, name in names] == ["lo"]\n        return self.head',
    )
    return measure(tmp_path_factory.mktemp("buckets"), found, bucket_mb=0.05, steps=2)


def test_smaller_buckets_are_more(bucketed):
    assert bucketed.ddp.buckets[0].bytes == HEAD
    assert len(bucketed.ddp.buckets) > 2
    assert bucketed.ddp.bucket_cap_bytes == int(0.05 * (1 << 20))


def test_workers_reach_each_other_but_no_network(bucketed):
    assert bucketed.ddp.world == 2


def second_worker(statement):
    """The port, in which the second worker runs a statement in its forward pass."""
    lines = (
        "import torch.distributed as dist",
        "if dist.is_initialized() and dist.get_rank() == 1:",
        f"    {statement}",
    )
    return TINY.replace('"place"', "\n        ".join(lines))


@pytest.fixture
def untrained(tmp_path, monkeypatch):
    """`untrained(statement)`: a run whose second worker runs a statement, while the other waits."""
    monkeypatch.setitem(data_parallel.WORKERS, "pytorch", "tests.benchmarks.idle_world")
    return functools.partial(measure, tmp_path)


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        ("os.kill(os.getpid(), 9)", "worker 2 of 2 was killed, probably because memory ran out"),
        ("os._exit(3)", "worker 2 of 2 ended itself with code 3"),
        ("os.abort()", "worker 2 of 2 crashed with signal 6"),
    ],
)
def test_a_worker_that_dies_ends_all_with_one_sentence(untrained, statement, said):
    with pytest.raises(ModeldocsError) as caught:
        untrained(f"import os\n{statement}")
    assert caught.value.reason == said
    assert caught.value.file == "net.py"


def test_a_worker_that_dies_while_the_other_waits_for_its_gradients_ends_all(tmp_path):
    with pytest.raises(ModeldocsError, match="worker 2 of 2 was killed") as caught:
        measure(tmp_path, second_worker("os.kill(os.getpid(), 9)"))
    assert caught.value.file == "net.py"


def test_a_worker_that_raises_is_told_with_its_line(tmp_path):
    source = second_worker('raise ValueError("odd rank")')
    with pytest.raises(ModeldocsError, match="odd rank") as caught:
        measure(tmp_path, source)
    assert "odd rank" in source.splitlines()[caught.value.line - 1]


def test_workers_that_hang_are_stopped(untrained):
    with pytest.raises(ModeldocsError, match="was stopped after 2 s"):
        untrained("import time; time.sleep(600)", timeout=2.0)


def test_a_parameter_without_gradient_is_told_since_the_others_would_wait_for_it(tmp_path):
    """Before any worker waits for another: one alone is told, too."""
    from modeldocs.benchmarks.runners.pytorch import ddp_worker

    source = TINY.replace("self.head = ", "self.unused = nn.Linear(2, 2); self.head = ")
    with pytest.raises(ModeldocsError, match="2 of its parameters have no gradient") as caught:
        ddp_worker.measure(request(tmp_path, source, threads=None), 0, tmp_path)
    assert "unused.weight" in caught.value.reason


def test_a_framework_that_cannot_be_trained_in_parallel_is_told(tmp_path):
    with pytest.raises(ModeldocsError, match="ports of caffe cannot be trained in parallel"):
        measure(tmp_path, framework="caffe")


@pytest.mark.parametrize("blow", [signal.SIGINT, signal.SIGKILL])
def test_an_interruption_leaves_no_record_and_no_process(tmp_path, blow):
    port = tmp_path / "models" / "tiny" / "pytorch.py"
    port.parent.mkdir(parents=True)
    port.write_text(TINY)
    package = str(Path(data_parallel.__file__).parents[2])
    words = ("bench", "ddp", "tiny/pytorch", "--steps", "10000")
    with running(*words, cwd=tmp_path, PYTHONPATH=package) as process:
        deadline = time.monotonic() + 60
        while len(descendants(process.pid)) < 3 and time.monotonic() < deadline:
            time.sleep(0.2)
        workers = descendants(process.pid)
        assert len(workers) >= 3, "the coordinator and two workers"
        process.send_signal(blow)
        process.communicate(timeout=30)
    assert process.returncode != 0
    assert not list(tmp_path.glob("models/tiny/benchmarks/*"))
    end = time.monotonic() + 10
    while any(alive(pid) for pid in workers) and time.monotonic() < end:
        time.sleep(0.1)
    assert not any(alive(pid) for pid in workers)


def descendants(pid):
    """Numbers of the processes below a process."""
    try:
        own = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except OSError:
        return []
    return [int(child) for child in own] + [one for child in own for one in descendants(child)]


def alive(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
