"""Sources of Chainer: Python files and modules that build a link."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

from modeldocs.errors import ModeldocsError
from modeldocs.loaders import LoadRequest
from modeldocs.loaders.chainer.provenance import Constructions
from modeldocs.loaders.python_source import callables, python_file

_BASES = ("Chain", "ChainList", "Sequential", "Link")


class ChainerPort(NamedTuple):
    """A port's link, the `INPUTS` that its file declares, and notes on what was left out."""

    link: Any
    declared_inputs: Any
    notes: list[str]


def recognises(path: Path) -> bool:
    """Whether a file is Python, and named after the framework or importing it."""
    if path.suffix != ".py":
        return False
    return path.stem == "chainer" or python_file.mentions_import(path, "chainer")


def build(request: LoadRequest) -> ChainerPort:
    """The link that a port builds.

    Raises:
        ModeldocsError: the port raises, or returns something else.
    """
    import chainer
    import numpy as np

    np.random.seed(0)
    with Constructions(request):
        target, declared_inputs = callables.entry_point(request, _BASES)
        link = target if isinstance(target, chainer.Link) else _call(request, target)
    if not isinstance(link, chainer.Link):
        raise callables.wrong_result(request, link, "not a chainer.Link", "the link")
    notes = []
    if isinstance(link, chainer.links.Classifier) and isinstance(link.predictor, chainer.Link):
        link = link.predictor
        notes.append("drawn without its Classifier, which computes the loss")
    return ChainerPort(link, declared_inputs, notes)


def _call(request: LoadRequest, target: Any) -> Any:
    """What an entry point returns; by default Chainer's own models download their weights."""
    if not callable(target):
        return target
    try:
        return callables.call(request, target)
    except ModeldocsError as error:
        names = [parameter.name for parameter in callables.parameters(target)]
        if "pretrained_model" in request.args or "pretrained_model" not in names:
            raise
        raise ModeldocsError(
            f"{error.reason} (by default it downloads weights, which there is no network for)",
            file=request.source,
            fix="write `args: {pretrained_model: null}` of the port in model.yml",
        ) from None
