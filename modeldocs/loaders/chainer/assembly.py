"""Assembly of a recorded pass into one ONNX graph."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx_ir as ir

from modeldocs.ir import Module, Origin, origin
from modeldocs.loaders.chainer import operators, weights
from modeldocs.loaders.chainer.operation import DOMAIN, EMITTERS, ChainerOperation, settings
from modeldocs.loaders.chainer.program import FunctionCall, Tensor
from modeldocs.loaders.chainer.provenance import construction
from modeldocs.loaders.chainer.run import RecordedRun
from modeldocs.loaders.emission import model as onnx_model
from modeldocs.loaders.emission.graph import EmittedGraph

__all__ = ["assemble", "operators", "value_names"]

_KEY = "chainer"
"""Key in a value's `meta`: the key of its tensor."""


def assemble(run: RecordedRun) -> ir.Model:
    """The functions that the outputs depend on, as an ONNX model without weights."""
    assembly = _LinkAssembly(run)
    for name, tensor in run.forward.inputs.items():
        assembly.add_input(name, tensor)
    for call in run.forward.tape.needed(run.forward.outputs.values()):
        assembly.add_call(call)
    return assembly.finish()


def value_names(model: ir.Model) -> dict[int, str]:
    """Names of the ONNX values, by key of the tensor."""
    return {
        int(value.meta[_KEY]): str(value.name)
        for node in model.graph
        for value in node.outputs
        if _KEY in value.meta
    }


class _LinkAssembly:
    """The graph so far; `values` are by key of the tensor."""

    def __init__(self, run: RecordedRun) -> None:
        self.run = run
        self.graph = EmittedGraph()
        self.graph.notes += run.notes
        self.values: dict[int, ir.Value] = {}
        self._links = {id(link): link for _, link in run.link.namedlinks()}
        self._stored = weights.stored(run.link)

    def add_input(self, name: str, tensor: Tensor) -> None:
        """Add an input of the graph."""
        self.values[tensor.key] = self.graph.add_input(name, tensor.shape, _dtype(tensor))

    def add_call(self, call: FunctionCall) -> None:
        """Add the nodes of a function; an unknown one is a node of Chainer's own domain."""
        operands = [self._operand(tensor, call) for tensor in call.inputs]
        operation = ChainerOperation(call, operands, self._provenance(call))
        emit = EMITTERS.get(call.kind)
        outputs = emit(operation) if emit is not None else operation.opaque()
        self.graph.add_layer(operation, outputs)
        for value, tensor in zip(outputs, call.outputs, strict=True):
            value.shape, value.type = ir.Shape(tensor.shape), ir.TensorType(_dtype(tensor))
            value.meta[_KEY] = tensor.key
            self.values[tensor.key] = value

    def _operand(self, tensor: Tensor, call: FunctionCall) -> ir.Value:
        """The value of a tensor; of one that is new a parameter or a constant."""
        if tensor.key in self.values:
            return self.values[tensor.key]
        assert tensor.array is not None
        if tensor.key in self._stored:
            name, trainable = self._stored[tensor.key]
            value = origin.declare_parameter(
                self.graph.names.unique(name),
                tensor.shape,
                dtype=_dtype(tensor),
                trainable=trainable,
            )
        else:
            links = call.caller.links
            path = self.run.forward.paths[links[-1]] if links else ""
            name = self.graph.names.unique(f"{path}/constant".strip("/"))
            value = onnx_model.constant(np.array(tensor.array, order="C"), name)
        self.values[tensor.key] = value
        self.graph.initializers.append(value)
        return value

    def _provenance(self, call: FunctionCall) -> origin.Provenance:
        """The link that applied a function where it is a layer, else the function itself."""
        caller = call.caller
        links = [(self.run.forward.paths[key], self._links[key]) for key in caller.links]
        modules = tuple(Module(path=path, kind=_kind(link)) for path, link in links if path)
        path, link = links[-1] if links else ("", None)
        if link is not None and _is_layer(link):
            constructed = construction(link)
            layer_origin = Origin(
                operator=f"chainer.links.{type(link).__name__}",
                name=path,
                attributes=constructed.arguments,
                file=constructed.file,
                line=constructed.line,
            )
        else:
            is_known = caller.function or call.kind in EMITTERS
            layer_origin = Origin(
                operator=f"chainer.functions.{call.name}" if is_known else call.name,
                name=f"{path}/{call.name}".strip("/"),
                attributes=settings(call),
                file=self.run.request.relative(caller.file) if caller.file is not None else None,
                line=caller.line,
            )
        return origin.Provenance(origins=(layer_origin,), modules=modules, name=layer_origin.name)

    def finish(self) -> ir.Model:
        """The model, its outputs under the port's own names."""
        tensors = self.run.forward.outputs.items()
        outputs = [self._output(name, tensor) for name, tensor in tensors]
        return self.graph.model(self.run.request.name, outputs, self._notes())

    def _output(self, name: str, tensor: Tensor) -> ir.Value:
        """The value of an output, under the port's name where no other value has it."""
        value = self.values[tensor.key]
        output = self.graph.output(value, name or "output")
        if output is value and name and name not in self.graph.names:
            value.name = self.graph.names.unique(name)
        return output

    def _notes(self) -> list[str]:
        """Notes on parameters that the forward pass does not read, and on unknown functions."""
        notes = []
        unread = sorted(name for key, (name, _) in self._stored.items() if key not in self.values)
        if unread:
            names = ", ".join(unread[:6]) + (" …" if len(unread) > 6 else "")
            notes.append(f"{len(unread)} of its parameters are not used in test mode: {names}")
        foreign = sorted({node.op_type for node in self.graph.nodes if node.domain == DOMAIN})
        return notes + [
            f"ONNX has no operator for {kind}, which is drawn as it is" for kind in foreign
        ]


def _dtype(tensor: Tensor) -> ir.DataType:
    return ir.DataType.from_numpy(tensor.dtype)


def _kind(link: Any) -> str:
    """The class of a link, with the prefix `L.` for Chainer's own layers."""
    kind = type(link)
    is_own = kind.__module__.startswith("chainer.links.") and ".model." not in kind.__module__
    return f"L.{kind.__name__}" if is_own else kind.__name__


def _is_layer(link: Any) -> bool:
    """Whether a link is one of Chainer's own that holds its parameters itself."""
    import chainer

    is_composed = isinstance(link, chainer.Chain | chainer.ChainList)
    return type(link).__module__.startswith("chainer.links.") and not is_composed
