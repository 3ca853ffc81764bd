"""The intermediate representation that people read and the diff compares: `LayerGraph`.

A `LayerGraph` is plain data: it imports nothing of ours, knows no framework, and its JSON is the
same bytes for the same source on every run and machine.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec

FORMAT = 1
"""Version of the JSON format; raised when a field changes its meaning."""

Dim = int | str | None
"""A dimension: its size, the name of a symbolic one, or None where it is not known."""


class Struct(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """Base of the plain-data classes: immutable, and defaults are left out of the JSON."""


class TensorType(Struct, frozen=True):
    """Shape and element type of one tensor. `shape` is None where even the rank is unknown."""

    shape: tuple[Dim, ...] | None
    dtype: str
    """ONNX element type in lower case: `float32`, `int64`, `bool` …"""

    @property
    def elements(self) -> int | None:
        """Number of elements, or None where a dimension is symbolic or unknown."""
        if self.shape is None:
            return None
        count = 1
        for dim in self.shape:
            if not isinstance(dim, int):
                return None
            count *= dim
        return count


class Operand(Struct, frozen=True):
    """One data input of a layer: which value it reads, in which operand slot, and what it sees.

    `value` is the id of the layer (or graph input) that makes the tensor, `output` which of its
    outputs. `type` is the tensor as this layer sees it, after the plumbing told in `notes`
    (`Reshape 1x50x4x4 to 1x800`).
    """

    slot: int
    value: str
    type: TensorType
    output: int = 0
    notes: tuple[str, ...] = ()


class Parameter(Struct, frozen=True):
    """A learned or stored tensor of a layer, in normal order (convolutions OIHW, Gemm out x in).

    `permutation` takes the source's axes to the normal order; empty means they were in it.
    Running statistics are parameters that are not `trainable`. A dimension that depends on an
    input of unknown shape is None.
    """

    name: str
    role: str
    """Name of the operand in the operator's schema: `weight`, `bias`, `scale`, `mean`, `var`."""
    shape: tuple[Dim, ...]
    dtype: str
    trainable: bool = True
    permutation: tuple[int, ...] = ()

    @property
    def elements(self) -> int:
        """Number of values the parameter holds, 0 where its shape is not known."""
        return TensorType(shape=self.shape, dtype=self.dtype).elements or 0

    @property
    def is_known(self) -> bool:
        """Whether every dimension is a number."""
        return all(isinstance(dim, int) for dim in self.shape)


class Origin(Struct, frozen=True):
    """What the source said of one of the framework layers that a layer was made of.

    `file` is relative to the model's folder; `line` is 1-based. `attributes` hold the source's
    own names and values, whatever they were.
    """

    operator: str
    """The framework's own operator or class: `Convolution`, `torch.nn.Conv2d`, `MaxPool`."""
    name: str = ""
    attributes: dict[str, Any] = {}
    file: str | None = None
    line: int | None = None
    device: str | None = None


class Module(Struct, frozen=True):
    """One step of a layer's module path: the module's own path and its class, outermost first."""

    path: str
    kind: str = ""


class Layer(Struct, frozen=True):
    """One row of the IR table.

    `id` (`conv-3`: the third Conv in topological order) does not change when names do.
    `attributes` are ONNX's, in normal form: `kernel_shape`, `strides`, `dilations`, `pads` (top,
    left, bottom, right), `group`, `epsilon` …; small constant operands stand among them under
    the name of their slot. `padding` is the source's own strategy (`SAME`, `valid`, `ceil`).
    `macs` counts multiply-accumulates of convolutions and matrix products, 0 for other layers,
    None where a dimension is symbolic. `activation_bytes` is the size of the outputs.
    """

    id: str
    name: str
    operator: str
    inputs: tuple[Operand, ...] = ()
    outputs: tuple[TensorType, ...] = ()
    attributes: dict[str, Any] = {}
    padding: str | None = None
    parameters: tuple[Parameter, ...] = ()
    macs: int | None = 0
    activation_bytes: int | None = None
    modules: tuple[Module, ...] = ()
    origins: tuple[Origin, ...] = ()

    @property
    def module(self) -> str:
        """Path of the innermost module that the layer belongs to, empty at top level."""
        return self.modules[-1].path if self.modules else ""

    @property
    def parameter_count(self) -> int | None:
        """Values in this layer's parameters, trainable and not; None where one is unknown."""
        return _counted(self.parameters)


