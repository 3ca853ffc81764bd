"""What `--help` says, and what it does not yet."""

from __future__ import annotations

import re

import click
import pytest

from modeldocs import __version__
from modeldocs.cli import main


def commands(group: click.Group, *path: str) -> list[tuple[str, ...]]:
    found: list[tuple[str, ...]] = [path]
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if isinstance(command, click.Group):
            found += commands(command, *path, name)
        else:
            found.append((*path, name))
    return found


def test_the_commands_of_this_version_stand_in_the_order_a_newcomer_needs_them(run):
    output = run("--help").stdout
    names = re.findall(r"^  ([a-z]+) ", output.split("Commands:")[1], re.M)
    assert names == [
        "new",
        "build",
        "serve",
        "load",
        "draw",
        "diff",
        "verify",
        "generate",
        "edit",
        "convert",
        "history",
        "preview",
        "ci",
        "bench",
        "store",
        "env",
        "doctor",
    ]


@pytest.mark.parametrize("name", ["previews", "nonsense"])
def test_a_command_that_is_not_there_is_told(refused, name):
    assert f"No such command '{name}'" in refused(name)


@pytest.mark.parametrize("path", commands(main), ids=" ".join)
def test_help_fits_and_is_not_cut_off(run, path):
    result = run(*path, "--help")
    assert result.exit_code == 0
    assert "..." not in re.sub(r"\[[A-Z]+\]\.\.\.", "", result.stdout)
    assert max(map(len, result.stdout.splitlines())) <= 80
    assert result.stdout == run(*path, "-h").stdout


@pytest.mark.parametrize("path", commands(main), ids=" ".join)
def test_every_option_says_what_it_is_for(path):
    command: click.Command = main
    for name in path:
        assert isinstance(command, click.Group)
        found = command.get_command(click.Context(command), name)
        assert found is not None
        command = found
    assert command.help
    for option in command.params:
        if isinstance(option, click.Option):
            assert option.help, f"{path} {option.name}"


def test_the_version(run):
    assert run("--version").stdout == f"modeldocs, version {__version__}\n"
