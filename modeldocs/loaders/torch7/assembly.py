"""The modules of a program as one ONNX graph."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import onnx_ir as ir

from modeldocs.errors import ModeldocsError
from modeldocs.ir import Module as Step
from modeldocs.ir import Origin, origin
from modeldocs.loaders import LoadRequest
from modeldocs.loaders.emission.element_types import element_type
from modeldocs.loaders.emission.graph import EmittedGraph
from modeldocs.loaders.torch7 import nngraph, operators
from modeldocs.loaders.torch7.containers import CONTAINERS, Steps, Visit
from modeldocs.loaders.torch7.operation import EMITTERS, Flow, TorchOperation, tensors
from modeldocs.loaders.torch7.program import ModuleProgram
from modeldocs.loaders.torch7.sandbox import Shapes

__all__ = ["assemble", "nngraph", "operators"]

MAX_DEPTH = 100
MAX_LAYERS = 50_000


def assemble(
    request: LoadRequest, program: ModuleProgram, shapes: Shapes, notes: Sequence[str] = ()
) -> ir.Model:
    """The network as an ONNX model, its parameters in Torch7's own layout and without values.

    `shapes` are the network's inputs by name; `notes` say how the definition was run.

    Raises:
        ModeldocsError: modules do not fit together, with the line of the one that does not.
    """
    assembly = _ModuleAssembly(request, program)
    assembly.graph.notes += notes
    inputs: list[Flow] = [assembly.add_input(*pair) for pair in shapes]
    flow = assembly.walk(0, inputs[0] if len(inputs) == 1 else inputs, "", ())
    outputs = [assembly.graph.output(value, "output") for value in tensors(flow)]
    return assembly.graph.model(request.name, outputs)


class _ModuleAssembly:
    """The graph so far, with the parameters of each module that has some, by role."""

    def __init__(self, request: LoadRequest, program: ModuleProgram) -> None:
        self.request = request
        self.program = program
        self.file = request.relative(Path(request.root, request.path or ""))
        self.graph = EmittedGraph()
        self._assumed: set[ir.Value] = set()
        """Tensors of which the shape is an assumption."""
        self._parameters: dict[tuple[int, str], ir.Value] = {}
        self._inside: list[int] = []
        self._count = 0

    def add_input(self, name: str, shape: tuple[int, ...]) -> ir.Value:
        """Add an input of the network; float32 unless the request says otherwise."""
        dtypes = self.request.dtypes
        kind = dtypes.get(name, dtypes.get("", "float32"))
        dtype = element_type(kind)
        if dtype is None:
            raise ModeldocsError(
                f"the input {name!r} has an unknown dtype {kind!r}",
                file=self.file,
                fix="write `float32` or `int64`",
            )
        return self.graph.add_input(name, shape, dtype)

    def walk(self, number: int, flow: Flow, path: str, above: Steps) -> Flow:
        """The output of a module for this input.

        `path` are the places of the module and of the containers `above` it, as in `1.4.2`.
        """
        module = self.program.modules[number]
        steps = (*above, Step(path=path, kind=module.type)) if path else above
        visit = Visit(self, number, module, path, steps)
        self._check(visit)
        container = CONTAINERS.get(module.builtin)
        if container is None:
            return self._leaf(visit, flow)
        self._inside.append(number)
        output = container(visit, flow)
        self._inside.pop()
        return output

    def _check(self, visit: Visit) -> None:
        self._count += 1
        reason = None
        if visit.number in self._inside:
            reason = "contains itself"
        elif len(self._inside) > MAX_DEPTH:
            reason = f"lies inside of more than {MAX_DEPTH} others"
        elif self._count > MAX_LAYERS:
            reason = f"is one of more than {MAX_LAYERS:,} in one network"
        if reason is not None:
            raise visit.error(reason, "check where it is added")

    def _leaf(self, visit: Visit, flow: Flow) -> Flow:
        emit = EMITTERS.get(visit.module.builtin)
        if emit is None:
            return self._unknown(visit, flow)
        assumed = not self._assumed.isdisjoint(tensors(flow))
        try:
            output = self.compute(visit, flow, emit)
        except ModeldocsError:
            if not assumed:
                raise
            return self._unknown(visit, flow)
        if assumed:
            self._assumed.update(tensors(output))
        return output

    def _unknown(self, visit: Visit, flow: Flow) -> Flow:
        """An unknown module as a node of Torch7's domain, its output assumed to be like its input.

        What reads that output may then not fit, and becomes such a node as well.
        """
        module = visit.module
        self.graph.notes.append(
            f"{module.type} of line {module.line or '?'} is not known: it is drawn as it is, its "
            "output taken to be of its input's shape"
        )
        output = self.compute(visit, flow, TorchOperation.opaque)
        self._assumed.update(tensors(output))
        return output

    def compute(self, visit: Visit, flow: Flow, emit: Callable[[TorchOperation], Flow]) -> Flow:
        """Add the nodes that a module computes itself, and return its output."""
        module = visit.module
        owner = self.program.parameter_owner(visit.number)
        name = module.fields.get("name")
        name = name if isinstance(name, str) and name else visit.path or "net"
        source = Origin(
            operator=module.type,
            name=name,
            attributes=module.settings,
            file=self.file,
            line=module.line,
        )
        provenance = origin.Provenance(origins=(source,), modules=visit.steps, name=name)
        operation = TorchOperation(
            module, flow, provenance, self.file, lambda role: self._parameters.get((owner, role))
        )
        output = emit(operation)
        for role, value in operation.declared.items():
            self._parameters[owner, role] = value
        self.graph.add_layer(operation, set(tensors(output)))
        return output
