"""The build, told by its task log: what runs, what the store answers, and what fails alone."""

from __future__ import annotations

import os
import shutil
import signal
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path

import numpy as np
import onnx_ir as ir
import pytest

from modeldocs import catalog, diagram
from modeldocs.diagram import Drawing
from modeldocs.diff import Parity
from modeldocs.errors import ModeldocsError
from modeldocs.loaders import loading
from modeldocs.numeric import parity
from modeldocs.tasks import build, closure, diff, pool, store
from modeldocs.tasks.pool import PooledTask
from modeldocs.tasks.results import Results, summarise
from modeldocs.tasks.store import Store
from tests.prototxts import NET
from tests.serial import Serial

pytestmark = pytest.mark.xdist_group("build")

REPOSITORY = Path(__file__).parents[2]


TORCH = """\
import torch

from sizes import WIDTH

INPUTS = {"x": (1, 8)}


def model():
    return torch.nn.Linear(8, WIDTH)
"""


class Broken(Executor):
    """An executor whose processes are gone."""

    def submit(self, function, /, *args, **kwargs):
        future: Future = Future()
        future.set_exception(BrokenProcessPool("died"))
        return future


class Forbidden(Executor):
    """An executor that nothing may be submitted to."""

    def submit(self, function, /, *args, **kwargs):
        raise AssertionError(f"{args} ran")


def onnx_file(path: Path, kind: str = "Relu") -> None:
    x = ir.val("x", ir.DataType.FLOAT, ir.Shape([1, 3, 8, 8]))
    node = ir.node(kind, [x])
    node.outputs[0].name, node.outputs[0].type = "y", x.type
    graph = ir.Graph([x], [node.outputs[0]], nodes=[node], opset_imports={"": 20}, name="net")
    ir.save(ir.Model(graph, ir_version=10), path)


def built(folder: Path, executor: Executor | None = None) -> Results:
    """The catalog and the store in a folder, built."""
    read = catalog.read(folder / "models")
    return build.build(read, Store(folder / "store"), workers=executor or Serial())


def log(results: Results, *outcomes: str) -> set[str]:
    """`kind name` of the tasks that came out so."""
    return {f"{run.kind} {run.name}" for run in results.log if run.outcome in outcomes}


def ran(results: Results) -> set[str]:
    return log(results, "ran", "failed")


@pytest.fixture(scope="module")
def once(tmp_path_factory):
    """A catalog of two models, and the store of its first build."""
    folder = tmp_path_factory.mktemp("built")
    for name in ("one", "two"):
        (folder / "models" / name).mkdir(parents=True)
    (folder / "models" / "one" / "caffe.prototxt").write_text(NET)
    (folder / "models" / "one" / "train.prototxt").write_text(NET.replace("ReLU", "TanH"))
    onnx_file(folder / "models" / "one" / "model.onnx")
    onnx_file(folder / "models" / "two" / "model.onnx", "Tanh")
    (folder / "models" / "two" / "broken.prototxt").write_text('layer { name: "a" type: ')
    return folder, built(folder)


@pytest.fixture
def folder(once, tmp_path, monkeypatch):
    """The catalog and its store, copied to a folder of this test's own.

    Later builds do not run pairs and draw nothing, which takes processes: which tasks run is what
    their tests are about.
    """
    monkeypatch.setattr(parity, "compare", lambda *_: Parity())
    monkeypatch.setattr(diagram, "draw", lambda _: Drawing(svg="<svg/>"))
    shutil.copytree(once[0], tmp_path / "here")
    return tmp_path / "here"


def test_the_first_build_loads_draws_and_compares_everything(once):
    _, results = once
    assert log(results, "ran") == {
        "load one/caffe",
        "load one/onnx",
        "load one/train",
        "load two/onnx",
        "draw one/caffe",
        "draw one/onnx",
        "draw one/train",
        "draw two/onnx",
        "diff one/caffe-vs-onnx",
        "diff one/caffe-vs-train",
        "diff one/onnx-vs-train",
        "parity one/caffe-vs-onnx",
        "parity one/caffe-vs-train",
        "parity one/onnx-vs-train",
    }
    assert log(results, "failed") == {"load two/broken"}
    assert log(results, "stored", "refused") == set()


