"""Time by node of a session, from onnxruntime's profile."""

from __future__ import annotations

import statistics
from pathlib import Path

import msgspec
import onnx

from modeldocs.benchmarks import readers
from modeldocs.benchmarks.measurements import Block
from modeldocs.benchmarks.runners.benchmarked_model import StepProfile

_FUSED, _BLOCKED = "fused ", "_nchwc"
"""How names begin and end of nodes that onnxruntime fused, or made work on blocks of channels."""


def attribution(profile: Path, proto: onnx.ModelProto) -> StepProfile:
    """The whole network, then the nodes that ran, by the names that the file has for them.

    A fused node counts for the first of those that it was fused of.
    """
    _, [recording] = readers.read(profile)
    record = recording.record
    assert record.step_ms is not None
    whole = statistics.median(ms * 1e3 for ms in record.step_ms.samples[0])
    names = _RuntimeNames(proto)
    nodes = record.blocks or ()
    network = Block(path="", kind=proto.graph.name or "graph", forward_us=round(whole, 2))
    return StepProfile(
        blocks=(network, *(names.named(node) for node in nodes)),
        host_operators=record.host_operators,
    )


class _RuntimeNames:
    """Nodes of a file by what onnxruntime calls them: their names, or those of their outputs."""

    def __init__(self, proto: onnx.ModelProto) -> None:
        self.nodes = {node.name for node in proto.graph.node}
        self.producers = {out: node for node in proto.graph.node for out in node.output}

    def named(self, block: Block) -> Block:
        """The block with the name of the file's node, if there is one."""
        if block.path.endswith(_BLOCKED):
            found = self._fused_into(block.path.removesuffix(_BLOCKED), block.kind)
        else:
            found = block.path.removeprefix(_FUSED)
        return msgspec.structs.replace(block, path=found if found in self.nodes else block.path)

    def _fused_into(self, output: str, kind: str | None) -> str:
        """The node of that kind whose result, through others on the way, is the output."""
        node = self.producers.get(output)
        while node is not None and node.op_type != kind:
            node = next((self.producers[i] for i in node.input if i in self.producers), None)
        return str(node.name) if node is not None else ""
