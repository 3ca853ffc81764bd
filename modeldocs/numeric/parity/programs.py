"""What is run of one network: all of it, and its groups apart.

Both directions of a comparison run the same, and so do comparisons with other networks.
"""

from __future__ import annotations

from collections.abc import Mapping

import onnx_ir as ir

from modeldocs.numeric.execution.runtime import ModelRunner
from modeldocs.numeric.execution.value_numbers import KnownValues
from modeldocs.numeric.parity import extraction, lowering
from modeldocs.numeric.parity.matched_group import GroupSide
from modeldocs.numeric.parity.runnable_graph import RunnableGraph, runnable_graph


class Programs:
    """The runners of a network, made when they are first needed.

    `known` are the values that were computed so far, also of other networks.
    """

    def __init__(self, graph: RunnableGraph, known: KnownValues) -> None:
        self.graph, self.known = graph, known
        self._whole: ModelRunner | None = None
        self._apart: dict[object, ModelRunner] = {}

    def whole(self) -> ModelRunner:
        """The whole network."""
        if self._whole is None:
            self._whole = ModelRunner(lowering.lowered_copy(self.graph.model))
        return self._whole

    def apart(self, sides: Mapping[int, GroupSide]) -> ModelRunner:
        """These groups, by number, each by itself: see `extraction.extract`."""
        key = tuple((number, side.ids) for number, side in sides.items())
        if key not in self._apart:
            self._apart[key] = ModelRunner(extraction.extract(self.graph, sides))
        return self._apart[key]


def programs(*models: ir.Model) -> list[Programs]:
    """The programs of models in normal form, which are changed, for comparisons with each other.

    Raises:
        ModeldocsError: a parameter's shape is unknown.
    """
    known = KnownValues()
    return [Programs(runnable_graph(model), known) for model in models]
