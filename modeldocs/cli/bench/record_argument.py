"""A record that the user names: a file, or `model/record` of the catalog."""

from __future__ import annotations

import difflib
from pathlib import Path

from modeldocs import catalog
from modeldocs.benchmarks import record
from modeldocs.benchmarks.record import Record
from modeldocs.cli import terminal
from modeldocs.errors import ModeldocsError


def find(source: str, models: Path) -> tuple[Path, Record]:
    """The record that `source` names, and its file.

    Raises:
        ModeldocsError: there is no such record, or it is broken.
    """
    path = Path(source)
    if not path.is_file():
        path = _in_catalog(source, models)
    try:
        data = path.read_bytes()
    except OSError as error:
        raise ModeldocsError(f"cannot be read: {error.strerror}", file=path) from None
    return path, record.decode(data, file=terminal.relative(path))


def _in_catalog(source: str, models: Path) -> Path:
    """The file of `model/name`; the name may be the end of the file's, such as its tag."""
    model, _, name = source.partition("/")
    folders = {one.id: Path(one.folder) for one in catalog.read(models).models}
    files = record.files(folders[model]) if model in folders else []
    exact = [file for file in files if name in (file.stem, file.name)]
    found = exact or [file for file in files if name and file.stem.endswith(f"-{name}")]
    if len(found) == 1:
        return found[0]
    if found:
        raise ModeldocsError(
            f"{source!r} is the end of {len(found)} records", fix=f"name {model}/{found[0].stem}"
        )
    names = [f"{model}/{file.stem}" for file in files]
    close = difflib.get_close_matches(source, names, n=1)
    fix = "name a file, or a record of `modeldocs bench list` as model/record"
    raise ModeldocsError(
        f"there is no record {source!r}", fix=f"did you mean {close[0]}?" if close else fix
    )
