"""The context of an emitter: one operator of a symbol, and the ONNX nodes emitted for it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import msgspec
import onnx_ir as ir

from modeldocs.errors import ModeldocsError
from modeldocs.ir import Origin, origin
from modeldocs.loaders.dims import Dims, as_text
from modeldocs.loaders.emission.emitters import Emitters
from modeldocs.loaders.emission.inference import shape_of
from modeldocs.loaders.emission.operation import Operation, Outputs
from modeldocs.loaders.mxnet import schema
from modeldocs.loaders.mxnet.program import SymbolNode
from modeldocs.loaders.mxnet.settings import NodeSettings
from modeldocs.loaders.mxnet.weights import Use, Variables

Emit = Callable[["MxnetOperation"], Outputs]

DOMAIN = "mxnet"
EMITTERS = Emitters[Emit]()
"""By the operator's current name."""
emits = EMITTERS.emits
renames = EMITTERS.renames

_DEFAULT_INIT = ("zeros", "ones", '["zero", {}]', '["one", {}]')
"""`__init__` of biases, gammas and running statistics, as MXNet itself sets it."""
_DEFAULTS = {"__lr_mult__": "1.0", "__wd_mult__": "1.0", "__storage_type__": "0"}


class MxnetOperation(Operation):
    """One operator: its settings, its operands, and the nodes emitted for it.

    `inputs` are values, or variables that have no value yet. `outputs` is how many of its
    outputs are read, `batch` the batch size of the network.
    """

    domain = DOMAIN
    is_bounded = True
    reads = "operands"
    fix = "check the input's shape, and pass --input with another"

    def __init__(
        self,
        node: SymbolNode,
        operands: Sequence[ir.Value | SymbolNode],
        variables: Variables,
        outputs: int,
        batch: int,
    ) -> None:
        new_variables = [operand for operand in operands if isinstance(operand, SymbolNode)]
        super().__init__(
            origin.Provenance(
                origins=(node.origin(), *_variable_origins(node, new_variables)),
                modules=node.modules,
                name=node.name,
            )
        )
        self.source = node
        self.settings = NodeSettings(node)
        self.inputs = list(operands)
        self.outputs = outputs
        self.batch = batch
        self._variables = variables

    @property
    def kind(self) -> str:
        """The operator's current name."""
        return self.source.op

    @property
    def is_numpy(self) -> bool:
        """Whether it follows the rules of MXNet's numpy module."""
        return self.source.source_op.startswith("_np")

    @property
    def dtype(self) -> ir.DataType:
        """Element type of the first operand."""
        return self.input().dtype or ir.DataType.FLOAT

    def error(self, reason: str, fix: str) -> ModeldocsError:
        """The error to raise, which names the node."""
        return self.source.error(reason, fix=fix)

    def input(self, slot: int = 0, like: Dims | None = None) -> ir.Value:
        """An operand; a variable without a shape of its own takes the shape `like`."""
        self.check_count(slot)
        operand: ir.Value | SymbolNode = self.inputs[slot]
        if isinstance(operand, SymbolNode):
            operand = self._variables.resolve(operand, self.source, like)
            self.inputs[slot] = operand
        return operand

    def values(self) -> list[ir.Value]:
        """All operands; a variable takes the first known shape, unless the operator broadcasts."""
        known = next((value for value in self.known() if value.shape is not None), None)
        broadcasts = self.source.source_op.startswith("broadcast_") or self.is_numpy
        like = shape_of(known) if known is not None and not broadcasts else None
        return [self.input(slot, like) for slot in range(len(self.inputs))]

    def exactly(self, count: int) -> list[ir.Value]:
        """All operands, of which there must be `count`."""
        if len(self.inputs) != count:
            raise self.error(
                f"has {len(self.inputs)} operands, it takes {count}", fix="correct its inputs"
            )
        return self.values()

    def known(self) -> list[ir.Value]:
        """The operands that have a value by now."""
        return [operand for operand in self.inputs if isinstance(operand, ir.Value)]

    def image(self, slot: int = 0) -> tuple[int, int, int, int]:
        """Batch, channels, height and width of an operand, which must have exactly these."""
        shape = self.sizes(slot, least=4)
        if len(shape) != 4:
            raise self.error(f"reads {as_text(shape[:9])}, it takes 4 dimensions", fix="reshape it")
        batch, channels, height, width = shape
        return batch, channels, height, width

    def parameter(
        self,
        role: str,
        shape: Sequence[int],
        *,
        trainable: bool = True,
        fixed: bool = False,
        dtype: ir.DataType | None = None,
    ) -> ir.Value:
        """The operand of a role, such as `weight`: a variable, or another operator's output.

        Files of before 0.9 do not list running statistics: those are declared all the same.
        """
        use = Use(trainable, fixed)
        dtype = dtype or ir.DataType.FLOAT
        slot = schema.operands(self.kind, self.source.source_op).index(role)
        if slot >= len(self.inputs):
            if role not in ("moving_mean", "moving_var"):
                raise self.error(f"has no {role} among its inputs", fix="add the input")
            return self._variables.declare(self.source, f"{self.name}_{role}", shape, use, dtype)
        operand: ir.Value | SymbolNode = self.inputs[slot]
        if isinstance(operand, SymbolNode):
            operand = self._variables.parameter(operand, shape, use, dtype)
        if shape_of(operand) != tuple(shape):
            raise self.error(
                f"reads a {role} of {as_text(shape_of(operand))}, it takes {as_text(tuple(shape))}",
                fix="check the shapes of its inputs",
            )
        return operand

    def state(self, slot: int, shape: Dims) -> ir.Value:
        """A recurrent layer's initial state; a variable becomes an input of the graph."""
        state: ir.Value | SymbolNode = (
            self.inputs[slot] if slot < len(self.inputs) else self.input(slot)
        )
        if isinstance(state, SymbolNode):
            state = self._variables.add_input(state, shape, self.dtype)
            self.inputs[slot] = state
        return state

    def axis(self, name: str, default: int, rank: int) -> int:
        """The axis in a setting, counted from the front."""
        return self.checked_axis(self.settings.integer(name, default), rank, name)

    def opaque(
        self,
        shapes: Sequence[Dims | None],
        inputs: Sequence[ir.Value | None] | None = None,
        **typed: Any,
    ) -> list[ir.Value]:
        """The operator as one node of MXNet's own domain, its settings as attributes.

        A shape is None for an output of unknown rank. `typed` are settings that replace the
        texts of the source.
        """
        inputs = self.values() if inputs is None else inputs
        settings = {k: v for k, v in self.source.attributes.items() if not k.startswith("__")}
        op_type = re.sub(r"\W", "_", self.source.source_op.removeprefix("_contrib_"))
        return self.foreign(op_type, inputs, shapes, {**settings, **typed})


def _variable_origins(reader: SymbolNode, variables: Sequence[SymbolNode]) -> Iterator[Origin]:
    """Origins of the variables that an operator reads first, for settings such as `__lr_mult__`."""
    for variable in variables:
        variable_origin = variable.origin()
        attributes = {
            name: value
            for name, value in variable_origin.attributes.items()
            if _is_own(reader, name, value)
        }
        if attributes:
            yield msgspec.structs.replace(variable_origin, attributes=attributes)


def _is_own(reader: SymbolNode, name: str, value: str) -> bool:
    """Whether an attribute is neither copied from the operator nor one of Gluon's defaults."""
    return (
        reader.attributes.get(name) != value
        and _DEFAULTS.get(name) != value
        and (name != "__init__" or value not in _DEFAULT_INIT)
        and name not in ("__shape__", "__dtype__")
    )
