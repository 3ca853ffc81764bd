"""The recorded modules put together as one ONNX graph."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import onnx_ir as ir

from modeldocs.errors import ModeldocsError
from modeldocs.ir import Module as Step
from modeldocs.ir import Origin, origin
from modeldocs.loaders import LoadRequest
from modeldocs.loaders.emission import model
from modeldocs.loaders.emission.names import Names
from modeldocs.loaders.torch7 import layers, nngraph
from modeldocs.loaders.torch7.containers import CONTAINERS
from modeldocs.loaders.torch7.layer import EMITTERS, Flow, Layer
from modeldocs.loaders.torch7.recording import Module, Recording
from modeldocs.loaders.torch7.sandbox import Shapes

__all__ = ["Assembly", "assemble", "layers", "nngraph"]

MAX_DEPTH = 100
MAX_LAYERS = 50_000


def assemble(
    request: LoadRequest, recording: Recording, shapes: Shapes, notes: Sequence[str] = ()
) -> ir.Model:
    """The network as an ONNX model, its parameters in Torch7's own layout and without values.

    `notes` are what is told of how the definition was run.

    Raises:
        ModeldocsError: modules do not fit together, with the line of the one that does not.
    """
    assembly = Assembly(request, recording)
    assembly.notes += notes
    given: list[Flow] = [assembly.add_input(*pair, request.dtypes) for pair in shapes]
    made = assembly.walk(0, given[0] if len(given) == 1 else given, "", ())
    return assembly.model(made)


class Assembly:
    """The graph so far."""

    def __init__(self, request: LoadRequest, recording: Recording) -> None:
        self.request = request
        self.recording = recording
        self.file = request.relative(Path(request.root, request.path or ""))
        self.inputs: list[ir.Value] = []
        self.nodes: list[ir.Node] = []
        self.initializers: list[ir.Value] = []
        self.notes: list[str] = []
        self._assumed: set[ir.Value] = set()
        self._names = Names()
        self._parameters: dict[tuple[int, str], ir.Value] = {}
        self._inside: list[int] = []
        self._count = 0

    def add_input(self, name: str, shape: tuple[int, ...], dtypes: dict[str, str]) -> ir.Value:
        """Add an input of the network; float32 unless the request says otherwise."""
        kind = dtypes.get(name, dtypes.get("", "float32"))
        try:
            dtype = ir.DataType[{"float32": "FLOAT", "float64": "DOUBLE"}.get(kind, kind.upper())]
        except KeyError:
            raise ModeldocsError(
                f"the input {name!r} has an unknown dtype {kind!r}",
                file=self.file,
                fix="write `float32` or `int64`",
            ) from None
        value = ir.Value(
            name=self._names.unique(name), shape=ir.Shape(shape), type=ir.TensorType(dtype)
        )
        self.inputs.append(value)
        return value

    def walk(self, number: int, flow: Flow, path: str, above: tuple[Step, ...]) -> Flow:
        """What a module makes of what it is given; `path` are its places, `1.4.2`."""
        module = self.recording.modules[number]
        self._check(number, module, path)
        steps = (*above, Step(path=path, kind=module.type)) if path else above
        container = CONTAINERS.get(module.builtin)
        if container is None:
            return self._leaf(number, module, flow, path, steps)
        self._inside.append(number)
        made = container(self, module, flow, path, steps)
        self._inside.pop()
        return made

    def _check(self, number: int, module: Module, path: str) -> None:
        self._count += 1
        reason = None
        if number in self._inside:
            reason = "contains itself"
        elif len(self._inside) > MAX_DEPTH:
            reason = f"lies inside of more than {MAX_DEPTH} others"
        elif self._count > MAX_LAYERS:
            reason = f"is one of more than {MAX_LAYERS:,} in one network"
        if reason is not None:
            raise self.error(module, path, reason, "check where it is added")

    def error(self, module: Module, path: str, reason: str, fix: str) -> ModeldocsError:
        """An error that names a module and its line."""
        name = f" ({path[:60]})" if path else ""
        return ModeldocsError(
            f"{module.type}{name} {reason}", file=self.file, line=module.line, fix=fix
        )

    def layer(
        self, number: int, module: Module, flow: Flow, path: str, steps: tuple[Step, ...]
    ) -> Layer:
        """A layer for a module: its provenance and the parameters that it may share."""
        named = module.fields.get("name")
        name = named if isinstance(named, str) and named else path or "net"
        fields = {k: v for k, v in module.fields.items() if not isinstance(v, dict)}
        told = Origin(
            operator=module.type, name=name, attributes=fields, file=self.file, line=module.line
        )
        provenance = origin.Provenance(origins=(told,), modules=steps, name=name)
        owner = self._owner(number)
        return Layer(
            module,
            flow,
            provenance,
            self.file,
            lambda role: self._parameters.get((owner, role)),
        )

    def _owner(self, number: int) -> int:
        """The module whose parameters one has: its own, or those of what it was copied from."""
        for _ in self.recording.modules:
            like = self.recording.modules[number].like
            if like is None:
                break
            number = like
        return number

    def _leaf(
        self, number: int, module: Module, flow: Flow, path: str, steps: tuple[Step, ...]
    ) -> Flow:
        layer = self.layer(number, module, flow, path, steps)
        assumed = not self._assumed.isdisjoint(_tensors(flow))
        emit = EMITTERS.get(module.builtin)
        if emit is None:
            return self._unknown(layer)
        try:
            made = emit(layer)
        except ModeldocsError:
            if not assumed:
                raise
            layer = self.layer(number, module, flow, path, steps)
            return self._unknown(layer)
        self.commit(layer, number, made)
        if assumed:
            self._assumed.update(_tensors(made))
        return made

    def _unknown(self, layer: Layer) -> Flow:
        """A module that nothing is known of: its output is taken to be like its input."""
        made = layer.opaque()
        module = layer.module
        self.notes.append(
            f"{module.type} of line {module.line or '?'} is not known: it is drawn as it is, its "
            "output taken to be of its input's shape"
        )
        self.commit(layer, -1, made)
        self._assumed.update(_tensors(made))
        return made

    def commit(self, layer: Layer, number: int, made: Flow) -> None:
        """Take over what was made for a layer, and give it names."""
        owner = self._owner(number) if number >= 0 else -1
        for role, value in layer.declared.items():
            self._parameters[owner, role] = value
        layer.give_names(self._names, set(_tensors(made)))
        self.nodes += layer.nodes
        self.initializers += layer.initializers

    def model(self, made: Flow) -> ir.Model:
        """The model; its outputs are the tensors that the network gives."""
        outputs = [self._output(value) for value in _tensors(made)]
        return model.finished(
            self.request.name,
            self.inputs,
            outputs,
            nodes=self.nodes,
            initializers=self.initializers,
            notes=self.notes,
        )

    def _output(self, value: ir.Value) -> ir.Value:
        """An output; one that is an input, or comes twice, through an Identity."""
        if value.producer() is not None and "output" not in value.meta:
            value.meta["output"] = True
            return value
        made, node = model.output(value, "output", self._names)
        self.nodes.append(node)
        return made


def _tensors(flow: Flow) -> list[ir.Value]:
    if not isinstance(flow, list):
        return [flow]
    return [value for item in flow for value in _tensors(item)]
