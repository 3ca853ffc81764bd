"""Options that several commands share."""

from __future__ import annotations

import json
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import click

from modeldocs import sources
from modeldocs.catalog import Port
from modeldocs.errors import ModeldocsError

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
        args=parse_args(args),
        inputs=sources.parse_inputs(inputs),
    )


def parse_args(text: str | None) -> dict[str, Any]:
    """The value of `--args`, empty where it is not given.

    Raises:
        ModeldocsError: it is not a JSON object.
    """
    try:
        arguments = json.loads(text) if text else {}
    except json.JSONDecodeError as error:
        raise ModeldocsError(
            f"--args is not JSON: {error}", fix="""write --args '{"classes": 10}'"""
        ) from None
    if not isinstance(arguments, dict):
        raise ModeldocsError("--args is not an object", fix="""write --args '{"classes": 10}'""")
    return arguments
