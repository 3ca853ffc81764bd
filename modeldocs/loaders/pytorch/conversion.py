"""From a source to ONNX: built or read, traced, exported, described."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import msgspec
import onnx_ir as ir

from modeldocs.errors import ModeldocsError
from modeldocs.ir import origin
from modeldocs.loaders import Inputs, LoadRequest, callables
from modeldocs.loaders.pytorch import (
    archives,
    building,
    configured,
    construction,
    describing,
    exporting,
    inputs,
    naming,
    planning,
)
from modeldocs.loaders.pytorch.calls import Call, record

if TYPE_CHECKING:
    import torch

FAKE_NOTE = "too large to be built here ({size:.1f} GB of parameters): traced on fake tensors"


@dataclass(frozen=True)
class Traced:
    """A traced module: the program, what it was traced on, and the modules that it tells of.

    `module` runs it; `whole` tells that it is the source itself, with all modules inside, and not
    what is left of it in an archive. `fake` tells that its parameters have no values, `left_out`
    what is missing.
    """

    module: torch.nn.Module
    program: torch.export.ExportedProgram
    inputs: Inputs
    whole: bool = True
    fake: bool = False
    left_out: str = ""

    def notes(self) -> tuple[str, ...]:
        """What a reader must know of how it was traced."""
        size = construction.parameter_bytes(self.module) / 1e9
        told = (FAKE_NOTE.format(size=size) if self.fake else "", self.left_out)
        return tuple(note for note in told if note)


@dataclass(frozen=True)
class Converted:
    """The ONNX model, and the program that its values are named after."""

    model: ir.Model
    program: torch.export.ExportedProgram


def traced(request: LoadRequest, *, proving: bool = False) -> Traced:
    """What the source of a request defines, traced on inputs of the shapes asked for.

    Raises:
        ModeldocsError: it cannot be built, read or traced, or is too large to be proven.
    """
    kind = archives.kind(request.path)
    if kind == archives.EXPORTED:
        return _exported(request)
    if kind is not None:
        built = archives.scripted(request, kind)
    else:
        built = building.build_module(request, fake_above=building.REAL_BYTES)
    if proving and built.fake:
        raise _too_large(request, built.module)
    return _traced(request, built)


def _too_large(request: LoadRequest, module: torch.nn.Module) -> ModeldocsError:
    size = construction.parameter_bytes(module)
    smaller = '{"config": {"num_hidden_layers": 2, …}}' if configured.CONFIG in request.args else ""
    return ModeldocsError(
        f"is too large to be proven: its parameters take {size:,} bytes, and "
        f"{building.REAL_BYTES:,} can be run here",
        file=request.source,
        fix=f"prove a smaller one of the same kind, by other `args:` {smaller}",
    )


def _traced(request: LoadRequest, built: building.Built) -> Traced:
    """The module traced whole, or else those parts of it that can be."""
    given = inputs.tensors(built.inputs)
    try:
        program = exporting.export(request, built.module, given)
    except ModeldocsError:
        parts = None if built.fake else planning.planned(_ran(request, built.module, given))
        if parts is None:
            raise
        own = inputs.by_name(built.module, built.inputs)
        given = dict(zip(own.shapes, given.values(), strict=True)) | parts.samples()
        parts.put_into(built.module)
        program = exporting.export(request, built.module, given)
        return Traced(built.module, program, parts.inputs(own), left_out=parts.note)
    return Traced(built.module, program, built.inputs, fake=built.fake)


def _ran(request: LoadRequest, module: torch.nn.Module, given: inputs.Tensors) -> Call:
    """A run of the module, which tells whether it is at fault itself.

    Raises:
        ModeldocsError: it raises.
    """
    import torch

    args, kwargs = inputs.arguments(given)
    with torch.no_grad():
        call, error = record(module, args, kwargs)
    if error is not None:
        raise callables.failure(request, error, "running it") from None
    return call


def _exported(request: LoadRequest) -> Traced:
    program = archives.exported(request)
    module = program.module(check_guards=False)
    return Traced(module, program, archives.inputs_of(request, program), whole=False)


def arguments(
    program: torch.export.ExportedProgram, given: inputs.Tensors
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Tensors by name, in order, as the positional and keyword arguments of a program."""
    from torch.utils import _pytree as pytree

    tensors = iter(given.values())
    kinds = [s.arg for s in program.graph_signature.input_specs if s.kind.name == "USER_INPUT"]
    leaves = [arg.value if hasattr(arg, "value") else next(tensors) for arg in kinds]
    args, kwargs = pytree.tree_unflatten(leaves, program.call_spec.in_spec)
    return tuple(args), dict(kwargs)


def convert(request: LoadRequest, source: Traced) -> Converted:
    """A traced module as ONNX: named, described, its parameters marked.

    Raises:
        ModeldocsError: an operator in it has no translation.
    """
    model, program = exporting.to_onnx(request, source.program)
    describing.name_graph(model, request)
    naming.tell_apart(model)
    naming.name_outputs(model, source.program)
    describing.describe(model, request, source.module if source.whole else None)
    describing.mark_parameters(model, source.module)
    notes = (*source.notes(), *describing.unread(model, source.module))
    if notes:
        model.metadata_props[origin.NOTES_KEY] = msgspec.json.encode(notes).decode()
    return Converted(model, program)
