"""Failures of the machine, in tasks of every kind: told as such, never stored, tried again."""

from __future__ import annotations

import contextlib
import errno
import itertools
import os
import shutil
import signal
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from modeldocs import catalog
from modeldocs.benchmarks import chart_set
from modeldocs.errors import Failure
from modeldocs.numeric.proof.prover import ProofSubject
from modeldocs.tasks import build, diff, unresolved_pairs
from modeldocs.tasks.kinds import KINDS
from modeldocs.tasks.pool import PooledTask
from modeldocs.tasks.programs import ProgramGenerator
from modeldocs.tasks.results import Results, summarise
from modeldocs.tasks.store import Store
from modeldocs.tasks.work import work
from modeldocs.verdict import layer_histogram
from tests import faults
from tests.prototxts import NET
from tests.serial import Serial
from tests.tasks.test_build import Forbidden, log, onnx_file, ran

pytestmark = pytest.mark.xdist_group("build")

REPOSITORY = Path(__file__).parents[2]
Fault = Callable[[Path], AbstractContextManager[None]]

SAID = "the machine failed, not the definition: "
ISOLATED = ("load", "draw", "parity", "proof")
"""Kinds whose work is done in isolated processes; that of the others is done in the pool's."""

WORK = {
    "diff": (diff, "compare"),
    "outline": (layer_histogram, "outline"),
    "unresolved_pairs": (unresolved_pairs, "to_compare"),
    "panel": (chart_set, "draw"),
    "generate": (ProgramGenerator, "generate"),
}
"""The functions that do it."""


FAULTS = {
    one.__name__: one
    for one in (
        faults.killed,
        faults.kept_waiting,
        faults.full_temporary_folder,
        faults.no_temporary_folder,
    )
}
ERRORS = {
    "memory": MemoryError(),
    **{
        errno.errorcode[code]: OSError(code, os.strerror(code))
        for code in (errno.ENOSPC, errno.EMFILE, errno.EROFS, errno.EAGAIN)
    },
}


def each_with_some(kinds: Sequence[str], faults: Iterable[str]) -> list[tuple[str, str]]:
    """The first kind with every fault, and each of the others with one."""
    first, *others = kinds
    every = list(faults)
    turns = itertools.cycle(every)
    return [*((first, fault) for fault in every), *((kind, next(turns)) for kind in others)]


@pytest.fixture(scope="module")
def written(tmp_path_factory) -> Path:
    """A model of two ports with a record, for which a build runs tasks of all kinds."""
    folder = tmp_path_factory.mktemp("written")
    model = folder / "models" / "one"
    (model / "benchmarks").mkdir(parents=True)
    (model / "caffe.prototxt").write_text(NET)
    onnx_file(model / "model.onnx")
    (model / "model.yml").write_text("pairs: nearest\n")
    record = next((REPOSITORY / "models" / "lenet" / "benchmarks").glob("*.json"))
    shutil.copy(record, model / "benchmarks")
    return folder


@pytest.fixture
def folder(written, tmp_path) -> Path:
    shutil.copytree(written, tmp_path / "here")
    return tmp_path / "here"


def built(folder: Path, executor=None, *, programs: bool = False) -> Results:
    """The catalog of a folder, proven and built; with `programs`, which take long, also these."""
    read, place = catalog.read(folder / "models"), Store(folder / "store")
    with build.Pool(executor or Serial(), 1, build.silent) as pool:
        proven = build.verify(read, place, {"one/onnx", "one/caffe"}, pool=pool)
        before = [proven]
        if programs:
            before.append(build.generate(read, place, only="pytorch", pool=pool))
        results = build.build(read, place, pool=pool)
    for one in before:
        results.log += one.log
        results.failures += [told for told in one.failures if told not in results.failures]
    return results


def failing(kind: str, fault: Fault, folder: Path) -> AbstractContextManager[None]:
    """Within this block the tasks of a kind meet a fault, and no others."""

    def met(place, task: PooledTask):
        with fault(folder) if task.kind == kind else contextlib.nullcontext():
            return work(place, task)

    @contextlib.contextmanager
    def patched() -> Iterator[None]:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(build, "work", met)
            yield

    return patched()


def failures(results: Results, folder: Path) -> list[Failure]:
    """What a build tells, each failure once."""
    read = catalog.read(folder / "models")
    return [failure for _, failure in summarise(read, results, 0).failures]


def check_told_and_tried_again(kind: str, folder: Path, fault: Fault) -> None:
    programs = kind == "generate"
    with failing(kind, fault, folder.parent / "temporary"):
        results = built(folder, programs=programs)
    told = failures(results, folder)
    assert told and all(one.machine and one.reason.startswith(SAID) for one in told), told
    assert all(one.fix.endswith("then try again") for one in told)
    failed = {name for name in log(results, "failed") if name.startswith(kind)}
    assert failed
    again = built(folder, programs=programs)
    assert failed <= log(again, "ran")
    assert failures(again, folder) == []
    assert ran(built(folder, Forbidden())) == set()


