"""The worker process: loads one port and leaves `model.onnx`, `graph.json` and `result.json`.

Run as `python -m modeldocs.loaders.worker FOLDER` by `modeldocs.loaders.isolated`.
"""

from __future__ import annotations

import hashlib
import logging
import os
import sys
import warnings
from pathlib import Path
from typing import Any

import msgspec

from modeldocs import isolation
from modeldocs.errors import ModeldocsError
from modeldocs.graph import Struct
from modeldocs.isolation import Failure
from modeldocs.loaders import LoadRequest, loader


class WorkRequest(Struct, frozen=True):
    """What a worker is asked: the framework whose loader to use, and what to load with it."""

    framework: str
    load: LoadRequest


class WorkResult(Struct, frozen=True):
    """What a worker says: a failure, or none; the files it read, each with its digest."""

    failure: Failure | None = None
    read: dict[str, str] = {}


class _FilesRead:
    """Remembers the files that a port opened, by Python's own audit events."""

    def __init__(self, folder: Path) -> None:
        import modeldocs

        library = Path(modeldocs.__file__).parent
        self.ours = tuple(
            str(Path(place).resolve()) + os.sep
            for place in (
                sys.prefix,
                sys.base_prefix,
                library,
                folder,
                "/proc",
                "/sys",
                "/dev",
                "/etc",
                "/usr",
            )
        )
        self.paths: set[str] = set()
        sys.addaudithook(self._hear)

    def _hear(self, event: str, args: tuple[Any, ...]) -> None:
        if event == "open" and isinstance(args[0], str | bytes | os.PathLike):
            self.paths.add(os.fsdecode(args[0]))

    def digests(self) -> dict[str, str]:
        """Digest by absolute path of each file read that is neither ours nor the system's."""
        found = {}
        for path in sorted({str(Path(path).resolve()) for path in set(self.paths)}):
            if Path(path).is_file() and not path.startswith(self.ours):
                found[path] = digest(Path(path))
        return found


def digest(path: Path) -> str:
    """BLAKE2 digest of a file's content, in hex."""
    return hashlib.blake2b(path.read_bytes(), digest_size=20).hexdigest()


def main(folder: Path) -> None:
    """Load what `request.json` in `folder` asks for."""
    isolation.confine(folder)
    _be_quiet()
    request = msgspec.json.decode((folder / "request.json").read_bytes(), type=WorkRequest)
    files = _FilesRead(folder)
    failure = None
    try:
        _load(request, folder)
    except ModeldocsError as error:
        failure = Failure.of(error)
    except MemoryError:
        failure = Failure(
            reason="needed more memory than a load may use",
            mend="raise `limits: {memory_mb: …}` of the port in model.yml",
        )
    except Exception as error:
        said = f"{type(error).__name__}: {str(error).splitlines()[0][:300] if str(error) else ''}"
        failure = Failure(
            reason=f"the {request.framework} loader failed on it with {said}",
            mend="this is a defect of modeldocs; report it with the file",
        )
    result = WorkResult(failure=failure, read=files.digests())
    written = folder / "result.json.part"
    written.write_bytes(msgspec.json.encode(result))
    written.rename(folder / "result.json")


def _load(request: WorkRequest, folder: Path) -> None:
    model = loader(request.framework).load(request.load)
    import onnx_ir as ir

    from modeldocs.graph import encode
    from modeldocs.loaders.weights import drop
    from modeldocs.normal import normalise

    drop(model)
    (folder / "model.onnx").write_bytes(ir.to_proto(model).SerializeToString(deterministic=True))
    (folder / "graph.json").write_bytes(encode(normalise(model)))


def _be_quiet() -> None:
    """What is printed is the port's own: libraries' chatter stays out of the page."""
    warnings.simplefilter("ignore")
    for name in ("torch", "onnxscript", "onnx_ir", "onnx"):
        logging.getLogger(name).setLevel(logging.ERROR)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
