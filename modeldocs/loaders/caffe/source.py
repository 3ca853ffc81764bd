"""What a request names, read: the network, and the blobs that a `.caffemodel` gives its layers."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from modeldocs.errors import ModeldocsError
from modeldocs.loaders import LoadRequest, capped
from modeldocs.loaders.caffe import binary, files, layers, weights
from modeldocs.loaders.caffe.assembly import Assembly, assemble
from modeldocs.loaders.caffe.caffemodel import Blob
from modeldocs.loaders.caffe.inputs import choose_shapes, network_inputs
from modeldocs.loaders.caffe.network import Network, read_network, saved_network

__all__ = ["Source", "assembled", "layers", "read"]

MAX_BYTES = 64 * 2**20


@dataclass(frozen=True, slots=True)
class Source:
    """A network, and blobs by layer from the file of that name, if any.

    `sure` is whether those are known to be the network's own.
    """

    network: Network
    blobs: dict[str, list[Blob]] = field(default_factory=dict)
    weights: str = ""
    sure: bool = True
    notes: tuple[str, ...] = ()


def read(request: LoadRequest) -> Source:
    """The network that a request names.

    Raises:
        ModeldocsError: a file cannot be read, with line, column, reason and fix.
    """
    path = Path(request.root, request.path or "")
    file = request.relative(path)
    if path.suffix.lower() == files.WEIGHTS:
        saved = binary.read(path, file)
        return Source(saved_network(saved.net, file, request.args), saved.blobs, file)
    network = read_network(_text(path), file, request.args)
    place = files.weights(path, request.args)
    if place is None:
        return Source(network)
    name = request.relative(place.path)
    try:
        return Source(network, binary.read(place.path, name).blobs, name, place.sure)
    except ModeldocsError as error:
        if place.sure:
            raise
        return Source(network, notes=(f"{name} is not used: {error.reason}",))


def assembled(source: Source, request: LoadRequest) -> Assembly:
    """The graph with a batch of one, or the source's where layers hold its number."""
    try:
        return _assembled(source, request, single=True)
    except ModeldocsError as error:
        first = error
    try:
        return _assembled(source, request, single=False)
    except ModeldocsError:
        raise first from None


def _assembled(source: Source, request: LoadRequest, *, single: bool) -> Assembly:
    network = source.network
    inputs = network_inputs(network, source.blobs if source.sure else None)
    shapes = choose_shapes(inputs, request.inputs, network.file, single=single)
    made = assemble(network, inputs, shapes, source.blobs)
    made.notes += source.notes
    if not source.blobs:
        return made
    try:
        made.notes += weights.take(made, source.blobs, source.weights)
    except ModeldocsError as error:
        if source.sure:
            raise
        # It lies there for another network.
        made = assemble(network, inputs, shapes, {})
        made.notes.append(f"{source.weights} is not used: {error.reason}")
    return made


def _text(path: Path) -> str:
    fix = "give the definition, not the weights"
    return files.decoded(capped.read(path, MAX_BYTES, file=path, what="a definition", fix=fix))
