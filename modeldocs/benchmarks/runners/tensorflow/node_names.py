"""The nodes of a graph that TensorFlow's optimiser made an operator of."""

from __future__ import annotations

import re
from typing import Any

_PREFIX = re.compile(r"^_(Mkl(Native)?)?(PadWith)?(Fused)?")
"""What the optimiser puts before the kind of an operator that it replaces."""
_READING = "/ReadVariableOp"


class NodeNames:
    """Names of a graph's nodes for the operators that run.

    An operator that was fused of several nodes has the name of the last; it counts for the first,
    the product or convolution. Reading a variable counts for the node that reads it.
    """

    def __init__(self, graph_def: Any) -> None:
        self.nodes = {node.name: node for node in graph_def.node}

    def of(self, name: str, kind: str) -> str:
        """The node that an operator of that name and kind belongs to."""
        wanted = _PREFIX.sub("", kind)
        node = self.nodes.get(name)
        while node is not None and wanted != kind and node.op != wanted:
            node = next(filter(None, (self.nodes.get(_node(one)) for one in node.input)), None)
        return str(node.name if node is not None else name).removesuffix(_READING)

    def kind(self, name: str) -> str | None:
        """The kind of a node; None where the graph has none of that name."""
        node = self.nodes.get(name)
        return str(node.op) if node is not None else None


def _node(tensor: str) -> str:
    """The node of an input, as `name:output` or `^name`."""
    return tensor.removeprefix("^").partition(":")[0]
