"""A network in normal form lowered to ONNX that runs, with node names that errors can name."""

from __future__ import annotations

import onnx_ir as ir

from modeldocs.normal import runnable


def lowered_copy(model: ir.Model) -> ir.Model:
    """A copy of a network in normal form, as ONNX that runs."""
    return lower(model.clone())


def lower(model: ir.Model) -> ir.Model:
    """The model itself, changed into ONNX that runs."""
    runnable.lower(model)
    for number, node in enumerate(model.graph):
        node.name = f"node:{number}:"
    return model
