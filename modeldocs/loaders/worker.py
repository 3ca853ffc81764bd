"""The worker process: loads one port and leaves its ONNX, its layers, and how that went.

Run by `modeldocs.loaders.isolated` in a process of `modeldocs.isolation`. `modeldocs.proof.worker`
proves ports in the same way.
"""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import logging
import os
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

import modeldocs
from modeldocs import digest, isolation
from modeldocs.errors import Failure, ModeldocsError, first_line
from modeldocs.loaders import Loader, LoadRequest
from modeldocs.loaders.callables import OwnFiles
from modeldocs.struct import Struct

if TYPE_CHECKING:
    import onnx_ir as ir

MODEL, NORMAL, GRAPH = "model.onnx", "normal.onnx", "graph.json"
"""What a load leaves in its folder."""


class WorkRequest(Struct, frozen=True):
    """What a worker is asked: the framework, its loader (`module:class`), and what to load.

    `beside` is the folder that the loader's package lies in, where that is not ours: an environment
    of its own does not have it installed.
    """

    framework: str
    loader: str
    load: LoadRequest
    beside: str | None = None

    def made(self) -> Loader:
        """The loader."""
        module, _, name = self.loader.partition(":")
        if self.beside is not None and self.beside not in sys.path:
            sys.path.append(self.beside)
        made: Loader = getattr(importlib.import_module(module), name)()
        return made


class WorkResult(Struct, frozen=True):
    """What a worker says: a failure, or none; the files it read, each with its digest."""

    failure: Failure | None = None
    read: dict[str, str] = {}


class _FilesRead:
    """Remembers the files that a port opened, by Python's own audit events."""

    def __init__(self, request: LoadRequest, folder: Path) -> None:
        library = Path(modeldocs.__file__).parent
        places = (sys.prefix, sys.base_prefix, library, folder, "/proc", "/sys", "/dev", "/etc")
        self.others = tuple(str(Path(place).resolve()) + os.sep for place in (*places, "/usr"))
        self.own = OwnFiles(request)
        self.paths: set[str] = set()
        sys.addaudithook(self._hear)

    def _hear(self, event: str, args: tuple[Any, ...]) -> None:
        if event != "open" or not isinstance(args[0], str | bytes | os.PathLike):
            return
        if isinstance(args[2], int) and args[2] & os.O_ACCMODE == os.O_WRONLY:
            return
        with contextlib.suppress(OSError):  # the current folder may be gone
            self.paths.add(str(Path(os.fsdecode(args[0])).absolute()))

    def digests(self) -> dict[str, str]:
        """Digest by absolute path of each file read that is the port's or at least no system's."""
        found: dict[str, str] = {}
        for path in sorted({str(_source(path).resolve()) for path in set(self.paths)}):
            if path in self.own or not path.startswith(self.others):
                with contextlib.suppress(OSError):
                    found |= {path: digest.of_file(Path(path))} if Path(path).is_file() else {}
        return found


def _source(path: str) -> Path:
    """The file itself; of compiled Python the source, which it is remade from when that changes."""
    if path.endswith(".pyc"):
        with contextlib.suppress(ValueError):
            return Path(importlib.util.source_from_cache(path))
    return Path(path)


def main(folder: Path) -> None:
    """Load what `request.json` in `folder` asks for."""
    work(folder, _load)


def work(folder: Path, do: Callable[[WorkRequest, Path], None]) -> None:
    """Do something with the port that `request.json` in `folder` names, and leave how it went.

    The request is gone when the port's code runs: what it says is none of the port's business.
    """
    _be_quiet()
    request = msgspec.json.decode((folder / "request.json").read_bytes(), type=WorkRequest)
    (folder / "request.json").unlink()
    files = _FilesRead(request.load, folder)
    failure = None
    try:
        do(request, folder)
    except ModeldocsError as error:
        failure = Failure.of(error)
    except MemoryError:
        failure = Failure(
            reason="needed more memory than a load may use",
            fix="raise `limits: {memory_mb: …}` of the port in model.yml",
        )
    except Exception as error:
        said = f"{type(error).__name__}: {first_line(error)}"
        failure = Failure(
            reason=f"the {request.framework} loader failed on it with {said}",
            fix="this is a defect of modeldocs; report it with the file",
        )
    result = WorkResult(failure=failure, read=files.digests())
    isolation.leave(folder, result)


def _load(request: WorkRequest, folder: Path) -> None:
    for name, data in stored(request.made().load(request.load)).items():
        (folder / name).write_bytes(data)


def stored(model: ir.Model) -> dict[str, bytes]:
    """What is kept of a model, by name of its file: ONNX without weights, as loaded and in normal
    form, and the layers of that.
    """
    from modeldocs.ir import encode
    from modeldocs.loaders import weights
    from modeldocs.normal import normalise

    return {
        MODEL: weights.without(model),
        GRAPH: encode(normalise(model)),
        NORMAL: weights.without(model),
    }


def _be_quiet() -> None:
    """What is printed is the port's own: libraries' chatter stays out of the page."""
    warnings.simplefilter("ignore")
    for name in ("torch", "onnxscript", "onnx_ir", "onnx"):
        logging.getLogger(name).setLevel(logging.ERROR)
