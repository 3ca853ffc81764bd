"""Graphs of networks: loaded once by modeldocs' own loaders, then kept."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from modeldocs import digest, graph
from modeldocs.build import store
from modeldocs.errors import ModeldocsError
from modeldocs.graph import LayerGraph
from modeldocs.isolation import Limits
from modeldocs.loaders import LoadRequest, isolated

from . import packages
from .nets import Net

GRAPHS: Final = packages.HOME / "graphs"
_SOURCES: Final = packages.HOME / "sources"
_LIMITS: Final = Limits(seconds=900.0, memory_mb=12_288)
_DECIDING: Final = ("modeldocs.loaders", "modeldocs.normal", "modeldocs.graph")


def graph_of(net: Net) -> LayerGraph:
    """The layers of a network, from where they are kept if nothing changed since.

    Raises:
        ModeldocsError: the network cannot be loaded.
    """
    kept = GRAPHS / f"{net.key}-{_version(net)}.json"
    if not kept.is_file():
        made = graph.encode(_loaded(net))
        for old in GRAPHS.glob(f"{net.key}-{'?' * 12}.json"):
            old.unlink()
        kept.parent.mkdir(parents=True, exist_ok=True)
        kept.write_bytes(made)
    return graph.decode(kept.read_bytes())


def _version(net: Net) -> str:
    """What decides a graph: the network's source, its packages, and how it is loaded."""
    software = packages.environment(net.framework).folder.name
    told = (net.source, software, store.code_version(*_DECIDING))
    return digest.of("\n".join(told).encode())[:12]


def _loaded(net: Net) -> LayerGraph:
    environment = packages.create(net.framework)
    folder: Path = _SOURCES / net.key
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / "network.py"
    file.write_text(net.source)
    request = LoadRequest(
        root=str(folder), path=str(file), entry="model", name=net.key, declared=environment
    )
    found = isolated.load(net.framework, request, _LIMITS)
    if found.graph is None:
        assert found.failure is not None
        raise ModeldocsError(f"{net.key}: {found.failure.reason}", mend=found.failure.mend)
    return found.graph
