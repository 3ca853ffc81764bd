"""Parameters and running statistics of a module: which tensors they are, how many, their values."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from typing import TYPE_CHECKING

import onnx_ir as ir

from modeldocs.ir import origin
from modeldocs.loaders.emission.names import first_of
from modeldocs.loaders.pytorch import tables
from modeldocs.loaders.reference import Designed

if TYPE_CHECKING:
    import torch

_MOST_LISTED = 3
"""Unread parameters that a note lists by name."""


def statistics(module: torch.nn.Module) -> set[str]:
    """Names of buffers that hold running statistics, or scales and shifts that are frozen.

    Whatever their names, these are persistent floating-point vectors, several of one length in a
    module, of which one is called so or all begin as one number. Masks, positions, frequencies and
    counts of batches are not.
    """
    names = {
        name
        for name, _ in module.named_buffers(remove_duplicate=False)
        if name.endswith(("running_mean", "running_var"))
    }
    for path, owner in module.named_modules(remove_duplicate=False):
        vectors = {
            name: len(buffer)
            for name, buffer in owner.named_buffers(recurse=False)
            if buffer.is_floating_point()
            and buffer.ndim == 1
            and name not in owner._non_persistent_buffers_set
        }
        lengths = Counter(vectors.values())
        prefix = f"{path}." if path else ""
        is_norm = not names.isdisjoint(prefix + name for name in vectors)
        names |= {
            prefix + name
            for name, length in vectors.items()
            if lengths[length] > 1 and (is_norm or _is_uniform(owner.get_buffer(name)))
        }
    return names


def _is_uniform(vector: torch.Tensor) -> bool:
    """Whether all elements are one number, or have no values."""
    if type(vector).__name__ == "FakeTensor" or not vector.numel():
        return True
    return not bool((vector != vector[0]).any())


def storage_key(param: torch.nn.Parameter) -> object:
    """What is equal for parameters that share their storage: archives duplicate shared ones."""
    if param.device.type != "cpu" or type(param).__name__ == "FakeTensor" or not param.numel():
        return id(param)
    return param.data_ptr(), tuple(param.shape)


def shared_names(module: torch.nn.Module) -> list[list[str]]:
    """All names of each parameter of a module; a shared one has several."""
    names: dict[object, list[str]] = {}
    for name, param in module.named_parameters(remove_duplicate=False):
        names.setdefault(storage_key(param), []).append(name)
    return list(names.values())


def mark_parameters(model: ir.Model, module: torch.nn.Module) -> None:
    """Mark the graph's parameters and running statistics, which its constants are not.

    A parameter that requires no gradient is not trainable; a table of that kind is a constant.
    """
    trainable = {n: p.requires_grad for n, p in module.named_parameters(remove_duplicate=False)}
    trainable = dict.fromkeys(statistics(module), False) | trainable
    fixed = tables.fixed(model, module)
    for name, value in model.graph.initializers.items():
        if name in trainable and name not in fixed:
            origin.mark_parameter(value, trainable=trainable[name])
    for names in shared_names(module):
        held = [name for name in names if name in model.graph.initializers]
        for name in held[:1]:
            others = [other for other in names if other not in held]
            origin.set_aliases(model.graph.initializers[name], others)


def unread_notes(model: ir.Model, module: torch.nn.Module) -> list[str]:
    """A note on the module's parameters that no layer reads, if there are any."""
    read = {str(v.name) for node in model.graph for v in node.inputs if v is not None}
    unread = sorted(names[0] for names in shared_names(module) if not read.intersection(names))
    if not unread:
        return []
    return [f"parameters that are there but never read: {first_of(unread, _MOST_LISTED)}"]


def counts(module: torch.nn.Module, absent: Collection[str] = ()) -> tuple[int, int]:
    """Numbers of trainable values, and of others: frozen parameters and running statistics.

    Parameters and statistics named in `absent` are not counted.
    """
    named = {name: p for name, p in module.named_parameters() if name not in absent}
    params = list({storage_key(p): p for p in named.values()}.values())
    trainable = sum(p.numel() for p in params if p.requires_grad)
    frozen = sum(p.numel() for p in params if not p.requires_grad)
    running = statistics(module) - set(absent)
    frozen += sum(b.numel() for name, b in module.named_buffers() if name in running)
    return trainable, frozen


def fill(
    module: torch.nn.Module, designed: Designed, constants: Collection[str] = frozenset()
) -> None:
    """Set all floating-point parameters and running statistics to designed values, in place.

    `constants` are names of parameters that keep their values.
    """
    import torch

    running = statistics(module)
    tensors = dict(module.named_parameters(remove_duplicate=False))
    tensors |= {n: b for n, b in module.named_buffers(remove_duplicate=False) if n in running}
    known = [name for name in tensors if name in designed.parameters]
    others = [name for name in tensors if name not in designed.parameters]
    with torch.no_grad():
        # The names that the graph has come last: a shared parameter may have others as well.
        for name in (*others, *known):
            tensor = tensors[name]
            if tensor.is_floating_point() and name not in constants:
                values = designed.parameter(name, tuple(tensor.shape))
                tensor.copy_(torch.from_numpy(values))