def test_the_results_are_there_by_name(once):
    _, results = once
    one, two = catalog.read(once[0] / "models").models
    caffe, onnx, _train = one.ports
    assert results.graph(one, caffe).totals().parameters == 3 * 4 * 9 + 4
    assert results.drawing(one, caffe).svg.startswith("<svg")
    assert results.diff(one, caffe, onnx) is not None
    assert results.diff(one, onnx, caffe) is None
    assert results.parity(one, caffe, onnx).failure is None
    broken = two.port("broken")
    assert results.loaded(two, broken).failure.file == "broken.prototxt"
    assert results.drawing(two, broken) is None


def test_the_summary_counts_what_was_made(once):
    folder, results = once
    told = summarise(catalog.read(folder / "models"), results, 1.26)
    assert (told.models, told.ports, told.diffs, told.records) == (2, 5, 3, 0)
    assert (told.loaded_now, told.seconds) == (5, 1.3)
    assert [name for name, _ in told.failures] == ["two/broken"]


def test_a_second_build_runs_nothing_wherever_it_lies(folder):
    results = built(folder, Forbidden())
    assert ran(results) == set()
    assert len(log(results, "stored")) == 15
    assert summarise(catalog.read(folder / "models"), results, 0).loaded_now == 0


def test_a_second_build_needs_no_framework(folder, monkeypatch):
    monkeypatch.setattr(loading, "framework_version", lambda framework: None)
    results = built(folder, Forbidden())
    assert len(log(results, "stored")) == 15


def test_a_file_touched_but_equal_reloads_nothing(folder):
    for path in (folder / "models").rglob("*.*"):
        os.utime(path, (1, 1))
    assert ran(built(folder, Forbidden())) == set()


def test_a_change_to_a_port_reloads_it_alone_and_makes_its_drawing_and_diffs_again(folder):
    path = folder / "models" / "one" / "train.prototxt"
    path.write_text(path.read_text().replace("num_output: 4", "num_output: 5"))
    assert ran(built(folder)) == {
        "load one/train",
        "draw one/train",
        "diff one/caffe-vs-train",
        "diff one/onnx-vs-train",
        "parity one/caffe-vs-train",
        "parity one/onnx-vs-train",
    }
    assert ran(built(folder, Forbidden())) == set()


def test_weights_laid_beside_a_port_reload_what_may_take_them(folder):
    (folder / "models" / "one" / "train.caffemodel").write_bytes(b"no weights")
    assert {"load one/caffe", "load one/train"} <= ran(built(folder))


def test_a_change_that_no_graph_shows_makes_nothing_but_the_load_again(folder):
    path = folder / "models" / "one" / "train.prototxt"
    path.write_text(path.read_text() + "# the end\n")
    assert ran(built(folder)) == {"load one/train"}


def test_a_change_taken_back_is_answered_by_the_store(folder):
    path = folder / "models" / "one" / "train.prototxt"
    before = path.read_text()
    path.write_text(before + "# the end\n")
    built(folder)
    path.write_text(before)
    assert ran(built(folder, Forbidden())) == set()


def test_a_change_to_the_manifest_reloads_the_ports_that_it_speaks_of(folder):
    manifest = folder / "models" / "one" / "model.yml"
    manifest.write_text("title: One\nreference: onnx\n")
    assert ran(built(folder)) == {"diff one/onnx-vs-caffe", "parity one/onnx-vs-caffe"}
    manifest.write_text("title: One\nreference: onnx\nports: {train: {args: {phase: TRAIN}}}\n")
    again = {"load one/train", "parity one/caffe-vs-train", "parity one/onnx-vs-train"}
    assert ran(built(folder)) == again  # the ONNX tells its phase, the graph does not


