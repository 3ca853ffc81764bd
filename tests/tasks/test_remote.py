"""A remote store: what one machine computed, another takes, and no failure of it fails a build."""

from __future__ import annotations

import logging
import random
import sys
import time
import uuid
from collections.abc import Iterator
from pathlib import Path

import fsspec
import pytest
from fsspec.implementations.memory import MemoryFileSystem
from fsspec.registry import _registry as implementations

from modeldocs import catalog
from modeldocs.errors import ModeldocsError
from modeldocs.tasks import build, closure, load, remote
from modeldocs.tasks.ports import Ports
from modeldocs.tasks.prune import prune
from modeldocs.tasks.results import Results
from modeldocs.tasks.store import PART, Store
from tests.prototxts import NET
from tests.serial import Serial
from tests.tasks.test_build import Forbidden, log, onnx_file, ran

pytestmark = pytest.mark.xdist_group("remote")


class Faulty(MemoryFileSystem):
    """A file system on which reading or writing fails, or takes a while."""

    protocol = "faulty"
    cachable = False
    on_read: Exception | None = None
    on_write: Exception | None = None
    seconds = 0.0
    calls: list[str] = []

    def cat_file(self, path, *args, **kwargs):
        self.calls.append(f"read {path}")
        time.sleep(self.seconds)
        if self.on_read is not None:
            raise self.on_read
        return super().cat_file(path, *args, **kwargs)

    def pipe_file(self, path, *args, **kwargs):
        self.calls.append(f"write {path}")
        time.sleep(self.seconds)
        if self.on_write is not None:
            raise self.on_write
        return super().pipe_file(path, *args, **kwargs)


@pytest.fixture
def faulty(monkeypatch: pytest.MonkeyPatch) -> type[Faulty]:
    fsspec.register_implementation("faulty", Faulty, clobber=True)
    for name, value in (("on_read", None), ("on_write", None), ("seconds", 0.0), ("calls", [])):
        monkeypatch.setattr(Faulty, name, value)
    return Faulty


@pytest.fixture
def url() -> Iterator[str]:
    """An empty folder in memory."""
    path = f"/{uuid.uuid4().hex}"
    yield f"memory:/{path}"
    files = fsspec.filesystem("memory")
    if files.exists(path):
        files.rm(path, recursive=True)


@pytest.fixture(autouse=True)
def models(tmp_path: Path) -> Path:
    """A catalog of one model with two ports, and one that does not load."""
    folder = tmp_path / "models" / "net"
    folder.mkdir(parents=True)
    (folder / "caffe.prototxt").write_text(NET)
    onnx_file(folder / "model.onnx")
    (folder / "broken.prototxt").write_text('layer { name: "a" type: ')
    return folder.parent


@pytest.fixture
def machine(models: Path, tmp_path: Path):
    """`machine(name, url, executor)`: a build with a local store of that machine's own."""

    def run(name: str, location: str, executor=None) -> Results:
        store = remote.store_at(location, tmp_path / name)
        return build.build(catalog.read(models), store, workers=executor or Serial())

    return run


def content(results: Results) -> dict[tuple[str, str], object]:
    """The results of a build that do not tell times, by kind and name."""
    stable = ("diff", "draw", "outline")
    graphs = {
        name: getattr(results._get(load.LOAD, name), "graph", None)
        for kind, name in results.digests
        if kind == "load"
    }
    return graphs | {key: one for key, one in results.digests.items() if key[0] in stable}


def held(url: str) -> dict[str, bytes]:
    """The files of a remote store."""
    files, root = fsspec.core.url_to_fs(url)
    return {path.removeprefix(f"{root}/"): files.cat_file(path) for path in files.find(root)}


