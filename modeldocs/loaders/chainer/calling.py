"""How a link is called: as it is, by a method of its own that needs no labels, or with labels.

Networks of trainings take labels and give the loss. They are drawn up to what functions that read
labels are given.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from modeldocs.errors import ModeldocsError
from modeldocs.loaders import LoadRequest
from modeldocs.loaders.chainer.tape import Tape, Tensor

_LABEL = re.compile(
    r"(t|ts|y|ys|gt|gts|labels?|targets?|truths?|ground_?truths?|answers?|teachers?|classes)"
    r"(_?(true|data|label|labels))?",
    re.I,
)
_MODES = {"train": False, "training": False, "is_train": False, "test": True, "finetune": False}
_WITHOUT = ("forward", "predict")
"""Methods that may give the network's output where its call gives the loss."""


@dataclass(frozen=True)
class Way:
    """A way to call a link: the method, labels and settings that go with the inputs, and a note."""

    method: Callable[..., Any]
    labels: tuple[str, ...] = ()
    settings: dict[str, bool] = field(default_factory=dict)
    note: str = ""


@dataclass(frozen=True)
class Ways:
    """What to try, in this order; `told` is the one whose failure is told if all fail."""

    ways: tuple[Way, ...]
    told: int = 0


def ways(request: LoadRequest, link: Any, names: Sequence[str]) -> Ways:
    """The ways to call a link on inputs of these names.

    Raises:
        ModeldocsError: it takes more than them, labels and modes.
    """
    method = called(link)
    missing = _missing(method, names)
    settings = {name: _MODES[name] for name in missing if name in _MODES}
    labels = tuple(name for name in missing if name not in _MODES)
    others = [name for name in labels if _LABEL.fullmatch(name) is None]
    if others:
        raise ModeldocsError(
            f"{type(link).__name__} takes {_listed(others)} as well",
            file=request.source,
            fix="pass " + " ".join(f"--input {name}=SHAPE" for name in (*names, *others)),
        )
    said = [f"called with {name} = {value}" for name, value in settings.items()]
    if not labels:
        return Ways((Way(method, settings=settings, note="; ".join(said)),))
    told = f"the call reads the labels {_listed(labels)}, which are left out"
    found = [
        Way(other, note=f"drawn as its method {name} computes it: {told}")
        for name in _WITHOUT
        if (other := getattr(link, name, None)) is not None
        and other != method
        and not _missing(other, names)
    ]
    up_to = "; ".join([f"drawn up to the loss: {told}", *said])
    found.append(Way(method, labels, settings, up_to))
    return Ways(tuple(found), told=len(found) - 1)


def called(link: Any) -> Callable[..., Any]:
    """The method that runs when a link is called."""
    import chainer

    own = type(link).__call__ is not chainer.Link.__call__
    made: Callable[..., Any] = link.__call__ if own else getattr(link, "forward", link.__call__)
    return made


def parameters(method: Callable[..., Any]) -> list[inspect.Parameter]:
    """Parameters of a method that have names; none where nothing is known of it."""
    try:
        held = list(inspect.signature(method).parameters.values())
    except (TypeError, ValueError):
        return []
    return [one for one in held if one.kind not in (one.VAR_POSITIONAL, one.VAR_KEYWORD)]


def _missing(method: Callable[..., Any], names: Sequence[str]) -> list[str]:
    """Parameters without a default that inputs do not give, by name or else by place."""
    held = parameters(method)
    known = [one.name for one in held]
    given = set(names) if set(names) <= set(known) else set(known[: len(names)])
    return [one.name for one in held if one.default is one.empty and one.name not in given]


def _listed(names: Sequence[str]) -> str:
    return " and ".join(names)


def heads(tape: Tape, inputs: Sequence[Tensor]) -> list[Tensor]:
    """What functions that read labels were given of the network's own."""
    live = {tensor.key for tensor in inputs}
    made: dict[int, Tensor] = {}
    found: dict[int, Tensor] = {}
    for call in tape.calls:
        keys = {tensor.key for tensor in call.inputs}
        if keys & tape.labelled:
            found |= {key: made[key] for key in sorted(keys & made.keys(), key=list(made).index)}
        elif keys & live:
            live |= {tensor.key for tensor in call.outputs}
            made |= {tensor.key: tensor for tensor in call.outputs}
    return list(found.values())
