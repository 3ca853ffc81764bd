"""`modeldocs load` and `diff` share the store of `build`, and print what they print without it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading

import pytest

from modeldocs import catalog, diff
from modeldocs.loaders import loading
from modeldocs.numeric import parity
from modeldocs.tasks import build
from modeldocs.tasks.store import Store
from tests.prototxts import NET
from tests.serial import Serial
from tests.tasks.test_build import log

pytestmark = pytest.mark.xdist_group("stored commands")


@pytest.fixture
def other(folder):
    """A second port that differs from the first, and no broken one."""
    (folder / "models" / "net" / "broken.prototxt").unlink()
    text = NET.replace("kernel_size: 3", "kernel_size: 5")
    (folder / "models" / "net" / "wide.prototxt").write_text(text)
    return "net/wide"


@pytest.fixture
def nothing_runs(monkeypatch):
    """`nothing_runs()`: from then on nothing may be loaded, compared or run."""

    def forbid(*_: object):
        raise AssertionError("ran")

    def forbid_all() -> None:
        for module, name in ((loading, "load"), (diff, "compare"), (parity, "compare")):
            monkeypatch.setattr(module, name, forbid)

    return forbid_all


def built(folder):
    return build.build(
        catalog.read(folder / "models"), Store(folder / ".modeldocs"), workers=Serial()
    )


def test_what_a_build_computed_is_not_computed_again(folder, other, run, nothing_runs):
    built(folder)
    nothing_runs()
    assert "112 parameters" in run("load", "net/caffe").stdout
    result = run("diff", "net/caffe", other, "--parity", "--json")
    assert json.loads(result.stdout)["parity"]["a_to_b"]


def test_what_they_computed_is_there_for_a_build(folder, other, run):
    run("load", "net/caffe")
    run("diff", "net/caffe", other, "--parity")
    stored = log(built(folder), "stored")
    assert {name for name in stored if not name.startswith("draw")} == {
        "load net/caffe",
        "load net/wide",
        "diff net/caffe-vs-wide",
        "parity net/caffe-vs-wide",
    }


def test_a_stored_diff_tells_what_a_fresh_one_does(folder, other, run, nothing_runs):
    words = ["diff", "net/caffe", other, "--parity"]
    fresh = {form: run(*words, "--store", f"fresh{form}", *form.split()).stdout
             for form in ("", "--json")}  # fmt: skip
    run(*words, "--html", "fresh.html", "--weights", "fresh.json")
    nothing_runs()
    for form, said in fresh.items():
        assert run(*words, *form.split()).stdout == said
    run(*words, "--html", "stored.html", "--weights", "stored.json")
    for kind in ("html", "json"):
        assert (folder / f"stored.{kind}").read_bytes() == (folder / f"fresh.{kind}").read_bytes()


def test_a_stored_load_tells_what_a_fresh_one_does(folder, run, nothing_runs):
    fresh = [run("load", "net/caffe", *form).stdout for form in ([], ["--json"])]
    run("load", "net/caffe", "--onnx", "fresh.onnx")
    nothing_runs()
    assert [run("load", "net/caffe", *form).stdout for form in ([], ["--json"])] == fresh
    run("load", "net/caffe", "--onnx", "stored.onnx")
    assert (folder / "stored.onnx").read_bytes() == (folder / "fresh.onnx").read_bytes()


def test_a_stored_failure_is_told_again_until_its_file_changes(folder, refused, run, nothing_runs):
    said = refused("load", "net/broken")
    (folder / "models" / "net" / "broken.prototxt").write_text(NET)
    assert run("load", "net/broken").exit_code == 0
    (folder / "models" / "net" / "broken.prototxt").write_text('layer { name: "a" type: ')
    nothing_runs()
    assert refused("load", "net/broken") == said


class TestOtherSources:
    @pytest.fixture
    def repository(self, folder):
        for words in (["init", "-q"], ["add", "."], ["commit", "-qm", "first"]):
            who = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
            subprocess.run(["git", *who, *words], check=True, capture_output=True)
        return folder

    @pytest.mark.parametrize(
        "words",
        [
            ["models/net/caffe.prototxt"],
            ["net/caffe", "--input", "data=1,3,16,16"],
            ["git:HEAD:models/net/caffe.prototxt"],
            ["git:HEAD:net/caffe"],
        ],
    )
    def test_they_are_stored_too(self, repository, run, nothing_runs, words):
        fresh = run("load", *words, "--json").stdout
        nothing_runs()
        assert run("load", *words, "--json").stdout == fresh != ""

    def test_a_port_that_is_as_it_was_at_a_revision_is_loaded_once(
        self, repository, run, nothing_runs
    ):
        run("load", "net/caffe")
        nothing_runs()
        assert run("load", "git:HEAD:net/caffe").exit_code == 0

    def test_settings_and_changes_are_told_apart(self, folder, run):
        shapes = []
        for words in ([], ["--input", "data=1,3,16,16"], ["--input", "data=1,3,12,12"]):
            graph = json.loads(run("load", "net/caffe", *words, "--json").stdout)
            shapes.append(graph["inputs"][0]["type"]["shape"][-1])
        (folder / "models" / "net" / "caffe.prototxt").write_text(NET.replace("dim: 8", "dim: 9"))
        graph = json.loads(run("load", "net/caffe", "--json").stdout)
        assert [*shapes, graph["inputs"][0]["type"]["shape"][-1]] == [8, 16, 12, 9]

    def test_files_of_one_name_in_two_folders_are_told_apart(self, folder, run):
        for name, kernel in (("a", 3), ("b", 5)):
            (folder / name / "x").mkdir(parents=True)
            text = NET.replace("kernel_size: 3", f"kernel_size: {kernel}")
            (folder / name / "x" / "net.prototxt").write_text(text)
        said = [run("load", f"{name}/x/net.prototxt", "--json").stdout for name in "aba"]
        assert said[0] == said[2] != said[1]

    def test_outside_of_a_catalog_nothing_is_left_in_the_folder(self, tmp_path, run, monkeypatch):
        monkeypatch.chdir(tmp_path)
        (tmp_path / "net.prototxt").write_text(NET)
        assert run("load", "net.prototxt").exit_code == 0
        assert [path.name for path in tmp_path.iterdir()] == ["net.prototxt"]
        run("load", "net.prototxt", "--store", "kept")
        assert (tmp_path / "kept" / "answers").is_dir()

    def test_where_the_folder_cannot_be_written_nothing_is_stored(self, folder, run, monkeypatch):
        access = os.access
        monkeypatch.setattr(
            os, "access", lambda path, *of, **by: path != folder and access(path, *of, **by)
        )
        assert run("load", "net/caffe").exit_code == 0
        assert not (folder / ".modeldocs").exists()


def test_both_sides_of_a_diff_load_at_once(folder, other, run, monkeypatch):
    both, load = threading.Barrier(2, timeout=60), loading.load

    def load_together(*arguments):
        both.wait()
        return load(*arguments)

    monkeypatch.setattr(loading, "load", load_together)
    assert run("diff", "net/caffe", other).exit_code == 0


def test_a_source_compared_with_itself_is_loaded_once(folder, run, monkeypatch):
    loads, load = [], loading.load
    monkeypatch.setattr(loading, "load", lambda *of: loads.append(of) or load(*of))
    assert run("diff", "net/caffe", "net/caffe").exit_code == 0
    assert len(loads) == 1


class TestConfigured:
    """The store that mkdocs.yml names is that of all commands, but of previews of a change."""

    @pytest.fixture(autouse=True)
    def config(self, folder):
        (folder / "mkdocs.yml").write_text("plugins: [modeldocs: {store: kept}]")

    @pytest.mark.parametrize("words", [["load", "net/caffe"], ["store", "prune"]])
    def test_commands_use_it(self, folder, run, words):
        (folder / "kept").mkdir()
        assert run(*words).exit_code == 0
        assert (folder / "kept" / "lock").exists() and not (folder / ".modeldocs").exists()

    def test_an_option_overrides_it(self, folder, run):
        run("load", "net/caffe", "--store", "other")
        assert (folder / "other").exists() and not (folder / "kept").exists()

    def test_a_url_keeps_the_local_store_where_it_is(self, folder, run):
        url = f"file://{folder / 'shared'}"
        (folder / "mkdocs.yml").write_text(f"plugins: [modeldocs: {{store: '{url}'}}]")
        run("load", "net/caffe")
        assert (folder / ".modeldocs" / "answers").exists()
        assert {path.name for path in (folder / "shared").iterdir()} == {"objects", "answers"}
        assert f"the remote store {url} is left as it is" in run("store", "prune").stdout

    def test_a_missing_package_is_told_in_one_sentence(self, folder, refused, monkeypatch):
        monkeypatch.setitem(sys.modules, "s3fs", None)
        said = refused("load", "net/caffe", "--store", "s3://bucket/store")
        assert "needs a package that is not installed" in said and "pip install s3fs" in said
