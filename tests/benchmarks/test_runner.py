import json
import os
import subprocess
import textwrap

import jsonschema
import msgspec
import pytest

from modeldocs.benchmarks import measurements, record, recording, revision, runner
from modeldocs.errors import ModeldocsError

from .examples import example
from .requests import short

pytest.importorskip("torch")
pytestmark = pytest.mark.xdist_group("runner")

TINY = """
import torch
from torch import nn

INPUTS = {"x": (1, 3, 8, 8)}


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Conv2d(3, 4, 3, bias=False), nn.ReLU(inplace=True))
        self.head = nn.Linear(4 * 6 * 6, 5)

    def forward(self, x):
        print("a port may print")
        return {"out": [self.head(self.body(x).flatten(1))]}
"""
PARAMS = 4 * 3 * 9 + (4 * 36 * 5 + 5)
MACS = 4 * 36 * 27 + 4 * 36 * 5


def request(folder, source=TINY, **changed):
    file = folder / "net.py"
    file.write_text(textwrap.dedent(source))
    return short(file, "tiny", "pytorch", **{"trace_steps": 2, **changed})


def measure(*args, **changed):
    return runner.run(request(*args, **changed), progress=lambda said: None)


@pytest.fixture(scope="module")
def messages():
    return []


@pytest.fixture(scope="module")
def made(tmp_path_factory, messages):
    folder = tmp_path_factory.mktemp("tiny")
    return runner.run(request(folder, processes=2), progress=messages.append)


class TestInference:
    def test_progress_tells_each_pass(self, made, messages):
        assert messages == [
            "timing, process 1 of 2", "timing, process 2 of 2", "time of each layer", "memory",
        ]  # fmt: skip

    def test_the_model_is_told_by_hash_and_size(self, made, tmp_path):
        assert made.model.params == PARAMS
        assert made.model.id == "tiny"
        same = tmp_path / "copy.py"
        same.write_text(TINY)
        assert made.model.source_hash == revision.source_hash(same)
        assert made.run.input_shapes == {"x": (2, 3, 8, 8)}
        assert made.run.command == "modeldocs bench run tiny/pytorch"

    def test_each_process_keeps_its_steps(self, made):
        assert [len(process) for process in made.step_ms.samples] == [5, 5]
        assert made.step_ms.n == made.method.steps == 10
        assert made.step_ms.p99 is None
        assert made.method.processes == 2
        assert made.method.warmup_steps == 2
        assert made.throughput.samples == 20
        assert made.throughput.wall_us >= made.step_ms.mean * 10 * 1000 * 0.99

    def test_operations_are_two_for_each_multiply_accumulate_of_the_whole_batch(self, made):
        assert made.flops.per_step == 2 * MACS * 2

    def test_blocks_are_told_with_their_outputs_bytes(self, made):
        sizes = {block.path: (block.kind, block.activation_bytes) for block in made.blocks}
        assert sizes == {
            "": ("Net", 2 * 5 * 4),
            "body": ("Sequential", 2 * 4 * 36 * 4),
            "body.0": ("Conv2d", 2 * 4 * 36 * 4),
            "body.1": ("ReLU", 2 * 4 * 36 * 4),
            "head": ("Linear", 2 * 5 * 4),
        }
        forward = {block.path: block.forward_us for block in made.blocks}
        assert forward[""] > forward["body"] > max(forward["body.0"], forward["body.1"])
        assert all(block.backward_us is None for block in made.blocks)

    def test_operators_of_the_host_are_told_with_their_calls_in_a_step(self, made):
        calls = {one.name: one.n for one in made.host_operators}
        assert (calls["aten::conv2d"], calls["aten::relu_"], calls["aten::linear"]) == (1, 1, 1)
        times = [one.self_us for one in made.host_operators]
        assert times == sorted(times, reverse=True)

    def test_memory_is_the_processs_own(self, made):
        assert made.memory.peak_rss_bytes >= made.memory.start_rss_bytes > 50 << 20
        assert made.memory.peak_allocated_bytes is None

    def test_what_needs_a_gpu_is_unknown(self, made):
        assert (made.gpu, made.energy, made.device_ms, made.peaks) == (None, None, None, None)
        assert made.numerics.tf32 is None
        assert made.device.kind == "cpu"

    def test_the_threads_and_versions_are_told(self, made):
        assert made.software.threads == 1
        assert made.software.framework == "PyTorch"
        assert made.software.framework_version

    def test_no_path_host_or_user_name_is_told(self, made, tmp_path_factory):
        text = record.encode(made).decode()
        assert str(tmp_path_factory.getbasetemp()) not in text
        assert os.uname().nodename not in text

    def test_the_record_fits_the_schema_and_reads_back(self, made, tmp_path):
        jsonschema.validate(json.loads(record.encode(made)), record.schema())
        assert record.read(record.write(made, tmp_path)) == made


