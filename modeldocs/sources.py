"""Sources on the command line: a port of the catalog, a file, a callable, or a git revision."""

from __future__ import annotations

import json
import os
import re
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, get_args

import msgspec

from modeldocs import catalog, loaders, revision
from modeldocs.catalog import Port
from modeldocs.catalog.manifest import NAME, Dtype
from modeldocs.errors import ModeldocsError
from modeldocs.loaders import Inputs, LoadRequest, not_models
from modeldocs.loaders.python_source import placement

_FILE_SUFFIXES = (".py", ".onnx", ".prototxt")
_SIZE = re.compile(r"\s*[0-9]{1,9}\s*")
_MODULE = re.compile(r"[A-Za-z_]\w*(\.\w+)*:[A-Za-z_][\w.]*")


@contextmanager
def resolve(
    source: str,
    models: Path,
    *,
    framework: str | None = None,
    args: dict[str, Any] | None = None,
    inputs: Inputs | None = None,
) -> Iterator[Port]:
    """The port that `source` names; `framework`, `args` and `inputs` override its own settings.

    `git:REF:path` is unpacked into a folder that is deleted when the block ends.

    Raises:
        ModeldocsError: the source does not exist, or is a port that cannot be loaded.
    """
    with tempfile.TemporaryDirectory(prefix="modeldocs-git-") as folder:
        port = (
            _at_revision(source, models, _tree(folder))
            if source.startswith("git:")
            else _here(source, models)
        )
        request = port.request
        inputs = inputs or Inputs()
        if port.failure is not None:
            raise port.failure.error()
        yield msgspec.structs.replace(
            port,
            framework=framework or port.framework or _recognised(request),
            request=msgspec.structs.replace(
                request,
                args=request.args | (args or {}),
                inputs=inputs.shapes or request.inputs,
                dtypes=request.dtypes | inputs.dtypes,
            ),
        )


def parse_args(text: str | None) -> dict[str, Any]:
    """The value of `--args`, empty where it is not given.

    Raises:
        ModeldocsError: it is not a JSON object.
    """
    try:
        arguments = json.loads(text) if text else {}
    except json.JSONDecodeError as error:
        raise ModeldocsError(
            f"--args is not JSON: {error}", fix="""write --args '{"classes": 10}'"""
        ) from None
    if not isinstance(arguments, dict):
        raise ModeldocsError("--args is not an object", fix="""write --args '{"classes": 10}'""")
    return arguments


def parse_inputs(options: Iterable[str]) -> Inputs:
    """The values of `--input NAME=1,3,224,224`; without a name it is the only input.

    A type may follow (`ids=1,128:int64`); without one it is the port's, else float32. A scalar has
    a type alone (`step=:int64`).

    Raises:
        ModeldocsError: a value is invalid, or a name is given twice.
    """
    inputs = Inputs()
    for text in options:
        name, _, value = text.rpartition("=")
        sizes, colon, dtype = value.partition(":")
        listed = sizes.split(",") if sizes or not colon else ()
        shape = tuple(int(size) if _SIZE.fullmatch(size) else 0 for size in listed)
        if 0 in shape:
            raise ModeldocsError(
                f"--input {text!r} is not a shape",
                fix="write --input NAME=1,3,224,224, or with a type --input NAME=1,128:int64",
            )
        if name in inputs.shapes:
            raise ModeldocsError(f"--input gives {name!r} twice", fix="keep one of the two")
        inputs.shapes[name] = shape
        if colon:
            inputs.dtypes[name] = _dtype(text, dtype)
    return inputs


def _dtype(text: str, dtype: str) -> str:
    dtypes = get_args(Dtype)
    if dtype in dtypes:
        return dtype
    raise ModeldocsError(
        f"--input {text!r} has an unknown type",
        fix=f"write one of {', '.join(dtypes)}, as in --input NAME=1,128:int64",
    )


