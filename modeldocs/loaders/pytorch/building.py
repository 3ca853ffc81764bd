"""The module of a port: built, with the line of each of its modules, and what goes into it."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

import msgspec

from modeldocs.errors import ModeldocsError
from modeldocs.loaders import LoadRequest, callables

if TYPE_CHECKING:
    import torch

_BASES = ("Module", "Sequential", "ModuleList")


def build_module(
    request: LoadRequest,
) -> tuple[torch.nn.Module, dict[str, tuple[int, ...]]]:
    """The port's module in evaluation mode, and its input shapes by name.

    Shapes come from the request, else from the file's own constant `INPUTS`, a dict of shape by
    name of the argument (`""` for the first).

    Raises:
        ModeldocsError: the port raises, returns something else, or no shape is given.
    """
    import torch

    logging.getLogger("torch.onnx").setLevel(logging.ERROR)
    torch.manual_seed(0)
    with _ConstructionLines(callables.OwnFiles(request)):
        source = callables.import_source(request)
        target = callables.resolve(request, source, _BASES)
        made = target if isinstance(target, torch.nn.Module) else callables.call(request, target)
    if not isinstance(made, torch.nn.Module):
        raise ModeldocsError(
            f"the entry point returned {type(made).__name__}, not a torch.nn.Module",
            file=request.source,
            mend="let it return the module, or name the right callable as `entry:` in model.yml",
        )
    inputs = dict(request.inputs) or _declared_inputs(request, getattr(source, "INPUTS", {}))
    if not inputs:
        raise ModeldocsError(
            "no input shape is given",
            file=request.source,
            mend="write `inputs:` in model.yml, `INPUTS = {'x': (1, 3, 224, 224)}` in the file, "
            "or pass --input x=1,3,224,224",
        )
    return made.eval(), inputs


def sample_inputs(
    inputs: dict[str, tuple[int, ...]], dtypes: dict[str, str]
) -> tuple[tuple[torch.Tensor, ...], dict[str, torch.Tensor]]:
    """Positional and keyword tensors of the given shapes: normal floats, zeros for integers."""
    import torch

    made: dict[str, torch.Tensor] = {}
    for name, shape in inputs.items():
        dtype = getattr(torch, dtypes.get(name, "float32"), None)
        if not isinstance(dtype, torch.dtype):
            raise ModeldocsError(f"input {name!r} has an unknown dtype {dtypes[name]!r}")
        if any(size < 0 for size in shape):
            raise ModeldocsError(f"input {name!r} cannot have the shape {shape}")
        floating = dtype.is_floating_point
        made[name] = (
            torch.randn(shape, dtype=dtype) if floating else torch.zeros(shape, dtype=dtype)
        )
    if len(made) == 1:
        return tuple(made.values()), {}
    return (), made


def _declared_inputs(request: LoadRequest, declared: Any) -> dict[str, tuple[int, ...]]:
    try:
        return msgspec.convert(declared, dict[str, tuple[int, ...]])
    except msgspec.ValidationError as error:
        raise ModeldocsError(
            f"its INPUTS is no shape by name of the argument: {error}",
            file=request.source,
            mend="write it as `INPUTS = {'x': (1, 3, 224, 224)}`",
        ) from None


class _ConstructionLines:
    """Records on each module the line of the port that constructed it, while it is built."""

    def __init__(self, own: callables.OwnFiles) -> None:
        self.own = own

    def __enter__(self) -> None:
        import sys

        import torch

        self.original = torch.nn.Module.__init__
        own, original = self.own, self.original

        def init(module: torch.nn.Module, *args: Any, **kwargs: Any) -> None:
            original(module, *args, **kwargs)
            frame = sys._getframe(1)
            while frame is not None and (
                frame.f_code.co_filename not in own or frame.f_locals.get("self") is module
            ):
                frame = frame.f_back  # type: ignore[assignment]
            if frame is not None:
                line = (frame.f_code.co_filename, frame.f_lineno)
                object.__setattr__(module, "_modeldocs_line", line)

        torch.nn.Module.__init__ = init

    def __exit__(self, *_: object) -> None:
        import torch

        torch.nn.Module.__init__ = self.original
