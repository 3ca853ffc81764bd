"""Graphs of networks: loaded once by modeldocs' own loaders, then kept."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import onnx
import onnx_ir as ir

from modeldocs import digest, loaders, normal
from modeldocs.errors import ModeldocsError
from modeldocs.ir import LayerGraph, decode, encode
from modeldocs.isolation import Limits
from modeldocs.loaders import LoadRequest, loading, weights
from modeldocs.loaders.loading import LoadedPort
from modeldocs.normal import normalise
from modeldocs.tasks import closure

from . import packages
from .nets import Net

GRAPHS: Final = packages.HOME / "graphs"
_SOURCES: Final = packages.HOME / "sources"
_LIMITS: Final = Limits(seconds=900.0, memory_mb=12_288)
_LOADING: Final = loading.__name__
_READING: Final = normal.__name__


def graph_of(net: Net) -> LayerGraph:
    """The layers of a network, from where they are kept if nothing changed since.

    What the loader made is kept too: a change of the normal form alone loads nothing again.

    Raises:
        ModeldocsError: the network cannot be loaded.
    """
    kept = GRAPHS / f"{net.key}-{_version(net, _LOADING, _READING)}.json"
    if not kept.is_file():
        model = ir.from_proto(onnx.load_from_string(model_of(net)))
        _keep(kept, encode(normalise(model)))
    return decode(kept.read_bytes())


def loaded_of(net: Net) -> LoadedPort:
    """A network as its loader gives it: its layers, and its ONNX in normal form.

    Raises:
        ModeldocsError: the network cannot be loaded.
    """
    told = model_of(net)
    model = ir.from_proto(onnx.load_from_string(told))
    graph = normalise(model)
    return LoadedPort(net.framework, graph=graph, onnx=told, normal=weights.without(model))


def model_of(net: Net) -> bytes:
    """What the loader makes of a network, as ONNX without weights.

    Raises:
        ModeldocsError: the network cannot be loaded.
    """
    kept = GRAPHS / f"{net.key}-{_version(net, _LOADING)}.onnx"
    if not kept.is_file():
        _keep(kept, _loaded(net))
    return kept.read_bytes()


def _keep(file: Path, data: bytes) -> None:
    """Write a file in place of its older versions."""
    file.parent.mkdir(parents=True, exist_ok=True)
    name = file.stem.rpartition("-")[0]
    for old in file.parent.glob(f"{name}-{'?' * 12}{file.suffix}"):
        old.unlink()
    file.write_bytes(data)


def _version(net: Net, *deciding: str) -> str:
    """What decides a result: the network's source, its packages, and the code that makes it."""
    software = packages.environment(net.environment).folder.name
    loader = loaders.entry_point(net.framework).module
    reached = closure.closure(*deciding, loader)
    told = (net.source, software, closure.digest_of(*reached.files))
    return digest.of("\n".join(told).encode())[:12]


def request_of(net: Net) -> LoadRequest:
    """What loads a network: its file, written, and its environment, made where it is absent."""
    environment = packages.create(net.environment)
    folder: Path = _SOURCES / net.key
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / "network.py"
    file.write_text(net.source)
    return LoadRequest(
        root=str(folder), path=str(file), entry="model", name=net.key, declared=environment
    )


def _loaded(net: Net) -> bytes:
    found = loading.load(net.framework, request_of(net), _LIMITS)
    if not found.onnx:
        assert found.failure is not None
        raise ModeldocsError(f"{net.key}: {found.failure.reason}", fix=found.failure.fix)
    return found.onnx
