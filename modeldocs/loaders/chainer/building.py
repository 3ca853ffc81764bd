"""The link of a port: built, with the line and the arguments of each link in it."""

from __future__ import annotations

import inspect
import sys
from types import FrameType
from typing import Any, NamedTuple

from modeldocs.errors import ModeldocsError
from modeldocs.loaders import LoadRequest, callables, declared
from modeldocs.loaders.chainer import calling, stack
from modeldocs.struct import Struct

_BASES = ("Chain", "ChainList", "Sequential", "Link")
_MADE = "_modeldocs_made"


class Made(Struct, frozen=True):
    """How a link was constructed: the arguments, and the line of the port that did."""

    arguments: dict[str, Any] = {}
    file: str | None = None
    line: int | None = None


def made(link: Any) -> Made:
    """How a link was constructed; nothing is known of one that was not made here."""
    found = vars(link).get(_MADE)
    return found if isinstance(found, Made) else Made()


class Built(NamedTuple):
    """A port's link, its input shapes by name, and what is told of how they were found."""

    link: Any
    inputs: dict[str, tuple[int, ...]]
    notes: list[str]


def build_link(request: LoadRequest) -> Built:
    """The port's link, and its input shapes.

    They come from the request, else from the file's own constant `INPUTS`, else from the size of
    images that the link itself names, as those of Chainer's ImageNet example do (`insize`).

    Raises:
        ModeldocsError: the port raises, returns something else, or no shape is given.
    """
    import chainer
    import numpy as np

    np.random.seed(0)
    with _Constructions(request):
        source = callables.import_source(request)
        target = callables.resolve(request, source, _BASES)
        link = target if isinstance(target, chainer.Link) else _called(request, target)
    if not isinstance(link, chainer.Link):
        raise ModeldocsError(
            f"the entry point returned {type(link).__name__}, not a chainer.Link",
            file=request.source,
            fix="let it return the link, or name the right callable as `entry:` in model.yml",
        )
    notes = []
    if isinstance(link, chainer.links.Classifier) and isinstance(link.predictor, chainer.Link):
        link = link.predictor
        notes.append("drawn without its Classifier, which makes the loss")
    own = getattr(source, "INPUTS", {})
    inputs = dict(request.inputs) or declared.shapes(request, own, "{'x': (1, 3, 224, 224)}")
    size = getattr(link, "insize", None)
    if not inputs and isinstance(size, int):
        inputs = {_first_name(link): (1, 3, size, size)}
    if not inputs:
        raise declared.missing(request, f"--input {_suggested(link)}")
    return Built(link, inputs, notes)


def _first_name(link: Any) -> str:
    """The name of what a link's call takes first."""
    held = calling.parameters(calling.called(link))
    return held[0].name if held else "x"


def _suggested(link: Any) -> str:
    """What to write: the channels of the first layer, and names for what is not known."""
    from chainer import links

    name = _first_name(link)
    layouts = ((links.Convolution2D, "1,{},HEIGHT,WIDTH"), (links.Linear, "1,{}"))
    for one in link.links():
        for kind, layout in layouts:
            if isinstance(one, kind) and one.W.array is not None:
                groups = getattr(one, "groups", 1)
                return f"{name}={layout.format(one.W.shape[1] * groups)}"
            if isinstance(one, kind):
                return f"{name}=SHAPE"
    return f"{name}=SHAPE"


def _called(request: LoadRequest, target: Any) -> Any:
    if not callable(target):
        return target
    try:
        return callables.call(request, target)
    except ModeldocsError as error:
        if "pretrained_model" in request.args or not _takes(target, "pretrained_model"):
            raise
        raise ModeldocsError(
            f"{error.reason} (by default it downloads weights, which there is no network for)",
            file=request.source,
            fix="write `args: {pretrained_model: null}` of the port in model.yml",
        ) from None


def _takes(target: Any, name: str) -> bool:
    try:
        return name in inspect.signature(target).parameters
    except (TypeError, ValueError):
        return False


class _Constructions:
    """Notes on each link how it was constructed, while links are built."""

    def __init__(self, request: LoadRequest) -> None:
        self.request = request
        self.own = stack.PortFiles(request)

    def __enter__(self) -> None:
        import chainer

        self.original = original = chainer.Link.__init__
        note = self._note

        def init(link: Any, *args: Any, **kwargs: Any) -> None:
            original(link, *args, **kwargs)
            note(link, sys._getframe(1))

        chainer.Link.__init__ = init

    def __exit__(self, *_: object) -> None:
        import chainer

        chainer.Link.__init__ = self.original

    def _note(self, link: Any, frame: FrameType | None) -> None:
        arguments: dict[str, Any] = {}
        while frame is not None and frame.f_locals.get("self") is link:
            if frame.f_code.co_name == "__init__":
                arguments = stack.arguments(frame)  # the last is that of the class itself
            frame = frame.f_back
        while frame is not None and frame.f_code.co_filename not in self.own:
            frame = frame.f_back
        file = self.request.relative(frame.f_code.co_filename) if frame is not None else None
        line = frame.f_lineno if frame is not None else None
        object.__setattr__(link, _MADE, Made(arguments=arguments, file=file, line=line))
