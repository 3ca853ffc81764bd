"""The ONNX graph of a Keras model, as an operation needs it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import onnx_ir as ir

from modeldocs.ir import Module
from modeldocs.loaders import LoadRequest
from modeldocs.loaders.emission.names import UniqueNames


class KerasGraph(Protocol):
    """The graph that an operation's nodes become part of."""

    request: LoadRequest
    nodes: list[ir.Node]
    notes: list[str]
    names: UniqueNames

    def value_of(self, tensor: Any) -> ir.Value:
        """The value of a symbolic tensor."""

    def parameter(self, variable: Any) -> ir.Value:
        """The initializer of a variable."""

    def function(
        self, function: Any, inputs: Sequence[ir.Value], modules: Sequence[Module]
    ) -> list[ir.Value]:
        """Nodes for a function of tensors called inside of some modules; its outputs."""
