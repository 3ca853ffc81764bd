"""What Chainer itself computes with designed values, and the graph that they were designed for."""

from __future__ import annotations

from typing import Any

import numpy as np

from modeldocs.loaders import LoadRequest
from modeldocs.loaders.chainer import assembly, running
from modeldocs.loaders.reference import Design, Designed, Proven, Reference


def prove(request: LoadRequest, design: Design) -> Proven:
    """The port's graph, and its outputs from Chainer in test mode, with designed values in both."""
    import chainer

    model = assembly.assemble(running.run(request))
    designed = design(model)
    run = running.run(
        request, given=designed.inputs, prepare=lambda link: fill(link, designed), keep_values=True
    )
    names = [str(value.name) for value in model.graph.outputs]
    held, read = running.persistents(run.link), set(model.graph.initializers)
    reference = Reference(
        software=f"chainer {chainer.__version__}",
        inputs=designed.inputs,
        outputs=dict(zip(names, run.got.values(), strict=True)),
        activations=_activations(run),
        trainable=sum(p.size for path, p in run.link.namedparams() if path.strip("/") in read),
        frozen=sum(v.size for path, v in held if path in read and isinstance(v, np.ndarray)),
        parameters=designed.parameters,
    )
    return Proven(model, reference)


def _activations(run: running.Run) -> dict[str, np.ndarray[Any, Any]]:
    names = assembly.value_names(assembly.assemble(run))
    return {
        names[tensor.key]: tensor.array
        for call in run.tape.calls
        for tensor in call.outputs
        if tensor.key in names and tensor.array is not None
    }


def fill(link: Any, designed: Designed) -> None:
    """Give every parameter and running statistic of a link its designed value, in place."""
    for path, parameter in sorted(link.namedparams()):
        if parameter.array is None:  # nothing reads it, so it never got a size
            continue
        parameter.array[...] = designed.parameter(path.strip("/"), parameter.shape)
    for path, value in running.persistents(link):
        if isinstance(value, np.ndarray) and value.ndim:
            value[...] = designed.parameter(path, value.shape)