def _here(source: str, models: Path) -> Port:
    path, _, entry = source.partition(":")
    if path and _exists(path):
        return _file(Path(path).resolve(), entry or None, models)
    suffix = Path(path).suffix
    if _MODULE.fullmatch(source) and suffix not in _FILE_SUFFIXES:
        module, _, entry = source.partition(":")
        request = LoadRequest(root=str(Path.cwd()), module=module, entry=entry, name=entry)
        return Port(name=entry, framework="", request=request)
    if suffix in _FILE_SUFFIXES or (suffix and "/" not in path):
        raise ModeldocsError("there is no such file", file=path, fix="check the path")
    if not models.is_dir():
        raise ModeldocsError(
            f"{source!r} is not a file, and there is no catalog in {models.name}/",
            fix="name a file, or run it in the catalog's folder, or pass --models DIR",
        )
    return catalog.read(models).port(source)[1]


def _exists(path: str) -> bool:
    try:
        return Path(path).exists()
    except OSError:
        return False


def _file(path: Path, entry: str | None, models: Path) -> Port:
    """The port in a file, with what its model's folder says of it if it is in one."""
    port = _cataloged(path, models)
    if port is None:
        root = placement.of(path).root if path.suffix == ".py" else path.parent
        request = LoadRequest(root=str(root), path=str(path), name=path.stem)
        port = Port(name=path.stem, framework=loaders.recognise(path) or "", request=request)
    if entry is None:
        return port
    return msgspec.structs.replace(port, request=msgspec.structs.replace(port.request, entry=entry))


def _cataloged(path: Path, models: Path) -> Port | None:
    is_inside = path.parent.parent == Path(os.path.realpath(models))
    if not is_inside and not (path.parent / NAME).is_file():
        return None
    model = catalog.read_model(path.parent, catalog.shared(models) if is_inside else ())
    ports = model.ports if model is not None else ()
    named = (p for p in ports if p.source is not None)
    return next((p for p in named if os.path.realpath(str(p.source)) == str(path)), None)


def _recognised(request: LoadRequest) -> str:
    if request.module is not None:
        framework = loaders.recognise_module(request.module)
        if framework is not None:
            return framework
        raise ModeldocsError(
            f"the framework of {request.module}:{request.entry} is unknown",
            fix=f"pass --framework, one of: {', '.join(loaders.frameworks())}",
        )
    raise not_models.describe(Path(str(request.path))) or ModeldocsError(
        "no loader recognises it",
        file=Path(str(request.path)).name,
        fix=f"pass --framework, one of: {', '.join(loaders.frameworks())}",
    )


def _at_revision(source: str, models: Path, folder: Path) -> Port:
    """The port that `git:REF:path` names, unpacked below `folder`."""
    parts = source.split(":", 3)
    if len(parts) < 3 or not parts[1] or not parts[2]:
        raise ModeldocsError(f"{source!r} names no file", fix="write git:REF:path/to/file")
    _, name, path, *entry = parts
    fix = "check the revision and the path, relative to the current folder"
    if name.startswith("-") or Path(path).is_absolute() or ".." in Path(path).parts:
        raise ModeldocsError(f"git has no {path} at {name}", fix=fix)
    message = revision.unpack_around(name, Path(path), folder)
    inside = os.path.relpath(models)
    if (folder / path).exists():
        revision.unpack(name, folder, f"{inside}/_*")  # what its port may import, if it is one
        return _file((folder / path).resolve(), entry[0] if entry else None, folder / inside)
    if not inside.startswith("..") and not entry and not revision.unpack(name, folder, inside):
        whole = catalog.read(folder / inside)
        if path in whole:
            return whole.port(path)[1]
    raise ModeldocsError(f"git has no {path} at {name}{message}", fix=fix)


def _tree(folder: str) -> Path:
    """A folder of the same name for every revision: names around a port are part of its key."""
    tree = Path(folder).resolve() / "tree"
    tree.mkdir()
    return tree