class TestTwoMachines:
    @pytest.mark.parametrize("protocol", ["memory", "file"])
    def test_what_one_computed_the_other_does_not(self, machine, url, tmp_path, protocol):
        location = url if protocol == "memory" else f"file://{tmp_path / 'shared'}"
        first = machine("a", location)
        second = machine("b", location, Forbidden())
        assert log(second, "stored") == ran(first)
        assert second.digests == first.digests
        assert not [name for name in held(location) if PART in name]

    def test_single_ports_use_it_too(self, machine, url, models, tmp_path, monkeypatch):
        machine("a", url)
        port = catalog.read(models).port("net/caffe")[1]
        monkeypatch.setattr(load.loading, "load", None)
        ports = Ports(remote.store_at(url, tmp_path / "b"))
        loads = ports.load({"net/caffe": port, "again": port})
        assert loads["net/caffe"].graph == loads["again"].graph is not None
        assert ports.diff("net", loads["net/caffe"], loads["again"]).diff is not None

    def test_and_fill_it(self, models, url, tmp_path, machine):
        port = catalog.read(models).port("net/caffe")[1]
        Ports(remote.store_at(url, tmp_path / "a")).load({"net/caffe": port})
        assert log(machine("b", url), "stored") == {"load net/caffe"}

    def test_a_port_that_changed_is_loaded(self, machine, url, models):
        machine("a", url)
        path = models / "net" / "caffe.prototxt"
        path.write_text(NET.replace("num_output: 4", "num_output: 5"))
        assert "load net/caffe" in ran(machine("b", url))
        assert log(machine("a", url, Forbidden()), "failed", "ran") == set()
        path.write_text(NET)
        assert ran(machine("c", url, Forbidden())) == set()

    def test_results_of_several_versions_are_kept_beside_each_other(
        self, machine, url, monkeypatch
    ):
        versions = closure.versions
        for name in ("old", "new", "old"):
            with monkeypatch.context() as context:
                context.setattr(closure, "versions", lambda p, v=name: versions(p) | {"onnx": v})
                machine(f"first {name}", url)
        for name in ("old", "new"):
            monkeypatch.setattr(closure, "versions", lambda p, v=name: versions(p) | {"onnx": v})
            assert ran(machine(f"second {name}", url, Forbidden())) == set()

    def test_a_local_store_that_was_filled_before_is_uploaded_once(
        self, machine, models, url, faulty, tmp_path
    ):
        location = url.replace("memory", "faulty")
        build.build(catalog.read(models), Store(tmp_path / "a" / remote.FOLDER), workers=Serial())
        machine("a", location, Forbidden())
        assert machine("b", location, Forbidden()).digests
        faulty.calls.clear()
        machine("a", location, Forbidden())
        assert faulty.calls == []


