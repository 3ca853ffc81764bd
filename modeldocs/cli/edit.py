"""`modeldocs edit`: a port with changes: what follows from them, and its program."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from modeldocs import edits, generators, ir
from modeldocs.catalog import Port
from modeldocs.cli import diff_output, generate, options, printing, target, terminal
from modeldocs.cli.load import load_ports
from modeldocs.edits import Edit
from modeldocs.errors import ModeldocsError
from modeldocs.site import configured_store, document
from modeldocs.site.pair import report
from modeldocs.site.progress import shown_progress
from modeldocs.site.templating import Templates
from modeldocs.tasks.edits import edited
from modeldocs.tasks.load import Load
from modeldocs.tasks.ports import Ports
from modeldocs.tasks.programs import GeneratedProgram, ProgramGenerator
from modeldocs.tasks.store import Store

_ORDER = "modeldocs.edit.order"
"""The key of the names of the options in the order in which they were given."""

_EDITED = "edited"
"""What reports call the network with its edits."""


class _EditCommand(click.Command):
    """Keeps the order of its options, in which edits are applied."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        _, _, order = self.make_parser(ctx).parse_args(args=list(args))
        ctx.meta[_ORDER] = [one.name for one in order]
        return super().parse_args(ctx, args)


@click.command(cls=_EditCommand, short_help="Change a port, see what follows, write it out.")
@click.argument("source")
@click.option(
    "--set",
    "set",
    multiple=True,
    metavar="LAYER.SETTING=VALUE",
    help="Give a layer a setting: an attribute (conv-3.strides=2,2), its channels or units, heads, "
    "or the operator of an activation (relu-2.operator=Gelu).",
)
@click.option(
    "--remove", multiple=True, metavar="LAYER", help="Take out a layer, or a block of layers."
)
@click.option(
    "--insert",
    multiple=True,
    metavar="after=LAYER:OPERATOR",
    help="Put in a layer, with settings if any: after=conv-3:Conv:channels=64:kernel_shape=3.",
)
@click.option(
    "--repeat", multiple=True, metavar="BLOCK=COUNT", help="Repeat a block another number of times."
)
@click.option(
    "--input", multiple=True, metavar="NAME=1,3,256,256", help="Give an input another shape."
)
@click.option("--to", "to", metavar="TARGET", help="Write a program of this framework.")
@click.option(
    "--output",
    "-o",
    type=click.Path(path_type=Path, dir_okay=False),
    help="The file of the program; without one it is printed.",
)
@click.option("--no-proof", is_flag=True, help="Do not prove the program; it says so.")
@click.option("--json", "as_json", is_flag=True, help="Print the diff as JSON.")
@click.option(
    "--html",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Write the diff as one HTML file.",
)
@options.models
@options.framework
@options.arguments
@options.loaded_inputs
@options.store
@click.pass_context
def edit(
    context: click.Context,
    /,
    source: str,
    to: str | None,
    output: Path | None,
    no_proof: bool,
    as_json: bool,
    html: Path | None,
    models: Path,
    framework: str | None,
    args: str | None,
    loaded_inputs: tuple[str, ...],
    store: str | None,
    **given: tuple[str, ...],
) -> None:
    """Change SOURCE, and compute the shapes, parameters and MACs of all layers again.

    SOURCE is what `modeldocs load` accepts. Layers and blocks have the names and ids that its
    report and `modeldocs load` show. The edits are applied in the order in which they are given,
    and can all be given several times. Without --to, what follows is printed as the diff of SOURCE
    with the edited network; with --to, the edited network is written as a program and proven, as
    by `modeldocs generate`. The exit code is 2 where a layer does not fit any more.
    """
    changes = list(_edits(context.meta[_ORDER], given))
    if not changes:
        raise ModeldocsError("no edit is given", fix="add one, such as --set conv-3.strides=2,2")
    if to is None and output is not None:
        raise ModeldocsError("-o is the file of a program", fix="add --to with its framework")
    target.check(output, generate.SIGN, "program")
    target.check(html, document.SIGN, "report")
    with (
        configured_store.opened_store(store, models) as opened,
        options.resolve(source, models, framework, args, loaded_inputs) as port,
    ):
        loaded = load_ports(opened, {source: port})[source]
        result = edited(loaded, changes, Ports(opened).place)
        if html is not None or to is None:
            _show(opened, source, (loaded, result), html, as_json=as_json, silent=to is not None)
        if to is not None:
            made = _program(opened, source, port, result, changes, to, proven=not no_proof)
            generate.write(output, made)


def _edits(order: Sequence[str], given: Mapping[str, tuple[str, ...]]) -> Iterator[Edit]:
    """The edits in the order in which their options were given."""
    values: dict[str, Any] = {name: iter(given[name]) for name in edits.OPTIONS}
    for name in order:
        if name in values:
            yield edits.parse(name, next(values[name]))


def _show(
    store: Store,
    source: str,
    both: tuple[Load, Load],
    html: Path | None,
    *,
    as_json: bool,
    silent: bool,
) -> None:
    """Print what the edits changed, or write it as a report."""
    names = (source, _EDITED)
    with shown_progress() as progress:
        found = Ports(store, progress).diff(" and ".join(names), *both).diff
    a, b = (ir.decode(store.read(str(one.graph))) for one in both)
    if html is not None:
        html.write_text(report.html(found, (a, b), names, Templates()), "utf-8")
    if silent:
        return
    if as_json:
        printing.echo(found)
    else:
        diff_output.show(found, (a, b), names)


def _program(
    store: Store,
    source: str,
    port: Port,
    result: Load,
    changes: Sequence[Edit],
    to: str,
    *,
    proven: bool,
) -> GeneratedProgram:
    """The program of an edited port; a program that is not proven ends the command."""
    with shown_progress() as progress:
        programs = ProgramGenerator(Ports(store, progress), generators.target(to))
        made = programs.generate(source, port, result, proven=proven, changes=changes)
    if made.reason is not None:
        click.echo(terminal.safe(f"not proven: {made.reason}"), err=True)
        sys.exit(1)
    return made
