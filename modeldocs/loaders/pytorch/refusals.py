"""Why torch cannot trace a module, or not write it as ONNX: one sentence, with the port's line."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from modeldocs.errors import ModeldocsError, first_line
from modeldocs.loaders import LoadRequest, callables

_DATA = (
    "DataDependentOutputException",
    "DynamicOutputShapeException",
    "GuardOnDataDependentSymNode",
    "PendingUnbackedSymbolNotFound",
)
_NUMPY = ".numpy() is not supported"
_OPERATOR = re.compile(r"target=torch\.ops\.([\w.]+?)(?:\.default)?\]")
_FRAME = re.compile(r'File "([^"]+)", line (\d+)')


def reason(error: BaseException) -> str:
    """Why a module cannot be traced, as a clause."""
    if type(error).__name__ in _DATA:
        return "the data decide what is computed there"
    if _NUMPY in str(error):
        return "it is computed there by numpy, not by torch"
    said = first_line(error)
    return f"torch says {type(error).__name__}{': ' if said else ''}{said}"


def untraced(request: LoadRequest, error: BaseException) -> ModeldocsError:
    """The error for a module that torch.export cannot trace."""
    told = callables.failure(request, error, "tracing it")
    return ModeldocsError(
        f"cannot be traced: {reason(error)}",
        file=told.file,
        line=told.line,
        fix="compute it in the same way whatever the data are, by torch's own operators, or name "
        "a part of the network that is",
    )


def untranslated(request: LoadRequest, error: BaseException) -> ModeldocsError:
    """The error for a traced module that torch cannot write as ONNX."""
    chain = list(_chain(error))
    found = next((held for one in chain if (held := _OPERATOR.search(str(one)))), None)
    file, line = _place(request, chain)
    if found is None:
        told = callables.failure(request, error, "exporting it to ONNX")
        return ModeldocsError(told.reason, file=told.file, line=told.line, fix=told.fix)
    cause = chain[-1]
    missing = type(cause).__name__ == "DispatchError"
    why = "" if missing else f": {type(cause).__name__}: {first_line(cause)}"
    return ModeldocsError(
        f"uses {found[1]}, which cannot be written as ONNX{why}",
        file=file,
        line=line,
        fix="write it with other operators, or name a part of the network without it",
    )


def _chain(error: BaseException) -> Iterator[BaseException]:
    """An exception and those behind it."""
    held: BaseException | None = error
    while held is not None:
        yield held
        held = held.__cause__ or held.__context__


def _place(request: LoadRequest, chain: list[BaseException]) -> tuple[str | None, int | None]:
    """The port's line that made the node in whose translation an exception was raised."""
    own = callables.OwnFiles(request)
    for stack in (_stack(one) for one in chain):
        lines = [(file, int(line)) for file, line in _FRAME.findall(stack) if file in own]
        if lines:
            return request.relative(lines[-1][0]), lines[-1][1]
    return request.source, None


def _stack(error: BaseException) -> str:
    """Where the node was made that the innermost frame of a traceback looks at."""
    found, step = "", error.__traceback__
    while step is not None:
        meta: Any = getattr(step.tb_frame.f_locals.get("node"), "meta", None)
        if isinstance(meta, dict):
            found = meta.get("stack_trace") or found
        step = step.tb_next
    return found
