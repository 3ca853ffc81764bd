"""What torch computes: the module with designed weights, as a whole and layer by layer."""

from __future__ import annotations

from collections.abc import Iterator, Set
from typing import TYPE_CHECKING, Any

import numpy as np
import onnx_ir as ir

from modeldocs.errors import ModeldocsError
from modeldocs.loaders import LoadRequest
from modeldocs.loaders.python_source import port_errors
from modeldocs.loaders.pytorch import assembly, inputs, tables, weights
from modeldocs.loaders.pytorch.assembly import AssembledExport
from modeldocs.loaders.pytorch.inputs import Tensors
from modeldocs.loaders.pytorch.program import ExportedModule, arguments, trace
from modeldocs.loaders.reference import Arrays, Designed, Designs, Proven, Reference

if TYPE_CHECKING:
    import torch


def prove(request: LoadRequest, designs: Designs) -> Iterator[Proven]:
    """The graph, and what torch computes with designed values in its module's parameters.

    Raises:
        ModeldocsError: it cannot be loaded, or raises when it is run.
    """
    program = trace(request, proving=True)
    assembled = assembly.assemble(request, program)
    constants = tables.fixed(assembled.model, program.module)
    for designed in designs(assembled.model):
        run = _reference(request, program, assembled, designed, constants)
        yield Proven(assembled.model, run)


def _reference(
    request: LoadRequest,
    program: ExportedModule,
    assembled: AssembledExport,
    designed: Designed,
    constants: Set[str],
) -> Reference:
    import torch

    weights.fill(program.module, designed, constants)
    tensors = _input_tensors(program, assembled.model, designed.inputs)
    outputs = _run(request, program, tensors)
    trainable, frozen = weights.counts(program.module, _absent(assembled, program) | constants)
    return Reference(
        software=f"torch {torch.__version__.split('+')[0]}",
        inputs=designed.inputs,
        outputs=_named_outputs(assembled.model, outputs),
        activations=_activations(assembled, tensors) if designed.by_layer else {},
        trainable=trainable,
        frozen=frozen,
        parameters=designed.parameters,
    )


def _input_tensors(program: ExportedModule, model: ir.Model, arrays: Arrays) -> Tensors:
    """The module's inputs by its own names; the graph has them in the same order."""
    import torch

    examples = inputs.empty(program.inputs)
    graph_names = [str(value.name) for value in model.graph.inputs]
    if set(graph_names) == set(examples):
        graph_names = list(examples)
    tensors = {name: torch.zeros(one.shape, dtype=one.dtype) for name, one in examples.items()}
    for name, graph_name in zip(examples, graph_names, strict=False):
        array = np.asarray(arrays[graph_name], order="C")
        tensors[name] = torch.from_numpy(array).to(tensors[name].dtype)
    return tensors


def _run(request: LoadRequest, program: ExportedModule, tensors: Tensors) -> list[torch.Tensor]:
    import torch
    from torch.utils import _pytree as pytree

    args, kwargs = arguments(program.exported, tensors)
    with port_errors.located(request, "running it"), torch.no_grad():
        leaves = pytree.tree_leaves(program.module(*args, **kwargs))
    return [leaf for leaf in leaves if isinstance(leaf, torch.Tensor)]


def _absent(assembled: AssembledExport, program: ExportedModule) -> set[str]:
    """Names of parameters and statistics that the graph lacks since no output depends on them:
    those of auxiliary heads, of masked embeddings, of early exits that are not returned.
    """
    signature = assembled.exported.graph_signature
    users = {node.name: node.users for node in assembled.exported.graph.nodes}
    inputs_to_names = signature.inputs_to_parameters | signature.inputs_to_buffers
    present = {name for node, name in inputs_to_names.items() if users.get(node)}
    present |= set(assembled.model.graph.initializers)
    shared = weights.shared_names(program.module)
    absent = {name for names in shared if present.isdisjoint(names) for name in names}
    return absent | (weights.statistics(program.module) - present)


def _named_outputs(model: ir.Model, outputs: list[torch.Tensor]) -> Arrays:
    names = [str(value.name) for value in model.graph.outputs]
    if len(names) != len(outputs):
        raise ModeldocsError(
            f"gives {len(outputs)} tensors, and its graph has {len(names)} outputs",
            fix="let it return each tensor once",
        )
    return {name: _array(tensor) for name, tensor in zip(names, outputs, strict=True)}


def _activations(assembled: AssembledExport, tensors: Tensors) -> Arrays:
    """The outputs of the program's nodes, by name of the ONNX values."""
    import torch

    names = {str(value.name) for node in assembled.model.graph for value in node.outputs}
    activations: Arrays = {}

    class OutputRecorder(torch.fx.Interpreter):  # type: ignore[misc]
        def run_node(self, node: torch.fx.Node) -> Any:
            result = super().run_node(node)
            if node.name in names and isinstance(result, torch.Tensor):
                activations[node.name] = _array(result)
            return result

    exported = assembled.exported
    with torch.no_grad():
        OutputRecorder(exported.graph_module).run(*_lifted_arguments(exported, tensors))
    return activations


def _lifted_arguments(exported: torch.export.ExportedProgram, tensors: Tensors) -> list[Any]:
    """The arguments of a program's graph: its parameters, buffers and constants, and the inputs."""
    import torch

    args, kwargs = arguments(exported, tensors)
    users = iter(exported._get_flat_args_with_check(args, kwargs)[0])
    kinds = torch.export.graph_signature.InputKind
    values: list[Any] = []
    for spec in exported.graph_signature.input_specs:
        if spec.kind is kinds.USER_INPUT:
            values.append(next(users))
        else:
            state = exported.state_dict.get(spec.target)
            values.append(exported.constants[spec.target] if state is None else state)
    return values


def _array(tensor: torch.Tensor) -> np.ndarray:
    """A copy as an array; bfloat16, which numpy lacks, as float32."""
    import torch

    plain = tensor.detach().cpu().contiguous()
    if plain.dtype is torch.bfloat16:
        plain = plain.float()
    array: np.ndarray = plain.clone().numpy()
    return array