class TestDamage:
    @pytest.mark.parametrize("seed", range(4))
    def test_whatever_is_lost_or_damaged_there_is_computed_and_written_again(
        self, machine, url, seed
    ):
        expected = content(machine("a", url))
        draw, files, whole = random.Random(seed), fsspec.filesystem("memory"), held(url)
        root = fsspec.core.url_to_fs(url)[1]
        for name in draw.sample(sorted(whole), len(whole) // 2):
            data = whole[name]
            damage = draw.choice(["lost", "cut", "other", "empty"])
            if damage == "lost":
                files.rm_file(f"{root}/{name}")
            else:
                cut = data[: draw.randrange(len(data))]
                by_kind = {"cut": cut, "other": draw.randbytes(len(data)), "empty": b""}
                files.pipe_file(f"{root}/{name}", by_kind[damage])
        assert content(machine("b", url)) == expected
        assert content(machine("c", url, Forbidden())) == expected

    def test_an_answer_of_another_task_is_ignored(self, machine, url):
        machine("a", url)
        files, root = fsspec.core.url_to_fs(url)
        names = sorted(name for name in held(url) if name.startswith("answers"))
        one = files.cat_file(f"{root}/{names[0]}")
        for name in names:
            files.pipe_file(f"{root}/{name}", one)
        assert len(ran(machine("b", url))) == len(names) - 1


class TestFailures:
    @pytest.fixture
    def location(self, url: str, faulty: type[Faulty]) -> str:
        return url.replace("memory://", "faulty://ada:secret@")

    @pytest.mark.parametrize("fault", ["on_read", "on_write"])
    def test_one_is_told_once_and_fails_nothing(
        self, machine, location, faulty, monkeypatch, caplog, fault
    ):
        expected = content(machine("before", "local"))
        reason = OSError("no route to faulty://ada:secret@host?token=abc")
        monkeypatch.setattr(faulty, fault, reason)
        with caplog.at_level(logging.WARNING, "modeldocs"):
            assert content(machine("a", location)) == expected
        word = {"on_read": "read", "on_write": "written"}[fault]
        assert [record.getMessage().count(f"cannot be {word}") for record in caplog.records] == [1]
        assert "secret" not in caplog.text and "token" not in caplog.text
        tries = [call for call in faulty.calls if call.startswith("write")]
        assert len(tries) < remote.FAILURES + remote.UPLOADS_AT_ONCE

    def test_what_could_not_be_uploaded_is_by_the_next_build(
        self, machine, location, faulty, monkeypatch
    ):
        with monkeypatch.context() as context:
            context.setattr(faulty, "on_write", OSError("down"))
            machine("a", location)
        machine("a", location, Forbidden())
        assert ran(machine("b", location, Forbidden())) == set()

    def test_a_slow_one_changes_nothing_but_the_time(self, machine, location, faulty, monkeypatch):
        monkeypatch.setattr(faulty, "seconds", 0.002)
        first = machine("a", location)
        assert machine("b", location, Forbidden()).digests == first.digests


class TestSettings:
    def test_a_folder_is_no_url(self, tmp_path):
        assert remote.store_at("kept", tmp_path).folder == tmp_path / "kept"
        assert remote.store_at(str(tmp_path / "there"), tmp_path / "other").remote is None

    def test_the_local_folder_is_the_usual_one(self, tmp_path, url):
        store = remote.store_at(url, tmp_path)
        assert store.folder == tmp_path / ".modeldocs" and store.remote is not None

    @pytest.mark.parametrize(
        ("location", "missing", "fix"),
        [
            ("s3://bucket/store", "s3fs", "pip install s3fs"),
            ("gs://bucket/store", "gcsfs", "pip install gcsfs"),
            ("s3://bucket/store", "fsspec", "pip install 'fsspec[http]'"),
        ],
    )
    def test_a_missing_package_is_told_with_the_command(
        self, monkeypatch, tmp_path, location, missing, fix
    ):
        protocol = location.partition(":")[0]
        monkeypatch.delitem(implementations, protocol, raising=False)
        monkeypatch.setitem(sys.modules, missing, None)
        with pytest.raises(ModeldocsError) as raised:
            remote.store_at(location, tmp_path)
        assert raised.value.fix == fix

    def test_so_is_an_unknown_protocol(self, tmp_path):
        with pytest.raises(ModeldocsError, match="nowhere:// is no protocol"):
            remote.store_at("nowhere://bucket", tmp_path)


def test_pruning_leaves_it_as_it_is(machine, url, models, tmp_path):
    machine("a", url)
    before = held(url)
    (models / "net" / "caffe.prototxt").unlink()
    assert prune(catalog.read(models), remote.store_at(url, tmp_path / "a")).answers
    assert held(url) == before


def test_ports_see_no_credentials(tmp_path, url, monkeypatch):
    names = ("AWS_SECRET_ACCESS_KEY", "FSSPEC_S3_SECRET", "GOOGLE_APPLICATION_CREDENTIALS")
    for name in names:
        monkeypatch.setenv(name, "hidden")
    port = tmp_path / "ports" / "net" / "pytorch.py"
    port.parent.mkdir(parents=True)
    port.write_text("import os, torch\nprint(sorted(os.environ))\nmodel = 1\n")
    store = Store(tmp_path / "store", remote.RemoteStore(url))
    read = catalog.read(tmp_path / "ports")
    results = build.build(read, store, workers=1)
    printed = results.loaded(read.models[0], read.models[0].ports[0]).printed
    assert "HOME" in printed and not [name for name in names if name in printed]
