"""What Chainer itself computes of a link, with designed parameters."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import onnx_ir as ir

from modeldocs.loaders import LoadRequest
from modeldocs.loaders.chainer import assembly, weights
from modeldocs.loaders.chainer.run import RecordedRun, run
from modeldocs.loaders.reference import Arrays, Designed, Designs, Proven, Reference


def prove(request: LoadRequest, designs: Designs) -> Iterator[Proven]:
    """The port's graph, and what Chainer computes in test mode with the same designed values."""
    model = assembly.assemble(run(request))
    for designed in designs(model):
        yield Proven(model, _reference(request, model, designed))


def _reference(request: LoadRequest, model: ir.Model, designed: Designed) -> Reference:
    import chainer

    proof_run = run(
        request,
        arrays=designed.inputs,
        prepare=lambda link: weights.fill(link, designed),
        keep_values=True,
    )
    link, initializers = proof_run.link, set(model.graph.initializers)
    names = [str(value.name) for value in model.graph.outputs]
    statistics = weights.persistents(link)
    return Reference(
        software=f"chainer {chainer.__version__}",
        inputs=designed.inputs,
        outputs=dict(zip(names, proof_run.forward.values.values(), strict=True)),
        activations=_activations(proof_run) if designed.by_layer else {},
        trainable=sum(p.size for path, p in link.namedparams() if path.strip("/") in initializers),
        frozen=sum(
            value.size
            for path, value in statistics
            if path in initializers and isinstance(value, np.ndarray)
        ),
        parameters=designed.parameters,
    )


def _activations(proof_run: RecordedRun) -> Arrays:
    """The values that functions computed, by name of the graph's value."""
    names = assembly.value_names(assembly.assemble(proof_run))
    return {
        names[tensor.key]: tensor.array
        for call in proof_run.forward.tape.calls
        for tensor in call.outputs
        if tensor.key in names and tensor.array is not None
    }
