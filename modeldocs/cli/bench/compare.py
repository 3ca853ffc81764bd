"""`modeldocs bench compare`: the verdict on two records, and their difference explained."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from modeldocs.cli import options, printing, terminal
from modeldocs.cli.bench import compare_output, record_argument

POLICIES = {"slower": "slower", "cannot-tell": "cannot tell"}
"""Verdicts on which a comparison can fail, by their names on the command line."""


@click.command(short_help="Compare two recorded runs.")
@click.argument("a")
@click.argument("b")
@options.models
@click.option("--json", "as_json", is_flag=True, help="Print the comparison as JSON.")
@click.option(
    "--fail-on",
    multiple=True,
    type=click.Choice(list(POLICIES)),
    help="Exit with 1 on this verdict; can be given several times.",
)
def compare(a: str, b: str, models: Path, as_json: bool, fail_on: tuple[str, ...]) -> None:
    """Compare the records A and B: is B slower or faster, and where is the difference?

    A and B are files of records, or model/name with the file's name that `modeldocs bench list`
    prints. The exit code is 0 whatever the verdict, unless --fail-on is given.
    """
    files, records = zip(*(record_argument.find(source, models) for source in (a, b)), strict=True)
    result = compare_output.compare(records, [str(terminal.relative(file)) for file in files])
    if as_json:
        printing.echo(result)
    else:
        compare_output.show(result)
    tripped = [name for name in fail_on if POLICIES[name] == result.verdict.answer]
    if tripped:
        click.echo(f"modeldocs: fails on {', '.join(tripped)}", err=True)
        sys.exit(1)
