"""Which files are PyTorch's: Python files that build modules, and archives, by what is in the zip.

`torch.export.save` and `torch.jit.save` keep a graph. `torch.save` keeps a pickle, which can run
any code when it is loaded and holds no graph.
"""

from __future__ import annotations

import enum
import struct
import zipfile
import zlib
from pathlib import Path

from modeldocs.errors import ModeldocsError, first_line
from modeldocs.loaders import LoadRequest
from modeldocs.loaders.python_source import python_file

SUFFIXES = (".pt2", ".pt", ".pth", ".ts", ".jit", ".torchscript")

_BROKEN = (OSError, ValueError, zipfile.BadZipFile, NotImplementedError, EOFError, RuntimeError,
           struct.error, zlib.error)  # fmt: skip
"""What `zipfile` raises when it reads a damaged archive."""

_PICKLE_MAGIC = b"\x80"

_UNEXPLAINED = "We ran into an error when deserializing"
"""The message of an exception that torch raises after it logged the actual reason."""


class ArchiveKind(enum.StrEnum):
    """What wrote an archive."""

    EXPORT = "torch.export.save"
    TORCHSCRIPT = "torch.jit.save"
    PICKLE = "torch.save"
    UNKNOWN = "unknown"


_NO_GRAPH = {
    ArchiveKind.PICKLE: "holds weights in a pickle, not a network: it tells no layers, and is "
    "never unpickled",
    ArchiveKind.UNKNOWN: "is no archive of torch.export or TorchScript, or not whole",
}


def recognises(path: Path) -> bool:
    """Whether a file is a Python file of PyTorch, or an archive with a graph."""
    if path.suffix == ".py":
        return path.stem in ("pytorch", "torch") or python_file.mentions_import(path, "torch")
    return archive_kind(str(path)) in (ArchiveKind.EXPORT, ArchiveKind.TORCHSCRIPT)


def archive_kind(path: str | None) -> ArchiveKind | None:
    """The kind of an archive, by the names in it; None where the suffix is not an archive's."""
    if path is None or not path.endswith(SUFFIXES):
        return None
    try:
        if not zipfile.is_zipfile(path):
            with Path(path).open("rb") as stream:
                is_pickle = stream.read(1) == _PICKLE_MAGIC
            return ArchiveKind.PICKLE if is_pickle else ArchiveKind.UNKNOWN
        with zipfile.ZipFile(path) as archive:
            entries = archive.infolist()
    except _BROKEN:
        return ArchiveKind.UNKNOWN
    # The end of a truncated archive may be that of another archive inside of it.
    if min((entry.header_offset for entry in entries), default=0) > 0:
        return ArchiveKind.UNKNOWN
    return _kind_by_names([entry.filename for entry in entries])


def _kind_by_names(names: list[str]) -> ArchiveKind:
    inner = [name.partition("/")[2] for name in names]
    if any(name.startswith("models/") and name.endswith(".json") for name in inner):
        return ArchiveKind.EXPORT
    if any(name.startswith("code/") for name in inner) and "constants.pkl" in inner:
        return ArchiveKind.TORCHSCRIPT
    return ArchiveKind.PICKLE if "data.pkl" in inner else ArchiveKind.UNKNOWN


def no_graph(request: LoadRequest, kind: ArchiveKind) -> ModeldocsError:
    """The error for an archive without a graph."""
    return ModeldocsError(
        _NO_GRAPH[kind],
        file=request.source,
        fix="name the Python file that builds the network, or save it with torch.export.save",
    )


def unreadable(file: str | None, kind: ArchiveKind, error: BaseException) -> ModeldocsError:
    """The error for an archive whose reading raised an exception."""
    reason = f"{type(error).__name__}: {first_line(error)}"
    if _UNEXPLAINED in reason:
        reason = "it is damaged, or of another version"
    title = "a torch.export" if kind is ArchiveKind.EXPORT else "a TorchScript"
    return ModeldocsError(
        f"cannot be read as {title} archive: {reason}",
        file=file,
        fix="save it again with this version of PyTorch",
    )
