"""Partial runs of a model, without the nodes that onnxruntime refuses."""

from __future__ import annotations

import re
from collections.abc import Iterable

import numpy as np
import onnx_ir as ir

from modeldocs.errors import ModeldocsError
from modeldocs.numeric.execution import runtime
from modeldocs.numeric.execution.runtime import ModelRunner
from modeldocs.numeric.execution.value_numbers import KnownValues

Arrays = dict[str, np.ndarray]

_NODE = re.compile(r"node:(\d+):")
_PREFIX = re.compile(r"^.*?\[ONNXRuntimeError\] : \d+ : \w+ : (This is an invalid model\. )?")
_LOCATION = re.compile(r"( in| for the| with)? node( with name)?[ (']*$| alone(?=\))")
_MESSAGE_LENGTH = 160
"""Characters of an onnxruntime message that are kept in a reason."""


class PartialRun:
    """A model that is run for some of its values at a time.

    `refused` has, by name, why a value cannot be computed. `known` are values of other runs: what
    the same operations compute from the same arrays is the same. Without it, all are computed.
    """

    def __init__(
        self, runner: ModelRunner, feeds: Arrays, known: KnownValues | None = None
    ) -> None:
        self.runner, self.feeds, self.known = runner, feeds, known
        self.refused: dict[str, str] = {}
        self._blocked: dict[ir.Node, str] = {}
        self._values = {str(v.name): v for node in self.model.graph for v in node.outputs}
        for node in self.model.graph:
            if node.domain not in runtime.DOMAINS:
                self._blocked[node] = f"{node.domain} {node.op_type} is not an ONNX operator"

    @property
    def model(self) -> ir.Model:
        """The model that is run."""
        return self.runner.model

    def run(self, wanted: Iterable[str]) -> Arrays:
        """Those of the wanted values that can be computed."""
        names = list(wanted)
        if self.known is None:
            return self._run_all(names)
        numbers = self.known.numbers(self.runner, self.feeds)
        known = self.known.known(numbers)
        values = self._run_left(names, known) if known else None
        values = self._run_all(names) if values is None else values
        self.known.add(numbers, values)
        return values

    def _run_left(self, names: list[str], known: Arrays) -> Arrays | None:
        """The values of these names, some of which are known.

        None where onnxruntime refuses one of the others: only a whole run tells what it refuses.
        """
        names = self._runnable(names)
        left = [name for name in names if name not in known]
        try:
            values = known | self.runner.run(self.feeds, left, known)
        except ModeldocsError:
            return None
        return {name: values[name] for name in names if name in values}

    def _run_all(self, names: list[str]) -> Arrays:
        """Those of these values that can be computed."""
        names = self._runnable(names)
        while names:
            try:
                return self.runner.run(self.feeds, names)
            except ModeldocsError as error:
                if not self._block(error):
                    return self._bisect(names, error)
                names = self._runnable(names)
        return {}

    def substitute(self, values: Arrays) -> None:
        """Let the readers of computed values read arrays instead: they can then run by themselves.

        What is computed can still be wanted.
        """
        self._copy_model()
        given: Arrays = {}
        for name, array in values.items():
            kind = ir.TensorType(ir.DataType.from_numpy(array.dtype))
            graph_input = ir.Value(name=f"{name} given", shape=ir.Shape(array.shape), type=kind)
            for reader, slot in tuple(self._values[name].uses()):
                reader.replace_input_with(slot, graph_input)
            self.model.graph.inputs.append(graph_input)
            given[str(graph_input.name)] = array
        self.feeds = self.feeds | given
        self.refused.clear()

    def _copy_model(self) -> None:
        """Go on with a copy of the model, which may be changed."""
        nodes = list(self.model.graph)
        self.runner = ModelRunner(self.model.clone())
        copies = dict(zip(nodes, self.model.graph, strict=True))
        self._blocked = {copies[node]: reason for node, reason in self._blocked.items()}
        values = {str(v.name): v for node in self.model.graph for v in node.outputs}
        self._values = {name: values[name] for name in self._values}

    def _bisect(self, names: list[str], error: ModeldocsError) -> Arrays:
        """Run halves of the values where an error names no node."""
        if len(names) == 1:
            self.refused[names[0]] = error.reason
            return {}
        middle = len(names) // 2
        return self._run_all(names[:middle]) | self._run_all(names[middle:])

    def _runnable(self, names: list[str]) -> list[str]:
        return [name for name in names if self._is_runnable(name)]

    def _is_runnable(self, name: str) -> bool:
        """Whether a value depends on no refused node; if it does, the reason is kept."""
        if self._blocked and name in self._values and name not in self.refused:
            needed = runtime.leading_to([self._values[name]])
            reasons = [reason for node, reason in self._blocked.items() if node in needed]
            if reasons:
                self.refused[name] = reasons[0]
        return name not in self.refused

    def _block(self, error: ModeldocsError) -> bool:
        """Exclude the node that an error names, and all of its kind; False where it names none."""
        match = _NODE.search(error.reason)
        nodes = {str(node.name): node for node in self.model.graph}
        refused = nodes.get(match.group(0)) if match else None
        if refused is None or refused in self._blocked:
            return False
        message = _PREFIX.sub("", _NODE.split(error.reason)[0]).rstrip(" .('")
        message = _LOCATION.sub("", message)[:_MESSAGE_LENGTH]
        reason = f"onnxruntime cannot run its {refused.op_type}: {message}"
        for node in self.model.graph:
            if _kind(node) == _kind(refused):
                self._blocked.setdefault(node, reason)
        return True


def run_both(
    ours: PartialRun, theirs: PartialRun, wanted: Iterable[str], of_theirs: Iterable[str]
) -> tuple[Arrays, Arrays]:
    """The wanted values of two models; what they know of each other's is then trimmed."""
    both = ours.run(wanted), theirs.run(of_theirs)
    for one in (ours, theirs):
        if one.known is not None:
            one.known.trim()
    return both


def _kind(node: ir.Node) -> tuple[object, ...]:
    """The operator of a node and the types of its inputs."""
    return (node.domain, node.op_type, *(v.dtype if v is not None else None for v in node.inputs))
