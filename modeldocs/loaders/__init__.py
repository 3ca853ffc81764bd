"""Loaders: each turns one framework's source into an `onnx_ir.Model`.

A loader is a class named in the entry-point group `modeldocs.loaders`, of this package or any
other. It is asked which files it recognises (cheaply, in our process) and told to load one (in a
worker process of its own).
"""

from __future__ import annotations

import contextlib
import functools
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from modeldocs.environments import Environment
from modeldocs.errors import ModeldocsError, first_line
from modeldocs.loaders import python_file
from modeldocs.struct import Struct

if TYPE_CHECKING:
    import onnx_ir as ir

GROUP = "modeldocs.loaders"


class Inputs(Struct, frozen=True):
    """What goes in: shapes by name of the input (`""`: the only one), dtypes of those that tell."""

    shapes: dict[str, tuple[int, ...]] = {}
    dtypes: dict[str, str] = {}


class LoadRequest(Struct, frozen=True):
    """What a loader is to load: a file or folder (`path`), or a `module` that can be imported.

    `root` is the folder that file names in origins are told relative to. `inputs` gives shapes by
    input name; the name `""` stands for the only input. `dtypes` names those that are not float32.
    `declared` is the environment that the port's `model.yml` asks for, in place of the loader's.
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

    @property
    def source(self) -> str | None:
        """What errors name: the file as an origin tells it, else the module."""
        return self.relative(self.path) if self.path else self.module

    def relative(self, file: str | Path) -> str:
        """`file` as an origin tells it: relative to `root` where it lies below it."""
        path = Path(file)
        return (
            path.relative_to(self.root).as_posix() if path.is_relative_to(self.root) else path.name
        )


class Loader(Protocol):
    """What a framework's module offers.

    `framework` is its short name (`caffe`), `title` how pages spell it, `distribution` the Python
    package of this interpreter whose version decides what it loads (None for data formats, and for
    frameworks in an environment of their own), `extra` the extra of modeldocs that installs it.

    One that can prove what it loads also has `prove`, see `modeldocs.loaders.reference`; one that
    takes weights from files beside a source has `weights`, their suffixes; one that loads Python
    has `packages`, the framework's own first and those built on it.
    """

    framework: str
    title: str
    distribution: str | None
    extra: str | None

    def recognises(self, path: Path) -> bool:
        """Whether `path`, by name and content, is a source of this framework."""
        ...

    def environment(self, request: LoadRequest, *, proving: bool) -> str | None:
        """Name of the locked environment to load (or prove) a source in; None for this interpreter.

        Source and path are as the catalog found them; nothing of theirs may be run here.
        """
        ...

    def load(self, request: LoadRequest) -> ir.Model:
        """The source as a valid ONNX graph, each node with its `origin.Provenance`.

        Raises:
            ModeldocsError: the source cannot be loaded, with place, reason and fix.
        """
        ...


class BrokenLoader:
    """Stands in for a loader that cannot be imported: recognises nothing, and tells why."""

    distribution: str | None = None
    extra: str | None = None

    def __init__(self, framework: str, error: ModeldocsError) -> None:
        self.framework = self.title = framework
        self.error = error

    def recognises(self, path: Path) -> bool:  # noqa: ARG002
        """Never: the other loaders go on without it."""
        return False

    def environment(self, request: LoadRequest, *, proving: bool) -> str | None:  # noqa: ARG002
        """None: there is nothing to run."""
        return None

    def load(self, request: LoadRequest) -> ir.Model:  # noqa: ARG002
        """Raise what kept the loader from being imported."""
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
        made: Loader = point.load()()
    except Exception as error:
        return BrokenLoader(framework, _broken(point, error))
    return made


def _broken(point: EntryPoint, error: Exception) -> ModeldocsError:
    package = point.dist.name if point.dist is not None else point.module.split(".")[0]
    said = first_line(error)
    return ModeldocsError(
        f"the loader {point.value} of the package {package} cannot be imported: "
        f"{type(error).__name__}: {said}",
        fix=f"update {package}, or uninstall it",
    )


def title(framework: str) -> str:
    """How a framework's name is spelt; as given where no loader knows it."""
    return loader(framework).title if framework in frameworks() else framework or "unknown"


def entry_point(framework: str) -> EntryPoint:
    """Where a framework's loader comes from: its module and the name in it."""
    return _entry_points()[framework]


def recognise(path: Path) -> str | None:
    """The framework whose loader recognises a file, or None.

    A Python file that imports no framework may import a package that is built on one (`timm`).
    A loader that raises when asked does not recognise it: the others still may.
    """
    for name in frameworks():
        with contextlib.suppress(Exception):
            if loader(name).recognises(path):
                return name
    packages = python_file.imports(path).absolute if path.suffix == ".py" else set()
    return _built_on(packages)


def recognise_module(module: str) -> str | None:
    """The framework that an importable module's package belongs to or is built on, or None."""
    return _built_on({module.partition(".")[0]})


def _built_on(packages: set[str]) -> str | None:
    """The framework of the first loader, by name, that takes one of these packages."""
    taken = ((name, getattr(loader(name), "packages", ())) for name in frameworks())
    return next((name for name, known in taken if not packages.isdisjoint(known)), None)
