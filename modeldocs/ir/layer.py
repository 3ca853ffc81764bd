"""Layers and what they are made of: operands, parameters, attributes, where they come from."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from modeldocs.ir.steps import Step
from modeldocs.ir.tensor import Shape, TensorType
from modeldocs.struct import Struct


class Constant(Struct, frozen=True):
    """A constant tensor among a layer's attributes, too large to be written out.

    `digest` is the same for the same values in the same order, whatever the width of integers and
    the last bits of floats; it is empty where the values are not known. `shape` is None where it
    is not known.
    """

    dtype: str
    shape: Shape | None = None
    digest: str = ""


Attribute = bool | int | float | str | list[Any] | Constant | None
"""A layer's attribute. Numbers that JSON has no word for (`inf`, `nan`) are text."""


class Operand(Struct, frozen=True):
    """One data input of a layer: which value it reads, in which operand slot, and what it sees.

    `value` is the id of the layer (or graph input) that makes the tensor, `output` which of its
    outputs. `type` is the tensor as this layer sees it, after `steps`, in the order in which they
    are taken.
    """

    slot: int
    value: str
    type: TensorType
    output: int = 0
    steps: tuple[Step, ...] = ()


class Parameter(Struct, frozen=True):
    """A learned or stored tensor of a layer, in normal order (convolutions OIHW, Gemm out x in).

    `permutation` takes the source's axes to the normal order; empty means they were in it.
    Running statistics are parameters that are not `trainable`. A dimension that depends on an
    input of unknown shape is None.
    """

    name: str
    role: str
    """Name of the operand in the operator's schema: `weight`, `bias`, `scale`, `mean`, `var`."""
    shape: Shape
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
    attributes: dict[str, Attribute] = {}
    padding: str | None = None
    parameters: tuple[Parameter, ...] = ()
    macs: int | None = 0
    activation_bytes: int | None = None
    modules: tuple[Module, ...] = ()
    origins: tuple[Origin, ...] = ()

    def number(self, name: str, default: float) -> float:
        """An attribute that is a number; the default where it is missing, or none."""
        held = self.attributes.get(name)
        return held if isinstance(held, int | float) else default

    def sizes(self, name: str) -> tuple[int, ...]:
        """An attribute that is a list of whole numbers; empty where it is missing, or none."""
        held = self.attributes.get(name)
        whole = isinstance(held, list) and all(isinstance(item, int) for item in held)
        return tuple(held) if isinstance(held, list) and whole else ()

    @property
    def module(self) -> str:
        """Path of the innermost module that the layer belongs to, empty at top level."""
        return self.modules[-1].path if self.modules else ""

    @property
    def parameter_count(self) -> int | None:
        """Values in this layer's parameters, trainable and not; None where one is unknown."""
        return count_values(self.parameters)


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


def count_values(parameters: Iterable[Parameter]) -> int | None:
    """Values in parameters together; None where the shape of one is unknown."""
    held = list(parameters)
    return sum(one.elements for one in held) if all(one.is_known for one in held) else None
