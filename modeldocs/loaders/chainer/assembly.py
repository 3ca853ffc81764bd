"""A recorded pass put together as one ONNX graph."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx_ir as ir

from modeldocs.ir import Module, Origin, origin
from modeldocs.loaders.chainer import building, functions, reach
from modeldocs.loaders.chainer.running import Run, stored
from modeldocs.loaders.chainer.step import DOMAIN, EMITTERS, Step
from modeldocs.loaders.chainer.tape import Call, Tensor
from modeldocs.loaders.emission import model as onnx_model
from modeldocs.loaders.emission.names import Names

__all__ = ["assemble", "functions", "value_names"]


def assemble(run: Run) -> ir.Model:
    """What the outputs were made of, as an ONNX model without weights."""
    assembly = _Assembly(run)
    for name, tensor in run.inputs.items():
        assembly.add_input(name, tensor)
    for call in reach.needed(run.tape, run.outputs.values()):
        assembly.add_call(call)
    return assembly.model()


def value_names(model: ir.Model) -> dict[int, str]:
    """Names of the ONNX values, by key of the tensor that they stand for."""
    return {
        int(value.meta["chainer"]): str(value.name)
        for node in model.graph
        for value in node.outputs
        if "chainer" in value.meta
    }


class _Assembly:
    """The graph so far; `held` has the value of each tensor by its key."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self.inputs: list[ir.Value] = []
        self.nodes: list[ir.Node] = []
        self.initializers: list[ir.Value] = []
        self.held: dict[int, ir.Value] = {}
        self.notes: list[str] = list(run.notes)
        self._names = Names()
        self._links = run.named_links
        self._stored = stored(run.link)

    def add_input(self, name: str, tensor: Tensor) -> None:
        value = _value(tensor)
        value.name = self._names.unique(name)
        self.held[tensor.key] = value
        self.inputs.append(value)

    def add_call(self, call: Call) -> None:
        """Add the nodes of one function; one that is not known is drawn as it is."""
        operands = [self._operand(tensor, call) for tensor in call.inputs]
        step = Step(call, operands, self._provenance(call))
        emit = EMITTERS.get(call.kind)
        made = emit(step) if emit is not None else step.opaque()
        step.give_names(self._names, made)
        for value, tensor in zip(made, call.outputs, strict=True):
            told = _value(tensor)
            value.shape, value.type = told.shape, told.type
            value.meta["chainer"] = tensor.key
            self.held[tensor.key] = value
        self.nodes += step.nodes
        self.initializers += step.initializers

    def _operand(self, tensor: Tensor, call: Call) -> ir.Value:
        if tensor.key in self.held:
            return self.held[tensor.key]
        assert tensor.array is not None
        stored = self._stored.get(tensor.key)
        if stored is not None:
            value = self._parameter(stored[0], tensor.array, trainable=stored[1])
        else:
            value = _value(tensor)
            value.name = self._names.unique(f"{self._path(call)}/constant".strip("/"))
            value.const_value = ir.tensor(np.ascontiguousarray(tensor.array), name=value.name)
        self.held[tensor.key] = value
        self.initializers.append(value)
        return value

    def _parameter(self, name: str, array: Any, *, trainable: bool) -> ir.Value:
        dtype = ir.DataType.from_numpy(array.dtype)
        return origin.declare_parameter(
            self._names.unique(name), array.shape, dtype=dtype, trainable=trainable
        )

    def _path(self, call: Call) -> str:
        return self.run.paths[call.caller.links[-1]] if call.caller.links else ""

    def _provenance(self, call: Call) -> origin.Provenance:
        links = [(self.run.paths[key], self._links[key]) for key in call.caller.links]
        modules = tuple(Module(path=path, kind=_kind(link)) for path, link in links if path)
        path, link = links[-1] if links else ("", None)
        if link is not None and _is_layer(link):
            made = building.made(link)
            told = Origin(
                operator=f"chainer.links.{type(link).__name__}",
                name=path,
                attributes=made.arguments,
                file=made.file,
                line=made.line,
            )
            return origin.Provenance(origins=(told,), modules=modules, name=path)
        name = call.caller.function or call.kind
        known = call.caller.function or call.kind in EMITTERS
        file = call.caller.file
        told = Origin(
            operator=f"chainer.functions.{name}" if known else name,
            name=f"{path}/{name}".strip("/"),
            attributes=Step(call, (), origin.Provenance()).settings(),
            file=self.run.request.relative(file) if file is not None else None,
            line=call.caller.line,
        )
        return origin.Provenance(origins=(told,), modules=modules, name=told.name)

    def model(self) -> ir.Model:
        """The model, its outputs under the port's own names."""
        outputs = [self._output(name, tensor) for name, tensor in self.run.outputs.items()]
        return onnx_model.finished(
            self.run.request.name,
            self.inputs,
            outputs,
            nodes=self.nodes,
            initializers=self.initializers,
            notes=[*self.notes, *self._unused(), *self._opaque()],
        )

    def _output(self, name: str, tensor: Tensor) -> ir.Value:
        """The value of an output; one that is an input, or comes twice, through an Identity."""
        value = self.held[tensor.key]
        if value.producer() is None or value.meta.get("output"):
            made, node = onnx_model.output(value, name or "output", self._names)
            self.nodes.append(node)
            return made
        value.meta["output"] = True
        if name and name not in self._names:
            value.name = self._names.unique(name)
        return value

    def _unused(self) -> list[str]:
        """What the link has and its forward pass did not read, in a sentence."""
        names = sorted(n for key, (n, _) in self._stored.items() if key not in self.held)
        if not names:
            return []
        shown = ", ".join(names[:6]) + (" …" if len(names) > 6 else "")
        return [f"in test mode {len(names)} of its parameters take no part: {shown}"]

    def _opaque(self) -> list[str]:
        kinds = sorted({node.op_type for node in self.nodes if node.domain == DOMAIN})
        return [f"{kind} has no like in ONNX and is drawn as it is" for kind in kinds]


def _value(tensor: Tensor) -> ir.Value:
    kind = ir.DataType.from_numpy(tensor.dtype)
    return ir.Value(shape=ir.Shape(tensor.shape), type=ir.TensorType(kind))


def _kind(link: Any) -> str:
    own = (
        type(link).__module__.startswith("chainer.links.")
        and ".model." not in type(link).__module__
    )
    return f"L.{type(link).__name__}" if own else type(link).__name__


def _is_layer(link: Any) -> bool:
    """Whether a link is one of Chainer's own that holds its parameters itself."""
    import chainer

    composed = isinstance(link, chainer.Chain | chainer.ChainList)
    return type(link).__module__.startswith("chainer.links.") and not composed
