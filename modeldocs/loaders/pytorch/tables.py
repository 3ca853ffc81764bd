"""Parameters that are constants of the function: tables that are never trained, with their values.

Sinusoids of positions, for example, are parameters without a gradient in some ports, buffers in
others, and computed in a third. Frozen weights are no such tables: a product or a norm reads them,
or all around them is frozen, too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import onnx_ir as ir

from modeldocs.ir import operators
from modeldocs.normal import values
from modeldocs.normal.data_movement import tracing

if TYPE_CHECKING:
    import torch

MAX_ELEMENTS = 2**22
"""Elements of the largest table that is kept with its values."""

_ELEMENTWISE = operators.named(elementwise=True)
"""Readers of a table, beside those that only move elements."""


def fixed(model: ir.Model, module: torch.nn.Module) -> set[str]:
    """Names of the graph's initializers that are such tables."""
    frozen = {
        name
        for name, parameter in module.named_parameters(remove_duplicate=False)
        if not parameter.requires_grad and _has_own_values(parameter)
    }
    return {
        name
        for name in frozen
        if name in model.graph.initializers
        and _is_trained_around(name, module)
        and _is_table(model.graph.initializers[name])
    }


def _has_own_values(parameter: torch.nn.Parameter) -> bool:
    """Whether a parameter has values, and not all are one number."""
    if type(parameter).__name__ == "FakeTensor" or parameter.device.type != "cpu":
        return False
    if not 1 < parameter.numel() <= MAX_ELEMENTS:
        return False
    flat = parameter.detach().reshape(-1)
    return bool((flat != flat[0]).any())


def _is_trained_around(name: str, module: torch.nn.Module) -> bool:
    """Whether the innermost module with other parameters trains one of them."""
    path = name
    while path:
        path = path.rpartition(".")[0]
        owner = module.get_submodule(path)
        prefix = f"{path}." if path else ""
        named = owner.named_parameters()
        others = [one for own, one in named if prefix + own != name]
        if others:
            return any(one.requires_grad for one in others)
    return False


def _is_table(value: ir.Value) -> bool:
    """Whether all readers of a value, behind what only moves elements, are elementwise."""
    for use in value.uses():
        node = use.node
        if values.is_operator(node, "Gather"):
            if use.idx != 0 or not _is_constant(node.inputs[1]):
                return False
        elif not values.is_operator(node, *tracing.ARRANGES):
            if not values.is_operator(node, *_ELEMENTWISE):
                return False
            continue
        if not all(map(_is_table, node.outputs)):
            return False
    return True


def _is_constant(value: ir.Value | None) -> bool:
    """Whether a value is computed of constants alone."""
    if value is None or value.is_initializer():
        return value is not None
    node = value.producer()
    return node is not None and all(map(_is_constant, node.inputs))
