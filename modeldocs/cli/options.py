"""Options that several commands share."""

from __future__ import annotations

from contextlib import AbstractContextManager
from pathlib import Path

import click

from modeldocs import sources
from modeldocs.catalog import Port

models = click.option(
    "--models",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path("models"),
    show_default=True,
    help="The catalog's folder.",
)
framework = click.option(
    "--framework", "-f", help="Framework of the source, where it is not recognised."
)
arguments = click.option(
    "--args", "args", help="Keyword arguments of the callable, as a JSON object."
)
inputs = click.option(
    "--input",
    "inputs",
    multiple=True,
    metavar="NAME=1,3,224,224",
    help="Shape of an input, with its type if it is not float32 (ids=1,128:int64); "
    "can be given several times.",
)


def resolve(
    source: str, models: Path, framework: str | None, args: str | None, inputs: tuple[str, ...]
) -> AbstractContextManager[Port]:
    """The port that `source` names, with the values of these options; see `sources.resolve`."""
    return sources.resolve(
        source,
        models,
        framework=framework,
        args=sources.parse_args(args),
        inputs=sources.parse_inputs(inputs),
    )