def test_a_new_port_is_loaded_alone_and_a_removed_one_vanishes(folder):
    (folder / "models" / "two" / "caffe.prototxt").write_text(NET)
    (folder / "models" / "one" / "train.prototxt").unlink()
    results = built(folder)
    assert ran(results) == {
        "load two/caffe",
        "diff two/caffe-vs-onnx",
        "parity two/caffe-vs-onnx",
    }
    assert not [name for _, name in results.digests if "train" in name]
    shutil.rmtree(folder / "models" / "one")
    results = built(folder, Forbidden())
    assert {name.split("/")[0] for _, name in results.digests} == {"two"}


def test_what_a_port_prints_of_its_paths_is_the_same_in_any_folder(tmp_path):
    printed = []
    for name in ("a", "another"):
        port = tmp_path / name / "models" / "net" / "pytorch.py"
        port.parent.mkdir(parents=True)
        port.write_text("import torch\nprint(__file__)\nmodel = 1\n")
        results = built(tmp_path / name)
        (model,) = catalog.read(tmp_path / name / "models").models
        printed.append(results.loaded(model, model.ports[0]).printed)
    assert printed == ["net/pytorch.py\n"] * 2


def test_without_running_pairs_parity_is_what_the_store_holds_of_it(folder):
    path = folder / "models" / "one" / "train.prototxt"
    path.write_text(path.read_text().replace("num_output: 4", "num_output: 5"))
    read = catalog.read(folder / "models")
    results = build.build(read, Store(folder / "store"), workers=Serial(), pairs_run="never")
    assert not [task for task in ran(results) if task.startswith("parity")]
    caffe, onnx, train = read.models[0].ports
    assert results.parity(read.models[0], caffe, onnx) is not None
    assert results.parity(read.models[0], caffe, train) is None


def test_other_limits_of_a_port_run_its_pairs_again(folder):
    (folder / "models" / "one" / "model.yml").write_text("ports: {train: {limits: {seconds: 150}}}")
    assert ran(built(folder)) == {"parity one/caffe-vs-train", "parity one/onnx-vs-train"}


