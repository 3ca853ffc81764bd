"""Running what can be run: what onnxruntime refuses is left out, with its reason."""

from __future__ import annotations

import re
from collections.abc import Iterable

import numpy as np
import onnx_ir as ir

from modeldocs import runtime
from modeldocs.errors import ModeldocsError

Arrays = dict[str, np.ndarray]

_REFUSALS = 16
"""Nodes that onnxruntime may refuse, one after the other, before nothing more is tried."""

_NODE = re.compile(r"node:(\d+):")


class Attempt:
    """One model, run for some of its values at a time.

    `refused` has the reason for each value that cannot be computed, by name.
    """

    def __init__(self, model: ir.Model, feeds: Arrays) -> None:
        self.model, self.feeds = model, feeds
        self.refused: dict[str, str] = {}
        self._blocked: dict[ir.Node, str] = {}
        self._values = {str(v.name): v for node in model.graph for v in node.outputs}
        for node in model.graph:
            if node.domain not in runtime.DOMAINS:
                self._blocked[node] = f"{node.domain} {node.op_type} is no ONNX operator"

    def run(self, wanted: Iterable[str]) -> Arrays:
        """Those values that can be computed.

        Raises:
            ModeldocsError: onnxruntime refuses the model, and not for one of its nodes.
        """
        names = list(wanted)
        for _ in range(_REFUSALS):
            names = [name for name in names if self._possible(name)]
            try:
                return runtime.run(self.model, self.feeds, names)
            except ModeldocsError as error:
                self._blame(error)
        raise ModeldocsError("onnxruntime refuses many of its layers")

    def _possible(self, name: str) -> bool:
        if self._blocked and name in self._values and name not in self.refused:
            needed = runtime.leading_to([self._values[name]])
            reasons = [reason for node, reason in self._blocked.items() if node in needed]
            if reasons:
                self.refused[name] = reasons[0]
        return name not in self.refused

    def _blame(self, error: ModeldocsError) -> None:
        """Keep the node that an error names from being run again."""
        named = _NODE.search(error.reason)
        nodes = {str(node.name): node for node in self.model.graph}
        found = nodes.get(named.group(0)) if named else None
        if found is None or found in self._blocked:
            raise error
        self._blocked[found] = f"onnxruntime cannot run its {found.op_type}"
