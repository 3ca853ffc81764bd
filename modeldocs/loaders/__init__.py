"""Loaders: each turns one framework's source into an `onnx_ir.Model`.

A loader is a class named in the entry-point group `modeldocs.loaders`, of this package or any
other. `recognises` runs in our process and is cheap; `load` runs in a worker process.
"""

from __future__ import annotations

import functools
import itertools
import os
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from modeldocs.environments import Environment
from modeldocs.errors import ModeldocsError, first_line
from modeldocs.loaders.python_source import python_file
from modeldocs.struct import Struct

if TYPE_CHECKING:
    import onnx_ir as ir

GROUP = "modeldocs.loaders"


class Inputs(Struct, frozen=True):
    """Inputs of a model: shapes by name (`""` for the only input), and dtypes where known."""

    shapes: dict[str, tuple[int, ...]] = {}
    dtypes: dict[str, str] = {}


class LoadRequest(Struct, frozen=True):
    """What to load: a file or folder (`path`), or a `module` that can be imported.

    File names in origins are relative to `root`. `entry` and `args` are the callable that builds
    the model, and its arguments. `inputs` are shapes by name of the input, where `""` is the only
    input, and `dtypes` their types where these are not float32. `declared` is the environment that
    the port's `model.yml` asks for, in place of the loader's. `shared` are folders of its catalog
    that it may import from.
    """

    root: str
    path: str | None = None
    module: str | None = None
    entry: str | None = None
    args: dict[str, Any] = {}
    inputs: dict[str, tuple[int, ...]] = {}
    dtypes: dict[str, str] = {}
    name: str = "model"
    declared: Environment | None = None
    shared: tuple[str, ...] = ()

    @property
    def source(self) -> str | None:
        """The name of the source in errors: its file relative to `root`, else the module."""
        return self.relative(self.path) if self.path else self.module

    def relative(self, file: str | Path) -> str:
        """`file` relative to `root` where it lies below it or in a shared folder, else its name."""
        path = Path(file)
        if any(path.is_relative_to(folder) for folder in (self.root, *self.shared)):
            return Path(os.path.relpath(path, self.root)).as_posix()
        return path.name


class LiveRequest(LoadRequest, frozen=True, kw_only=True):
    """An object of this process to load: a module, a model. It is loaded in this process.

    `target` takes the place of what a source's callable returns. `module` is that of its class
    where that is no part of the framework: its files are the object's own in origins and errors.
    """

    target: Any

    @property
    def source(self) -> str | None:
        """The name of the object in errors."""
        return self.name


class Loader(Protocol):
    """The interface of a loader.

    `framework` is its short name (`caffe`), `title` its name on pages, `distribution` the Python
    package of this interpreter whose version decides what it loads (None for data formats, and for
    frameworks in an environment of their own), `install` how that is installed,
    where `pip install` and its name are not enough.

    `preload` are modules to import, and functions to call (`module:function`), that loads share;
    they run no code of a source, and start no threads.

    Optional: `prove`, where ports can be proven (see `modeldocs.loaders.reference`); `checkpoint`,
    where their weights can be converted (see `modeldocs.loaders.checkpoint_layout`); `weights`, the
    suffixes of weights files beside a source; `packages`, the Python packages of the framework, its
    own first, and those built on it.
    """

    framework: str
    title: str
    distribution: str | None = None
    install: str | None = None
    preload: tuple[str, ...] = ()

    def recognises(self, path: Path) -> bool:
        """Whether `path`, by name and content, is a source of this framework."""
        ...

    def environment(self, request: LoadRequest, *, proving: bool) -> str | None:  # noqa: ARG002
        """Name of the locked environment to load (or prove) a source in; None for this interpreter.

        It must not run any of the source's code.
        """
        return None

    def load(self, request: LoadRequest) -> ir.Model:
        """The source as a valid ONNX graph, each node with its `origin.Provenance`.

        Raises:
            ModeldocsError: the source cannot be loaded, with place, reason and fix.
        """
        ...


class BrokenLoader(Loader):
    """Stands in for a loader that cannot be imported: recognises nothing, and raises the cause."""

    def __init__(self, framework: str, error: ModeldocsError) -> None:
        self.framework = self.title = framework
        self.error = error

    def recognises(self, path: Path) -> bool:  # noqa: ARG002
        """False."""
        return False

    def load(self, request: LoadRequest) -> ir.Model:  # noqa: ARG002
        """Raise the error of the import."""
        raise self.error


@functools.cache
def _entry_points() -> dict[str, EntryPoint]:
    return {point.name: point for point in sorted(entry_points(group=GROUP), key=lambda p: p.value)}


def frameworks() -> list[str]:
    """Names of the frameworks that have a loader, sorted."""
    return sorted(_entry_points())


@functools.cache
def loader(framework: str) -> Loader:
    """The loader of a framework; a `BrokenLoader` where its package cannot be imported.

    Raises:
        ModeldocsError: none is installed under that name.
    """
    point = _entry_points().get(framework)
    if point is None:
        raise ModeldocsError(
            f"no loader for the framework {framework!r}",
            fix=f"use one of {', '.join(frameworks())}, or install the package that offers it",
        )
    try:
        instance: Loader = point.load()()
    except Exception as error:
        return BrokenLoader(framework, _import_error(point, error))
    return instance


def _import_error(point: EntryPoint, error: Exception) -> ModeldocsError:
    package = point.dist.name if point.dist is not None else point.module.split(".")[0]
    return ModeldocsError(
        f"the loader {point.value} of the package {package} cannot be imported: "
        f"{type(error).__name__}: {first_line(error)}",
        fix=f"update {package}, or uninstall it",
    )


def title(framework: str) -> str:
    """A framework's name on pages; as given where it has no loader."""
    return loader(framework).title if framework in frameworks() else framework or "unknown"


def entry_point(framework: str) -> EntryPoint:
    """The entry point of a framework's loader: its module and the name in it."""
    return _entry_points()[framework]


def recognise(path: Path) -> str | None:
    """The framework whose loader recognises a file, or None.

    A Python file that imports no framework may import a package that is built on one (`timm`), or
    files of its own that do: the nearest of them decides.
    """
    from modeldocs.loaders.python_source import imported_files

    if path.suffix != ".py":
        return _recognised(path)
    files = itertools.chain([path], imported_files.of(path))
    return next((name for file in files if (name := _recognised_python(file))), None)


def recognises(framework: str, path: Path) -> bool:
    """Whether the loader of a framework recognises a file; one that raises does not."""
    try:
        return loader(framework).recognises(path)
    except Exception:
        return False


def _recognised(path: Path) -> str | None:
    """The framework whose loader recognises this file."""
    return next((name for name in frameworks() if recognises(name, path)), None)


def _recognised_python(path: Path) -> str | None:
    return _recognised(path) or _built_on(python_file.imports(path).absolute)


def recognise_module(module: str) -> str | None:
    """The framework that an importable module's package belongs to or is built on, or None."""
    return _built_on({module.partition(".")[0]})


def _built_on(packages: set[str]) -> str | None:
    """The first framework, by name, that one of these packages belongs to or is built on."""
    known = ((name, getattr(loader(name), "packages", ())) for name in frameworks())
    return next((name for name, own in known if not packages.isdisjoint(own)), None)
