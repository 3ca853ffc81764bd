"""Formats of checkpoints: which file is read and written by which module."""

from __future__ import annotations

import contextlib
import importlib
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from modeldocs.checkpoints.tensors import Tensors
from modeldocs.errors import ModeldocsError, first_line

_PACKAGE: Final = __name__

READ: Final = {
    ".safetensors": "safetensors_file",
    ".weights.h5": "hdf5",
    ".h5": "hdf5",
    ".keras": "hdf5",
    ".npz": "npz",
    ".params": "mxnet_params",
    ".pth": "torch_state",
    ".pt": "torch_state",
    ".caffemodel": "caffemodel",
    ".onnx": "onnx_file",
}
"""The module that reads files of each ending."""

WRITERS: Final = {
    ".safetensors": "safetensors_file:SafetensorsWriter",
    ".weights.h5": "hdf5:Hdf5Writer",
    ".npz": "npz:NpzWriter",
    ".params": "mxnet_params:ParamsWriter",
}
"""The class that writes files of each ending."""

WRITTEN: Final = tuple(WRITERS)
"""Endings of the files that are written."""


_SPREAD: Final = (".onnx",)
"""Endings of the files whose tensors may lie in others of their folder."""


def reads(file: Path) -> list[str]:
    """What a process must be able to read for the tensors of a file: it, or its folder."""
    whole = file.resolve()
    return [str(whole.parent if ending(whole) in _SPREAD else whole)]


def ending(file: Path, known: tuple[str, ...] = tuple(READ)) -> str | None:
    """The longest of the known endings that a file's name has; None where it has none."""
    name = file.name.lower()
    return max((one for one in known if name.endswith(one)), key=len, default=None)


@contextlib.contextmanager
def opened(file: Path, scratch: Path) -> Iterator[Tensors]:
    """The tensors of a file, as long as the block runs; `scratch` is a folder for what has to be
    unpacked.

    Raises:
        ModeldocsError: nothing reads files of that ending, or this one is broken.
    """
    found = ending(file)
    if found is None:
        raise ModeldocsError(
            "is no file of weights that is read here",
            file=file.name,
            fix=f"give one of {', '.join(READ)}",
        )
    module = importlib.import_module(f"{_PACKAGE}.{READ[found]}")
    with contextlib.ExitStack() as stack:
        try:
            tensors: Tensors = stack.enter_context(module.opened(file, scratch))
        except (ModeldocsError, MemoryError):
            raise
        except Exception as error:
            raise ModeldocsError(
                f"cannot be read as {found}: {first_line(error) or type(error).__name__}",
                file=file.name,
                fix="fetch it again, or save it anew in its framework",
            ) from None
        yield tensors
