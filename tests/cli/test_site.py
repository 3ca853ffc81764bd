"""`modeldocs build` and `serve`: exit codes, the summary, and whose files are safe from them."""

from __future__ import annotations

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time

import pytest

from modeldocs.cli import main

pytestmark = pytest.mark.xdist_group("build command")

CONFIG = """\
site_name: Nets
theme: {name: material, font: false}
plugins: [modeldocs]
"""


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    """A store that holds what the first build of the module left there."""
    return tmp_path_factory.mktemp("store")


@pytest.fixture
def build(folder, run, store):
    def run_build(*words: str):
        return run("build", "--jobs", "1", "--store", str(store), *words)

    return run_build


def test_a_failing_port_is_counted_and_the_rest_is_built(folder, build):
    result = build()
    assert result.exit_code == 0
    assert "1 model, 2 ports, 0 diffs, 0 records, 1 failure; " in result.stdout
    assert result.stdout.endswith("\nopen site/index.html\n")
    assert "failed: net/broken: broken.prototxt:1:25: " in result.stderr
    assert "\n  fix: " in result.stderr
    assert (folder / "site" / "models" / "net" / "ports" / "broken" / "index.html").exists()


def test_strict_exits_with_1_after_building_all_the_same(folder, build):
    assert build("--strict").exit_code == 1
    assert (folder / "site" / "index.html").exists()
    (folder / "models" / "net" / "broken.prototxt").unlink()
    assert build("--strict").exit_code == 0


def test_so_does_strict_in_mkdocs_yml(folder, build):
    (folder / "docs").mkdir()
    text = CONFIG.replace("[modeldocs]", "[{modeldocs: {strict: true}}]")
    (folder / "mkdocs.yml").write_text(text)
    assert build().exit_code == 1
    assert (folder / "site" / "index.html").exists()


def test_a_second_build_loads_nothing(folder, build):
    build()
    assert "; 0 loaded now; " in build().stdout


def test_without_mkdocs_yml_nothing_but_the_site_and_the_store_is_left(folder, run):
    before = {path.name for path in folder.iterdir()}
    assert run("build", "--jobs", "1").exit_code == 0
    assert {path.name for path in folder.iterdir()} - before == {"site", ".modeldocs"}


def test_pages_are_made_again_where_something_changed_and_only_there(folder, build, store):
    build()
    page = store / "pages" / "models" / "net" / "index.md"
    modified = page.stat().st_mtime_ns
    build()
    assert page.stat().st_mtime_ns == modified
    (folder / "models" / "net" / "model.yml").write_text("title: Another\n")
    build()
    assert page.stat().st_mtime_ns > modified


@pytest.mark.parametrize("kind", ["pages", "late"])
def test_pages_that_were_damaged_in_the_store_are_made_again(folder, build, store, kind):
    build()
    written = {path: path.read_bytes() for path in (store / kind).rglob("*") if path.is_file()}
    lost, cut, other, *_ = written
    lost.unlink()
    cut.write_bytes(written[cut][:-9])
    other.write_bytes(written[other].swapcase())
    build()
    assert {path: path.read_bytes() for path in written} == written


def test_a_site_whose_build_was_killed_is_built_over(folder, build):
    build("--out", "out")
    (folder / "out" / "index.html").unlink()
    for name in ("404.html", "sitemap.xml"):
        (folder / "out" / name).unlink()
    assert build("--out", "out").exit_code == 0
    assert (folder / "out" / "index.html").exists()


def test_a_folder_is_built_without_mkdocs(folder, store):
    code = (
        "import sys; from modeldocs.cli import main; sys.argv[1:] = "
        f"['build', '--folder', '--store', {str(store)!r}]\n"
        "try: main()\n"
        "finally: assert not any(name.startswith('mkdocs') for name in sys.modules)"
    )
    process = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert process.returncode == 0, process.stderr
    assert (folder / "pages" / "index.md").is_file()


def test_without_mkdocs_yml_templates_of_ones_own_are_used(folder, build):
    (folder / "templates").mkdir()
    (folder / "templates" / "home.md.j2").write_text("# Our own home\n")
    build()
    assert "Our own home" in (folder / "site" / "index.html").read_text("utf-8")


def test_out_says_where(folder, build):
    assert build("--out", "a/b").stdout.endswith("open a/b/index.html\n")
    assert (folder / "a" / "b" / "index.html").exists()


def test_a_catalog_elsewhere(folder, build, tmp_path_factory):
    other = tmp_path_factory.mktemp("other")
    shutil.move(folder / "models", other / "nets")
    assert build("--models", str(other / "nets")).exit_code == 0


def test_a_plain_folder_for_other_generators(folder, build):
    result = build("--folder")
    assert result.stdout.endswith("\nopen pages/index.md\n")
    assert (folder / "pages" / "SUMMARY.md").exists()
    assert not (folder / "site").exists()


