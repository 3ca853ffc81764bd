"""The documentation says what is so: its examples run, its tables name what there is."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess
from typing import get_args

import click
import msgspec
import pytest
import yaml

from modeldocs.catalog.manifest import (
    Accuracy,
    EnvironmentEntry,
    LimitsEntry,
    Manifest,
    Paper,
    PortEntry,
)
from modeldocs.cli import main
from modeldocs.edits import OPTIONS
from modeldocs.site.catalog.listing import ListedPort
from modeldocs.site.embedded.page import BLOCKS, WORDS
from modeldocs.site.pages import pages
from modeldocs.site.plugin import PluginOptions
from modeldocs.site.project import configure
from modeldocs.site.templating import Templates
from modeldocs.testing import UpTo
from tests.commands import run_here
from tests.ports import build, small
from tests.toy import install, run

REPOSITORY = Path(__file__).parents[1]
GUIDE = REPOSITORY / "site_src" / "guide"
DOCUMENTS = [REPOSITORY / "README.md", REPOSITORY / "CONTRIBUTING.md", *sorted(GUIDE.glob("*.md"))]


def blocks(name: str, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", (GUIDE / name).read_text(), re.S)


@pytest.mark.parametrize("kind", [Manifest, PortEntry])
def test_every_field_of_the_manifest_has_a_row(kind: type[msgspec.Struct]) -> None:
    rows = re.findall(r"^\| `(\w+)` \|", (GUIDE / "catalog.md").read_text(), re.M)
    assert {field.name for field in msgspec.structs.fields(kind)} <= set(rows)


@pytest.mark.parametrize("kind", [Accuracy, Paper, LimitsEntry, EnvironmentEntry])
def test_what_a_field_holds_is_named(kind: type[msgspec.Struct]) -> None:
    text = (GUIDE / "catalog.md").read_text()
    assert all(f"`{field.name}`" in text for field in msgspec.structs.fields(kind))


def test_the_manifest_of_the_example_is_valid() -> None:
    example = yaml.safe_load(blocks("catalog.md", "yaml")[0])
    assert msgspec.convert(example, Manifest).reference == "pytorch"


def test_the_plugins_options_are_those_of_the_example() -> None:
    example = yaml.safe_load(blocks("index.md", "yaml")[0])["plugins"][1]["modeldocs"]
    options = dict(PluginOptions._schema)
    assert set(example) == set(options)
    defaults = {
        name: option.default
        for name, option in options.items()
        if name not in ("jobs", "scheduler", "installation")
    }
    assert {name: example[name] for name in defaults} == defaults


def test_every_call_of_own_pages_has_a_row() -> None:
    rows = re.findall(r"^\| `\{\{ (\w+)\(", (GUIDE / "embedding.md").read_text(), re.M)
    assert set(rows) == {*BLOCKS, *WORDS}


def python_in(document: Path) -> str:
    """The first Python example of a document."""
    (found,) = re.findall(r"```python[^\n]*\n(.*?)```", document.read_text(), re.S)[:1]
    return found


@pytest.mark.parametrize(
    "document",
    [
        REPOSITORY / "README.md",
        GUIDE / "index.md",
        REPOSITORY / "templates" / "new" / "README.md.j2",
    ],
    ids=str,
)
def test_the_first_port_of_pytorch_loads_as_it_is(document: Path, tmp_path: Path) -> None:
    pytest.importorskip("torch")
    file = tmp_path / "models" / "first" / "pytorch.py"
    file.parent.mkdir(parents=True)
    file.write_text(python_in(document))
    result = run_here("load", "first/pytorch", cwd=tmp_path)
    assert "2 layers, input input 1×1×28×28; 156 parameters" in result.stdout, result.stderr


def test_the_guide_of_python_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its blocks, one after another, beside a catalog with LeNet."""
    pytest.importorskip("torch")
    for name in ("pytorch.py", "caffe.prototxt", "model.yml"):
        copy = tmp_path / "models" / "lenet" / name
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes((REPOSITORY / "models" / "lenet" / name).read_bytes())
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    for block in blocks("python.md", "python"):
        exec(block, names)
    told = capsys.readouterr().out
    for line in ("different-results", "same", "verified", "no inputs are given"):
        assert re.search(rf"^{line}", told, re.M), told
    assert "class LeNet(nn.Module)" in told or "class Lenet(nn.Module)" in told


