"""What Chainer itself computes with seeded values, and the graph that holds the same values."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import onnx_ir as ir

from modeldocs.loaders import LoadRequest, seeding
from modeldocs.loaders.chainer import assembly, running
from modeldocs.loaders.chainer.running import Session
from modeldocs.loaders.chainer.tape import Tape
from modeldocs.loaders.reference import Reference
from modeldocs.loaders.seeding import Kind

WIDEST = 2.0
"""Standard deviation that what a softmax reads may have."""

_SOFTMAXES = ("Softmax", "LogSoftmax")
_WEIGHTED = ("LinearFunction", "Convolution2DFunction")


def prove(request: LoadRequest, seed: int, *, layers: bool) -> tuple[ir.Model, Reference]:
    """The port's graph with seeded parameters, and its outputs from Chainer in test mode."""
    import chainer

    def prepare(session: Session) -> None:
        if not running.is_whole(session.link):
            session.trial()
        fill_parameters(session.link, seed)
        temper(session.trial())

    run = running.run(request, seed=seed, prepare=prepare, keep_values=layers)
    model = assembly.assemble(run, values=True)
    names = [str(value.name) for value in model.graph.outputs]
    held = [value for _, value in running.persistents(run.link)]
    reference = Reference(
        software=f"chainer {chainer.__version__}",
        inputs=run.given,
        outputs=dict(zip(names, run.got.values(), strict=True)),
        activations=_activations(run, model) if layers else {},
        trainable=sum(parameter.size for parameter in run.link.params()),
        frozen=sum(v.size for v in held if isinstance(v, np.ndarray) and v.ndim),
    )
    return model, reference


def _activations(run: running.Run, model: ir.Model) -> dict[str, np.ndarray[Any, Any]]:
    names = assembly.value_names(model)
    return {
        names[tensor.key]: tensor.array
        for call in run.tape.calls
        for tensor in call.outputs
        if tensor.key in names and tensor.array is not None
    }


def fill_parameters(link: Any, seed: int) -> None:
    """Give every parameter and running statistic of a link its seeded value, in place."""
    for path, parameter in sorted(link.namedparams()):
        owner = _owner(link, path)
        shape = parameter.shape
        kind = _kind(path.rsplit("/", 1)[-1], type(owner).__name__)
        made = seeding.draw(seed, path.strip("/"), shape, kind, _fan_in(owner, shape))
        parameter.array[...] = made
    for path, value in running.persistents(link):
        if isinstance(value, np.ndarray) and value.ndim:
            spread: Kind = "var" if path.endswith("var") else "mean"
            value[...] = seeding.draw(seed, path, value.shape, spread)


def temper(tape: Tape) -> None:
    """Scale the weights before each softmax, in place, so that it does not saturate.

    One class of probability 1 would hide whatever went wrong before it.
    """
    makers = {tensor.key: call for call in tape.calls for tensor in call.outputs}
    for call in tape.calls:
        seen = call.inputs[0]
        maker = makers.get(seen.key)
        if call.kind not in _SOFTMAXES or maker is None or maker.kind not in _WEIGHTED:
            continue
        held = maker.outputs[0].array
        spread = float(np.std(held)) if held is not None else 0.0
        for tensor in maker.inputs[1:] if spread > WIDEST else ():
            assert tensor.array is not None
            tensor.array[...] /= spread


def _owner(link: Any, path: str) -> Any:
    links = dict(link.namedlinks())
    return links.get(path.rsplit("/", 1)[0] or "/", link)


def _kind(name: str, owner: str) -> Kind:
    if owner in ("EmbedID",):
        return "embedding"
    if owner in ("PReLU", "Swish"):
        return "slope"
    if name == "gamma" or owner == "Scale":
        return "scale"
    return "bias" if name in ("b", "beta", "bias") else "weight"


def _fan_in(owner: Any, shape: tuple[int, ...]) -> int:
    """Products in one element of what a weight gives; deconvolutions have their inputs first."""
    if len(shape) < 2:
        return 1
    if type(owner).__name__.startswith("Deconvolution"):
        strides = getattr(owner, "stride", 1)
        spread = math.prod(strides) if isinstance(strides, tuple) else strides ** (len(shape) - 2)
        return max(1, shape[0] * math.prod(shape[2:]) // spread)
    return math.prod(shape[1:])
