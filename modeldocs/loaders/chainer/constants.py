"""Arrays that a pass computes outside of Chainer's functions, with numpy.

No function is recorded for them: they are read as if they were constants.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence

import numpy as np

from modeldocs.errors import ModeldocsError
from modeldocs.loaders import LoadRequest
from modeldocs.loaders.chainer.forward_pass import ForwardPass
from modeldocs.loaders.chainer.program import FunctionCall, Tensor


def read_by(
    calls: Sequence[FunctionCall], stored: Collection[int]
) -> list[tuple[FunctionCall, Tensor]]:
    """What calls read that is no input, no output of a function, and not stored by the link."""
    return [
        (call, tensor)
        for call in calls
        for tensor in call.inputs
        if tensor.array is not None and tensor.array.size > 1 and tensor.key not in stored
    ]


def check_dependence(request: LoadRequest, forward: ForwardPass, stored: Collection[int]) -> None:
    """Check that the outputs depend on an input.

    Raises:
        ModeldocsError: they do not, with the line that reads an array instead.
    """
    inputs = {tensor.key for tensor in forward.inputs.values()}
    calls = forward.tape.needed(forward.outputs.values())
    read = [tensor for call in calls for tensor in call.inputs]
    if any(tensor.key in inputs for tensor in (*read, *forward.outputs.values())):
        return
    message = "its output is not computed from its input by chainer's functions alone"
    file, line = request.source, None
    arrays = read_by(calls, stored)
    if arrays:
        call, _ = max(arrays, key=lambda pair: math.prod(pair[1].shape))
        message += f": {call.name} reads an array that none of them computed"
        file, line = _file(request, call), call.caller.line
    raise ModeldocsError(
        message,
        file=file,
        line=line,
        fix="compute with chainer.functions on the Variable, not with numpy on its array",
    )


def notes(
    request: LoadRequest, forward: ForwardPass, other: ForwardPass, stored: Collection[int]
) -> list[str]:
    """A note on constants that differ in a pass on another input: they depend on the input."""
    calls, other_calls = forward.tape.calls, other.tape.calls
    if [call.kind for call in calls] != [call.kind for call in other_calls]:
        return []
    counterparts = dict(zip(map(id, calls), other_calls, strict=True))
    places: dict[str, None] = {}
    for call in forward.tape.needed(forward.outputs.values()):
        pairs = zip(call.inputs, counterparts[id(call)].inputs, strict=False)
        if any(_differ(first, second) for first, second in pairs if first.key not in stored):
            places[f"{call.name} ({_file(request, call)}:{call.caller.line})"] = None
    if not places:
        return []
    shown = ", ".join(list(places)[:3]) + (" …" if len(places) > 3 else "")
    return [
        "arrays that are computed from the input, but not by chainer's functions, are drawn as "
        f"constants of a sample input: {shown}"
    ]


def _differ(first: Tensor, second: Tensor) -> bool:
    if first.array is None or second.array is None or first.array.size < 2:
        return False
    return not np.array_equal(first.array, second.array)


def _file(request: LoadRequest, call: FunctionCall) -> str | None:
    return request.relative(call.caller.file) if call.caller.file else request.source
