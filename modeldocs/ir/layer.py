"""Layers, their operands, parameters and attributes, and the source that they come from."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from modeldocs.ir.steps import Step
from modeldocs.ir.tensor import Shape, TensorType, elements
from modeldocs.struct import Struct


class Constant(Struct, frozen=True):
    """A constant tensor among a layer's attributes, too large to be written out.

    `digest` is equal for equal values in equal order, whatever the width of integers and the last
    bits of floats; it is empty where the values are unknown. `shape` is None where it is unknown.
    """

    dtype: str
    shape: Shape | None = None
    digest: str = ""


Attribute = bool | int | float | str | list[Any] | Constant | None
"""A layer's attribute. Numbers that JSON cannot hold (`inf`, `nan`) are text."""


class Operand(Struct, frozen=True):
    """One data input of a layer: the value that it reads, and the operand slot.

    `value` is the id of the layer or graph input that produces the tensor, `output` the index of
    its output. `type` is the type of the tensor after `steps`, which are in order.
    """

    slot: int
    value: str
    type: TensorType
    output: int = 0
    steps: tuple[Step, ...] = ()


class Parameter(Struct, frozen=True):
    """A learned or stored tensor of a layer, in normal order (convolutions OIHW, Gemm out x in).

    `permutation` transposes the source's axes to normal order; it is empty where they are in that
    order. Running statistics are parameters that are not `trainable`. A dimension that depends on
    an input of unknown shape is None. The layer reads `factor` times the values, plus `offset`.
    """

    name: str
    role: str
    """Name of the operand in the operator's schema: `weight`, `bias`, `scale`, `mean`, `var`."""
    shape: Shape
    dtype: str
    trainable: bool = True
    permutation: tuple[int, ...] = ()
    factor: float = 1.0
    offset: float = 0.0

    @property
    def elements(self) -> int:
        """Number of values, 0 where the shape is unknown."""
        return elements(self.shape) or 0


class Origin(Struct, frozen=True):
    """A layer of the framework that a layer of the graph was made from.

    `file` is relative to the model's folder; `line` is 1-based. `attributes` are the settings of
    the source, with its own names and values.
    """

    operator: str
    """The framework's operator or class: `Convolution`, `torch.nn.Conv2d`, `MaxPool`."""
    name: str = ""
    attributes: dict[str, Any] = {}
    file: str | None = None
    line: int | None = None
    device: str | None = None


class Module(Struct, frozen=True):
    """A module that a layer lies in: its path and its class."""

    path: str
    kind: str = ""


class Body(Struct, frozen=True):
    """The graph inside of a layer: a branch of an If, the body of a Loop, a Scan or a function.

    `inputs` are its own, then the values of the graph around the layer that it reads, but for
    parameters and constants. `reads` says what these last inputs are; all of it is also among the
    operands of the layer, in a slot behind its own. The ids inside are the body's own.
    """

    inputs: tuple[GraphInput, ...] = ()
    reads: tuple[Operand, ...] = ()
    layers: tuple[Layer, ...] = ()
    outputs: tuple[GraphOutput, ...] = ()


class Layer(Struct, frozen=True):
    """One layer of a graph.

    `id` (`conv-3`: the third Conv in topological order) does not depend on names. `attributes` are
    those of ONNX in normal form: `kernel_shape`, `strides`, `dilations`, `pads` (top, left, bottom,
    right), `group`, `epsilon` …, and small constant operands under the names of their slots.
    `padding` is the source's strategy (`SAME`, `valid`, `ceil`). `macs` are multiply-accumulates of
    convolutions and matrix products, 0 for other layers, None where a dimension is symbolic or the
    cost of the operator is not known.
    `activation_bytes` is the size of the outputs. `modules` are listed outermost first. `bodies`
    are the graphs inside of it, by the names of ONNX (`then_branch`); its parameters are the
    layer's, too.
    """

    id: str
    name: str
    operator: str
    inputs: tuple[Operand, ...] = ()
    outputs: tuple[TensorType, ...] = ()
    attributes: dict[str, Attribute] = {}
    padding: str | None = None
    parameters: tuple[Parameter, ...] = ()
    macs: int | None = 0
    activation_bytes: int | None = None
    modules: tuple[Module, ...] = ()
    origins: tuple[Origin, ...] = ()
    bodies: dict[str, Body] = {}

    def number(self, name: str, default: float) -> float:
        """The value of a numeric attribute; the default where it is missing or not a number."""
        value = self.attributes.get(name)
        return value if isinstance(value, int | float) else default

    def sizes(self, name: str) -> tuple[int, ...]:
        """The value of an attribute that is a list of integers; empty where it is not."""
        value = self.attributes.get(name)
        if isinstance(value, list) and all(isinstance(item, int) for item in value):
            return tuple(value)
        return ()

    @property
    def module(self) -> str:
        """Path of the layer's innermost module, empty at top level."""
        return self.modules[-1].path if self.modules else ""

    @property
    def parameter_count(self) -> int | None:
        """Number of values in the layer's parameters; None where a shape is unknown."""
        return count_values(self.parameters)


class GraphInput(Struct, frozen=True):
    """An input of the network. `id` is `input-1`, `input-2` … in order."""

    id: str
    name: str
    type: TensorType
    origins: tuple[Origin, ...] = ()


class GraphOutput(Struct, frozen=True):
    """An output of the network: its name, and the value that it reads."""

    name: str
    source: Operand


def count_values(parameters: Iterable[Parameter]) -> int | None:
    """Number of values in some parameters; None where a shape is unknown."""
    total = 0
    for parameter in parameters:
        count = elements(parameter.shape)
        if count is None:
            return None
        total += count
    return total
