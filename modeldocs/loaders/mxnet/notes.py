"""Notes on a whole symbol: what is evaluated otherwise than it is stored, or not at all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

import onnx_ir as ir

from modeldocs.loaders.mxnet.operation import DOMAIN
from modeldocs.loaders.mxnet.weights import Use

UNSIZED = "modeldocs.unsized"
"""Key in a node's `meta`: its operator is one of ONNX, drawn as MXNet's for lack of sizes."""


def symbol_notes(
    uses: Mapping[str, Use], nodes: Sequence[ir.Node], labels: Sequence[str]
) -> Iterator[str]:
    """A sentence each on gammas that run as 1, operators that ONNX lacks, and labels."""
    fixed = [name for name, use in uses.items() if use.fixed]
    if fixed:
        names = ", ".join(fixed[:3]) + (" …" if len(fixed) > 3 else "")
        yield f"fix_gamma: {len(fixed)} stored gamma run as 1, whatever their values ({names})"
    foreign = Counter(
        node.op_type for node in nodes if node.domain == DOMAIN and UNSIZED not in node.meta
    )
    if foreign:
        counts = ", ".join(f"{count} {name}" for name, count in foreign.items())
        yield (
            f"ONNX has no operator for {counts[:500]}, which only MXNet can run: a proof compares "
            "their inputs"
        )
    if labels:
        names = ", ".join(labels[:5])
        yield f"labels are read in training only, and left out here: {names}"
