"""Ways to call a link: as it is, by another method that needs no labels, or with labels.

Networks written for training take labels and return the loss. They are drawn up to the operands
of the functions that read labels.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from modeldocs.errors import ModeldocsError
from modeldocs.loaders import LoadRequest
from modeldocs.loaders.python_source import callables

_LABEL = re.compile(
    r"(t|ts|y|ys|gt|gts|labels?|targets?|truths?|ground_?truths?|answers?|teachers?|classes)"
    r"(_?(true|data|label|labels))?",
    re.I,
)
_MODES = {"train": False, "training": False, "is_train": False, "test": True, "finetune": False}
"""Parameters that switch between training and inference, with their values in inference."""

_PREDICTING = ("forward", "predict")
"""Methods that may return the network's output where its call returns the loss."""


@dataclass(frozen=True)
class Invocation:
    """A method, the labels and settings it takes besides the inputs, and a note for the reader."""

    method: Callable[..., Any]
    labels: tuple[str, ...] = ()
    settings: dict[str, bool] = field(default_factory=dict)
    note: str = ""


def invocations(request: LoadRequest, link: Any, names: Sequence[str]) -> list[Invocation]:
    """The ways to call a link on inputs of these names, in the order to try them.

    The last is the link's own call, whose failure is reported if all fail.

    Raises:
        ModeldocsError: it takes more than inputs, labels and modes.
    """
    method = call_method(link)
    missing = _missing(method, names)
    settings = {name: _MODES[name] for name in missing if name in _MODES}
    labels = tuple(name for name in missing if name not in _MODES)
    others = [name for name in labels if _LABEL.fullmatch(name) is None]
    if others:
        raise ModeldocsError(
            f"{type(link).__name__} takes {' and '.join(others)} as well",
            file=request.source,
            fix="pass " + " ".join(f"--input {name}=SHAPE" for name in (*names, *others)),
        )
    modes = [f"called with {name} = {value}" for name, value in settings.items()]
    if not labels:
        return [Invocation(method, settings=settings, note="; ".join(modes))]
    reason = f"the call reads the labels {' and '.join(labels)}, which are left out"
    predicting = [
        Invocation(other, note=f"drawn as its method {name} computes it: {reason}")
        for name in _PREDICTING
        if (other := getattr(link, name, None)) is not None
        and other != method
        and not _missing(other, names)
    ]
    note = "; ".join([f"drawn up to the loss: {reason}", *modes])
    return [*predicting, Invocation(method, labels, settings, note)]


def call_method(link: Any) -> Callable[..., Any]:
    """The method that runs when a link is called."""
    import chainer

    overrides = type(link).__call__ is not chainer.Link.__call__
    method: Callable[..., Any] = (
        link.__call__ if overrides else getattr(link, "forward", link.__call__)
    )
    return method


def _missing(method: Callable[..., Any], names: Sequence[str]) -> list[str]:
    """Parameters without a default that inputs do not provide, by name or else by position."""
    named = callables.parameters(method)
    known = [parameter.name for parameter in named]
    provided = set(names) if set(names) <= set(known) else set(known[: len(names)])
    return [
        parameter.name
        for parameter in named
        if parameter.default is parameter.empty and parameter.name not in provided
    ]
