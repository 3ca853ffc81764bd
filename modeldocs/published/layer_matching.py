"""The port's layers that the rows of a log of times by layer belong to."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from pathlib import Path

from modeldocs.benchmarks.readers import Recording
from modeldocs.catalog import Port
from modeldocs.diff import compare
from modeldocs.ir import LayerGraph
from modeldocs.loaders import LoadRequest, loading

Shape = tuple[int, ...]


def match_layers(recording: Recording, port: Port) -> dict[str, str]:
    """Ids of the port's layers by the name of the row in the log.

    Rows are matched by the diff of the network that the log prints with the port. Where the log
    cuts the network off, as Caffe's does after 30,000 characters, a row belongs to the layer of the
    same name whose output has the same sizes.

    Raises:
        ModeldocsError: the port cannot be loaded.
    """
    loaded = loading.load(port.framework, port.request, port.limits)
    if loaded.failure is not None or loaded.graph is None:
        assert loaded.failure is not None
        raise loaded.failure.error()
    theirs = _network(recording.prototxt, port)
    if theirs is not None:
        return _by_diff(theirs, loaded.graph)
    return _by_name(recording.shapes, loaded.graph)


def _network(prototxt: str, port: Port) -> LayerGraph | None:
    """The network that a log prints; None where it prints none that is whole."""
    with tempfile.TemporaryDirectory(prefix="modeldocs-log-") as folder:
        file = Path(folder, "network.prototxt")
        file.write_text(prototxt)
        request = LoadRequest(root=folder, path=str(file))
        return loading.load("caffe", request, port.limits).graph


def _by_diff(theirs: LayerGraph, ours: LayerGraph) -> dict[str, str]:
    names = {layer.id: layer.name for layer in theirs.layers}
    return {
        names[a]: match.b[0]
        for match in compare(theirs, ours).matches
        for a in match.a
        if a in names and len(match.b) == 1
    }


def _by_name(shapes: Mapping[str, Shape], ours: LayerGraph) -> dict[str, str]:
    return {
        layer.name: layer.id
        for layer in ours.layers
        if layer.name in shapes and _sizes(shapes[layer.name]) == _sizes(layer.outputs[0].shape)
    }


def _sizes(shape: tuple[int | str | None, ...] | None) -> tuple[int | str | None, ...]:
    """The sizes of a tensor without its batch, and without axes of one element."""
    return tuple(size for size in (shape or ())[1:] if size != 1)