class TestFailures:
    def test_one_is_tried_again_when_its_file_changes(self, folder):
        path = folder / "models" / "two" / "broken.prototxt"
        path.write_text('layer { name: "b" type: ')
        assert ran(built(folder)) == {"load two/broken"}
        path.write_text(NET)
        assert "load two/broken" in log(built(folder), "ran")

    def test_or_when_its_limits_do(self, folder):
        (folder / "models" / "two" / "model.yml").write_text(
            "ports: {broken: {limits: {seconds: 9}}}"
        )
        assert ran(built(folder)) == {"load two/broken"}
        assert ran(built(folder, Forbidden())) == set()

    def test_or_when_other_packages_are_installed(self, folder, monkeypatch):
        monkeypatch.setattr(store, "environment", lambda: "another")
        assert ran(built(folder)) == {"load two/broken"}

    def test_but_not_for_a_record_or_another_file(self, folder):
        (folder / "models" / "two" / "README.md").write_text("# two")
        (folder / "models" / "two" / "benchmarks").mkdir()
        (folder / "models" / "two" / "benchmarks" / "a.json").write_text("{}")
        results = built(folder, Forbidden())
        assert results.records["two"][0].failure is not None

    def test_a_port_with_a_mistake_is_not_tried(self, folder):
        (folder / "models" / "two" / "model.yml").write_text("ports: {lost: {file: lost.onnx}}")
        results = built(folder)
        assert log(results, "refused") == {"load two/lost"}
        names = [
            name for name, _ in summarise(catalog.read(folder / "models"), results, 0).failures
        ]
        assert names == ["two/broken", "two/lost"]

    def test_a_framework_that_is_not_installed_is_told_at_once_and_never_stored(
        self, tmp_path, monkeypatch
    ):
        (tmp_path / "models" / "net").mkdir(parents=True)
        (tmp_path / "models" / "net" / "pytorch.py").write_text(TORCH)
        monkeypatch.setattr(loading, "framework_version", lambda framework: None)
        for _ in range(2):
            results = built(tmp_path, Forbidden())
            assert log(results, "refused") == {"load net/pytorch"}
        (model,) = catalog.read(tmp_path / "models").models
        failure = results.loaded(model, model.ports[0]).failure
        assert failure.fix.startswith("pip install torch; for a build without CUDA")
        assert failure.file == "pytorch.py"

    def test_a_stored_result_of_other_versions_is_named_in_place_of_one_that_fits(
        self, tmp_path, monkeypatch
    ):
        (tmp_path / "models" / "net").mkdir(parents=True)
        (tmp_path / "models" / "net" / "pytorch.py").write_text("import torch\nmodel = 1\n")
        versions = closure.versions
        with monkeypatch.context() as elsewhere:
            elsewhere.setattr(
                closure, "versions", lambda packages: versions(packages) | {"onnx": "1.0"}
            )
            built(tmp_path)
        monkeypatch.setattr(loading, "framework_version", lambda framework: None)
        results = built(tmp_path, Forbidden())
        (model,) = catalog.read(tmp_path / "models").models
        failure = results.loaded(model, model.ports[0]).failure
        told = "; the stored result for these files was made with onnx 1.0 (here "
        assert told in failure.reason and failure.fix.startswith("pip install torch")

    def test_a_diff_that_fails_is_told_and_loses_nothing_else(self, folder, monkeypatch):
        def fail(a, b):
            raise ValueError("no alignment\nat all")

        compare = diff.compare
        monkeypatch.setattr(diff, "compare", fail)
        (folder / "models" / "two" / "caffe.prototxt").write_text(NET)
        results = built(folder)
        assert log(results, "failed") == {"diff two/caffe-vs-onnx"}
        assert log(results, "ran") == {"load two/caffe"}
        told = summarise(catalog.read(folder / "models"), results, 0)
        assert [(name, failure.reason) for name, failure in told.failures][1:] == [
            ("two/caffe-vs-onnx", "modeldocs failed to diff it with ValueError: no alignment")
        ]
        monkeypatch.setattr(diff, "compare", compare)
        assert ran(built(folder)) == {"diff two/caffe-vs-onnx", "parity two/caffe-vs-onnx"}

    def test_a_drawing_that_fails_is_a_drawing_that_says_so(self, folder, monkeypatch):
        def fail(graph):
            raise ValueError("no ink")

        monkeypatch.setattr(diagram, "draw", fail)
        other = NET.replace("num_output: 4", "num_output: 7")
        (folder / "models" / "two" / "caffe.prototxt").write_text(other)
        results = built(folder)
        model = catalog.read(folder / "models").models[1]
        assert "ValueError: no ink" in results.drawing(model, model.port("caffe")).failure.reason

    def test_a_damaged_store_is_fixed(self, folder):
        for path in (folder / "store" / "objects").rglob("*"):
            if path.is_file():
                path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
        assert len(ran(built(folder))) == 15
        assert ran(built(folder, Forbidden())) == set()


def test_two_builds_at_once_share_a_store(folder):
    path = folder / "models" / "one" / "train.prototxt"
    path.write_text(path.read_text().replace("num_output: 4", "num_output: 6"))
    shutil.rmtree(folder / "store")
    with ThreadPoolExecutor(2) as both:
        first, second = both.map(built, [folder, folder])
    assert first.digests.keys() == second.digests.keys()
    for model in catalog.read(folder / "models").models:
        for port in model.ports:
            assert first.graph(model, port) == second.graph(model, port)
    again = built(folder, Forbidden())
    assert ran(again) == set()


@pytest.fixture
def torch_folder(tmp_path):
    folder = tmp_path / "models" / "net"
    folder.mkdir(parents=True)
    (folder / "pytorch.py").write_text(TORCH)
    (folder / "sizes.py").write_text("WIDTH = 3\n")
    return tmp_path