@pytest.mark.parametrize(("kind", "fault"), each_with_some(ISOLATED, FAULTS), ids=str)
def test_what_an_isolated_process_meets(folder, kind, fault):
    check_told_and_tried_again(kind, folder, FAULTS[fault])


def raising(kind: str, error: Exception) -> Fault:
    def fail(*_: object) -> None:
        raise error

    @contextlib.contextmanager
    def fault(_: Path) -> Iterator[None]:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(*WORK[kind], fail)
            yield

    return fault


@pytest.mark.parametrize(("kind", "error"), each_with_some(tuple(WORK), ERRORS), ids=str)
def test_what_a_process_of_the_pool_meets(folder, kind, error):
    check_told_and_tried_again(kind, folder, raising(kind, ERRORS[error]))


def test_every_kind_is_tested():
    assert {*ISOLATED, *WORK} == set(KINDS)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ISOLATED)
def test_a_disk_that_fills_at_any_moment_gives_no_wrong_result(folder, kind):
    """With so many bytes left the request, the output or a result is the first that is cut off."""
    seen = set()
    for pages in (1, 6, 12):
        store = folder / "store"
        shutil.rmtree(store, ignore_errors=True)

        def fault(place: Path, left: int = pages * faults.PAGE) -> AbstractContextManager[None]:
            return faults.full_temporary_folder(place, left)

        with failing(kind, fault, folder.parent / "temporary"):
            told = failures(built(folder), folder)
        assert all(one.machine for one in told), told
        seen |= {bool(told)}
        assert failures(built(folder), folder) == []
    assert True in seen


@pytest.mark.parametrize("number", [signal.SIGSEGV, signal.SIGABRT])
def test_a_crash_is_the_ports_own_and_stays(folder, number):
    def crashing(_: Path) -> AbstractContextManager[None]:
        return faults.signalled(number, confined=True)

    with failing("load", crashing, folder):
        first = failures(built(folder), folder)
    assert {one.reason for one in first} == {f"crashed its process with {number.name}"}
    assert failures(built(folder, Forbidden()), folder) == first


@pytest.mark.slow
@pytest.mark.parametrize(
    ("seconds", "code", "reason"),
    [
        (4, "while True: pass", "was stopped after 4 s"),
        (4, "import time; time.sleep(600)", "was stopped after 4 s"),
        (60, "import os; os._exit(3)", "ended its process itself, with status 3"),
        (60, "held = [bytearray(2**24) for _ in range(10**6)]", "importing it raised MemoryError"),
        (60, "raise OSError(28, 'x')", None),
    ],
)
def test_what_a_port_does_itself_stays_and_what_it_meets_does_not(tmp_path, seconds, code, reason):
    model = tmp_path / "models" / "net"
    model.mkdir(parents=True)
    (model / "pytorch.py").write_text(f"import torch\n{code}\n")
    limits = f"{{seconds: {seconds}, memory_mb: 2048}}"
    (model / "model.yml").write_text(f"ports: {{pytorch: {{limits: {limits}}}}}")
    read, place = catalog.read(tmp_path / "models"), Store(tmp_path / "store")

    def told(executor) -> list[Failure]:
        results = build.build(read, place, workers=executor)
        return [failure for _, failure in summarise(read, results, 0).failures]

    found = told(Serial())
    assert len(found) == 1, found
    (first,) = found
    if reason is None:
        assert first.machine and first.reason.startswith(f"{SAID}a disk is full")
        with pytest.raises(AssertionError):
            told(Forbidden())
    else:
        assert first.reason.startswith(reason) and not first.machine
        assert told(Forbidden()) == [first]


def test_a_port_that_is_proven_by_one_that_the_machine_failed_is_not_told_to_have_none(
    folder, monkeypatch
):
    """As if OpenCV were not there, the Caffe port is proven by the ONNX port."""
    monkeypatch.setattr(ProofSubject, "provable", property(lambda one: one.framework != "caffe"))
    read, place = catalog.read(folder / "models"), Store(folder / "store")
    (model,) = read.models

    def met_by_one(store_place, task: PooledTask):
        fails = (task.kind, task.name) == ("load", "one/onnx")
        with faults.killed(folder) if fails else contextlib.nullcontext():
            return work(store_place, task)

    with pytest.MonkeyPatch.context() as patch, build.Pool(Serial(), 1, build.silent) as pool:
        patch.setattr(build, "work", met_by_one)
        results = build.verify(read, place, {"one/caffe"}, pool=pool)
    proof = results.proof(model, model.port("caffe"))
    assert proof is not None and proof.verdict == "not run" and proof.failure.machine
    with build.Pool(Serial(), 1, build.silent) as pool:
        results = build.verify(read, place, {"one/caffe"}, pool=pool)
    proof = results.proof(model, model.port("caffe"))
    assert proof is not None and (proof.failure is None or not proof.failure.machine)
