"""Options that several commands share."""

from __future__ import annotations

import re
from contextlib import AbstractContextManager
from pathlib import Path

import click

from modeldocs import sources
from modeldocs.catalog import Port
from modeldocs.tasks.remote_files import is_url

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
    "a scalar has a type alone (step=:int64). Can be given several times.",
)

loaded_inputs = click.option(
    "--loaded-input",
    "loaded_inputs",
    multiple=True,
    metavar="NAME=1,3,224,224",
    help="Shape of an input that the source is loaded with, where it does not say it.",
)


class _StoreLocation(click.ParamType[str]):
    """A folder, or the URL of a remote store: as text, a folder with its absolute path."""

    name = "DIR or URL"

    def convert(self, value: str, _param: object, _context: object) -> str:
        return value if is_url(value) else str(Path(value).absolute())


LOCATION = _StoreLocation()


class _Address(click.ParamType[str]):
    """An address of the web that fits into a link of Markdown as it is."""

    name = "URL"

    def convert(self, value: str, _param: object, _context: object) -> str:
        if value and not _WEB_ADDRESS.fullmatch(value):
            self.fail(f"{value!r} is no address of a site, such as https://example.org/nets/")
        return value


ADDRESS = _Address()
_WEB_ADDRESS = re.compile(r"https?://[A-Za-z0-9._~:/@%+,=&;\[\]-]+")
_STORE_HELP = (
    "Folder of stored results, or the URL of a remote store (s3://…) that .modeldocs is filled "
    "from.  [default: "
)

store = click.option(
    "--store", type=LOCATION, help=f"{_STORE_HELP}as in mkdocs.yml, else .modeldocs]"
)
unconfigured_store = click.option("--store", type=LOCATION, help=f"{_STORE_HELP}.modeldocs]")
"""The option of a command that must not heed mkdocs.yml, which may be part of a change."""


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