def attributed(asked):
    return subject(asked).attribute(2)


class TestTraining:
    @pytest.fixture(scope="class")
    @staticmethod
    def found(tmp_path_factory):
        folder = tmp_path_factory.mktemp("training")
        return attributed(request(folder, task="training", threads=None))

    def test_operations_count_the_backward_pass_too(self, found):
        convolution, dense = 4 * 36 * 27, 4 * 36 * 5
        forward, backward = convolution + dense, convolution + 2 * dense
        assert found.flops.per_step == 2 * (forward + backward) * 2, "the input needs no gradient"

    def test_each_module_has_its_backward_time_which_are_parts_of_the_whole(self, found):
        backward = {block.path: block.backward_us for block in found.blocks}
        assert min(backward.values()) > 0
        assert backward["body"] == pytest.approx(backward["body.0"] + backward["body.1"], rel=0.01)
        assert backward["body"] + backward["head"] < backward[""]


class MarkCounter:
    """A clock that moves by one with each mark: the backward time of a node is one."""

    def __init__(self):
        self.marks = 0

    def mark(self):
        self.marks += 1
        return self.marks

    def between(self, first, last):
        return last - first


def test_functional_operators_count_for_the_module_that_calls_them():
    import torch
    from torch import nn

    from modeldocs.benchmarks.runners.pytorch.modules import ModuleHooks

    class Half(nn.Module):
        def __init__(self):
            super().__init__()
            self.dense = nn.Linear(4, 4)

        def forward(self, x):
            return torch.tanh(torch.tanh(torch.tanh(self.dense(x))))

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.first, self.relu, self.second = Half(), nn.ReLU(inplace=True), nn.Linear(4, 4)

        def forward(self, x):
            return self.second(self.relu(self.first(x) + 1).exp())

    net = Net()
    watch = ModuleHooks(net, MarkCounter(), training=True)
    loss = net(torch.ones(2, 4)).sum()
    with watch.span("backward"):
        loss.backward()
    dense = 4  # Addmm, a transposition, and the accumulation of two gradients
    nodes = {"first": dense + 3, "first.dense": dense, "relu": 1, "second": dense}
    times = watch.backward()
    assert {path: times[path] for path in nodes} == nodes
    functional = 2  # the sum and exp, which are the network's own
    marks = 2 * (sum(nodes.values()) - nodes["first.dense"] + functional)
    assert times[""] == marks + 1


def test_precision_casts_the_module_and_its_inputs(tmp_path):
    source = TINY.replace(
        'print("a port may print")', "assert x.dtype == self.head.weight.dtype == torch.bfloat16"
    )
    blocks = blocks_of(request(tmp_path, source, precision="bfloat16", threads=None))
    assert blocks[-1].activation_bytes == 2 * 5 * 2


def subject(asked):
    """The module of a request, built in this process."""
    from modeldocs.benchmarks.runners.pytorch.benchmarked_model import PyTorchSubject

    return PyTorchSubject(asked)


def blocks_of(asked):
    from modeldocs.benchmarks.runners.pytorch.modules import block_times

    return block_times(subject(asked), 1)


def test_a_module_that_runs_twice_in_a_step_counts_twice(tmp_path):
    source = """
    from torch import nn
    INPUTS = {"x": (1, 8)}
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.twice, self.never = nn.Linear(8, 8), nn.Linear(8, 8)
        def forward(self, x):
            return self.twice(self.twice(x))
    """
    _, block = blocks_of(request(tmp_path, source, batch=1, threads=None))
    assert (block.path, block.activation_bytes) == ("twice", 2 * 8 * 4)


def test_integer_inputs_stay_integers(tmp_path):
    source = """
    from torch import nn
    INPUTS = {"words": (1, 6)}
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.words = nn.Embedding(10, 4)
        def forward(self, words):
            return self.words(words)
    """
    asked = request(tmp_path, source, batch=3, precision="bfloat16", threads=None)
    load = msgspec.structs.replace(asked.load, dtypes={"words": "int64"})
    _, block = blocks_of(msgspec.structs.replace(asked, load=load))
    assert block.activation_bytes == 3 * 6 * 4 * 2


def broken(line):
    return TINY.replace('print("a port may print")', line)


@pytest.fixture(scope="module")
def raised(tmp_path_factory):
    """The error of a module that raises the names in its environment."""
    source = broken('import os; raise ValueError("wrong batch", *os.environ)')
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MY_TOKEN", "secret")
        with pytest.raises(ModeldocsError) as caught:
            measure(tmp_path_factory.mktemp("raising"), source)
    return caught.value