def test_the_edits_of_the_guide_can_be_made(tmp_path: Path) -> None:
    copy = tmp_path / "models" / "lenet" / "caffe.prototxt"
    copy.parent.mkdir(parents=True)
    copy.write_bytes((REPOSITORY / "models" / "lenet" / copy.name).read_bytes())
    commands = blocks("edit.md", "sh")[0].splitlines()
    for command in commands:
        result = run_here(*command.split()[1:], cwd=tmp_path)
        assert result.returncode == 0, result.stderr


def test_every_option_that_is_an_edit_has_a_row() -> None:
    rows = re.findall(r"^\| `--(\w+) ", (GUIDE / "edit.md").read_text(), re.M)
    assert tuple(rows) == OPTIONS


def test_every_difference_that_may_pass_has_a_row() -> None:
    rows = re.findall(r'^\| `"(\w+)"` \|', (GUIDE / "python.md").read_text(), re.M)
    assert set(rows) == set(get_args(UpTo))


def test_the_example_reads_the_state_of_a_published_catalog(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    catalog, _, results = build(tmp_path, {"a": small(), "b": None}, monkeypatch, "title: Net\n")
    for page in pages(catalog, results, Templates()):
        if page.path == "catalog.json":
            (tmp_path / page.path).write_bytes(page.content)
    example = python_in(GUIDE / "publishing.md")
    exec(example.replace("https://example.org/nets/", f"{tmp_path.as_uri()}/"))
    told = capsys.readouterr().out
    assert told == f"Net, b: {tmp_path.as_uri()}/models/m/ports/b/index.html\n"


def test_every_field_of_a_port_in_catalog_json_has_a_row() -> None:
    rows = re.findall(r"^\| (`\w+`(?:, `\w+`)*) \|", (GUIDE / "publishing.md").read_text(), re.M)
    told = {name.strip("`") for row in rows for name in row.split(", ")}
    assert told == {field.name for field in msgspec.structs.fields(ListedPort)}


@pytest.mark.parametrize("block", blocks("publishing.md", "yaml"))
def test_settings_that_are_shown_are_those_of_mkdocs(block: str, tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    settings = {"site_name": "a", "plugins": ["modeldocs"]} | yaml.safe_load(block)
    (tmp_path / "mkdocs.yml").write_text(yaml.safe_dump(settings))
    config, _ = configure(tmp_path / "mkdocs.yml")
    assert {name: config[name] for name in yaml.safe_load(block)} == yaml.safe_load(block)


@pytest.fixture(scope="module")
def toy(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., CompletedProcess[str]]:
    """`toy(command, text)`: a command on a net, with the example's loader installed."""
    place = tmp_path_factory.mktemp("toy")
    install(place)

    def run_command(command: str, text: str) -> CompletedProcess[str]:
        (place / "net.toy").write_text(text)
        return run(place, command, "net.toy")

    return run_command


def test_the_loader_of_the_example_loads(toy) -> None:
    assert "2 layers, input x 1×8; 128 parameters" in toy("load", "dense 16\nrelu").stdout


def test_the_loader_of_the_example_names_the_line_of_a_mistake(toy) -> None:
    output = toy("load", "dense 16\nrellu").stderr
    assert "net.toy:2" in output and "'rellu', which is no layer" in output


def test_the_loader_of_the_example_proves_what_it_loads(toy) -> None:
    output = " ".join(toy("verify", "dense 16\nrelu\ndense 4").stdout.split())
    assert "net.toy toy 1.0" in output and "192 + 0 verified" in output


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_every_command_that_is_named_exists(document: Path) -> None:
    context = click.Context(main)
    for name in re.findall(r"(?:^ {4}|`|^)modeldocs ([a-z]+)", document.read_text(), re.M):
        assert main.get_command(context, name) is not None, name


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_every_file_that_is_linked_exists(document: Path) -> None:
    generated = ("../models/", "../schemas/", "../proofs/", "../compare/")
    for target in re.findall(r"\]\(([^)#]+)\)", document.read_text()):
        if not target.startswith(("http", *generated)):
            assert (document.parent / target).exists(), target
