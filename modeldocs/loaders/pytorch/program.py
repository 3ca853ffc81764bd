"""The traced program of a source: `torch.export` of the module, or what an archive holds."""

from __future__ import annotations

import contextlib
import copy
import io
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from modeldocs.errors import ModeldocsError
from modeldocs.loaders import Inputs, LoadRequest
from modeldocs.loaders.python_source import port_errors
from modeldocs.loaders.pytorch import (
    branches,
    configuration,
    construction,
    containers,
    errors,
    export_archive,
    inputs,
    module,
    number_buffers,
    source,
)
from modeldocs.loaders.pytorch.inputs import Tensors
from modeldocs.loaders.pytorch.module import BuiltModule
from modeldocs.loaders.pytorch.partial import plan
from modeldocs.loaders.pytorch.partial.calls import ModuleCall, record
from modeldocs.loaders.pytorch.source import ArchiveKind

if TYPE_CHECKING:
    import torch

FAKE_NOTE = "too large to be built here ({size:.1f} GB of parameters): traced on fake tensors"


@dataclass(frozen=True)
class ExportedModule:
    """A traced program, the module that runs it, and the inputs that it was traced on.

    `has_modules` is whether `module` is the port's own, with all modules inside, and not what is
    left of it in an archive. `fake` is whether its parameters have no values; `omission` says
    which parts could not be traced, or where the data decided, if any.
    """

    module: torch.nn.Module
    exported: torch.export.ExportedProgram
    inputs: Inputs
    has_modules: bool = True
    fake: bool = False
    omission: str = ""

    def notes(self) -> list[str]:
        """Notes for the reader on how it was traced."""
        size = construction.parameter_bytes(self.module) / 1e9
        notes = (FAKE_NOTE.format(size=size) if self.fake else "", self.omission)
        return [note for note in notes if note]


def trace(request: LoadRequest, *, proving: bool = False) -> ExportedModule:
    """The source of a request, traced on inputs of the requested shapes.

    Raises:
        ModeldocsError: it cannot be built, read or traced, or is too large to be proven.
    """
    kind = source.archive_kind(request.path)
    if kind is ArchiveKind.EXPORT:
        exported = export_archive.read(request)
        return ExportedModule(
            exported.module(check_guards=False),
            exported,
            export_archive.inputs(request, exported),
            has_modules=False,
        )
    if kind is not None:
        built = _read_torchscript(request, kind)
    else:
        built = module.build_module(request, fake_above=module.REAL_BYTES)
    if proving and built.fake:
        raise _too_large(request, built.module)
    return _trace(request, built)


def _read_torchscript(request: LoadRequest, kind: ArchiveKind) -> BuiltModule:
    """The module of a TorchScript archive, as modules that torch can trace.

    Raises:
        ModeldocsError: it is another kind, cannot be read, or no input shape is given.
    """
    from modeldocs.loaders.pytorch.torchscript import modules

    if kind is not ArchiveKind.TORCHSCRIPT:
        raise source.no_graph(request, kind)
    try:
        script_module = modules.read(Path(str(request.path)))
    except BaseException as error:
        raise source.unreadable(request.source, kind, error) from None
    return BuiltModule(script_module, inputs.requested(request, script_module, {}))


def _too_large(request: LoadRequest, large: torch.nn.Module) -> ModeldocsError:
    size = construction.parameter_bytes(large)
    example = (
        '{"config": {"num_hidden_layers": 2, …}}' if configuration.CONFIG in request.args else ""
    )
    return ModeldocsError(
        f"is too large to be proven: its parameters take {size:,} bytes, and "
        f"{module.REAL_BYTES:,} can be run here",
        file=request.source,
        fix=f"prove a smaller one of the same kind, by other `args:` {example}",
    )