def test_a_module_that_raises_is_told_with_its_line(raised):
    assert raised.reason.startswith("running it at batch 2 raised ValueError: ('wrong batch', ")
    assert raised.file == "net.py"
    assert TINY.splitlines()[raised.line - 1].strip() == 'print("a port may print")'
    assert raised.fix


def test_a_constructor_that_raises_is_told(tmp_path):
    source = TINY.replace("super().__init__()", 'raise OSError("no weights")')
    with pytest.raises(ModeldocsError, match="no weights") as caught:
        subject(request(tmp_path, source, threads=None))
    assert caught.value.file == "net.py"


def test_memory_that_runs_out_names_batch_and_precision(tmp_path):
    with pytest.raises(ModeldocsError) as caught:
        subject(request(tmp_path, broken("torch.empty(1 << 60)"), threads=None)).step()
    assert caught.value.reason == "ran out of memory at batch 2 in float32"
    assert "--batch" in caught.value.fix


def test_a_process_that_is_killed_is_told(tmp_path):
    with pytest.raises(
        ModeldocsError, match=r"not the definition: the timing pass was killed \(SIGKILL\)"
    ) as caught:
        measure(tmp_path, broken("import os; os.kill(os.getpid(), 9)"))
    assert caught.value.file == "net.py"


def test_a_process_that_leaves_early_is_told(tmp_path):
    with pytest.raises(ModeldocsError, match="ended its process itself, with status 3"):
        measure(tmp_path, broken("import os; os._exit(3)"))


def test_a_process_that_hangs_is_stopped(tmp_path):
    with pytest.raises(ModeldocsError, match="was stopped after 3 s"):
        measure(tmp_path, broken("import time; time.sleep(600)"), timeout=3.0)


def test_a_model_without_parameters_cannot_be_trained(tmp_path):
    source = """
    from torch import nn
    INPUTS = {"x": (1, 8)}
    def model():
        return nn.ReLU()
    """
    with pytest.raises(ModeldocsError, match="no trainable parameters"):
        subject(request(tmp_path, source, task="training", threads=None))


def test_a_device_that_is_not_there_is_told(tmp_path):
    import torch

    if torch.cuda.is_available():
        pytest.skip("this machine has a CUDA device")
    with pytest.raises(ModeldocsError, match="no CUDA device") as caught:
        subject(request(tmp_path, device="cuda", threads=None))
    assert "--device cpu" in caught.value.fix


def test_a_framework_that_cannot_be_measured_is_told(tmp_path):
    with pytest.raises(ModeldocsError, match="caffe cannot be measured"):
        measure(tmp_path, framework="caffe")


def test_secrets_of_the_environment_do_not_reach_the_port(raised):
    assert "'PATH'" in raised.reason
    assert "MY_TOKEN" not in raised.reason


def test_a_model_faster_than_the_devices_own_test_is_warned_of():
    flops = measurements.Flops(per_step=3_000_000, counter="test")
    slow = measurements.Peaks(flops=1e6, flops_us=1000)
    [note] = recording.warnings(example(flops=flops, peaks=slow))
    assert "2.00 times" in note
    fast = measurements.Peaks(flops=1e8, flops_us=1000)
    assert recording.warnings(example(flops=flops, peaks=fast)) == []


def git(folder, *words):
    own = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    subprocess.run(
        ["git", "-C", folder, "-c", "user.name=a", "-c", "user.email=a@b", *words],
        check=True, capture_output=True, env={**os.environ, **own},
    )  # fmt: skip


def test_the_revision_is_the_commit_and_whether_the_source_differs(tmp_path):
    file = tmp_path / "net.py"
    file.write_text("x = 1\n")
    record = tmp_path / "benchmarks" / "run.json"
    record.parent.mkdir()
    record.write_text("{ }\n")
    git(tmp_path, "init", "-q")
    assert revision.revision(file) == (None, None), "no commit yet"
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-q", "-m", "first")
    commit, dirty = revision.revision(file)
    assert len(commit) == 40
    assert dirty is False
    (tmp_path / "unrelated.txt").write_text("new")
    assert revision.revision(file) == (commit, False)
    record.write_text("{}\n")
    assert revision.revision(file) == (commit, False), "a record is no source"
    file.write_text("x = 2\n")
    assert revision.revision(file) == (commit, True)
    untracked = tmp_path / "other.py"
    untracked.write_text("x = 1\n")
    git(tmp_path, "checkout", "-q", "net.py")
    assert revision.revision(untracked) == (commit, True)
