"""Archives of `torch.export.save`, read without unpickling anything that could run code."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from modeldocs.errors import ModeldocsError
from modeldocs.loaders import Inputs, LoadRequest
from modeldocs.loaders.pytorch import archive_safety
from modeldocs.loaders.pytorch.source import ArchiveKind, unreadable

if TYPE_CHECKING:
    import torch

Shape = tuple[int, ...]


def read(request: LoadRequest) -> torch.export.ExportedProgram:
    """The program of a `torch.export` archive.

    Raises:
        ModeldocsError: it cannot be read, or names functions that are no operators.
    """
    import torch

    path = Path(str(request.path))
    archive_safety.check(path, request.source)
    try:
        with _without_pickles():
            return torch.export.load(path)
    except BaseException as error:
        raise unreadable(request.source, ArchiveKind.EXPORT, error) from None


@contextlib.contextmanager
def _without_pickles() -> Iterator[None]:
    """Keep `torch.export.load` from unpickling, which it would do for some of its files."""
    import torch
    from torch.export.pt2_archive import _package

    load = torch.load
    originals = load, _package.pickle, torch._C._pickle_load_obj

    def load_weights(file: Any, **settings: Any) -> Any:
        return load(file, **settings | {"weights_only": True})

    torch.load, _package.pickle, torch._C._pickle_load_obj = load_weights, _NoPickle, _refuse
    try:
        yield
    finally:
        torch.load, _package.pickle, torch._C._pickle_load_obj = originals


def _refuse(*_: Any) -> Any:
    raise ValueError("it holds a pickled object, which is never unpickled")


class _NoPickle:
    """Stands in for the module `pickle`."""

    loads = load = staticmethod(_refuse)


def inputs(request: LoadRequest, program: torch.export.ExportedProgram) -> Inputs:
    """The inputs of a program: fixed sizes as exported, open ones as requested, else 2.

    Raises:
        ModeldocsError: a requested size is not the fixed one.
    """
    specs = program.graph_signature.input_specs
    values = {node.name: node.meta.get("val") for node in program.graph.nodes}
    names = [spec.arg.name for spec in specs if spec.kind.name == "USER_INPUT"]
    shapes: dict[str, Shape] = {}
    dtypes: dict[str, str] = {}
    for name in names:
        example = values.get(name)
        if example is not None and hasattr(example, "shape"):
            requested = request.inputs.get(name)
            if not requested and len(names) == 1:
                requested = request.inputs.get("")
            shapes[name] = _shape(request, name, tuple(example.shape), tuple(requested or ()))
            dtypes[name] = str(example.dtype).removeprefix("torch.")
    return Inputs(shapes, dtypes)


def _shape(request: LoadRequest, name: str, exported: tuple[Any, ...], requested: Shape) -> Shape:
    """The requested shape where one is given, else the exported one with 2 for open sizes."""
    if not requested:
        return tuple(size if isinstance(size, int) else 2 for size in exported)
    if len(requested) != len(exported) or any(
        isinstance(size, int) and size != other
        for size, other in zip(exported, requested, strict=True)
    ):
        raise ModeldocsError(
            f"input {name!r} was exported as {'x'.join(map(str, exported))}, "
            f"not {'x'.join(map(str, requested))}",
            file=request.source,
            fix="leave the shape out, or export it again",
        )
    return requested
