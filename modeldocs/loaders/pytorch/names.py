"""Names of a graph and its values, each of them unique.

Outputs are named after the keys of the dict, or the fields of the object, that was returned.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import onnx_ir as ir

from modeldocs.loaders.pytorch import containers

if TYPE_CHECKING:
    import torch


def name_graph(model: ir.Model, name: str) -> None:
    """Name the graph after the model, and drop the exporter's own text and metadata."""
    model.graph.name = name
    model.graph.doc_string = None
    model.graph.metadata_props.clear()
    model.metadata_props.clear()


def make_unique(model: ir.Model) -> None:
    """Rename outputs of nodes that have the name of a parameter or an input.

    The exporter names them after operators: a parameter that a port calls `embedding` would be a
    second value of that name, which ONNX does not allow.
    """
    reserved = {*model.graph.initializers, *(str(value.name) for value in model.graph.inputs)}
    values = [value for node in model.graph for value in node.outputs]
    names = {str(value.name) for value in values} | reserved
    for value in values:
        if value.name in reserved:
            value.name = _unused(str(value.name), names)
            names.add(value.name)


def _unused(name: str, names: set[str]) -> str:
    number = 1
    while f"{name}.{number}" in names:
        number += 1
    return f"{name}.{number}"


def name_outputs(model: ir.Model, exported: torch.export.ExportedProgram) -> None:
    """Name outputs after the keys that the port returned them under, where it did."""
    keys = _keys(exported)
    outputs = model.graph.outputs
    if len(keys) != len(outputs) or len({id(value) for value in outputs}) != len(outputs):
        return
    names = {value.name for node in model.graph for value in node.outputs}
    names |= {value.name for value in model.graph.inputs} | set(model.graph.initializers)
    for key, value in zip(keys, outputs, strict=True):
        if key and key not in names and value.producer() is not None:
            names.add(key)
            value.name = key


def _keys(exported: torch.export.ExportedProgram) -> list[str]:
    """The key of each returned tensor in nested containers, `""` where it has none."""
    import torch

    spec = exported.call_spec.out_spec
    if spec is None:
        return []
    paths = containers.returned_paths(spec)
    args = [output.arg for output in exported.graph_signature.output_specs][-len(paths) :]
    tensor = torch.export.graph_signature.TensorArgument
    return [_key(path) for path, arg in zip(paths, args, strict=False) if isinstance(arg, tensor)]


def _key(path: tuple[containers.Step, ...]) -> str:
    """The path joined by dots; `""` where it starts with an index."""
    return ".".join(map(str, path)) if path and isinstance(path[0], str) else ""