class TestRefusals:
    def test_no_catalog(self, tmp_path, monkeypatch, refused):
        monkeypatch.chdir(tmp_path)
        for words in ([], ["--folder"], ["--models", "lost"]):
            output = refused("build", *words)
            assert "the catalog's folder does not exist\n  fix: pass --models DIR" in output
        assert list(tmp_path.rglob("*")) == []

    @pytest.mark.parametrize("words", [[], ["--folder"]])
    @pytest.mark.parametrize("out", [".", "..", "models", "models/net", "models/site"])
    def test_a_site_over_the_catalog(self, folder, refused, words, out):
        assert "would be written over" in refused("build", *words, "--out", out)
        assert (folder / "models" / "net" / "caffe.prototxt").exists()

    def test_a_site_over_other_files(self, folder, refused):
        (folder / "docs").mkdir()
        (folder / "docs" / "mine.md").write_text("mine")
        output = refused("build", "--out", "docs")
        assert output.startswith(
            "modeldocs: docs: holds files, and is no site that modeldocs wrote"
        )
        assert (folder / "docs" / "mine.md").exists()

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("site_name: [", "mkdocs.yml: "),
            ("theme: material\n", "mkdocs.yml: Config value 'site_name'"),
            (f"{CONFIG}theme: nosuch\n", "mkdocs.yml: "),
            (CONFIG.replace("[modeldocs]", "[nosuch]"), '"nosuch" plugin is not installed'),
            (CONFIG.replace("[modeldocs]", "[search]"), "mkdocs.yml: does not list the plugin"),
            (CONFIG.replace("[modeldocs]", "[{modeldocs: {jobs: many}}]"), "mkdocs.yml: "),
            (f"{CONFIG}docs_dir: lost\n", "Config value 'docs_dir'"),
            ("", "mkdocs.yml: "),
            ("- a\n", "mkdocs.yml: "),
        ],
    )
    def test_a_mistake_in_mkdocs_yml_is_one_sentence(self, folder, run, text, message):
        (folder / "mkdocs.yml").write_text(text)
        if "lost" not in text:
            (folder / "docs").mkdir()
        result = run("build", "--jobs", "1")
        assert (result.exit_code, result.stdout) == (2, "")
        assert message in result.stderr

    def test_an_option_that_there_is_none_of_is_a_warning(self, folder, build):
        (folder / "docs").mkdir()
        (folder / "mkdocs.yml").write_text(
            CONFIG.replace("[modeldocs]", "[{modeldocs: {modles: x}}]")
        )
        result = build()
        assert result.exit_code == 0
        assert re.search(r"^warning: .*modles", result.stderr, re.M)

    def test_a_template_with_a_mistake_names_its_line(self, folder, build):
        (folder / "templates").mkdir()
        (folder / "templates" / "home.md.j2").write_text("# Home\n{% if %}\n")
        result = build()
        assert result.exit_code == 2
        assert "home.md.j2:2: is not a valid template: " in result.stderr

    def test_a_store_that_is_a_file(self, folder, refused):
        (folder / "taken").write_text("")
        assert "taken" in refused("build", "--jobs", "1", "--store", "taken")

    def test_serve_without_mkdocs_yml(self, folder, refused):
        output = refused("serve")
        assert output.startswith("modeldocs: there is no mkdocs.yml in this folder\n")
        assert output.endswith("  fix: create one with `modeldocs new .`\n")

    def test_serve_with_a_mistake_in_mkdocs_yml(self, folder, refused):
        (folder / "mkdocs.yml").write_text("site_name: [")
        assert "mkdocs.yml: " in refused("serve")


def test_serve_tells_what_a_rebuild_loads_and_stops_cleanly_at_ctrl_c(folder, store):
    options = f"[{{modeldocs: {{store: '{store}', jobs: 1}}}}]"
    (folder / "mkdocs.yml").write_text(CONFIG.replace("[modeldocs]", options))
    (folder / "docs").mkdir()
    port = folder / "models" / "net" / "caffe.prototxt"
    port.with_name("other.prototxt").write_text(port.read_text())
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{free.getsockname()[1]}"
    command = [sys.executable, "-c", f"from {main.__module__} import main; main()"]
    with (folder / "said.txt").open("wb") as output:
        process = subprocess.Popen(
            [*command, "serve", "--address", address],
            stdout=output,
            stderr=output,
            # a shell's background job ignores it, and so would this process
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )

    def wait_for(text: str) -> None:
        deadline = time.monotonic() + 60
        while text not in (said := (folder / "said.txt").read_text()):
            assert process.poll() is None and time.monotonic() < deadline, said
            time.sleep(0.1)

    try:
        wait_for("Serving on")
        port.write_text(port.read_text().replace("num_output: 4", "num_output: 7"))
        wait_for("running: load net/caffe")
        wait_for("modeldocs: 1 loaded now")
        wait_for("a pair of ports is run with the same weights; the site is served meanwhile")
        wait_for("modeldocs: they were run")
        os.kill(process.pid, signal.SIGINT)
        assert process.wait(30) == 0
    finally:
        process.kill()
        process.wait()
    assert "Traceback" not in (folder / "said.txt").read_text()