def _trace(request: LoadRequest, built: BuiltModule) -> ExportedModule:
    """The module traced as a whole, or else those parts of it that can be."""
    tensors = inputs.tensors(built.inputs)
    containers.register_returned(built.module)
    before = _attributes(built.module)
    try:
        exported = _export(request, built.module, tensors)
        if _keeps_traced(exported) and not built.fake:
            _restore(before)
            _run(request, built.module, tensors)
            exported = _export(request, built.module, tensors)
    except ModeldocsError:
        _restore(before)
        exported = _with_numbers(request, built.module, tensors)
        if exported is not None:
            return ExportedModule(built.module, exported, built.inputs, fake=built.fake)
        _restore(before)
        parts = None
        if not built.fake:
            followed = branches.follow(built.module, tensors)
            if followed is not None:
                return ExportedModule(
                    built.module, followed.exported, built.inputs, omission=followed.note
                )
            _restore(before)
            run = _run(request, built.module, tensors)
            before = _attributes(built.module)  # with the tables that it makes when it first runs
            parts = plan.traceable_parts(run)
            _restore(before)
        if parts is None:
            raise
        own = inputs.by_argument(built.module, built.inputs)
        tensors = dict(zip(own.shapes, tensors.values(), strict=True)) | parts.sample_inputs()
        parts.install(built.module)
        exported = _export(request, built.module, tensors)
        return ExportedModule(built.module, exported, parts.inputs(own), omission=parts.note)
    return ExportedModule(built.module, exported, built.inputs, fake=built.fake)


def _with_numbers(
    request: LoadRequest, traced: torch.nn.Module, tensors: Tensors
) -> torch.export.ExportedProgram | None:
    """The module traced with the numbers in its buffers as constants; None if it cannot be."""
    owners = number_buffers.owners(traced)
    if not owners:
        return None
    try:
        with number_buffers.as_constants(owners):
            return _export(request, traced, tensors)
    except ModeldocsError:
        return None


def _keeps_traced(exported: torch.export.ExportedProgram) -> bool:
    """Whether a module kept a tensor of the trace, which has no values: a table that it computes
    when it first runs. After a run it has the table.
    """
    from torch._subclasses.fake_tensor import FakeTensor

    return any(isinstance(one, FakeTensor) for one in exported.constants.values())


def _attributes(traced: torch.nn.Module) -> dict[torch.nn.Module, dict[str, Any]]:
    """The attributes of each module, with what it has registered so far."""
    return {
        one: {name: copy.copy(v) if isinstance(v, dict) else v for name, v in vars(one).items()}
        for one in traced.modules()
    }


def _restore(before: Mapping[torch.nn.Module, Mapping[str, Any]]) -> None:
    """Give modules the attributes that they had before they were traced."""
    for one, attributes in before.items():
        vars(one).clear()
        vars(one).update(attributes)


def _export(
    request: LoadRequest, traced: torch.nn.Module, tensors: Tensors
) -> torch.export.ExportedProgram:
    """`torch.export` of a module, on tensors by name of the argument.

    Raises:
        ModeldocsError: it cannot be traced, with the port's own line.
    """
    import torch

    args, kwargs = inputs.arguments(tensors)
    # torch prints the graph so far to stderr when it fails.
    silenced = contextlib.redirect_stderr(io.StringIO())
    try:
        with warnings.catch_warnings(), silenced:
            warnings.simplefilter("ignore")
            return torch.export.export(traced, args, kwargs, strict=False)
    except BaseException as error:
        raise errors.not_traced(request, error) from None


def _run(request: LoadRequest, untraced: torch.nn.Module, tensors: Tensors) -> ModuleCall:
    """One run of a module, which shows whether the module itself is at fault.

    Raises:
        ModeldocsError: it raises.
    """
    import torch

    args, kwargs = inputs.arguments(tensors)
    with torch.no_grad():
        call, error = record(untraced, args, kwargs)
    if error is not None:
        raise port_errors.failure(request, error, "running it") from None
    return call


def arguments(
    exported: torch.export.ExportedProgram, tensors: Tensors
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Tensors in order of the inputs, as positional and keyword arguments of a program."""
    from torch.utils import _pytree as pytree

    remaining = iter(tensors.values())
    specs = exported.graph_signature.input_specs
    user_inputs = [spec.arg for spec in specs if spec.kind.name == "USER_INPUT"]
    leaves = [arg.value if hasattr(arg, "value") else next(remaining) for arg in user_inputs]
    args, kwargs = pytree.tree_unflatten(leaves, exported.call_spec.in_spec)
    return tuple(args), dict(kwargs)
