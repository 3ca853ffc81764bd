"""Shapes of a graph's inputs: the requested ones, else the source's with a batch of one."""

from __future__ import annotations

from modeldocs.loaders import LoadRequest, dims
from modeldocs.loaders.dims import Dims
from modeldocs.loaders.tensorflow.program import FedPlaceholder, FlatGraph, GraphDefProgram

_LARGEST = 2**31
_RANKS = {
    **dict.fromkeys(("Conv2D", "DepthwiseConv2dNative", "MaxPool", "AvgPool"), 4),
    **dict.fromkeys(("FusedBatchNorm", "FusedBatchNormV2", "FusedBatchNormV3", "LRN"), 4),
    **dict.fromkeys(("ResizeBilinear", "ResizeNearestNeighbor"), 4),
    "Conv3D": 5,
    "MatMul": 2,
}
"""The rank of an operator's first operand."""
_KEEPING = ("Add", "AddV2", "Cast", "Div", "Identity", "Mul", "RealDiv", "Relu", "Sub")
"""Operators that mostly keep the rank: their other operand is a scalar or a vector."""


def choose(program: GraphDefProgram, request: LoadRequest, flat: FlatGraph) -> dict[str, Dims]:
    """The shape of each input that the graph depends on, by placeholder; open sizes are None.

    Raises:
        ModeldocsError: the rank of one is not known, or a requested one does not exist.
    """
    feeds = [feed for feed in program.feeds if feed.node in flat.nodes]
    requested = dict(request.inputs)
    if "" in requested and len(feeds) == 1:
        requested[feeds[0].name] = requested.pop("")
    known = {name for feed in program.feeds for name in (feed.name, feed.other)}
    unknown = sorted(set(requested) - known)
    if unknown:
        raise program.error(
            f"has no input {unknown[0]!r}",
            fix=f"name one of: {', '.join(feed.name for feed in feeds) or 'none'}",
        )
    return {feed.node: _shape(program, feed, requested, flat) for feed in feeds}


def _shape(
    program: GraphDefProgram,
    feed: FedPlaceholder,
    requested: dict[str, tuple[int, ...]],
    flat: FlatGraph,
) -> Dims:
    wanted = requested.get(feed.name, requested.get(feed.other))
    if wanted is not None:
        if feed.shape is not None and not _fits(wanted, feed.shape):
            raise program.error(
                f"the input {feed.name!r} is {dims.as_text(feed.shape)}, "
                f"not {dims.as_text(wanted)}",
                at=feed.node,
                fix="give a shape that fits",
            )
        return wanted
    shape = feed.shape
    if shape is not None:
        return (1, *shape[1:]) if shape[:1] == (None,) else shape
    rank = _rank(flat, feed.node)
    if rank is None:
        raise program.error(
            f"the input {feed.name!r} has no shape in the source",
            at=feed.node,
            fix=f"give its shape with --input {feed.name}=…, or as `inputs` of the "
            "port in model.yml",
        )
    return (1, *[None] * (rank - 1))


def _rank(flat: FlatGraph, name: str) -> int | None:
    """The rank that an output must have; None where no reader requires one."""
    names = {name}
    for node in flat.nodes.values():
        slots = [slot for slot, (producer, _) in enumerate(node.inputs) if producer in names]
        if slots and slots[0] == 0 and node.kind in _RANKS:
            return _RANKS[node.kind]
        if slots and node.kind in _KEEPING:
            names.add(node.name)
    return None


def _fits(wanted: tuple[int, ...], declared_shape: Dims) -> bool:
    return len(wanted) == len(declared_shape) and all(
        0 <= size < _LARGEST and declared in (None, size)
        for size, declared in zip(wanted, declared_shape, strict=True)
    )
