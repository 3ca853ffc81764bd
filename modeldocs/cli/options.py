"""Options that several commands share."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import click

from modeldocs import sources
from modeldocs.catalog import Port
from modeldocs.tasks.store import Store

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

_STORE = Path(".modeldocs")

store = click.option(
    "--store",
    type=click.Path(path_type=Path),
    default=_STORE,
    show_default=True,
    help="Folder of stored results.",
)
optional_store = click.option(
    "--store",
    type=click.Path(path_type=Path),
    help="Folder of stored results.  [default: .modeldocs, beside a catalog]",
)


@contextmanager
def opened_store(store: Path | None, models: Path) -> Iterator[Store]:
    """The store to work with, in use until the block ends.

    Where none is given, none is there and there is no catalog, or where it cannot be written, it is
    a temporary one: to look at a file in some folder leaves nothing in that.
    """
    folder = store or _STORE
    if store or folder.is_dir() or models.is_dir():
        place = next(one for one in (folder, *folder.absolute().parents) if one.exists())
        if os.access(place, os.W_OK):
            with Store(folder).in_use():
                yield Store(folder)
            return
    with tempfile.TemporaryDirectory(prefix="modeldocs-store-") as temporary:
        yield Store(Path(temporary))


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
