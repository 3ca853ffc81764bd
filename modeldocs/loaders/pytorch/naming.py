"""Names of a graph's values: none twice, and outputs by what they were returned under.

Outputs are named after the keys of the dict, or the fields of the object, that was returned.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import onnx_ir as ir

if TYPE_CHECKING:
    import torch


def name_outputs(model: ir.Model, program: torch.export.ExportedProgram) -> None:
    """Name outputs after the keys that the port returned them under, where it did."""
    keys = _keys(program)
    outputs = model.graph.outputs
    taken = {v.name for node in model.graph for v in node.outputs} | {
        v.name for v in model.graph.inputs
    }
    taken |= set(model.graph.initializers)
    if len(keys) != len(outputs) or len({id(value) for value in outputs}) != len(outputs):
        return
    for key, value in zip(keys, outputs, strict=True):
        if key and key not in taken and value.producer() is not None:
            taken.add(key)
            value.name = key


def tell_apart(model: ir.Model) -> None:
    """Rename what nodes make where a parameter or an input has that name too.

    The exporter calls what a node makes after its operator: a parameter that a port calls
    `embedding` would be a second value of that name, which no ONNX file can hold.
    """
    taken = {*model.graph.initializers, *(str(value.name) for value in model.graph.inputs)}
    made = [value for node in model.graph for value in node.outputs]
    names = {str(value.name) for value in made} | taken
    for value in made:
        if value.name in taken:
            value.name = _unused(str(value.name), names)
            names.add(value.name)


def _unused(name: str, names: set[str]) -> str:
    number = 1
    while f"{name}.{number}" in names:
        number += 1
    return f"{name}.{number}"


def _keys(program: torch.export.ExportedProgram) -> list[str]:
    """The key of each tensor returned, `""` where it has none: dicts, and what is like them."""
    import torch
    from torch.utils import _pytree as pytree

    spec = program.call_spec.out_spec
    if spec is None:
        return []
    returned: Any = pytree.tree_unflatten(list(range(spec.num_leaves)), spec)
    leaves, _ = pytree.tree_flatten_with_path(returned)
    kinds = [output.arg for output in program.graph_signature.output_specs][-len(leaves) :]
    tensor = torch.export.graph_signature.TensorArgument
    return [_key(path) for (path, _), kind in zip(leaves, kinds, strict=False) if
            isinstance(kind, tensor)]  # fmt: skip


def _key(path: tuple[Any, ...]) -> str:
    """The path's steps joined by dots, `""` where the first of them is only a number."""
    steps = [getattr(step, "key", getattr(step, "name", getattr(step, "idx", ""))) for step in path]
    return ".".join(map(str, steps)) if steps and isinstance(steps[0], str) else ""
