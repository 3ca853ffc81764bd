"""The shapes that a graph is drawn for: those asked for, the source's, a batch of one."""

from __future__ import annotations

from modeldocs.graph import Dim
from modeldocs.loaders import LoadRequest
from modeldocs.loaders.tensorflow.program import Feed, Program

_LARGEST = 2**31


def choose(program: Program, request: LoadRequest, live: set[str]) -> dict[str, tuple[Dim, ...]]:
    """Shape by placeholder of each input that the graph depends on.

    Raises:
        ModeldocsError: one has a dimension that nothing tells, or is asked for and not there.
    """
    feeds = [feed for feed in program.feeds if feed.node in live]
    asked = dict(request.inputs)
    if "" in asked and len(feeds) == 1:
        asked[feeds[0].name] = asked.pop("")
    known = {name for feed in program.feeds for name in (feed.name, feed.other)}
    strange = sorted(set(asked) - known)
    if strange:
        raise program.error(
            f"has no input {strange[0]!r}",
            mend=f"name one of: {', '.join(feed.name for feed in feeds) or 'none'}",
        )
    return {feed.node: _shape(program, feed, asked) for feed in feeds}


def _shape(program: Program, feed: Feed, asked: dict[str, tuple[int, ...]]) -> tuple[Dim, ...]:
    given = asked.get(feed.name, asked.get(feed.other))
    if given is not None:
        if feed.shape is not None and not _fits(given, feed.shape):
            raise program.error(
                f"the input {feed.name!r} is {_said(feed.shape)}, and not {_said(given)}",
                at=feed.node,
                mend="give a shape that fits",
            )
        return given
    shape = feed.shape
    if shape is not None and shape and shape[0] is None:
        shape = (1, *shape[1:])
    if shape is None or None in shape:
        said = _said(shape) if shape is not None else "of any shape"
        raise program.error(
            f"the input {feed.name!r} is {said} in the source",
            at=feed.node,
            mend=f"write `inputs: {{{feed.name}: [1, 224, 224, 3]}}` of the port in model.yml, "
            f"or pass --input {feed.name}=1,224,224,3",
        )
    return shape


def _fits(given: tuple[int, ...], shape: tuple[Dim, ...]) -> bool:
    return len(given) == len(shape) and all(
        0 <= size < _LARGEST and own in (None, size) for size, own in zip(given, shape, strict=True)
    )


def _said(shape: tuple[Dim, ...]) -> str:
    return " × ".join("?" if size is None else str(size) for size in shape) or "one number"
