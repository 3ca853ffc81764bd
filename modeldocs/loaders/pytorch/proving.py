"""What torch computes: the module with seeded values, run on seeded inputs, layer by layer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import onnx_ir as ir

from modeldocs.errors import ModeldocsError
from modeldocs.loaders import LoadRequest, callables, seeding
from modeldocs.loaders.pytorch import archives, conversion, filling, inputs
from modeldocs.loaders.pytorch.conversion import Converted, Traced
from modeldocs.loaders.pytorch.describing import place, statistics
from modeldocs.loaders.pytorch.inputs import Tensors
from modeldocs.loaders.reference import Reference

if TYPE_CHECKING:
    import torch

Arrays = dict[str, np.ndarray]


def prove(request: LoadRequest, seed: int, *, layers: bool) -> tuple[ir.Model, Reference]:
    """The model with values in its parameters, and what torch computes with them.

    An archive keeps the values that it holds; a module of code gets seeded ones.

    Raises:
        ModeldocsError: it cannot be loaded, or raises when it is run.
    """
    import torch

    source = conversion.traced(request)
    if source.fake:
        raise ModeldocsError(
            "is too large to be run here",
            file=request.source,
            mend="prove a smaller one, by other `args:`",
        )
    if archives.kind(request.path) is None:
        filling.fill(source.module, seed)
    made = conversion.convert(request, source)
    given = sampled(source, seed)
    outputs = _run(request, source, given)
    trainable, frozen = counts(source.module)
    told = Reference(
        software=f"torch {torch.__version__.split('+')[0]}",
        inputs=_named(made.model.graph.inputs, given),
        outputs=_named_outputs(made.model, outputs),
        activations=_activations(made, given) if layers else {},
        trainable=trainable,
        frozen=frozen,
    )
    return made.model, told


def sampled(source: Traced, seed: int) -> Tensors:
    """Seeded inputs; indices into a table stay below its length."""
    import torch

    rows = _rows(source.program)
    made: Tensors = {}
    for position, (name, like) in enumerate(inputs.empty(source.inputs).items()):
        dtype = str(like.dtype).removeprefix("torch.")
        plain = dtype if hasattr(np, dtype) else "float32"
        values = seeding.sample(seed, name, tuple(like.shape), plain)
        if position in rows:
            values = values % rows[position]
        made[name] = torch.from_numpy(np.asarray(values)).to(like.dtype)
    return made


def _rows(program: torch.export.ExportedProgram) -> dict[int, int]:
    """By position of an input that is looked up in tables: rows of the smallest."""
    import torch

    names = list(program.graph_signature.user_inputs)
    found: dict[int, int] = {}
    for node in program.graph.nodes:
        if node.target is torch.ops.aten.embedding.default and node.args[1].name in names:
            position = names.index(node.args[1].name)
            table = int(node.args[0].meta["val"].shape[0])
            found[position] = min(table, found.get(position, table))
    return found


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


def counts(module: torch.nn.Module) -> tuple[int, int]:
    """Values that are trained, and the others: frozen parameters and running statistics.

    How many batches the statistics saw is bookkeeping, not a parameter.
    """
    params = list({place(p): p for p in module.parameters()}.values())
    trainable = sum(p.numel() for p in params if p.requires_grad)
    frozen = sum(p.numel() for p in params if not p.requires_grad)
    held = statistics(module)
    frozen += sum(b.numel() for name, b in module.named_buffers() if name in held)
    return trainable, frozen


def _named(values: Any, tensors: Tensors) -> Arrays:
    """Arrays by name of the graph's inputs, which are in the module's order."""
    names = [str(value.name) for value in values]
    arrays = [_array(tensor) for tensor in tensors.values()]
    by_argument = dict(zip(tensors, arrays, strict=True))
    if set(names) == set(by_argument):
        return by_argument
    return dict(zip(names, arrays, strict=False))


def _named_outputs(model: ir.Model, outputs: list[torch.Tensor]) -> Arrays:
    names = [str(value.name) for value in model.graph.outputs]
    if len(names) != len(outputs):
        raise ModeldocsError(
            f"gives {len(outputs)} tensors, and its graph has {len(names)} outputs",
            mend="let it return each tensor once",
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
