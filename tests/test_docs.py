"""The documentation says what is so: its examples run, its tables name what there is."""

from __future__ import annotations

import re
from pathlib import Path

import click
import msgspec
import pytest
import yaml

from modeldocs import origin
from modeldocs.catalog.manifest import LimitsEntry, Manifest, Paper, PortEntry
from modeldocs.cli import main
from modeldocs.loaders import LoadRequest
from modeldocs.normal import normalise
from modeldocs.site.plugin import Options

REPOSITORY = Path(__file__).parents[1]
GUIDE = REPOSITORY / "site_src" / "guide"
DOCUMENTS = [REPOSITORY / "README.md", REPOSITORY / "CONTRIBUTING.md", *sorted(GUIDE.glob("*.md"))]


def blocks(name: str, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", (GUIDE / name).read_text(), re.S)


@pytest.mark.parametrize("kind", [Manifest, PortEntry])
def test_every_field_of_the_manifest_has_a_row(kind: type[msgspec.Struct]) -> None:
    rows = re.findall(r"^\| `(\w+)` \|", (GUIDE / "catalog.md").read_text(), re.M)
    assert {field.name for field in msgspec.structs.fields(kind)} <= set(rows)


@pytest.mark.parametrize("kind", [Paper, LimitsEntry])
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


def test_the_loader_of_the_example_loads(tmp_path: Path) -> None:
    scope: dict[str, type] = {}
    exec(blocks("extending.md", "python")[0], scope)
    source = tmp_path / "net.toy"
    source.touch()
    loader = scope["ToyLoader"]()
    assert loader.recognises(source)
    model = loader.load(LoadRequest(root=str(tmp_path), path=str(source), name="toy"))
    (layer,) = normalise(model).layers
    assert (layer.operator, layer.name) == ("Relu", "r1")
    assert (layer.origins[0].file, layer.origins[0].line) == ("net.toy", 1)
    assert origin.read(next(iter(model.graph))).name == "r1"


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_every_command_that_is_named_exists(document: Path) -> None:
    context = click.Context(main)
    for name in re.findall(r"(?:^ {4}|`|^)modeldocs ([a-z]+)", document.read_text(), re.M):
        assert main.get_command(context, name) is not None, name


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_every_file_that_is_linked_exists(document: Path) -> None:
    generated = ("../models/", "../schemas/")
    for target in re.findall(r"\]\(([^)#]+)\)", document.read_text()):
        if not target.startswith(("http", *generated)):
            assert (document.parent / target).exists(), target
