"""Errors of tracing a module and of writing it as ONNX: one sentence, with the port's line."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from modeldocs.errors import ModeldocsError, first_line
from modeldocs.loaders import LoadRequest
from modeldocs.loaders.python_source import own_files, port_errors

_DATA_DEPENDENT = (
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
    if type(error).__name__ in _DATA_DEPENDENT:
        return "the data decide what is computed there"
    if _NUMPY in str(error):
        return "it is computed there by numpy, not by torch"
    message = first_line(error)
    return f"torch says {type(error).__name__}{': ' if message else ''}{message}"


def not_traced(request: LoadRequest, error: BaseException) -> ModeldocsError:
    """The error for a module that torch.export cannot trace."""
    failure = port_errors.failure(request, error, "tracing it")
    return ModeldocsError(
        f"cannot be traced: {reason(error)}",
        file=failure.file,
        line=failure.line,
        fix="compute it in the same way whatever the data are, by torch's own operators, or name "
        "a part of the network that is",
    )


def not_emitted(request: LoadRequest, error: BaseException) -> ModeldocsError:
    """The error for a traced module that torch cannot write as ONNX."""
    chain = list(_chain(error))
    operator = next((match for one in chain if (match := _OPERATOR.search(str(one)))), None)
    if operator is None:
        return port_errors.failure(request, error, "exporting it to ONNX")
    file, line = _location(request, chain)
    cause = chain[-1]
    # A DispatchError says only that there is no emitter; others say why one failed.
    is_missing = type(cause).__name__ == "DispatchError"
    explanation = "" if is_missing else f": {type(cause).__name__}: {first_line(cause)}"
    return ModeldocsError(
        f"uses {operator[1]}, which cannot be written as ONNX{explanation}",
        file=file,
        line=line,
        fix="write it with other operators, or name a part of the network without it",
    )


def _chain(error: BaseException) -> Iterator[BaseException]:
    """An exception, and those that caused it."""
    current: BaseException | None = error
    while current is not None:
        yield current
        current = current.__cause__ or current.__context__


def _location(request: LoadRequest, chain: list[BaseException]) -> tuple[str | None, int | None]:
    """The port's line that made the node whose emitter raised an exception of the chain."""
    own = own_files.OwnFiles(request)
    for stack in (_node_stack(error) for error in chain):
        frames = [(file, int(line)) for file, line in _FRAME.findall(stack) if file in own]
        if frames:
            return request.relative(frames[-1][0]), frames[-1][1]
    return request.source, None


def _node_stack(error: BaseException) -> str:
    """The stack trace recorded on the node that the innermost frames of a traceback work on."""
    stack, step = "", error.__traceback__
    while step is not None:
        meta: Any = getattr(step.tb_frame.f_locals.get("node"), "meta", None)
        if isinstance(meta, dict):
            stack = meta.get("stack_trace") or stack
        step = step.tb_next
    return stack
