"""The worker process: loads one port, and writes its ONNX, its layers and a `LoadOutcome`.

`modeldocs.loaders.loading` runs it by `modeldocs.isolation`; `modeldocs.numeric.proof.worker`
proves ports in the same way.
"""

from __future__ import annotations

import contextlib
import importlib
import logging
import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from modeldocs import isolation
from modeldocs.errors import Failure, ModeldocsError, first_line
from modeldocs.loaders import Loader, LoadRequest
from modeldocs.loaders.python_source.files_read import FilesRead
from modeldocs.loaders.python_source.own_files import library_folders
from modeldocs.struct import Struct

if TYPE_CHECKING:
    import onnx_ir as ir

MODEL, NORMAL, GRAPH = "model.onnx", "normal.onnx", "graph.json"
"""The files that a load writes to its folder."""


class WorkRequest(Struct, frozen=True):
    """A worker's task: the framework, its loader (`module:class`), and what to load.

    `loader_folder` is the folder to import the loader's package from where that is not ours: a
    framework's environment does not have it installed. `given` is a folder of files of
    arrays that a proof runs with, in place of designed ones.
    """

    framework: str
    loader: str
    load: LoadRequest
    loader_folder: str | None = None
    given: str | None = None

    def instance(self) -> Loader:
        """An instance of the loader."""
        module, _, name = self.loader.partition(":")
        if self.loader_folder is not None and self.loader_folder not in sys.path:
            sys.path.append(self.loader_folder)
        loader: Loader = getattr(importlib.import_module(module), name)()
        return loader


class LoadOutcome(Struct, frozen=True):
    """How a load ended: its failure, if any, and the digests of the files it read, by path.

    `sought` holds what it saw of the catalog's folders and of files that are not there.
    """

    failure: Failure | None = None
    read: dict[str, str] = {}
    sought: dict[str, str] = {}


def preload() -> None:
    """Import what `stored` needs for any framework, and find where libraries lie; a server does it
    once for all loads.
    """
    for name in ("modeldocs.normal", "modeldocs.loaders.weights", "onnxscript.optimizer"):
        importlib.import_module(name)
    library_folders()


Work = Callable[[WorkRequest, Path], None]
"""What a worker does: it writes files to its folder. Each module of a worker has one, `do`."""


def main(folder: Path) -> None:
    """Load what `request.json` in `folder` asks for."""
    work(folder, do)


def work(folder: Path, do: Work) -> None:
    """Call `do` for the port that `request.json` in `folder` names, and write the result.

    The request is deleted before the port's code runs, which has no need of what is in it.
    """
    request = msgspec.json.decode((folder / "request.json").read_bytes(), type=WorkRequest)
    (folder / "request.json").unlink()
    files = FilesRead(request.load, folder)
    failure = attempted(request, folder, do)
    result = LoadOutcome(failure=failure, read=files.digests(), sought=files.sought())
    isolation.write_result(folder, result)


def attempted(request: WorkRequest, folder: Path, do: Work) -> Failure | None:
    """Call `do` for the port of a request; the failure, if it could not be done."""
    try:
        with _silent_libraries():
            do(request, folder)
    except ModeldocsError as error:
        return Failure.of(error)
    except MemoryError:
        return Failure(
            reason="needed more memory than a load may use",
            fix="raise `limits: {memory_mb: …}` of the port in model.yml",
        )
    except Exception as error:
        message = f"{type(error).__name__}: {first_line(error)}"
        defect = ModeldocsError(
            f"the {request.framework} loader failed on it with {message}",
            fix="this is a defect of modeldocs; report it with the file",
        )
        return Failure.of(defect, error)
    return None


def do(request: WorkRequest, folder: Path) -> None:
    """Write the files of the port of a request: see `stored`."""
    for name, data in stored(request.instance().load(request.load)).items():
        (folder / name).write_bytes(data)


def stored(model: ir.Model) -> dict[str, bytes]:
    """The files of a loaded model, by name: ONNX without weights, as loaded and in normal form,
    and the layer graph. The model is changed in place.
    """
    from modeldocs.ir import encode
    from modeldocs.loaders import weights
    from modeldocs.normal import normalise

    return {
        MODEL: weights.without(model),
        GRAPH: encode(normalise(model)),
        NORMAL: weights.without(model),
    }


@contextlib.contextmanager
def _silent_libraries() -> Iterator[None]:
    """A block without warnings of libraries: a page shows what the port itself prints."""
    loggers = [logging.getLogger(name) for name in ("torch", "onnxscript", "onnx_ir", "onnx")]
    levels = [one.level for one in loggers]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for one in loggers:
            one.setLevel(logging.ERROR)
        try:
            yield
        finally:
            for one, level in zip(loggers, levels, strict=True):
                one.setLevel(level)
