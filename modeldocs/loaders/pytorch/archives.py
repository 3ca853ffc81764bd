"""Archives of PyTorch: told apart by what lies in the zip, and read without any pickle of theirs.

`torch.export.save` and `torch.jit.save` keep a graph; `torch.save` keeps a pickle, which is code
that anybody may have written, and tells nothing of the network.
"""

from __future__ import annotations

import contextlib
import struct
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from modeldocs.errors import ModeldocsError, first_line
from modeldocs.loaders import Inputs, LoadRequest
from modeldocs.loaders.pytorch import inputs, soundness
from modeldocs.loaders.pytorch.building import Built

if TYPE_CHECKING:
    import torch

EXPORTED, SCRIPTED, PICKLED, UNKNOWN = "exported", "scripted", "pickled", "unknown"
SUFFIXES = (".pt2", ".pt", ".pth", ".ts", ".jit", ".torchscript")

_BROKEN = (OSError, ValueError, zipfile.BadZipFile, NotImplementedError, EOFError, RuntimeError,
           struct.error, zlib.error)  # fmt: skip
_PICKLE_MAGIC = b"\x80"
_SILENT = "We ran into an error when deserializing"
"""What torch raises when it has only warned of the reason."""

_NO_GRAPH = {
    PICKLED: "holds weights in a pickle, not a network: it tells no layers, and is never unpickled",
    UNKNOWN: "is no archive of torch.export or TorchScript, or not whole",
}


def recognises(path: Path) -> bool:
    """Whether a file is an archive with a graph; weights beside a port are no port."""
    return kind(str(path)) in (EXPORTED, SCRIPTED)


def kind(path: str | None) -> str | None:
    """What sort of archive a file is, by the names in it; None for one not named as an archive."""
    if path is None or not path.endswith(SUFFIXES):
        return None
    try:
        if not zipfile.is_zipfile(path):
            with Path(path).open("rb") as stream:
                return PICKLED if stream.read(1) == _PICKLE_MAGIC else UNKNOWN
        with zipfile.ZipFile(path) as archive:
            held = archive.infolist()
            whole = min((info.header_offset for info in held), default=0) == 0
            # Cut short, an archive may end in another that it held.
            return _kind_of([info.filename for info in held]) if whole else UNKNOWN
    except _BROKEN:
        return UNKNOWN


def _kind_of(names: list[str]) -> str | None:
    inner = [name.partition("/")[2] for name in names]
    if any(name.startswith("models/") and name.endswith(".json") for name in inner):
        return EXPORTED
    if any(name.startswith("code/") for name in inner) and "constants.pkl" in inner:
        return SCRIPTED
    return PICKLED if "data.pkl" in inner else UNKNOWN


def exported(request: LoadRequest) -> torch.export.ExportedProgram:
    """The program of a `torch.export` archive.

    Raises:
        ModeldocsError: it cannot be read, or names functions that are no operators.
    """
    import torch

    path = Path(str(request.path))
    soundness.check(path, request.source)
    try:
        with _no_pickles():
            return torch.export.load(path)
    except BaseException as error:
        raise _unreadable(request, "a torch.export archive", error) from None


def scripted(request: LoadRequest, kind: str) -> Built:
    """The module of a TorchScript archive, as modules that torch can trace.

    Raises:
        ModeldocsError: it is another kind, cannot be read, or no input shape is given.
    """
    from modeldocs.loaders.pytorch import scripted as script

    if kind != SCRIPTED:
        raise ModeldocsError(
            _NO_GRAPH[kind],
            file=request.source,
            fix="name the Python file that builds the network, or save it with torch.export.save",
        )
    try:
        module = script.read(Path(str(request.path)))
    except BaseException as error:
        raise _unreadable(request, "a TorchScript archive", error) from None
    return Built(module, inputs.wanted(request, module, {}))


def _unreadable(request: LoadRequest, what: str, error: BaseException) -> ModeldocsError:
    said = f"{type(error).__name__}: {first_line(error)}"
    if _SILENT in said:
        said = "it is damaged, or of another version"
    return ModeldocsError(
        f"cannot be read as {what}: {said}",
        file=request.source,
        fix="save it again with this version of PyTorch",
    )


@contextlib.contextmanager
def _no_pickles() -> Iterator[None]:
    """Keep `torch.export.load` from unpickling what may run code, which it does by itself."""
    import torch
    from torch.export.pt2_archive import _package

    load = torch.load
    restored = load, _package.pickle, torch._C._pickle_load_obj

    def load_weights(file: Any, **settings: Any) -> Any:
        return load(file, **settings | {"weights_only": True})

    torch.load, _package.pickle, torch._C._pickle_load_obj = load_weights, _Refusing, _refuse
    try:
        yield
    finally:
        torch.load, _package.pickle, torch._C._pickle_load_obj = restored


def _refuse(*_: Any) -> Any:
    raise ValueError("it holds a pickled object, which is never unpickled")


class _Refusing:
    """Stands in for the module `pickle`."""

    loads = load = staticmethod(_refuse)


def inputs_of(request: LoadRequest, program: torch.export.ExportedProgram) -> Inputs:
    """The inputs of a program: fixed sizes as they are, others as asked for, else 2.

    Raises:
        ModeldocsError: a size that was asked for does not fit.
    """
    specs = program.graph_signature.input_specs
    values = {node.name: node.meta.get("val") for node in program.graph.nodes}
    names = [spec.arg.name for spec in specs if spec.kind.name == "USER_INPUT"]
    shapes: dict[str, inputs.Shape] = {}
    dtypes: dict[str, str] = {}
    for name in names:
        like = values.get(name)
        if like is not None and hasattr(like, "shape"):
            asked = request.inputs.get(name) or (request.inputs.get("") if len(names) == 1 else ())
            shapes[name] = _sizes(request, name, tuple(like.shape), tuple(asked or ()))
            dtypes[name] = str(like.dtype).removeprefix("torch.")
    return Inputs(shapes, dtypes)


def _sizes(
    request: LoadRequest, name: str, held: tuple[Any, ...], asked: inputs.Shape
) -> inputs.Shape:
    fits = len(asked) == len(held) and all(
        not isinstance(size, int) or size == wanted
        for size, wanted in zip(held, asked, strict=True)
    )
    if asked and not fits:
        raise ModeldocsError(
            f"input {name!r} was exported as {'x'.join(map(str, held))}, "
            f"not {'x'.join(map(str, asked))}",
            file=request.source,
            fix="leave the shape out, or export it again",
        )
    return asked or tuple(size if isinstance(size, int) else 2 for size in held)
