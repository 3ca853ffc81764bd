"""The ports of every family loaded: one process a family, as its files are our own."""

from __future__ import annotations

import importlib
import logging
import multiprocessing
import tempfile
import warnings
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Final

import onnx
import onnx_ir as ir

from modeldocs import loaders
from modeldocs.catalog import Catalog, Model, Port
from modeldocs.errors import Failure, ModeldocsError
from modeldocs.loaders import LoadRequest, loading, weights
from modeldocs.loaders.loading import LoadedPort
from modeldocs.normal import normalise
from modeldocs.tasks import build
from modeldocs.tasks.store import Store
from tests.stored import whole

from .families import FOLDER, Family

REPOSITORY: Final = FOLDER.parents[1]
RIGHT: Final = "right"
"""Name of the port without a bug, in the style of A."""

Ports = dict[str, Port]
"""Ports of a family by their bug."""


def load(families: dict[str, Family], jobs: int = 2) -> dict[tuple[str, str], LoadedPort]:
    """Each port by family and bug; `RIGHT` stands for the one in the other style.

    Those of a framework in an environment of its own come by way of the store.
    """
    context = multiprocessing.get_context("spawn")
    found: dict[tuple[str, str], LoadedPort] = {}
    with (
        tempfile.TemporaryDirectory(prefix="modeldocs-") as folder,
        ProcessPoolExecutor(jobs, mp_context=context) as pool,
    ):
        held = {name: _ports(name, family, Path(folder)) for name, family in families.items()}
        here = {name: _apart(ports, False) for name, ports in held.items()}
        done = dict(zip(here, pool.map(_loaded, here.values()), strict=True))
        for name, ports in held.items():
            for bug, loaded in (done[name] | _by_store(name, _apart(ports, True))).items():
                found[name, bug] = loaded
    return found


def _ports(name: str, family: Family, folder: Path) -> Ports:
    bugs = [case.bug for case in family.cases]
    made = {RIGHT: _port(name, FOLDER / name / family.a, family.inputs, family.dtypes, {})}
    for bug in bugs:
        path, args = FOLDER / name / family.b, {"bug": bug}
        if loaders.recognise(path) is None:
            path, args = _written(name, path.stem, bug, folder), {}
        inputs = family.inputs_b or family.inputs
        made[bug] = _port(name, path, inputs, family.dtypes, args)
    return made


def _port(
    name: str,
    path: Path,
    inputs: dict[str, tuple[int, ...]],
    dtypes: dict[str, str],
    args: dict[str, str],
) -> Port:
    return Port(
        name=args.get("bug", RIGHT).replace(" ", "-") or "port",
        framework=loaders.recognise(path) or "",
        request=LoadRequest(
            root=str(path.parent),
            path=str(path),
            entry="network" if args else None,
            args=args,
            inputs=inputs if path.suffix == ".py" else {},
            dtypes=dtypes if path.suffix == ".py" else {},
            name=name,
        ),
    )


def _written(name: str, stem: str, bug: str, folder: Path) -> Path:
    """The ONNX file that a family's function writes."""
    module = importlib.import_module(f"{__package__}.{name}.{stem}")
    path = folder / f"{name} {bug}.onnx"
    onnx.save(module.network(bug), path)
    return path


def _apart(ports: Ports, wanted: bool) -> Ports:
    """The ports that need an environment of their own, or those that do not."""
    return {
        bug: port
        for bug, port in ports.items()
        if (loading.environment(port.framework, port.request) is not None) is wanted
    }


def _loaded(ports: Ports) -> dict[str, LoadedPort]:
    """Ports loaded in this process."""
    warnings.simplefilter("ignore")
    for name in ("torch", "onnxscript", "onnx_ir", "onnx"):
        logging.getLogger(name).setLevel(logging.ERROR)
    return {bug: _one(port) for bug, port in ports.items()}


def _one(port: Port) -> LoadedPort:
    try:
        model = loaders.loader(port.framework).load(port.request)
        weights.drop(model)
        data = _serialized(model)
        graph = normalise(model)
        return LoadedPort(
            framework=port.framework, graph=graph, onnx=data, normal=_serialized(model)
        )
    except ModeldocsError as error:
        return LoadedPort(framework=port.framework, failure=Failure.of(error))


def _serialized(model: ir.Model) -> bytes:
    return ir.to_proto(model).SerializeToString(deterministic=True)


def _by_store(name: str, ports: Ports) -> dict[str, LoadedPort]:
    model = Model(id=name, folder=str(FOLDER / name), ports=tuple(ports.values()))
    catalog = Catalog(root=str(FOLDER), models=(model,) if ports else ())
    results = build.load_all(catalog, Store(REPOSITORY / ".modeldocs"))
    return {bug: whole(results.loaded(model, port), results.place) for bug, port in ports.items()}