def test_a_change_to_a_file_that_a_port_imports_reloads_the_port(torch_folder):
    model = catalog.read(torch_folder / "models").models[0]
    results = built(torch_folder, ThreadPoolExecutor(2))
    assert results.graph(model, model.port("pytorch")).totals().parameters == 8 * 3 + 3
    assert ran(built(torch_folder, Forbidden())) == set()
    (torch_folder / "models" / "net" / "sizes.py").write_text("WIDTH = 5\n")
    results = built(torch_folder)
    assert log(results, "ran") == {"load net/pytorch", "draw net/pytorch"}
    assert results.graph(model, model.port("pytorch")).totals().parameters == 8 * 5 + 5


def square(task: PooledTask) -> int:
    """A task that any process can do; `dies` kills its process, `raises` raises."""
    if "dies" in task.name:
        os.kill(os.getpid(), signal.SIGKILL)
    if "raises" in task.name:
        raise KeyError(task.name)
    if "mistaken" in task.name:
        raise ModeldocsError("is mistaken", file="a.py", line=3, fix="correct it")
    return int(np.square(task.inputs))


def squares(*names: str) -> list[PooledTask]:
    return [PooledTask(kind="square", name=name, inputs=n) for n, name in enumerate(names)]


def answers(done: list[pool.Done[int]]) -> dict[str, object]:
    return {item.task.name: item.failure.reason if item.failure else item.result for item in done}


@pytest.mark.parametrize(
    "make", [Serial, lambda: ThreadPoolExecutor(2), lambda: ProcessPoolExecutor(1), lambda: None]
)
def test_any_executor_runs_the_tasks(make):
    told = []
    executor = make()
    with pool.Pool(executor, 1, told.append) as running:
        done = list(running.run(square, squares("a", "raises", "mistaken", "d")))
    if executor is not None:
        executor.shutdown()
    assert answers(done) == {
        "a": 0,
        "raises": "modeldocs failed to square it with KeyError: 'raises'",
        "mistaken": "is mistaken",
        "d": 9,
    }
    assert [(status.done, status.total) for status in told] == [(n, 4) for n in range(5)]
    assert told[0].running == ("square a",) and told[-1].running == ()
    assert all(len(status.running) == 1 for status in told[:-1])


def test_no_task_starts_no_process():
    with pool.Pool(None, None, pool.silent) as running:
        assert list(running.run(square, [])) == []
        assert running.own is None


def test_a_task_that_kills_its_process_fails_alone():
    told = []
    with pool.Pool(None, 1, told.append) as running:
        done = list(running.run(square, squares("a", "dies", "c")))
        assert answers(list(running.run(square, squares("again")))) == {"again": 0}
    died = "the machine failed, not the definition: the process that was to square it died, "
    assert answers(done) == {"a": 0, "dies": f"{died}most often since memory ran out", "c": 4}
    assert {status.done for status in told if status.total == 3} == {0, 1, 2, 3}
    assert [s.running for s in told if s.done == 3] == [()]


def test_an_executor_that_broke_is_told_with_the_fix():
    with (
        pool.Pool(Broken(), None, pool.silent) as running,
        pytest.raises(ModeldocsError, match="lost a process") as caught,
    ):
        list(running.run(square, squares("a")))
    assert caught.value.fix


def test_charts_of_records_are_drawn_once_and_again_when_a_record_changes(folder):
    source = next((REPOSITORY / "models" / "lenet" / "benchmarks").glob("*.json"))
    kept = folder / "models" / "one" / "benchmarks" / source.name
    kept.parent.mkdir()
    kept.write_bytes(source.read_bytes())
    assert ran(built(folder)) == {"panel one", "panel (catalog)"}
    again = built(folder, Forbidden())
    assert ran(again) == set()
    assert again.panel("one").steps.startswith("<svg")
    kept.write_text(source.read_text().replace('"tag": null', '"tag": null '))
    assert ran(built(folder, Forbidden())) == set(), "the same record in another layout"
    kept.unlink()
    assert built(folder, Forbidden()).panel("one").steps == ""
