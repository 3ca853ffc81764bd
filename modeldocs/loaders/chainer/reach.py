"""What a pass computes outside of Chainer's functions, on the arrays of variables.

No function tells of it: what it made is read as if it were a constant.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Sequence

import numpy as np

from modeldocs.errors import ModeldocsError
from modeldocs.loaders import LoadRequest
from modeldocs.loaders.chainer.passing import Pass
from modeldocs.loaders.chainer.tape import Call, Tape, Tensor


def needed(tape: Tape, outputs: Iterable[Tensor]) -> list[Call]:
    """The calls that the outputs were made of, walked back from them."""
    wanted = {tensor.key for tensor in outputs}
    found = []
    for call in reversed(tape.calls):
        if any(tensor.key in wanted for tensor in call.outputs):
            wanted.update(tensor.key for tensor in call.inputs)
            found.append(call)
    return found[::-1]


def constants(calls: Sequence[Call], stored: Collection[int]) -> list[tuple[Call, Tensor]]:
    """What calls read that no function made, is no input, and that the link does not store."""
    return [
        (call, tensor)
        for call in calls
        for tensor in call.inputs
        if tensor.array is not None and tensor.array.size > 1 and tensor.key not in stored
    ]


def check(request: LoadRequest, done: Pass, stored: Collection[int]) -> None:
    """See that the outputs are made of an input.

    Raises:
        ModeldocsError: they are not, with the line that reads an array instead.
    """
    inputs = {tensor.key for tensor in done.inputs.values()}
    calls = needed(done.tape, done.outputs.values())
    read = [tensor for call in calls for tensor in call.inputs]
    if any(tensor.key in inputs for tensor in (*read, *done.outputs.values())):
        return
    held = sorted(constants(calls, stored), key=lambda one: -math.prod(one[1].shape))
    call = held[0][0] if held else None
    raise ModeldocsError(
        "its output is not made of its input by chainer's functions alone"
        + (f": {_name(call)} reads an array that none of them made" if call else ""),
        file=request.relative(call.caller.file) if call and call.caller.file else request.source,
        line=call.caller.line if call else None,
        fix="compute with chainer.functions on the Variable, not with numpy on its array",
    )


def told(request: LoadRequest, done: Pass, other: Pass, stored: Collection[int]) -> list[str]:
    """A sentence on constants that another input changes: they are computed from it."""
    calls, others = done.tape.calls, other.tape.calls
    if [call.kind for call in calls] != [call.kind for call in others]:
        return []
    like = dict(zip(map(id, calls), others, strict=True))
    places = []
    for call in needed(done.tape, done.outputs.values()):
        pairs = zip(call.inputs, like[id(call)].inputs, strict=False)
        if any(_differ(one, two) for one, two in pairs if one.key not in stored):
            file = request.relative(call.caller.file) if call.caller.file else request.source
            places.append(f"{_name(call)} ({file}:{call.caller.line})")
    if not places:
        return []
    places = list(dict.fromkeys(places))
    shown = ", ".join(places[:3]) + (" …" if len(places) > 3 else "")
    return [
        "arrays that are computed from the input, but not by chainer's functions, are drawn as "
        f"constants of a sample input: {shown}"
    ]


def _differ(one: Tensor, two: Tensor) -> bool:
    if one.array is None or two.array is None or one.array.size < 2:
        return False
    return one.array.shape != two.array.shape or not np.array_equal(one.array, two.array)


def _name(call: Call) -> str:
    return call.caller.function or call.kind
