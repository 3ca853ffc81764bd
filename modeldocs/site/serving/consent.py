"""Which files may run code when they are loaded, and need the reader's consent."""

from __future__ import annotations

from pathlib import PurePath
from typing import Final

from modeldocs.errors import ModeldocsError

ARCHIVE: Final = ".zip"

DATA: Final[dict[str, tuple[str, ...]]] = {
    "caffe": (".prototxt", ".pbtxt", ".prototext", ".caffemodel"),
    "keras": (".keras", ".h5", ".hdf5", ".json"),
    "mxnet": (".json",),
    "onnx": (".onnx",),
    "tensorflow": (".pb", ".pbtxt", ".meta", ARCHIVE),
}
"""Suffixes of files that these frameworks' loaders parse and never execute. Any other file counts
as code: Python, Lua, PyTorch's archives, and whatever a loader of another package takes."""


def runs_code(name: str, framework: str = "") -> bool:
    """Whether loading a file may run code; without a framework, whether any known one parses it."""
    suffix = PurePath(name).suffix.lower()
    known = [framework] if framework else list(DATA)
    return not any(suffix in DATA.get(one, ()) for one in known)


def check(name: str, framework: str, *, trusted: bool) -> None:
    """Refuse a file that may run code, unless the reader trusts it.

    Raises:
        ModeldocsError: it may run code, and is not trusted.
    """
    if not trusted and runs_code(name, framework):
        raise ModeldocsError(
            "is a program: loading it runs its code",
            file=name,
            fix="tick that you trust it, if you do, and compare again",
        )
