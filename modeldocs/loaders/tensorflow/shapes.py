"""The shapes that a graph is drawn for: those asked for, the source's, a batch of one."""

from __future__ import annotations

from modeldocs.ir import Dim
from modeldocs.loaders import LoadRequest
from modeldocs.loaders.tensorflow.program import Feed, Flat, Program

_LARGEST = 2**31
_RANKS = {
    **dict.fromkeys(("Conv2D", "DepthwiseConv2dNative", "MaxPool", "AvgPool"), 4),
    **dict.fromkeys(("FusedBatchNorm", "FusedBatchNormV2", "FusedBatchNormV3", "LRN"), 4),
    **dict.fromkeys(("ResizeBilinear", "ResizeNearestNeighbor"), 4),
    "Conv3D": 5,
    "MatMul": 2,
}
"""How many dimensions what an operator reads first has."""
_KEEPING = ("Add", "AddV2", "Cast", "Div", "Identity", "Mul", "RealDiv", "Relu", "Sub")
"""Operators that mostly keep them: what stands beside an input is a number, or one a channel."""


def choose(program: Program, request: LoadRequest, flat: Flat) -> dict[str, tuple[Dim, ...]]:
    """Shape by placeholder of each input that the graph depends on; sizes that are open are None.

    Raises:
        ModeldocsError: not even the rank of one is known, or one is asked for and not there.
    """
    feeds = [feed for feed in program.feeds if feed.node in flat.operations]
    asked = dict(request.inputs)
    if "" in asked and len(feeds) == 1:
        asked[feeds[0].name] = asked.pop("")
    known = {name for feed in program.feeds for name in (feed.name, feed.other)}
    strange = sorted(set(asked) - known)
    if strange:
        raise program.error(
            f"has no input {strange[0]!r}",
            fix=f"name one of: {', '.join(feed.name for feed in feeds) or 'none'}",
        )
    return {feed.node: _shape(program, feed, asked, flat) for feed in feeds}


def _shape(
    program: Program, feed: Feed, asked: dict[str, tuple[int, ...]], flat: Flat
) -> tuple[Dim, ...]:
    given = asked.get(feed.name, asked.get(feed.other))
    if given is not None:
        if feed.shape is not None and not _fits(given, feed.shape):
            raise program.error(
                f"the input {feed.name!r} is {_said(feed.shape)}, and not {_said(given)}",
                at=feed.node,
                fix="give a shape that fits",
            )
        return given
    shape = feed.shape
    if shape is not None:
        return (1, *shape[1:]) if shape[:1] == (None,) else shape
    rank = _rank(flat, feed.node)
    if rank is None:
        raise program.error(
            f"the input {feed.name!r} is of any shape in the source",
            at=feed.node,
            fix=f"give the shape that you have with --input {feed.name}=…, or as `inputs` of the "
            "port in model.yml",
        )
    return (1, *[None] * (rank - 1))


def _rank(flat: Flat, name: str) -> int | None:
    """How many dimensions an operation's output must have; None where no reader tells."""
    held = {name}
    for operation in flat.operations.values():
        read = [place for place, (maker, _) in enumerate(operation.inputs) if maker in held]
        if read and read[0] == 0 and operation.kind in _RANKS:
            return _RANKS[operation.kind]
        if read and operation.kind in _KEEPING:
            held.add(operation.name)
    return None


def _fits(given: tuple[int, ...], shape: tuple[Dim, ...]) -> bool:
    return len(given) == len(shape) and all(
        0 <= size < _LARGEST and own in (None, size) for size, own in zip(given, shape, strict=True)
    )


def _said(shape: tuple[Dim, ...]) -> str:
    return " × ".join("?" if size is None else str(size) for size in shape) or "one number"
