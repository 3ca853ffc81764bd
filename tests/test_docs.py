"""The documentation says what is so: its examples run, its tables name what there is."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import click
import msgspec
import pytest
import yaml

from modeldocs.catalog.manifest import EnvironmentEntry, LimitsEntry, Manifest, Paper, PortEntry
from modeldocs.cli import main
from modeldocs.site.plugin import Options
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


@pytest.mark.parametrize("kind", [Paper, LimitsEntry, EnvironmentEntry])
def test_what_a_field_holds_is_named(kind: type[msgspec.Struct]) -> None:
    text = (GUIDE / "catalog.md").read_text()
    assert all(f"`{field.name}`" in text for field in msgspec.structs.fields(kind))


def test_the_manifest_of_the_example_is_valid() -> None:
    example = yaml.safe_load(blocks("catalog.md", "yaml")[0])
    assert msgspec.convert(example, Manifest).reference == "pytorch"


def test_the_plugins_options_are_those_of_the_example() -> None:
    example = yaml.safe_load(blocks("index.md", "yaml")[0])["plugins"][1]["modeldocs"]
    options = dict(Options._schema)
    assert set(example) == set(options)
    defaults = {name: option.default for name, option in options.items() if name != "jobs"}
    assert {name: example[name] for name in defaults} == defaults


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