class GraphInput(Struct, frozen=True):
    """An input of the network. `id` is `input-1`, `input-2` … in order."""

    id: str
    name: str
    type: TensorType
    origins: tuple[Origin, ...] = ()


class GraphOutput(Struct, frozen=True):
    """An output of the network: its name and the value it reads."""

    name: str
    source: Operand


class LayerGraph(Struct, frozen=True):
    """A port's layers in normal form, in a deterministic topological order."""

    name: str
    inputs: tuple[GraphInput, ...] = ()
    layers: tuple[Layer, ...] = ()
    outputs: tuple[GraphOutput, ...] = ()
    notes: tuple[str, ...] = ()
    """What a reader must know of how it was loaded (`batch 64 in the source, drawn as 1`)."""
    format: int = FORMAT

    def names(self) -> dict[str, str]:
        """The name of each input and layer, by id."""
        inputs = {held.id: held.name for held in self.inputs}
        return inputs | {layer.id: layer.name for layer in self.layers}

    def parameters(self) -> dict[str, Parameter]:
        """Every parameter once, by name: one shared by two layers counts once."""
        return {
            parameter.name: parameter for layer in self.layers for parameter in layer.parameters
        }

    def parameter_count(self, *, trainable: bool = True) -> int | None:
        """Number of trainable values, or of the others (running statistics); None where unknown."""
        return _counted(p for p in self.parameters().values() if p.trainable is trainable)

    def macs(self) -> int | None:
        """Multiply-accumulates of one forward pass at the shapes given; None where unknown."""
        counts = [layer.macs for layer in self.layers]
        return None if None in counts else sum(count for count in counts if count is not None)

    def activation_bytes(self) -> int | None:
        """Bytes of all layers' outputs together; None where one is unknown."""
        sizes = [layer.activation_bytes for layer in self.layers]
        return None if None in sizes else sum(size for size in sizes if size is not None)


def _counted(parameters: Iterable[Parameter]) -> int | None:
    held = list(parameters)
    return sum(one.elements for one in held) if all(one.is_known for one in held) else None


def encode(graph: LayerGraph) -> bytes:
    """The graph's JSON, the same bytes for the same graph."""
    return msgspec.json.encode(graph, order="deterministic")


def decode(data: bytes) -> LayerGraph:
    """The graph that `encode` wrote.

    Raises:
        msgspec.DecodeError: it is no JSON, a field does not fit, or a layer reads what does not
            come before it.
    """
    try:
        graph = msgspec.json.decode(data, type=LayerGraph)
    except (UnicodeDecodeError, RecursionError) as error:
        raise msgspec.DecodeError(f"it cannot be decoded: {error}") from None
    _check_wires(graph)
    return graph


def _check_wires(graph: LayerGraph) -> None:
    known = {held.id for held in graph.inputs}
    if len(known) != len(graph.inputs):
        raise msgspec.ValidationError("two inputs have one id")
    for layer in graph.layers:
        _check_known(known, layer.inputs, layer.id)
        if layer.id in known:
            raise msgspec.ValidationError(f"two layers have the id {layer.id[:100]!r}")
        known.add(layer.id)
    _check_known(known, [output.source for output in graph.outputs], "an output")


def _check_known(known: set[str], operands: Iterable[Operand], reader: str) -> None:
    for operand in operands:
        if operand.value not in known:
            raise msgspec.ValidationError(
                f"{reader[:100]} reads {operand.value[:100]!r}, which does not come before it"
            )


def schema() -> dict[str, Any]:
    """JSON Schema (draft 2020-12) of `encode`'s output."""
    definition = msgspec.json.schema(LayerGraph)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "modeldocs LayerGraph",
        **definition,
    }
