"""The SavedModel in a zip: its graph alone is unpacked, since values of variables are not read."""

from __future__ import annotations

import stat
import zipfile
import zlib
from pathlib import Path, PurePosixPath

from modeldocs.errors import ModeldocsError

GRAPHS = ("saved_model.pb", "saved_model.pbtxt")
MAX_BYTES = 2**30
"""Bytes of an unpacked graph, the limit of its loader."""

MAX_ENTRIES = 100_000
_ENCRYPTED = 1
_PART = 2**20
_BROKEN = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, ValueError)
_FIX = "zip the folder that tf.saved_model.save wrote, or give the file itself"


def unpack(archive: Path, folder: Path) -> Path:
    """Write the graph of the SavedModel in `archive` to a new folder in `folder`; that folder.

    The name of no entry is used as a path.

    Raises:
        ModeldocsError: it is broken or unsafe, is too large, or holds not one SavedModel.
    """
    try:
        with zipfile.ZipFile(archive) as opened:
            entry = _graph(opened.infolist(), archive.name)
            target = folder / archive.stem
            target.mkdir()
            _copy(opened, entry, target / PurePosixPath(entry.filename).name, archive.name)
    except _BROKEN as error:
        raise ModeldocsError(
            f"is not a whole zip archive: {error}", file=archive.name, fix=_FIX
        ) from None
    return target


def _graph(entries: list[zipfile.ZipInfo], name: str) -> zipfile.ZipInfo:
    """The entry that is the graph of the archive's only SavedModel."""
    if len(entries) > MAX_ENTRIES:
        raise ModeldocsError(f"holds more than {MAX_ENTRIES:,} files", file=name, fix=_FIX)
    for entry in entries:
        if _leads_out(entry):
            raise ModeldocsError(
                f"holds {entry.filename[:80]!r}, which leads out of its folder",
                file=name,
                fix=_FIX,
            )
    paths = [entry for entry in entries if PurePosixPath(entry.filename).name in GRAPHS]
    graphs = [entry for entry in paths if not entry.filename.startswith("__MACOSX/")]
    if len(graphs) != 1:
        found = ", ".join(entry.filename for entry in graphs[:5])
        reason = f"holds several SavedModels: {found}" if graphs else "holds no saved_model.pb"
        raise ModeldocsError(reason, file=name, fix=_FIX)
    if graphs[0].flag_bits & _ENCRYPTED:
        raise ModeldocsError("is encrypted", file=name, fix="zip it without a password")
    return graphs[0]


def _leads_out(entry: zipfile.ZipInfo) -> bool:
    """Whether an entry is a link, or its name an absolute path or one with `..`."""
    path = PurePosixPath(entry.filename.replace("\\", "/"))
    is_link = stat.S_ISLNK(entry.external_attr >> 16)
    return is_link or path.is_absolute() or ".." in path.parts or ":" in entry.filename


def _copy(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, target: Path, name: str) -> None:
    """Unpack an entry, at most `MAX_BYTES` of it whatever the archive says of its size."""
    left = MAX_BYTES
    with archive.open(entry) as source, target.open("wb") as stream:
        while part := source.read(_PART):
            left -= len(part)
            if left < 0:
                raise ModeldocsError(
                    f"unpacks to more than {MAX_BYTES // 2**30} GiB",
                    file=name,
                    fix="save the graph without the values of its variables",
                )
            stream.write(part)
