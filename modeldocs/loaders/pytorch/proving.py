"""What torch computes: the module with designed values, as a whole and layer by layer."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Any

import numpy as np
import onnx_ir as ir

from modeldocs.errors import ModeldocsError
from modeldocs.loaders import LoadRequest, callables
from modeldocs.loaders.pytorch import conversion, filling, inputs
from modeldocs.loaders.pytorch.conversion import Converted, Traced
from modeldocs.loaders.pytorch.describing import place, statistics
from modeldocs.loaders.pytorch.inputs import Tensors
from modeldocs.loaders.reference import Arrays, Design, Proven, Reference

if TYPE_CHECKING:
    import torch


def prove(request: LoadRequest, design: Design) -> Proven:
    """The graph, and what torch computes with designed values in its module's parameters.

    Raises:
        ModeldocsError: it cannot be loaded, or raises when it is run.
    """
    import torch

    source = conversion.traced(request, proving=True)
    made = conversion.convert(request, source)
    designed = design(made.model)
    filling.fill(source.module, designed)
    given = _tensors(source, made.model.graph.inputs, designed.inputs)
    outputs = _run(request, source, given)
    trainable, frozen = counts(source.module, _absent(made, source))
    told = Reference(
        software=f"torch {torch.__version__.split('+')[0]}",
        inputs=designed.inputs,
        outputs=_named_outputs(made.model, outputs),
        activations=_activations(made, given),
        trainable=trainable,
        frozen=frozen,
        parameters=designed.parameters,
    )
    return Proven(made.model, told)


def _tensors(source: Traced, values: Any, arrays: Arrays) -> Tensors:
    """The module's inputs, in its order: the graph has theirs in the same, if by other names."""
    import torch

    wanted = inputs.empty(source.inputs)
    names = [str(value.name) for value in values]
    names = list(wanted) if set(names) == set(wanted) else names
    made = {name: torch.zeros(like.shape, dtype=like.dtype) for name, like in wanted.items()}
    for name, held in zip(wanted, names, strict=False):
        made[name] = torch.from_numpy(np.asarray(arrays[held], order="C")).to(made[name].dtype)
    return made


def _run(request: LoadRequest, source: Traced, given: Tensors) -> list[torch.Tensor]:
    import torch
    from torch.utils import _pytree as pytree

    args, kwargs = conversion.arguments(source.program, given)
    try:
        with torch.no_grad():
            leaves = pytree.tree_leaves(source.module(*args, **kwargs))
    except BaseException as error:
        raise callables.failure(request, error, "running it") from None
    return [leaf for leaf in leaves if isinstance(leaf, torch.Tensor)]


def _absent(made: Converted, source: Traced) -> set[str]:
    """Names of parameters and statistics that no output is computed from and that the graph lacks:
    those of auxiliary heads, of masked embeddings, of early exits that are not returned.

    A parameter that has several names is there where the graph has it by any of them.
    """
    signature = made.program.graph_signature
    users = {node.name: node.users for node in made.program.graph.nodes}
    held = signature.inputs_to_parameters | signature.inputs_to_buffers
    known = {name for place, name in held.items() if users.get(place)}
    known |= set(made.model.graph.initializers)
    aliases: dict[object, set[str]] = {}
    for name, parameter in source.module.named_parameters(remove_duplicate=False):
        aliases.setdefault(place(parameter), set()).add(name)
    absent = [names for names in aliases.values() if known.isdisjoint(names)]
    unread = {name for names in absent for name in names}
    return unread | (statistics(source.module) - known)


def counts(module: torch.nn.Module, absent: Collection[str] = ()) -> tuple[int, int]:
    """Values that are trained, and the others: frozen parameters and running statistics.

    How many batches the statistics saw is bookkeeping, not a parameter. `absent` are parameters
    that are not counted.
    """
    held = {name: p for name, p in module.named_parameters() if name not in absent}
    params = list({place(p): p for p in held.values()}.values())
    trainable = sum(p.numel() for p in params if p.requires_grad)
    frozen = sum(p.numel() for p in params if not p.requires_grad)
    kept = statistics(module) - set(absent)
    frozen += sum(b.numel() for name, b in module.named_buffers() if name in kept)
    return trainable, frozen


def _named_outputs(model: ir.Model, outputs: list[torch.Tensor]) -> Arrays:
    names = [str(value.name) for value in model.graph.outputs]
    if len(names) != len(outputs):
        raise ModeldocsError(
            f"gives {len(outputs)} tensors, and its graph has {len(names)} outputs",
            fix="let it return each tensor once",
        )
    return {name: _array(tensor) for name, tensor in zip(names, outputs, strict=True)}


def _activations(made: Converted, given: Tensors) -> Arrays:
    """What each node of the program gives, by the name of the value that ONNX has for it."""
    import torch

    names = {str(value.name) for node in made.model.graph for value in node.outputs}
    found: Arrays = {}

    class Recorder(torch.fx.Interpreter):  # type: ignore[misc]
        def run_node(self, node: torch.fx.Node) -> Any:
            result = super().run_node(node)
            if node.name in names and isinstance(result, torch.Tensor):
                found[node.name] = _array(result)
            return result

    with torch.no_grad():
        Recorder(made.program.graph_module).run(*_lifted(made.program, given))
    return found


def _lifted(program: torch.export.ExportedProgram, given: Tensors) -> list[Any]:
    """The arguments of a program's graph: what it holds, then what is given."""
    import torch

    args, kwargs = conversion.arguments(program, given)
    users = iter(program._get_flat_args_with_check(args, kwargs)[0])
    kinds = torch.export.graph_signature.InputKind
    values: list[Any] = []
    for spec in program.graph_signature.input_specs:
        if spec.kind is kinds.USER_INPUT:
            values.append(next(users))
        else:
            held = program.state_dict.get(spec.target)
            values.append(program.constants[spec.target] if held is None else held)
    return values


def _array(tensor: torch.Tensor) -> np.ndarray:
    """A copy that nothing else writes to; narrow floats numpy has no type for as float32."""
    import torch

    plain = tensor.detach().cpu().contiguous()
    if plain.dtype is torch.bfloat16:
        plain = plain.float()
    made: np.ndarray = plain.clone().numpy()
    return made
