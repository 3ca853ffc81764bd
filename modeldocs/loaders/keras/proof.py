"""Keras' own numbers for a model, with designed values in its weights."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import onnx_ir as ir

from modeldocs.errors import ModeldocsError
from modeldocs.loaders import LoadRequest
from modeldocs.loaders.keras import calls, framework, program, weights
from modeldocs.loaders.keras.assembly import KerasAssembly, assemble
from modeldocs.loaders.keras.program import TracedModel
from modeldocs.loaders.python_source import port_errors
from modeldocs.loaders.reference import Arrays, Designed, Designs, Proven, Reference


def prove(request: LoadRequest, designs: Designs) -> Iterator[Proven]:
    """The graph, and runs of the model with designed weights in inference mode.

    Counts of parameters do not include weights that make no difference.

    Raises:
        ModeldocsError: the model cannot be loaded, or Keras cannot run it.
    """
    with program.session(request, values=True):
        traced = program.trace(request)
        _check_sizes(traced, request.source)
        assembly = assemble(traced, request)
        model = assembly.finish()
        for designed in designs(model):
            weights.fill(traced.model, assembly.parameters, designed, assembly.constants)
            run = _KerasRun(traced, designed.inputs)
            with port_errors.located(request, "running the model"):
                reference = _reference(run, traced, assembly, model, designed)
            yield Proven(model, reference)


def _reference(
    run: _KerasRun,
    traced: TracedModel,
    assembly: KerasAssembly,
    model: ir.Model,
    designed: Designed,
) -> Reference:
    outputs = run.outputs()
    activations = run.activations(assembly) if designed.by_layer else {}
    read = {*assembly.parameters, *assembly.constants}
    unused = _without_effect(weights.unread(traced.model, read), run, outputs)
    unused += [v for v in traced.model.weights if id(v) in assembly.constants]
    names = [str(value.name) for value in model.graph.outputs]
    frozen = traced.model.non_trainable_weights
    return Reference(
        software=framework.version(),
        inputs=designed.inputs,
        outputs=dict(zip(names, outputs, strict=True)),
        activations=activations,
        trainable=weights.count(traced.model.trainable_weights, unused, assembly.parameters),
        frozen=weights.count(frozen, unused, assembly.parameters),
        parameters=designed.parameters,
    )


def _check_sizes(traced: TracedModel, source: str | None) -> None:
    """Raise where an input has an open size."""
    for name, tensor, _ in traced.feed.graph_inputs:
        if None in tensor.shape:
            raise ModeldocsError(
                f"input {name!r} has the shape {tuple(tensor.shape)}, in which sizes are open",
                file=source,
                fix=f"write `inputs:` in model.yml, or pass --input {name}=1,…",
            )


class _KerasRun:
    """A model run by Keras itself in inference mode, as a whole or call by call."""

    def __init__(self, traced: TracedModel, arrays: Arrays) -> None:
        self._program = traced
        self._keras = framework.imported()
        self._inputs = {
            id(tensor): self._keras.ops.convert_to_tensor(arrays[name], tensor.dtype)
            for name, tensor, _ in traced.feed.graph_inputs
        }

    def outputs(self) -> list[np.ndarray[Any, Any]]:
        """The outputs of the model, called as its users do."""
        tree, feed = self._keras.tree, self._program.feed
        args, kwargs = tree.map_structure(
            lambda tensor: self._inputs.get(id(tensor), tensor), (list(feed.args), feed.kwargs)
        )
        outputs = tree.flatten(self._program.model(*args, **kwargs, training=False))
        return [np.asarray(self._keras.ops.convert_to_numpy(output)) for output in outputs]

    def activations(self, assembly: KerasAssembly) -> Arrays:
        """The outputs of the traced calls, by name of the graph's value."""
        convert = self._keras.ops.convert_to_numpy
        return {
            str(assembly.values[id(tensor)].name): np.asarray(convert(value))
            for tensor, value in self._calls()
        }

    def _calls(self) -> Iterator[tuple[Any, Any]]:
        """The symbolic tensor and the value of each output of the traced calls."""
        trace = self._program.trace
        values = dict(self._inputs)
        values |= {i: variable.value for i, variable in trace.stand_ins.variables.items()}
        values |= {i: value for i, (_, value) in trace.constants.items()}
        for call in calls.in_order([tensor for _, tensor in self._program.outputs]):
            values |= {id(t): values[id(calls.original(t))] for t in call.arguments.keras_tensors}
            args, kwargs = call.arguments.fill_in(values)
            outputs = self._keras.tree.flatten(call.operation(*args, **kwargs))
            for tensor, value in zip(call.outputs, outputs, strict=True):
                values[id(tensor)] = value
                yield tensor, value


def _without_effect(
    variables: list[Any], run: _KerasRun, outputs: list[np.ndarray[Any, Any]]
) -> list[Any]:
    """All of the variables if the outputs are the same whatever their values, else none."""
    for variable in variables:
        variable.assign(np.asarray(variable) * 1.5 + 0.5)
    same = not variables or all(map(np.array_equal, outputs, run.outputs()))
    return variables if same else []
